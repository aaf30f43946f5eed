"""The one family of errors: every error that a person can cause is an OvertrickError.

Each package derives its own from it. An adapter maps `code` to its own wire (exit status, HTTP status, Data Connector
ErrorType); the sentence is for a director to read, so it says what was wrong, where, and what was kept.
"""

from typing import ClassVar

__all__ = [
    "BadInput",
    "OvertrickError",
]


class OvertrickError(Exception):
    """Something a person can understand and mend.

    >>> try:
    ...     raise OvertrickError("Table 4 has no round 9.", where="section A")
    ... except OvertrickError as error:
    ...     print(f"{error.code}: {error}")
    error: section A: Table 4 has no round 9.
    """

    code: ClassVar[str] = "error"
    """A stable word for programs; a subclass that someone may want to tell apart has its own."""

    exit_status: ClassVar[int] = 1

    def __init__(self, sentence: str, *, where: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.where = where

    def __str__(self) -> str:
        return f"{self.where}: {self.sentence}" if self.where else self.sentence


class BadInput(OvertrickError):
    """Input that cannot be read or makes no sense; nothing was changed."""

    code = "bad-input"
    exit_status = 2
