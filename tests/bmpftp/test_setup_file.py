"""Reading and writing of `BMInput.txt`."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bmpftp.setup_file import SetupFile, Unfinished, parse_setup, setup_lines
from overtrick.bmpftp.text_fields import BadText, encode_lines
from overtrick.bws.rows import ClientRow, PlayerNumberRow, RoundRow, SectionRow, TableRow
from overtrick.errors import BadInput
from tests.bmpftp.conftest import example

EXAMPLE = example("BMInput.txt").decode()


def test_documents_example_is_read() -> None:
    setup = parse_setup(EXAMPLE.encode())
    assert setup.clients == (ClientRow(0, "MBC01"),)
    assert setup.sections == (SectionRow(1, "A", 3, 6),)
    assert [(row.table, row.log_on_off) for row in setup.tables] == [(1, 2), (2, 2), (3, 2)]
    assert len(setup.rounds) == 9
    assert setup.rounds[0] == RoundRow(1, 1, 1, 1, 1, 1, 4)
    assert setup.rounds[6] == RoundRow(1, 3, 1, 3, 3, 9, 12, "9,10,11,12")
    assert [row.direction for row in setup.numbers] == list("NESW") * 3
    assert {row.number for row in setup.numbers} == {"0"}


def test_documents_example_is_written_with_the_range_of_custom_boards() -> None:
    written = list(setup_lines(parse_setup(EXAMPLE.encode())))
    expected = [
        {
            "1,2,3,2,3,0,0,1,2,3,4": "1,2,3,2,3,1,4,1,2,3,4",
            "1,3,1,3,3,0,0,9,10,11,12": "1,3,1,3,3,9,12,9,10,11,12",
            "1,3,2,3,2,0,0,1,2,3,4": "1,3,2,3,2,1,4,1,2,3,4",
            "1,3,3,3,1,0,0,5,6,7,8": "1,3,3,3,1,5,8,5,6,7,8",
        }.get(line, line)
        for line in EXAMPLE.split("\r\n")[:-1]
    ]
    assert written == expected


def test_tables_are_read_in_any_order_and_case_and_with_spaces() -> None:
    text = '"RoundData", 1\n 1 , 1,1,1,2,1,3\n"TABLES",1\n1,1,0,0,2,0,0,0\n\n"section",1\n1,A,1,0\n'
    text += '"PlayerNumbers",0\n"Clients",0\n'
    setup = parse_setup(text.encode())
    assert setup.rounds == (RoundRow(1, 1, 1, 1, 2, 1, 3),)
    assert setup.clients == ()
    assert setup.numbers == ()


def test_custom_boards_in_one_text_are_read() -> None:
    text = EXAMPLE.replace("0,0,9,10,11,12", '0,0,"9,10,12"').replace("9,12\r", '9,12,""\r')
    setup = parse_setup(text.encode())
    assert setup.rounds[6].custom == "9,10,12"
    assert setup.rounds[2] == RoundRow(1, 1, 3, 1, 2, 9, 12)


BAD = [
    ('"Tables",3', '"Tables",2', 'line 8: "Tables" announces 2 entries, but has more'),
    ('"Tables",3', '"Tables",4', 'line 9: "Tables" announces 4 entries, but has only 3'),
    ('"PlayerNumbers",12', '"PlayerNumbers",13', "line 31: .* but has only 12. Is the file still"),
    ('"Tables",3', '"Tables",x', r"line 5, field 2 \(number of entries\): 'x' is not a whole number"),
    ('"Tables",3', '"Tables"', "line 5: The row is too short: it has 1 of 2 fields"),
    ('"Tables",3', '"Chairs",3', "line 5, field 1: 'Chairs' is not one of the tables"),
    ('"Clients",1\r\n0,"MBC01"\r\n', "", 'line 29: The table "Clients" is missing'),
    ('"Clients",1\r\n0,"MBC01"', '"Section",0', 'line 2, field 1: The table "Section" occurs twice'),
    ("1,1,0,0,2,0,0,0", "1,1,0,0,2,0,0", "line 6: The row is too short: .* CurrentBoard is missing"),
    ("1,1,0,0,2,0,0,0", "1,1,0,0,2,0,0,0,0", "line 6: The row is too long"),
    ("1,1,0,0,2,0,0,0", "1,x,0,0,2,0,0,0", r"line 6, field 2 \(Table\): 'x' is not a whole number"),
    ("1,1,0,0,2,0,0,0", "2,1,0,0,2,0,0,0", r"line 6, field 1 \(Section\): There is no section 2"),
    ("1,1,0,0,2,0,0,0", "1,2,0,0,2,0,0,0", r"line 7, field 2 \(Table\): Table 2 of section 1 occurs twice"),
    (
        "1,1,0,0,2,0,0,0",
        "1,1,0,0,2,700,0,0",
        r"line 6, field 6 \(UpdateFromRound\): 700 is not a valid instruction",
    ),
    (
        "1,1,1,1,1,1,4",
        "1,9,1,1,1,1,4",
        r'line 10, field 2 \(Table\): Table 9 of section 1 is not in "Tables"',
    ),
    ("1,1,1,1,1,1,4", "1,1,2,1,1,1,4", r"line 11, field 3 \(Round\): This table has round 2 twice"),
    ("1,1,1,1,1,1,4", "1,1,1,1,1,4,1", r"line 10, field 6 \(LowBoard\): Boards 4 to 1 are not a range"),
    ("1,1,1,1,1,1,4", "1,1,1,1,1,0,0,3,2", r"line 10, field 8 \(CustomBoards\): .* ascending order"),
    ("1,1,1,1,1,1,4", "1,1,1,1,1,0,0,3,x", r"line 10, field 8 \(CustomBoards\): .* not board numbers"),
    ('1,1,"N","0"', '1,1,"Q","0"', r"line 20, field 3 \(Direction\): 'Q' is not N, E, S or W"),
    ('1,1,"N","0"', '1,1,"E","0"', r"line 21, field 3 \(Direction\): This table has E twice"),
    ('1,1,"N","0"', '1,7,"N","0"', r"line 20, field 2 \(Table\)"),
    ('1,1,"N","0"', '1,1,"N","12345678901234567"', r"line 20, field 4 \(Number\): .* more than 16"),
    ('1,"A",3,6', '1,"",3,6', r"line 4, field 2 \(Letter\): The section has no letter"),
    ('1,"A",3,6', '1,"A",3,99999', r"line 4, field 4 \(Missing Pair\): 99999 is not between"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), BAD)
def test_invalid_setup_is_rejected_with_file_line_and_field(old: str, new: str, sentence: str) -> None:
    assert old in EXAMPLE
    content = EXAMPLE.replace(old, new, 1).encode()
    with pytest.raises(BadText, match=f"^BMInput.txt, {sentence}"):
        parse_setup(content)


@pytest.mark.parametrize("length", range(0, len(EXAMPLE) - 20, 7))
def test_truncated_setup_is_rejected(length: int) -> None:
    with pytest.raises(BadText):
        parse_setup(EXAMPLE[:length].encode())


@pytest.mark.parametrize("text", ["", "\r\n", '"Clients",0\r\n', '"Section",0\n"Tables",0\n'])
def test_empty_or_short_setup_is_unfinished(text: str) -> None:
    with pytest.raises(Unfinished):
        parse_setup(text.encode())


@given(st.binary(max_size=300))
def test_random_bytes_are_rejected(content: bytes) -> None:
    with pytest.raises(BadInput):
        parse_setup(content)


@given(st.data())
def test_setup_with_a_changed_byte_is_read_or_rejected(data: st.DataObject) -> None:
    content = bytearray(EXAMPLE.encode())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] = data.draw(st.integers(0, 255))
    with suppress(BadText):
        parse_setup(bytes(content))


@st.composite
def setups(draw: st.DrawFn) -> SetupFile:
    sections = draw(st.lists(st.integers(1, 78), min_size=1, max_size=3, unique=True))
    word = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters='"'), min_size=1)
    tables, rounds, numbers = [], [], []
    for section in sections:
        for table in range(1, draw(st.integers(1, 4)) + 1):
            instruction = draw(st.sampled_from((0, 1, -2, 257, 996, 999)))
            tables.append(TableRow(section, table, 0, draw(st.integers(0, 1)), 2, instruction))
            for number in range(1, 4):
                boards = sorted(draw(st.sets(st.integers(1, 99), min_size=1, max_size=5)))
                custom = ",".join(map(str, boards)) if draw(st.booleans()) else ""
                pairs = draw(st.integers(0, 40)), draw(st.integers(0, 40))
                rounds.append(RoundRow(section, table, number, *pairs, boards[0], boards[-1], custom))
            for direction in "NESW":
                numbers.append(PlayerNumberRow(section, table, direction, draw(word)[:16]))
    clients = (ClientRow(0, draw(word)), ClientRow(7, "B"))
    return SetupFile(
        clients,
        tuple(SectionRow(id, "ABC"[place], 4, -2) for place, id in enumerate(sections)),
        tuple(tables),
        tuple(rounds),
        tuple(numbers),
    )


@given(setups())
def test_written_file_is_read_back(setup: SetupFile) -> None:
    assert parse_setup(encode_lines(setup_lines(setup))) == setup


def test_chair_without_a_number_is_written_as_0() -> None:
    setup = parse_setup(EXAMPLE.encode())
    empty = replace(setup, numbers=(replace(setup.numbers[0], number=""),))
    assert list(setup_lines(empty))[-1] == '1,1,"N","0"'
