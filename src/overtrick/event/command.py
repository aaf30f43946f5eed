"""The base class of commands. A command is a request: it may be refused, and changes nothing by itself."""


class Command:
    """A request to change an event; `session` is the guid of the session that it is about."""

    __slots__ = ()
    session: str
