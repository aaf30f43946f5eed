"""Defects of the control software on a `.bws` file, one test for each: kills, restarts, and two programs at once."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from overtrick import jet
from overtrick.bmpftp.folder import Folder
from overtrick.bmpftp.transfer import Transfer
from overtrick.bridge import Outcome, Seat
from overtrick.bws.contents import open_contents
from overtrick.bws.control_side import adopt
from overtrick.bws.hands import deal_values
from overtrick.bws.row_history import RowHistory
from overtrick.event import Command, OpenEvent
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.instructions import ClearInstructions
from overtrick.event.movement import Round
from overtrick.event.recording import RecordCall
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    Origin,
    ResultEntry,
    ResultRecorded,
)
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.tables import LogOff, LogOn
from overtrick.host.bmpftp import ControlProgram, ProgramRequest, TransferProgram
from overtrick.host.runtime import open_runtime
from overtrick.host.session_file import SessionFileControl, journal_of
from overtrick.store import JournalEntry
from overtrick.store.errors import JournalUnavailable
from tests.bmpftp.conftest import example
from tests.bmpftp.folders import evening as bmpftp_evening
from tests.event.evenings import SESSION, plan
from tests.host.file_story import GUID, Evening, Snapshot, evening, make_file, scored_row
from tests.host.players import SEVEN
from tests.host.scoring_program import deal
from tests.host.step_points import Killed, has_read_rows

TABLES = (1, 2, 3)


def rounds_of(club: Evening, table: int, section: str = "A") -> tuple[Round, ...]:
    session = club.session
    assert session is not None
    return session.movement.tables[section, table].rounds


def first_board(club: Evening, table: int) -> int:
    return int(rounds_of(club, table)[0].boards[0])


def kill_points(club: Evening) -> Iterator[int]:
    """Return the durable points of the last pass, for the passes that follow."""
    points = club.durable_points()
    assert len(points) > 2, club.steps.names
    return iter(points)


# A journal that cannot be read for a moment ----------------------------------------------------------------


def test_rows_of_an_earlier_start_are_complete_after_reading_it_was_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_runtime(tmp_path / "evening.journal") as runtime:
        runtime.do(OpenEvent(SESSION, (plan(),)))
        for board in (1, 2):
            runtime.do(EnterResult(SESSION, ResultEntry("A", 1, 1, board, Outcome.parse("3NTN="), SEVEN)))
        runtime.do(OpenEvent(SESSION, (plan(),)))
        read = runtime.journal.read

        def cut_off(stream: str, after: int = 0) -> Iterator[JournalEntry]:
            for entry in read(stream, after):
                if isinstance(entry.fact, ResultRecorded) and entry.fact.board == 2:
                    raise JournalUnavailable("The journal cannot be read now.")
                yield entry

        control: Any = SimpleNamespace(runtime=runtime, _histories={})
        with monkeypatch.context() as fault:
            fault.setattr(runtime.journal, "read", cut_off)
            with pytest.raises(JournalUnavailable):
                SessionFileControl._history(control, SESSION)
        assert set(SessionFileControl._history(control, SESSION).results) == {("A", 1, 1, 1), ("A", 1, 1, 2)}


# Status, which nobody has to be there for -------------------------------------------------------------------


@pytest.mark.parametrize("ends", ["is stopped", "is killed"])
def test_session_is_finished_in_the_file_when_the_last_results_came_while_control_was_down(
    tmp_path: Path, ends: str
) -> None:
    with evening(tmp_path) as club:
        club.settle()
        if ends == "is stopped":
            club.stop()
        else:
            club.kill()
        club.enter_all()
        club.settle()
        assert club.status() == 2


def test_session_is_started_in_the_file_when_the_first_result_came_while_control_was_down(
    tmp_path: Path,
) -> None:
    with evening(tmp_path) as club:
        club.settle()
        club.kill()
        club.enter(1, 1, 1, "4SN=")
        club.settle()
        assert club.status() == 1


@pytest.mark.parametrize("status", [0, 1])
def test_file_that_other_software_has_filled_to_the_end_is_finished_after_the_first_start(
    tmp_path: Path, status: int
) -> None:
    with evening(tmp_path) as club:
        for row in club.scoring.rows("RoundData"):
            boards = range(row["LowBoard"], row["HighBoard"] + 1)
            club.scoring.insert("ReceivedData", *(scored_row(row, board) for board in boards))
        club.scoring.update("Session", {"Status": status})
        club.settle()
        assert len(club.standing()) == 18
        assert club.status() == 2


def test_read_error_while_judging_a_shared_file_as_finished_does_not_leave_it_unfinished(
    tmp_path: Path,
) -> None:
    def fail() -> None:
        raise jet.AccessFileError("The file cannot be read.")

    tried, points = 0, [-1]
    while points:
        folder = tmp_path / str(tried)
        folder.mkdir()
        path = shared_file(folder)
        with (
            Evening(path, journal=journal_of(path, "CLUB")) as club,
            Evening(path, computer="OFFICE", journal=journal_of(path, "OFFICE")) as office,
        ):
            for each in (club, office, club, office):
                each.settle()
            enter_at(office, 3)
            office.settle()
            enter_at(club, 1, 2)
            at = points.pop(0)
            if at < 0:
                club.run()
                points += [n for n, name in enumerate(club.steps.names) if name == "before reading the file"]
                assert points
            else:
                club.run((at, fail))
            club.settle()
            office.settle()
            assert club.status() == 2, f"after an error at point {at}"
        tried += 1


def shared_file(folder: Path) -> Path:
    """Make a file whose third table is OFFICE's."""
    path = make_file(folder)
    with jet.open(path, "r+") as db:
        db["Clients"].insert({"Computer": "OFFICE"})
        for row in db["Tables"].rows():
            if row["Table"] == 3:
                db["Tables"].update(row, {"ComputerID": 2})
    return path


def enter_at(club: Evening, *tables: int) -> None:
    """Enter what is missing at these tables."""
    for table in tables:
        for number, played in enumerate(rounds_of(club, table), start=1):
            for board in played.boards:
                if ("A", table, number, board) not in club.standing():
                    club.enter(table, number, board, "4SN=")


# Instructions are carried out once --------------------------------------------------------------------------


def test_results_entered_after_an_instruction_was_carried_out_survive_a_kill_between_two_flags(
    tmp_path: Path,
) -> None:
    """Three tables get their rounds anew; wherever control is killed, what is entered afterwards stands."""
    with evening(tmp_path) as club:
        club.settle()
        points: Iterator[int] | None = None
        while True:
            for table in TABLES:
                club.enter(table, 1, first_board(club, table), "4SN=")
            club.settle()
            for table in TABLES:
                club.scoring.do("send_rounds", table - 1)
            if points is None:
                club.run()
                points = kill_points(club)
            elif (at := next(points, None)) is None:
                break
            else:
                club.run(kill_at=at)
            done = [table for table in TABLES if not standing_at(club, table)]
            for table in done:
                for board in rounds_of(club, table)[0].boards:
                    assert isinstance(club.enter(table, 1, board, "3NTE-1"), int)
            club.settle()
            assert club.flags() == {}
            lost = [table for table in done if len(standing_at(club, table)) < 2]
            assert not lost, f"after a kill {club.steps.names[-1:]}, results of tables {lost} are gone"
            assert not any(standing_at(club, table) for table in TABLES if table not in done)
            while club.standing():
                club.phone("erase")
            club.settle()


def test_instruction_that_may_have_been_repeated_while_control_was_down_loses_to_results_and_is_reported(
    tmp_path: Path,
) -> None:
    with evening(tmp_path) as club:
        club.settle()
        club.scoring.do("send_rounds")
        club.run()
        met = 0
        for at in kill_points(club):
            club.enter(1, 1, first_board(club, 1), "4SN=")
            club.settle()
            club.scoring.do("send_rounds")
            club.run(kill_at=at)
            if standing_at(club, 1) or not club.flags():
                club.settle()
                continue
            # It was carried out, and its flag is still there; now it may be the next one.
            met += 1
            club.enter(1, 1, first_board(club, 1), "3NTE-1")
            club.sentences.clear()
            club.settle()
            assert standing_at(club, 1) == ["3NTE-1"]
            assert club.flags() == {}
            assert any("A1" in sentence for sentence in club.sentences), "the director is told"
            club.scoring.do("send_rounds")
            club.settle()
            assert standing_at(club, 1) == [], "sent once more it is carried out"
        assert met


def test_instruction_repeated_while_control_starts_again_is_carried_out_if_its_flag_was_gone_at_the_start(
    tmp_path: Path,
) -> None:
    """Control was killed after it had cleared the flag and before the journal said so."""
    with evening(tmp_path) as club:
        club.settle()
        kill_between_clearing_a_flag_and_its_record(club)
        club.run()
        names = club.steps.names
        first = next(n for n in range(len(names)) if has_read_rows(names[: n + 1]))
        later = [n for n, name in enumerate(names) if n > first and name == "after writing to the file"]
        assert len(later) > 2
        for at in (0, first, *later):
            kill_between_clearing_a_flag_and_its_record(club)
            club.enter(1, 1, first_board(club, 1), "3NTE-1")
            club.sentences.clear()
            club.run((at, lambda: club.scoring.do("send_rounds")))
            club.run()
            assert club.flags() == {}
            if at:
                assert standing_at(club, 1) == [], f"lost at point {at}, {names[at]}"
            else:
                assert standing_at(club, 1) == ["3NTE-1"], "it may be the instruction that was carried out"
                assert any("A1" in sentence for sentence in club.sentences), "the director is told"
                club.phone("erase")


def kill_between_clearing_a_flag_and_its_record(club: Evening) -> None:
    """Let table 1 get its rounds anew, with a kill when its flag is cleared and the journal does not say so yet."""
    club.scoring.do("send_rounds")
    club.look()

    def flag_is_cleared(before: Snapshot, after: Snapshot) -> None:
        if before["Tables"][1, 1]["UpdateFromRound"] and not after["Tables"][1, 1]["UpdateFromRound"]:
            club.steps.die()
            raise Killed

    club.on_control_write = flag_is_cleared
    assert not club.run()
    club.on_control_write = lambda before, after: None
    session = club.session
    assert session is not None
    assert set(session.instructions.taken) == {"Tables 1/1"}
    assert club.flags() == {}
    assert standing_at(club, 1) == []


def test_instruction_repeated_while_the_journal_is_out_of_reach_is_carried_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flag was cleared, and the journal could not record that: the same flag is a new instruction all the same."""
    with evening(tmp_path) as club:
        club.settle()
        club.enter(1, 1, first_board(club, 1), "4SN=")
        club.settle()
        club.scoring.do("send_rounds")
        ask = SessionFileControl._execute_or_report

        def fail_to_record(control: SessionFileControl, command: Command, *more: Any) -> bool:
            if isinstance(command, ClearInstructions):
                raise JournalUnavailable("The journal cannot be written now.")
            return ask(control, command, *more)

        with monkeypatch.context() as fault:
            fault.setattr(SessionFileControl, "_execute_or_report", fail_to_record)
            club.run()
            assert club.flags() == {}
            assert standing_at(club, 1) == []
            club.enter(1, 1, first_board(club, 1), "3NTE-1")
            club.scoring.do("send_rounds")
            club.run()
            assert club.flags() == {(1, 1): 1}
        club.settle()
        assert club.flags() == {}
        assert standing_at(club, 1) == []


def test_name_that_may_have_been_sent_again_while_control_was_down_loses_to_the_player_who_sat_down_since(
    tmp_path: Path,
) -> None:
    with evening(tmp_path) as club:
        club.settle()
        north = Participation("A", 1, Seat.NORTH, "17")
        club.tell(PutParticipations(GUID, (north,), Source.TERMINAL, must_be_known=False))
        club.settle()
        club.scoring.do("name_player", 1, 1)
        club.run()
        at = club.steps.names.index("after a transaction of the journal")
        club.scoring.do("name_player", 1, 2)
        club.run(kill_at=at)
        other = Participation("A", 1, Seat.NORTH, "18", first_name="Somebody", last_name="Else")
        club.tell(PutParticipations(GUID, (other,), Source.TERMINAL, must_be_known=False))
        club.sentences.clear()
        club.settle()
        rows = [row for row in club.rows("PlayerNumbers") if row["Number"]]
        assert [(row["Number"], row["Updated"]) for row in rows] == [("18", False)]
        assert any("name of N" in sentence for sentence in club.sentences), "the director is told"


def test_instruction_taken_before_a_kill_is_not_repeated_because_another_table_was_added(
    tmp_path: Path,
) -> None:
    """The number of tables in Section changes, which the instruction was not about."""
    with evening(tmp_path) as club:
        club.settle()
        club.scoring.do("send_rounds")
        club.run()
        for at in kill_points(club):
            club.scoring.do("send_rounds")
            club.run(kill_at=at)
            is_taken = len(rounds_of(club, 1)) == 3 and club.flags() == {(1, 1): 1}
            kept = club.enter(1, 1, first_board(club, 1), "3NTE-1")
            count = len(club.rows("Tables"))
            club.scoring.update("Section", {"Tables": 4 if count == 3 else count})
            facts = [entry.fact.kind for entry in club.facts()]
            club.settle()
            if is_taken and "instruction-taken" in facts and isinstance(kept, int):
                taken = facts.count("instruction-taken")
                cleared = facts.count("instruction-cleared")
                assert bool(standing_at(club, 1)) is (taken > cleared), f"killed {at}"
            club.scoring.update("Section", {"Tables": 3})
            while club.standing():
                club.phone("erase")
            club.settle()


def standing_at(club: Evening, table: int) -> list[str]:
    return [outcome for place, outcome in club.standing().items() if place[1] == table]


def test_first_start_on_a_file_with_results_killed_at_any_point_imports_them_later(tmp_path: Path) -> None:
    tried = 0
    points: list[int] = []
    while not tried or points:
        folder = tmp_path / str(tried)
        folder.mkdir()
        with evening(folder, "scored") as club:
            if tried:
                club.run(kill_at=points.pop(0))
            else:
                club.run()
                points = club.durable_points()
            killed_at = club.steps.names[-1]
            club.settle()
            assert len(club.rows("ReceivedData")) == 3
            assert len(club.standing()) == 3, f"killed {killed_at}"
        tried += 1
    assert tried > 5


def test_instruction_written_between_any_two_steps_of_a_pass_is_carried_out(tmp_path: Path) -> None:
    """A pass that writes to the file itself must not take the scoring program's writes for its own."""
    with evening(tmp_path) as club:
        club.settle()
        for at in range(1000):
            at_table = ("A", 1, club.pass_time())
            club.tell(LogOff(GUID, *at_table) if at % 2 else LogOn(GUID, *at_table[:2], "phone", at_table[2]))
            club.run((at, lambda: club.scoring.do("reset", 1)))
            points = len(club.steps.names)
            for _ in range(3):
                club.run()
            session = club.session
            assert session is not None
            assert club.flags() == {}, f"overlooked at point {at}"
            assert session.tables.resets == {("A", 2): at + 1}
            if at > points:
                break
        assert 10 < at < 999


def test_swiss_round_sent_table_by_table_during_one_pass_reaches_every_table(tmp_path: Path) -> None:
    with evening(tmp_path, "swiss") as club:
        club.settle()
        for spread in range(1, 15):
            club.peer("add_round", 0, 1)
            club.peer("")
            club.run(*((spread * turn, lambda: club.peer("")) for turn in (1, 2)))
            for _ in range(3):
                club.run()
            assert not club.scoring.is_busy
            assert club.flags() == {}, f"with {spread} steps between two flags"
            assert {len(rounds_of(club, table)) for table in TABLES} == {2}
            for table in TABLES:
                club.scoring.do("remove_rounds", table - 1)
            club.settle()


def test_correction_sent_again_after_a_kill_at_any_point_counts_again(tmp_path: Path) -> None:
    """The scoring program corrects to 3NT-1, a table to 4S=, and the scoring program to 3NT-1 again."""
    with evening(tmp_path) as club:
        club.settle()
        place = ("A", 1, 1, first_board(club, 1))
        club.enter(*place[1:], "4SN=")
        club.settle()
        points: Iterator[int] | None = None
        while True:
            club.scoring.do("correct", 0, 1)
            if points is None:
                club.run()
                points = kill_points(club)
            elif (at := next(points, None)) is None:
                break
            else:
                club.run(kill_at=at)
            killed = club.steps.names[-1]
            club.settle()
            assert club.standing()[place] == "3NTE-1"
            back = ResultEntry(*place, Outcome.parse("4SN="), club.pass_time())
            assert isinstance(club.tell(CorrectResult(GUID, back, Origin.TERMINAL)), int)
            club.settle()
            assert club.live_rows()[1, *place[1:]] == ("4 S", "=")
            club.scoring.do("correct", 0, 1)
            club.settle()
            assert club.standing()[place] == "3NTE-1", f"swallowed after a kill {killed}"
            assert not club.rows("ReceivedData")[0]["ExternalUpdate"]
            back = ResultEntry(*place, Outcome.parse("4SN="), club.pass_time())
            club.tell(CorrectResult(GUID, back, Origin.TERMINAL))
            club.settle()


def test_result_of_another_computer_survives_a_kill_of_the_one_that_takes_its_tables_back(
    tmp_path: Path,
) -> None:
    path = shared_file(tmp_path)
    with (
        Evening(path, journal=journal_of(path, "CLUB")) as club,
        Evening(path, computer="OFFICE", journal=journal_of(path, "OFFICE")) as office,
    ):
        club.settle()
        club.stop()
        places = [
            ("A", 1, number, board)
            for number, played in enumerate(rounds_of(club, 1), start=1)
            for board in played.boards
        ]
        points: list[int] | None = None
        for turn in range(40):
            place = places[turn % len(places)]
            office.settle()
            if place in office.standing():
                office.phone("erase", sorted(office.standing()).index(place))
            outcome = "4SN=" if turn // len(places) % 2 else "3NTE-1"
            assert isinstance(office.enter(*place[1:], outcome), int)
            office.settle()
            office.stop()
            if points is None:
                club.run()
                points = club.durable_points()
            elif points:
                club.run(kill_at=points.pop(0))
            else:
                break
            killed = club.steps.names[-1]
            club.settle()
            assert club.standing().get(place) == outcome, f"lost after a kill {killed}"
            assert club.live_rows().keys() == {(1, *place[1:]) for place in club.standing()}
            club.stop()
        assert points == []


@pytest.mark.parametrize("is_asked", [False, True])
def test_erased_row_at_a_table_that_is_ours_now_is_another_computers_unless_its_flag_is_raised(
    tmp_path: Path, is_asked: bool
) -> None:
    with evening(tmp_path) as club:
        club.settle()
        club.enter(3, 1, first_board(club, 3), "4SN=")
        club.settle()
        club.stop()
        with jet.open(club.path, "r+") as db:
            (result,) = db["ReceivedData"].rows()
            db["ReceivedData"].update(result, {"Erased": True, "ExternalUpdate": is_asked})
        history = RowHistory()
        for entry in club.facts():
            history.apply(entry.fact, entry.at.astimezone(), from_file=False)
        assert club.session is not None
        contents = open_contents(club.path)
        spots = {(row.section, row.table) for row in contents.tables}
        commands = list(adopt(contents, club.session, history, spots))
        assert any(isinstance(command, EraseResult) for command in commands) is not is_asked


# A bad one does not stand in the way ------------------------------------------------------------------------


def test_bad_instruction_is_left_and_reported_and_the_good_one_beside_it_is_done(tmp_path: Path) -> None:
    with evening(tmp_path) as club:
        club.settle()
        other = rounds_of(club, 2)[2].ns
        club.scoring.update("RoundData", {"NSPair": other}, Section=1, Table=1, Round=3)
        club.scoring.update("RoundData", {"LowBoard": 11, "HighBoard": 12}, Section=1, Table=3, Round=3)
        club.scoring.instruct(1, 1, 3)
        club.scoring.instruct(1, 3, 3)
        club.settle()
        assert club.flags() == {(1, 1): 3}
        assert rounds_of(club, 3)[2].boards == (11, 12)
        assert rounds_of(club, 1)[2].ns == 1
        assert any("sits twice" in sentence for sentence in club.sentences)
        club.scoring.update("RoundData", {"NSPair": 1}, Section=1, Table=1, Round=3)
        club.settle()
        assert club.flags() == {}


def test_tables_that_exchange_pairs_with_a_bad_one_are_left_with_it(tmp_path: Path) -> None:
    with evening(tmp_path, "two sections") as club:
        club.settle()
        first, second = (rounds_of(club, table)[2] for table in (1, 2))
        # Tables A1 and A2 exchange their North-South pairs, but the East-West pair of A2 is to sit at A1 as well.
        wrong = {"NSPair": second.ns, "EWPair": second.ew}
        club.scoring.update("RoundData", wrong, Section=1, Table=1, Round=3)
        club.scoring.update("RoundData", {"NSPair": first.ns}, Section=1, Table=2, Round=3)
        club.scoring.update("RoundData", {"LowBoard": 11, "HighBoard": 12}, Section=2, Table=1, Round=3)
        for section, table in ((1, 1), (1, 2), (2, 1)):
            club.scoring.instruct(section, table, 3)
        club.settle()
        assert club.flags() == {(1, 1): 3, (1, 2): 3}
        assert [rounds_of(club, table)[2] for table in (1, 2)] == [first, second]
        assert rounds_of(club, 1, "B")[2].boards == (11, 12)
        assert any("sits twice" in sentence for sentence in club.sentences)
        club.scoring.update("RoundData", {"EWPair": first.ew}, Section=1, Table=1, Round=3)
        club.settle()
        assert club.flags() == {}
        assert [rounds_of(club, table)[2].ns for table in (1, 2)] == [second.ns, first.ns]


@pytest.mark.parametrize("goes_on", ["in one run", "after a restart"])
def test_row_of_a_withdrawn_nonsense_correction_shows_what_the_table_entered_meanwhile(
    tmp_path: Path, goes_on: str
) -> None:
    with evening(tmp_path) as club:
        club.settle()
        place = ("A", 1, 1, first_board(club, 1))
        club.enter(*place[1:], "4SN=")
        club.settle()
        club.peer("correct_wrongly", 0, 1)
        club.settle()
        entry = ResultEntry(*place, Outcome.parse("5DS-2"), club.pass_time())
        club.tell(CorrectResult(GUID, entry, Origin.TERMINAL))
        club.settle()
        assert club.live_rows()[1, *place[1:]] == ("7 NT", "+1"), "a flagged row waits"
        club.scoring.finish()
        if goes_on == "after a restart":
            club.kill()
        club.settle()
        assert club.live_rows()[1, *place[1:]] == ("5 D", "-2")


def test_control_killed_while_a_bad_instruction_is_in_the_file_starts_again(tmp_path: Path) -> None:
    with evening(tmp_path) as club:
        club.settle()
        club.peer("send_bad_round")
        club.settle()
        assert club.flags()
        club.kill()
        assert isinstance(club.enter(3, 1, first_board(club, 3), "4SN="), int)
        club.settle()
        assert len(club.live_rows()) == 1
        club.scoring.finish()
        club.settle()
        assert club.flags() == {}


# Rows that come and go --------------------------------------------------------------------------------------


@pytest.mark.parametrize("goes_on", ["in one run", "after a restart"])
@pytest.mark.parametrize("turns", [1, 2, 3, 4, 5])
def test_result_entered_while_the_movement_is_deleted_and_added_again_reaches_the_file(
    tmp_path: Path, turns: int, goes_on: str
) -> None:
    with evening(tmp_path) as club:
        club.settle()
        board = first_board(club, 1)
        where = (GUID, "A", 1, 1, board)
        club.tell(RecordCall(*where, 1, Seat.NORTH, "1C", club.pass_time()))
        club.settle()
        for _ in range(turns):
            club.peer("delete_and_add_again")
        assert isinstance(club.enter(1, 1, board, "4SN="), int)
        if goes_on == "after a restart":
            club.kill()
        club.run()
        club.scoring.finish()
        club.settle()
        assert club.live_rows() == {(1, 1, 1, board): ("4 S", "=")}
        assert club.status() == 1
        assert len(club.rows("BiddingData")) == 1


def test_tables_deleted_and_added_again_get_status_and_log_on_back(tmp_path: Path) -> None:
    with evening(tmp_path) as club:
        club.settle()
        club.tell(LogOn(GUID, "A", 1, "phone", club.pass_time()))
        club.settle()
        before = club.rows("Tables")
        assert [(row["Status"], row["LogOnOff"]) for row in before] == [(1, 1), (1, 2), (1, 2)]
        club.scoring.do("delete_and_add_again")
        club.settle()
        assert club.rows("Tables") == before


# What is the scoring program's stays ------------------------------------------------------------------------


def test_restart_keeps_remarks_and_processed_flags_of_the_scoring_program(tmp_path: Path) -> None:
    with evening(tmp_path) as club:
        club.settle()
        club.enter(1, 1, first_board(club, 1), "4SN=")
        club.settle()
        club.scoring.do("read_results", 0, 4)
        club.scoring.do("remark", 0, 7)
        (before,) = club.rows("ReceivedData")
        assert before["Processed"] and before["custom_VueGraph"]  # noqa: PT018
        club.stop()
        club.settle()
        assert club.rows("ReceivedData") == [before]


def test_correction_at_the_table_keeps_the_remark_of_the_scoring_program(tmp_path: Path) -> None:
    """The result is new to the scoring program, and so not processed; the remark is its own."""
    with evening(tmp_path) as club:
        club.settle()
        place = ("A", 1, 1, first_board(club, 1))
        club.enter(*place[1:], "4SN=")
        club.settle()
        club.scoring.do("read_results", 0, 4)
        club.scoring.do("remark", 0, 7)
        entry = ResultEntry(*place, Outcome.parse("2HxW+1"), club.pass_time())
        assert isinstance(club.tell(CorrectResult(GUID, entry, Origin.TERMINAL)), int)
        club.settle()
        (row,) = club.rows("ReceivedData")
        assert (row["Contract"], row["Remarks"], row["Processed"]) == ("2 H x", "Seen 7", False)


@pytest.mark.parametrize("goes_on", ["in one run", "after a restart"])
def test_flagged_correction_keeps_its_own_remark(tmp_path: Path, goes_on: str) -> None:
    with evening(tmp_path) as club:
        club.settle()
        place = ("A", 1, 1, first_board(club, 1))
        club.enter(*place[1:], "4SN=")
        club.settle()
        club.scoring.do("correct", 0, 16 + 1)
        club.settle()
        if goes_on == "after a restart":
            club.stop()
            club.settle()
        (row,) = club.rows("ReceivedData")
        assert club.standing()[place] == "2HxW+1"
        assert (row["Contract"], row["Result"], row["Remarks"]) == ("2 H x", "+1", "Ruling 17")
        assert not row["ExternalUpdate"]


def test_correction_written_in_two_steps_survives_passes_and_a_restart_between_them(tmp_path: Path) -> None:
    """The guide advises one query, and does not demand it."""
    with evening(tmp_path) as club:
        club.settle()
        place = ("A", 1, 1, first_board(club, 1))
        club.enter(*place[1:], "4SN=")
        club.settle()
        club.peer("correct", 0, 8 + 1)
        club.settle()
        club.stop()
        club.settle()
        assert club.live_rows()[1, *place[1:]] == ("1 NT", "+2")
        assert club.standing()[place] == "4SN=", "it is not flagged yet"
        club.scoring.finish()
        club.settle()
        assert club.standing()[place] == "1NTN+2"


# Everything that was entered is a row -----------------------------------------------------------------------


@pytest.mark.parametrize("is_down", [False, True], ids=["control runs", "control is down"])
def test_hand_record_entered_by_players_is_written_to_the_file(tmp_path: Path, is_down: bool) -> None:
    with evening(tmp_path) as club:
        club.settle()
        if is_down:
            club.kill()
        record = HandRecord(1, 4, deal(1))
        assert isinstance(club.tell(PutHandRecords(GUID, (record,), HandSource.TERMINAL)), int)
        club.settle()
        (row,) = club.rows("HandRecord")
        assert (row["Section"], row["Board"]) == (1, 4)
        assert {name: row[name] or "" for name in deal_values(record.deal)} == deal_values(record.deal)


@pytest.mark.parametrize("is_down", [False, True], ids=["control runs", "control is down"])
@pytest.mark.parametrize("round", [1, 2])
def test_player_who_is_removed_is_not_in_the_file_any_more(tmp_path: Path, is_down: bool, round: int) -> None:
    with evening(tmp_path) as club:
        club.settle()
        who = Participation("A", 1, Seat.NORTH, "123", round=round)
        club.tell(PutParticipations(GUID, (who,), Source.TERMINAL, must_be_known=False))
        club.settle()
        assert numbers(club) == ["123"]
        if is_down:
            club.kill()
        gone = Participation("A", 1, Seat.NORTH, round=round, is_removal=True)
        assert isinstance(
            club.tell(PutParticipations(GUID, (gone,), Source.TERMINAL, must_be_known=False)), int
        )
        club.settle()
        assert numbers(club) == []


def numbers(club: Evening) -> list[str]:
    return [row["Number"] for row in club.rows("PlayerNumbers") if row["Number"]]


def test_call_that_was_taken_back_and_replaced_while_control_was_down_has_three_rows(tmp_path: Path) -> None:
    with evening(tmp_path) as club:
        club.settle()
        place = (GUID, "A", 1, 1, first_board(club, 1))
        club.tell(RecordCall(*place, 1, Seat.NORTH, "1C", club.pass_time()))
        club.settle()
        club.kill()
        club.tell(RecordCall(*place, 1, Seat.NORTH, "1C", club.pass_time(), is_erased=True))
        club.tell(RecordCall(*place, 1, Seat.NORTH, "1D", club.pass_time()))
        club.settle()
        rows = sorted(club.rows("BiddingData"), key=lambda row: int(row["ID"]))
        assert [(row["Bid"], row["Erased"]) for row in rows] == [("1C", False), ("1C", True), ("1D", False)]


def test_calls_are_rows_in_the_order_in_which_they_were_made(tmp_path: Path) -> None:
    """Readers follow them by ID, so those of two tables stay in the order of the facts, also after a kill."""
    with evening(tmp_path) as club:
        club.settle()
        club.kill()
        for counter, table in enumerate((2, 1, 2, 1), start=1):
            where = (GUID, "A", table, 1, first_board(club, table))
            club.tell(RecordCall(*where, (counter + 1) // 2, Seat.NORTH, f"{counter}C", club.pass_time()))
        club.settle()
        rows = sorted(club.rows("BiddingData"), key=lambda row: int(row["ID"]))
        assert [row["Bid"] for row in rows] == ["1C", "2C", "3C", "4C"]


@pytest.mark.parametrize("is_down", [False, True], ids=["control runs", "control is down"])
def test_result_that_was_erased_before_it_was_written_is_an_erased_row(tmp_path: Path, is_down: bool) -> None:
    with evening(tmp_path) as club:
        club.settle()
        if is_down:
            club.kill()
        board = first_board(club, 1)
        club.enter(1, 1, board, "4SN=")
        club.phone("erase")
        club.settle()
        assert [(row["Contract"], row["Erased"]) for row in club.rows("ReceivedData")] == [("4 S", True)]


# BMPFTP -----------------------------------------------------------------------------------------------------


def test_movement_update_that_was_asked_for_is_done_after_bmpftp_was_killed(tmp_path: Path) -> None:
    folder = bmpftp_evening(tmp_path, 0)
    changed = example("BMInput.txt").replace(b"1,2,0,0,2,0,0,0", b"1,2,0,0,2,3,0,0")
    assert changed != example("BMInput.txt")
    folder.setup.write_bytes(changed)
    with jet.open(folder.session, "r+") as db:
        for row in db["Tables"].rows():
            db["Tables"].update(row, {"UpdateFromRound": 998})
    first = _bmpftp(folder)
    first.run_pass()
    first.carry_out(ProgramRequest.UPDATE_MOVEMENT)
    assert "earlier instruction" in "".join(first.news)
    # It is killed while it waits; then the control software takes the earlier instructions.
    with jet.open(folder.session, "r+") as db:
        for row in db["Tables"].rows():
            db["Tables"].update(row, {"UpdateFromRound": 0})
    second = _bmpftp(folder)
    second.run_pass()
    second.run_pass()
    assert 3 in {row.instruction for row in open_contents(folder.session).tables}


def _bmpftp(folder: Folder) -> TransferProgram:
    class Met(ControlProgram):
        def is_running(self) -> bool:
            return True

        def end(self) -> str:
            return ""

    return TransferProgram(Transfer(folder, quiet=0), Met(folder), recover=True)
