"""The Mitchell family: N-S pairs stay, E-W pairs move up a table, boards move down a table.

Plain, skip and share-and-relay Mitchells, with a rover, a missing pair, arrow switches or fewer rounds. Pure: no I/O.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, get_args

from overtrick.movements.model import (
    Movement,
    MovementError,
    Promises,
    Station,
    require,
    require_kind,
    sets_of_boards,
    without,
)
from overtrick.movements.rovers import rover_tables

MitchellKind = Literal["auto", "plain", "skip", "share-and-relay", "rover"]
Base = Literal["plain", "skip", "share-and-relay"]

NAMES: dict[Base, str] = {
    "plain": "Mitchell",
    "skip": "skip Mitchell",
    "share-and-relay": "share-and-relay Mitchell",
}
MOST_TABLES = 100
EVERY_BOARD_UP_TO = 8
"""With an even number of tables above this, losing one round is better than sharing boards."""


def mitchell(
    tables: int,
    boards_per_round: int,
    rounds: int | None = None,
    *,
    kind: MitchellKind = "auto",
    arrow_switches: int = 0,
    missing_pair: int | None = None,
) -> Movement:
    """Return a Mitchell of full tables (a half table counts too); raise MovementError if there is none.

    A plain Mitchell fails half way if the number of tables is even: E-W come to boards they have played.
    So "auto" is plain with an odd number of tables, and with an even one
    - plain, if no more than half of the rounds are played;
    - share-and-relay (the first and last tables share, a relay stand is half way) for as many rounds as tables, and
      without `rounds` up to 8 tables: everyone plays every board;
    - skip (E-W skip a table half way) otherwise, with one round fewer than tables unless `rounds` says fewer.

    "rover" is for one pair more than the tables hold: the rover pair, with the highest N-S number, sits out the first
    round and then plays N-S at another table each round; the pair whose place it takes sits out, at an extra table
    without boards, and comes back.

    Without arrow switches each direction is numbered from 1 and has a winner. With them the directions are switched in
    that many last rounds, E-W numbers follow those of N-S, and there is one winner. A missing pair is an N-S number, or
    the negative of an E-W number; with one winner it may also be the number of any pair.

    >>> [(s.table, s.ns, s.ew, s.boards) for s in mitchell(3, 2).round(2)]
    [(1, 1, 3, (3, 4)), (2, 2, 1, (5, 6)), (3, 3, 2, (1, 2))]
    """
    require(tables, 2, "The number of tables of a Mitchell", MOST_TABLES)
    require(boards_per_round, 1, "The number of boards in a round")
    if rounds is not None:
        require(rounds, 1, "The number of rounds")
    require_kind(kind, get_args(MitchellKind), "Mitchell")
    base = _base(tables, rounds, kind)
    rounds = _rounds(base, tables, rounds)
    require(arrow_switches, 0, "The number of rounds with an arrow switch", rounds)
    rover = kind == "rover"
    if rover and missing_pair is not None:
        raise MovementError("A Mitchell has a rover or a missing pair, not both: use one table fewer.")

    stations: Iterable[Station] = list(
        _circulation(base, tables, rounds, sets_of_boards(tables, boards_per_round))
    )
    name = NAMES[base]
    # The last round of a full skip Mitchell brings E-W back to the opponents of the first.
    revenge = base == "skip" and rounds == tables
    meetings = 2 if revenge else 1
    north_souths = tables
    if rover:
        north_souths += 1
        stations = list(_with_rover(stations, north_souths, rover_tables(base, tables, rounds)))
        against = Counter(station.ew for station in stations if station.ns == north_souths and station.ew)
        meetings = max(meetings, *against.values()) if against else meetings
        name = f"rover {name}"
    if arrow_switches:
        stations = _one_field(stations, north_souths, rounds - arrow_switches)
        name += f" with {arrow_switches} arrow switch{'es' if arrow_switches > 1 else ''}"
    if missing_pair is not None:
        stations = _missing(stations, tables, missing_pair, one_field=arrow_switches > 0)
    name += f" of {tables}{'½' if rover else ''} tables"
    if rounds < _rounds(base, tables, None):
        name += f", {rounds} rounds"
    return Movement(
        name=name,
        winners=1 if arrow_switches else 2,
        tables=north_souths,
        rounds=rounds,
        boards_per_round=boards_per_round,
        stations=tuple(stations),
        promises=Promises(
            opponents_at_most=meetings,
            everyone_meets=rounds == tables and not (revenge or rover or arrow_switches),
            all_boards=rounds == tables,
            sit_outs_at_most=meetings if missing_pair is not None else int(rover),
            shared=((1, tables),) if base == "share-and-relay" else (),
        ),
    )


def _base(tables: int, rounds: int | None, kind: MitchellKind) -> Base:
    if kind in ("plain", "skip", "share-and-relay"):
        if tables % 2 and kind != "plain":
            raise MovementError(
                f"A {kind} Mitchell needs an even number of tables; {tables} tables play plain."
            )
        return kind
    if tables % 2 or (rounds is not None and rounds <= tables // 2):
        return "plain"
    if rounds is None:
        return "share-and-relay" if tables <= EVERY_BOARD_UP_TO else "skip"
    return "skip" if rounds < tables else "share-and-relay"


def _rounds(base: Base, tables: int, asked: int | None) -> int:
    most = tables // 2 if base == "plain" and tables % 2 == 0 else tables
    if asked is None:
        return tables - 1 if base == "skip" else most
    if asked > most:
        more = "; a skip or share-and-relay Mitchell has more" if most < tables else ""
        raise MovementError(
            f"A {NAMES[base]} of {tables} tables has at most {most} rounds, not {asked}{more}."
        )
    return asked


def _circulation(
    base: Base, tables: int, rounds: int, sets: tuple[tuple[int, ...], ...]
) -> Iterator[Station]:
    """Yield the stations of the full tables, each direction numbered from 1."""
    for turn in range(rounds):
        skipped = 1 if base == "skip" and turn >= tables // 2 else 0
        for place in range(tables):
            # The relay stand is after the first half of the tables, so the last table has the boards of the first.
            stand = 1 if base == "share-and-relay" and place >= tables // 2 else 0
            yield Station(
                table=place + 1,
                round=turn + 1,
                ns=place + 1,
                ew=(place - turn - skipped) % tables + 1,
                boards=sets[(place + stand + turn) % tables],
            )


def _with_rover(stations: Iterable[Station], rover: int, path: tuple[int, ...]) -> Iterator[Station]:
    """Yield the stations with a rover that takes the place of an N-S pair each round, which waits at the extra
    table.
    """
    yield Station(rover, 1, rover, 0, ())
    bumped = dict(enumerate(path, start=2))
    for station in stations:
        if bumped.get(station.round) == station.table:
            yield Station(rover, station.round, station.ns, 0, ())
            yield replace(station, ns=rover)
        else:
            yield station


def _one_field(stations: Iterable[Station], north_souths: int, unturned: int) -> Iterator[Station]:
    """Yield the stations of one field: E-W numbers follow those of N-S, and sides switch after `unturned` rounds."""
    for station in stations:
        ns, ew = station.ns, station.ew + north_souths if station.ew else 0
        if station.round > unturned and ns and ew:
            ns, ew = ew, ns
        yield replace(station, ns=ns, ew=ew)


def _missing(stations: Iterable[Station], tables: int, missing: int, *, one_field: bool) -> Iterator[Station]:
    highest = 2 * tables if one_field else tables
    if missing == 0 or not -tables <= missing <= highest:
        raise MovementError(
            f"Pair {missing} cannot be missing: it must be N-S 1 to {tables}, or E-W as -1 to -{tables}"
            + (f", or a pair 1 to {highest}." if one_field else ".")
        )
    if one_field:
        return without(missing if missing > 0 else tables - missing, stations)
    if missing > 0:
        return (replace(station, ns=0 if station.ns == missing else station.ns) for station in stations)
    return (replace(station, ew=0 if station.ew == -missing else station.ew) for station in stations)
