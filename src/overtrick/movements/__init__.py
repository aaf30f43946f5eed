"""Movements: who meets whom, where and on which boards. Knows no event and no file."""
