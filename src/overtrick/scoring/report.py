"""The published form of a scored session. Independent of files and formats."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction

from overtrick.bridge import Deal, Played, Side, Tricks, vulnerability
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.points import Units, exact, percentage, to_points
from overtrick.scoring.ranking import Standing
from overtrick.scoring.scored import Scored
from overtrick.scoring.session import ScoredTraveller, SideScore


def field_title(field: str) -> str:
    """Return the title of a field: its name, or the number of its scoring group.

    >>> field_title("2"), field_title("Open")
    ('Group 2', 'Open')
    """
    return f"Group {field}" if field.replace(".", "").isdigit() else field


@dataclass(frozen=True, slots=True)
class Player:
    """Someone who played, with the number that a federation knows them by."""

    name: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class HandRecord:
    """The deal of a board, what can be made of it, and par; the last two as others found them."""

    deal: Deal
    tricks: Tricks | None = None
    par: str = ""
    """The side and its score, as PBN writes it: EW 140."""
    ways: str = ""
    """The contracts that par is reached in, as they are printed."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """A board on a score card, as the contestant saw it."""

    line: Line
    side: Side
    score: SideScore | None
    running: float | None
    """The percentage so far, or the points where there is no top; None before anything counts."""

    @property
    def opponents(self) -> Contestant:
        """Return the opponents."""
        return self.line.contestant(self.side.opponents)

    @property
    def table_score(self) -> int | None:
        """The score from the contestant's own side."""
        ns = self.line.score_for(self.side)
        return ns if ns is None or self.side is Side.NS else -ns


@dataclass(frozen=True, slots=True)
class Frequency:
    """The frequency of a score on a board, and its value.

    A weighted score makes a part of a score.
    """

    ns_score: int
    times: Units
    ns: SideScore
    ew: SideScore


@dataclass(frozen=True, slots=True)
class Report:
    """A scored session with everything that is said about it."""

    title: str
    scored: Scored
    club: str = ""
    club_number: str = ""
    played_on: date | None = None
    players: Mapping[Contestant, tuple[Player, ...]] = field(default_factory=dict)
    team_names: Mapping[Contestant, str] = field(default_factory=dict)
    hands: Mapping[tuple[str, int], HandRecord] = field(default_factory=dict)
    """By field and board."""

    def name(self, contestant: Contestant) -> str:
        """Return the names of the players or of the team, empty if unknown."""
        named = self.team_names.get(contestant)
        return named or " – ".join(player.name for player in self.players.get(contestant, ()))

    def standings(self) -> Iterator[tuple[str, Standing]]:
        """Everyone who is ranked, with the field that they are ranked in."""
        for ranking in self.scored.rankings:
            for standing in ranking.standings:
                yield ranking.field, standing

    def contestants(self) -> list[Contestant]:
        """Everyone who is on a traveller, as lists have them."""
        everyone = {
            contestant
            for traveller in self.scored.travellers
            for scored in traveller.lines
            for side in Side
            for contestant in scored.line.contestants(side)
        }
        return sorted(everyone, key=lambda contestant: contestant.place_in_list)

    def score_cards(self) -> dict[Contestant, tuple[CardLine, ...]]:
        """Return everyone's score card, in the order in which the boards were played."""
        played: dict[Contestant, list[tuple[Line, Side, SideScore | None]]] = {}
        for traveller in self.scored.travellers:
            for scored in traveller.lines:
                for side in Side:
                    for who in scored.line.contestants(side):
                        played.setdefault(who, []).append((scored.line, side, scored.score(side)))
        return {who: tuple(_running(boards)) for who, boards in played.items()}


def _running(boards: list[tuple[Line, Side, SideScore | None]]) -> Iterator[CardLine]:
    units = top = 0
    counted: set[tuple[int, int]] = set()
    for line, side, score in sorted(boards, key=lambda board: (board[0].round, board[0].board)):
        # A team has a board at two tables, and it counts once.
        if score is not None and (line.round, line.board) not in counted:
            units += score.units
            top += score.top
            counted.add((line.round, line.board))
        so_far = None
        if counted:
            so_far = percentage(units, top) if top else to_points(units)
        yield CardLine(line, side, score, so_far)


def frequencies(traveller: ScoredTraveller) -> list[Frequency]:
    """Return the scores on a board from the best for North-South down.

    A score that counts for one side only (separate results) is not one that was made, and is left out. A weighted score
    adds to the scores that others made; one that is only a part of it is worth nothing by itself, and is left out too.
    """
    found: dict[int, list[tuple[SideScore, SideScore]]] = {}
    parts: dict[int, Fraction] = {}
    for scored in traveller.lines:
        if scored.line.ew_outcome is None and scored.ns is not None:
            for weight, part in scored.line.weighted_score_for(Side.NS) or ():
                parts[part] = parts.get(part, Fraction(0)) + weight
        ns_score = scored.line.outcome.ns_score(vulnerability(traveller.board))
        if (
            ns_score is not None
            and scored.line.ew_outcome is None
            and scored.ns is not None
            and scored.ew is not None
        ):
            found.setdefault(ns_score, []).append((scored.ns, scored.ew))
    return [
        Frequency(score, exact(len(found[score]) + parts.get(score, 0), 1), *found[score][0])
        for score in sorted(found, reverse=True)
    ]


@dataclass(frozen=True, slots=True)
class Shown:
    """An outcome in the words of a traveller's columns."""

    contract: str
    declarer: str
    result: str


def shown(line: Line, side: Side = Side.NS) -> Shown:
    """Return the columns of a traveller for a line, as it counts for a side.

    >>> from overtrick.bridge import Outcome
    >>> one, two = Contestant("A", 1), Contestant("A", 2)
    >>> shown(Line(1, one, two, Outcome.parse("4SxN+1")))
    Shown(contract='4♠x', declarer='N', result='+1')
    >>> shown(Line(1, one, two, Outcome.parse("60-40")))
    Shown(contract='60-40', declarer='', result='')
    """
    outcome = line.outcome_for(side)
    if not isinstance(outcome, Played):
        return Shown(str(outcome), "", "")
    contract = outcome.contract
    result = f"{outcome.overtricks:+d}" if outcome.overtricks else "="
    words = f"{contract.level}{contract.strain.symbol}{contract.doubling.sign}"
    return Shown(words, contract.declarer.value, result)
