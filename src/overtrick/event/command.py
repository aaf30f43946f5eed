"""The base class of commands. A command is a request: it may be refused, and changes nothing by itself."""


class Command:
    """Something that someone wants to happen in an event; `session` is the guid of the session it is about."""

    __slots__ = ()
    session: str
