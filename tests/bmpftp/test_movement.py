"""An update of the movement in a running session."""

from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bmpftp.folder import Folder
from overtrick.bmpftp.movement import new_movement
from overtrick.bmpftp.setup_file import parse_setup
from overtrick.bmpftp.transfer import Transfer
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Edit, Insert, NotTakenYet, Update, carry_out
from overtrick.bws.rows import RoundRow
from tests.bmpftp.conftest import example
from tests.bmpftp.folders import evening

EXAMPLE = example("BMInput.txt").decode()


def running(tmp_path: Path, *edits: Edit) -> Folder:
    """Return a session in which table 2 has logged on and plays."""
    folder = evening(tmp_path, 3)
    values = {"Status": 1, "LogOnOff": 1, "CurrentRound": 1, "CurrentBoard": 6, "Group": 4}
    with jet.open(folder.session, "r+") as db:
        carry_out(db, [Update("Tables", {"Section": 1, "Table": 2}, values), *edits])
    return folder


def update(folder: Folder, text: str) -> int:
    (folder.path / "BMInput.txt").write_text(text, newline="")
    return Transfer(folder, quiet=0).update_movement().tables


def test_update_writes_rounds_and_instructions_and_keeps_other_columns(tmp_path: Path) -> None:
    folder = running(tmp_path)
    text = EXAMPLE.replace("1,2,0,0,2,0,0,0", "1,2,0,0,2,2,0,0").replace("1,2,2,2,1,9,12", "1,2,2,2,1,9,11")
    assert update(folder, text) == 1
    contents = open_contents(folder.session)
    table = contents.tables[1]
    assert (table.status, table.log_on_off, table.current_round, table.current_board) == (1, 1, 1, 6)
    assert (table.instruction, table.group, table.computer) == (2, 4, 1)
    assert [row.instruction for row in contents.tables] == [0, 2, 0]
    assert {(row.table, row.round): row for row in contents.rounds}[2, 2] == RoundRow(1, 2, 2, 2, 1, 9, 11)
    assert len(contents.rounds) == 9
    assert len(contents.results) == 3


def test_update_removes_rounds_that_are_not_in_the_text(tmp_path: Path) -> None:
    folder = running(tmp_path)
    text = EXAMPLE.replace('"RoundData",9', '"RoundData",8').replace("1,1,3,1,2,9,12\r\n", "")
    update(folder, text.replace("1,1,0,0,2,0,0,0", "1,1,0,0,2,-3,0,0"))
    contents = open_contents(folder.session)
    assert [row.round for row in contents.rounds if row.table == 1] == [1, 2]
    assert contents.tables[0].instruction == -3


def test_update_adds_new_tables_and_sections_with_their_chairs(tmp_path: Path) -> None:
    folder = running(tmp_path)
    text = (
        EXAMPLE.replace('"Section",1\r\n1,"A",3,6', '"Section",2\r\n1,"A",4,6\r\n2,"B",1,0')
        .replace('"Tables",3', '"Tables",5')
        .replace("1,3,0,0,2,0,0,0", "1,3,0,0,2,0,0,0\r\n1,4,0,0,2,1,0,0\r\n2,1,0,0,2,1,0,0")
        .replace('"RoundData",9', '"RoundData",11\r\n1,4,1,7,8,13,16\r\n2,1,1,1,2,1,4')
        .replace('"PlayerNumbers",12', '"PlayerNumbers",13\r\n1,4,"S","77"')
    )
    assert update(folder, text) == 2
    contents = open_contents(folder.session)
    assert [(row.id, row.letter, row.tables, row.session) for row in contents.sections] == [
        (1, "A", 4, 1),
        (2, "B", 1, 1),
    ]
    assert [(row.section, row.table, row.computer, row.instruction) for row in contents.tables[3:]] == [
        (1, 4, 1, 1),
        (2, 1, 1, 1),
    ]
    chairs = [(row.section, row.table, row.direction, row.number) for row in contents.player_numbers[12:]]
    assert chairs[:4] == [(1, 4, "N", ""), (1, 4, "E", ""), (1, 4, "S", "77"), (1, 4, "W", "")]
    assert len(chairs) == 8


def test_update_removes_tables_that_are_not_in_the_text(tmp_path: Path) -> None:
    folder = running(tmp_path)
    text = "\r\n".join(line for line in EXAMPLE.splitlines() if not line.startswith("1,3,"))
    text = text.replace('"Tables",3', '"Tables",2').replace('"RoundData",9', '"RoundData",6')
    update(folder, text.replace('"PlayerNumbers",12', '"PlayerNumbers",8').replace('"A",3', '"A",2'))
    contents = open_contents(folder.session)
    assert [row.table for row in contents.tables] == [1, 2]
    assert {row.table for row in contents.rounds} == {1, 2}


def test_update_waits_for_an_instruction_that_is_not_carried_out(tmp_path: Path) -> None:
    untaken = Update("Tables", {"Section": 1, "Table": 3}, {"UpdateFromRound": 998})
    folder = running(tmp_path, untaken)
    before = folder.session.read_bytes()
    text = EXAMPLE.replace("1,2,0,0,2,0,0,0", "1,2,0,0,2,2,0,0")
    with pytest.raises(NotTakenYet, match="Table A3 has an earlier instruction"):
        update(folder, text)
    assert folder.session.read_bytes() == before
    with jet.open(folder.session, "r+") as db:
        carry_out(db, [Update("Tables", {"Section": 1, "Table": 3}, {"UpdateFromRound": 0})])
    assert update(folder, text) == 1


def test_instruction_written_during_the_update_is_not_overwritten(tmp_path: Path) -> None:
    folder = running(tmp_path)
    edits = new_movement(open_contents(folder.session), parse_setup(EXAMPLE.encode()))
    with jet.open(folder.session, "r+") as db:
        carry_out(db, [Update("Tables", {"Section": 1, "Table": 1}, {"UpdateFromRound": 997})])
        before = folder.session.read_bytes()
        with pytest.raises(NotTakenYet, match="Table A1 has an earlier instruction"):
            carry_out(db, edits)
    assert folder.session.read_bytes() == before


def test_rounds_are_written_before_instructions(tmp_path: Path) -> None:
    text = EXAMPLE.replace("1,2,0,0,2,0,0,0", "1,2,0,0,2,2,0,0").replace('"Tables",3', '"Tables",4')
    text = text.replace("1,3,0,0,2,0,0,0", "1,3,0,0,2,0,0,0\r\n1,4,0,0,2,1,0,0")
    edits = new_movement(open_contents(running(tmp_path).session), parse_setup(text.encode()))
    tables = [edit.table for edit in edits]
    first = tables.index("Tables")
    assert set(tables[first:]) == {"Tables"}
    assert isinstance(edits[-1], Insert)


def test_computers_are_matched_by_name(tmp_path: Path) -> None:
    folder = running(tmp_path, Insert("Clients", {"Computer": "OTHER"}))
    text = EXAMPLE.replace('"Clients",1\r\n0,"MBC01"', '"Clients",3\r\n3,"OTHER"\r\n4,"MBC01"\r\n5,"NEW"')
    text = text.replace("1,1,0,", "1,1,3,").replace("1,2,0,", "1,2,4,").replace("1,3,0,0,2", "1,3,5,0,2")
    update(folder, text)
    assert [row.computer for row in open_contents(folder.session).tables] == [2, 1, 1]
