"""The director's desk, the results pages and the JSON API. Has no dependency on sockets: `host` serves it.

A page reads the journal through the live projections, and changes something only by a command to the one writer.
"""
