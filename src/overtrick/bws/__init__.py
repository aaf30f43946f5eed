"""Bridgemate's `.bws` files, from both sides: the scoring program's and the control software's.

No name of a column leaves this room: what is read comes out in the words of `bridge` and `event`.
"""
