"""The runtime as a running program: one journal, one writer, and views that follow it."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from overtrick.connector.queue import makes_item
from overtrick.event import Command, House, Rejection, Session, decide, event_stream, streams_of
from overtrick.host.writer import Load, Submission, Writer
from overtrick.store import Appended, Journal, JournalEntry, open_journal
from overtrick.store.codec import event_codec
from overtrick.store.projection import SessionProjections
from overtrick.views import SessionView

log = logging.getLogger(__name__)

RuntimeWriter = Writer[House, Command, Rejection]


def runtime_writer(journal: Journal) -> RuntimeWriter:
    """Make the writer that decides commands by the rules of the event.

    It reads an event or a session when a command is about it, and drops it when none has been for a while.
    """

    def start(load: Load) -> House:
        return House(source=lambda state, guid: load([event_stream(guid), f"session/{guid}/"]))

    return Writer(
        journal,
        start=start,
        decide=decide,
        streams=streams_of,
        apply=House.apply,
        watched=House.watched,
        drop=House.drop_unused,
        makes_item=makes_item,
    )


class Runtime:
    """A runtime on one journal, for a program with one thread; servers feed the writer through its loop."""

    def __init__(self, journal: Journal, writer: RuntimeWriter | None = None) -> None:
        self.journal = journal
        self.writer = writer or runtime_writer(journal)
        self._views = SessionProjections(journal, lambda stream: SessionView(), _apply, _log)

    def do(
        self, command: Command, *, side: str = "control", actor: str = "", command_id: str | None = None
    ) -> Appended | Rejection:
        """Carry out a command; what it answers is durable. The same id again gets the same answer."""
        return self.writer.write(Submission(command, command_id or str(uuid4()), side, actor))

    @contextmanager
    def read(self, session: str) -> Iterator[Session | None]:
        """A session as the journal has it now, which stands still until the block ends; for reading only."""
        with self.writer.reading() as state:
            yield state.session(session)

    def view(self, session: str) -> SessionView | None:
        """The view of a session's newest incarnation, up to date."""
        found = self._views.find(session)
        return None if found is None else found.state

    def forget(self, session: str) -> None:
        """Drop the view of a session; whoever asks for it again waits until it is folded anew."""
        self._views.forget(session)

    def seen(self, session: str) -> int:
        """The version of a session's stream that its view has."""
        known = self._views.loaded(session)
        return known.version if known is not None else 0

    def incarnation(self, session: str) -> int:
        """Return the newest incarnation of a session; 0 when there is no such session."""
        return self._views.newest(session)


def _apply(view: SessionView, entry: JournalEntry) -> None:
    view.apply(entry.fact)


def _log(entries: Iterable[JournalEntry]) -> None:
    for entry in entries:
        log.debug("%s %d: %s", entry.stream, entry.version, entry.fact)


@contextmanager
def open_runtime(where: Path | str, *, create: bool = True) -> Iterator[Runtime]:
    """Open the runtime whose journal is in a file or at a PostgreSQL address."""
    with open_journal(where, event_codec(), create=create) as journal:
        yield Runtime(journal)
