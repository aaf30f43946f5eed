"""The limits of one server of each generation of table units: the "Maximum values" of document 001.

Phones have no limits. The check of a session file reports what its servers cannot hold. Pure: no I/O.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from overtrick.event.rejection import Problem, Reason
from overtrick.event.setup import Generation


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The largest figures of one server."""

    sections: int
    letters_repeated: int
    """The most letters in a section's name: 1 is A to Z, 3 allows AAA to ZZZ."""
    tables: int
    table_number: int
    pair: int
    board: int
    boards_a_round: int
    rounds: int
    memory_a_round: int
    memory_a_board: int
    memory: int | None
    """For each table: rounds and boards, each times its memory, may not exceed this; None is no such limit."""
    tables_a_section: tuple[tuple[int, int], ...]
    """Up to so many sections: at most so many tables in the largest."""
    group: int = 127


_SECOND = ServerLimits(
    sections=78,
    letters_repeated=3,
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
        letters_repeated=1,
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
    Generation.II: _SECOND,
    Generation.III: replace(_SECOND, memory=None),
}


@dataclass(frozen=True, slots=True)
class TableLoad:
    """The load that one table puts on a server, in figures."""

    section: str
    table: int
    rounds: int
    boards: tuple[int, ...]
    """The number of boards in each round."""
    highest_board: int
    highest_pair: int
    group: int = 0


def breaches(generation: Generation, loads: Iterable[TableLoad]) -> list[Problem]:
    """Return everything in these tables that one server of the generation cannot hold.

    >>> table = TableLoad("A", 1, rounds=2, boards=(4, 4), highest_board=64, highest_pair=8)
    >>> [problem.sentence for problem in breaches(Generation.PRO, [table])]
    ['Board 64 is beyond 63, the highest a Bridgemate Pro takes.']
    >>> breaches(Generation.II, [table])
    []
    """
    limits = LIMITS[generation]
    unit = f"a Bridgemate {generation.value}"
    loads = list(loads)
    found = [*_server_breaches(limits, unit, loads)]
    for load in loads:
        where = f"table {load.section}{load.table}"
        found += [(where, sentence) for sentence in _table_breaches(limits, unit, load)]
    return [Problem(Reason.OVER_LIMIT, sentence, where) for where, sentence in found]


def _server_breaches(
    limits: ServerLimits, unit: str, loads: Sequence[TableLoad]
) -> Iterator[tuple[str, str]]:
    """Yield where and why the sections and tables together are more than one server holds."""
    counts = Counter(load.section for load in loads)
    if len(counts) > limits.sections:
        yield "", f"{len(counts)} sections are more than {limits.sections}, all that {unit} server takes."
    for section in counts:
        if len(section) > limits.letters_repeated:
            yield f"section {section}", f"{unit} server takes no section with {len(section)} letters."
    if len(loads) > limits.tables:
        yield "", f"{len(loads)} tables are more than {limits.tables}, all that {unit} server takes."
    if limits.tables_a_section and counts:
        most = next((most for upto, most in limits.tables_a_section if len(counts) <= upto), 0)
        largest, tables = counts.most_common(1)[0]
        if tables > most:
            yield (
                f"section {largest}",
                f"With {len(counts)} sections {unit} server takes {most} tables a section, not {tables}.",
            )


def _table_breaches(limits: ServerLimits, unit: str, load: TableLoad) -> Iterator[str]:
    """Yield why one table's load is more than a unit holds."""
    if load.table > limits.table_number:
        yield f"Table number {load.table} is beyond {limits.table_number}, the highest {unit} takes."
    if load.highest_pair > limits.pair:
        yield f"Pair {load.highest_pair} is beyond {limits.pair}, the highest {unit} takes."
    if load.highest_board > limits.board:
        yield f"Board {load.highest_board} is beyond {limits.board}, the highest {unit} takes."
    if load.rounds > limits.rounds:
        yield f"{load.rounds} rounds are more than {limits.rounds}, all that {unit} takes."
    most = max(load.boards, default=0)
    if most > limits.boards_a_round:
        yield f"{most} boards in a round are more than {limits.boards_a_round}, all that {unit} takes."
    memory = load.rounds * limits.memory_a_round + sum(load.boards) * limits.memory_a_board
    if limits.memory is not None and memory > limits.memory:
        yield (
            f"{load.rounds} rounds and {sum(load.boards)} boards do not fit in {unit} "
            f"({memory} of {limits.memory})."
        )
    if load.group > limits.group:
        yield f"Group {load.group} is beyond {limits.group}, the highest there is."
