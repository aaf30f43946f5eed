"""The house as a running program: one journal, one writer, and views that follow it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from overtrick.event import Command, House, Rejection, Session, decide
from overtrick.host.writer import Submission, Writer
from overtrick.store import Appended, Journal, open_journal
from overtrick.store.codec import event_codec
from overtrick.views import SessionView

log = logging.getLogger(__name__)

HouseWriter = Writer[House, Command, Rejection]


def house_writer(journal: Journal) -> HouseWriter:
    """The writer that decides commands by the rules of the event."""
    return Writer(journal, start=House, decide=decide, apply=House.apply)


class RunningHouse:
    """A house on one journal, for a program with one thread; servers feed the writer through its loop."""

    def __init__(self, journal: Journal, writer: HouseWriter | None = None) -> None:
        self.journal = journal
        self.writer = writer or house_writer(journal)
        self._views: dict[str, tuple[str, SessionView, int]] = {}
        """By session: the stream of its newest incarnation, its view, and how far that has read."""

    def do(
        self, command: Command, *, side: str = "control", actor: str = "", command_id: str | None = None
    ) -> Appended | Rejection:
        """Carry out a command; what it answers is durable. The same id again gets the same answer."""
        return self.writer.write(Submission(command, command_id or str(uuid4()), side, actor))

    @contextmanager
    def read(self, session: str) -> Iterator[Session | None]:
        """A session as the journal has it now, which stands still until the block ends; for reading only."""
        with self.writer.reading() as house:
            yield house.session(session)

    def view(self, session: str) -> SessionView | None:
        """The view of a session's newest incarnation, up to date."""
        with self.writer.reading() as house:
            stream = house.stream(session)
        if stream is None:
            return None
        known = self._views.get(session)
        _, view, version = known if known is not None and known[0] == stream else (stream, SessionView(), 0)
        is_new = version == 0
        for entry in self.journal.read(stream, version):
            view.apply(entry.fact)
            version = entry.version
            if not is_new:
                log.debug("%s %d: %s", stream, version, entry.fact)
        self._views[session] = stream, view, version
        return view

    def forget(self, session: str) -> None:
        """Drop the view of a session; whoever asks for it again waits until it is folded anew."""
        self._views.pop(session, None)

    def seen(self, session: str) -> int:
        """The version of a session's stream that its view has."""
        with self.writer.reading() as house:
            stream = house.stream(session)
        known = self._views.get(session)
        return known[2] if known is not None and known[0] == stream else 0


@contextmanager
def open_house(where: Path | str, *, create: bool = True) -> Iterator[RunningHouse]:
    """Open the house whose journal is in a file or at a PostgreSQL address."""
    with open_journal(where, event_codec(), create=create) as journal:
        yield RunningHouse(journal)
