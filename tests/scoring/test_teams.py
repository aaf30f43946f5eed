from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import Outcome
from overtrick.scoring import (
    UNIT,
    Adjustment,
    Contestant,
    Extras,
    Line,
    Match,
    MatchRuling,
    Method,
    TeamMatchView,
    score,
    score_matches,
    team_rankings,
)

ONE, TWO, THREE, FOUR = (Contestant("", number) for number in (1, 2, 3, 4))
RESULTS = ["3NTN=", "3NTN+1", "3NTN-1", "4SN=", "4SE-1", "4SxE-2", "Pass", "6HS=", "6HS-1", "1NTW+1"]


def match_lines(results: list[tuple[str, str]], round_: int = 1, table: int = 1) -> list[Line]:
    """Open room: ONE sits North-South; closed room: TWO does."""
    lines = []
    for board, (here, there) in enumerate(results, 1):
        lines.append(Line(board, ONE, TWO, Outcome.parse(here), table=table, round=round_))
        lines.append(Line(board, TWO, ONE, Outcome.parse(there), table=table + 1, round=round_))
    return lines


def match_of(results: list[tuple[str, str]], method: str, boards_per_match: int | None = None) -> Match:
    (match,) = score_matches(match_lines(results), Method.of(method), boards_per_match)
    return match


def imps_of(view: TeamMatchView) -> tuple[float, float]:
    return view.own_imps / UNIT, view.their_imps / UNIT


def test_team_imps_of_two_tables() -> None:
    # Board 1, nobody vulnerable: 400 against 430; board 2, NS vulnerable: 620 and the game down at the other
    # table (-100); board 3, EW vulnerable: a flat board.
    match = match_of([("3NTN=", "3NTN+1"), ("4SN=", "4SN-1"), ("3NTN=", "3NTN=")], "team-imps")
    assert imps_of(match.home) == (12, 1)
    assert imps_of(match.away) == (1, 12)
    assert (match.home.units, match.away.units) == (11 * UNIT, -11 * UNIT)
    assert match.view(TWO) is match.away


def test_victory_points() -> None:
    match = match_of([("4SN=", "4SN-1"), ("3NTN=", "3NTN=")], "vps-discrete", boards_per_match=8)
    assert (match.home.units, match.away.units) == (14 * UNIT, 6 * UNIT)
    match = match_of([("4SN=", "4SN-1")] * 2, "vps-continuous", boards_per_match=4)
    assert imps_of(match.home) == (22, 0)
    assert (match.home.units, match.away.units) == (185_500, 14_500)


def test_penalty_in_imps_changes_a_match_before_its_victory_points() -> None:
    lines = match_lines([("4SN=", "4SN-1"), ("3NTN=", "3NTN=")])
    late = Adjustment(ONE, -3, "Late", board=2, round=1)
    scored = score(
        lines, Method.of("vps-discrete"), boards_per_match=8, extras=Extras(match_adjustments=[late])
    )
    (match,) = scored.matches
    # 10 IMPs are 14-6 in a match of 8 boards, 7 are 13; the other team keeps its 6.
    assert (match.home.units, match.away.units) == (13 * UNIT, 6 * UNIT)
    assert (imps_of(match.home), match.home.adjustment) == ((10, 0), -3 * UNIT)
    assert [standing.points for standing in scored.rankings[0].standings] == [13, 6]
    assert [line.adjustments for line in scored.travellers[1].lines] == [((ONE, -3 * UNIT),)] * 2
    other_round = replace(late, round=2)
    scored = score(lines, Method.of("vps-discrete"), extras=Extras(match_adjustments=[other_round]))
    assert scored.matches[0].home.adjustment == 0


def test_the_length_of_the_match_is_counted_when_it_is_not_given() -> None:
    four = match_of([("4SN=", "4SN-1"), *[("Pass", "Pass")] * 3], "vps-continuous")
    assert four.home.units == 150_000


def test_awards_are_three_imps_and_need_not_balance() -> None:
    match = match_of([("60-40", "3NTN=")], "team-imps")
    assert (match.home.units, match.away.units) == (3 * UNIT, -3 * UNIT)
    match = match_of([("60-60", "3NTN=")], "team-imps")
    assert (match.home.units, match.away.units) == (3 * UNIT, 3 * UNIT)
    match = match_of([("60-40", "50-50")], "team-imps")
    assert match.home.units == 15_000
    match = match_of([("60-40", "3NTN=")], "board-a-match")
    assert (match.home.units, match.away.units) == (12_000, 8_000)


def test_separate_results_in_a_match() -> None:
    split = Line(1, ONE, TWO, Outcome.parse("3NTN="), Outcome.parse("3NTN-1"), table=1, round=1)
    other = Line(1, TWO, ONE, Outcome.parse("3NTN="), table=2, round=1)
    (match,) = score_matches([split, other], Method.of("team-imps"))
    # ONE: 400 against 400; TWO: 400 at its table, -50 to North-South at the other, so +450.
    assert (match.home.units, match.away.units) == (0, 10 * UNIT)


@pytest.mark.parametrize("missing", ["NP", "Arbitral"])
def test_a_board_counts_when_both_tables_have_it(missing: str) -> None:
    match = match_of([("4SN=", missing), ("Pass", "Pass")], "team-imps")
    assert [board.board for board in match.home.boards] == [2]
    lines = match_lines([("4SN=", "Pass")])[:1]
    (match,) = score_matches(lines, Method.of("vps-continuous"))
    assert match.home.boards == ()
    assert team_rankings([match], Method.of("vps-continuous"))[0].standings == ()


def fouled_lines(here: str, there: str) -> list[Line]:
    """Board 1 was played with other cards at the second table; board 2 is flat."""
    lines = match_lines([(here, there), ("Pass", "Pass")])
    return [replace(line, version="b") if (line.board, line.table) == (1, 2) else line for line in lines]


def test_results_with_different_cards_are_not_compared() -> None:
    session = score(fouled_lines("4SN=", "4SN-1"), Method.of("team-imps"))
    (match,) = session.matches
    assert match.fouled == (1,)
    assert [board.board for board in match.home.boards] == [2]
    assert (match.home.units, match.away.units) == (0, 0)
    assert session.rulings_due == (
        "Board 1 of 1 against 2 in round 1 was played with different cards at the two tables. "
        "It does not count until it is ruled (Law 86B2).",
    )


@pytest.mark.parametrize(
    ("there", "home", "away"),
    [
        # Nobody at fault: an average plus for each side.
        ("60-60", 3, 3),
        # The side at fault gets an average minus. The award is North-South's (TWO) first.
        ("60-40", -3, 3),
        # 420 against 50 % of -50 (10 IMPs) and 50 % of 420 (0).
        ("50 % of 4SN=, 50 % of 4SN-1", 5, -5),
    ],
)
def test_ruling_on_a_fouled_board_counts(there: str, home: int, away: int) -> None:
    (match,) = score_matches(fouled_lines("4SN=", there), Method.of("team-imps"))
    assert match.fouled == ()
    assert (match.home.units, match.away.units) == (home * UNIT, away * UNIT)


def test_board_fouled_alike_at_both_tables_is_compared() -> None:
    lines = [replace(line, version="b") for line in match_lines([("4SN=", "4SN-1")])]
    (match,) = score_matches(lines, Method.of("team-imps"))
    assert match.home.units == 10 * UNIT


def test_shortened_match_has_the_scale_of_its_length() -> None:
    lines = match_lines([("4SN=", "4SN-1"), ("Pass", "Pass")])
    lines += [replace(line, round=2) for line in lines]
    shortened = MatchRuling(2, TWO, ONE, boards=2)
    matches = score_matches(lines, Method.of("vps-discrete"), 8, rulings=[shortened])
    assert [match.home.units / UNIT for match in matches] == [14, 16]


def test_void_match_counts_for_nobody_or_as_it_is_given() -> None:
    lines = match_lines([("4SN=", "4SN-1")])
    lines += [replace(line, round=2) for line in lines]
    method = Method.of("vps-discrete")
    void = MatchRuling(2, ONE, TWO, is_void=True)
    session = score(lines, method, boards_per_match=8, match_rulings=[void])
    assert [(s.contestant, s.points, s.boards) for s in session.rankings[0].standings] == [
        (ONE, 14, 1),
        (TWO, 6, 1),
    ]
    given = replace(void, points=(Decimal(0), Decimal(12)))
    session = score(lines, method, boards_per_match=8, match_rulings=[given])
    assert [(s.contestant, s.points) for s in session.rankings[0].standings] == [(TWO, 18), (ONE, 14)]
    # A match that nobody played, as where a team does not come.
    unplayed = MatchRuling(3, THREE, FOUR, is_void=True, points=(Decimal(12), Decimal(0)))
    session = score(lines, method, boards_per_match=8, match_rulings=[unplayed])
    assert {s.contestant: s.points for s in session.rankings[0].standings}[THREE] == 12


def test_board_a_match_counts_ten_points_like_a_slam() -> None:
    match = match_of(
        [("3NTN=", "5CN="), ("6HS=", "6HS-1"), ("Pass", "Pass"), ("Pass", "4SE-1")], "board-a-match"
    )
    # 400 against 400, a slam, a flat board, a board lost
    assert match.home.units == (1 + 2 + 1 + 0) * UNIT
    assert match.home.top == 8 * UNIT
    # 430 against 420, and the other way round
    assert match_of([("3NTN+1", "4SN=")], "board-a-match").home.units == 2 * UNIT
    assert match_of([("4SN=", "3NTN+1")], "board-a-match").home.units == 0


def test_patton_halves_board_a_match_and_totals() -> None:
    # Three boards: +30 for home, +100 for away, flat. By board 2 + 0 + 1 = 3 of 6; by totals 30 : 100 of 6.
    match = match_of([("3NTN+1", "3NTN="), ("Pass", "4SE-1"), ("Pass", "Pass")], "patton")
    assert match.home.units / UNIT == pytest.approx(3 + 6 * 30 / 80, abs=1e-4)
    assert match.home.units + match.away.units == 12 * UNIT
    assert match.home.top == match.away.top == 12 * UNIT
    flat = match_of([("Pass", "Pass")] * 4, "patton")
    assert flat.home.units == flat.away.units == 8 * UNIT


results = st.lists(st.tuples(st.sampled_from(RESULTS), st.sampled_from(RESULTS)), min_size=1, max_size=12)


@given(results, st.sampled_from(["team-imps", "vps-discrete", "vps-continuous", "board-a-match", "patton"]))
def test_the_two_sides_of_a_match_make_up_the_whole(played: list[tuple[str, str]], method: str) -> None:
    match = match_of(played, method)
    whole = {
        "team-imps": 0,
        "vps-discrete": 20 * UNIT,
        "vps-continuous": 20 * UNIT,
        "board-a-match": 2 * UNIT * len(played),
        "patton": 4 * UNIT * len(played),
    }[method]
    assert match.home.units + match.away.units == whole
    assert (match.home.own_imps, match.home.their_imps) == (match.away.their_imps, match.away.own_imps)


def test_a_ranking_of_teams() -> None:
    lines = [
        *match_lines([("4SN=", "4SN-1")]),
        Line(1, THREE, FOUR, Outcome.parse("3NTN="), table=3, round=1),
        Line(1, FOUR, THREE, Outcome.parse("3NTN="), table=4, round=1),
    ]
    session = score(lines, Method.of("vps-discrete"), boards_per_match=8)
    (ranking,) = session.rankings
    assert [(s.rank, s.rank_max, s.contestant.number, s.points) for s in ranking.standings] == [
        (1, 1, 1, 14),
        (2, 3, 3, 10),
        (2, 3, 4, 10),
        (4, 4, 2, 6),
    ]
    (traveller,) = session.travellers
    assert [(one.ns.points, one.ew.points) for one in traveller.lines if one.ns and one.ew] == [
        (10, -10),
        (-10, 10),
        (0, 0),
        (0, 0),
    ]


def test_match_shows_imps_and_vps_in_points() -> None:
    match = match_of([("4SN=", "4SN-1"), ("3NTN=", "3NTN+1")], "vps-continuous")
    assert [board.imps for board in match.home.boards] == [10, -1]
    assert [board.imps for board in match.away.boards] == [-10, 1]
    assert (match.home.imps, match.away.imps) == (10, 1)
    assert match.home.vps == match.home.units / UNIT > 10 > (match.away.vps or 0)
    in_imps = match_of([("4SN=", "4SN-1")], "team-imps").home
    assert (in_imps.vps, in_imps.points) == (None, 10)
