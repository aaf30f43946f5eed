"""Errors of exchange files: the position, the column and the reason."""

from collections.abc import Sequence

from overtrick.errors import BadInput
from overtrick.registry import RowProblem

MOST_LISTED = 20
"""The most different problems that a message lists; the others are only counted."""


class BadFile(BadInput):
    """A file with problems, of which nothing was imported."""

    code = "bad-file"

    def __init__(self, where: str, problems: Sequence[RowProblem]) -> None:
        by_sentence: dict[tuple[str, str], list[RowProblem]] = {}
        for problem in problems:
            by_sentence.setdefault((problem.column, problem.sentence), []).append(problem)
        groups = list(by_sentence.values())
        listed = "\n".join(group[0].words(len(group) - 1) for group in groups[:MOST_LISTED])
        others = sum(len(group) for group in groups[MOST_LISTED:])
        remainder = f"\n… and {others} more." if others else ""
        super().__init__(f"Nothing was imported from this file.\n{listed}{remainder}", where=where)
        self.problems = tuple(problems)


class UnknownFile(BadInput):
    """A file whose header is not that of any kind of the exchange."""

    code = "unknown-file"
