"""The input of scoring: contestants and the lines of a traveller. Independent of movements and events.

The caller decides who a contestant is, and sets the field of each line: lines of one field (a section, a scoring group
or the whole session) are compared with each other.
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

    With two winners, `side` tells the North-South pair of a number from the East-West pair; an arrow switch does not
    change it.

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
        """The sort key of lists: side, section and number."""
        return (_PLACE_OF_SIDE[self.side], self.section, self.number)


_PLACE_OF_SIDE: dict[Side | None, int] = {None: 0, Side.NS: 1, Side.EW: 2}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a traveller: a board, the two sides that met on it, and the outcome."""

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
    """The partner of `ns` in an individual, where `ns` and `ew` are North and East; `west` is the partner of `ew`."""
    west: Contestant | None = None
    version: str = ""
    """The version of the cards of a fouled board: only lines of one version are compared with each other."""

    @property
    def key(self) -> tuple[str, int, int, int]:
        """Return section, table, round and board; a later line with the same key replaces an earlier one."""
        return (self.section, self.table, self.round, self.board)

    @property
    def traveller(self) -> tuple[str, int]:
        """The field and the board, which identify its traveller."""
        return (self.field, self.board)

    def outcome_for(self, side: Side) -> Outcome:
        """Return the outcome that counts for a side."""
        return self.ew_outcome if side is Side.EW and self.ew_outcome is not None else self.outcome

    def score_for(self, side: Side) -> int | None:
        """Return North-South's score in the outcome for a side; None for an outcome without a score or with several."""
        return self.outcome_for(side).ns_score(vulnerability(self.board))

    def weighted_score_for(self, side: Side) -> "WeightedScore | None":
        """Return North-South's scores and weights in a weighted score for a side; None for any other outcome."""
        outcome = self.outcome_for(side)
        return tuple(outcome.ns_scores(vulnerability(self.board))) if isinstance(outcome, Weighted) else None

    def award_for(self, side: Side) -> Percent | None:
        """Return the percentage awarded to a side; None if there is no award."""
        outcome = self.outcome_for(side)
        if isinstance(outcome, Award):
            return outcome.ns if side is Side.NS else outcome.ew
        return None

    def contestant(self, side: Side) -> Contestant:
        """Return the contestant of a side; in an individual, the first of the two players."""
        return self.ns if side is Side.NS else self.ew

    def contestants(self, side: Side) -> tuple[Contestant, ...]:
        """Return the contestants who get the score of a side: two in an individual, otherwise one."""
        partner = self.south if side is Side.NS else self.west
        return (self.contestant(side),) if partner is None else (self.contestant(side), partner)


WeightedScore = tuple[tuple[Fraction, int], ...]
"""The weights, whose sum is 1, each with a score of North-South."""


@dataclass(frozen=True, slots=True)
class Traveller:
    """All lines of a board in one field, in the order in which they are printed."""

    field: str
    board: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that is left out of the scoring, with the reason."""

    line: Line
    reason: str

    def __str__(self) -> str:
        line = self.line
        place = f"section {line.section}, " if line.section else ""
        return f"{place}table {line.table}, round {line.round}, board {line.board}: {self.reason}"


def sift(lines: Iterable[Line], *, is_teams: bool = False) -> tuple[list[Line], list[Rejected]]:
    """Return the valid lines, and the rejected ones with reasons.

    A later line with the same key replaces an earlier one. A line is rejected if one of its contestants has already
    played the board elsewhere. Matches of teams may have the same boards in each round.
    """
    latest = {line.key: line for line in lines}
    valid: list[Line] = []
    rejected: list[Rejected] = []
    played: dict[tuple[str, int, int, Contestant], Line] = {}
    for line in latest.values():
        round_ = line.round if is_teams else 0
        problem = _invalid_reason(line) or _replay_reason(line, round_, played)
        if problem:
            rejected.append(Rejected(line, problem))
            continue
        valid.append(line)
        if not isinstance(line.outcome, NotPlayed):
            for contestant in (*line.contestants(Side.NS), *line.contestants(Side.EW)):
                played[line.field, round_, line.board, contestant] = line
    return valid, rejected


def _invalid_reason(line: Line) -> str:
    if line.board < 1:
        return f"There is no board {line.board}."
    everyone = (*line.contestants(Side.NS), *line.contestants(Side.EW))
    if len(set(everyone)) < len(everyone):
        twice = next(contestant for contestant in everyone if everyone.count(contestant) > 1)
        return f"{twice} cannot play against itself."
    return ""


def _replay_reason(line: Line, round_: int, played: dict[tuple[str, int, int, Contestant], Line]) -> str:
    if isinstance(line.outcome, NotPlayed):
        return ""
    players = [(side, contestant) for side in Side for contestant in line.contestants(side)]
    for side, contestant in players:
        before = played.get((line.field, round_, line.board, contestant))
        # In a team match a team plays a board twice: at two tables of one round, on different sides.
        if before is not None and not (
            before.round == line.round
            and (before.section, before.table) != (line.section, line.table)
            and before.contestant(side) != contestant
            and {before.ns, before.ew} == {line.ns, line.ew}
        ):
            return f"{contestant} has already played board {line.board}, in round {before.round}."
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
    """Return whether an outcome counts: False for not played, cancelled and pending rulings.

    >>> from overtrick.bridge import Outcome
    >>> is_counted(Outcome.parse("60-40")), is_counted(Outcome.parse("NP"))
    (True, False)
    """
    return not isinstance(outcome, NotPlayed | Cancelled | Undecided)
