import pytest

from overtrick.bridge import Outcome, Side
from overtrick.scoring import Contestant, Line, sift, travellers

A, B, C, D = (Contestant("A", number) for number in (1, 2, 3, 4))


def line(
    board: int, ns: Contestant, ew: Contestant, outcome: str = "3NTN=", *, table: int = 1, round: int = 1
) -> Line:
    return Line(board, ns, ew, Outcome.parse(outcome), section="A", table=table, round=round)


def test_two_winners_with_one_number_are_two_pairs() -> None:
    north, east = Contestant("A", 5, Side.NS), Contestant("A", 5, Side.EW)
    good, rejected = sift([line(1, north, east)])
    assert good
    assert not rejected


def test_impossible_line_is_listed_with_its_reason_and_the_rest_is_kept() -> None:
    lines = [
        line(1, A, B),
        line(2, C, C, table=2),
        line(0, C, D, table=3),
        line(1, A, D, table=4, round=2),
    ]
    good, rejected = sift(lines)
    assert good == lines[:1]
    assert [str(one) for one in rejected] == [
        "section A, table 2, round 1, board 2: A3 cannot play against itself.",
        "section A, table 3, round 1, board 0: There is no board 0.",
        "section A, table 4, round 2, board 1: A1 has already played board 1, in round 1.",
    ]


def test_a_correction_replaces_and_a_board_not_played_may_be_played_later() -> None:
    good, rejected = sift([line(1, A, B, "NP"), line(1, A, C, table=2, round=3), line(1, A, B, "NP")])
    assert len(good) == 2
    assert not rejected
    good, _ = sift([line(1, A, B, "3NTN="), line(1, A, B, "4SE-1")])
    assert [str(one.outcome) for one in good] == ["4SE-1"]


def test_both_tables_of_a_match_have_the_board() -> None:
    good, rejected = sift([line(1, A, B, table=1), line(1, B, A, table=2)])
    assert len(good) == 2
    assert not rejected
    _, rejected = sift([line(1, A, B, table=1), line(1, A, B, table=2)])
    assert len(rejected) == 1
    _, rejected = sift([line(1, A, B, table=1), line(1, B, A, table=2, round=2)])
    assert len(rejected) == 1


def test_travellers_are_sorted_by_field_board_and_pair() -> None:
    lines = [line(2, C, D, table=2), line(2, A, B), line(1, D, A, table=3)]
    found = travellers(lines)
    assert [(t.board, [str(one.ns) for one in t.lines]) for t in found] == [(1, ["A4"]), (2, ["A1", "A3"])]


@pytest.mark.parametrize(
    ("outcome", "ns", "ew"), [("60-40", 60, 40), ("40-60", 40, 60), ("3NTN=", None, None)]
)
def test_award_gives_each_side_its_own_percentage(outcome: str, ns: int | None, ew: int | None) -> None:
    one = line(1, A, B, outcome)
    assert (one.award_for(Side.NS), one.award_for(Side.EW)) == (ns, ew)


def test_each_side_has_its_separate_result() -> None:
    one = Line(1, A, B, Outcome.parse("4SN="), Outcome.parse("4SN-1"))
    assert one.score_for(Side.NS) == 420
    assert one.score_for(Side.EW) == -50
