"""Several control computers on one session file, and a session that joins while the others play."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bridge import Outcome, Seat, Side
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Edit, Insert, Update
from overtrick.bws.event_from_file import UnplayableFile
from overtrick.bws.players import LOOKUP_TABLE
from overtrick.bws.scoring_changes import ResetTerminal, SendRounds, changes, correction
from overtrick.bws.scoring_side import create
from overtrick.bws.session_plan import choose_movement, plan_evening
from overtrick.control.device_location import TablePlace
from overtrick.control.entries import write_entry
from overtrick.control.orders import parse_command_line
from overtrick.errors import BadInput
from overtrick.event import OpenEvent, Rejection
from overtrick.event.movement import Round
from overtrick.event.results import EnterResult, Origin, PutResults, ResultEntry
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.settings import NameSource, SettingsII
from overtrick.event.setup import Generation
from overtrick.host import session_file
from overtrick.host.instance_lock import AlreadyRunning
from overtrick.host.runtime import open_runtime
from overtrick.host.session_file import SessionFileControl, journal_of, open_session_file_control
from tests.bws.conftest import do
from tests.bws.files import result
from tests.bws.readings import DEAL
from tests.bws.test_players import lookup_file
from tests.event.evenings import SESSION, entry, plan
from tests.host.players import SEVEN, Players

GUID = "6F9619FF8B86D011B42D00C04FC964FF"
TODAY = date(2026, 3, 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file of three tables: two are CLUB's, the third is OFFICE's."""
    path = tmp_path / "monday.bws"
    event = plan_evening(choose_movement("mitchell", 3, 2), guid=GUID, name="Monday", day=TODAY)
    (planned,) = event.sessions
    quiet = SettingsII(show_results=False, show_next_seating=False)
    create(path, replace(event, sessions=(replace(planned, settings=(("A", quiet),)),)), computer="CLUB")
    do(path, Insert("Clients", {"Computer": "OFFICE"}), give(3, 2))
    return path


def give(table: int, client: int) -> Edit:
    return Update("Tables", {"Section": 1, "Table": table}, {"ComputerID": client})


class Club(Players):
    """A control computer and the terminals that talk to it."""

    def __init__(self, path: Path, computer: str, *words: str, left_to: tuple[str, ...] = ()) -> None:
        super().__init__(GUID)
        start = parse_command_line([f"/f:[{path}]", *words])
        self._opening = open_session_file_control(
            start,
            computer=computer,
            journal=journal_of(path, computer),
            left_to=left_to,
            now=lambda: self.now,
            generation=Generation.II,
            evaluates=False,
        )
        self.control: SessionFileControl = self._opening.__enter__()

    def close(self) -> None:
        self._opening.__exit__(None, None, None)

    def enter(self, table: int, board: int, outcome: str, round: int = 1) -> int | Rejection:
        """Send a result, as a terminal does."""
        entry = ResultEntry("A", table, round, board, Outcome.parse(outcome), self.now)
        return send(self.control, f"{self.now:%H%M%S}-{table}-{board}-{round}", entry)


def send(control: SessionFileControl, identity: str, entry: ResultEntry, guid: str = GUID) -> int | Rejection:
    """Send a result from its table's phone."""
    session = control.session(guid)
    assert session is not None
    incarnation = session.opened.incarnation
    given = write_entry(identity, incarnation, EnterResult(guid, entry, incarnation=incarnation))
    return control.submit(guid, TablePlace(entry.section, entry.table), entry.at, given)


@contextmanager
def clubs(path: Path, *computers: str, **more: tuple[str, ...]) -> Iterator[list[Club]]:
    opened = [Club(path, computer, "/r", **more) for computer in computers]
    try:
        yield opened
    finally:
        for club in opened:
            club.close()


def places(path: Path) -> Counter[tuple[int, int, int, int]]:
    """Return how many rows each board has."""
    return Counter(row.place for row in open_contents(path).results)


def test_each_computer_handles_its_own_tables_and_leaves_the_others_alone(path: Path) -> None:
    with clubs(path, "CLUB", "OFFICE") as (club, office):
        for _ in range(2):
            club.control.tick()
            office.control.tick()
        assert "Tables left to OFFICE, which is running: A3." in club.control.sentences
        assert "Tables left to CLUB, which is running: A1, A2." in office.control.sentences
        club.sit_down(1, 2)
        office.sit_down(3)
        for _ in range(3):
            for table in (1, 2):
                club.play_round(table)
            office.play_round(3)
            club.control.tick()
            office.control.tick()
        contents = open_contents(path)
        assert len(contents.results) == 18
        assert set(places(path).values()) == {1}
        assert {row.log_on_off for row in contents.tables} == {1}
        assert contents.sessions[0].status == 2, "the last one of both says so"
        assert [row.computer for row in contents.tables] == [1, 1, 2]
        assert {place[1] for place in club.played()} == {1, 2}
        refused = club.enter(3, 1, "3NTN=")
        assert isinstance(refused, Rejection)
        assert "A3 is handled by OFFICE" in str(refused)
        # A correction and an instruction are for whoever handles the table.
        place = next(place for place in office.played() if place[1] == 3)
        right = ResultEntry(*place, Outcome.parse("6NTS="), SEVEN.replace(tzinfo=None))
        do(path, correction(contents, right), *changes(contents, [ResetTerminal("A", 3)]))
        club.control.tick()
        assert any(row.external_update for row in open_contents(path).results)
        assert open_contents(path).tables[2].instruction == 998
        office.control.tick()
        assert office.played()[place] == "6NTS="
        assert not any(row.external_update for row in open_contents(path).results)
        assert [row.instruction for row in open_contents(path).tables] == [0, 0, 0]


def test_tables_of_a_computer_that_is_not_running_are_handled_and_given_back(path: Path) -> None:
    with clubs(path, "CLUB") as (club,):
        office = Club(path, "OFFICE", "/r")
        club.control.tick()
        office.control.tick()
        office.enter(3, 5, "2HW-1")
        office.control.tick()
        office.close()
        club.control.sentences.clear()
        club.control.tick()
        assert club.control.sentences == [
            "1 of 3 tables are assigned to another computer or to none; CLUB handles them all."
        ]
        assert club.played() == {("A", 3, 1, 5): "2HW-1"}, "what OFFICE had recorded is known"
        assert not isinstance(club.enter(3, 6, "4SN="), Rejection)
        club.control.tick()
        club.enter(3, 1, "1CN=", round=2)
        # OFFICE comes back; CLUB lets go after it has written what it knows.
        office = Club(path, "OFFICE", "/r")
        office.control.tick()
        assert isinstance(office.enter(3, 2, "1CN=", round=2), Rejection)
        club.control.tick()
        assert isinstance(club.enter(3, 2, "1CN=", round=2), Rejection)
        office.control.tick()
        assert office.played() == {
            ("A", 3, 1, 5): "2HW-1",
            ("A", 3, 1, 6): "4SN=",
            ("A", 3, 2, 1): "1CN=",
        }
        assert not isinstance(office.enter(3, 2, "3DE=", round=2), Rejection)
        office.control.tick()
        office.close()
        assert set(places(path).values()) == {1}
        assert len(places(path)) == 4


def test_journal_of_the_last_handler_of_a_table_wins_over_the_file(path: Path) -> None:
    with clubs(path, "CLUB") as (club,):
        club.enter(3, 5, "2HW-1")
        club.control.tick()
        club.enter(3, 6, "4SN=")
    with clubs(path, "CLUB"):
        assert len(places(path)) == 2, "what the file has missed is written at the next start"
    # Meanwhile OFFICE goes on with it, and ends.
    with clubs(path, "OFFICE") as (office,):
        assert len(office.played()) == 2
        office.enter(3, 1, "1CN=", round=2)
        office.enter(1, 1, "1NTN=")
        office.control.tick()
    with clubs(path, "CLUB") as (club,):
        assert len(club.played()) == 4
    assert set(places(path).values()) == {1}


def test_a_table_that_is_given_to_another_computer_goes_there_with_its_results(path: Path) -> None:
    with clubs(path, "CLUB", "OFFICE") as (club, office):
        club.control.tick()
        office.control.tick()
        club.enter(1, 1, "1NTN=")
        do(path, give(1, 2))
        club.control.tick()
        assert isinstance(club.enter(1, 2, "1NTN="), Rejection)
        office.control.tick()
        assert office.played() == {("A", 1, 1, 1): "1NTN="}
        assert not isinstance(office.enter(1, 2, "2NTN="), Rejection)
        office.control.tick()
        assert len(open_contents(path).results) == 2


def test_tables_of_other_control_software_are_left_alone(path: Path) -> None:
    """OFFICE runs BCS: it writes its rows, and nothing of ours says that it is there."""
    with clubs(path, "CLUB", left_to=("OFFICE",)) as (club,):
        do(path, Insert("ReceivedData", result(0, 3, 1, 5, 3, 6, Contract="3 NT", Result="=")))
        contents = open_contents(path)
        do(path, *changes(contents, [SendRounds("A", 3, 2, (Round(3, 5, (1, 2)),))]))
        club.enter(1, 1, "1NTN=")
        for _ in range(3):
            club.control.tick()
        assert isinstance(club.enter(3, 6, "4SN="), Rejection)
        contents = open_contents(path)
        assert contents.tables[2].instruction == 2
        assert [(row.table, row.board) for row in contents.results] == [(3, 5), (1, 1)]
        # Where the pairs of its tables go is known, though what happens there is not.
        view = club.control.view(GUID)
        assert view is not None
        assert view.session.movement.tables["A", 3].rounds[1:] == (Round(3, 5, (1, 2)),)
        assert club.played() == {("A", 1, 1, 1): "1NTN="}
        do(path, Update("Tables", {"Section": 1, "Table": 3}, {"UpdateFromRound": 0}))


def test_there_is_one_control_program_for_each_computer_and_each_journal(path: Path) -> None:
    with clubs(path, "CLUB"):
        with pytest.raises(AlreadyRunning, match="CLUB already runs the control software on this file"):
            Club(path, "CLUB", "/r")
        start = parse_command_line([f"/f:[{path}]", "/r"])
        with (
            pytest.raises(AlreadyRunning, match="give it a name with --computer"),
            open_session_file_control(start, computer="OFFICE", journal=journal_of(path, "CLUB")),
        ):
            pass
    Club(path, "CLUB", "/r").close()


PLAYS = """
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from overtrick.bridge import Outcome, Seat, Side
from overtrick.control.entries import write_entry
from overtrick.control.orders import parse_command_line
from overtrick.control.device_location import TablePlace
from overtrick.event.results import CorrectResult, EnterResult, Origin, ResultEntry
from overtrick.host.session_file import journal_of, open_session_file_control

path, computer, *tables = sys.argv[1:]
start = parse_command_line([f"/f:[{path}]", "/r"])
journal = journal_of(Path(path), computer)
with open_session_file_control(start, computer=computer, journal=journal, evaluates=False) as control:
    print("ready", flush=True)
    sys.stdin.readline()
    control.tick()
    (guid,) = control.guids
    at = datetime(2026, 3, 2, 20, tzinfo=UTC)
    session = control.session(guid)
    for number in (1, 2, 3):
        for table in map(int, tables):
            for board in session.movement.round("A", table, number).boards:
                for outcome in ("3NTN=", "3NTN+1"):
                    at += timedelta(seconds=1)
                    entry = ResultEntry("A", table, number, board, Outcome.parse(outcome), at)
                    command = EnterResult(guid, entry, incarnation=1)
                    if outcome == "3NTN+1":
                        command = CorrectResult(guid, entry, Origin.TERMINAL, incarnation=1)
                    # Who started first has both computers' tables, and gives them back at its next look.
                    for _ in range(1000):
                        given = write_entry(f"{computer}-{at:%H%M%S}", 1, command)
                        answer = control.submit(guid, TablePlace("A", table), at, given)
                        control.tick()
                        if isinstance(answer, int):
                            break
                        time.sleep(0.01)
                    assert isinstance(answer, int), answer
    control.tick()
"""


def test_two_processes_write_one_file_and_nothing_is_lost_or_doubled(path: Path) -> None:
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", PLAYS, str(path), *words],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for words in (("CLUB", "1", "2"), ("OFFICE", "3"))
    ]
    for program in programs:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in programs:
        program.communicate(timeout=50)
    assert [program.returncode for program in programs] == [0, 0]
    contents = open_contents(path)
    assert len(contents.results) == 18
    assert set(places(path).values()) == {1}
    assert {row.result for row in contents.results} == {"+1"}
    assert len({row.id for row in contents.results}) == 18
    assert contents.sessions[0].status == 2
    assert [row.computer for row in contents.clients] == ["CLUB", "OFFICE"]


def test_results_of_the_desks_phones_reach_the_file_on_a_shared_journal(path: Path, tmp_path: Path) -> None:
    journal = tmp_path / "overtrick.journal"
    with open_runtime(journal) as desk:
        desk.do(OpenEvent(SESSION, (plan(),)))  # an evening of before, which is not the file's
        start = parse_command_line([f"/f:[{path}]", "/s", "/r"])
        with open_session_file_control(start, computer="CLUB", journal=journal, evaluates=False) as control:
            control.begin()
            entered = ResultEntry("A", 2, 1, 3, Outcome.parse("4SN="), datetime(2026, 3, 2, 20, tzinfo=UTC))
            answer = desk.do(EnterResult(GUID, entered), actor="terminal A2")
            assert not isinstance(answer, Rejection), str(answer)
            assert not isinstance(desk.do(EnterResult(SESSION, entry(1, 1, 1, "3NTE="))), Rejection)
            control.tick()
        (row,) = open_contents(path).results
        assert (row.table, row.board, row.contract) == (2, 3, "4 S")


def test_a_session_that_is_new_in_the_file_joins_when_its_tables_are_flagged(path: Path) -> None:
    with clubs(path, "CLUB") as (club,):
        club.control.tick()
        contents = open_contents(path)
        # The first session again under other letters, as a scoring program adds one; and no guid, which BCS would add.
        section = {"ID": 2, "Letter": "B", "Tables": 2, "Session": 2, "ScoringType": 1, "Winners": 2}
        rounds = [row for row in contents.rounds if row.table < 3]
        do(
            path,
            Insert("Session", {"ID": 2, "Name": "Beginners"}),
            Insert("Section", section),
            *(
                Insert(
                    "RoundData",
                    {
                        "Section": 2,
                        "Table": row.table,
                        "Round": row.round,
                        "NSPair": row.ns,
                        "EWPair": row.ew,
                        "LowBoard": row.low,
                        "HighBoard": row.high,
                    },
                )
                for row in rounds
            ),
            *(Insert("Tables", {"Section": 2, "Table": table, "ComputerID": 1}) for table in (1, 2)),
        )
        club.control.tick()
        assert club.control.guids == (GUID,), "rows that nobody flags are nothing"
        do(path, Update("Tables", {"Section": 2, "Table": 1}, {"UpdateFromRound": 257}))
        club.control.tick()
        after = open_contents(path)
        assert [row.instruction for row in after.tables] == [0, 0, 0, 0, 0]
        assert after.sessions[1].guid
        assert after.sessions[1].day is not None
        second = club.control.guids[-1]
        assert second != GUID
        view = club.control.view(second)
        assert view is not None
        assert view.session.opened.name == "Beginners"
        assert set(view.session.movement.tables) == {("B", 1)}, "the other table waits for its flag"
        assert view.session.movement.tables["B", 1].is_waiting
        do(path, Update("Tables", {"Section": 2, "Table": 2}, {"UpdateFromRound": 1}))
        club.control.tick()
        view = club.control.view(second)
        assert view is not None
        assert len(view.session.movement.tables["B", 2].rounds) == 3
        entry = ResultEntry(
            "B", 2, 1, view.session.movement.tables["B", 2].rounds[0].boards[0], _OUTCOME, club.now
        )
        assert isinstance(send(club.control, "entry-b2", entry, second), int)
        club.control.tick()
        assert [(row.section, row.table) for row in open_contents(path).results] == [(2, 2)]
    with clubs(path, "CLUB") as (club,):
        assert len(club.control.guids) == 2
        assert club.control.sessions()[second].results.standing


def test_session_added_while_control_was_down_joins_at_the_next_start(path: Path) -> None:
    with clubs(path, "CLUB") as (club,):
        club.enter(1, 1, "1NTN=")
    do(
        path,
        Insert("Session", {"ID": 2, "Name": "Beginners"}),
        Insert("Section", {"ID": 2, "Letter": "B", "Tables": 1, "Session": 2, "Winners": 1}),
        Insert(
            "RoundData",
            {"Section": 2, "Table": 1, "Round": 1, "NSPair": 1, "EWPair": 2, "LowBoard": 1, "HighBoard": 2},
        ),
        Insert("Tables", {"Section": 2, "Table": 1, "ComputerID": 1}),
    )
    with clubs(path, "CLUB") as (club,):
        assert len(club.control.guids) == 2
        assert club.played() == {("A", 1, 1, 1): "1NTN="}, "the other session goes on where it was"
        assert club.control.sessions()[GUID].opened.incarnation == 1


def test_a_section_that_is_new_in_the_file_joins_its_session_when_flagged(path: Path) -> None:
    with clubs(path, "CLUB") as (club,):
        club.control.tick()
        session = open_contents(path).sessions[0].id
        do(
            path,
            Insert("Section", {"ID": 7, "Letter": "C", "Tables": 1, "Session": session, "Winners": 1}),
            Insert(
                "RoundData",
                {
                    "Section": 7,
                    "Table": 4,
                    "Round": 1,
                    "NSPair": 71,
                    "EWPair": 72,
                    "LowBoard": 1,
                    "HighBoard": 2,
                },
            ),
            Insert("Tables", {"Section": 7, "Table": 4, "ComputerID": 1}),
        )
        club.control.tick()
        assert "C" not in club.control.sessions()[GUID].setup.sections
        do(path, Update("Tables", {"Section": 7, "Table": 4}, {"UpdateFromRound": 1}))
        club.control.tick()
        assert club.control.sessions()[GUID].movement.tables["C", 4].rounds == (Round(71, 72, (1, 2)),)


def test_instruction_executed_before_a_crash_is_not_executed_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with clubs(path, "CLUB") as (club,):
        club.control.tick()
        do(path, *changes(open_contents(path), [SendRounds("A", 1, 1, (Round(1, 4, (1, 2)),))]))
        with monkeypatch.context() as broken:
            broken.setattr(session_file, "carry_out", _killed)
            with pytest.raises(KeyboardInterrupt):
                club.control.tick()
        # The rounds are known and the flag is still there; the table plays on, and then the program starts again.
        club.enter(1, 1, "3NTN=")
    with clubs(path, "CLUB") as (club,):
        club.control.tick()
        assert open_contents(path).tables[0].instruction == 0
        assert club.played() == {("A", 1, 1, 1): "3NTN="}
        # The same instruction once more is another one, and erases what was played.
        do(path, *changes(open_contents(path), [SendRounds("A", 1, 1, (Round(1, 4, (1, 2)),))]))
        club.control.tick()
        assert club.played() == {}


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


_OUTCOME = Outcome.parse("3NTN=")


def test_an_error_while_deciding_whether_a_shared_session_is_finished_is_made_up_for(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with clubs(path, "CLUB", "OFFICE") as (club, office):
        for each in (club, office, club, office):
            each.control.tick()
        for each, tables in ((office, (3,)), (club, (1, 2))):
            each.sit_down(*tables)
            for _ in range(3):
                for table in tables:
                    each.play_round(table)
        office.control.tick()
        with monkeypatch.context() as broken:
            broken.setattr(SessionFileControl, "_played_elsewhere", _unreadable)
            assert not club.control.tick()
            assert open_contents(path).sessions[0].status == 1
            assert any("cannot be read now" in sentence for sentence in club.control.sentences)
        club.control.tick()
        assert open_contents(path).sessions[0].status == 2


def _unreadable(*_: object) -> object:
    raise jet.AccessFileError("It cannot be read now.", where="monday.bws")


def seat_numbers(club: Club, *numbers: str) -> None:
    """Enter the numbers of table 1's players, as its phone does."""
    given = tuple(Participation("A", 1, seat, number) for seat, number in zip(Seat, numbers, strict=False))
    command = PutParticipations(GUID, given, Source.TERMINAL, must_be_known=False)
    club.pass_time()
    club.phone(1).send(command)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (NameSource.SESSION, ["Loaded", "", "", ""]),
        (NameSource.LOOKUP_FILE, ["Ely Culbertson", "Jo Dillon", "", ""]),
        (NameSource.NONE, ["", "", "", ""]),
        (NameSource.SESSION_THEN_LOOKUP_FILE, ["Loaded", "Jo Dillon", "", ""]),
    ],
    ids=["0", "1", "2", "3"],
)
def test_names_of_entered_numbers_reach_phone_and_file_from_the_name_source(
    path: Path, source: NameSource, names: list[str]
) -> None:
    lookup_file(path.parent / "bmplayerdb.mdb", LOOKUP_TABLE)
    do(
        path,
        Update(
            "Settings",
            {"Section": 1},
            {"BM2NameSource": list(NameSource).index(source), "MemberNumbers": True},
        ),
        Insert("PlayerNames", {"ID": 12, "Name": "Loaded"}),
    )
    with clubs(path, "CLUB") as (club,):
        club.sit_down(1)
        seat_numbers(club, "0012", "7", "99", "4")
        club.control.tick()
        club.control.tick()
        snapshot = club.control.snapshot(GUID, "A", 1)
        assert snapshot is not None
        shown = {sitting.seat: sitting.name for sitting in snapshot.players if sitting.round == 1}
        assert [shown[seat] for seat in Seat] == names
        rows = {row.direction: row.name for row in open_contents(path).player_numbers if row.table == 1}
        assert [rows[seat.value] for seat in Seat] == names


def test_numbers_entered_in_every_round_are_a_row_for_each_round_and_seat(path: Path) -> None:
    do(path, Update("Settings", {"Section": 1}, {"MemberNumbers": True, "BM2NumberEntryEachRound": True}))
    with clubs(path, "CLUB") as (club,):
        club.sit_down(1)
        for number in (1, 2, 3):
            given = tuple(Participation("A", 1, seat, f"1{seat.index}", round=number) for seat in Seat)
            command = PutParticipations(GUID, given, Source.TERMINAL, must_be_known=False)
            assert not isinstance(club.control.runtime.do(command, side="control", actor="phone"), Rejection)
            club.control.tick()
        rows = [row for row in open_contents(path).player_numbers if row.table == 1 and row.number]
        assert sorted((max(row.round, 1), row.direction, row.number) for row in rows) == sorted(
            (number, seat.value, f"1{seat.index}") for number in (1, 2, 3) for seat in Seat
        )


def test_missing_lookup_file_is_reported_once(path: Path) -> None:
    do(path, Update("Settings", {"Section": 1}, {"BM2NameSource": 1, "MemberNumbers": True}))
    with clubs(path, "CLUB") as (club,):
        club.sit_down(1)
        seat_numbers(club, "0012")
        for _ in range(3):
            club.control.tick()
        assert sum("BMPlayerDB.mdb" in sentence for sentence in club.control.sentences) == 1


def test_name_that_the_scoring_program_adds_to_a_number_reaches_the_phone(path: Path) -> None:
    """The fourth way of the guide; the number was in the file at the start."""
    do(
        path,
        Update("Settings", {"Section": 1}, {"BM2NameSource": 2}),
        Update("PlayerNumbers", {"Section": 1, "Table": 1, "Direction": "N"}, {"Number": "12"}),
    )
    with clubs(path, "CLUB") as (club,):
        key = {"Section": 1, "Table": 1, "Direction": "N"}
        do(path, Update("PlayerNumbers", key, {"Name": "Ely", "Updated": True}))
        club.control.tick()
        snapshot = club.control.snapshot(GUID, "A", 1)
        assert snapshot is not None
        assert {sitting.name for sitting in snapshot.players if sitting.seat is Seat.NORTH} == {"Ely"}


def test_reset_erases_results_of_the_start_before_also_without_its_journal(path: Path) -> None:
    for board, has_journal in ((1, True), (2, False), (3, False)):
        club = Club(path, "CLUB", "/s", "/r")
        club.now = SEVEN.replace(minute=10 * board)
        club.control.tick()
        assert club.played() == {}
        assert all(row.erased for row in open_contents(path).results)
        club.enter(1, 1, "1NTN=")
        club.control.tick()
        assert [row.erased for row in open_contents(path).results] == [True] * (board - 1) + [False]
        club.close()
        for file in path.parent.glob("*.journal*") if not has_journal else ():
            file.unlink()


def test_file_with_custom_boards_out_of_order_is_not_started(path: Path) -> None:
    do(path, Update("RoundData", {"Section": 1, "Table": 1, "Round": 1}, {"CustomBoards": "2,1"}))
    with pytest.raises(
        UnplayableFile, match=r"table 1, round 1: .2,1. are not board numbers in ascending order\.$"
    ):
        Club(path, "CLUB", "/s", "/r")


def test_parameters_without_meaning_are_reported_in_one_line_each(path: Path) -> None:
    club = Club(path, "CLUB", "/m", "/pi", "/t2")
    said = [sentence for sentence in club.control.sentences if sentence.startswith("/")]
    assert [sentence.split()[0] for sentence in said] == ["/m", "/pi", "/t2"]
    club.close()


def test_hand_records_are_taken_for_the_sections_of_the_parameter(path: Path) -> None:
    do(path, Insert("HandRecord", {"Section": 1, "Board": 1, **DEAL}))
    do(path, Insert("Section", {"ID": 2, "Letter": "B", "Tables": 0, "Session": 1, "ScoringType": 1}))
    for sections, boards in (("1", [1]), ("2", []), ("1,2", [1])):
        club = Club(path, "CLUB", "/s", f"/h:[{sections}]")
        session = club.control.session(GUID)
        assert session is not None
        assert [board for _, board in session.hands.records] == boards
        club.close()
    with pytest.raises(BadInput, match="/h names section 7, which is not in the file"):
        Club(path, "CLUB", "/s", "/h:[1,7]")


def test_weighted_ruling_is_an_arbitral_score_in_the_file_and_reported(path: Path) -> None:
    with clubs(path, "CLUB") as (club,):
        ruled = tuple(
            ResultEntry("A", 1, 1, board, Outcome.parse(outcome), club.now)
            for board, outcome in ((1, "60 % of 4SN=, 40 % of 4SN-1"), (2, "Arbitral"))
        )
        given = PutResults(GUID, ruled, Origin.DESK)
        assert not isinstance(club.control.runtime.do(given, side="control", actor="desk"), Rejection)
        for _ in range(2):
            club.control.tick()
        assert [row.remarks for row in open_contents(path).results] == ["Arbitral score"] * 2
        assert [sentence for sentence in club.control.sentences if "arbitral" in sentence] == [
            "A1/1/1: the result is 60 % of 4SN=, 40 % of 4SN-1. The session file cannot say that; it has an arbitral "
            "score, to be scored by hand."
        ]


def test_ruling_that_differs_for_the_sides_is_an_arbitral_score_in_the_file_and_reported(path: Path) -> None:
    with clubs(path, "CLUB") as (club,):
        both = tuple(
            ResultEntry("A", 1, 1, 1, Outcome.parse(outcome), club.now, side)
            for side, outcome in ((Side.NS, "4SN="), (Side.EW, "4SN-1"))
        )
        ruled = PutResults(GUID, both, Origin.DESK)
        assert not isinstance(club.control.runtime.do(ruled, side="control", actor="desk"), Rejection)
        for _ in range(2):
            club.control.tick()
        (row,) = open_contents(path).results
        assert (row.contract, row.remarks) == ("", "Arbitral score")
        assert [sentence for sentence in club.control.sentences if sentence.startswith("A1/1/1")] == [
            "A1/1/1: North-South has 4SN=, East-West 4SN-1. The session file cannot hold both. It has an arbitral "
            "score, to be scored by hand."
        ]
