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

UNREACHABLE = (jet.AccessFileError, jet.ReadOnlyAccessFile, jet.NotWritten, jet.RowGone)
"""What may be over at the next look: Access has the file, another program writes, the disk is full, a row went."""


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
        self._computer = computer
        self._looked = False
        self._trouble = ""
        self._lies_at = self._place()
        contents = read_contents(db)
        self._guids = self._open(contents, now().date())
        self._take_over(contents)

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

    def _take_over(self, contents: Contents) -> None:
        """Our computer's record, the state of the tables, and what the file has missed."""
        sessions = self.sessions()
        taken = take_over(contents, sessions, computer=self._computer, today=self._now().date())
        self.sentences += taken.sentences
        carry_out(self._db, taken.edits)
        for guid, session in sessions.items():
            contents = read_contents(self._db)
            carry_out(self._db, rows_for(contents, session, everything(session), at=self._file_time()))
            self._note_seen(guid, self._unseen(guid))

    def tick(self) -> bool:
        """Look into the file, then at what has happened; whether it is time to end.

        A file that cannot be read or written for a while, as when Access has it open, does not end the evening:
        what has happened is in the journal, and is written at a later look.
        """
        try:
            self._look()
            is_over = super().tick()
        except UNREACHABLE as error:
            if self._trouble != str(error):
                self._trouble = str(error)
                self.sentences.append(f"{self._trouble} It is tried again at every look.")
            return False
        self._trouble = ""
        return is_over

    def _look(self) -> None:
        if (place := self._place()) != self._lies_at:
            self._begin_with_another()
            self._lies_at = place
        if not self._looked or self._db.changed():
            self._looked = False  # what is only half done is looked at again
            self._obey()
            self._looked = True

    def _place(self) -> tuple[int, int]:
        """Which file lies where ours is: a copy that somebody put back is another."""
        try:
            found = Path(self._start.file).stat()
        except OSError as error:
            raise jet.AccessFileError(
                f"The session file is not there any more ({error.strerror}); results are kept.",
                where=self._start.file,
            ) from None
        return found.st_dev, found.st_ino

    def _begin_with_another(self) -> None:
        """Write everything into a file that took the place of ours, if it is of the same sessions."""
        self._db.refresh()
        contents = read_contents(self._db)
        reading = read_event(contents, today=self._now().date())
        if {plan.session for plan in reading.event.sessions} != set(self._guids):
            raise jet.AccessFileError(
                "The file of another session took the place of this one; results are kept.",
                where=self._start.file,
            )
        self._say("Another copy of the session file took the place of ours; everything is written into it.")
        self._take_over(contents)

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
