"""The one place that runs loops: the writer and everything that is composed around it."""
