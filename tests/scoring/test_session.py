import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.bridge import AWARDS, NotPlayed, Outcome, Side, Undecided
from overtrick.errors import BadInput
from overtrick.scoring import (
    UNIT,
    Adjustment,
    CarryOver,
    Contestant,
    Extras,
    Line,
    Method,
    Options,
    Ranking,
    Scorer,
    ScoringRules,
    Unequal,
    score,
)

OUTCOMES = ["3NTN=", "3NTN+1", "4SE-1", "4SxE-2", "Pass", "2HS+2", "6CW=", "1NTN-1"]


def pair(number: int, side: Side | None = None, section: str = "A") -> Contestant:
    return Contestant(section, number, side)


def line(board: int, ns: int, ew: int, outcome: str, **more: object) -> Line:
    return Line(board, pair(ns), pair(ew), Outcome.parse(outcome), table=ns, section="A", **more)  # type: ignore[arg-type]


def scored(lines: list[Line], method: str | int = "matchpoints", options: Options | None = None) -> Scorer:
    scorer = Scorer(Method.of(method), options)
    for one in lines:
        scorer.put(one)
    return scorer


def points(scorer: Scorer, extras: Extras | None = None) -> dict[str, float]:
    return {str(s.contestant): s.points for ranking in scorer.rankings(extras) for s in ranking.standings}


def percentages(scorer: Scorer) -> dict[str, float | None]:
    return {str(s.contestant): s.percentage for ranking in scorer.rankings() for s in ranking.standings}


FOUR_TABLES = [
    line(1, 1, 5, "3NTN="),  # 400
    line(1, 2, 6, "3NTN+1"),  # 430
    line(1, 3, 7, "3NTN-1"),  # -50
    line(1, 4, 8, "3NTN="),  # 400
]


def test_tied_results_share_matchpoints() -> None:
    won = points(scored(FOUR_TABLES))
    assert [won[f"A{number}"] for number in (1, 2, 3, 4)] == [3, 6, 0, 3]
    assert [won[f"A{number}"] for number in (5, 6, 7, 8)] == [3, 0, 6, 3]


def test_single_top_halves_the_points() -> None:
    scorer = scored(FOUR_TABLES, options=Options(single_top=True))
    assert points(scorer)["A2"] == 3
    assert points(scorer)["A1"] == 1.5
    assert percentages(scorer)["A1"] == 50
    (traveller,) = scorer.travellers()
    assert [one.ns.points for one in traveller.lines if one.ns] == [1.5, 3, 0, 1.5]


def test_two_winners_are_ranked_apart() -> None:
    lines = [
        Line(1, pair(1, Side.NS), pair(1, Side.EW), Outcome.parse("3NTN="), table=1),
        Line(1, pair(2, Side.NS), pair(2, Side.EW), Outcome.parse("3NTN-1"), table=2),
    ]
    rankings = scored(lines).rankings()
    assert [(r.side, [str(s.contestant) for s in r.standings]) for r in rankings] == [
        (Side.NS, ["A1 NS", "A2 NS"]),
        (Side.EW, ["A2 EW", "A1 EW"]),
    ]


def test_an_arrow_switch_leaves_a_pair_in_its_own_ranking() -> None:
    home, away = pair(1, Side.NS), pair(1, Side.EW)
    lines = [
        Line(1, away, home, Outcome.parse("3NTN="), table=1),
        Line(1, pair(2, Side.EW), pair(2, Side.NS), Outcome.parse("3NTN-1"), table=2),
    ]
    rankings = scored(lines).rankings()
    assert [(r.side, [(str(s.contestant), s.points) for s in r.standings]) for r in rankings] == [
        (Side.NS, [("A2 NS", 2), ("A1 NS", 0)]),
        (Side.EW, [("A1 EW", 2), ("A2 EW", 0)]),
    ]


def test_sections_alone_or_as_one_field() -> None:
    def in_field(section: str, table: int, outcome: str, field: str) -> Line:
        ns, ew = pair(1 + table, None, section), pair(11 + table, None, section)
        return Line(1, ns, ew, Outcome.parse(outcome), section=section, table=table, field=field)

    results = [("A", 1, "3NTN="), ("A", 2, "3NTN-1"), ("B", 1, "3NTN+2"), ("B", 2, "3NTN+1")]
    alone = scored([in_field(*one, field=one[0]) for one in results])
    assert [r.field for r in alone.rankings()] == ["A", "B"]
    assert points(alone)["A2"] == 2
    together = scored([in_field(*one, field="1") for one in results])
    (ranking,) = together.rankings()
    assert ranking.field == "1"
    assert points(together)["A2"] == 2
    assert points(together)["B2"] == 6


def test_a_board_played_fewer_times_by_neuberg_and_by_factoring() -> None:
    short = [line(2, 1, 6, "3NTN="), line(2, 2, 5, "3NTN-1")]
    scorer = scored([*FOUR_TABLES, *short])
    assert points(scorer)["A1"] == 3 + 5
    assert points(scorer)["A2"] == 6 + 1
    assert percentages(scorer)["A1"] == pytest.approx(100 * 8 / 12)
    factored = scored([*FOUR_TABLES, *short], options=Options(ScoringRules(unequal=Unequal.FACTOR)))
    assert points(factored)["A1"] == 3 + 6


def test_awards_are_percentages_of_the_top() -> None:
    lines = [*FOUR_TABLES, *(line(2, n, n + 4, "Pass") for n in (1, 2, 3)), line(2, 4, 8, "60-40")]
    scorer = scored(lines)
    # 4 has 50 % and 8 has 50 % on the board that they played.
    assert points(scorer)["A4"] == pytest.approx(3 + 3.6)
    assert points(scorer)["A8"] == pytest.approx(3 + 2.4)
    line_of_4 = scorer.traveller(2).lines[3]
    assert line_of_4.ns
    assert (line_of_4.ns.percentage, line_of_4.ns.award) == (60, 60)


def test_average_plus_is_the_better_of_60_and_the_own_session_and_average_minus_the_worse_of_40() -> None:
    lines = [*FOUR_TABLES, *(line(2, n, n + 4, "Pass") for n in (1, 4))]
    lines += [line(2, 2, 6, "60-40"), line(2, 3, 7, "40-60")]
    scorer = scored(lines)
    assert percentages(scorer)["A2"] == 100  # 100 % on board 1, so 100 % for the award
    assert percentages(scorer)["A6"] == 0
    assert percentages(scorer)["A3"] == 0
    assert percentages(scorer)["A7"] == 100
    fixed = scored(lines, options=Options(ScoringRules(better_average=False)))
    assert percentages(fixed)["A2"] == 80
    assert percentages(fixed)["A6"] == 20


def test_an_average_plus_for_a_pair_that_played_nothing() -> None:
    assert percentages(scored([line(1, 1, 5, "60-60"), line(1, 2, 6, "Pass")]))["A1"] == 60


def test_award_to_a_contestant_that_sits_on_both_sides_counts_for_each_side_and_is_scored_again() -> None:
    scorer = scored([*FOUR_TABLES, line(1, 9, 9, "60-40")])
    assert percentages(scorer)["A9"] == 50
    scorer.put(line(1, 1, 5, "3NTN+1"))
    scorer.put(line(1, 9, 9, "50-50"))
    assert percentages(scorer)["A9"] == 50


@pytest.mark.parametrize("award", AWARDS, ids=str)
def test_the_nine_awards(award: Outcome) -> None:
    lines = [*FOUR_TABLES, *(line(2, n, n + 4, "Pass") for n in (1, 2, 3)), line(2, 4, 8, str(award))]
    ns, ew = (int(share) for share in str(award).split("-"))
    scorer = scored(lines)
    assert points(scorer)["A4"] == pytest.approx(3 + 6 * ns / 100)
    assert points(scorer)["A8"] == pytest.approx(3 + 6 * ew / 100)
    for method, plus in ((20, 2), (27, 3), (30, 2), (36, 3)):
        fixed = Options(ScoringRules(better_average=False))
        before, after = points(scored(lines[:-1], method)), points(scored(lines, method, fixed))
        assert after["A4"] - before["A4"] == plus * (ns - 50) // 10
        assert after["A8"] - before["A8"] == plus * (ew - 50) // 10


@pytest.mark.parametrize("nothing", [NotPlayed(), Undecided()])
def test_not_played_cancelled_and_pending_boards_do_not_count(nothing: Outcome) -> None:
    lines = [*FOUR_TABLES, *(line(2, n, n + 4, "Pass") for n in (1, 2, 3)), line(2, 4, 8, str(nothing))]
    scorer = scored(lines)
    standings = {str(s.contestant): s for s in scorer.rankings()[0].standings}
    assert (standings["A4"].boards, standings["A4"].percentage) == (1, 50)
    assert (standings["A1"].boards, standings["A1"].percentage) == (2, 50)
    assert scorer.traveller(2).lines[3].ns is None
    alone = scored([line(1, 1, 2, str(nothing))])
    assert alone.rankings() == []


def test_separate_results_are_compared_each_on_its_own_side() -> None:
    lines = [
        *FOUR_TABLES[:3],
        Line(1, pair(4), pair(8), Outcome.parse("3NTN+1"), Outcome.parse("3NTN-1"), table=4, section="A"),
    ]
    won = points(scored(lines))
    # North-South: 430 430 400 -50; East-West against 430 400 -50 -50.
    assert (won["A2"], won["A4"], won["A1"], won["A3"]) == (5, 5, 2, 0)
    assert (won["A6"], won["A5"], won["A7"], won["A8"]) == (0, 2, 5, 5)
    split_award = Line(
        1, pair(4), pair(8), Outcome.parse("3NTN="), Outcome.parse("40-60"), table=4, section="A"
    )
    won = points(scored([*FOUR_TABLES[:3], split_award]))
    assert won["A4"] == 3
    assert won["A8"] == pytest.approx(3.6)


def test_carry_over_and_penalties_count() -> None:
    extras = Extras({pair(1): CarryOver(12, 24)}, [Adjustment(pair(2), -1)])
    won = points(scored(FOUR_TABLES), extras)
    assert won["A1"] == 15
    assert won["A2"] == 5


def test_butler_and_cross_imps() -> None:
    # Scores 400 430 -50 400: mean 295, so 300.
    assert points(scored(FOUR_TABLES, "butler-mean"))["A2"] == 4
    assert points(scored(FOUR_TABLES, "butler-mean"))["A7"] == 8
    # 430: 1 + 1 + 10 (480)
    assert points(scored(FOUR_TABLES, "cross-imps"))["A2"] == 12
    assert points(scored(FOUR_TABLES, "cross-imps-average"))["A2"] == 4


def test_a_team_method_is_not_for_pairs() -> None:
    with pytest.raises(BadInput, match="patton"):
        Scorer(Method.of("patton"))


def howell(rounds: int, seed: int) -> list[Line]:
    """Eight pairs who meet at four tables; a board a round, at all tables."""
    chance = random.Random(seed)
    lines = []
    for round_ in range(1, rounds + 1):
        seats = chance.sample(range(1, 9), 8)
        for table in range(4):
            ns, ew = seats[2 * table], seats[2 * table + 1]
            outcome = chance.choice([*OUTCOMES, "60-40", "40-60", "60-60", "NP", "Arbitral"])
            lines.append(
                Line(
                    *(round_, pair(ns), pair(ew), Outcome.parse(outcome)),
                    section="A",
                    table=table + 1,
                    round=round_,
                )
            )
    return lines


METHODS = ["matchpoints", "butler", "butler-trimmed-3", "cross-imps", "cross-imps-average-3"]


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_the_order_of_results_does_not_matter(seed: int, method: str, chance: random.Random) -> None:
    lines = howell(5, seed)
    expected = scored(lines, method).rankings()
    chance.shuffle(lines)
    assert scored(lines, method).rankings() == expected


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_scoring_while_playing_is_scoring_at_the_end(seed: int, method: str, chance: random.Random) -> None:
    """After any results, corrections, erasures and rankings in between, the ranking is that of the standing results."""
    lines = howell(5, seed)
    scorer = Scorer(Method.of(method))
    standing: dict[tuple[str, int, int, int], Line] = {}
    for step, one in enumerate(chance.sample(lines, len(lines)) * 2):
        if standing and chance.random() < 0.25:
            key = chance.choice(sorted(standing))
            scorer.remove(key)
            del standing[key]
        scorer.put(one)
        standing[one.key] = one
        if step % 3 == 0:
            scorer.rankings()
    fresh = scored(list(standing.values()), method)
    assert scorer.rankings() == fresh.rankings()
    assert scorer.travellers() == fresh.travellers()


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_matchpoints_without_awards_sum_to_the_constant(seed: int) -> None:
    lines = [one for one in howell(6, seed) if one.score_for(Side.NS) is not None]
    rankings: list[Ranking] = scored(lines).rankings()
    standings = [standing for ranking in rankings for standing in ranking.standings]
    # Each total is rounded once, to the nearest unit.
    assert abs(sum(2 * standing.units - standing.top for standing in standings)) <= len(standings)


def test_one_new_result_scores_one_board(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = scored(howell(6, 1), options=Options(expected=4))
    scorer.rankings()
    scored_boards = []
    score_board = Scorer._score_board

    def watched(self: Scorer, place: tuple[str, int]) -> None:
        scored_boards.append(place)
        score_board(self, place)

    monkeypatch.setattr(Scorer, "_score_board", watched)
    scorer.put(howell(6, 2)[9])
    scorer.rankings()
    scorer.rankings()
    assert scored_boards == [("", 3)]


def test_a_line_may_move_to_another_field() -> None:
    scorer = scored(FOUR_TABLES)
    moved = line(1, 4, 8, "3NTN=", field="other")
    scorer.put(moved)
    assert points(scorer)["A2"] == 4
    scorer.remove(moved.key)
    scorer.remove(moved.key)
    assert "A4" not in points(scorer)


def test_session_without_lines_has_an_empty_ranking() -> None:
    scorer = Scorer()
    assert scorer.rankings() == []
    assert scorer.travellers() == []
    assert scorer.traveller(7).lines == ()
    assert UNIT == 10_000


def test_method_that_is_a_text_is_refused_with_the_methods_there_are() -> None:
    with pytest.raises(BadInput, match=r"'matchpoints' is not a Method; use one of Method\.MATCHPOINTS, "):
        score([], "matchpoints")  # type: ignore[arg-type]
