"""Results that another program published: lines, points and totals. Independent of their file formats."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

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
    """The method by its published name; `compare` finds out which variant of it was used."""
    lines: tuple[PublishedLine, ...]
    totals: Mapping[Contestant, PublishedTotal] = field(default_factory=dict)
    club: str = ""
    played_on: date | None = None
    players: Mapping[Contestant, tuple[ReportPlayer, ...]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    """The entries that could not be read, each with its reason."""
