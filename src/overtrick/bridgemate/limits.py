"""The limits of one server of each generation of table units: the "Maximum values" of the `.bws` guide.

Phones have no limits. The check of a session file reports what its servers cannot hold. Pure: no I/O.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from overtrick.event.rejection import Problem, Reason
from overtrick.event.setup import Generation


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The maximum values of one server and its table units."""

    sections: int
    section_letters: int
    """The most letters in a section's name: 1 allows A to Z; 3 also allows AA to ZZ and AAA to ZZZ."""
    tables: int
    table_number: int
    pair: int
    board: int
    boards_a_round: int
    rounds: int
    memory_a_round: int
    memory_a_board: int
    memory: int | None
    """The memory for one table; None means no limit.

    A table needs `memory_a_round` for each of its rounds and `memory_a_board` for each of its boards.
    """
    tables_a_section: tuple[tuple[int, int], ...]
    """Pairs (sections, tables): with at most that many sections, a section may have at most that many tables."""
    group: int = 127


_LIMITS_II = ServerLimits(
    sections=78,
    section_letters=3,
    tables=256,
    table_number=4095,
    pair=4095,
    board=127,
    boards_a_round=54,
    rounds=255,
    memory_a_round=1,
    memory_a_board=1,
    memory=256,
    tables_a_section=(),
)

LIMITS: Mapping[Generation, ServerLimits] = {
    Generation.PRO: ServerLimits(
        sections=26,
        section_letters=1,
        tables=128,
        table_number=511,
        pair=999,
        board=63,
        boards_a_round=32,
        rounds=63,
        memory_a_round=3,
        memory_a_board=4,
        memory=479,
        tables_a_section=((2, 128), (4, 64), (8, 32), (16, 16), (26, 8)),
    ),
    Generation.II: _LIMITS_II,
    Generation.III: replace(_LIMITS_II, memory=None),
}


@dataclass(frozen=True, slots=True)
class TableLoad:
    """The values of one table that are compared with the limits."""

    section: str
    table: int
    rounds: int
    boards: tuple[int, ...]
    """The number of boards in each round."""
    highest_board: int
    highest_pair: int
    group: int = 0


def violations(generation: Generation, loads: Iterable[TableLoad]) -> list[Problem]:
    """Return a problem for each limit that these tables exceed on one server of the generation.

    >>> table = TableLoad("A", 1, rounds=2, boards=(4, 4), highest_board=64, highest_pair=8)
    >>> [problem.sentence for problem in violations(Generation.PRO, [table])]
    ['Board 64 is too high: a Bridgemate Pro allows at most 63.']
    >>> violations(Generation.II, [table])
    []
    """
    limits = LIMITS[generation]
    unit = f"a Bridgemate {generation.value}"
    loads = list(loads)
    violations = [*_server_violations(limits, unit, loads)]
    for load in loads:
        where = f"table {load.section}{load.table}"
        violations += [(where, sentence) for sentence in _table_violations(limits, unit, load)]
    return [Problem(Reason.OVER_LIMIT, sentence, where) for where, sentence in violations]


def _server_violations(
    limits: ServerLimits, unit: str, loads: Sequence[TableLoad]
) -> Iterator[tuple[str, str]]:
    """Yield the place and a sentence for each limit that the sections and tables together exceed."""
    counts = Counter(load.section for load in loads)
    if len(counts) > limits.sections:
        yield "", f"{len(counts)} sections are too many: {unit} server allows at most {limits.sections}."
    for section in counts:
        if len(section) > limits.section_letters:
            yield (
                f"section {section}",
                f"Section {section} has too many letters: {unit} server allows at most {limits.section_letters}.",
            )
    if len(loads) > limits.tables:
        yield "", f"{len(loads)} tables are too many: {unit} server allows at most {limits.tables}."
    if limits.tables_a_section and counts:
        most = next(
            (most for max_sections, most in limits.tables_a_section if len(counts) <= max_sections), 0
        )
        largest, tables = counts.most_common(1)[0]
        if tables > most:
            yield (
                f"section {largest}",
                f"{tables} tables are too many: with {len(counts)} sections, {unit} server allows at most {most} "
                "in each.",
            )


def _table_violations(limits: ServerLimits, unit: str, load: TableLoad) -> Iterator[str]:
    """Yield a sentence for each limit that one table exceeds."""
    if load.table > limits.table_number:
        yield f"Table number {load.table} is too high: {unit} allows at most {limits.table_number}."
    if load.highest_pair > limits.pair:
        yield f"Pair {load.highest_pair} is too high: {unit} allows at most {limits.pair}."
    if load.highest_board > limits.board:
        yield f"Board {load.highest_board} is too high: {unit} allows at most {limits.board}."
    if load.rounds > limits.rounds:
        yield f"{load.rounds} rounds are too many: {unit} allows at most {limits.rounds}."
    most = max(load.boards, default=0)
    if most > limits.boards_a_round:
        yield f"{most} boards in a round are too many: {unit} allows at most {limits.boards_a_round}."
    memory = load.rounds * limits.memory_a_round + sum(load.boards) * limits.memory_a_board
    if limits.memory is not None and memory > limits.memory:
        yield (
            f"{load.rounds} rounds and {sum(load.boards)} boards do not fit in the memory of {unit} "
            f"({memory} of {limits.memory})."
        )
    if load.group > limits.group:
        yield f"Group {load.group} is too high: the highest is {limits.group}."
