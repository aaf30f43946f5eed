"""Benchmarks of Overtrick against something plain that does the same: a bare loop, or a peer, in the same run.

A module here calls `register` with its benchmarks; `script/bench` runs them and prints a table.
"""
