"""The syntax of text files."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bmpftp.text_fields import (
    BadText,
    FieldLine,
    LineEnds,
    canonical_encoding,
    day_field,
    encode_lines,
    quote,
    read_lines,
    split_fields,
    time_field,
)
from overtrick.errors import BadInput


def test_line_is_split_at_commas_outside_quotes() -> None:
    assert split_fields('1, 2 ,"a,b" , "", #FALSE#,').fields == ("1", "2", "a,b", "", "#FALSE#", "")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [('1,"N', "field 2: The closing quote is missing"), ('1,"N"x,2', "field 2: A comma must follow")],
)
def test_broken_quotes_are_rejected_with_their_field(line: str, sentence: str) -> None:
    with pytest.raises(BadText, match=sentence):
        split_fields(line, "BMInput.txt", 4)


@given(st.lists(st.text(st.characters(codec="cp850", exclude_characters='"', exclude_categories=["C", "Z"]))))
def test_written_texts_are_read_back(texts: list[str]) -> None:
    texts = texts or [""]
    content = encode_lines([",".join(quote(text) for text in texts)], "cp850")
    assert [line.fields for line in read_lines(content, "x", "cp850")] == [tuple(texts)]


@pytest.mark.parametrize("ends", [b"\r\n", b"\n", b"\r"])
@pytest.mark.parametrize("tail", [b"", b"\x1a", b"\x1arubbish\x00\xff"])
def test_all_line_ends_and_an_end_of_file_mark_are_read(ends: bytes, tail: bytes) -> None:
    content = ends.join((b"1,2", b"", b'3,"x"', b"")) + tail
    if tail.endswith(b"\xff"):
        content = content.replace(b"\xff", b"\xfe")
    lines = read_lines(content, "BMInput.txt")
    assert [(line.number, line.fields) for line in lines] == [(1, ("1", "2")), (3, ("3", "x"))]


def test_lines_are_written_with_crlf_or_lf() -> None:
    assert encode_lines(["1,2", "3"]) == b"1,2\r\n3\r\n"
    assert encode_lines(["1,2", "3"], ends=LineEnds.LF) == b"1,2\n3\n"


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        ("cp437", b'0,"Z\x81rich"'),
        ("cp850", b'0,"Z\x81rich"'),
        ("cp1252", b'0,"Z\xfcrich"'),
        ("cp850", '0,"Zürich"'.encode("utf-8-sig")),
        ("cp850", '0,"Zürich"'.encode("utf-16")),
    ],
)
def test_encodings_and_byte_order_marks_are_read(encoding: str, content: bytes) -> None:
    assert read_lines(content, "BMInput.txt", encoding)[0].fields == ("0", "Zürich")


def test_undecodable_byte_is_rejected_and_unencodable_character_becomes_a_question_mark() -> None:
    with pytest.raises(BadText, match=r"BMInput.txt, line 2: The byte 0x81 is not a character of cp1252"):
        read_lines(b'"Clients",1\n0,"Z\x81rich"', "BMInput.txt")
    assert encode_lines(["Łódź"], "cp850") == b"?\xa2d?\r\n"


def test_unknown_encoding_is_rejected() -> None:
    assert canonical_encoding("437") == "cp437"
    for name in ("ebcdic-of-mine", "base64", ""):
        with pytest.raises(BadInput, match="There is no encoding"):
            canonical_encoding(name)


@pytest.mark.parametrize("text", ["x", "1.5", "", "32768", "-32769", "٣", "1e3", "99999999999999"])
def test_invalid_or_too_large_number_is_rejected(text: str) -> None:
    with pytest.raises(BadText, match=r"BMInput.txt, line 7, field 2 \(Table\)"):
        FieldLine("BMInput.txt", 7, ("1", text)).whole(1, "Table")


@pytest.mark.parametrize("text", ["#2006-02-30#", "2006-01-27", "#27-01-2006#", "##", "#25:00:00#"])
def test_invalid_date_is_rejected(text: str) -> None:
    with pytest.raises(BadText, match=r"field 1 \(Date\)"):
        FieldLine("BMRData.txt", 1, (text,)).day(0, "Date")


@given(st.datetimes(datetime(1900, 1, 1)))
def test_written_dates_and_times_are_read_back(at: datetime) -> None:
    line = FieldLine("", 1, (day_field(at), time_field(at), "#NULL#", ""))
    assert line.day(0, "") == at.date()
    assert line.time(1, "") == at.time().replace(microsecond=0)
    assert line.day(2, "") is None
    assert line.time(3, "") is None
    assert day_field(None) == time_field(None) == "#NULL#"
