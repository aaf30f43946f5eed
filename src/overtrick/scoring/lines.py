"""The input of scoring: contestants and the lines of a traveller. Independent of movements and events.

Whoever supplies lines has already decided who a contestant is and which lines are compared with each other (a
section alone, a scoring group, the whole session: the field of a line).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from overtrick.bridge import (
    Award,
    Cancelled,
    NotPlayed,
    Outcome,
    Percent,
    Side,
    Undecided,
    Weighted,
    vulnerability,
)


@dataclass(frozen=True, slots=True)
class Contestant:
    """A pair, team or player in a ranking.

    With two winners the same number sits North-South and East-West, and `side` tells the two pairs apart; it
    is the side where the contestant is at home, even while arrows are switched.

    >>> str(Contestant("A", 7)), str(Contestant("A", 7, Side.EW)), str(Contestant("", 12))
    ('A7', 'A7 EW', '12')
    """

    section: str
    number: int
    side: Side | None = None

    def __str__(self) -> str:
        return f"{self.section}{self.number}" + (f" {self.side.value}" if self.side else "")

    @property
    def place_in_list(self) -> tuple[int, str, int]:
        """A key that sorts contestants the way lists do: by side, section and number."""
        return (_PLACE_OF_SIDE[self.side], self.section, self.number)


_PLACE_OF_SIDE: dict[Side | None, int] = {None: 0, Side.NS: 1, Side.EW: 2}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a traveller: who met on a board, and what happened."""

    board: int
    ns: Contestant
    ew: Contestant
    outcome: Outcome
    ew_outcome: Outcome | None = None
    """The outcome for East-West if the director gave the two sides separate results."""
    section: str = ""
    table: int = 0
    round: int = 0
    field: str = ""
    """Lines of one field are compared with each other."""
    lead: str = ""
    south: Contestant | None = None
    """In an individual `ns` and `ew` are North and East, and these two their partners, who score the same."""
    west: Contestant | None = None
    version: str = ""
    """The cards that were played, where a board was fouled: lines of one version are compared with each other."""

    @property
    def key(self) -> tuple[str, int, int, int]:
        """Return the place where it was played: a second line from there replaces the first."""
        return (self.section, self.table, self.round, self.board)

    @property
    def traveller(self) -> tuple[str, int]:
        """The field and the board: which traveller it belongs on."""
        return (self.field, self.board)

    def outcome_for(self, side: Side) -> Outcome:
        """Return the outcome that counts for a side."""
        return self.ew_outcome if side is Side.EW and self.ew_outcome is not None else self.outcome

    def score_for(self, side: Side) -> int | None:
        """North-South's score in what counts for that side; None without a score, or with several."""
        return self.outcome_for(side).ns_score(vulnerability(self.board))

    def weighted_score_for(self, side: Side) -> "WeightedScore | None":
        """North-South's scores, with their weights, in a weighted score for that side; None without one."""
        outcome = self.outcome_for(side)
        return tuple(outcome.ns_scores(vulnerability(self.board))) if isinstance(outcome, Weighted) else None

    def award_for(self, side: Side) -> Percent | None:
        """Return the percentage awarded to a side, None if there is no award."""
        outcome = self.outcome_for(side)
        if isinstance(outcome, Award):
            return outcome.ns if side is Side.NS else outcome.ew
        return None

    def contestant(self, side: Side) -> Contestant:
        """Return the contestant of a side; in an individual, the first of the two players."""
        return self.ns if side is Side.NS else self.ew

    def contestants(self, side: Side) -> tuple[Contestant, ...]:
        """Everyone who scores what that side scores."""
        partner = self.south if side is Side.NS else self.west
        return (self.contestant(side),) if partner is None else (self.contestant(side), partner)


WeightedScore = tuple[tuple[Fraction, int], ...]
"""Scores of North-South, each with its weight; the weights make 1."""


@dataclass(frozen=True, slots=True)
class Traveller:
    """All lines of a board in one field, in the order in which they are printed."""

    field: str
    board: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that never reaches a traveller, and why."""

    line: Line
    reason: str

    def __str__(self) -> str:
        line = self.line
        place = f"section {line.section}, " if line.section else ""
        return f"{place}table {line.table}, round {line.round}, board {line.board}: {self.reason}"


def sift(lines: Iterable[Line], *, is_teams: bool = False) -> tuple[list[Line], list[Rejected]]:
    """Return the lines that can be, and the others with their reasons.

    A later line from the same table, round and board replaces an earlier one; a contestant that has the board
    already, at another table or in another round, is refused. Matches of teams may have the same boards in each round.
    """
    standing = {line.key: line for line in lines}
    good: list[Line] = []
    rejected: list[Rejected] = []
    seen: dict[tuple[str, int, int, Contestant], Line] = {}
    for line in standing.values():
        round_ = line.round if is_teams else 0
        reason = _impossible(line) or _played_before(line, round_, seen)
        if reason:
            rejected.append(Rejected(line, reason))
            continue
        good.append(line)
        if not isinstance(line.outcome, NotPlayed):
            for contestant in (*line.contestants(Side.NS), *line.contestants(Side.EW)):
                seen[line.field, round_, line.board, contestant] = line
    return good, rejected


def _impossible(line: Line) -> str:
    if line.board < 1:
        return f"There is no board {line.board}."
    everyone = (*line.contestants(Side.NS), *line.contestants(Side.EW))
    if len(set(everyone)) < len(everyone):
        twice = next(each for each in everyone if everyone.count(each) > 1)
        return f"{twice} cannot play against itself."
    return ""


def _played_before(line: Line, round_: int, seen: dict[tuple[str, int, int, Contestant], Line]) -> str:
    # In a team match both pairs of a team meet the board, at two tables of one round.
    if isinstance(line.outcome, NotPlayed):
        return ""
    sitting = [(side, each) for side in Side for each in line.contestants(side)]
    for side, contestant in sitting:
        before = seen.get((line.field, round_, line.board, contestant))
        if before is not None and not (
            before.round == line.round
            and (before.section, before.table) != (line.section, line.table)
            and before.contestant(side) != contestant
            and {before.ns, before.ew} == {line.ns, line.ew}
        ):
            return f"{contestant} has board {line.board} already, in round {before.round}."
    return ""


def travellers(lines: Iterable[Line]) -> list[Traveller]:
    """Return the travellers of the lines by field and board; the lines of each are sorted by North-South pair.

    >>> from overtrick.bridge import Outcome
    >>> one, two = Contestant("A", 1), Contestant("A", 2)
    >>> [t.board for t in travellers([Line(b, one, two, Outcome.parse("3NTN=")) for b in (2, 1)])]
    [1, 2]
    """
    boards: dict[tuple[str, int], list[Line]] = {}
    for line in lines:
        boards.setdefault(line.traveller, []).append(line)
    return [
        Traveller(field, board, tuple(sorted(boards[field, board], key=_printed_order)))
        for field, board in sorted(boards)
    ]


def _printed_order(line: Line) -> tuple[tuple[int, str, int], tuple[int, str, int], int, int]:
    return (line.ns.place_in_list, line.ew.place_in_list, line.round, line.table)


def is_counted(outcome: Outcome) -> bool:
    """Return whether an outcome counts in a total: neither not played, nor cancelled, nor still to be decided.

    >>> from overtrick.bridge import Outcome
    >>> is_counted(Outcome.parse("60-40")), is_counted(Outcome.parse("NP"))
    (True, False)
    """
    return not isinstance(outcome, NotPlayed | Cancelled | Undecided)
