"""One request and what its handler needs: who asks, what is known, and how to have something changed."""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from overtrick.connector.from_wire import RequestRejected
from overtrick.connector.projection import ConnectorProjection
from overtrick.connector.wire.checks import tell
from overtrick.connector.wire.envelope import Request, Response
from overtrick.connector.wire.numbers import DataType, ErrorType
from overtrick.event import Command, House, Order, Reason, Rejection, Session
from overtrick.store import Appended

DONE = '"Done."'
"""What an OK carries: shipped clients may read it as a string, the guide's expect nothing."""

PAUSE = 0.001
"""Seconds between two pieces of the journal, so that whoever waits for the lock gets it."""

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
class ChangeRequest:
    """A command to be decided and made durable, and who wants it."""

    command: Command
    digest: str
    actor: str


WriteOutcome = Appended | Rejection


@dataclass(frozen=True, slots=True)
class HostServices:
    """Clock, ids, files, keys and the writer, which handlers use beside the journal; the host passes them in."""

    now: Callable[[], datetime]
    new_id: Callable[[], str]
    write: Callable[[ChangeRequest], WriteOutcome]
    """Decides a change and returns when it is durable."""
    scoring_file: Callable[[], str] = lambda: ""
    """Returns the path of a file that holds everything acknowledged so far."""
    data_folder: Path | None = None
    licences: Mapping[str, str] = field(default_factory=dict)
    """The licence keys of the clubs that have set one."""
    ordered: Callable[[tuple[Order, ...]], None] = lambda orders: None
    """Hears what a scoring program has ordered, when that is durable."""
    is_controlled: Callable[[], bool] = lambda: True
    """Whether a control program is there to look after what was started."""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One request and what it needs to be done.

    The projection is looked at inside `looking` or `session`, which hold its lock, and nothing is changed inside them.
    """

    request: Request
    caller: Caller
    actor: str
    digest: str
    projection: ConnectorProjection
    lock: threading.Lock
    """Held by whoever looks at the projection or moves it on."""
    host: HostServices

    def ok(self, payload: str = DONE, data_type: DataType = DataType.OK, last_item: int = 0) -> Response:
        """Return the answer of a request that was done."""
        return Response(
            self.request.command, data_type, payload, session=self.request.session, last_item=last_item
        )

    def sees(self, club: str) -> bool:
        """Return whether the caller may see what belongs to this club."""
        return self.caller.is_local or club in ("", self.request.club)

    @contextmanager
    def looking(
        self, sessions: Collection[str] | None = None, events: Collection[str] = ()
    ) -> Iterator[House]:
        """Hold the projection still, with all that is durable by now of these sessions and events, or of every one.

        It is brought up to date a piece at a time, so that others look meanwhile.
        """
        pieces = self.projection.catching_up(sessions, events)
        while True:
            with self.lock:
                if next(pieces, pieces) is pieces:
                    yield self.projection.state
                    return
            time.sleep(PAUSE)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Hold the projection still and give the session that the request names, as it is now."""
        guid = self.request.session
        if not guid:
            raise RequestRejected(ErrorType.Validation, "The request needs the SessionGuid of its session.")
        with self.looking([guid]):
            session = self._visible(guid)
            if session is None:
                raise RequestRejected(ErrorType.EntryUnknown, f"There is no session {guid}.")
            yield session

    def require_session(self) -> None:
        """Refuse a session that is not there; what it is like by now does not matter."""
        guid = self.request.session
        with self.lock:
            if guid in self.projection.state.incarnations and self._visible(guid) is not None:
                return
        with self.session():
            pass

    def _visible(self, guid: str) -> Session | None:
        state = self.projection.state
        session = state.session(guid)
        event = state.event(session.opened.event) if session is not None else None
        return session if event is not None and self.sees(event.club) else None

    def stream(self) -> str:
        """Return the stream of the session that the request names."""
        stream = self.projection.state.stream(self.request.session)
        assert stream is not None
        return stream

    def no_session(self) -> None:
        """Refuse a SessionGuid where the guide wants none."""
        if self.request.session:
            raise RequestRejected(
                ErrorType.Validation, f"{self.request.command.name} has no SessionGuid of its own."
            )

    def is_resent(self) -> bool:
        """Return whether these bytes are the same as those of the client's last change."""
        return self.projection.is_last_change(self.actor, self.digest)

    def change(self, command: Command, *, may_be_known: bool = False) -> None:
        """Have a command done; a rejection, or that nothing changes, is told with its error type.

        A client that did not get its answer sends the same bytes again: then the answer is the same again.
        """
        outcome = self.host.write(ChangeRequest(command, self.digest, self.actor))
        if (isinstance(outcome, Appended) and outcome.spans) or self.is_resent():
            return
        if isinstance(outcome, Rejection):
            raise RequestRejected(ERRORS[outcome.reason], tell(outcome.problems, are_all=True))
        if not may_be_known:
            raise RequestRejected(ErrorType.NoUpdates, "Everything that was sent is known already.")
