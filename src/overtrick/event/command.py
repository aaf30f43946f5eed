"""What a command is: something that someone wants. It may be refused, and it changes nothing by itself."""


class Command:
    """Something that someone wants to happen in an event; `session` is the guid of the session it is about."""

    __slots__ = ()
    session: str
