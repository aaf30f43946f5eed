from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.errors import BadInput
from overtrick.magic.errors import UnknownFile
from overtrick.magic.files import Encoding, layout_of, open_file, write_file
from overtrick.magic.rows import LAYOUTS, FileKind, MemberCodeRow, Row
from overtrick.magic.values import READERS, column_prefix, read_decimal, read_number, write_decimal
from overtrick.registry import Person

DOCUMENT = {
    FileKind.INITIAL_TEAMS: "eventname teamname teamid Surn Name role CountryLongName CountryAbbrevIOC EBLCode",
    FileKind.TEAMS: "csEvent csSerie csTeam csMemberID csRole csFirstName csLastName nEventID nSerieID nTeamID "
    "nTeamIDForeign nTeam csCountryISO csCountryIOC nPlayerID nSortRoster",
    FileKind.TEAM_IDS: "nTeamID nTeamIDForeign",
    FileKind.MEMBER_CODES: "nPlayerID csMemberID csFirstName csLastName",
    FileKind.RESULTS: "csEvent csSerie nRound nSegment nTable csRoom csTeamHome csTeamAway "
    "fIMPCarryOverHome fIMPHome fIMPAdjustmentHome fIMPTotalHome fVPCarryOverHome fVPHome fVPAdjustmentHome "
    "fVPTotalRoundHome fVPTotalHome nRankHome nRankMaxHome fIMPCarryOverAway fIMPAway fIMPAdjustmentAway "
    "fIMPTotalAway fVPCarryOverAway fVPAway fVPAdjustmentAway fVPTotalRoundAway fVPTotalAway nRankAway "
    "nRankMaxAway csComment nEventID nSerieID nTeamIDHome nTeamIDForeignHome nTeamHome nTeamIDAway "
    "nTeamIDForeignAway nTeamAway",
    FileKind.LINE_UPS: "csEvent csSerie nRound nSegment nTable csRoom csTeamHome csTeamAway csPlayerNameNorth "
    "csPlayerNameSouth csPlayerNameEast csPlayerNameWest csMemberIDNorth csMemberIDSouth csMemberIDEast "
    "csMemberIDWest nEventID nSerieID nTeamIDHome nTeamIDForeignHome nTeamHome nTeamIDAway "
    "nTeamIDForeignAway nTeamAway",
    FileKind.BOARDS: "csEvent csSerie nRound nSegment nTable csRoom csTeamHome csTeamAway nBoard csContractOpen "
    "csDeclarerOpen nTricksWonOpen csLeadOpen nResultNSOpen nResultEWOpen csContractClosed csDeclarerClosed "
    "nTricksWonClosed csLeadClosed nResultNSClosed nResultEWClosed fIMPHome fIMPAway nEventID nSerieID "
    "nTeamIDHome nTeamIDForeignHome nTeamHome nTeamIDAway nTeamIDForeignAway nTeamAway",
    FileKind.PLAYERS: "nPlayerID nPlayerIDForeign csEBLCode csLastName csFirstName csSex dateBirth",
    FileKind.TOTALS: "nPlayerID nPlayerIDForeign csEBLCode csCountryIOC csLastName csFirstName csSex dateBirth nYear "
    "nYearLastActive nEMPTotal nRPTotal nSMPTotal nTitle",
    FileKind.RANKS: "nPlayerID nYear nMPTType nRankType csCountryIOC nRank",
}
DOCUMENT[FileKind.SCHEDULE] = DOCUMENT[FileKind.RESULTS]


@pytest.mark.parametrize("kind", DOCUMENT)
def test_columns_have_the_names_and_order_of_the_document(kind: FileKind) -> None:
    assert " ".join(LAYOUTS[kind].columns) == DOCUMENT[kind]


def values_of(column: str) -> st.SearchStrategy[Any]:
    text = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=8).map(str.strip)
    return {
        "cs": text,
        "n": st.none() | st.integers(-(10**9), 10**9),
        "f": st.none() | st.integers(-(10**7), 10**7),
        "date": st.none() | st.dates(date(1900, 1, 1)),
    }[column_prefix(column)]


@st.composite
def files(draw: st.DrawFn) -> tuple[FileKind, list[Row]]:
    kind = draw(st.sampled_from(list(FileKind)))
    layout = LAYOUTS[kind]
    row = st.tuples(*(values_of(column) for column in layout.columns))
    rows = [layout.make(list(values)) for values in draw(st.lists(row, max_size=4))]
    blank = layout.make([READERS[column_prefix(column)]("") for column in layout.columns])
    return kind, [row for row in rows if row != blank]


@given(files())
def test_written_rows_are_read_back_and_equal_rows_are_not_written_again(
    tmp_path_factory: pytest.TempPathFactory, file: tuple[FileKind, list[Row]]
) -> None:
    kind, rows = file
    path = tmp_path_factory.mktemp("files") / "file.txt"
    assert write_file(path, kind, rows)
    with open_file(path) as reading:
        assert [row for _, row in reading.rows()] == rows
        assert not reading.problems
    if kind not in (FileKind.RESULTS, FileKind.SCHEDULE):
        assert reading.kind is kind
    assert not write_file(path, kind, rows), "equal rows are not written again"


def test_lines_are_tab_separated_and_end_with_cr_lf(tmp_path: Path) -> None:
    path = tmp_path / "3a.txt"
    write_file(
        path, FileKind.PLAYERS, [Person(1, None, "SWE001", "Brenning", "Tomas", "M", date(1970, 2, 28))]
    )
    assert path.read_bytes() == (
        b"nPlayerID\tnPlayerIDForeign\tcsEBLCode\tcsLastName\tcsFirstName\tcsSex\tdateBirth\r\n"
        b"1\t\tSWE001\tBrenning\tTomas\tM\t1970-02-28\r\n"
    )


HEADER = "nPlayerID\tnPlayerIDForeign\tcsEBLCode\tcsLastName\tcsFirstName\tcsSex\tdateBirth\r\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "1\t2\t3\tA\tB\tM\t1970-02-30",
            "line 2, column dateBirth: '1970-02-30' is not a date such as 1970-02-28.",
        ),
        (
            "1\t2\t3\tA\tB\tM\t1970-W09-6",
            "line 2, column dateBirth: '1970-W09-6' is not a date such as 1970-02-28.",
        ),
        ("x\t2\t3\tA\tB\tM\t", "line 2, column nPlayerID: 'x' is not a whole number."),
        ("1\t2\t3\tA\tB", "line 2: The line has 5 columns instead of 7."),
        ("1\t2\t3\tA\tB\tM\t\t", "line 2: The line has 8 columns instead of 7."),
        ("9" * 19 + "\t2\t3\tA\tB\tM\t", f"line 2, column nPlayerID: The number '{'9' * 19}' is too large."),
        ("١\t2\t3\tA\tB\tM\t", "line 2, column nPlayerID: '١' is not a whole number."),
    ],
)
def test_bad_line_is_reported_with_line_and_column(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "3a.txt"
    path.write_bytes((HEADER + line + "\r\n5\t6\t\tC\tD\t\t\r\n").encode())
    with open_file(path) as reading:
        assert [row for _, row in reading.rows()] == [Person(5, 6, "", "C", "D", "", None)]
    assert [str(problem) for problem in reading.problems] == [message]


def test_bad_lines_deep_in_a_long_file_are_reported_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "3a.txt"
    lines = [f"{number}\t\t\tA\tB\tM\t1970-02-28" for number in range(2, 9002)]
    wrong = {3: "3\t", 4000: "x" + lines[3998][4:], 8999: ""}
    for number, line in wrong.items():
        lines[number - 2] = line
    path.write_bytes((HEADER + "\r\n".join(lines)).encode())
    with open_file(path) as reading:
        for _ in range(2):
            rows = list(reading.rows())
            assert [number for number, _ in rows] == [
                number for number in range(2, 9002) if number not in wrong
            ]
            assert all(row[0] == number for number, row in rows)
            assert [str(problem) for problem in reading.problems] == [
                "line 3: The line has 2 columns instead of 7.",
                "line 4000, column nPlayerID: 'x' is not a whole number.",
            ]


@given(st.text(st.sampled_from("1\t\n"), max_size=40))
def test_each_line_becomes_a_row_a_problem_or_nothing_by_its_width(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.mktemp("files") / "2a-a.txt"
    path.write_text("nTeamID\tnTeamIDForeign\n" + text)
    lines = dict(enumerate((line.split("\t") for line in text.split("\n")), start=2))
    with open_file(path) as reading:
        rows = dict(reading.rows())
    is_row = {
        number for number, cells in lines.items() if len(cells) == 2 and all(len(c) < 19 for c in cells)
    }
    assert rows.keys() == is_row
    for number, row in rows.items():
        assert row == tuple(int(cell) if cell else None for cell in lines[number])
    has_text = {number for number, cells in lines.items() if any(cells)}
    assert {problem.line for problem in reading.problems} == has_text - is_row


def test_similar_header_is_rejected_with_its_differences() -> None:
    columns = list(LAYOUTS[FileKind.TEAMS].columns)
    with pytest.raises(UnknownFile, match="similar to that of 2A; columns missing: 'csSerie'"):
        layout_of([name for name in columns if name != "csSerie"])
    with pytest.raises(UnknownFile, match="unknown: 'csMore'"):
        layout_of([*columns, "csMore"])
    with pytest.raises(UnknownFile, match="another order"):
        layout_of([columns[1], columns[0], *columns[2:]])
    with pytest.raises(UnknownFile, match="not the header"):
        layout_of(["Board", "Pair"])
    assert layout_of(["nPlayerID", "csMemberID"]).kind is FileKind.MEMBER_CODES


def test_huge_header_is_rejected_with_a_short_message() -> None:
    columns = [*(str(number) for number in range(100_000)), *(["nTeamID"] * 100_000)]
    with pytest.raises(UnknownFile, match="repeated: 'nTeamID'") as caught:
        layout_of(columns)
    assert len(str(caught.value)) < 1000


def test_member_codes_without_name_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "2a-b.txt"
    path.write_bytes(b"nPlayerID\tcsMemberID\r\n7\tSWE1\r\n")
    with open_file(path) as reading:
        assert [row for _, row in reading.rows()] == [MemberCodeRow(7, "SWE1", "", "")]


def test_file_with_carry_overs_only_is_a_schedule_and_with_imps_a_result(tmp_path: Path) -> None:
    columns = LAYOUTS[FileKind.RESULTS].columns

    def file(**cells: str) -> Path:
        path = tmp_path / "match.txt"
        line = "\t".join(cells.get(name, "") for name in columns)
        path.write_bytes(("\t".join(columns) + "\r\n" + line + "\r\n").encode())
        return path

    with open_file(
        file(csEvent="Cup", nRound="1", fIMPCarryOverHome="12", fVPCarryOverAway="3,5")
    ) as reading:
        assert reading.kind is FileKind.SCHEDULE
    with open_file(file(csEvent="Cup", nRound="1", fIMPHome="0")) as reading:
        assert reading.kind is FileKind.RESULTS


def test_both_encodings_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    rows = [Person(1, None, "", "Malmö", "Zoë", "", None)]
    path = tmp_path / "3a.txt"
    write_file(path, FileKind.PLAYERS, rows, Encoding.WINDOWS_1252)
    assert "Malmö".encode("cp1252") in path.read_bytes()
    with open_file(path, Encoding.WINDOWS_1252) as reading:
        assert [row for _, row in reading.rows()] == rows
    with (
        pytest.raises(BadInput, match=r"line 2: The characters are not utf-8: try --encoding windows-1252"),
        open_file(path) as reading,
    ):
        list(reading.rows())
    path.write_bytes(b"\xef\xbb\xbf" + HEADER.encode())
    with open_file(path) as reading:
        assert list(reading.rows()) == []
    before = path.read_bytes()
    with pytest.raises(BadInput, match="'Ω' cannot be written in windows-1252"):
        write_file(path, FileKind.PLAYERS, [Person(1, None, "", "Ω", "", "", None)], Encoding.WINDOWS_1252)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["3a.txt"]


def test_name_with_a_tab_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="contains a tab"):
        write_file(tmp_path / "3a.txt", FileKind.PLAYERS, [Person(1, None, "", "A\tB", "", "", None)])
    assert list(tmp_path.iterdir()) == []


@given(st.integers(-(10**12), 10**12))
def test_decimals_are_written_and_read_exactly(units: int) -> None:
    assert read_decimal(write_decimal(units)) == units
    assert read_decimal(write_decimal(units).replace(".", ",")) == units


@given(st.text(max_size=6))
def test_text_is_parsed_as_a_number_or_rejected(text: str) -> None:
    for read in (read_number, read_decimal):
        try:
            number = read(text)
        except ValueError:
            continue
        assert (number is None) == (not text.strip())
