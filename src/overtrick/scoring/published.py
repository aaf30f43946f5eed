"""Results that another program published: lines, points and totals. Independent of their file formats.

For later comparisons an event is stored without names: pairs by number, results, points and totals.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from overtrick.bridge import Outcome, Side
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.method import Method
from overtrick.scoring.report import ReportPlayer


@dataclass(frozen=True, slots=True)
class PublishedLine:
    """A line with the published points of each side; None if there are none."""

    line: Line
    ns: Decimal | None = None
    ew: Decimal | None = None


@dataclass(frozen=True, slots=True)
class PublishedTotal:
    """The published figures of a contestant for the session."""

    points: Decimal | None = None
    percentage: Decimal | None = None
    handicap: Decimal = Decimal(0)
    adjustment: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Published:
    """A session as it was published."""

    title: str
    program: str
    method: Method
    """The named method; `compare` finds the variant."""
    lines: tuple[PublishedLine, ...]
    totals: Mapping[Contestant, PublishedTotal] = field(default_factory=dict)
    club: str = ""
    played_on: date | None = None
    players: Mapping[Contestant, tuple[ReportPlayer, ...]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    """The entries that could not be read, each with its reason."""


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
