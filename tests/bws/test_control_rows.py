"""The control software's half on real files: the rows that it writes, with an event's state behind them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bridge import Card, Outcome, Seat, Tricks
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Update, jet_columns
from overtrick.bws.event_from_file import read_event
from overtrick.bws.file_creation import create_file
from overtrick.event import Command
from overtrick.event.hands import EvaluateHand, HandRecord, HandSource, PutHandRecords
from overtrick.event.recording import EnterContract, RecordCall, RecordCard
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    JudgeResult,
    Origin,
    ResultEntry,
    Suspicion,
)
from overtrick.event.seating import Participation, PutParticipations, PutPlayers, SessionPlayer, Source
from overtrick.event.setup import SetStatus, Status
from overtrick.event.tables import LogOff, LogOn
from tests.bws.conftest import do
from tests.bws.controls import DEAL, OTHER, TODAY, Control, Make, entered, scored
from tests.bws.files import AT, GUID, find, mitchell
from tests.jet.peers import mdb_export

# Rows from facts --------------------------------------------------------------------------------------------


def test_a_result_is_a_new_row(make: Make) -> None:
    control = Control.start(make(mitchell()))
    after = control.happen(entered(1, 1, 1, "4SxE+1", lead=Card.HT))
    [row] = after.results
    assert (row.id, row.place, row.ns, row.ew, row.declarer) == (1, (1, 1, 1, 1), 1, 1, 1)
    assert (row.direction, row.contract, row.result, row.lead) == ("E", "4 S x", "+1", "H10")
    assert (row.day, row.at) == (datetime(2026, 3, 2), datetime(1899, 12, 30, 19, 45, 30))
    assert not (row.processed)
    assert not (row.external_update)
    assert not (row.erased)


@pytest.mark.parametrize(
    ("outcome", "contract", "remark"),
    [
        ("Pass", "PASS", ""),
        ("NP", "", "Not played"),
        ("Arbitral", "", "Arbitral score"),
        ("40-60", "", "40%-60%"),
    ],
)
def test_results_without_a_contract_are_written_as_remarks(
    make: Make, outcome: str, contract: str, remark: str
) -> None:
    control = Control.start(make(mitchell()))
    [row] = control.happen(entered(1, 1, 1, outcome)).results
    assert (row.contract, row.result, row.remarks) == (contract, "", remark)


def test_wrong_direction_names_the_pair_that_declared(make: Make) -> None:
    rows = mitchell(winners=1)
    for each in rows["RoundData"]:
        each["EWPair"] += 10
    control = Control.start(make(rows))
    [row] = control.happen(entered(1, 1, 1, "4SN=", is_wrong_direction=True)).results
    assert (row.declarer, row.direction, row.remarks) == (11, "N", "Wrong direction")


def test_a_correction_is_in_place_with_a_new_time_and_all_flags_false(make: Make) -> None:
    control = scored(make)
    do(
        control.path,
        Update("ReceivedData", {"ID": 1}, dict.fromkeys(("Processed", "Processed2", "Processed4"), True)),
    )
    with jet.open(control.path, "r+") as db:
        db["ReceivedData"].add_column(jet.Column("custom_VueGraph", jet.ColumnType.YES_NO))
    do(control.path, Update("ReceivedData", {"ID": 1}, {"custom_VueGraph": True}))
    entry = ResultEntry("A", 1, 1, 1, Outcome.parse("4SN-1"), AT + timedelta(hours=1))
    after = control.happen(CorrectResult(GUID, entry, Origin.DESK))
    assert len(after.results) == 4
    row = after.results[0]
    assert (row.id, row.result) == (1, "-1")
    assert row.at == datetime(1899, 12, 30, 20, 45, 30)
    assert not any(row.flag(name) for name in ("Processed", "Processed2", "Processed4", "custom_VueGraph"))


def test_a_re_entry_after_an_erasure_is_a_new_row(make: Make) -> None:
    control = scored(make)
    after = control.happen(EraseResult(GUID, "A", 1, 1, 1, Origin.TERMINAL), entered(1, 1, 1, "5SN="))
    assert [
        (row.id, row.erased, row.contract) for row in after.results if row.board == 1 and row.table == 1
    ] == [
        (1, True, "4 S"),
        (5, False, "5 S"),
    ]


@pytest.mark.parametrize("again", ["5SN=", "4SN="])
def test_result_erased_and_entered_again_between_two_passes_is_written(make: Make, again: str) -> None:
    control = scored(make)
    later = ResultEntry("A", 1, 1, 1, Outcome.parse(again), AT + timedelta(minutes=5))
    commands: tuple[Command, ...] = (
        EraseResult(GUID, "A", 1, 1, 1, Origin.TERMINAL),
        EnterResult(GUID, later),
    )
    for _ in range(2):  # the second time as after a crash: it is written already
        after = control.happen_at_once(*commands)
        commands = ()
        rows = [row for row in after.results if row.place == (1, 1, 1, 1)]
        assert [(row.id, row.erased, row.contract) for row in rows] == [
            (1, True, "4 S"),
            (5, False, f"{again[0]} S"),
        ]


def test_result_corrected_and_erased_before_there_was_time_to_write_is_erased_as_corrected(
    make: Make,
) -> None:
    control = scored(make)
    corrected = ResultEntry("A", 1, 1, 1, Outcome.parse("NP"), AT + timedelta(minutes=5))
    after = control.happen_at_once(
        CorrectResult(GUID, corrected, Origin.TERMINAL), EraseResult(GUID, "A", 1, 1, 1, Origin.TERMINAL)
    )
    [row] = [row for row in after.results if row.place == (1, 1, 1, 1)]
    assert (row.id, row.erased, row.contract, row.remarks) == (1, True, "", "Not played")
    assert control.write() == 0


def test_row_erased_by_the_scoring_program_still_gets_a_correction_of_before(make: Make) -> None:
    control = scored(make)
    corrected = ResultEntry("A", 1, 1, 1, Outcome.parse("NP"), AT + timedelta(minutes=5))
    assert control.facts_of(CorrectResult(GUID, corrected, Origin.TERMINAL)) is not None
    do(control.path, Update("ReceivedData", {"ID": 1}, {"Erased": True, "ExternalUpdate": True}))
    row = control.look().results[0]
    assert (row.erased, row.external_update, row.contract, row.remarks) == (True, False, "", "Not played")
    assert control.write() == 0


def test_a_suspicion_is_written_and_confirmed(make: Make) -> None:
    control = scored(make)
    for suspicion, number in ((Suspicion.SUSPICIOUS, 1), (Suspicion.CONFIRMED, 2)):
        after = control.happen(JudgeResult(GUID, "A", 1, 1, 1, suspicion))
        assert after.results[0].suspicious == number


def test_mark_on_a_result_leaves_what_the_scoring_program_wrote_into_its_row(make: Make) -> None:
    control = scored(make)
    control.happen(entered(3, 1, 5, "40-60"))
    do(control.path, Update("ReceivedData", {"ID": 5}, {"Remarks": "Seen"}))
    after = control.happen(JudgeResult(GUID, "A", 3, 1, 5, Suspicion.SUSPICIOUS))
    assert (after.results[4].remarks, after.results[4].suspicious) == ("Seen", 1)


def test_row_with_external_update_is_not_written(make: Make) -> None:
    control = scored(make)
    do(control.path, Update("ReceivedData", {"ID": 1}, {"Result": "-3", "ExternalUpdate": True}))
    entry = ResultEntry("A", 1, 1, 1, Outcome.parse("4SN+2"), AT)
    after = control.happen(CorrectResult(GUID, entry, Origin.DESK))
    assert after.results[0].result == "-3"
    after = control.look()
    assert str(control.session.results.standing["A", 1, 1, 1].outcome) == "4SN-3"


def test_second_pass_writes_nothing(make: Make) -> None:
    control = scored(make)
    control.happen(
        entered(3, 1, 5, "1NTW-1"),
        EraseResult(GUID, "A", 1, 1, 1, Origin.TERMINAL),
        EnterContract(GUID, "A", 3, 1, 6, "3NTxE", AT, Card.S2),
        RecordCall(GUID, "A", 3, 1, 6, 1, Seat.NORTH, "Pass", AT),
        LogOn(GUID, "A", 3, "phone", AT),
        SetStatus(GUID, Status.STARTED),
    )
    before = control.path.read_bytes()
    assert control.write() == 0
    assert control.path.read_bytes() == before


def test_a_file_that_missed_everything_is_brought_up_to_date(make: Make, tmp_path: Path) -> None:
    control = scored(make)
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    path = fresh / "monday.bws"
    create_file(path, mitchell())
    control.path = path
    control.write()
    again = read_event(open_contents(path), today=TODAY).journal_state().session(GUID)
    assert again is not None
    assert again.results.standing == control.session.results.standing


def test_contracts_calls_and_cards_are_written_before_the_result(make: Make) -> None:
    control = Control.start(make(mitchell()))
    where = GUID, "A", 1, 1, 1
    after = control.happen(
        EnterContract(*where, "3NTxE", AT, Card.S2),
        RecordCall(*where, 1, Seat.NORTH, "Pass", AT),
        RecordCall(*where, 1, Seat.NORTH, "Pass", AT, is_erased=True),
        RecordCall(*where, 1, Seat.NORTH, "1C", AT),
        RecordCard(*where, 1, Seat.SOUTH, "S2", AT),
    )
    [row] = after.contracts
    assert (row.contract, row.result, row.direction, row.declarer, row.lead) == ("3 NT x", "", "E", 1, "S2")
    assert row.remarks == ""
    assert [(row.id, row.counter, row.call, row.erased) for row in after.calls] == [
        (1, 1, "PASS", False),
        (2, 1, "PASS", True),
        (3, 1, "1C", False),
    ]
    assert [(row.direction, row.card) for row in after.cards] == [("S", "S2")]
    after = control.happen(EnterContract(*where, "4SW", AT))
    assert [(row.id, row.contract) for row in after.contracts] == [(1, "4 S")]


def test_numbers_and_names_of_players_are_written(make: Make) -> None:
    control = Control.start(make(mitchell()))
    after = control.happen(
        PutPlayers(GUID, (SessionPlayer("12", "Ely", "Culbertson-Murphy"),)),
        PutParticipations(
            GUID,
            (
                Participation("A", 1, Seat.NORTH, "12"),
                Participation("A", 1, Seat.EAST, "99"),
                Participation("A", 2, Seat.WEST, last_name="Later", round=2),
            ),
            Source.TERMINAL,
            must_be_known=False,
        ),
    )
    found = {(row.table, row.direction, row.round): row for row in after.player_numbers}
    assert len(found) == 13
    north = found[1, "N", 0]
    assert (north.number, north.name, north.processed, north.updated) == (
        "12",
        "Ely Culbertson-Mur",
        False,
        False,
    )
    assert north.at == datetime(1899, 12, 30, 19, 45, 30)
    assert found[1, "E", 0].number == "99"
    assert found[2, "W", 2].name == "Later"
    after = control.happen(
        PutParticipations(GUID, (Participation("A", 1, Seat.EAST, is_removal=True),), Source.TERMINAL)
    )
    assert next(row for row in after.player_numbers if (row.table, row.direction) == (1, "E")).number == ""


def test_seat_with_updated_flag_is_not_written(make: Make) -> None:
    control = Control.start(make(mitchell()))
    key = {"Section": 1, "Table": 1, "Direction": "N"}
    do(control.path, Update("PlayerNumbers", key, {"Name": "Ely", "Updated": True}))
    who = Participation("A", 1, Seat.NORTH, "99")
    after = control.happen(PutParticipations(GUID, (who,), Source.TERMINAL, must_be_known=False))
    row = next(row for row in after.player_numbers if (row.table, row.direction) == (1, "N"))
    assert (row.number, row.name, row.updated) == ("", "Ely", True)


def test_hand_records_of_players_go_to_every_section_of_the_group(make: Make) -> None:
    rows, second = mitchell(), mitchell(section=2, letter="B")
    for table in ("Section", "Tables", "RoundData", "PlayerNumbers"):
        rows[table] += second[table]
    rows["Settings"] = [{"Section": 1, "GroupSections": True}]
    control = Control.start(make(rows))
    tricks = Tricks((*range(14), 1, 2, 3, 4, 5, 6))
    after = control.happen(
        PutHandRecords(GUID, (HandRecord(1, 2, DEAL),), HandSource.TERMINAL),
        EvaluateHand(GUID, 1, 2, DEAL, tricks),
    )
    assert [(row.section, row.board, row.get("NorthSpades")) for row in after.hand_records] == [
        (1, 2, "AQ7"),
        (2, 2, "AQ7"),
    ]
    evaluation = after.evaluations[1]
    assert [
        evaluation.get(f"North{strain}") for strain in ("Clubs", "Diamonds", "Hearts", "Spades", "Notrump")
    ] == [
        0,
        1,
        2,
        3,
        4,
    ]
    assert evaluation.get("WestNotrump") == 6
    points = [evaluation.get(f"{seat}Hcp") for seat in ("North", "East", "South", "West")]
    assert points == [21, 8, 4, 7]
    after = control.happen(PutHandRecords(GUID, (HandRecord(1, 2, OTHER),), HandSource.DESK))
    assert [row.get("EastSpades") for row in after.hand_records] == ["KJT932", "KJT932"]


def test_the_scoring_programs_own_hand_records_are_never_written_over(make: Make) -> None:
    control = scored(make)
    control.happen(PutHandRecords(GUID, (HandRecord(1, 2, DEAL),), HandSource.SCORING_PROGRAM))
    assert open_contents(control.path).hand_records == ()


def test_log_ons_log_offs_and_session_status_are_written(make: Make) -> None:
    control = Control.start(make(mitchell()))
    after = control.happen(LogOn(GUID, "A", 2, "phone", AT), SetStatus(GUID, Status.STARTED))
    assert [row.log_on_off for row in after.tables] == [2, 1, 2]
    assert after.sessions[0].status == 1
    after = control.happen(LogOff(GUID, "A", 2, AT), SetStatus(GUID, Status.FINISHED))
    assert [row.log_on_off for row in after.tables] == [2, 2, 2]
    assert after.sessions[0].status == 2


def test_a_file_of_access_97_is_written_in_place(
    club_evening: Path, tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    path = tmp_path / "evening.bws"
    path.write_bytes(club_evening.read_bytes())
    control = Control.start(path)
    guid = control.guid
    commands: list[Command] = [
        CorrectResult(guid, ResultEntry("A", 4, 1, 7, Outcome.parse("3HS="), AT), Origin.DESK),
        EraseResult(guid, "A", 8, 1, 15, Origin.TERMINAL),
        EnterResult(guid, ResultEntry("A", 8, 1, 15, Outcome.parse("2DxN-3"), AT)),
        PutParticipations(
            guid, (Participation("A", 1, Seat.NORTH, "12", last_name="Ely"),), Source.TERMINAL, False
        ),
        LogOn(guid, "A", 5, "phone", AT),
    ]
    control.happen(*commands)
    exported = mdb_export(require_program("mdb-export"), path, "ReceivedData")
    rows = {int(row["ID"] or 0): row for row in exported}
    assert len(rows) == 289
    assert (rows[1]["Result"], rows[2]["Erased"], rows[289]["Result"]) == ("=", "1", "-3")
    people = mdb_export(require_program("mdb-export"), path, "PlayerNumbers")
    assert [
        (row["Number"], row["Name"]) for row in people if row["Table"] == "1" and row["Direction"] == "N"
    ] == [("12", "Ely")]
    tables = mdb_export(require_program("mdb-export"), path, "Tables")
    assert [row["LogOnOff"] for row in tables] == ["2"] * 4 + ["1"] + ["2"] * 7


def test_an_older_file_takes_what_it_has_columns_for(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "old.bws"
    rows = mitchell()
    with jet.create(path) as db:
        for table, names in {
            "Section": ["ID", "Letter", "Tables", "MissingPair"],
            "Tables": ["Section", "Table", "ComputerID", "Status", "LogOnOff", "UpdateFromRound"],
            "RoundData": ["Section", "Table", "Round", "NSPair", "EWPair", "LowBoard", "HighBoard"],
            "ReceivedData": [
                *("ID", "Section", "Table", "Round", "Board", "PairNS", "PairEW", "Declarer"),
                *("NS/EW", "Contract", "Result", "Processed", "Erased"),
            ],
            "PlayerNumbers": ["Section", "Table", "Direction", "Number"],
        }.items():
            columns = [column for column in jet_columns(table) if column.name in names]
            made = db.create_table(table, columns)
            made.insert_many({name: row[name] for name in names if name in row} for row in rows[table])
    control = Control.start(path)
    guid = control.guid
    commands: list[Command] = [
        EnterResult(guid, ResultEntry("A", 1, 1, 1, Outcome.parse("4SxE+1"), AT, lead=Card.HT)),
        PutParticipations(guid, (Participation("A", 1, Seat.NORTH, "12"),), Source.TERMINAL, False),
        PutHandRecords(guid, (HandRecord(1, 2, DEAL),), HandSource.TERMINAL),
    ]
    after = control.happen_at_once(*commands)
    assert control.write() == 0
    assert [(row.contract, row.result) for row in after.results] == [("4 S x", "+1")]
    assert len(after.player_numbers) == 12
    assert (
        find(
            [{"D": row.direction, "T": row.table, "N": row.number} for row in after.player_numbers],
            D="N",
            T=1,
        )["N"]
        == "12"
    )
    assert len(after.hand_records) == 1


def test_table_with_a_recorder_says_which_board_is_recorded(make: Make) -> None:
    control = Control.start(make(mitchell()))
    after = control.happen(
        RecordCall(GUID, "A", 1, 1, 1, 1, Seat.NORTH, "1C", AT),
        RecordCard(GUID, "A", 1, 1, 2, 1, Seat.EAST, "Hx", AT),
    )
    at = {row.table: (row.current_round, row.current_board) for row in after.tables}
    assert at == {1: (1, 2), 2: (0, 0), 3: (0, 0)}
    do(control.path, Update("Tables", {"Section": 1, "Table": 1}, {"CurrentBoard": 0}))
    assert control.look().tables[0].current_board == 2
