"""What a request gives: its DTOs, read and judged, or every sentence about what is wrong with them. Changes nothing."""

from collections.abc import Sequence
from typing import TypeVar

from overtrick.connector.from_wire import Misfit
from overtrick.connector.request_context import Task
from overtrick.connector.wire.checks import Rule, every, first_of, never, tell
from overtrick.connector.wire.model import Wire
from overtrick.connector.wire.numbers import ErrorType
from overtrick.connector.wire.reading import Malformed, read_many, read_one
from overtrick.connector.wire.rules import rule_of

DTO = TypeVar("DTO", bound=Wire)

NOT_OWN = "Its SessionGuid is not the request's."


def sound(wrong: Sequence[str]) -> None:
    """Refuse a request with which something is wrong, and say all of it."""
    if wrong:
        raise Misfit(ErrorType.Validation, tell(wrong))


def one(task: Task, kind: type[DTO]) -> DTO:
    """Return the one DTO of a request."""
    if task.request.is_empty:
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise Malformed(ErrorType.NoData, f"{task.request.command.name} needs {article} {kind.__name__}.")
    return read_one(kind, task.request.payload)


def many(task: Task, kind: type[DTO]) -> list[DTO]:
    """Return the DTOs of a request, each sound by itself and of the session that the request names."""
    if task.request.is_empty or task.request.payload == []:
        raise Malformed(ErrorType.NoData, f"{task.request.command.name} needs an array of {kind.__name__}.")
    dtos = read_many(kind, task.request.payload)
    check = every(rule_of(kind), own(task))
    sound(first_of(f"[{at}] {problem}" for at, dto in enumerate(dtos) for problem in check(dto)))
    return dtos


def own(task: Task) -> Rule:
    """Make the rule that a DTO is of the session that the request names."""
    session = task.request.session
    return never(lambda dto: getattr(dto, "SessionGuid", None) != session, NOT_OWN)
