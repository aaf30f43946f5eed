"""Computer bridge over TCP, protocol version 18: the protocol, the table, the player and robots.

The state machines (`conversation`, `table`, `player`) have no dependency on sockets; `server` and `client` do the I/O.
"""
