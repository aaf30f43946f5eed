"""Who sits which way, from the rows of rounds alone: whether one or two win. Knows no event."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from overtrick.bws.rows import RoundRow, SectionRow


def repeats_numbers(rounds: Iterable[RoundRow]) -> bool:
    """Whether a number sits North-South and East-West in one round."""
    sides: defaultdict[int, tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    for row in rounds:
        sides[row.round][0].add(row.ns)
        sides[row.round][1].add(row.ew)
    return any((ns & ew) - {0} for ns, ew in sides.values())


def two_winners(section: SectionRow, rounds: Iterable[RoundRow]) -> bool:
    """Whether two win: as said, or, where nothing is said, if numbers repeat or nobody changes direction."""
    if section.winners:
        return section.winners == 2
    own = [row for row in rounds if row.section == section.id]
    ns, ew = {row.ns for row in own}, {row.ew for row in own}
    return not (ns & ew) - {0} or repeats_numbers(own)
