"""One request and what its handler needs: who asks, what is known, and how to have something changed."""

from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Final

from overtrick.connector.inbound import Misfit
from overtrick.connector.mirror import PIECE, Mirror
from overtrick.connector.wire.checks import tell
from overtrick.connector.wire.envelope import Request, Response
from overtrick.connector.wire.numbers import DataType, ErrorType
from overtrick.event import Command, Fact, Order, Reason, Rejection, Session
from overtrick.store import Appended

DONE = '"Done."'
"""What an OK carries: shipped clients may read it as a string, the guide's expect nothing."""

ERRORS: Mapping[Reason, ErrorType] = {
    Reason.UNKNOWN_SESSION: ErrorType.EntryUnknown,
    Reason.UNKNOWN_PLACE: ErrorType.Movement,
    Reason.UNKNOWN_ENTRY: ErrorType.EntryUnknown,
    Reason.NOT_ALLOWED: ErrorType.Validation,
    Reason.OVER_LIMIT: ErrorType.Validation,
    Reason.STALE: ErrorType.Validation,
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is at the other end. Over the pipe there is one, on this computer, and it may see everything."""

    is_local: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """A command to be decided and made durable, and who wants it."""

    command: Command
    digest: str
    actor: str


class Next(Enum):
    """What the next step of a request is like."""

    LOOK = "look"
    """It looks at the mirror, when it has its turn, and that does not take long."""
    APART = "apart"
    """It looks at nothing, and may take long."""


LOOK: Final = Next.LOOK
APART: Final = Next.APART

Outcome = Appended | Rejection
Steps = Generator[Change | Next, Outcome, Response]
"""What a handler does. Its first step looks at nothing; after a change it looks."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What the dispatcher stands on, beside the journal: clock, ids, files and keys come from the shell."""

    now: Callable[[], datetime]
    new_id: Callable[[], str]
    scoring_file: str = ""
    data_folder: Path | None = None
    licences: Mapping[str, str] = field(default_factory=dict)
    """The licence keys of the clubs that have set one."""
    ordered: Callable[[tuple[Order, ...]], None] = lambda orders: None
    """Hears what a scoring program has ordered, when that is durable."""
    is_controlled: Callable[[], bool] = lambda: True
    """Whether a control program is there to look after what was started."""


@dataclass(frozen=True, slots=True)
class Task:
    """One request and what it needs to be done.

    The mirror is looked at after `session`, `knows_session`, `catch_up` or `change`, and not before.
    """

    request: Request
    caller: Caller
    actor: str
    digest: str
    mirror: Mirror
    ground: Ground

    def ok(self, payload: str = DONE, data_type: DataType = DataType.OK, last_item: int = 0) -> Response:
        """The answer of a request that was done."""
        return Response(
            self.request.command, data_type, payload, session=self.request.session, last_item=last_item
        )

    def sees(self, club: str) -> bool:
        """Whether the caller may see what belongs to this club."""
        return self.caller.is_local or club in ("", self.request.club)

    def catch_up(self, sessions: Collection[str] | None = None) -> Generator[Next, Outcome, None]:
        """Look, with all that is durable by now of these sessions, or of every one."""
        yield LOOK
        for _ in self.mirror.catching_up(sessions):
            yield LOOK

    def session(self) -> Generator[Next, Outcome, Session]:
        """The session that the request names, as it is now."""
        guid = self.request.session
        if not guid:
            raise Misfit(ErrorType.Validation, "The request needs the SessionGuid of its session.")
        yield from self.catch_up([guid])
        session = self._visible(guid)
        if session is None:
            raise Misfit(ErrorType.EntryUnknown, f"There is no session {guid}.")
        return session

    def knows_session(self) -> Generator[Next, Outcome, None]:
        """Refuse a session that is not there; what it is like by now does not matter."""
        yield LOOK
        if self._visible(self.request.session) is None:
            yield from self.session()

    def _visible(self, guid: str) -> Session | None:
        session = self.mirror.house.session(guid)
        if session is None or not self.sees(self.mirror.house.events[session.opened.event].club):
            return None
        return session

    def stream(self) -> str:
        """The stream of the session that the request names."""
        stream = self.mirror.house.stream(self.request.session)
        assert stream is not None
        return stream

    def no_session(self) -> None:
        """Refuse a SessionGuid where the guide wants none."""
        if self.request.session:
            raise Misfit(ErrorType.Validation, f"{self.request.command.name} has no SessionGuid of its own.")

    def changed(self) -> Generator[Next, Outcome, list[Fact]]:
        """The facts of the client's last change."""
        found = []
        for fact in self.mirror.changed(self.actor):
            found.append(fact)
            if len(found) % PIECE == 0:
                yield LOOK
        return found

    def is_resent(self) -> bool:
        """Whether these bytes are the same as those of the client's last change."""
        last = self.mirror.last_change(self.actor)
        return last is not None and last.digest == self.digest

    def change(
        self, command: Command, *, may_be_known: bool = False
    ) -> Generator[Change | Next, Outcome, None]:
        """Have a command done; a rejection, or that nothing changes, is told with its error type.

        A client that did not get its answer sends the same bytes again: then the answer is the same again.
        """
        outcome = yield Change(command, self.digest, self.actor)
        if isinstance(outcome, Appended) and outcome.spans:
            self.mirror.note(self.actor, self.digest, outcome.spans)
            return
        yield from self.catch_up([self.request.session])
        if self.is_resent():
            return
        if isinstance(outcome, Rejection):
            raise Misfit(ERRORS[outcome.reason], tell(outcome.problems, are_all=True))
        if may_be_known:
            return
        raise Misfit(ErrorType.NoUpdates, "Everything that was sent is known already.")
