"""Listings of a `.bws` file for people and for other programs, in the words of bridge. Read-only."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from overtrick.bridge import Card, Outcome, vulnerability
from overtrick.bridge.notation import parse_lead, write_lead
from overtrick.bws.contents import Contents
from overtrick.bws.event_from_file import result_entry
from overtrick.bws.hands import deal_of
from overtrick.bws.id_map import IdMap, ReadProblem, build_id_map
from overtrick.bws.players import compares_text, key_of, names_by_number
from overtrick.bws.rows import ResultRow, is_player_number
from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.event.results import ResultEntry

ListingRow = dict[str, Any]


def result_line(row: ResultRow, id_map: IdMap, day: date) -> ListingRow:
    """Return a result as a row of a listing; if it cannot be read, the remark is the problem."""
    line: ListingRow = {
        "id": row.id,
        "section": id_map.letters.get(row.section, str(row.section)),
        "table": row.table,
        "round": row.round,
        "board": row.board,
        "ns": row.ns,
        "ew": row.ew,
    }
    reading = result_entry(row, id_map, day)
    if isinstance(reading, ReadProblem):
        return {**line, "result": "", "score": None, "lead": "", "at": None, "remark": reading.sentence}
    entry = reading.entry
    remark = "Wrong direction" if entry.is_wrong_direction else reading.doubt
    return {
        **line,
        "result": str(entry.outcome),
        "score": entry.outcome.ns_score(vulnerability(row.board)) if row.board > 0 else None,
        "lead": write_lead(entry.lead),
        "at": entry.at.isoformat(),
        "remark": "Erased" if row.erased else remark,
    }


def results(contents: Contents, today: date, *, with_erased: bool = False) -> list[ListingRow]:
    """Return the current results by section, board and table; with `with_erased` the erased ones too."""
    id_map = build_id_map(contents)
    rows = list(contents.standing().values())
    if with_erased:
        rows = list(contents.results)
    lines = [result_line(row, id_map, today) for row in rows]
    return sorted(lines, key=lambda line: (line["section"], line["board"], line["table"], line["id"]))


def rounds(contents: Contents) -> list[ListingRow]:
    """Return the movement, table by table."""
    id_map = build_id_map(contents)
    return [
        {
            "section": id_map.letters.get(row.section, str(row.section)),
            "table": row.table,
            "round": row.round,
            "ns": row.ns,
            "ew": row.ew,
            "boards": row.custom or (f"{row.low}-{row.high}" if row.low else ""),
        }
        for row in sorted(contents.rounds, key=lambda row: (row.section, row.table, row.round))
    ]


def players(contents: Contents) -> list[ListingRow]:
    """Return the seated players, with the names of their numbers."""
    id_map = build_id_map(contents)
    names, as_text = names_by_number(contents), compares_text(contents)
    return [
        {
            "section": id_map.letters.get(row.section, str(row.section)),
            "table": row.table,
            "round": row.round,
            "seat": row.direction,
            "number": row.number,
            "name": row.name or names.get(key_of(row.number, as_text), ""),
        }
        for row in contents.player_numbers
        if is_player_number(row.number) or row.name
    ]


def hands(contents: Contents) -> list[ListingRow]:
    """Return the hand records, each deal in PBN notation."""
    id_map = build_id_map(contents)
    lines = []
    for row in sorted(contents.hand_records, key=lambda row: (row.section, row.board)):
        try:
            deal = str(deal_of(row))
        except BadInput as bad:
            deal = f"({bad})"
        lines.append(
            {
                "section": id_map.letters.get(row.section, str(row.section)),
                "board": row.board,
                "deal": deal,
            }
        )
    return lines


def hands_pbn(contents: Contents) -> bytes:
    """Return the hand records as PBN; where sections differ, the first section's deal is used."""
    from overtrick.bridge.pbn import Game, write_pbn

    games: dict[int, Game] = {}
    for row in sorted(contents.hand_records, key=lambda row: (row.board, row.section)):
        try:
            games.setdefault(row.board, Game.of_board(row.board, deal_of(row)))
        except BadInput:
            continue
    return write_pbn(games[board] for board in sorted(games) if board > 0)


# Changes between two reads ------------------------------------------------------------------------------------


def differences(before: Contents, after: Contents, today: date) -> Iterator[tuple[str, ListingRow]]:
    """Yield the results that are new, changed or erased between two reads, in the order of the rows."""
    id_map = build_id_map(after)
    old, new = before.standing(), after.standing()
    for place, row in sorted(new.items(), key=lambda item: item[1].id):
        previous = old.get(place)
        if previous is None:
            yield "new", result_line(row, id_map, today)
        elif _result_values(previous) != _result_values(row):
            yield "changed", result_line(row, id_map, today)
    for place, row in sorted(old.items(), key=lambda item: item[1].id):
        if place not in new:
            yield "erased", result_line(row, id_map, today)


def _result_values(row: ResultRow) -> tuple[Any, ...]:
    return row.direction, row.contract, row.result, row.lead, row.remarks, row.ns, row.ew


# Results as text, read back ---------------------------------------------------------------------------------


def read_results_csv(text: str, at: datetime, where: str = "results") -> tuple[ResultEntry, ...]:
    """Parse results from CSV as `export` writes it: section, table, round, board, result, and optionally lead."""
    reader = csv.DictReader(io.StringIO(text))
    needed = {"section", "table", "round", "board", "result"}
    if not needed <= set(reader.fieldnames or ()):
        raise BadInput(f"The first line must name these columns: {', '.join(sorted(needed))}.", where=where)
    rows = []
    for line_number, line in enumerate(reader, start=2):
        rows.append(_entry(line, at, f"{where}, line {line_number}"))
    return tuple(rows)


def _entry(line: Mapping[str, str | None], at: datetime, where: str) -> ResultEntry:
    table, round_number, board = (
        parse_digits((line[name] or "").strip()) for name in ("table", "round", "board")
    )
    if table is None or round_number is None or board is None:
        raise BadInput("Table, round and board must be numbers.", where=where)
    try:
        outcome = Outcome.parse(line["result"] or "")
        lead: Card | None = parse_lead(line.get("lead") or "")
    except BadInput as bad:
        raise BadInput(str(bad), where=where) from None
    return ResultEntry(
        (line["section"] or "").strip().upper(),
        table,
        round_number,
        board,
        outcome,
        at,
        lead=lead,
        is_wrong_direction=(line.get("remark") or "").casefold() == "wrong direction",
    )
