"""`BMRData.txt`: reading and writing of results with the score that BMPFTP computes.

The document's list of fields begins with an ID, but its example rows do not. Both are read, and either can be written.
Scores are from North-South's side.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, time

from overtrick.bmpftp.setup_file import read_table
from overtrick.bmpftp.text_fields import (
    ENCODING,
    FieldLine,
    day_field,
    flag_field,
    quote,
    read_lines,
    time_field,
)
from overtrick.bridge import vulnerability
from overtrick.bws.results import read_result
from overtrick.bws.rows import NO_DAY, ResultRow
from overtrick.bws.schema import field
from overtrick.errors import BadInput

NAME = "BMRData.txt"

FIELDS = (
    "Section",
    "Table",
    "Round",
    "Board",
    "PairNS",
    "PairEW",
    "Declarer",
    "NS/EW",
    "Contract",
    "Result",
    "Leadcard",
    "Score",
    "Remarks",
    "Date",
    "Time",
    "Prc",
    "Prc1",
    "Prc2",
    "Prc3",
    "Prc4",
    "Erased",
)
"""The fields of a row, as the document's examples have them."""

LARGEST_ID = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A row of the file: the result and North-South's score."""

    row: ResultRow
    score: int


def ns_score(row: ResultRow) -> int:
    """Return the score of North-South; 0 for a pass, or if the contract is missing or invalid.

    >>> ns_score(ResultRow(board=3, direction="E", contract="2 H xx", result="+1"))
    -1240
    >>> ns_score(ResultRow(board=4, direction="W", contract="PASS", result="+2"))
    0
    """
    if not row.contract:
        return 0
    try:
        return read_result(row).outcome.ns_score(vulnerability(row.board)) or 0
    except BadInput:
        return 0


def why_not_scored(row: ResultRow) -> str:
    """Return the reason why a contract cannot be scored; empty if it can, or if there is no contract."""
    if row.contract:
        try:
            read_result(row).outcome.ns_score(vulnerability(row.board))
        except BadInput as bad:
            return bad.sentence
    return ""


def result_line(row: ResultRow, *, ids: bool = False) -> str:
    """Return a row as a line of the file."""
    numbers = (row.section, row.table, row.round, row.board, row.ns, row.ew, row.declarer)
    flags = (row.processed, row.processed1, row.processed2, row.processed3, row.processed4, row.erased)
    return ",".join(
        (
            *((str(row.id),) if ids else ()),
            *(str(number) for number in numbers),
            quote(row.direction, 2),
            quote(row.contract),
            quote(row.result),
            quote(row.lead),
            str(ns_score(row)),
            quote(row.remarks),
            day_field(row.day),
            time_field(row.at),
            *(flag_field(flag) for flag in flags),
        )
    )


def parse_results(
    content: bytes,
    encoding: str = ENCODING,
    name: str = NAME,
    tables: Collection[tuple[int, int]] | None = None,
) -> list[ScoredRow]:
    """Parse the rows of a file, with or without IDs; a row without one gets ID 0.

    Raise BadText for an invalid row, or one of a table that is not in `tables`.
    """
    rows: list[ScoredRow] = []
    ids: set[int] = set()
    for line in read_lines(content, name, encoding):
        scored_row = _scored_row(line, tables)
        if scored_row.row.id in ids:
            line.refuse(f"The ID {scored_row.row.id} occurs twice.", 0, "ID")
        if scored_row.row.id:
            ids.add(scored_row.row.id)
        rows.append(scored_row)
    return rows


def _scored_row(line: FieldLine, tables: Collection[tuple[int, int]] | None) -> ScoredRow:
    offset = 1 if len(line.fields) == len(FIELDS) + 1 else 0
    id = line.whole(0, "ID", least=1, most=LARGEST_ID) if offset else 0
    line.require_fields((("ID",) if offset else ()) + FIELDS)
    if tables is not None:
        read_table(line, tables, offset)

    def whole(name: str) -> int:
        return line.whole(offset + FIELDS.index(name), name)

    def text(name: str, column: str = "") -> str:
        longest = field("ReceivedData", column or name).size or 0
        return line.text(offset + FIELDS.index(name), name, longest)

    def flag(name: str) -> bool:
        return line.flag(offset + FIELDS.index(name), name)

    day = line.day(offset + FIELDS.index("Date"), "Date")
    logged_at = line.time(offset + FIELDS.index("Time"), "Time")
    row = ResultRow(
        id=id,
        section=whole("Section"),
        table=whole("Table"),
        round=whole("Round"),
        board=whole("Board"),
        ns=whole("PairNS"),
        ew=whole("PairEW"),
        declarer=whole("Declarer"),
        direction=text("NS/EW"),
        contract=text("Contract"),
        result=text("Result"),
        lead=text("Leadcard", "LeadCard"),
        remarks=text("Remarks"),
        day=datetime.combine(day, time()) if day else None,
        at=datetime.combine(NO_DAY, logged_at) if logged_at else None,
        processed=flag("Prc"),
        processed1=flag("Prc1"),
        processed2=flag("Prc2"),
        processed3=flag("Prc3"),
        processed4=flag("Prc4"),
        erased=flag("Erased"),
    )
    return ScoredRow(row, whole("Score"))
