"""Errors of exchange files: the position, the column and the reason."""

from collections.abc import Sequence

from overtrick.errors import BadInput
from overtrick.registry import RowProblem

SHOWN = 20
"""Problems that a sentence names before it only counts."""


class BadFile(BadInput):
    """A file that is not imported; nothing of it was."""

    code = "bad-file"

    def __init__(self, where: str, problems: Sequence[RowProblem]) -> None:
        alike: dict[tuple[str, str], list[RowProblem]] = {}
        for problem in problems:
            alike.setdefault((problem.column, problem.sentence), []).append(problem)
        groups = list(alike.values())
        shown = "\n".join(same[0].words(len(same) - 1) for same in groups[:SHOWN])
        left = sum(len(same) for same in groups[SHOWN:])
        more = f"\n… and {left} more." if left else ""
        super().__init__(f"Nothing was taken from this file.\n{shown}{more}", where=where)
        self.problems = tuple(problems)


class UnknownFile(BadInput):
    """A file whose header belongs to no kind of the exchange."""

    code = "unknown-file"
