"""Computer bridge over TCP, protocol version 18: the protocol, the table, the player and robots.

The state machines (`conversation`, `table`, `player`) know no sockets; `server` and `client` little else.
"""
