"""Previews: the effect of a command on the current session, decided and not stored. Pure."""

from dataclasses import dataclass

from overtrick.errors import BadInput
from overtrick.event import DECIDE, Command, Rejection, Session
from overtrick.event.results import ResultErased


class StalePreview(BadInput):
    """A request that is based on an outdated state; nothing was changed."""

    code = "overtaken"


@dataclass(frozen=True, slots=True)
class CommandPreview:
    """The results that a command would erase, the number of its other facts, and the sentence of its rejection, if
    any.
    """

    erased: tuple[ResultErased, ...]
    changes: int
    refusal: str = ""


def session_after(session: Session, command: Command) -> Session:
    """Return the session as it would be after a command; unchanged if the command would be rejected."""
    decision = DECIDE[type(command)](session, command)
    return session if isinstance(decision, Rejection) else session.after(decision)


def preview_of(session: Session, command: Command) -> CommandPreview:
    """Return the effect that a command would have now."""
    decision = DECIDE[type(command)](session, command)
    if isinstance(decision, Rejection):
        return CommandPreview((), 0, str(decision))
    erased = tuple(fact for fact in decision if isinstance(fact, ResultErased))
    return CommandPreview(erased, len(decision) - len(erased))
