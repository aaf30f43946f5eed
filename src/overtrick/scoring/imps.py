"""International match points: the table of Law 78B, Butler scoring and cross-IMPs.

Works on North-South's scores on one board; independent of contestants and events.
"""

from bisect import bisect_right
from collections.abc import Mapping
from enum import Enum

from overtrick.scoring.points import UNIT, Units, exact, rounded

_THRESHOLDS = (
    *(20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600),
    *(750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000),
)
"""The smallest difference in score that is worth 1, 2, … 24 IMPs."""


def imps(difference: int) -> int:
    """Return the IMPs for a difference in score; negative for a negative one.

    >>> imps(0), imps(20), imps(-490), imps(4000)
    (0, 1, -10, 24)
    """
    size = bisect_right(_THRESHOLDS, abs(difference))
    return size if difference >= 0 else -size


class Datum(Enum):
    """The rule that computes the datum of a board from its scores."""

    MEAN = "mean"
    """The mean of all results."""
    TRIMMED = "10%"
    """The mean without the best and the worst tenth of the results; the tenth is rounded to whole results."""
    WEIGHTED = "weighted"
    """The mean without exactly a tenth at each end; the result at a cut may count in part."""
    EXTREMES = "extremes"
    """The mean without the best and the worst result, if there are at least three."""

    def cut(self, results: Units) -> Units:
        """Return the number of results that are left out at each end."""
        if self is Datum.TRIMMED:
            return (int(results) + 5) // 10
        if self is Datum.WEIGHTED:
            return exact(results, 10)
        return 1 if self is Datum.EXTREMES and results > 2 else 0


def datum(counts: Mapping[int, Units], kind: Datum = Datum.MEAN) -> int | None:
    """Return the datum of a board, rounded to 10, from the frequency of each score; None without scores.

    The parts of a weighted score have fractional frequencies, so a cut may leave out parts of two scores.

    >>> scores = {420: 8, 450: 1, -50: 1}
    >>> datum(scores), datum(scores, Datum.TRIMMED), datum(scores, Datum.WEIGHTED), datum(scores, Datum.EXTREMES)
    (380, 420, 420, 420)
    >>> datum({100: 3, 1100: 1, -300: 1}, Datum.WEIGHTED)
    180
    """
    results = sum(counts.values())
    if results == 0:
        return None
    cut = kind.cut(results)
    last = results - cut
    total: Units = 0
    end: Units = 0
    for score in sorted(counts):
        start, end = end, end + counts[score]
        total += score * max(0, min(end, last) - max(start, cut))
    return 10 * rounded(exact(total, 10 * (last - cut)))


def butler(counts: Mapping[int, Units], kind: Datum = Datum.MEAN) -> dict[int, Units]:
    """Return North-South's units for each score on a board, compared with the datum.

    >>> butler({420: 1, 170: 1})
    {170: -40000, 420: 30000}
    """
    board_datum = datum(counts, kind)
    return (
        {} if board_datum is None else {score: UNIT * imps(score - board_datum) for score in sorted(counts)}
    )


def cross_imps(counts: Mapping[int, Units], *, average: bool = False) -> dict[int, Units]:
    """Return North-South's units for each score on a board: the total of all comparisons, or their average.

    >>> cross_imps({140: 2, 420: 1, -50: 1, 170: 1})
    {-50: -260000, 140: -30000, 170: 20000, 420: 300000}
    >>> cross_imps({620: 1, 170: 1, 140: 2, -100: 1}, average=True)[620]
    105000
    """
    comparisons = sum(counts.values()) - 1
    table: dict[int, Units] = {}
    for score in sorted(counts):
        total = UNIT * sum(times * imps(score - other) for other, times in counts.items())
        table[score] = (exact(total, comparisons) if comparisons > 0 else 0) if average else total
    return table
