"""What can be wrong with a file of the exchange: where, in which column, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from overtrick.errors import BadInput

SHOWN = 20
"""Problems that a sentence names before it only counts."""


@dataclass(frozen=True, slots=True)
class RowProblem:
    """One thing that is wrong with a row.

    >>> print(RowProblem(3, "dateBirth", "'1970-02-30' is no date."))
    line 3, column dateBirth: '1970-02-30' is no date.
    """

    line: int
    column: str
    sentence: str

    def __str__(self) -> str:
        column = f", column {self.column}" if self.column else ""
        return f"line {self.line}{column}: {self.sentence}"


class BadFile(BadInput):
    """A file that is not taken; nothing of it was."""

    code = "bad-file"

    def __init__(self, where: str, problems: Sequence[RowProblem]) -> None:
        shown = "\n".join(str(problem) for problem in problems[:SHOWN])
        more = f"\n… and {len(problems) - SHOWN} more." if len(problems) > SHOWN else ""
        super().__init__(f"Nothing was taken from this file.\n{shown}{more}", where=where)
        self.problems = tuple(problems)


class UnknownFile(BadInput):
    """A file whose header is none of the exchange's."""

    code = "unknown-file"
