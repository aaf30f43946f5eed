"""The context of one request for its handler: caller, state to read, and writer. Has no dependency on transports."""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from overtrick.connector.from_wire import RequestRejected
from overtrick.connector.projection import ConnectorProjection
from overtrick.connector.wire.checks import problems_text
from overtrick.connector.wire.envelope import Request, Response
from overtrick.connector.wire.numbers import DataType, ErrorType
from overtrick.event import Command, JournalState, Order, Reason, Rejection, Session
from overtrick.store import Appended

DONE = '"Done."'
"""The data of an OK: shipped clients may read it as a string, the guide's clients expect nothing."""

PAUSE = 0.001
"""Seconds between two pieces of the journal: threads that wait for the lock get it then."""

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
    """The origin of a request. The one client of the pipe is on this computer and may see everything."""

    is_local: bool = True


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """A command to be decided and written, with its actor and the digest of its request."""

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
    """Called with the orders of a scoring program when they are durable."""
    is_controlled: Callable[[], bool] = lambda: True
    """Returns whether a control program runs."""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One request with what its handler needs.

    Handlers read the projection inside `locked_state` or `session`, which hold its lock, and write outside of them.
    """

    request: Request
    caller: Caller
    actor: str
    digest: str
    projection: ConnectorProjection
    lock: threading.Lock
    """Held by the thread that reads the projection or updates it."""
    host: HostServices

    def ok(self, payload: str = DONE, data_type: DataType = DataType.OK, last_item: int = 0) -> Response:
        """Return the response of a request that succeeded."""
        return Response(
            self.request.command, data_type, payload, session=self.request.session, last_item=last_item
        )

    def may_see(self, club: str) -> bool:
        """Return whether the caller may see what belongs to this club."""
        return self.caller.is_local or club in ("", self.request.club)

    @contextmanager
    def locked_state(
        self, sessions: Collection[str] | None = None, events: Collection[str] = ()
    ) -> Iterator[JournalState]:
        """Lock the projection with all durable facts of these sessions and events, or of all, and yield its state.

        It catches up in pieces and releases the lock between them, so that other requests can read meanwhile.
        """
        pieces = self.projection.catch_up_in_pieces(sessions, events)
        while True:
            with self.lock:
                if next(pieces, pieces) is pieces:
                    yield self.projection.state
                    return
            time.sleep(PAUSE)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Lock the projection and yield the session that the request names; raise RequestRejected if there is none."""
        guid = self.request.session
        if not guid:
            raise RequestRejected(ErrorType.Validation, "The request needs the SessionGuid of its session.")
        with self.locked_state([guid]):
            session = self._visible(guid)
            if session is None:
                raise RequestRejected(ErrorType.EntryUnknown, f"There is no session {guid}.")
            yield session

    def require_session(self) -> None:
        """Raise RequestRejected if the request's session does not exist; does not catch up with one that does."""
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
        return session if event is not None and self.may_see(event.club) else None

    def stream(self) -> str:
        """Return the stream of the session that the request names."""
        stream = self.projection.state.stream(self.request.session)
        assert stream is not None
        return stream

    def reject_session_guid(self) -> None:
        """Raise RequestRejected for a SessionGuid where the guide wants none."""
        if self.request.session:
            raise RequestRejected(
                ErrorType.Validation, f"{self.request.command.name} has no SessionGuid of its own."
            )

    def is_resent(self) -> bool:
        """Return whether the client's last change was made by a request with the same bytes."""
        return self.projection.is_last_change(self.actor, self.digest)

    def change(self, command: Command, *, may_be_known: bool = False) -> None:
        """Write a command; raise RequestRejected if it is rejected, or if nothing changes and not `may_be_known`.

        A client that got no answer sends the same bytes again, and gets the same answer then.
        """
        outcome = self.host.write(ChangeRequest(command, self.digest, self.actor))
        if (isinstance(outcome, Appended) and outcome.spans) or self.is_resent():
            return
        if isinstance(outcome, Rejection):
            raise RequestRejected(ERRORS[outcome.reason], problems_text(outcome.problems, are_all=True))
        if not may_be_known:
            raise RequestRejected(ErrorType.NoUpdates, "Nothing new: all of this data is stored already.")
