import csv
import errno
import io
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick import jet
from overtrick.bridge import Deal, Seat
from overtrick.bws import schema
from overtrick.bws.check import check
from overtrick.bws.contents import contents_of, open_contents
from overtrick.bws.event_from_file import read_event
from overtrick.bws.file_creation import FileExists
from overtrick.bws.scoring_side import create, new_file_rows, plan_of
from overtrick.errors import BadInput
from overtrick.event import OpenEvent, SessionPlan
from overtrick.event.hands import HandRecord
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.seating import Participation, SessionPlayer
from overtrick.event.settings import HandEntry, Language, Overview, SettingsII, SettingsIII, ViewResults
from overtrick.event.setup import GameKind, GroupPlan
from overtrick.movements import mitchell
from overtrick.scoring import Method
from tests.bws.files import GUID

TODAY = date(2026, 11, 15)
CLOCK = datetime(2026, 3, 2, 18)


def tables_of(tables: int, boards: int = 2, shift: int = 0) -> tuple[TablePlan, ...]:
    movement = mitchell(tables, boards, tables)
    return tuple(
        TablePlan(
            table,
            tuple(
                Round(at.ns, at.ew + shift if at.ew else 0, at.boards)
                for at in (movement.at(number, table) for number in range(1, movement.rounds + 1))
            ),
            group=0,
        )
        for table in range(1, tables + 1)
    )


def evening(**changes: Any) -> SessionPlan:
    plan = SessionPlan(
        GUID,
        "Monday",
        date(2026, 3, 2),
        (GroupPlan(1, Method.MATCHPOINTS, sections=("A",)),),
        ((SectionPlan("A", 1, winners=2, id=1), tables_of(3)),),
        starts=time(19, 30),
        shown_in_app=True,
        players=(SessionPlayer("0012", last_name="Ely Culbertson"), SessionPlayer("7", last_name="Jo")),
        participations=(
            Participation("A", 1, Seat.NORTH, "0012", last_name="Ely Culbertson"),
            Participation("A", 1, Seat.SOUTH, last_name="Visitor"),
            Participation("A", 2, Seat.WEST, "7", last_name="Jo", round=2),
        ),
        hand_records=(
            HandRecord(
                1, 1, Deal.parse("N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3")
            ),
        ),
        settings=(
            (
                "A",
                SettingsII(
                    ask_lead=True,
                    overview=Overview.TRAVELLER_6_2,
                    pin="1234",
                    enter_hand_record=HandEntry.AFTER_BOARD,
                ),
            ),
            ("A", SettingsIII(language=Language.POLISH, offline=True)),
        ),
    )
    return replace(plan, **changes)


def read_back(path: Path) -> SessionPlan:
    reading = read_event(open_contents(path), today=TODAY)
    assert reading.problems == ()
    assert reading.rejection is None
    [plan] = reading.event.sessions
    return plan


def test_event_is_read_back_from_the_file_it_was_written_to(tmp_path: Path) -> None:
    path = tmp_path / "monday.bws"
    plan = evening()
    made = create(path, OpenEvent(GUID, (plan,)), computer="CLUB")
    assert made.unwritten == ()
    assert read_back(path) == plan
    assert check(open_contents(path)) == ()


def test_a_file_has_the_guides_tables_and_fields(tmp_path: Path) -> None:
    path = tmp_path / "monday.bws"
    create(path, OpenEvent(GUID, (evening(),)), computer="CLUB")
    words = {"true/false": "yes/no", "date/time": "date", "long integer": "long"}
    with jet.open(path) as db:
        assert db.tables == list(schema.TABLES)
        for name, fields in schema.TABLES.items():
            for column, field in zip(db[name].columns, fields, strict=True):
                kind = field.kind.value.removesuffix(", autonumber")
                assert (column.name, column.type.word) == (field.name, words.get(kind, kind))
                assert column.autonumber is (field.kind is schema.FieldType.AUTONUMBER)
                assert column.size == (field.size or column.size)
                assert column.allow_zero_length is field.zero_length
                assert not column.required
                expected = f'"{field.default}"' if isinstance(field.default, str) else field.default
                assert column.default == (None if expected is None else str(expected))


def test_mdbtools_reads_every_table_value_for_value(
    tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    program = require_program("mdb-export")
    path = tmp_path / "monday.bws"
    made = create(path, OpenEvent(GUID, (evening(),)), computer="CLUB")
    for table in schema.TABLES:
        output = subprocess.run(
            [program, "-D", "%Y-%m-%d", "-T", "%Y-%m-%d %H:%M:%S", str(path), table],
            capture_output=True,
            text=True,
            check=True,
            timeout=50,
        )
        exported = list(csv.DictReader(io.StringIO(output.stdout)))
        assert len(exported) == len(made.rows.get(table, ()))
        for row, wanted in zip(exported, made.rows.get(table, ()), strict=True):
            for name, value in wanted.items():
                if isinstance(value, bool):
                    assert row[name] == str(int(value))
                elif isinstance(value, datetime):
                    assert row[name] in (f"{value:%Y-%m-%d %H:%M:%S}", f"{value:%Y-%m-%d}")
                else:
                    assert row[name] == ("" if value is None else str(value))


def test_the_same_clock_makes_the_same_file(tmp_path: Path) -> None:
    paths = tmp_path / "one.bws", tmp_path / "two.bws"
    for path in paths:
        create(path, OpenEvent(GUID, (evening(),)), computer="CLUB", clock=lambda: CLOCK)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "monday.bws"
    path.write_text("mine")
    with pytest.raises(FileExists, match="already exists; it was not changed"):
        create(path, OpenEvent(GUID, (evening(),)), computer="CLUB")
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot be (made|created)"):
        create(tmp_path / "nowhere" / "x.bws", OpenEvent(GUID, (evening(),)), computer="CLUB")


def test_a_disk_that_refuses_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("overtrick.files.sync", full)
    with pytest.raises(BadInput, match="cannot be created: No space left on device"):
        create(tmp_path / "x.bws", OpenEvent(GUID, (evening(),)), computer="CLUB")
    assert list(tmp_path.iterdir()) == []


def rows_of(plan: SessionPlan) -> dict[str, list[dict[str, Any]]]:
    return new_file_rows((plan,), computer="CLUB").rows


def plan_from(rows: dict[str, list[dict[str, Any]]]) -> SessionPlan:
    reading = read_event(contents_of(rows, name="monday"), today=TODAY)
    assert reading.rejection is None, reading.rejection
    return reading.event.sessions[0]


def test_four_records_for_every_table_and_one_for_each_later_entry() -> None:
    rows = rows_of(evening())["PlayerNumbers"]
    assert [row["Direction"] for row in rows if row["Table"] == 1] == ["N", "S", "E", "W"]
    assert len(rows) == 13
    flagged = [(row["Table"], row["Direction"], row["Round"]) for row in rows if row["Updated"]]
    assert flagged == [(1, "N", 0), (1, "S", 0), (2, "W", 2)]
    assert all(row["EntrySource"] == 0 for row in rows)


def test_sections_that_score_together_share_one_setting() -> None:
    plan = evening(
        groups=(GroupPlan(1, Method.BUTLER, sections=("A", "B")),),
        sections=(
            (SectionPlan("A", 1, winners=2, id=1), tables_of(3)),
            (SectionPlan("B", 1, winners=2, id=2), tables_of(3)),
        ),
        settings=(),
    )
    rows = rows_of(plan)
    assert [row["GroupSections"] for row in rows["Settings"]] == [True, True]
    assert {row["Group"] for row in rows["Tables"]} == {0}
    assert [row["ScoringType"] for row in rows["Section"]] == [2, 2]
    assert len(rows["HandRecord"]) == 2
    assert plan_from(rows).groups == plan.groups


def test_some_sections_together_are_groups_of_tables() -> None:
    plan = evening(
        groups=(
            GroupPlan(1, Method.MATCHPOINTS, sections=("A", "B")),
            GroupPlan(3, Method.CROSS_IMPS, sections=("C",)),
        ),
        sections=tuple(
            (SectionPlan(letters, group, winners=2, id=id), tables_of(3))
            for id, (letters, group) in enumerate((("A", 1), ("B", 1), ("C", 3)), start=1)
        ),
    )
    rows = rows_of(plan)
    assert [row["Group"] for row in rows["Tables"]] == [1] * 6 + [2] * 3
    assert plan_from(rows).groups == plan.groups


@pytest.mark.parametrize("missing", [2, -2])
def test_a_missing_pair_of_equal_numbers_is_0_in_its_rounds(missing: int) -> None:
    plan = evening(sections=((SectionPlan("A", 1, 2, missing_pair=missing, id=1), tables_of(3)),))
    rows = rows_of(plan)
    assert rows["Section"][0]["MissingPair"] == 0
    gone = "NSPair" if missing > 0 else "EWPair"
    assert [row[gone] for row in rows["RoundData"]].count(0) == 3
    assert all(row["LowBoard"] for row in rows["RoundData"])
    assert check(contents_of(rows)) == ()


@pytest.mark.parametrize("missing", [2, -12])
def test_a_missing_pair_of_different_numbers_is_named(missing: int) -> None:
    section = SectionPlan("A", 1, 2, missing_pair=missing, id=1)
    plan = evening(sections=((section, tables_of(3, shift=10)),))
    rows = rows_of(plan)
    assert rows["Section"][0]["MissingPair"] == abs(missing)
    assert plan_from(rows).sections[0][0].missing_pair == missing


def test_individuals_get_columns_for_the_other_two(tmp_path: Path) -> None:
    table = TablePlan(1, (Round(1, 2, (1, 2), south=3, west=4),), group=0)
    section = SectionPlan("A", 1, winners=1, game=GameKind.INDIVIDUAL, id=1)
    plan = evening(sections=((section, (table,)),), participations=(), players=())
    path = tmp_path / "individual.bws"
    create(path, OpenEvent(GUID, (plan,)), computer="CLUB")
    assert read_back(path).sections == plan.sections


def test_settings_and_matches_without_a_field_are_reported() -> None:
    made = new_file_rows(
        (
            evening(
                name="A very long name for an evening of bridge in the club",
                participations=(Participation("A", 1, Seat.EAST, last_name="Nineteen characters"),),
                settings=(("A", SettingsIII(keep_awake=True, view_results=ViewResults.END_OF_ROUND)),),
            ),
        ),
        computer="CLUB",
    )
    assert made.unwritten == (
        "The session's name is cut to 40 characters.",
        "The name Nineteen characters is cut to 18 characters.",
        "The file has no field for the setting keep_awake (True) of section A.",
        "The file has no field for the setting view_results (end of the round) of section A.",
    )


def test_two_sessions_in_one_file_need_their_own_letters() -> None:
    with pytest.raises(BadInput, match="Two sections have the id 1"):
        new_file_rows((evening(), evening(session="B" * 32)), computer="CLUB")


def test_a_session_that_stands_becomes_the_same_plan() -> None:
    plan = evening()
    rows = rows_of(plan)
    journal_state = read_event(contents_of(rows, name="monday"), today=TODAY).journal_state()
    session = journal_state.session(GUID)
    assert session is not None
    again = plan_of(session)
    # Before play and the first round are the same here, and a standing chair is kept for the first.
    chairs = tuple(replace(chair, round=max(chair.round, 1)) for chair in plan.participations)
    assert again == replace(plan, participations=chairs)
    assert rows_of(again) == rows


@st.composite
def rounds(draw: st.DrawFn, pair: int) -> Round:
    boards = tuple(sorted(draw(st.sets(st.integers(1, 127), min_size=1, max_size=12))))
    match draw(st.integers(0, 3)):
        case 0:
            return Round(0, 0)
        case 1:
            return Round(pair, 0)
        case _:
            return Round(pair, pair + 50, boards)


@settings(max_examples=60)
@given(st.data())
def test_any_movement_is_read_back(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    number = data.draw(st.integers(1, 5))
    tables = tuple(
        TablePlan(
            table,
            tuple(data.draw(rounds(table)) for _ in range(number)),
            group=0,
        )
        for table in range(1, count + 1)
    )
    section = SectionPlan(
        "A", 1, winners=1, ew_moves=data.draw(st.integers(-2, 2)), id=data.draw(st.integers(1, 78))
    )
    group = GroupPlan(section.id, Method.MATCHPOINTS, sections=("A",))
    plan = evening(
        groups=(group,),
        sections=((replace(section, group=group.number), tables),),
        participations=(),
        hand_records=(),
    )
    assert plan_from(rows_of(plan)).sections == plan.sections
