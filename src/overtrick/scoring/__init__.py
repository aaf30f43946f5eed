"""Travellers to points to rankings: matchpoints, IMPs, VPs, BAM, Patton. Knows no event and no file."""

from overtrick.scoring.method import Method

__all__ = ["Method"]
