"""The real club evening from end to end, against a calculation that shares nothing with the code."""

import csv
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from overtrick.bridge import Outcome, Side
from overtrick.scoring import Contestant, Line, score

Row = dict[str, str]


@pytest.fixture
def received(club_evening: Path, require_program: Callable[[str], str]) -> list[Row]:
    export = subprocess.run(
        [require_program("mdb-export"), str(club_evening), "ReceivedData"],
        check=True,
        capture_output=True,
        text=True,
        timeout=50,
    )
    return list(csv.DictReader(export.stdout.splitlines()))


def outcome_of(row: Row) -> Outcome:
    if row["Remarks"]:
        return Outcome.parse(row["Remarks"].replace("%", ""))
    if row["Contract"] == "PASS":
        return Outcome.parse("Pass")
    level, strain, *doubled = row["Contract"].split()
    return Outcome.parse(f"{level}{strain}{''.join(doubled)}{row['NS/EW']}{row['Result']}")


def line_of(row: Row) -> Line:
    return Line(
        int(row["Board"]),
        Contestant("A", int(row["PairNS"])),
        Contestant("A", int(row["PairEW"])),
        outcome_of(row),
        section="A",
        table=int(row["Table"]),
        round=int(row["Round"]),
    )


# --- the other calculation: Law 77 by its own words, everyone compared with everyone, in fractions ---

VULNERABLE = {  # by board: who
    **dict.fromkeys((1, 8, 11, 14), ""),
    **dict.fromkeys((2, 5, 12, 15), "NS"),
    **dict.fromkeys((3, 6, 9, 16), "EW"),
    **dict.fromkeys((4, 7, 10, 13), "NSEW"),
}


def by_hand(row: Row) -> int | None:
    """North-South's score, or None for an award."""
    if row["Remarks"]:
        return None
    if row["Contract"] == "PASS":
        return 0
    level, strain, *rest = row["Contract"].split()
    times = {(): 1, ("x",): 2, ("xx",): 4}[tuple(rest)]
    vulnerable = row["NS/EW"] in VULNERABLE[(int(row["Board"]) - 1) % 16 + 1]
    made = 0 if row["Result"] == "=" else int(row["Result"])
    sign = 1 if row["NS/EW"] in "NS" else -1
    if made < 0:
        down = -made
        if times == 1:
            return -sign * down * (100 if vulnerable else 50)
        steps = [200] + [300] * 12 if vulnerable else [100, 200, 200] + [300] * 10
        return -sign * sum(steps[:down]) * times // 2
    trick = 20 if strain in "CD" else 30
    contract = times * (int(level) * trick + (10 if strain == "NT" else 0))
    total = contract + (50 if contract < 100 else 500 if vulnerable else 300)
    total += {"6": 750 if vulnerable else 500, "7": 1500 if vulnerable else 1000}.get(level, 0)
    total += {1: 0, 2: 50, 4: 100}[times]
    over = trick if times == 1 else (100 if vulnerable else 50) * times
    return sign * (total + made * over)


def percentages_by_hand(rows: list[Row]) -> dict[int, Fraction]:
    won: dict[int, list[Fraction]] = {}
    awards: list[tuple[int, Fraction]] = []
    for row in rows:
        score_here = by_hand(row)
        if score_here is None:
            ns, ew = (Fraction(int(part.rstrip("%")), 100) for part in row["Remarks"].split("-"))
            awards += [(int(row["PairNS"]), ns), (int(row["PairEW"]), ew)]
            continue
        others = [by_hand(other) for other in rows if other["Board"] == row["Board"] and other is not row]
        scores = [other for other in others if other is not None]
        matchpoints = sum((score_here > other) * 2 + (score_here == other) for other in scores)
        # Neuberg: twelve scores are expected
        lifted = Fraction((matchpoints + 1) * 12, len(scores) + 1) - 1
        won.setdefault(int(row["PairNS"]), []).append(lifted / 22)
        won.setdefault(int(row["PairEW"]), []).append(1 - lifted / 22)
    played = {pair: sum(shares, Fraction(0)) / len(shares) for pair, shares in won.items()}
    for pair, share in awards:
        own = played[pair]
        won[pair].append(max(share, own) if share > Fraction(1, 2) else min(share, own))
    return {pair: sum(shares, Fraction(0)) / len(shares) for pair, shares in won.items()}


def test_the_evening_is_ranked(received: list[Row]) -> None:
    assert len(received) == 288
    assert sorted(row["Remarks"] for row in received if row["Remarks"]) == ["40%-60%", "60%-60%"]
    session = score(line_of(row) for row in received)
    assert session.rejected == ()
    (ranking,) = session.rankings
    assert ranking.side is None
    assert sorted(s.contestant.number for s in ranking.standings) == list(range(1, 25))
    assert all(s.boards == 24 for s in ranking.standings)
    expected = percentages_by_hand(received)
    for standing in ranking.standings:
        share = expected[standing.contestant.number]
        assert standing.percentage == pytest.approx(float(100 * share), abs=1e-3)
        assert standing.rank == 1 + sum(other > share for other in expected.values())
        assert standing.rank_max == sum(other >= share for other in expected.values())


def test_every_score_of_the_evening_is_law_77s(received: list[Row]) -> None:
    scores = [(by_hand(row), line_of(row).score_for(Side.NS)) for row in received]
    assert all(ours == theirs for ours, theirs in scores)
    assert len({ours for ours, _ in scores}) > 40
