"""The summary of an evening: the largest swings, the best boards, slams, defence, and the lead after each round.

Computed from a report alone, so it reveals nothing beyond the published boards. Independent of formats and files.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean

from overtrick.bridge import Played, Side, Strain, Tricks
from overtrick.scoring.imps import imps
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.ranking import Ranking, Standing
from overtrick.scoring.report import CardLine, Report
from overtrick.scoring.session import ScoredLine, ScoredTraveller, SideScore

BOARDS_PER_LIST = 3
"""The number of boards in each list: best results, swings and defences."""
CONTESTANTS_IN_CHART = 5
"""The number of contestants in a chart of the lead."""
SLAM = 6
"""The level of a small slam."""


@dataclass(frozen=True, slots=True)
class SideOfBoard:
    """One side's result on a board, with the points that it scored."""

    line: Line
    side: Side
    score: SideScore

    @property
    def contestants(self) -> tuple[Contestant, ...]:
        """Return the pair or team, or the two players of an individual."""
        return self.line.contestants(self.side)

    @property
    def table_score(self) -> int:
        """Return the side's own score."""
        ns = self.line.score_for(self.side) or 0
        return ns if self.side is Side.NS else -ns


@dataclass(frozen=True, slots=True)
class Swing:
    """A board with the best result of each side."""

    imps: int
    """The difference between the two, in IMPs."""
    ns: SideOfBoard
    ew: SideOfBoard

    @property
    def line(self) -> Line:
        """Return a line of the board."""
        return self.ns.line


@dataclass(frozen=True, slots=True)
class SlamCount:
    """The tables at which a side bid a slam on a board, or missed one that it can make double dummy."""

    traveller: ScoredTraveller
    side: Side
    bid: int
    made: int
    makeable: tuple[Strain, ...]
    """The strains in which the side wins twelve tricks double dummy; empty if it cannot, or the deal is unknown."""
    missed: int
    """The tables at which a makeable slam was not bid."""


@dataclass(frozen=True, slots=True)
class Defence:
    """A result in which the defenders won more tricks than double dummy gives them."""

    defenders: SideOfBoard
    gained: int
    """The tricks that they won beyond double dummy."""


@dataclass(frozen=True, slots=True)
class LeadChart:
    """The running results of the best contestants of a ranking after each round."""

    ranking: Ranking
    rounds: tuple[int, ...]
    values: dict[Contestant, tuple[float | None, ...]]
    """By round, best in the ranking first: the percentage so far, or the points if there is no top."""
    leaders: tuple[tuple[Contestant, ...], ...]
    """The contestants in the lead after each round; several if they were level."""

    @property
    def holders(self) -> tuple[tuple[Contestant, ...], ...]:
        """Return the successive holders of the lead; a contestant who only draws level has not taken it."""
        holders = [self.leaders[0]]
        for leaders in self.leaders[1:]:
            still_ahead = tuple(contestant for contestant in holders[-1] if contestant in leaders)
            if still_ahead:
                holders[-1] = still_ahead
            else:
                holders.append(leaders)
        return tuple(holders)


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of an evening; a part without entries is empty."""

    winners: tuple[tuple[Ranking, tuple[Standing, ...]], ...]
    best: tuple[SideOfBoard, ...]
    swings: tuple[Swing, ...]
    slams: tuple[SlamCount, ...]
    defence: tuple[Defence, ...]
    leads: tuple[LeadChart, ...]


def summarise(report: Report) -> Summary:
    """Return the summary of a report's published boards."""
    scored = report.scored
    cards = report.score_cards()
    return Summary(
        tuple(
            (ranking, winners)
            for ranking in scored.rankings
            if (winners := tuple(standing for standing in ranking.standings if standing.rank == 1))
        ),
        _best(scored.travellers),
        _swings(scored.travellers),
        tuple(slam for traveller in scored.travellers for slam in _slams(report, traveller)),
        _defence(report),
        tuple(chart for ranking in scored.rankings if (chart := _lead(ranking, cards)) is not None),
    )


def _sides(lines: Iterable[ScoredLine]) -> Iterator[SideOfBoard]:
    """Yield both sides of each line that has a score at the table; rulings that award points are left out."""
    for scored in lines:
        for side in Side:
            score = scored.score(side)
            if score is not None and score.award is None and scored.line.score_for(side) is not None:
                yield SideOfBoard(scored.line, side, score)


def _best(travellers: Iterable[ScoredTraveller]) -> tuple[SideOfBoard, ...]:
    """Return the best results: the most points, and of equal ones those that are the furthest above the field."""
    ranked: list[tuple[float, float, int, SideOfBoard]] = []
    for traveller in travellers:
        sides = list(_sides(traveller.lines))
        if len(traveller.lines) < 2 or not sides:
            continue
        means = {
            side: fmean([side_result.table_score for side_result in sides if side_result.side is side] or [0])
            for side in Side
        }
        for side_result in sides:
            percentage = side_result.score.percentage
            points = side_result.score.points if percentage is None else percentage
            ranked.append(
                (points, side_result.table_score - means[side_result.side], -traveller.board, side_result)
            )
    ranked.sort(key=lambda item: item[:3], reverse=True)
    return tuple(side_result for _, above, _, side_result in ranked[:BOARDS_PER_LIST] if above > 0)


def _swings(travellers: Iterable[ScoredTraveller]) -> tuple[Swing, ...]:
    """Return the boards with the largest differences between the best results of the two sides."""
    swings: list[Swing] = []
    for traveller in travellers:
        by_side = {
            side: [side_result for side_result in _sides(traveller.lines) if side_result.side is side]
            for side in Side
        }
        if not all(by_side.values()):
            continue
        ns, ew = (max(by_side[side], key=lambda side_result: side_result.table_score) for side in Side)
        difference = ns.table_score + ew.table_score
        if difference > 0:
            swings.append(Swing(imps(difference), ns, ew))
    swings.sort(
        key=lambda swing: (-swing.imps, -swing.ns.table_score - swing.ew.table_score, swing.line.board)
    )
    return tuple(swings[:BOARDS_PER_LIST])


def _tricks(report: Report, traveller: ScoredTraveller) -> Tricks | None:
    record = report.hands.get((traveller.field, traveller.board))
    return record.tricks if record else None


def _slams(report: Report, traveller: ScoredTraveller) -> Iterator[SlamCount]:
    """Yield the sides of a board that bid a slam, or can make one."""
    tricks = _tricks(report, traveller)
    # The cards of a fouled board are not those of the record.
    lines = [scored.line for scored in traveller.lines if not scored.line.version]
    played = [line.outcome for line in lines if line.score_for(Side.NS) is not None]
    for side in Side:
        bid = [
            outcome
            for outcome in played
            if isinstance(outcome, Played)
            and outcome.contract.level >= SLAM
            and outcome.contract.declarer.side is side
        ]
        makeable = tuple(
            strain
            for strain in reversed(Strain)
            if tricks and max(tricks[seat, strain] for seat in side.seats) >= SLAM + 6
        )
        if played and (bid or makeable):
            made = sum(outcome.overtricks >= 0 for outcome in bid)
            missed = len(played) - len(bid) if makeable else 0
            yield SlamCount(traveller, side, len(bid), made, makeable, missed)


def _defence(report: Report) -> tuple[Defence, ...]:
    """Return the results in which defenders won the most tricks beyond double dummy and beat the contract by it."""
    defences: list[Defence] = []
    for traveller in report.scored.travellers:
        tricks = _tricks(report, traveller)
        if tricks is None:
            continue
        for side_result in _sides(traveller.lines):
            outcome = side_result.line.outcome_for(side_result.side)
            if not isinstance(outcome, Played) or side_result.line.version:
                continue
            contract = outcome.contract
            gained = tricks[contract.declarer, contract.strain] - outcome.tricks
            if contract.declarer.side is not side_result.side and outcome.overtricks < 0 < gained:
                defences.append(Defence(side_result, gained))
    defences.sort(
        key=lambda defence: (-defence.gained, -_worth(defence.defenders.score), defence.defenders.line.board)
    )
    return tuple(defences[:BOARDS_PER_LIST])


def _worth(score: SideScore) -> float:
    percentage = score.percentage
    return score.points if percentage is None else percentage


def _lead(ranking: Ranking, cards: dict[Contestant, tuple[CardLine, ...]]) -> LeadChart | None:
    """Return the lead of a ranking by rounds; None with fewer than two rounds, or while some boards are unpublished."""
    ranked = [standing for standing in ranking.standings if standing.rank]
    if not ranked or any(
        _counted(cards.get(standing.contestant, ())) < standing.boards for standing in ranked
    ):
        return None
    after: dict[Contestant, dict[int, float]] = {}
    for standing in ranked:
        for line in cards[standing.contestant]:
            if line.running is not None:
                after.setdefault(standing.contestant, {})[line.line.round] = line.running
    rounds = tuple(sorted({number for values in after.values() for number in values}))
    if len(rounds) < 2:
        return None
    running = {contestant: _carried(values, rounds) for contestant, values in after.items()}
    leaders = tuple(_leaders(running, index) for index in range(len(rounds)))
    return LeadChart(ranking, rounds, dict(list(running.items())[:CONTESTANTS_IN_CHART]), leaders)


def _counted(card: tuple[CardLine, ...]) -> int:
    """Return the number of boards that count on a score card; a team plays each at two tables."""
    return len({(line.line.round, line.line.board) for line in card if line.score is not None})


def _carried(values: dict[int, float], rounds: tuple[int, ...]) -> tuple[float | None, ...]:
    """Return the value after each round; a contestant who sits out keeps the value of the round before."""
    carried: list[float | None] = []
    for number in rounds:
        carried.append(values.get(number, carried[-1] if carried else None))
    return tuple(carried)


def _leaders(running: dict[Contestant, tuple[float | None, ...]], index: int) -> tuple[Contestant, ...]:
    values = {
        contestant: value for contestant, series in running.items() if (value := series[index]) is not None
    }
    best = max(values.values())
    return tuple(contestant for contestant, value in values.items() if best - value < 1e-9)
