"""What a breach of the guide is, for everything that checks. Knows no rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Breach:
    """One rule that a row breaks."""

    table: str
    row: str
    rule: str
    is_warning: bool = False

    def __str__(self) -> str:
        where = f"{self.table}, {self.row}" if self.row else self.table
        return f"{where}: {self.rule}"


def repeated(values: Iterable[Key]) -> list[Key]:
    """What is there more than once, in the order of its first appearance.

    >>> repeated([3, 1, 3, 2, 1])
    [3, 1]
    """
    return [value for value, count in Counter(values).items() if count > 1]
