"""Overtrick runs the data side of a duplicate bridge event on any computer."""

__version__ = "0.1.0.dev0"
