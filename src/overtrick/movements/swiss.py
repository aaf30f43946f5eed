"""Swiss: the next round drawn from the standing, for pairs and for teams.

Knows numbers, scores and who has met; not how scores came about.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from overtrick.movements.model import Movement, MovementError, Promises, Station
from overtrick.movements.pairings import Pairing, cheapest_pairing
from overtrick.movements.robins import lay_out


def swiss_round(
    standing: Mapping[int, float],
    met: Iterable[tuple[int, int]] = (),
    sat_out: Iterable[int] = (),
    *,
    round_number: int,
    boards: Sequence[int],
    north_souths: Mapping[int, int] | None = None,
    teams: bool = False,
) -> tuple[Station, ...]:
    """The stations of the next round: no repeats, neighbours in the standing, a fair sit-out.

    `standing` is the score so far of everyone who plays on; equals rank in the order given. `met` are the
    matches already played and `sat_out` everyone who sat out, once for each time. `north_souths` is how often
    everyone has been N-S (a team: at home); whoever has been less is so now.

    An odd number leaves out the lowest of those who sat out least, so nobody sits out twice before everyone
    did once. The rest is paired so that the squares of the score differences sum up to little. If there is a
    draw without a repeat it is found; if there is none, that is a MovementError.

    >>> [(s.ns, s.ew) for s in swiss_round({1: 30, 2: 25, 3: 12, 4: 10, 5: 3}, [(1, 2)],
    ...     round_number=2, boards=range(9, 17))]
    [(1, 3), (2, 4), (5, 0)]
    """
    if round_number < 1:
        raise MovementError(f"A round has a number from 1 up, not {round_number}.")
    if len(standing) < 2:
        raise MovementError(f"A Swiss round needs at least 2 {_what(teams)}, not {len(standing)}.")
    if not all(number > 0 for number in standing):
        raise MovementError(f"The numbers of {_what(teams)} count from 1.")
    scores = {number: float(score) for number, score in standing.items()}
    ranked = sorted(scores, key=lambda number: -scores[number])
    played = {frozenset(two) for two in met}
    for waiting in _candidates(ranked, Counter(sat_out)):
        field = [number for number in ranked if number != waiting]
        pairing = _pairing(field, scores, played)
        if pairing is not None:
            matches = [_seats(field[a], field[b], north_souths or {}) for a, b in pairing]
            return tuple(lay_out(matches, waiting, round_number, tuple(sorted(boards)), teams=teams))
    fair = " or an unfair sit-out" if len(ranked) % 2 else ""
    raise MovementError(
        f"Round {round_number} cannot be drawn without a repeat{fair}: {len(ranked)} {_what(teams)} have met "
        "too many of each other. Let those meet again who met longest ago, or end here."
    )


def swiss_movement(rounds: Sequence[Sequence[Station]], *, teams: bool = False) -> Movement:
    """The rounds drawn so far as one movement, so that it can be checked, shown and written."""
    stations = tuple(station for round_ in rounds for station in round_)
    if not stations:
        raise MovementError("A Swiss movement has at least one round.")
    tables = max(station.table for station in stations)
    numbers = {number for station in stations for number in (station.ns, station.ew) if number}
    rounds_played = max(station.round for station in stations)
    return Movement(
        name=f"Swiss of {len(numbers)} {_what(teams)}",
        winners=1,
        tables=tables,
        rounds=rounds_played,
        boards_per_round=max(len(station.boards) for station in stations),
        stations=stations,
        promises=Promises(
            all_boards=True,
            sit_outs_at_most=-(-rounds_played // len(numbers)) if len(numbers) % 2 else 0,
            shared=(tuple(range(1, tables + 1)),),
        ),
    )


def _candidates(ranked: Sequence[int], sat_out: Counter[int]) -> Iterable[int]:
    """Who may sit out, likeliest first; nobody (0) with an even number."""
    if len(ranked) % 2 == 0:
        return (0,)
    least = min(sat_out[number] for number in ranked)
    return (number for number in reversed(ranked) if sat_out[number] == least)


def _pairing(
    field: Sequence[int], scores: Mapping[int, float], played: set[frozenset[int]]
) -> Pairing | None:
    size = len(field)
    free: list[set[int]] = [set() for _ in field]
    for a in range(size):
        for b in range(a + 1, size):
            if frozenset((field[a], field[b])) not in played:
                free[a].add(b)
                free[b].add(a)
    spread = max(scores[field[0]] - scores[field[-1]], 1.0)

    def cost(a: int, b: int) -> float:
        # Places decide between equal scores only: they weigh less than a difference that a scale shows.
        difference = (scores[field[a]] - scores[field[b]]) / spread
        return difference * difference + 1e-7 * ((a - b) / size) ** 2

    return cheapest_pairing(free, cost)


def _seats(higher: int, lower: int, north_souths: Mapping[int, int]) -> tuple[int, int]:
    if north_souths.get(lower, 0) < north_souths.get(higher, 0):
        return lower, higher
    return higher, lower


def _what(teams: bool) -> str:
    return "teams" if teams else "pairs"
