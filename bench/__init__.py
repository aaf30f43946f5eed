"""Benchmarks: each times Overtrick and a peer that does the same work, a bare loop or another program, in one run.

A module here calls `register` with its benchmarks; `script/bench` runs them and prints a table.
"""
