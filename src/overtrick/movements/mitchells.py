"""The Mitchell family: N-S pairs stay, E-W pairs move up a table, boards move down a table.

Plain, skip, share-and-relay, hesitation, Bowman and web Mitchells, with a rover, a missing pair, arrow switches or
fewer rounds. Pure: no I/O.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
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

MitchellKind = Literal["auto", "plain", "skip", "share-and-relay", "rover", "hesitation", "bowman", "web"]
Base = Literal["plain", "skip", "share-and-relay", "hesitation", "bowman", "web"]

NAMES: dict[Base, str] = {
    "plain": "Mitchell",
    "skip": "skip Mitchell",
    "share-and-relay": "share-and-relay Mitchell",
    "hesitation": "hesitation Mitchell",
    "bowman": "Bowman Mitchell",
    "web": "web Mitchell",
}
MOST_TABLES = 100
USUAL_WEB_ROUNDS = 13
EVERY_BOARD_UP_TO = 8
"""With an even number of tables above this, losing one round is better than sharing boards."""


def mitchell(
    tables: int,
    boards_per_round: int,
    rounds: int | None = None,
    *,
    kind: MitchellKind = "auto",
    arrow_switches: int | Collection[int] = 0,
    missing_pair: int | None = None,
) -> Movement:
    """Return a Mitchell of full tables (a half table counts as one); raise MovementError if there is none.

    A plain Mitchell fails half way if the number of tables is even: E-W come to boards they have played.
    So "auto" is plain with an odd number of tables, and with an even one
    - plain, if no more than half of the rounds are played;
    - share-and-relay (the first and last tables share, a relay stand is half way) for as many rounds as tables, and
      without `rounds` up to 8 tables: everyone plays every board;
    - skip (E-W skip a table half way) otherwise, with `rounds` or else one round fewer than tables.

    "rover" is for one pair more than the tables hold: the rover pair, with the highest N-S number, sits out the first
    round and then plays N-S at another table each round; the pair whose place it takes sits out, at an extra table
    without boards, and comes back.

    "hesitation" has one round more than tables and one winner: after E-W at the last table a pair stays there for a
    round N-S, and then goes to table 1. "bowman" (Bowman-Ewing) is for an odd number of tables and two rounds fewer:
    the two last tables share the boards of others. "web" is for an odd number of rounds, fewer than tables: two
    circuits of boards, a third if the number of tables is odd, so a round needs several copies of a board.

    Without arrow switches each direction is numbered from 1 and has a winner. With them the directions are switched in
    that many last rounds, or in the given rounds; E-W numbers follow those of N-S, and there is one winner. A missing
    pair is an N-S number, or the negative of an E-W number; with one winner it may also be the number of any pair.

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
    switched = _switched_rounds(arrow_switches, rounds)
    rover = kind == "rover"
    if rover and missing_pair is not None:
        raise MovementError("A Mitchell has a rover or a missing pair, not both: use one table fewer.")

    sets = {"hesitation": tables + 1, "bowman": tables - 2, "web": rounds}.get(base, tables)
    stations: Iterable[Station] = list(
        _circulation(base, tables, rounds, sets_of_boards(sets, boards_per_round))
    )
    name = NAMES[base]
    # A revenge round: the last round of a full skip Mitchell brings E-W back to the opponents of the first.
    revenge = base == "skip" and rounds == tables
    meetings = 2 if revenge else 1
    north_souths = tables
    if rover:
        north_souths += 1
        stations = list(_with_rover(stations, north_souths, rover_tables(base, tables, rounds)))
        against = Counter(station.ew for station in stations if station.ns == north_souths and station.ew)
        meetings = max(meetings, *against.values()) if against else meetings
        name = f"rover {name}"
    one_field = bool(switched) or base == "hesitation"
    if base == "hesitation":
        # The pairs of the hesitation table change directions anyway.
        stations = [_switch_sides(s) if s.round in switched and s.table < tables else s for s in stations]
    elif switched:
        stations = _one_field(stations, north_souths, switched)
    if switched:
        name += f" with {len(switched)} arrow switch{'es' if len(switched) > 1 else ''}"
    if missing_pair is not None:
        stations = _without_pair(stations, tables, missing_pair, one_field=one_field)
    name += f" of {tables}{'½' if rover else ''} tables"
    if base == "web" or rounds < _rounds(base, tables, None):
        name += f", {rounds} rounds"
    movement = Movement(
        name=name,
        winners=1 if one_field else 2,
        tables=north_souths,
        rounds=rounds,
        boards_per_round=boards_per_round,
        stations=tuple(stations),
        promises=Promises(
            opponents_at_most=meetings,
            everyone_meets=rounds == tables and not (revenge or rover or one_field),
            all_boards=rounds == sets,
            sit_outs_at_most=meetings if missing_pair is not None else int(rover),
            shared=((1, tables),) if _shares_ends(base, tables) else (),
        ),
    )
    if base not in ("bowman", "web"):
        return movement
    return replace(movement, promises=replace(movement.promises, copies=max(1, movement.copies)))


def _shares_ends(base: Base, tables: int) -> bool:
    """Return whether the first and the last table have the same boards in every round."""
    return base == "share-and-relay" or (base == "hesitation" and tables % 2 == 0)


def _switched_rounds(arrow_switches: int | Collection[int], rounds: int) -> frozenset[int]:
    """Return the rounds with an arrow switch: the given ones, or as many of the last rounds as a number says."""
    if isinstance(arrow_switches, Collection):
        for round_ in arrow_switches:
            require(round_, 1, "A round with an arrow switch", rounds)
        return frozenset(arrow_switches)
    require(arrow_switches, 0, "The number of rounds with an arrow switch", rounds)
    return frozenset(range(rounds - arrow_switches + 1, rounds + 1))


def _base(tables: int, rounds: int | None, kind: MitchellKind) -> Base:
    match kind:
        case "plain":
            return kind
        case "skip" | "share-and-relay":
            if tables % 2:
                raise MovementError(
                    f"A {kind} Mitchell needs an even number of tables; {tables} tables play plain."
                )
            return kind
        case "hesitation":
            require(tables, 3, "The number of tables of a hesitation Mitchell")
            return kind
        case "bowman":
            if tables % 2 == 0 or tables < 5:
                raise MovementError(
                    f"A Bowman Mitchell needs an odd number of tables, 5 or more, not {tables}."
                )
            return kind
        case "web":
            require(tables, 4, "The number of tables of a web Mitchell")
            if rounds is not None and (rounds % 2 == 0 or not 3 <= rounds < tables):
                raise MovementError(
                    f"A web Mitchell of {tables} tables has an odd number of rounds, 3 or more and fewer than tables, "
                    f"not {rounds}."
                )
            return kind
    if tables % 2 or (rounds is not None and rounds <= tables // 2):
        return "plain"
    if rounds is None:
        return "share-and-relay" if tables <= EVERY_BOARD_UP_TO else "skip"
    return "skip" if rounds < tables else "share-and-relay"


def _rounds(base: Base, tables: int, requested: int | None) -> int:
    most = {
        "plain": tables if tables % 2 else tables // 2,
        "hesitation": tables + 1,
        "bowman": tables - 2,
        "web": tables - 1 - tables % 2,
    }.get(base, tables)
    if requested is None:
        if base == "web":
            return min(most, USUAL_WEB_ROUNDS)
        return tables - 1 if base == "skip" else most
    if requested > most:
        more = "; a skip or share-and-relay Mitchell has more" if base == "plain" and most < tables else ""
        raise MovementError(
            f"A {NAMES[base]} of {tables} tables has at most {most} rounds, not {requested}{more}."
        )
    return requested


def _circulation(
    base: Base, tables: int, rounds: int, sets: tuple[tuple[int, ...], ...]
) -> Iterator[Station]:
    """Yield the stations of the full tables, each direction numbered from 1; of a hesitation Mitchell in one field."""
    places = _board_places(base, tables, len(sets))
    for turn in range(rounds):
        skipped = 1 if base == "skip" and turn >= tables // 2 else 0
        for place, (start, step) in enumerate(places):
            boards = sets[(start + step * turn) % len(sets)]
            ns, ew = place + 1, (place - turn - skipped) % tables + 1
            if base == "hesitation":
                # The moving pairs go round E-W of every table and N-S of the last; pair `tables` starts there.
                ew = _hesitation_pair(tables, place - turn)
                ns = _hesitation_pair(tables, tables - turn) if place == tables - 1 else ns
            yield Station(place + 1, turn + 1, ns, ew, boards)


def _hesitation_pair(tables: int, place: int) -> int:
    """Return the pair that started at a place of the moving pairs' circle: E-W 0 up to `tables`, which is N-S."""
    start = place % (tables + 1)
    return tables if start == tables else tables + 1 + start


def _board_places(base: Base, tables: int, sets: int) -> list[tuple[int, int]]:
    """Return the first set of every table, and the step to its next: 1, or -1 for boards in descending order."""
    half = tables // 2
    match base:
        case "share-and-relay":
            # The relay stand is after the first half of the tables, so the last table has the boards of the first.
            return [(place + (place >= half), 1) for place in range(tables)]
        case "hesitation":
            if tables % 2:
                return [(place + (place >= half), 1) for place in range(tables)]
            # Two sets rest half way, and the last table has the boards of the first.
            return [*((place + 2 * (place >= half), 1) for place in range(tables - 1)), (0, 1)]
        case "bowman":
            return [*((place, 1) for place in range(sets)), (0, 1), (sets - 1, -1)]
        case "web":
            # The last tables have boards in descending order. A pair that moves up a table advances two sets a round
            # at the other tables, and goes back two sets at these, so that the sets it has played are always
            # neighbours in a circle of double steps; an odd number of sets makes the circle whole. As many tables
            # as sets in front change nothing, which makes an odd number of tables possible.
            ascending, descending = _web_circuits(tables, sets)
            return [
                *((place, 1) for place in range(ascending)),
                *((descending - 2 - place, -1) for place in range(descending)),
            ]
    return [(place, 1) for place in range(tables)]


def _web_circuits(tables: int, sets: int) -> tuple[int, int]:
    """Return the number of tables of a web Mitchell with ascending boards, and with descending ones."""
    descending = (tables - sets) // 2 if tables % 2 else tables // 2
    return tables - descending, descending


def web_copies(tables: int, rounds: int) -> int:
    """Return the number of copies of every board that a web Mitchell has at most.

    >>> web_copies(14, 13), web_copies(15, 13), web_copies(30, 13)
    (2, 3, 4)
    """
    return sum(-(-circuit // rounds) for circuit in _web_circuits(tables, rounds))


def _with_rover(stations: Iterable[Station], rover: int, path: tuple[int, ...]) -> Iterator[Station]:
    """Yield the stations with a rover: each round it takes the seats of an N-S pair, which waits at the extra table."""
    yield Station(rover, 1, rover, 0, ())
    replaced_table = dict(enumerate(path, start=2))
    for station in stations:
        if replaced_table.get(station.round) == station.table:
            yield Station(rover, station.round, station.ns, 0, ())
            yield replace(station, ns=rover)
        else:
            yield station


def _one_field(
    stations: Iterable[Station], north_souths: int, switched: Collection[int]
) -> Iterator[Station]:
    """Yield the stations of one field: E-W numbers follow those of N-S, and sides switch in some rounds."""
    for station in stations:
        renumbered = replace(station, ew=station.ew + north_souths if station.ew else 0)
        yield _switch_sides(renumbered) if station.round in switched and renumbered.is_played else renumbered


def _switch_sides(station: Station) -> Station:
    return replace(station, ns=station.ew, ew=station.ns)


def _without_pair(
    stations: Iterable[Station], tables: int, missing: int, *, one_field: bool
) -> Iterator[Station]:
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
