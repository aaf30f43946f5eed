"""Federation files: the exchange between Magic and an internet office, from both sides.

`rows` says what the columns of each file are, `files` reads and writes them, `taking` turns what was read into
commands, `giving` an event into rows, `people` does both for the registry. Knows no loop and no terminal.
"""
