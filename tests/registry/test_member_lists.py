"""Lists of members with the headers of common programs, and USEBIO."""

import pytest

from overtrick.errors import BadInput
from overtrick.registry import member_lists
from overtrick.registry.member_lists import read_member_list, read_usebio_members, write_member_list


def rows(text: str) -> list[tuple[int, str, str, str]]:
    return [
        (line, each.member_code, each.first_name, each.last_name) for line, each in read_member_list(text)
    ]


ANN = (2, "123", "Ann", "Berg")


@pytest.mark.parametrize(
    "text",
    [
        "number,first name,last name\n123,Ann,Berg\n",
        "FIRSTNAME,SURNAME,PID,CLUBID,EBU\nAnn,Berg,5,77,123\n",
        "First name;Surname;Player Id;EBU No\nAnn;Berg;5;123\n",
        "First Name,Surname,Player Number,Club Id,EBU Number\nAnn,Berg,5,6,123\n",
        "ACBL Number,Last Name,First Name,City\n123,Berg,Ann,Oslo\n",
        "Player #\tPlayer Name\n123\tAnn Berg\n",
        '\ufeffName,ACBL #\r\n"Berg, Ann",123\r\n',
        "first_name;last_name;member_no\n Ann ;Berg;123\n",
        "firstname;lastname;playernumber\nAnn;Berg;123\n",
    ],
)
def test_headers_of_common_lists_are_read(text: str) -> None:
    assert rows(text) == [ANN]


def test_empty_lines_are_skipped_and_lines_keep_their_numbers() -> None:
    assert rows("Name\n\nAnn Berg\n,\nBo Ek\n") == [(3, "", "Ann", "Berg"), (5, "", "Bo", "Ek")]


def test_written_list_reads_the_same() -> None:
    lines = read_member_list('Name,No,Gender\n\n"de Boer, Ann",007,F\nBo Ek,,\n')
    assert read_member_list(write_member_list(lines)) == lines
    assert lines[0][1].sex == "W"


@pytest.mark.parametrize("text", ["", "Ann,Berg,123\n", "city,phone\nOslo,1\n"])
def test_list_without_a_header_of_names_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="must name the columns"):
        read_member_list(text)


def test_list_with_a_header_only_is_refused() -> None:
    with pytest.raises(BadInput, match="no member"):
        read_member_list("number,name\n")


def test_list_with_a_broken_cell_is_refused_with_its_line() -> None:
    with pytest.raises(BadInput, match="Line 2"):
        read_member_list('name\n"' + "x" * 140_000 + '"\n')


def test_players_of_usebio_are_read_once_each() -> None:
    content = b"""<?xml version="1.0"?><USEBIO Version="1.2"><EVENT><PARTICIPANTS>
    <PAIR><PLAYER><PLAYER_NAME>Ann Berg</PLAYER_NAME><NATIONAL_ID_NUMBER>123</NATIONAL_ID_NUMBER></PLAYER>
    <PLAYER><PLAYER_NAME>Bo Ek</PLAYER_NAME><NATIONAL_ID_NUMBER>0</NATIONAL_ID_NUMBER></PLAYER></PAIR>
    <PAIR><PLAYER><PLAYER_NAME>Ann Berg</PLAYER_NAME><NATIONAL_ID_NUMBER>123</NATIONAL_ID_NUMBER></PLAYER></PAIR>
    </PARTICIPANTS></EVENT><MEMBER><FIRST_NAME>Cy</FIRST_NAME><SURNAME>Fisk</SURNAME><MEMBER_ID>9</MEMBER_ID></MEMBER>
    </USEBIO>"""
    found = [(each.member_code, each.first_name, each.last_name) for _, each in read_usebio_members(content)]
    assert found == [("123", "Ann", "Berg"), ("", "Bo", "Ek"), ("9", "Cy", "Fisk")]


@pytest.mark.parametrize(
    "content", [b"<USEBIO/>", b"<x/>", b"<USEBIO", b'<!DOCTYPE a [<!ENTITY b "c">]><USEBIO/>']
)
def test_xml_without_players_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput):
        read_usebio_members(content)


def test_signs_that_cannot_be_printed_are_left_out_of_members() -> None:
    ((_, one),) = read_member_list("Name,Number\nAnn\x00 Be\u202erg,1\x002\n")
    assert (one.first_name, one.last_name, one.member_code) == ("Ann", "Berg", "12")


def test_columns_far_to_the_right_are_ignored() -> None:
    ((_, one),) = read_member_list("Name," + "a," * 1_000 + "Number\nAnn Berg" + ",9" * 1_001)
    assert (one.last_name, one.member_code) == ("Berg", "")


def test_usebio_file_with_too_many_players_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_lists, "MOST_LINES", 2)
    players = b"".join(b"<PLAYER><NAME>Ann Berg%d</NAME></PLAYER>" % number for number in range(3))
    with pytest.raises(BadInput, match="at most"):
        read_usebio_members(b"<USEBIO>" + players + b"</USEBIO>")
