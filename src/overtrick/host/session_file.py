"""The control software on one `.bws` file: what is asked for in the file is done, what has happened becomes rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path

from overtrick import jet
from overtrick.bws.contents import Contents, read_contents
from overtrick.bws.control_rows import everything, rows_for, take_over
from overtrick.bws.control_side import scan
from overtrick.bws.edits import carry_out
from overtrick.bws.reading import UnplayableFile, read_event
from overtrick.control.orders import Start
from overtrick.event import Fact, Rejection, Session
from overtrick.event.limits import Generation
from overtrick.host.control import ACTOR, SCORING, ControlRoom, wall_clock
from overtrick.host.house import RunningHouse, open_house


class FileRoom(ControlRoom):
    """The sessions of one file and their terminals."""

    def __init__(
        self,
        house: RunningHouse,
        db: jet.Database,
        start: Start,
        *,
        computer: str,
        now: Callable[[], datetime] = wall_clock,
        generation: Generation | None = None,
        evaluates: bool = True,
    ) -> None:
        super().__init__(house, start, now=now, generation=generation, evaluates=evaluates)
        self._db = db
        self._looked = False
        contents = read_contents(db)
        self._guids = self._open(contents, now().date())
        self._take_over(contents, computer)

    @property
    def guids(self) -> tuple[str, ...]:
        """The sessions of the file."""
        return self._guids

    def _open(self, contents: Contents, today: date) -> tuple[str, ...]:
        """The sessions of the file: begun anew with a reset, else gone on with where the journal knows them."""
        reading = read_event(contents, today=today)
        if reading.rejection is not None:
            raise UnplayableFile(str(reading.rejection))
        self.sentences += [str(unread) for unread in reading.unread]
        guids = tuple(plan.session for plan in reading.event.sessions)
        known = [self.session(guid) is not None for guid in guids]
        if self._start.resets or not all(known):
            answer = self.house.do(reading.event, side=SCORING, actor=ACTOR)
            if isinstance(answer, Rejection):
                raise UnplayableFile(str(answer))
            if not self._start.resets:
                for command in reading.afterwards:
                    self._ask(command, "what the file holds already")
        return guids

    def _take_over(self, contents: Contents, computer: str) -> None:
        """Our computer's record, the state of the tables, and what the file has missed."""
        sessions = self.sessions()
        taken = take_over(contents, sessions, computer=computer, today=self._now().date())
        self.sentences += taken.sentences
        carry_out(self._db, taken.edits)
        for guid, session in sessions.items():
            contents = read_contents(self._db)
            carry_out(self._db, rows_for(contents, session, everything(session), at=self._file_time()))
            self._follow(guid)

    def tick(self) -> bool:
        """Look into the file, then at what has happened; whether it is time to end."""
        if not self._looked or self._db.changed():
            self._looked = True
            self._obey()
        return super().tick()

    def _obey(self) -> None:
        """Do what the scoring program asks for, and take its flags back."""
        self._db.refresh()
        contents = read_contents(self._db)
        found = scan(contents, self.sessions(), at=self._file_time())
        for unread in found.unread:
            self._say(str(unread))
        for asked in found.asked:
            if self._ask(asked.command, asked.words):
                carry_out(self._db, asked.taken)

    def _record(self, session: Session, facts: list[Fact]) -> None:
        """Make the file say what has happened."""
        edits = rows_for(read_contents(self._db), session, facts, at=self._file_time())
        carry_out(self._db, edits)

    def _file_time(self) -> datetime:
        """Files have the time of the wall, without a zone."""
        return self._now().replace(tzinfo=None)


def journal_of(file: Path) -> Path:
    """Where the journal of a session file is, if nobody says otherwise.

    >>> journal_of(Path("club/monday.bws")).name
    'monday.journal'
    """
    return file.with_suffix(".journal")


@contextmanager
def open_file_room(
    start: Start,
    *,
    journal: Path | str | None = None,
    computer: str,
    now: Callable[[], datetime] = wall_clock,
    generation: Generation | None = None,
    evaluates: bool = True,
) -> Iterator[FileRoom]:
    """The control software on the file that it was started with."""
    file = Path(start.file)
    with (
        jet.open(file, "r+") as db,
        open_house(journal or journal_of(file)) as house,
        FileRoom(
            house, db, start, computer=computer, now=now, generation=generation, evaluates=evaluates
        ) as room,
    ):
        yield room
