"""The check of a movement: a sentence for each impossibility, and for each of its `Promises` that it breaks.

Depends on the finished movement only, so that the same rules apply to the movements of every generator.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice

from overtrick.movements.model import Movement, MovementContestant, Promises, Station

MOST_PROBLEMS = 100
"""The number of problems that are listed at most, because the movement of a file may have thousands."""


@dataclass(frozen=True, slots=True)
class MovementProblem:
    """One problem of a movement; `rule` is the stable name of the rule that it breaks."""

    rule: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def check(movement: Movement) -> tuple[MovementProblem, ...]:
    """Return the problems of a movement, at most `MOST_PROBLEMS`; empty if it is valid.

    >>> from overtrick.movements import mitchell
    >>> check(mitchell(7, 4))
    ()
    """
    problems = (problem for rule in RULES for problem in rule(movement))
    return tuple(islice(problems, MOST_PROBLEMS))


def observed(movement: Movement) -> Promises:
    """Return the promises that a movement keeps; it always includes that nobody plays a board twice.

    Tables that have the same boards in a round are counted as copies, not as tables that share.

    >>> from overtrick.movements import howell
    >>> observed(howell(2, 3)).copies
    2
    """
    meetings = _meetings(movement)
    sat_out = Counter(contestant for _, contestant in movement.sit_outs())
    strongest = Promises(
        opponents_at_most=max(meetings.values(), default=1),
        sit_outs_at_most=max(sat_out.values(), default=0),
        copies=max(1, movement.copies),
    )

    candidates = [replace(strongest, everyone_meets=True), replace(strongest, all_boards=True)]
    if movement.is_individual:
        candidates += [replace(strongest, partners_once=True), replace(strongest, everyone_partners=True)]
    kept_promises = [
        candidate for candidate in candidates if not _breaks(replace(movement, promises=candidate))
    ]
    return replace(
        strongest,
        everyone_meets=any(candidate.everyone_meets for candidate in kept_promises),
        all_boards=any(candidate.all_boards for candidate in kept_promises),
        partners_once=any(candidate.partners_once for candidate in kept_promises),
        everyone_partners=any(candidate.everyone_partners for candidate in kept_promises),
    )


def _breaks(movement: Movement) -> bool:
    return any(True for rule in (_opponents, _partners, _all_boards) for _ in rule(movement))


def _shape(movement: Movement) -> Iterator[MovementProblem]:
    """Check that every round has its tables, once each, and that every station is well formed."""
    if movement.winners not in (1, 2):
        yield MovementProblem("shape", f"A movement has one winner or two, not {movement.winners}.")
    for (round_, table), count in Counter((s.round, s.table) for s in movement.stations).items():
        if count > 1:
            yield MovementProblem("shape", f"Table {table} is listed {count} times in round {round_}.")
        if not 1 <= table <= movement.tables or not 1 <= round_ <= movement.rounds:
            yield MovementProblem("shape", f"Table {table} in round {round_} is outside the movement.")
    for round_ in range(1, movement.rounds + 1):
        if not movement.round(round_):
            yield MovementProblem("shape", f"Round {round_} has no tables.")
    individual = movement.is_individual
    for station in movement.stations:
        where = f"Table {station.table} in round {station.round}"
        if list(station.boards) != sorted(set(station.boards)):
            yield MovementProblem("shape", f"{where} does not list its boards once each, ascending.")
        if station.is_empty and station.boards:
            yield MovementProblem("shape", f"{where} is empty but has boards.")
        if station.is_played and len(station.boards) != movement.boards_per_round:
            yield MovementProblem(
                "shape", f"{where} has {len(station.boards)} boards, not {movement.boards_per_round}."
            )
        if individual and 0 < len([p for p in _seats(station) if p]) < 4:
            yield MovementProblem("shape", f"{where} has an empty seat.")


def _seats(station: Station) -> tuple[int, int, int, int]:
    return station.ns, station.south, station.ew, station.west


def _one_place(movement: Movement) -> Iterator[MovementProblem]:
    """Check that nobody is at two tables in a round; a team may be at two, in different directions."""
    teams = movement.is_teams
    for round_ in range(1, movement.rounds + 1):
        places: defaultdict[tuple[MovementContestant, str], list[int]] = defaultdict(list)
        for station in movement.round(round_):
            for direction, side in zip(("N-S", "E-W"), movement.sides(station), strict=True):
                for contestant in side:
                    places[contestant, direction if teams else ""].append(station.table)
        for (contestant, _), tables in places.items():
            if len(tables) > 1:
                yield MovementProblem(
                    "one-place",
                    f"{_name(movement, contestant)} is at tables {_listed(tables)} in round {round_}.",
                )


def _no_self(movement: Movement) -> Iterator[MovementProblem]:
    for station in movement.stations:
        ns, ew = movement.sides(station)
        for contestant in ns:
            if contestant in ew:
                yield MovementProblem(
                    "itself",
                    f"{_name(movement, contestant)} meets itself at table {station.table} in round {station.round}.",
                )


def _boards_one_place(movement: Movement) -> Iterator[MovementProblem]:
    """Check that a board is played at one table in a round, unless its tables share boards or there are copies."""
    copies = movement.promises.copies
    groups = [set(group) for group in movement.promises.shared]
    for round_ in range(1, movement.rounds + 1):
        tables_by_board: defaultdict[int, set[int]] = defaultdict(set)
        for station in movement.round(round_):
            for board in station.boards if station.is_played else ():
                tables_by_board[board].add(station.table)
        for board, tables in sorted(tables_by_board.items()):
            if len(tables) > copies and not any(tables <= group for group in groups):
                places = _listed(sorted(tables))
                why = "which do not share boards" if copies == 1 else f"but there are {copies} copies of it"
                yield MovementProblem(
                    "board-place", f"Board {board} is at tables {places} in round {round_}, {why}."
                )


def _attendance(movement: Movement) -> Iterator[MovementProblem]:
    """Check that everyone has a place in every round, and sits out no more often than promised."""
    everyone = movement.pairs
    for round_ in range(1, movement.rounds + 1):
        present = {
            contestant for s in movement.round(round_) for side in movement.sides(s) for contestant in side
        }
        for contestant in everyone:
            if contestant not in present:
                yield MovementProblem(
                    "attendance", f"{_name(movement, contestant)} has no place in round {round_}."
                )
    allowed = movement.promises.sit_outs_at_most
    for contestant, count in Counter(contestant for _, contestant in movement.sit_outs()).items():
        if count > allowed:
            yield MovementProblem(
                "sit-outs",
                f"{_name(movement, contestant)} sits out {_times(count)}; the movement promises at most {allowed}.",
            )


def _boards_once(movement: Movement) -> Iterator[MovementProblem]:
    if not movement.promises.boards_once:
        return
    teams = movement.is_teams
    played: Counter[tuple[MovementContestant, int, str]] = Counter()
    for station in _played(movement):
        for direction, side in zip(("N-S", "E-W"), movement.sides(station), strict=True):
            for contestant in side:
                # A team plays each board of a match once in each room, in opposite directions.
                room = direction if teams else ""
                played.update((contestant, board, room) for board in station.boards)
    for (contestant, board, _), count in played.items():
        if count > 1:
            yield MovementProblem(
                "boards-once", f"{_name(movement, contestant)} plays board {board} {_times(count)}."
            )


def _meetings(movement: Movement) -> Counter[tuple[MovementContestant, MovementContestant]]:
    """Count the rounds in which two contestants play against each other."""
    met: set[tuple[int, MovementContestant, MovementContestant]] = set()
    for station in _played(movement):
        ns, ew = movement.sides(station)
        met |= {(station.round, *_ordered(a, b)) for a in ns for b in ew}
    return Counter((a, b) for _, a, b in met)


def _opponents(movement: Movement) -> Iterator[MovementProblem]:
    """Check how often any two contestants meet, against `opponents_at_most` and `everyone_meets`."""
    promises = movement.promises
    meetings = _meetings(movement)
    if promises.opponents_at_most is not None:
        for (a, b), count in sorted(meetings.items()):
            if count > promises.opponents_at_most:
                yield MovementProblem("opponents", f"{_names(movement, a, b)} meet {_times(count)}.")
    if promises.everyone_meets:
        for a, b in combinations(movement.pairs, 2):
            if movement.winners == 2 and a.side == b.side:
                continue
            if not meetings[_ordered(a, b)]:
                yield MovementProblem("everyone-meets", f"{_names(movement, a, b)} do not meet.")


def _partners(movement: Movement) -> Iterator[MovementProblem]:
    promises = movement.promises
    if not movement.is_individual:
        return
    partners: Counter[tuple[MovementContestant, MovementContestant]] = Counter()
    for station in _played(movement):
        for side in movement.sides(station):
            if len(side) == 2:
                partners[_ordered(*side)] += 1
    if promises.partners_once:
        for (a, b), count in sorted(partners.items()):
            if count > 1:
                yield MovementProblem("partners", f"{_names(movement, a, b)} are partners {_times(count)}.")
    if promises.everyone_partners:
        for a, b in combinations(movement.pairs, 2):
            if not partners[_ordered(a, b)]:
                yield MovementProblem("everyone-partners", f"{_names(movement, a, b)} are never partners.")


def _all_boards(movement: Movement) -> Iterator[MovementProblem]:
    """Check that everyone plays all boards; a sit-out excuses the boards of its round."""
    if not movement.promises.all_boards:
        return
    boards: defaultdict[MovementContestant, set[int]] = defaultdict(set)
    in_play = len(movement.boards)
    sat_out = Counter(contestant for _, contestant in movement.sit_outs())
    for station in _played(movement):
        for side in movement.sides(station):
            for contestant in side:
                boards[contestant] |= set(station.boards)
    for contestant in movement.pairs:
        missing = in_play - len(boards[contestant])
        if missing > sat_out[contestant] * movement.boards_per_round:
            yield MovementProblem(
                "all-boards", f"{_name(movement, contestant)} does not play {missing} of the boards."
            )


def _balanced(movement: Movement) -> Iterator[MovementProblem]:
    """Check that for any two pairs the sets played in the same direction are one fewer than those in opposite ones."""
    if not movement.promises.balanced:
        return
    direction: defaultdict[MovementContestant, dict[tuple[int, ...], int]] = defaultdict(dict)
    for station in _played(movement):
        for sign, side in zip((1, -1), movement.sides(station), strict=True):
            for contestant in side:
                direction[contestant][station.boards] = sign
    for a, b in combinations(movement.pairs, 2):
        balance = sum(sign * direction[b].get(boards, 0) for boards, sign in direction[a].items())
        if balance != -1:
            yield MovementProblem(
                "balance", f"{_names(movement, a, b)} are compared unevenly ({balance:+d}, not -1)."
            )


def _mates(movement: Movement) -> Iterator[MovementProblem]:
    """Check that the other half of a team match has the same boards and the same teams in the other direction."""
    teams = movement.is_teams
    for station in _played(movement):
        if station.mates is None:
            if teams:
                yield MovementProblem(
                    "mates", f"Table {station.table} in round {station.round} has no other half of its match."
                )
            continue
        table, round_ = station.mates
        where = f"Table {station.table} in round {station.round}"
        mate = next((s for s in movement.round(round_) if s.table == table), None)
        if mate is None:
            yield MovementProblem(
                "mates", f"{where} has the other half of its match at table {table}, which does not exist."
            )
        elif (mate.team_ns, mate.team_ew, mate.boards) != (station.team_ew, station.team_ns, station.boards):
            yield MovementProblem("mates", f"{where} and table {table} do not make up a match.")


RULES = (
    _shape,
    _one_place,
    _no_self,
    _boards_one_place,
    _attendance,
    _boards_once,
    _opponents,
    _partners,
    _all_boards,
    _balanced,
    _mates,
)


def _played(movement: Movement) -> Iterator[Station]:
    return (station for station in movement.stations if station.is_played)


def _ordered(a: MovementContestant, b: MovementContestant) -> tuple[MovementContestant, MovementContestant]:
    return (a, b) if a < b else (b, a)


def _listed(tables: list[int]) -> str:
    *others, last = map(str, tables)
    return f"{', '.join(others)} and {last}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _names(movement: Movement, a: MovementContestant, b: MovementContestant) -> str:
    if a.side:
        north_south, east_west = (a, b) if a.side == "N-S" else (b, a)
        return f"N-S pair {north_south.number} and E-W pair {east_west.number}"
    return _name(movement, a).replace(" ", "s ") + f" and {b}"  # "Pair 3" becomes "Pairs 3 and 4"


def _name(movement: Movement, contestant: MovementContestant) -> str:
    if movement.is_individual:
        return f"Player {contestant}"
    if movement.is_teams:
        return f"Team {contestant}"
    return f"{contestant.side} pair {contestant.number}" if contestant.side else f"Pair {contestant}"
