"""Fast matchpoints for a large field, such as a simultaneous event of thousands of pairs. Independent of events.

Gives the same rankings as `Scorer` (a test compares them), but keeps results in arrays instead of objects, so that all
boards are scored in a few passes over memory. Use it for a field that is read once and ranked often, and `Scorer` for
a session that is being played. Only this module of the package imports NumPy.
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

_Integers = npt.NDArray[np.intp]

_HIGHEST_SCORE = 7600
_NO_SCORE = _HIGHEST_SCORE + 1
"""The value in a column of scores of a line without a score."""
_PARTS_OF_UNIT = 1000
"""The number of parts of a unit to which totals are rounded before they are compared."""
_SLICE_LENGTH = 1 << 16
"""The number of lines in a slice: few enough for its temporary arrays to stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class _SideColumns:
    """One side of every line: its cell of the score table, and its contestant as an offset from `first`."""

    cells: _Integers
    sitters: _Integers
    first: int


class LargeField:
    """The lines of one field, scored at matchpoints by the WBF's rule set with Neuberg's formula.

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
        contestants_of = {
            side: _integers(
                [contestants.setdefault(line.contestant(side), len(contestants)) for line in lines]
            )
            for side in Side
        }
        scores = _scores(lines)
        awards = [
            (int(sitter), award)
            for side in Side
            for line, sitter, score in zip(lines, contestants_of[side], scores[side], strict=True)
            if score is None
            and (award := line.award_for(side)) is not None
            and is_counted(line.outcome_for(side))
        ]
        numbered = list(contestants)
        self._name = lines[0].field if lines else ""
        self._contestant_of: Callable[[int], Contestant] = numbered.__getitem__
        self._groups = _by_side(numbered)
        self._fill(
            _integers([line.board for line in lines]),
            {side: (sitters, 0) for side, sitters in contestants_of.items()},
            {
                side: _integers([_NO_SCORE if score is None else score for score in scores[side]])
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
        if score.size and max(-score.min(), score.max()) > _HIGHEST_SCORE:
            raise BadInput(f"A score is between -{_HIGHEST_SCORE} and {_HIGHEST_SCORE}.")
        if score.size and min(north_south.min(), east_west.min(), board.min()) < 1:
            raise BadInput("Boards and pairs are numbered from 1.")
        field = cls.__new__(cls)
        field._name = ""
        highest_pair = int(max(north_south.max(initial=0), east_west.max(initial=0)))
        everyone = np.arange(1, highest_pair + 1)
        if winners == 2:
            field._contestant_of = lambda index: (
                Contestant("", index, Side.NS)
                if index <= highest_pair
                else Contestant("", index - highest_pair, Side.EW)
            )
            field._groups = [(Side.NS, everyone), (Side.EW, everyone + highest_pair)]
        else:
            field._contestant_of = lambda index: Contestant("", index)
            field._groups = [(None, everyone)]
        field._fill(
            board,
            {Side.NS: (north_south, 0), Side.EW: (east_west, highest_pair if winners == 2 else 0)},
            {Side.NS: score},
            awards=[],
            expected=expected,
        )
        return field

    def _fill(
        self,
        boards: _Integers,
        contestants_of: dict[Side, tuple[_Integers, int]],
        scores: dict[Side, _Integers],
        *,
        awards: list[tuple[int, Percent]],
        expected: int | None,
    ) -> None:
        """Compute each line's cell of the score table, which has a row for each board and a column for each score.

        Without a column of scores for East-West, North-South's is used for both.
        """
        lines_of_board = np.bincount(boards)
        rows = max(1, int(np.count_nonzero(lines_of_board)))
        is_present = np.zeros(_HIGHEST_SCORE + _NO_SCORE + 1, dtype=bool)
        for column in scores.values():
            for lines in _slices(column):
                is_present[column[lines] + _HIGHEST_SCORE] = True
        has_unscored = bool(is_present[-1])
        is_present[-1] = False
        width = max(1, int(np.count_nonzero(is_present)))
        self._shape = (rows, width)
        row_of = (np.cumsum(lines_of_board > 0) - 1) * width
        column_of = np.cumsum(is_present) - 1
        lines_of = {side: np.bincount(sitters) for side, (sitters, _) in contestants_of.items()}
        self._size = max(first + len(lines_of[side]) for side, (_, first) in contestants_of.items())
        self._played = np.zeros(self._size, dtype=np.intp)
        self._sides = {}
        for side, (sitters, first) in contestants_of.items():
            if side in scores:
                column = scores[side]
                cells = np.empty(len(column), dtype=np.intp)
                for lines in _slices(column):
                    np.add(row_of[boards[lines]], column_of[column[lines] + _HIGHEST_SCORE], out=cells[lines])
                unscored = np.flatnonzero(column == _NO_SCORE) if has_unscored else column[:0]
                cells[unscored] = rows * width
            times = lines_of[side]
            if has_unscored:
                times -= np.bincount(sitters[unscored], minlength=len(times))
            self._played[first : first + len(times)] += times
            self._sides[side] = _SideColumns(cells, sitters, first)
        self._awards = awards
        self.expected = max(int(lines_of_board.max(initial=0)), expected or 0)

    def rank(self) -> "FieldRanks":
        """Score every board and return the points and ranks of all contestants."""
        above = np.zeros(self._size)
        units_of_cell: npt.NDArray[np.float64] | None = None
        for side, columns in self._sides.items():
            if units_of_cell is None or columns.cells is not self._sides[Side.NS].cells:
                units_of_cell = self._above_average(columns.cells)
            for lines in _slices(columns.cells):
                # bincount adds floats fastest, and they are exact enough to round to the right unit at the end.
                gained = np.bincount(columns.sitters[lines], units_of_cell[columns.cells[lines]])
                side_totals = above[columns.first : columns.first + len(gained)]
                # Units above average for one side are below it for the other.
                if side is Side.NS:
                    side_totals += gained
                else:
                    side_totals -= gained
        average = (self.expected - 1) * UNIT
        boards = self._played
        if self._awards:
            above, boards = self._with_awards(above)
        # Rounding errors of float sums are far below this fraction of a unit, and must not break ties.
        above = np.rint(above * _PARTS_OF_UNIT) / _PARTS_OF_UNIT
        return FieldRanks(self._name, self._contestant_of, self._groups, above, average, boards)

    def _above_average(self, cells: _Integers) -> npt.NDArray[np.float64]:
        """Return North-South's units above average for each cell of the score table."""
        rows, width = self._shape
        lines_with = np.zeros((rows, width), dtype=np.intp)
        for lines in _slices(cells):
            lines_with += np.bincount(cells[lines], minlength=rows * width + 1)[:-1].reshape(rows, width)
        lines_up_to = lines_with.cumsum(axis=1)
        actual = lines_up_to[:, -1:]
        doubled = 2 * lines_up_to - lines_with - actual
        units_of_cell = np.zeros(rows * width + 1)
        units_of_cell[:-1] = (UNIT * self.expected * doubled / np.maximum(actual, 1)).ravel()
        return units_of_cell

    def _with_awards(self, above: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], _Integers]:
        average = (self.expected - 1) * UNIT
        before_awards, boards = above, self._played.copy()
        above = above.copy()
        for sitter, award in self._awards:
            top = 2 * average * int(self._played[sitter])
            own_result = Fraction(1, 2) + Fraction(float(before_awards[sitter])) / top if top else None
            above[sitter] += float(award_units(award, 2 * average, own_result, WBF) - average)
            boards[sitter] += 1
        return above, boards


def _by_side(contestants: list[Contestant]) -> list[tuple[Side | None, _Integers]]:
    """Return the indexes of the contestants of each side, sorted as in lists."""
    groups: dict[Side | None, list[int]] = {}
    for index in sorted(range(len(contestants)), key=lambda index: contestants[index].place_in_list):
        groups.setdefault(contestants[index].side, []).append(index)
    return [(side, _integers(members)) for side, members in groups.items()]


def _slices(column: npt.NDArray[Any]) -> Iterator[slice]:
    return (slice(start, start + _SLICE_LENGTH) for start in range(0, len(column), _SLICE_LENGTH))


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
        ns_score if line.ew_outcome is None else score(line, Side.EW)
        for line, ns_score in zip(lines, ns, strict=True)
    ]
    return {Side.NS: ns, Side.EW: ew}


def _integers(numbers: list[int]) -> _Integers:
    return np.array(numbers, dtype=np.intp)


class FieldRanks:
    """The points and ranks of a large field, in arrays."""

    def __init__(
        self,
        name: str,
        contestant_of: Callable[[int], Contestant],
        groups: list[tuple[Side | None, _Integers]],
        above: npt.NDArray[np.float64],
        average: int,
        boards: _Integers,
    ) -> None:
        self._name = name
        self._contestant_of = contestant_of
        self._above, self._boards = above, boards
        # Round to the nearest whole unit; halves are rounded away from the average.
        self._units = (np.sign(above) * np.floor(np.abs(above) + 0.5)).astype(np.intp) + average * boards
        self._tops = 2 * average * boards
        self._ranked = [(side, *self._rank(members)) for side, members in groups]

    def _rank(self, members: _Integers) -> tuple[_Integers, _Integers, _Integers]:
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
