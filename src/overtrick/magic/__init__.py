"""Federation files: the exchange between Magic and an internet office, from both sides.

`rows` has the columns of each file, `files` reads and writes them, `import_` turns them into commands, `export` turns
an event into rows, and `people` does both for the registry. Has no dependency on an event loop or a terminal.
"""
