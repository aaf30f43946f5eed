"""The control software on one `.bws` file: what is asked for in the file is done, what has happened becomes rows.

Other control computers may work on the same file: each handles its own tables, and those of one that is not running.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path

from overtrick import jet
from overtrick.bws.contents import Contents, read_contents
from overtrick.bws.control_rows import client_row, everything, rows_for, session_rows, take_over
from overtrick.bws.control_side import Asked, adopt, scan
from overtrick.bws.edits import carry_out
from overtrick.bws.frame import frame_of
from overtrick.bws.reading import UnplayableFile, read_event
from overtrick.bws.shares import Peer, Spot, clients_for, spoken, spots_of
from overtrick.control import Entry
from overtrick.control.orders import Start
from overtrick.directing.closing import has_last_result
from overtrick.event import AddSession, Fact, Reason, Rejection, Session, SessionPlan
from overtrick.event.limits import Generation
from overtrick.event.rejection import reject
from overtrick.event.results import Place
from overtrick.host.control import SCORING, ControlRoom, wall_clock
from overtrick.host.director import ACTOR
from overtrick.host.house import RunningHouse, open_house
from overtrick.host.presence import Presence, present

UNREACHABLE = (jet.AccessFileError, jet.ReadOnlyAccessFile, jet.NotWritten, jet.RowGone)
"""What may be over at the next look: Access has the file, another program writes, the disk is full, a row went."""

TAKEN = "taken from the file"
"""The mark of a session that counts the requests that were taken back in its file."""


FILE = "the session file"
"""What is looked after where a file says it, and no event of a journal."""


class FileRoom(ControlRoom):
    """The sessions of one file and their terminals."""

    def __init__(
        self,
        house: RunningHouse,
        db: jet.Database,
        start: Start,
        *,
        presence: Presence,
        left: Collection[str] = (),
        now: Callable[[], datetime] = wall_clock,
        generation: Generation | None = None,
        evaluates: bool = True,
    ) -> None:
        super().__init__(house, start, now=now, generation=generation, evaluates=evaluates)
        self._db = db
        self._presence = presence
        self._left = left
        self._looked = False
        self._written: dict[str, int] = {}
        """How far the file has each session's stream."""
        self._is_over = False
        self._guids: tuple[str, ...] = ()
        self._trouble = ""
        self._lies_at = self._place()
        self._peers: list[Peer] = []
        self._clients: frozenset[int] = frozenset()
        """The clients whose tables are ours to handle."""
        self._spots: frozenset[Spot] = frozenset()
        """Those tables; one whose record is away for a while stays ours."""
        self._left_alone: dict[tuple[str, int], str] = {}
        """The tables that others handle, and who does."""
        carry_out(db, client_row(read_contents(db), presence.computer))
        contents = read_contents(db)
        ours = presence.before | self._own(contents)
        self._claim(contents)
        contents = read_contents(db)  # nobody else writes rows of our tables from here on
        theirs = presence.handled_meanwhile(self._clients)
        if self._open(contents, now().date()) and not start.resets:
            # Of tables that we handled last, the journal knows more than the file; of others the file does.
            self._adopt(contents, spots_of(contents, self._clients - ours | theirs))
        self._note_known()
        self._take_over(read_contents(db))

    def _events(self) -> dict[str, tuple[str, ...]]:
        """The sessions of the file, until they are over."""
        return {} if self._is_over else {FILE: self._guids}

    def _shut_down(self, event: str) -> None:
        self._is_over = True

    def _open(self, contents: Contents, today: date) -> bool:
        """Begin the sessions of the file anew with a reset, or go on with them where the journal knows them.

        Answers whether the journal knew any.
        """
        reading = read_event(contents, today=today)
        if reading.rejection is not None:
            raise UnplayableFile(str(reading.rejection))
        self.sentences += [str(unread) for unread in reading.unread]
        plans = reading.event.sessions
        known = [session for plan in plans if (session := self.session(plan.session)) is not None]
        self._guids = tuple(plan.session for plan in plans)
        if known and not self._start.resets:
            self._join(known, plans, contents)
            return True
        answer = self.house.do(reading.event, side=SCORING, actor=ACTOR)
        if isinstance(answer, Rejection):
            raise UnplayableFile(str(answer))
        if not self._start.resets and self._left_alone:
            self._adopt(contents, self._spots)
        elif not self._start.resets:
            for command in reading.afterwards:
                self._ask(command, "what the file holds already")
        return False

    def _join(self, known: list[Session], plans: tuple[SessionPlan, ...], contents: Contents) -> None:
        """Go on with the sessions that are known, and add those that are new in the file since we ran last."""
        event = known[0].opened.event
        for plan in plans:
            if self.session(plan.session) is not None:
                continue
            if self._ask(AddSession(event, plan), f"session {plan.name}"):
                self._adopt(contents, self._spots, (plan.session,))
            else:
                self._guids = tuple(guid for guid in self._guids if guid != plan.session)

    def _take_over(self, contents: Contents) -> None:
        """The state of the tables, and what the file has missed."""
        sessions = self.sessions()
        today, clients = self._now().date(), self._clients
        taken = take_over(contents, sessions, computer=self._presence.computer, today=today, clients=clients)
        self.sentences += taken.sentences
        carry_out(self._db, taken.edits)
        for guid, session in sessions.items():
            version = self.house.seen(guid)
            self._write(session, everything(session))
            self._written[self._stream(guid)] = version

    def _stream(self, guid: str) -> str:
        with self.house.writer.reading() as house:
            return house.stream(guid) or ""

    def execute_due(self) -> bool:
        """Execute what is due, and make the file say what has happened before and by that."""
        self._write_news()
        is_done = super().execute_due()
        self._write_news()
        return is_done

    def _write_news(self) -> None:
        """Make the file say what has happened since the last time."""
        for guid, session in self.sessions().items():
            stream = self._stream(guid)
            entries = list(self.house.journal.read(stream, self._written.get(stream, 0)))
            if entries:
                self._write(session, [entry.fact for entry in entries])
                self._written[stream] = entries[-1].version

    def _write(self, session: Session, facts: list[Fact]) -> None:
        """Make the file say this of our tables."""
        contents = read_contents(self._db)
        spots = self._spots_if_shared
        carry_out(self._db, rows_for(contents, session, facts, at=self._file_time(), spots=spots))

    # Sharing the file ---------------------------------------------------------------------------------------

    @property
    def _spots_if_shared(self) -> frozenset[Spot] | None:
        """The tables that are ours, or None where all of them are."""
        return self._spots if self._left_alone else None

    def _own(self, contents: Contents) -> frozenset[int]:
        return frozenset(row.id for row in contents.clients if row.computer == self._presence.computer)

    def _claim(self, contents: Contents) -> None:
        """Say whose tables we handle, while no other control program can say so too."""
        with self._db.file.locked(alone=True):
            self._peers = self._presence.peers()
            self._clients = clients_for(contents, self._presence.computer, self._peers, self._left)
            self._presence.announce(self._clients, self._own(contents))
        self._note_spots(contents)

    def _note_known(self) -> None:
        """Remember that what others have recorded at our tables is in the journal."""
        with self._db.file.locked(alone=True):
            self._presence.note_known()

    def _note_spots(self, contents: Contents) -> None:
        frame = frame_of(contents)
        listed = {(row.section, row.table) for row in contents.tables}
        self._spots = spots_of(contents, self._clients) | (self._spots - listed)
        handlers = {id: peer.computer for peer in self._peers for id in peer.clients}
        names = {row.id: row.computer for row in contents.clients}
        self._left_alone = {
            (frame.letters[row.section], row.table): handlers.get(row.computer) or names.get(row.computer, "")
            for row in contents.tables
            if (row.section, row.table) not in self._spots and row.section in frame.letters
        }

    def _share(self, contents: Contents) -> Contents:
        """Let go of tables whose computer runs again, and take those of one that does not any more.

        Answers what the file holds when that is done.
        """
        self._peers = self._presence.peers()
        coming = clients_for(contents, self._presence.computer, self._peers, self._left)
        before, clients = self._spots, self._clients
        listed = {(row.section, row.table) for row in contents.tables}
        if before & listed - spots_of(contents, coming):
            # What has happened at tables that we let go is written first: the other goes by the file.
            self._write_news()
        if coming == clients:
            self._note_spots(contents)
        else:
            self._claim(contents)
        if self._spots == before and self._clients == clients:
            return contents
        contents = read_contents(self._db)
        self.sentences += spoken(contents, frame_of(contents), self._clients, self._presence.computer)
        self._presence.handled_meanwhile(self._clients - clients)
        self._adopt(contents, self._spots - before)
        self._note_known()
        for session in self.sessions().values():
            self._write(session, everything(session))
        return read_contents(self._db)

    def _adopt(
        self, contents: Contents, spots: Collection[Spot], guids: Collection[str] | None = None
    ) -> None:
        """Take in what others have recorded at these tables, in all sessions or in these."""
        for guid, session in self.sessions().items() if spots else ():
            if guids is not None and guid not in guids:
                continue
            for command in list(adopt(contents, session, spots)):
                self._ask(command, "what another control program has recorded")

    def submit(self, entry: Entry, device: str) -> int | Rejection:
        """An entry of a terminal, unless its table is another computer's."""
        about = getattr(entry.command, "entry", entry.command)
        table = getattr(about, "section", ""), getattr(about, "table", 0)
        if table in self._left_alone:
            who = self._left_alone[table] or "another computer"
            return reject(Reason.NOT_ALLOWED, f"Table {table[0]}{table[1]} is handled by {who}.")
        return super().submit(entry, device)

    def _left_to_others(self) -> Collection[tuple[str, int]]:
        return self._left_alone

    def _played_elsewhere(self, session: Session) -> Collection[Place]:
        """Return the boards that other computers' tables have in the file, once our own have their last result."""
        if not self._left_alone or not has_last_result(session, self._left_alone):
            return ()
        contents = read_contents(self._db)
        letters = frame_of(contents).letters
        return frozenset(
            (letters.get(section, ""), table, number, board)
            for section, table, number, board in contents.standing()
            if (letters.get(section, ""), table) in self._left_alone
        )

    # Looking ------------------------------------------------------------------------------------------------

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
        if not self._looked or self._db.changed() or self._presence.peers() != self._peers:
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
        carry_out(self._db, client_row(contents, self._presence.computer))
        contents = read_contents(self._db)
        self._claim(contents)
        self._take_over(contents)

    def _obey(self) -> None:
        """Do what the scoring program asks for, and take its flags back."""
        self._db.refresh()
        contents = self._share(read_contents(self._db))
        found = scan(contents, self.sessions(), at=self._file_time(), spots=self._spots_if_shared)
        for plan in found.joining:
            if self._ask(plan, f"session {plan.plan.name}"):
                self._guids = (*self._guids, plan.plan.session)
                self.sentences.append(f"Session {plan.plan.name} has joined.")
        if found.joining:
            carry_out(self._db, session_rows(contents, frame_of(contents), self._now().date()))
            found = scan(contents, self.sessions(), at=self._file_time(), spots=self._spots_if_shared)
        for unread in found.unread:
            self._say(str(unread))
        for together in found.followed:
            # A scoring program that is still writing is followed when it is done.
            self.house.do(together, side=SCORING, actor=ACTOR)
        for asked in found.asked:
            self._do(asked)

    def _do(self, asked: Asked) -> None:
        """Do something that is asked for, once: who is killed before it is taken back finds it done already."""
        guid = asked.command.session
        with self.house.writer.reading() as house:
            stream = house.stream(guid) or ""
        marks = self.house.journal.marks
        count = marks.of("", stream).get(TAKEN, 0)
        digest = hashlib.sha256(f"{stream} {count} {asked.said}".encode()).hexdigest()
        if self._ask(asked.command, asked.words, command_id=f"bws-{digest[:32]}"):
            carry_out(self._db, asked.taken)
            marks.move("", stream, TAKEN, count + 1)

    def _file_time(self) -> datetime:
        """Files have the time of the wall, without a zone."""
        return self._now().replace(tzinfo=None)


def journal_of(file: Path, computer: str = "") -> Path:
    """Where the journal of a session file is, if nobody says otherwise; a computer that is named has its own.

    >>> journal_of(Path("club/monday.bws")).name, journal_of(Path("monday.bws"), "OFFICE").name
    ('monday.journal', 'monday.OFFICE.journal')
    """
    return file.with_suffix(f".{computer}.journal" if computer else ".journal")


@contextmanager
def open_file_room(
    start: Start,
    *,
    journal: Path | str | None = None,
    computer: str,
    left: Collection[str] = (),
    now: Callable[[], datetime] = wall_clock,
    generation: Generation | None = None,
    evaluates: bool = True,
) -> Iterator[FileRoom]:
    """The control software on the file that it was started with, for the tables of a computer.

    Tables of the computers in `left` are left alone: a control program runs there that is not one of ours.
    """
    file = Path(start.file)
    where = journal or journal_of(file)
    with (
        jet.open(file, "r+") as db,
        present(
            file, computer, str(Path(where).resolve()) if "://" not in str(where) else str(where)
        ) as presence,
        open_house(where) as house,
        FileRoom(
            house,
            db,
            start,
            presence=presence,
            left=left,
            now=now,
            generation=generation,
            evaluates=evaluates,
        ) as room,
    ):
        yield room
