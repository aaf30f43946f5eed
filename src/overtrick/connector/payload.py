"""Reading of the DTOs of a request, checked by their rules. Changes nothing."""

from collections.abc import Sequence
from typing import TypeVar

from overtrick.connector.from_wire import RequestRejected
from overtrick.connector.request_context import RequestContext
from overtrick.connector.wire.checks import Rule, every, first_of, never, tell
from overtrick.connector.wire.model import WireModel
from overtrick.connector.wire.numbers import ErrorType
from overtrick.connector.wire.reading import MalformedRequest, read_many, read_one
from overtrick.connector.wire.rules import rule_of

DTO = TypeVar("DTO", bound=WireModel)

NOT_OWN = "Its SessionGuid is not the request's."


def reject_problems(wrong: Sequence[str]) -> None:
    """Raise RequestRejected with all problems, if there are any."""
    if wrong:
        raise RequestRejected(ErrorType.Validation, tell(wrong))


def read_payload(context: RequestContext, kind: type[DTO]) -> DTO:
    """Return the one DTO of a request; raise MalformedRequest if there is none."""
    if context.request.is_empty:
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise MalformedRequest(
            ErrorType.NoData, f"{context.request.command.name} needs {article} {kind.__name__}."
        )
    return read_one(kind, context.request.payload)


def read_payloads(context: RequestContext, kind: type[DTO]) -> list[DTO]:
    """Return the DTOs of a request; raise if one breaks a rule or is of another session than the request."""
    if context.request.is_empty or context.request.payload == []:
        raise MalformedRequest(
            ErrorType.NoData, f"{context.request.command.name} needs an array of {kind.__name__}."
        )
    dtos = read_many(kind, context.request.payload)
    check = every(rule_of(kind), own_session(context))
    reject_problems(first_of(f"[{at}] {problem}" for at, dto in enumerate(dtos) for problem in check(dto)))
    return dtos


def own_session(context: RequestContext) -> Rule:
    """Return the rule that a DTO is of the session that the request names."""
    session = context.request.session
    return never(lambda dto: getattr(dto, "SessionGuid", None) != session, NOT_OWN)
