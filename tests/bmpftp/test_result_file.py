"""Reading and writing of `BMRData.txt`."""

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bmpftp.result_file import ScoredRow, ns_score, parse_results, result_line, why_not_scored
from overtrick.bmpftp.text_fields import BadText, encode_lines
from overtrick.bws.rows import ResultRow
from tests.bmpftp.conftest import example

EXAMPLE = example("BMRData.txt")
ROW = parse_results(EXAMPLE)[0].row


def test_documents_36_rows_are_read_scored_and_written_byte_for_byte() -> None:
    rows = parse_results(EXAMPLE)
    assert len(rows) == 36
    assert [ns_score(each.row) for each in rows] == [each.score for each in rows]
    assert encode_lines(result_line(each.row) for each in rows) == EXAMPLE


def test_row_of_the_document_is_read_field_by_field() -> None:
    assert parse_results(EXAMPLE)[23] == ScoredRow(
        ResultRow(
            section=1,
            table=2,
            round=3,
            board=4,
            ns=2,
            ew=3,
            declarer=3,
            direction="E",
            contract="2 H xx",
            result="-4",
            lead="S6",
            day=datetime(2006, 1, 27),
            at=datetime(1899, 12, 30, 10, 0, 32),
        ),
        2200,
    )


def test_row_is_read_with_and_without_its_id() -> None:
    row = replace(ROW, id=41)
    line = result_line(row, ids=True)
    assert line == "41," + result_line(row)
    assert parse_results(encode_lines([line]))[0].row == row


def test_repeated_id_is_rejected() -> None:
    line = result_line(replace(ROW, id=41), ids=True)
    with pytest.raises(BadText, match=r"line 2, field 1 \(ID\): The ID 41 occurs twice"):
        parse_results(encode_lines([line, line]))


@pytest.mark.parametrize(
    ("fields", "score"),
    [
        ({"contract": "", "remarks": "Not played"}, 0),
        ({"contract": "", "remarks": "60%-40%"}, 0),
        ({"contract": "PASS", "result": "+2"}, 0),
        ({"contract": "4 S", "result": "=", "remarks": "Wrong direction", "direction": "N"}, 420),
        ({"contract": "4 S", "result": "=", "direction": "NS"}, 420),
        ({"contract": "4 S", "result": "=", "direction": "EW"}, -420),
        ({"contract": "8 S", "result": "="}, 0),
        ({"contract": "4 S", "result": "="} | {"board": 0}, 0),
    ],
)
def test_score_is_north_souths_and_0_without_a_valid_contract(fields: dict[str, object], score: int) -> None:
    row = replace(ResultRow(board=1, direction="N"), **fields)  # type: ignore[arg-type]
    assert ns_score(row) == score


def test_invalid_contract_has_a_reason_and_a_valid_one_none() -> None:
    assert "8 S" in why_not_scored(ResultRow(board=1, direction="N", contract="8 S", result="="))
    assert why_not_scored(ROW) == ""


def test_flags_and_missing_dates_are_written_and_read() -> None:
    line = result_line(replace(ROW, processed=True, processed4=True, erased=True, day=None, at=None))
    assert line.endswith("#NULL#,#NULL#,#TRUE#,#FALSE#,#FALSE#,#FALSE#,#TRUE#,#TRUE#")
    [back] = parse_results(line.encode())
    assert back.row.processed
    assert back.row.processed4
    assert back.row.erased
    assert back.row.day is None


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b",#FALSE#\r\n", b"\r\n", "line 1: The row is too short: it has 20 of 21 fields"),
        (b"1,1,1,1,1,1,1,", b"1,1,1,1,1,1,x,", r"line 1, field 7 \(Declarer\): 'x' is not a whole number"),
        (b"#2006-01-27#", b"yesterday", r"line 1, field 14 \(Date\)"),
        (b"#FALSE#", b"no", r"line 1, field 16 \(Prc\): 'no' is neither"),
        (b'"1 D x"', b'"1 D xxxxxxxxxx"', r"line 1, field 9 \(Contract\): .* more than 10"),
        (b"1,1,1,1,1,1,1,", b"1,1,1,1,1,1,1,1,1,1,", "line 1: The row is too long"),
    ],
)
def test_invalid_row_is_rejected_with_line_and_field(old: bytes, new: bytes, sentence: str) -> None:
    with pytest.raises(BadText, match=f"^BMRData.txt, {sentence}"):
        parse_results(EXAMPLE.replace(old, new, 1))


@given(
    st.builds(
        ResultRow,
        id=st.integers(1, 2**31 - 1),
        section=st.integers(1, 78),
        table=st.integers(1, 99),
        round=st.integers(1, 30),
        board=st.integers(1, 99),
        ns=st.integers(0, 200),
        ew=st.integers(0, 200),
        declarer=st.integers(0, 200),
        direction=st.sampled_from(("N", "E", "S", "W", "NS", "EW", "")),
        contract=st.sampled_from(("1 NT", "7 S xx", "PASS", "", "3 C x")),
        result=st.sampled_from(("=", "+3", "-12", "")),
        lead=st.sampled_from(("", "C10", "SA")),
        remarks=st.sampled_from(("", "Not played", "Wrong direction", "40%-60%")),
        day=st.none() | st.just(datetime(2026, 3, 2)),
        at=st.none() | st.just(datetime(1899, 12, 30, 23, 59, 59)),
        processed=st.booleans(),
        erased=st.booleans(),
    )
)
def test_written_file_is_read_back(row: ResultRow) -> None:
    assert parse_results(encode_lines([result_line(row, ids=True)])) == [ScoredRow(row, ns_score(row))]
    assert parse_results(encode_lines([result_line(row)])) == [ScoredRow(replace(row, id=0), ns_score(row))]
