"""Properties of every chart, with any rulings on it."""

import random
from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.bridge import Outcome, PassedOut, Played, Side, Weighted
from overtrick.scoring import (
    RULE_SETS,
    UNIT,
    Contestant,
    Line,
    Method,
    Options,
    Scorer,
    ScoringRules,
    score_matches,
)
from overtrick.scoring.boards import score_board

PLAIN = ["3NTN=", "3NTN+1", "4SE-1", "4SxE-2", "Pass", "2HS+2", "6CW=", "1NTN-1"]
AWARDS = ["60-40", "55-45", "40-40", "NP", "Arbitral", "Cancelled"]


@st.composite
def weighted(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.sampled_from(PLAIN), min_size=1, max_size=4, unique=True))
    cuts = draw(
        st.lists(st.integers(1, 99), min_size=len(parts) - 1, max_size=len(parts) - 1, unique=True).map(
            sorted
        )
    )
    shares = [after - before for before, after in zip([0, *cuts], [*cuts, 100], strict=True)]
    return ", ".join(f"{share} % of {part}" for share, part in zip(shares, parts, strict=True))


outcomes = st.one_of(st.sampled_from(PLAIN), weighted(), st.sampled_from(AWARDS))
results = st.lists(st.tuples(outcomes, st.none() | outcomes), min_size=1, max_size=12)
pairs_methods = st.sampled_from([method for method in Method if not method.is_teams])


def board(drawn: list[tuple[str, str | None]], number: int = 1) -> list[Line]:
    return [
        Line(
            number,
            Contestant("", table, Side.NS),
            Contestant("", table, Side.EW),
            Outcome.parse(ns),
            None if ew is None else Outcome.parse(ew),
            table=table,
        )
        for table, (ns, ew) in enumerate(drawn, 1)
    ]


@given(results, pairs_methods)
def test_a_weight_of_100_is_the_plain_score(drawn: list[tuple[str, str | None]], method: Method) -> None:
    def whole(outcome: str | None) -> str | None:
        is_plain = outcome is not None and isinstance(Outcome.parse(outcome), Played | PassedOut)
        return f"100 % of {outcome}" if is_plain else outcome

    def points(lines: list[Line]) -> list[tuple[object, ...]]:
        return [(line.table, *rest) for line, *rest in score_board(lines, method, ScoringRules(), 12)]

    # One part of 100 per cent is itself a score of its own kind, so the plain one is not put in its place.
    assert isinstance(Outcome.parse("100 % of Pass"), Weighted)
    assert points(board([(whole(ns) or ns, whole(ew)) for ns, ew in drawn])) == points(board(drawn))


@given(results, st.integers(0, 20))
def test_the_real_scores_of_a_chart_sum_to_a_average_each(
    drawn: list[tuple[str, str | None]], more: int
) -> None:
    expected = len(drawn) + more
    counted = list(score_board(board(drawn), Method.MATCHPOINTS, ScoringRules(), expected))
    for side in Side:
        real = [units for _, of, units, _, award in counted if of is side and award is None]
        assert sum(real) == len(real) * (expected - 1) * UNIT


@given(results, st.sampled_from([Method.CROSS_IMPS, Method.CROSS_IMPS_AVERAGE]))
def test_the_cross_imps_of_a_chart_sum_to_nothing(
    drawn: list[tuple[str, str | None]], method: Method
) -> None:
    counted = list(score_board(board(drawn), method, ScoringRules(), 0))
    for side in Side:
        assert sum(units for _, of, units, _, award in counted if of is side and award is None) == 0


@settings(max_examples=60)
@given(
    st.lists(results, min_size=1, max_size=5),
    st.integers(0, 10**6),
    pairs_methods,
    st.sampled_from(sorted(RULE_SETS)),
    st.booleans(),
)
def test_rankings_do_not_depend_on_order(
    boards: list[list[tuple[str, str | None]]], seed: int, method: Method, rules: str, is_fouled: bool
) -> None:
    lines = [line for number, drawn in enumerate(boards, 1) for line in board(drawn, number)]
    if is_fouled:
        lines = [replace(line, version="AB"[line.table % 3 == 0]) for line in lines]
    shuffled = random.Random(seed).sample(lines, len(lines))
    first, second = (Scorer(method, Options(RULE_SETS[rules])) for _ in range(2))
    for line in lines:
        first.put(line)
    for place, line in enumerate(shuffled):
        second.put(line)
        if place % 3 == 0:
            second.rankings()
    assert first.rankings() == second.rankings()
    assert first.travellers() == second.travellers()


@given(outcomes, outcomes, st.sampled_from([Method.TEAM_IMPS, Method.BOARD_A_MATCH]))
def test_what_one_team_wins_in_a_knock_out_the_other_loses(here: str, there: str, method: Method) -> None:
    one, two = Contestant("", 1), Contestant("", 2)
    lines = [
        Line(1, one, two, Outcome.parse(here), table=1),
        Line(1, two, one, Outcome.parse(there), table=2),
    ]
    for match in score_matches(lines, Method.TEAM_IMPS, is_knockout=True):
        assert match.home.units + match.away.units == 0
    for match in score_matches(lines, method):
        if all(isinstance(Outcome.parse(text), Played | Weighted | PassedOut) for text in (here, there)):
            assert match.home.units + match.away.units == Fraction(match.home.top)
