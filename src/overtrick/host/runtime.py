"""Runtime of a program: one journal, one writer, and session views that follow it."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from overtrick.connector.queue import makes_item
from overtrick.event import Command, JournalState, Rejection, Session, decide, event_stream, streams_of
from overtrick.host.writer import Load, Submission, Writer
from overtrick.store import Appended, Journal, JournalEntry, open_journal
from overtrick.store.codec import event_codec
from overtrick.store.projection import SessionProjections
from overtrick.views import SessionView

log = logging.getLogger(__name__)

RuntimeWriter = Writer[JournalState, Command, Rejection]


def runtime_writer(journal: Journal) -> RuntimeWriter:
    """Return a writer that decides commands by the rules of `overtrick.event`.

    It loads an event or a session when a command needs it, and drops it when none has for a while.
    """

    def start(load: Load) -> JournalState:
        return JournalState(source=lambda state, guid: load([event_stream(guid), f"session/{guid}/"]))

    return Writer(
        journal,
        start=start,
        decide=decide,
        streams=streams_of,
        apply=JournalState.apply,
        watched=JournalState.stream_prefixes,
        drop=JournalState.drop_unused,
        makes_item=makes_item,
    )


class Runtime:
    """Journal, writer and views for a program with one thread. Servers feed the writer through `WriterLoop`."""

    def __init__(self, journal: Journal, writer: RuntimeWriter | None = None) -> None:
        self.journal = journal
        self.writer = writer or runtime_writer(journal)
        self._views = SessionProjections(journal, lambda stream: SessionView(), _apply, _log)

    def do(
        self, command: Command, *, side: str = "control", actor: str = "", command_id: str | None = None
    ) -> Appended | Rejection:
        """Execute a command; the answer is durable. The same command id gets the same answer again."""
        return self.writer.write(Submission(command, command_id or str(uuid4()), side, actor))

    @contextmanager
    def read(self, session: str) -> Iterator[Session | None]:
        """Yield a session as the journal has it now, for reading; the writer is locked until the block ends."""
        with self.writer.reading() as state:
            yield state.session(session)

    def view(self, session: str) -> SessionView | None:
        """Return the view of a session's newest incarnation, up to date; None where there is no such session."""
        loaded = self._views.find(session)
        return None if loaded is None else loaded.state

    def keep(self, session: str) -> None:
        """Count the view of a session as used now, so that it is not dropped."""
        self._views.keep(session)

    def forget(self, session: str) -> None:
        """Drop the view of a session; the next call of `view` folds it anew."""
        self._views.forget(session)

    def viewed_version(self, session: str) -> int:
        """Return the version of a session's stream that its view has; 0 without a view."""
        loaded = self._views.loaded(session)
        return loaded.version if loaded is not None else 0

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
    """Open a runtime on the journal in a file or at a PostgreSQL address."""
    with open_journal(where, event_codec(), create=create) as journal:
        yield Runtime(journal)
