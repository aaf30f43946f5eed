"""The director's desk, the results pages and the JSON API. Knows no loop and no socket: `host` runs it.

A page looks at the journal through `live`, and changes something only by a command that the one writer decides.
"""
