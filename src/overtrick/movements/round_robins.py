"""Round robins for pairs and for teams, and the layout of matches on tables. Pure: independent of standings.

A pairs match takes one table, a team match two neighbouring ones. Everyone plays the same boards in a round.
"""

from collections.abc import Iterable, Iterator

from overtrick.movements.model import Movement, Promises, Station, require, sets_of_boards

Match = tuple[int, int]
"""Home and away numbers: the pair N-S (the team that is N-S at the first of its two tables) and its opponents."""
MOST_CONTESTANTS = 200


def round_robin(contestants: int, boards_per_round: int, teams: bool = False) -> Movement:
    """Return a movement in which everyone meets everyone once; with an odd number each sits out once.

    Raise MovementError for fewer than 2 or more than 200 contestants.

    >>> [[(s.ns, s.ew) for s in round_robin(4, 8).round(r)] for r in (1, 2, 3)]
    [[(4, 1), (2, 3)], [(2, 4), (3, 1)], [(4, 3), (1, 2)]]
    """
    what = "teams" if teams else "pairs"
    require(contestants, 2, f"The number of {what} of a round robin", MOST_CONTESTANTS)
    require(boards_per_round, 1, "The number of boards in a round")
    circle = contestants - 1 + contestants % 2
    sets = sets_of_boards(circle, boards_per_round)
    stations: list[Station] = []
    for round_ in range(1, circle + 1):
        matches = list(_circle_round(circle, round_))
        waiting = 0
        if contestants % 2:
            # With an odd number the place that stays is empty, and the contestant that would meet it sits out.
            waiting = min(matches.pop(0))
        stations += lay_out(matches, waiting, round_, sets[round_ - 1], teams=teams)
    tables = max(station.table for station in stations)
    return Movement(
        name=f"round robin of {contestants} {what}",
        winners=1,
        tables=tables,
        rounds=circle,
        boards_per_round=boards_per_round,
        stations=tuple(stations),
        promises=Promises(
            everyone_meets=True,
            all_boards=True,
            sit_outs_at_most=contestants % 2,
            shared=(tuple(range(1, tables + 1)),),
        ),
    )


def _circle_round(circle: int, round_: int) -> Iterator[Match]:
    """Yield the matches of a round: one contestant (the highest, or nobody) stays, the others meet across the circle.

    Home and away alternate: nobody is at home more than twice running, and nobody has over one home match more than
    away matches.
    """
    last = circle + 1
    yield (last, round_) if round_ % 2 else (round_, last)
    for step in range(1, circle // 2 + 1):
        one, other = (round_ - 1 + step) % circle + 1, (round_ - 1 - step) % circle + 1
        yield (one, other) if step % 2 else (other, one)


def lay_out(
    matches: Iterable[Match], waiting: int, round_: int, boards: tuple[int, ...], *, teams: bool
) -> list[Station]:
    """Return the stations of a round of matches, in order; the one that sits out is at a last table without boards."""
    stations: list[Station] = []
    for home, away in matches:
        table = len(stations) + 1
        if not teams:
            stations.append(Station(table, round_, home, away, boards))
            continue
        stations += (
            Station(table, round_, home, away, boards, team_ns=home, team_ew=away, mates=(table + 1, round_)),
            Station(table + 1, round_, away, home, boards, team_ns=away, team_ew=home, mates=(table, round_)),
        )
    if waiting:
        stations.append(Station(len(stations) + 1, round_, waiting, 0, (), team_ns=waiting if teams else 0))
    return stations
