"""A large field held in columns: a simultaneous event of thousands of pairs ranked in a blink.

Gives what `Scorer` gives for matchpoints (a test holds them to each other), but keeps results as arrays and
not as objects, so all boards are scored in a few passes over memory. For a field that is read once and ranked
often; a session that is being played is `Scorer`'s. Knows no event. The only importer of NumPy in this room.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from overtrick.bridge import Side, Vulnerability, vulnerability
from overtrick.errors import BadInput
from overtrick.scoring.lines import Contestant, Line, is_counted
from overtrick.scoring.matchpoints import board_top
from overtrick.scoring.points import UNIT, divide
from overtrick.scoring.ranking import Ranking, Standing

_Whole = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class _SideColumns:
    """One side of every line: which cell of the score table it is in, and who sat there."""

    cells: _Whole
    sitters: _Whole


class LargeField:
    """Matchpoints across one field, with Neuberg's formula.

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
            raise BadInput("A large field is one field: lines of several are scored one field at a time.")
        self._name = lines[0].field if lines else ""
        self._contestants: dict[Contestant, int] = {}
        boards = {board: place for place, board in enumerate(sorted({line.board for line in lines}))}
        scores = _scores(lines)
        palette = sorted({score for column in scores.values() for score in column if score is not None})
        place_of = {score: place for place, score in enumerate(palette)}
        self._shape = (max(1, len(boards)), max(1, len(palette)))
        width = self._shape[1]
        nowhere = self._shape[0] * width
        self._awards: list[tuple[int, int]] = []
        self._sides: dict[Side, _SideColumns] = {}
        played: list[int] = []
        for side in Side:
            cells = []
            sitters = []
            for line, score in zip(lines, scores[side], strict=True):
                sitter = self._contestants.setdefault(line.contestant(side), len(self._contestants))
                sitters.append(sitter)
                if score is not None:
                    cells.append(boards[line.board] * width + place_of[score])
                    played.append(sitter)
                    continue
                cells.append(nowhere)
                award = line.award_for(side)
                if award is not None and is_counted(line.outcome_for(side)):
                    self._awards.append((sitter, award))
            self._sides[side] = _SideColumns(_whole(cells), _whole(sitters))
        self._split = scores[Side.NS] != scores[Side.EW]
        self._played = np.bincount(_whole(played), minlength=len(self._contestants))
        most = np.bincount(_whole([boards[line.board] for line in lines])).max(initial=0)
        self.expected = max(int(most), expected or 0)
        self._groups = self._by_side()

    def _by_side(self) -> list[tuple[Side | None, _Whole]]:
        groups: dict[Side | None, list[int]] = {}
        in_list = sorted(self._contestants, key=lambda contestant: contestant.place_in_list)
        for contestant in in_list:
            groups.setdefault(contestant.side, []).append(self._contestants[contestant])
        return [(side, _whole(members)) for side, members in groups.items()]

    def rank(self) -> "FieldRanks":
        """Score every board and rank everyone."""
        ns, ew = self._sides[Side.NS], self._sides[Side.EW]
        above_ns = self._above_average(ns.cells)
        above_ew = self._above_average(ew.cells) if self._split else above_ns
        size = len(self._contestants)
        # What is above average for one side is below it for the other. Sums of whole units as small as these
        # are exact as floats, which is what bincount adds up fastest.
        above = np.bincount(ns.sitters, above_ns[ns.cells], size)
        above -= np.bincount(ew.sitters, above_ew[ew.cells], size)
        average = (self.expected - 1) * UNIT
        units = above.astype(np.intp) + average * self._played
        tops = 2 * average * self._played
        boards = self._played
        if self._awards:
            units, tops, boards = self._with_awards(units, tops)
        return FieldRanks(self._name, list(self._contestants), self._groups, units, tops, boards)

    def _above_average(self, cells: _Whole) -> npt.NDArray[np.float64]:
        """For each cell of the score table, the units above average that it is worth to North-South."""
        rows, width = self._shape
        times = np.bincount(cells, minlength=rows * width + 1)[:-1].reshape(rows, width)
        passed = times.cumsum(axis=1)
        actual = passed[:, -1:]
        doubled = 2 * passed - times - actual
        # Nearest whole unit, halves away from zero.
        size = (2 * UNIT * self.expected * np.abs(doubled) + actual) // np.maximum(2 * actual, 1)
        worth = np.zeros(rows * width + 1)
        worth[:-1] = (np.sign(doubled) * size).ravel()
        return worth

    def _with_awards(self, units: _Whole, tops: _Whole) -> tuple[_Whole, _Whole, _Whole]:
        top = board_top(self.expected)
        played_units, played_tops, boards = units, tops, self._played.copy()
        units, tops = units.copy(), tops.copy()
        for sitter, award in self._awards:
            worth = award * top // 100
            if award != 50 and played_tops[sitter]:
                own = divide(int(played_units[sitter]) * top, int(played_tops[sitter]))
                worth = max(worth, own) if award > 50 else min(worth, own)
            units[sitter] += worth
            tops[sitter] += top
            boards[sitter] += 1
        return units, tops, boards


def _scores(lines: list[Line]) -> dict[Side, list[int | None]]:
    """North-South's score in what counts for each side, line by line.

    Outcomes that were parsed are the same object again and again, so a score is worked out once for each.
    """
    known: dict[tuple[int, Vulnerability], int | None] = {}

    def score(line: Line, side: Side) -> int | None:
        outcome = line.outcome_for(side)
        # Lines keep their outcomes, so no other object takes over an identity while this goes on.
        key = (id(outcome), vulnerability(line.board))
        if key not in known:
            known[key] = outcome.ns_score(key[1])
        return known[key]

    ns = [score(line, Side.NS) for line in lines]
    ew = [
        own if line.ew_outcome is None else score(line, Side.EW) for line, own in zip(lines, ns, strict=True)
    ]
    return {Side.NS: ns, Side.EW: ew}


def _whole(numbers: list[int]) -> _Whole:
    return np.array(numbers, dtype=np.intp)


class FieldRanks:
    """Everyone's points and rank in a large field, still in columns."""

    def __init__(
        self,
        name: str,
        contestants: list[Contestant],
        groups: list[tuple[Side | None, _Whole]],
        units: _Whole,
        tops: _Whole,
        boards: _Whole,
    ) -> None:
        self._name = name
        self._contestants = contestants
        self._units, self._tops, self._boards = units, tops, boards
        self._ranked = [(side, *self._rank(members)) for side, members in groups]

    def _rank(self, members: _Whole) -> tuple[_Whole, _Whole, _Whole]:
        """The members that have a board, best first, with their ranks and highest shared ranks."""
        members = members[self._boards[members] > 0]
        tops = self._tops[members]
        scores: npt.NDArray[Any] = self._units[members]
        if members.size and tops.min() != tops.max():
            scores = scores / np.maximum(tops, 1)
        order = np.argsort(-scores, kind="stable")
        best_first = scores[order]
        starts = np.flatnonzero(np.concatenate(([True], best_first[1:] != best_first[:-1])))[: members.size]
        ends = np.append(starts[1:], members.size)
        lengths = ends - starts
        return members[order], np.repeat(starts + 1, lengths), np.repeat(ends, lengths)

    def rankings(self) -> list[Ranking]:
        """The rankings as everyone else gives them."""
        return [
            Ranking(
                self._name,
                side,
                tuple(
                    Standing(rank, rank_max, self._contestants[who], units, top, boards)
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
