"""Published events as fixtures: JSON without names, with pairs by number, results, points and totals."""

import json
from decimal import Decimal
from typing import Any

from overtrick.bridge import Outcome, Side
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.method import Method
from overtrick.scoring.published import Published, PublishedLine, PublishedTotal


def write_figures(published: Published, source: str) -> str:
    """Return the figures of a session as JSON, without names; `source` is the place of publication."""
    numbers = {who: place for place, who in enumerate(_everyone(published))}
    return json.dumps(
        {
            "source": source,
            "program": published.program,
            "method": published.method.value,
            "contestants": [
                [
                    who.section,
                    who.number,
                    who.side.value if who.side else "",
                    *_total(published.totals.get(who)),
                ]
                for who in numbers
            ],
            "lines": [
                [
                    *(
                        entry.line.board,
                        entry.line.round,
                        entry.line.table,
                        entry.line.field,
                    ),
                    *(None if who is None else numbers[who] for who in _seated(entry.line)),
                    *(str(entry.line.outcome), _text(entry.ns), _text(entry.ew)),
                ]
                for entry in published.lines
            ],
        },
        separators=(",", ":"),
    ).replace("],[", "],\n[")


def read_figures(text: str) -> Published:
    """Return the session from the JSON of `write_figures`; its title is the source."""
    figures: dict[str, Any] = json.loads(text)
    everyone = [
        Contestant(section, number, Side(side) if side else None)
        for section, number, side, *_ in figures["contestants"]
    ]
    return Published(
        figures["source"],
        figures["program"],
        Method.of(figures["method"]),
        tuple(
            PublishedLine(
                Line(
                    board,
                    everyone[ns],
                    everyone[ew],
                    Outcome.parse(outcome),
                    section=everyone[ns].section,
                    table=table,
                    round=round_,
                    field=name,
                    south=None if south is None else everyone[south],
                    west=None if west is None else everyone[west],
                ),
                _number(ns_points),
                _number(ew_points),
            )
            for board, round_, table, name, ns, ew, south, west, outcome, ns_points, ew_points in figures[
                "lines"
            ]
        ),
        {
            who: PublishedTotal(_number(points), _number(share), Decimal(handicap), Decimal(adjustment))
            for who, (_, _, _, points, share, handicap, adjustment) in zip(
                everyone, figures["contestants"], strict=True
            )
        },
    )


def _seated(line: Line) -> tuple[Contestant | None, ...]:
    return line.ns, line.ew, line.south, line.west


def _everyone(published: Published) -> list[Contestant]:
    seated = {who for entry in published.lines for who in _seated(entry.line) if who is not None}
    return sorted(seated | set(published.totals), key=lambda who: who.place_in_list)


def _total(total: PublishedTotal | None) -> tuple[str, str, str, str]:
    total = total or PublishedTotal()
    return _text(total.points), _text(total.percentage), str(total.handicap), str(total.adjustment)


def _text(number: Decimal | None) -> str:
    return "" if number is None else str(number)


def _number(text: str) -> Decimal | None:
    return Decimal(text) if text else None
