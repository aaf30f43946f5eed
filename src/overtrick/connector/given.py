"""What a request gives: its DTOs, read and judged, or every sentence about what is wrong with them. Changes nothing."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from overtrick.connector.inbound import Misfit
from overtrick.connector.task import Task
from overtrick.connector.wire.checks import ENOUGH, tell, until_enough
from overtrick.connector.wire.model import Wire
from overtrick.connector.wire.numbers import ErrorType
from overtrick.connector.wire.reading import Malformed, let_go, read_batches, read_one

DTO = TypeVar("DTO", bound=Wire)
T = TypeVar("T")

NOT_OWN = "Its SessionGuid is not the request's."


def sound(problems: Sequence[str]) -> None:
    """Refuse a request with which something is wrong, and say all of it."""
    if problems:
        raise Misfit(ErrorType.Validation, tell(problems))


def one(task: Task, kind: type[DTO], judge: Callable[[DTO], list[str]]) -> DTO:
    """The one DTO of a request, sound by itself."""
    if task.request.is_empty:
        raise Malformed(ErrorType.NoData, f"{task.request.command.name} needs a {kind.__name__}.")
    dto = read_one(kind, task.request.payload)
    return judged(dto, judge(dto))


def judged(dto: DTO, problems: Sequence[str]) -> DTO:
    """A DTO with which nothing is wrong."""
    if problems:
        let_go(dto)
        sound(problems)
    return dto


def many(
    task: Task,
    kind: type[DTO],
    judge: Callable[[DTO], list[str]],
    into: Callable[[Sequence[DTO]], Iterable[T]],
) -> tuple[T, ...]:
    """What the DTOs of a request are turned into, each sound by itself and of the session that the request names."""
    found: list[T] = []
    problems: list[str] = []
    at = 0
    for dtos in read_batches(kind, some(task, kind)):
        for dto in until_enough(dtos, problems):
            problems += each(task, at, dto, judge)
            at += 1
        if not problems:
            found += into(dtos)
        elif len(problems) >= ENOUGH:
            break
    sound(problems)
    return tuple(found)


def some(task: Task, kind: type[Wire]) -> object:
    """The payload of a request that needs an array."""
    if task.request.is_empty or task.request.payload == []:
        raise Malformed(ErrorType.NoData, f"{task.request.command.name} needs an array of {kind.__name__}.")
    return task.request.payload


def each(task: Task, at: int, dto: T, judge: Callable[[T], list[str]]) -> list[str]:
    """What is wrong with one DTO of many: by itself, or that it is of another session than the request names."""
    problems = judge(dto)
    if getattr(dto, "SessionGuid", None) != task.request.session:
        problems.append(NOT_OWN)
    return [f"[{at}] {problem}" for problem in problems]


def own(task: Task, dto: Wire) -> list[str]:
    """Whether a DTO is of the session that the request names."""
    guid = getattr(dto, "SessionGuid", None)
    return [] if guid == task.request.session else [NOT_OWN]
