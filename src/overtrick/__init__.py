"""Overtrick runs the data side of a duplicate bridge event on any computer."""

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
