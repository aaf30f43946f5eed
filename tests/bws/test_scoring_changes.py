from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bridge import Card, Deal, Outcome, Seat
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Delete, Insert, NotTakenYet, Put, Update, carry_out
from overtrick.bws.scoring_changes import (
    RemoveRounds,
    RemoveTable,
    ResetTerminal,
    SendHandRecords,
    SendRounds,
    SendSettings,
    SetTableWaiting,
    changes,
    correction,
    erasure,
    names,
)
from overtrick.errors import BadInput
from overtrick.event.hands import HandRecord
from overtrick.event.movement import Round
from overtrick.event.results import ResultEntry
from overtrick.event.seating import Participation
from overtrick.event.settings import SettingsII, SettingsIII
from tests.bws.conftest import do
from tests.bws.files import Rows, contents, find, mitchell, result

LATER = datetime(2026, 3, 2, 21, 5, 6)
DEAL = Deal.parse("N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3")
Make = Callable[[Rows], Path]


def scored() -> Rows:
    rows = mitchell()
    rows["ReceivedData"] = [
        result(1, 1, 1, 1, 1, 1, Processed=True, Processed1=True),
        result(2, 1, 1, 2, 1, 1),
    ]
    return rows


def test_a_correction_is_one_write_in_place(make: Make) -> None:
    path = make(scored())
    entry = ResultEntry("A", 1, 1, 1, Outcome.parse("5CxW-2"), LATER, lead=Card.HT)
    edit = correction(open_contents(path), entry)
    row = do(path, edit).results[0]
    assert (row.id, row.contract, row.result, row.direction, row.lead) == (1, "5 C x", "-2", "W", "H10")
    assert (row.processed, row.processed1, row.external_update) == (True, False, True)
    assert row.at is not None
    assert row.at.time() == LATER.time()


def test_erasure_sets_external_update(make: Make) -> None:
    path = make(scored())
    row = do(path, erasure(open_contents(path), ("A", 1, 1, 2), LATER)).results[1]
    assert (row.erased, row.external_update) == (True, True)


def test_correction_of_a_missing_result_is_refused() -> None:
    entry = ResultEntry("A", 3, 1, 5, Outcome.parse("Pass"), LATER)
    with pytest.raises(BadInput, match="table A3, round 1, board 5: There is no result to change"):
        correction(contents(scored()), entry)


def test_names_are_flagged_and_come_from_us(make: Make) -> None:
    rows = mitchell()
    find(rows["PlayerNumbers"], Table=1, Direction="N").update(Number="12", EntrySource=3)
    path = make(rows)
    who = Participation("A", 1, Seat.NORTH, first_name="Ely", last_name="Culbertson-Murphy")
    after = do(path, *names(open_contents(path), [who]))
    row = next(row for row in after.player_numbers if (row.table, row.direction) == (1, "N"))
    assert (row.name, row.number) == ("Ely Culbertson-Mur", "12")
    assert (row.updated, row.entry_source) == (True, 0)
    assert len(after.player_numbers) == 12


def test_a_name_for_a_later_round_is_a_record_of_its_own(make: Make) -> None:
    path = make(mitchell())
    after = do(path, *names(open_contents(path), [Participation("A", 1, Seat.NORTH, "7", round=2)]))
    assert [
        (row.round, row.number) for row in after.player_numbers if row.direction == "N" and row.table == 1
    ] == [
        (0, ""),
        (2, "7"),
    ]


def instructions(path: Path) -> dict[int, int]:
    return {row.table: row.instruction for row in open_contents(path).tables}


NEW = Round(1, 3, (5, 6))


@pytest.mark.parametrize(("waits", "value"), [(False, 4), (True, 260)])
def test_rounds_are_added(make: Make, waits: bool, value: int) -> None:
    path = make(mitchell())
    edits = changes(open_contents(path), [SendRounds("A", 1, 4, (NEW,), waits=waits)])
    after = do(path, *edits)
    assert instructions(path) == {1: value, 2: 0, 3: 0}
    added = [row for row in after.rounds if (row.table, row.round) == (1, 4)]
    assert [(row.ns, row.ew, row.low, row.high) for row in added] == [(1, 3, 5, 6)]


def test_rounds_are_replaced_and_those_behind_them_go(make: Make) -> None:
    path = make(mitchell())
    after = do(path, *changes(open_contents(path), [SendRounds("A", 2, 2, (replace(NEW, ns=2),))]))
    assert [(row.round, row.ns, row.ew) for row in after.rounds if row.table == 2] == [(1, 2, 2), (2, 2, 3)]
    assert instructions(path)[2] == 2


def test_rounds_are_removed(make: Make) -> None:
    path = make(mitchell())
    after = do(path, *changes(open_contents(path), [RemoveRounds("A", 1, 3)]))
    assert [row.round for row in after.rounds if row.table == 1] == [1, 2]
    assert instructions(path)[1] == -3


def test_a_table_is_added_with_its_seats(make: Make) -> None:
    path = make(mitchell())
    rounds = (Round(4, 4, (7, 8)), Round(4, 1, (1, 2)), Round(4, 2, (3, 4)))
    after = do(path, *changes(open_contents(path), [SendRounds("A", 4, 1, rounds)]))
    assert instructions(path)[4] == 1
    assert [row.direction for row in after.player_numbers if row.table == 4] == ["N", "S", "E", "W"]
    assert after.sections[0].tables == 4
    assert after.tables[-1].computer == 1


def test_a_table_is_removed_rounds_first(make: Make) -> None:
    path = make(mitchell())
    edits = changes(open_contents(path), [RemoveTable("A", 3)])
    assert isinstance(edits[0], Delete)
    after = do(path, *edits)
    assert instructions(path)[3] == 999
    assert not [row for row in after.rounds if row.table == 3]
    assert after.sections[0].tables == 2


@pytest.mark.parametrize(
    ("change", "value"),
    [
        (ResetTerminal("A", 1), 998),
        (SetTableWaiting("A", 1, True), 256),
        (SetTableWaiting("A", 1, False), -256),
    ],
)
def test_reset_and_waiting_are_written_as_instructions(
    make: Make, change: ResetTerminal | SetTableWaiting, value: int
) -> None:
    path = make(mitchell())
    do(path, *changes(open_contents(path), [change]))
    assert instructions(path) == {1: value, 2: 0, 3: 0}


def test_settings_go_to_every_table_of_the_section(make: Make) -> None:
    path = make(mitchell())
    settings = SendSettings("A", SettingsII(ask_lead=True), SettingsIII(volume=7))
    after = do(path, *changes(open_contents(path), [settings]))
    assert set(instructions(path).values()) == {997}
    [row] = after.settings
    assert (row.get("LeadCard"), row.get("BM3AudioVolume"), row.section) == (True, 7, 1)


def test_hand_records_go_to_one_free_table(make: Make) -> None:
    rows = mitchell()
    find(rows["Tables"], Table=1)["UpdateFromRound"] = 2
    path = make(rows)
    after = do(path, *changes(open_contents(path), [SendHandRecords("A", (HandRecord(1, 3, DEAL),))]))
    assert instructions(path) == {1: 2, 2: 996, 3: 0}
    assert after.hand_records[0].get("NorthSpades") == "AQ7"


def test_rounds_are_written_before_any_instruction() -> None:
    edits = changes(
        contents(mitchell()),
        [SendRounds("A", 1, 4, (NEW,)), SendRounds("A", 4, 1, (Round(4, 4, (7,)),)), RemoveTable("A", 2)],
    )
    kinds = [edit.table for edit in edits if isinstance(edit, Put | Update | Delete | Insert)]
    first = kinds.index("Tables")
    assert "RoundData" not in kinds[first:]
    assert set(kinds[first:]) == {"Tables"}


def test_an_instruction_that_was_not_taken_is_never_overwritten(make: Make) -> None:
    path = make(mitchell())
    edits = changes(open_contents(path), [SendRounds("A", 1, 4, (NEW,))])
    # Another program writes between our looking and our writing.
    do(path, Update("Tables", {"Section": 1, "Table": 1}, {"UpdateFromRound": 998}))
    before = path.read_bytes()
    with jet.open(path, "r+") as db, pytest.raises(NotTakenYet, match="nothing was written"):
        carry_out(db, edits)
    assert path.read_bytes() == before
    with pytest.raises(NotTakenYet, match="Table A1 still has the instruction 998"):
        changes(open_contents(path), [RemoveRounds("A", 1, 2)])


def test_a_table_that_has_gone_meanwhile_takes_no_instruction(make: Make) -> None:
    path = make(mitchell())
    edits = changes(open_contents(path), [SendRounds("A", 1, 4, (NEW,))])
    do(path, Delete("Tables", {"Section": 1, "Table": 1}))
    before = path.read_bytes()
    with jet.open(path, "r+") as db, pytest.raises(NotTakenYet, match="is gone"):
        carry_out(db, edits)
    assert path.read_bytes() == before


def test_a_table_takes_one_instruction_at_a_time() -> None:
    with pytest.raises(BadInput, match="one instruction at a time"):
        changes(contents(mitchell()), [ResetTerminal("A", 1), SendRounds("A", 1, 4, (NEW,))])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (SendRounds("A", 1, 6, (NEW,)), "has 3 rounds, so round 6 cannot be next"),
        (SendRounds("A", 1, 4, ()), "no rounds to send"),
        (ResetTerminal("A", 9), "no table A9"),
        (ResetTerminal("B", 1), "no section B"),
    ],
)
def test_changes_that_do_not_fit_the_file_are_refused(
    change: SendRounds | ResetTerminal, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        changes(contents(mitchell()), [change])
