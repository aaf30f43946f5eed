"""Bridgemate's `.bws` files, from both sides: the scoring program's and the control software's.

Column names stay inside this package: callers get values of `bridge` and `event`.
"""
