"""Fast matchpoints for a large field, such as a simultaneous event of thousands of pairs. Independent of events.

Gives the same rankings as `Scorer` (a test compares them), but keeps results in arrays instead of objects, so that all
boards are scored in a few passes over memory. For a field that is read once and ranked often; use `Scorer` for a
session that is being played. Only this module of the package imports NumPy.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from overtrick.bridge import Percent, Side, Vulnerability, Weighted, vulnerability
from overtrick.errors import BadInput
from overtrick.scoring.boards import award_units
from overtrick.scoring.lines import Contestant, Line, is_counted
from overtrick.scoring.points import UNIT
from overtrick.scoring.ranking import Ranking, Standing
from overtrick.scoring.rules import WBF

_Whole = npt.NDArray[np.intp]

_GREATEST_SCORE = 7600
_NO_SCORE = _GREATEST_SCORE + 1
"""The entry of a line without a score."""
_PARTS = 1000
"""The number of parts of a unit to which totals are rounded before they are compared."""
_AT_A_TIME = 1 << 16
"""The number of lines in a slice: few enough for its temporary arrays to stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class _SideColumns:
    """One side of every line: its cell of the score table, and its contestant as an offset from `first`."""

    cells: _Whole
    sitters: _Whole
    first: int


class LargeField:
    """Matchpoints of one field by the WBF's rule set, with Neuberg's formula.

    Raises BadInput for lines of several fields, individuals, weighted scores and fouled boards.

    >>> from overtrick.bridge import Outcome
    >>> a, b, c, d = (Contestant("A", number) for number in (1, 2, 3, 4))
    >>> field = LargeField([
    ...     Line(1, a, b, Outcome.parse("3NTN="), table=1),
    ...     Line(1, c, d, Outcome.parse("3NTN+1"), table=2),
    ... ])
    >>> [(s.rank, s.rank_max, str(s.contestant)) for s in field.rank().rankings()[0].standings]
    [(1, 2, 'A2'), (1, 2, 'A3'), (3, 4, 'A1'), (3, 4, 'A4')]
    """

    def __init__(self, lines: Iterable[Line], expected: int | None = None) -> None:
        lines = list(lines)
        if len({line.field for line in lines}) > 1:
            raise BadInput("A large field scores one field at a time.")
        if any(
            isinstance(line.outcome_for(side), Weighted) or line.version for line in lines for side in Side
        ):
            raise BadInput("A large field cannot score weighted scores or fouled boards; use `Scorer`.")
        if any(line.south or line.west for line in lines):
            raise BadInput("A large field scores pairs; use `Scorer` for individuals.")
        contestants: dict[Contestant, int] = {}
        seated = {
            side: _whole([contestants.setdefault(line.contestant(side), len(contestants)) for line in lines])
            for side in Side
        }
        scores = _scores(lines)
        awards = [
            (int(sitter), award)
            for side in Side
            for line, sitter, score in zip(lines, seated[side], scores[side], strict=True)
            if score is None
            and (award := line.award_for(side)) is not None
            and is_counted(line.outcome_for(side))
        ]
        numbered = list(contestants)
        self._name = lines[0].field if lines else ""
        self._contestant_of: Callable[[int], Contestant] = numbered.__getitem__
        self._groups = _by_side(numbered)
        self._fill(
            _whole([line.board for line in lines]),
            {side: (sitters, 0) for side, sitters in seated.items()},
            {
                side: _whole([_NO_SCORE if score is None else score for score in scores[side]])
                for side in Side
                if side is Side.NS or scores[side] != scores[Side.NS]
            },
            awards=awards,
            expected=expected,
        )

    @classmethod
    def of_columns(
        cls,
        boards: npt.ArrayLike,
        ns: npt.ArrayLike,
        ew: npt.ArrayLike,
        scores: npt.ArrayLike,
        *,
        winners: int = 2,
        expected: int | None = None,
    ) -> Self:
        """Return a field from columns with board, North-South pair, East-West pair and North-South score of each line.

        With 2 `winners`, North-South and East-West pairs of the same number are different pairs. Raise BadInput for
        columns of different lengths and for values out of range.

        >>> field = LargeField.of_columns([1, 1], [1, 2], [1, 2], [400, 430])
        >>> [(str(s.contestant), s.rank) for r in field.rank().rankings() for s in r.standings]
        [('2 NS', 1), ('1 NS', 2), ('1 EW', 1), ('2 EW', 2)]
        """
        columns = [np.asarray(column, dtype=np.intp) for column in (boards, ns, ew, scores)]
        if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
            raise BadInput("The columns of a large field are lists of one length: board, NS, EW and score.")
        board, north_south, east_west, score = columns
        if score.size and max(-score.min(), score.max()) > _GREATEST_SCORE:
            raise BadInput(f"A score is between -{_GREATEST_SCORE} and {_GREATEST_SCORE}.")
        if score.size and min(north_south.min(), east_west.min(), board.min()) < 1:
            raise BadInput("Boards and pairs are numbered from 1.")
        field = cls.__new__(cls)
        field._name = ""
        most = int(max(north_south.max(initial=0), east_west.max(initial=0)))
        everyone = np.arange(1, most + 1)
        if winners == 2:
            field._contestant_of = lambda place: (
                Contestant("", place, Side.NS) if place <= most else Contestant("", place - most, Side.EW)
            )
            field._groups = [(Side.NS, everyone), (Side.EW, everyone + most)]
        else:
            field._contestant_of = lambda place: Contestant("", place)
            field._groups = [(None, everyone)]
        field._fill(
            board,
            {Side.NS: (north_south, 0), Side.EW: (east_west, most if winners == 2 else 0)},
            {Side.NS: score},
            awards=[],
            expected=expected,
        )
        return field

    def _fill(
        self,
        boards: _Whole,
        seated: dict[Side, tuple[_Whole, int]],
        scores: dict[Side, _Whole],
        *,
        awards: list[tuple[int, Percent]],
        expected: int | None,
    ) -> None:
        """Compute each line's cell of the score table, which has a row for each board and a column for each score.

        Without a column of scores for East-West, North-South's is used for both.
        """
        times_played = np.bincount(boards)
        rows = max(1, int(np.count_nonzero(times_played)))
        occurs = np.zeros(_GREATEST_SCORE + _NO_SCORE + 1, dtype=bool)
        for column in scores.values():
            for lines in _slices(column):
                occurs[column[lines] + _GREATEST_SCORE] = True
        has_gaps = bool(occurs[-1])
        occurs[-1] = False
        width = max(1, int(np.count_nonzero(occurs)))
        self._shape = (rows, width)
        row_of = (np.cumsum(times_played > 0) - 1) * width
        place_of = np.cumsum(occurs) - 1
        times_sat = {side: np.bincount(sitters) for side, (sitters, _) in seated.items()}
        self._size = max(first + len(times_sat[side]) for side, (_, first) in seated.items())
        self._played = np.zeros(self._size, dtype=np.intp)
        self._sides = {}
        for side, (sitters, first) in seated.items():
            if side in scores:
                column = scores[side]
                cells = np.empty(len(column), dtype=np.intp)
                for lines in _slices(column):
                    np.add(row_of[boards[lines]], place_of[column[lines] + _GREATEST_SCORE], out=cells[lines])
                unscored = np.flatnonzero(column == _NO_SCORE) if has_gaps else column[:0]
                cells[unscored] = rows * width
            times = times_sat[side]
            if has_gaps:
                times -= np.bincount(sitters[unscored], minlength=len(times))
            self._played[first : first + len(times)] += times
            self._sides[side] = _SideColumns(cells, sitters, first)
        self._awards = awards
        self.expected = max(int(times_played.max(initial=0)), expected or 0)

    def rank(self) -> "FieldRanks":
        """Score every board and return the ranks."""
        above = np.zeros(self._size)
        worth: npt.NDArray[np.float64] | None = None
        for side, columns in self._sides.items():
            if worth is None or columns.cells is not self._sides[Side.NS].cells:
                worth = self._above_average(columns.cells)
            for lines in _slices(columns.cells):
                # bincount adds floats fastest, and they are exact enough to round to the right unit at the end.
                gained = np.bincount(columns.sitters[lines], worth[columns.cells[lines]])
                own = above[columns.first : columns.first + len(gained)]
                # Units above average for one side are below it for the other.
                if side is Side.NS:
                    own += gained
                else:
                    own -= gained
        average = (self.expected - 1) * UNIT
        boards = self._played
        if self._awards:
            above, boards = self._with_awards(above)
        # Rounding errors of float sums are far below this fraction of a unit, and must not break ties.
        above = np.rint(above * _PARTS) / _PARTS
        return FieldRanks(self._name, self._contestant_of, self._groups, above, average, boards)

    def _above_average(self, cells: _Whole) -> npt.NDArray[np.float64]:
        """Return North-South's units above average for each cell of the score table."""
        rows, width = self._shape
        times = np.zeros((rows, width), dtype=np.intp)
        for lines in _slices(cells):
            times += np.bincount(cells[lines], minlength=rows * width + 1)[:-1].reshape(rows, width)
        passed = times.cumsum(axis=1)
        actual = passed[:, -1:]
        doubled = 2 * passed - times - actual
        worth = np.zeros(rows * width + 1)
        worth[:-1] = (UNIT * self.expected * doubled / np.maximum(actual, 1)).ravel()
        return worth

    def _with_awards(self, above: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], _Whole]:
        average = (self.expected - 1) * UNIT
        played, boards = above, self._played.copy()
        above = above.copy()
        for sitter, award in self._awards:
            top = 2 * average * int(self._played[sitter])
            own = Fraction(1, 2) + Fraction(float(played[sitter])) / top if top else None
            above[sitter] += float(award_units(award, 2 * average, own, WBF) - average)
            boards[sitter] += 1
        return above, boards


def _by_side(contestants: list[Contestant]) -> list[tuple[Side | None, _Whole]]:
    """Return the indexes of the contestants of each side, sorted as in lists."""
    groups: dict[Side | None, list[int]] = {}
    for place in sorted(range(len(contestants)), key=lambda place: contestants[place].place_in_list):
        groups.setdefault(contestants[place].side, []).append(place)
    return [(side, _whole(members)) for side, members in groups.items()]


def _slices(column: npt.NDArray[Any]) -> Iterator[slice]:
    return (slice(start, start + _AT_A_TIME) for start in range(0, len(column), _AT_A_TIME))


def _scores(lines: list[Line]) -> dict[Side, list[int | None]]:
    """Return North-South's score of each line in the outcome for each side.

    Parsing returns the same object for equal outcomes, so each score is computed once.
    """
    score_of: dict[tuple[int, Vulnerability], int | None] = {}

    def score(line: Line, side: Side) -> int | None:
        outcome = line.outcome_for(side)
        # The lines keep their outcomes alive, so no id is reused meanwhile.
        key = (id(outcome), vulnerability(line.board))
        if key not in score_of:
            score_of[key] = outcome.ns_score(key[1])
        return score_of[key]

    ns = [score(line, Side.NS) for line in lines]
    ew = [
        own if line.ew_outcome is None else score(line, Side.EW) for line, own in zip(lines, ns, strict=True)
    ]
    return {Side.NS: ns, Side.EW: ew}


def _whole(numbers: list[int]) -> _Whole:
    return np.array(numbers, dtype=np.intp)


class FieldRanks:
    """The points and ranks of a large field, in arrays."""

    def __init__(
        self,
        name: str,
        contestant_of: Callable[[int], Contestant],
        groups: list[tuple[Side | None, _Whole]],
        above: npt.NDArray[np.float64],
        average: int,
        boards: _Whole,
    ) -> None:
        self._name = name
        self._contestant_of = contestant_of
        self._above, self._boards = above, boards
        # Nearest whole unit, halves away from average.
        self._units = (np.sign(above) * np.floor(np.abs(above) + 0.5)).astype(np.intp) + average * boards
        self._tops = 2 * average * boards
        self._ranked = [(side, *self._rank(members)) for side, members in groups]

    def _rank(self, members: _Whole) -> tuple[_Whole, _Whole, _Whole]:
        """Return the members with at least one board, best first, with their ranks and last shared ranks."""
        members = members[self._boards[members] > 0]
        if not members.size:
            return members, members, members
        tops = self._tops[members]
        scores: npt.NDArray[Any] = self._above[members]
        if tops.min() != tops.max():
            scores = np.round(scores / np.maximum(tops, 1), 13)
        order = np.argsort(-scores, kind="stable")
        best_first = scores[order]
        starts = np.flatnonzero(np.concatenate(([True], best_first[1:] != best_first[:-1])))
        ends = np.append(starts[1:], members.size)
        lengths = ends - starts
        return members[order], np.repeat(starts + 1, lengths), np.repeat(ends, lengths)

    def rankings(self) -> list[Ranking]:
        """Return the rankings in the form that `Scorer` returns."""
        return [
            Ranking(
                self._name,
                side,
                tuple(
                    Standing(rank, rank_max, self._contestant_of(who), units, top, boards)
                    for who, rank, rank_max, units, top, boards in zip(
                        members.tolist(),
                        first.tolist(),
                        last.tolist(),
                        self._units[members].tolist(),
                        self._tops[members].tolist(),
                        self._boards[members].tolist(),
                        strict=True,
                    )
                ),
            )
            for side, members, first, last in self._ranked
        ]
