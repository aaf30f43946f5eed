"""Creation of a `.bws` file from a setup, and back."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from overtrick.bmpftp.number_file import number_lines, parse_numbers
from overtrick.bmpftp.progress import progress_of
from overtrick.bmpftp.result_file import parse_results, result_line
from overtrick.bmpftp.session_file import create_session_file, results_by_id, setup_of
from overtrick.bmpftp.setup_file import parse_setup, setup_lines, without_missing_pairs
from overtrick.bmpftp.text_fields import encode_lines
from overtrick.bws.check import check
from overtrick.bws.contents import open_contents
from overtrick.bws.event_from_file import read_event
from overtrick.bws.rows import ClientRow
from overtrick.errors import BadInput
from overtrick.event.movement import boards_to_play
from overtrick.event.setup import Generation
from tests.bmpftp.conftest import example

SETUP = parse_setup(example("BMInput.txt"))


def test_documents_example_creates_a_file_that_passes_the_check(tmp_path: Path) -> None:
    path = tmp_path / "BMInput.bws"
    create_session_file(path, SETUP)
    assert check(open_contents(path), Generation.III) == ()


def test_results_and_numbers_are_read_back_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "BMInput.bws"
    results = [each.row for each in parse_results(example("BMRData.txt"))]
    create_session_file(path, SETUP, results=results, numbers=parse_numbers(example("BMPNums.txt")))
    contents = open_contents(path)
    rows = results_by_id(contents)
    assert [row.id for row in rows] == list(range(1, 37))
    assert encode_lines(map(result_line, rows)) == example("BMRData.txt")
    assert encode_lines(number_lines(contents.player_numbers)) == example("BMPNums.txt")


def test_created_file_is_read_as_an_event_with_two_winners(tmp_path: Path) -> None:
    path = tmp_path / "BMInput.bws"
    create_session_file(path, SETUP)
    contents = open_contents(path)
    assert contents.sections[0].winners == 2
    [session] = read_event(contents, today=contents.sessions[0].day.date()).event.sessions  # type: ignore[union-attr]
    [(section, tables)] = session.sections
    assert section.section == "A"
    assert [len(table.rounds) for table in tables] == [3, 3, 3]
    assert tables[2].rounds[0].boards == (9, 10, 11, 12)


def test_computer_ids_of_the_text_become_running_numbers_in_the_file(tmp_path: Path) -> None:
    clients = (ClientRow(5, "LEFT"), ClientRow(0, "RIGHT"))
    tables = tuple(replace(row, computer=id) for row, id in zip(SETUP.tables, (0, 5, 9), strict=True))
    path = tmp_path / "x.bws"
    create_session_file(path, replace(SETUP, clients=clients, tables=tables))
    contents = open_contents(path)
    assert contents.clients == (ClientRow(1, "LEFT"), ClientRow(2, "RIGHT"))
    assert [row.computer for row in contents.tables] == [2, 1, 0]


def test_setup_of_a_created_file_equals_the_original(tmp_path: Path) -> None:
    path = tmp_path / "x.bws"
    create_session_file(path, SETUP)
    setup = setup_of(open_contents(path))
    assert parse_setup(encode_lines(setup_lines(setup))) == replace(
        without_missing_pairs(SETUP),
        clients=(ClientRow(1, "MBC01"),),
        tables=tuple(replace(row, computer=1) for row in SETUP.tables),
    )


def test_invalid_boards_are_reported_with_their_row(tmp_path: Path) -> None:
    rounds = (replace(SETUP.rounds[0], custom="1,x"),)
    contents = replace(open_contents(_created(tmp_path)), rounds=rounds)
    with pytest.raises(
        BadInput, match=r"^RoundData, section 1, table 1, round 1: '1,x' are not board numbers"
    ):
        setup_of(contents)


def test_mdbtools_read_the_created_file(tmp_path: Path, require_program: Callable[[str], str]) -> None:
    rows = [each.row for each in parse_results(example("BMRData.txt"))]
    path = tmp_path / "x.bws"
    create_session_file(path, SETUP, results=rows)
    rounds = subprocess.run(
        [require_program("mdb-export"), "-H", str(path), "RoundData"],
        capture_output=True,
        text=True,
        check=True,
        timeout=50,
    )
    assert rounds.stdout.splitlines()[5] == '1,2,3,2,3,1,4,"1,2,3,4"'
    results = subprocess.run(
        [require_program("mdb-export"), "-H", str(path), "ReceivedData"],
        capture_output=True,
        text=True,
        check=True,
        timeout=50,
    ).stdout.splitlines()
    assert len(results) == 36
    assert results[3].startswith('4,1,1,1,4,1,1,1,"W","PASS","+2","C4",')


def _created(tmp_path: Path) -> Path:
    path = tmp_path / "made.bws"
    create_session_file(path, SETUP)
    return path


def test_missing_pair_above_the_number_of_tables_is_an_east_west_pair(tmp_path: Path) -> None:
    """In the document's example, 6 is "Missing pair EW 3": there are three tables, and East-West pairs 1 to 3."""
    create_session_file(tmp_path / "BMInput.bws", SETUP)
    contents = open_contents(tmp_path / "BMInput.bws")
    assert [row.missing_pair for row in contents.sections] == [0]
    absent = [(row.table, row.round) for row in contents.rounds if row.ew == 0]
    assert absent == [(1, 2), (2, 3), (3, 1)]
    (session,) = read_event(contents, today=date(2026, 3, 2)).journal_state().sessions.values()
    playing = {(table, number) for _, table, number, _ in boards_to_play(session)}
    assert len(playing) == 6
    assert playing.isdisjoint(absent)
    assert progress_of(contents).boards == 24


def test_missing_pair_with_results_is_kept_in_the_rounds(tmp_path: Path) -> None:
    """The document's results include some of East-West 3."""
    results = [each.row for each in parse_results(example("BMRData.txt"))]
    create_session_file(tmp_path / "BMInput.bws", SETUP, results=results)
    contents = open_contents(tmp_path / "BMInput.bws")
    assert {row.ew for row in contents.rounds} == {1, 2, 3}


def test_missing_pair_that_rounds_name_is_kept(tmp_path: Path) -> None:
    rounds = tuple(replace(row, ew=row.ew + 3) for row in SETUP.rounds)
    assert without_missing_pairs(replace(SETUP, rounds=rounds)).sections == SETUP.sections
    assert without_missing_pairs(replace(SETUP, rounds=rounds)).rounds == rounds
