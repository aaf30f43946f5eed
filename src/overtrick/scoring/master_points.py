"""Master points by a scheme, a TOML file with the points of each place.

A scheme has tables of places by the size of the field, factors by method, and rules for shared places and rounding.
Points are awarded for raw results, not for rankings with handicaps. `EXAMPLE` is invented; no federation uses it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from importlib.resources import files
from math import ceil, floor

from overtrick.errors import BadInput
from overtrick.scoring.lines import Contestant
from overtrick.scoring.method import Method
from overtrick.scoring.points import divide
from overtrick.scoring.ranking import Ranking
from overtrick.scoring.report import ReportPlayer
from overtrick.scoring.series import SeriesStanding, TiedPlaces, points_of_place
from overtrick.scoring.toml_values import parse_choice, parse_number, parse_toml

EXAMPLE = "example"
"""The name of the built-in scheme."""


class Rounding(Enum):
    """The rounding of an award to a whole number; halves go up with NEAREST."""

    DOWN = "down"
    NEAREST = "nearest"
    UP = "up"

    def of(self, points: Fraction) -> int:
        """Return the rounded points of an award.

        >>> [one.of(Fraction(5, 2)) for one in Rounding]
        [2, 3, 3]
        """
        if self is Rounding.NEAREST:
            return divide(points.numerator, points.denominator)
        return floor(points) if self is Rounding.DOWN else ceil(points)


@dataclass(frozen=True, slots=True)
class FieldTable:
    """The points of each place in a field of at least `least` contestants."""

    least: int
    places: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Scheme:
    """A scheme of master points."""

    name: str
    fields: tuple[FieldTable, ...]
    """The tables by size of field, the smallest first."""
    kind: str = "emp"
    """The kind of points in the ledger: emp, rp or smp."""
    factor: Fraction = Fraction(1)
    methods: Mapping[Method, Fraction] = field(default_factory=dict)
    """The factors of methods that differ from `factor`."""
    ties: TiedPlaces = TiedPlaces.SHARE
    rounding: Rounding = Rounding.DOWN

    def points(self, method: Method, size: int, first: int, last: int) -> int:
        """Return the points of each contestant who shares the places `first` to `last` in a field of `size`."""
        tables = [table for table in self.fields if table.least <= size]
        if not tables or not first:
            return 0
        worth = points_of_place(tables[-1].places, first, last, self.ties)
        return self.rounding.of(worth * self.methods.get(method, self.factor))


@dataclass(frozen=True, slots=True)
class PlayerAward:
    """The master points of one player for one ranking."""

    player: ReportPlayer
    rank: int
    points: int


def awards(
    scheme: Scheme,
    method: Method,
    rankings: Iterable[Ranking],
    players: Mapping[Contestant, Sequence[ReportPlayer]],
) -> list[PlayerAward]:
    """Return the awards of a session; each ranking is a separate field.

    Each player of a contestant gets its points; contestants with unknown players get none.
    """
    player_awards: list[PlayerAward] = []
    for ranking in rankings:
        standings = [standing for standing in ranking.standings if standing.rank]
        for standing in standings:
            points = scheme.points(method, len(standings), standing.rank, standing.rank_max)
            player_awards += _awards_to(players.get(standing.contestant, ()), standing.rank, points)
    return player_awards


def series_awards(scheme: Scheme, method: Method, standings: Iterable[SeriesStanding]) -> list[PlayerAward]:
    """Return the awards of a stage of a series."""
    ranked = [standing for standing in standings if standing.rank]
    return [
        award
        for standing in ranked
        for award in _awards_to(
            standing.players,
            standing.rank,
            scheme.points(method, len(ranked), standing.rank, standing.rank_max),
        )
    ]


def _awards_to(players: Iterable[ReportPlayer], rank: int, points: int) -> list[PlayerAward]:
    return [PlayerAward(player, rank, points) for player in players] if points > 0 else []


def example_scheme() -> str:
    """Return the TOML text of the built-in scheme."""
    return files("overtrick.scoring").joinpath("master_points_example.toml").read_text(encoding="utf-8")


_KEYS = ("name", "kind", "factor", "methods", "ties", "rounding", "field")


def parse_scheme(text: str) -> Scheme:
    """Parse a scheme from TOML. Raise BadInput if it is not valid.

    >>> scheme = parse_scheme('name = "Ours"\\n[[field]]\\nfrom = 4\\nplaces = [10, 4.5]')
    >>> [scheme.points(Method.MATCHPOINTS, size, 1, 2) for size in (3, 8)]
    [0, 7]
    """
    table = parse_toml(text, "The scheme")
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise BadInput(f"A scheme has no {unknown[0]!r}; it has {', '.join(_KEYS)}.")
    name = table.get("name")
    if not isinstance(name, str) or not name.strip():
        raise BadInput('A scheme has a name: name = "Our club".')
    kind = table.get("kind", "emp")
    if kind not in ("emp", "rp", "smp"):
        raise BadInput(f"The kind of points is emp, rp or smp, not {str(kind)[:20]!r}.")
    factors = table.get("methods", {})
    if not isinstance(factors, dict):
        raise BadInput("[methods] has a factor for each method: matchpoints = 1.")
    return Scheme(
        name.strip(),
        _fields(table.get("field")),
        kind,
        _number("factor", table.get("factor", 1)),
        {Method.of(word): _number(word, value) for word, value in factors.items()},
        parse_choice(TiedPlaces, "ties", table.get("ties", TiedPlaces.SHARE.value)),
        parse_choice(Rounding, "rounding", table.get("rounding", Rounding.DOWN.value)),
    )


def _fields(parts: object) -> tuple[FieldTable, ...]:
    if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
        raise BadInput("A scheme has fields: [[field]] with from = 4 and places = [12, 6].")
    fields: list[FieldTable] = []
    for part in parts:
        places = part.get("places")
        if set(part) != {"from", "places"} or not isinstance(places, list):
            raise BadInput("A field of a scheme has from, the least number of contestants, and places.")
        least = _number("from", part["from"])
        if least.denominator != 1 or (fields and least <= fields[-1].least):
            raise BadInput("Fields of a scheme begin with whole numbers of contestants, the smallest first.")
        fields.append(FieldTable(int(least), tuple(_number("places", place) for place in places)))
    return tuple(fields)


def _number(key: str, value: object) -> Fraction:
    return parse_number(key, value, 1_000_000)
