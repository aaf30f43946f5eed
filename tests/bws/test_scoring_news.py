import shutil
import subprocess
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bridge import Seat
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Update, carry_out
from overtrick.bws.scoring_news import (
    add_custom_flag,
    new_contracts,
    new_numbers,
    new_recordings,
    new_results,
    session_statuses,
)
from overtrick.errors import BadInput
from overtrick.event.recording import EnterContract, RecordCall
from overtrick.event.results import EraseResult, JudgeResult, PutResults, Suspicion
from overtrick.event.seating import PutParticipations, Source
from overtrick.event.setup import Status
from tests.bws.conftest import do
from tests.bws.files import GUID, Rows, contents, find, mitchell, result

TODAY = date(2026, 11, 15)
Make = Callable[[Rows], Path]


def scored() -> Rows:
    rows = mitchell()
    rows["ReceivedData"] = [
        result(1, 1, 1, 1, 1, 1),
        result(2, 1, 1, 2, 1, 1, SuspiciousContract=1),
        result(3, 2, 1, 3, 2, 2, Erased=True),
        result(4, 3, 1, 5, 3, 3, Processed=True),
        result(5, 3, 1, 6, 3, 3, Contract="9 S"),
    ]
    return rows


def test_results_are_read_once(make: Make) -> None:
    path = make(scored())
    news = new_results(open_contents(path), today=TODAY)
    put, *more = news.commands
    assert isinstance(put, PutResults)
    assert [(entry.table, entry.board, str(entry.outcome)) for entry in put.entries] == [
        (1, 1, "4SN="),
        (1, 2, "4SN="),
    ]
    assert put.session == GUID
    judged, erased = sorted(more, key=lambda command: type(command).__name__, reverse=True)
    assert isinstance(judged, JudgeResult)
    assert judged.suspicion is Suspicion.SUSPICIOUS
    assert isinstance(erased, EraseResult)
    assert (erased.section, erased.table, erased.round, erased.board) == ("A", 2, 1, 3)
    assert [problem.row for problem in news.problems] == ["ID 5"]
    after = do(path, *news.marks)
    assert [row.processed for row in after.results] == [True] * 5
    again = new_results(after, today=TODAY)
    assert (again.commands, again.marks, again.problems) == ((), (), ())


def test_each_program_has_its_own_mark(make: Make) -> None:
    path = make(scored())
    do(path, *new_results(open_contents(path), today=TODAY, flag="Processed3").marks)
    after = open_contents(path)
    assert new_results(after, today=TODAY, flag="Processed3").commands == ()
    assert len(new_results(after, today=TODAY).marks) == 4


def test_a_mark_of_ones_own_is_added_behind_the_others(make: Make) -> None:
    path = make(scored())
    with pytest.raises(BadInput, match="no field custom_Overtrick"):
        new_results(open_contents(path), today=TODAY, flag="custom_Overtrick")
    after = do(path, *add_custom_flag("custom_Overtrick"))
    assert after.columns["ReceivedData"][-1] == "custom_Overtrick"
    assert after.columns["IntermediateData"][-1] == "custom_Overtrick"
    news = new_results(after, today=TODAY, flag="custom_Overtrick")
    assert len(news.marks) == 5
    after = do(path, *news.marks, *add_custom_flag("custom_Overtrick"))
    assert new_results(after, today=TODAY, flag="custom_Overtrick").marks == ()
    assert [row.processed for row in after.results] == [False, False, False, True, False]


@pytest.mark.parametrize("name", ["Mine", "Custom_Mine", "custom_"])
def test_own_field_without_custom_prefix_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="must start with custom_"):
        add_custom_flag(name)


def test_unknown_flag_is_refused() -> None:
    with pytest.raises(BadInput, match="is not a field for marking"):
        new_results(contents(scored()), today=TODAY, flag="Erased")


def test_row_changed_between_reading_and_marking_is_read_again(make: Make) -> None:
    path = make(scored())
    news = new_results(open_contents(path), today=TODAY)
    do(path, Update("ReceivedData", {"ID": 1}, {"Result": "+1", "TimeLog": datetime(1899, 12, 30, 21)}))
    after = do(path, *news.marks)
    assert [row.id for row in after.results if not row.processed] == [1]
    [again] = new_results(after, today=TODAY).commands
    assert isinstance(again, PutResults)
    assert str(again.entries[0].outcome) == "4SN+1"


@pytest.mark.parametrize(
    "change",
    [
        {"Result": "+1"},
        {"Contract": "3 S"},
        {"Remarks": "Wrong direction"},
        {"NS/EW": "S"},
        {"LeadCard": "S2"},
        {"Erased": True},
        {"TimeLog": datetime(1899, 12, 30, 21)},
    ],
    ids=str,
)
def test_any_change_keeps_a_row_unread(make: Make, change: dict[str, object]) -> None:
    path = make(scored())
    news = new_results(open_contents(path), today=TODAY)
    do(path, Update("ReceivedData", {"ID": 1}, change))
    assert [row.id for row in do(path, *news.marks).results if not row.processed] == [1]


def test_another_programs_mark_does_not_hinder_ours(make: Make) -> None:
    path = make(scored())
    news = new_results(open_contents(path), today=TODAY)
    do(path, Update("ReceivedData", {"ID": 1}, {"Processed1": True}))
    assert all(row.processed for row in do(path, *news.marks).results)


def test_of_two_rows_for_a_board_only_the_later_is_news(make: Make) -> None:
    rows = mitchell()
    rows["ReceivedData"] = [result(1, 1, 1, 1, 1, 1, Erased=True), result(2, 1, 1, 1, 1, 1, Result="-1")]
    [put] = new_results(contents(rows), today=TODAY).commands
    assert isinstance(put, PutResults)
    assert [str(entry.outcome) for entry in put.entries] == ["4SN-1"]


def test_contract_without_a_result_is_read(make: Make) -> None:
    rows = mitchell()
    rows["ReceivedData"] = [result(1, 1, 1, 2, 1, 1)]
    rows["IntermediateData"] = [
        result(1, 1, 1, 1, 1, 1, Contract="3 NT", Result="", direction="W"),
        result(2, 1, 1, 2, 1, 1, Result=""),
    ]
    path = make(rows)
    news = new_contracts(open_contents(path), today=TODAY)
    [entered] = news.commands
    assert isinstance(entered, EnterContract)
    assert (entered.board, entered.contract) == (1, "3NTW")
    assert new_contracts(do(path, *news.marks), today=TODAY).marks == ()


def test_numbers_are_read_once_and_again_when_they_change(make: Make) -> None:
    rows = mitchell()
    at = datetime(1899, 12, 30, 19, 20)
    find(rows["PlayerNumbers"], Table=2, Direction="E").update(Number="12", TimeLog=at)
    path = make(rows)
    news = new_numbers(open_contents(path))
    [put] = news.commands
    assert isinstance(put, PutParticipations)
    assert (put.source, put.must_be_known) == (Source.TERMINAL, False)
    assert [(who.table, who.seat, who.number) for who in put.participations] == [(2, Seat.EAST, "12")]
    after = do(path, *news.marks)
    assert new_numbers(after).commands == ()
    key = {"Section": 1, "Table": 2, "Direction": "E", "Round": 0}
    after = do(path, Update("PlayerNumbers", key, {"Number": "", "Processed": False}))
    [gone] = new_numbers(after).commands
    assert isinstance(gone, PutParticipations)
    assert gone.participations[0].is_removal


def test_recordings_are_read_by_rising_id() -> None:
    rows = mitchell()
    where = {"Section": 1, "Table": 1, "Round": 1, "Board": 1, "Direction": "N"}
    rows["BiddingData"] = [
        {"ID": id, **where, "Counter": id, "Bid": bid} for id, bid in ((2, "1D"), (1, "1C"))
    ]
    first = new_recordings(contents(rows), today=TODAY)
    assert [command.call for command in first.commands if isinstance(command, RecordCall)] == ["1C", "1D"]
    assert (first.last_call, first.last_card) == (2, 0)
    rows["BiddingData"].append({"ID": 5, **where, "Counter": 3, "Bid": "PASS"})
    rows["PlayData"] = [{"ID": 9, **where, "Counter": 1, "Card": "S10?"}]
    later = new_recordings(contents(rows), today=TODAY, last_call=first.last_call)
    assert len(later.commands) == 1
    assert (later.last_call, later.last_card) == (5, 9)
    assert later.problems[0].table == "PlayData"


def test_session_statuses_are_returned_by_guid() -> None:
    rows = mitchell()
    rows["Session"][0]["Status"] = 2
    assert session_statuses(contents(rows)) == {GUID: Status.FINISHED}


def test_the_real_evening_is_marked_in_place_and_mdbtools_still_reads_all_of_it(
    club_evening: Path, tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    program = require_program("mdb-export")
    path = tmp_path / "evening.bws"
    shutil.copyfile(club_evening, path)
    news = new_results(open_contents(path), today=TODAY)
    [put, *_] = news.commands
    assert isinstance(put, PutResults)
    assert len(put.entries) == 288
    with jet.open(path, "r+") as db:
        assert carry_out(db, news.marks) == 288
    assert new_results(open_contents(path), today=TODAY).marks == ()

    def export(table: str, file: Path) -> str:
        done = subprocess.run(
            [program, str(file), table], capture_output=True, text=True, check=True, timeout=50
        )
        return done.stdout

    for table in ("Clients", "Section", "Tables", "RoundData", "PlayerNumbers"):
        assert export(table, path) == export(table, club_evening)
    # Sixteenth of 22 columns, and six more yes/no columns behind it.
    before = [line.rsplit(",", 7) for line in export("ReceivedData", club_evening).splitlines()]
    after = [line.rsplit(",", 7) for line in export("ReceivedData", path).splitlines()]
    assert [line[0] for line in after] == [line[0] for line in before]
    assert {line[1] for line in before[1:]} == {"0"}
    assert {line[1] for line in after[1:]} == {"1"}
    assert [line[2:] for line in after] == [line[2:] for line in before]
