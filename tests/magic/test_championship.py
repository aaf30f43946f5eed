"""Complete team events from 2A-c to 2D, with every figure of 2B computed again from the columns of 2D.

The check reads the files as an office would: it uses the columns, the table of IMPs and the WBF's formula, and none of
our code. The official scale differs from the formula by a hundredth at most.
"""

import csv
import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from overtrick.bridge import Outcome
from overtrick.directing.qualification import qualify
from overtrick.directing.team_draws import draw_rounds
from overtrick.event import Fact
from overtrick.event.team_rules import SetTeamEvent
from overtrick.event.teams import (
    CarryOverSet,
    Division,
    DivisionSet,
    LineUp,
    LineUpSet,
    Room,
    Segment,
    TeamAdjusted,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamEvent,
    TeamFormat,
)
from overtrick.host.lookup import do, find_division, open_team_view, put
from overtrick.host.magic import CONTINUOUS, export_event, import_file, in_import_order
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.magic.files import Encoding
from overtrick.magic.rows import LAYOUTS, FileKind
from overtrick.scoring import UNIT, Method
from overtrick.views.teams import TeamView
from tests.event.team_events import EVENT

BOARDS = 4
OUTCOMES = [
    Outcome.parse(text) for text in ("4SN=", "4SN-1", "3NTE+1", "3NTE-2", "6HxS=", "2DW+1", "Pass", "5CxE-3")
]
IMP_SCALE = (
    20,
    50,
    90,
    130,
    170,
    220,
    270,
    320,
    370,
    430,
    500,
    600,
    750,
    900,
    1100,
    1300,
    1500,
    1750,
    2000,
    2250,
)

Line = dict[str, str]


def imps(difference: int) -> int:
    won = sum(abs(difference) >= least for least in IMP_SCALE)
    return won if difference > 0 else -won


def vps(margin: float, boards: int) -> float:
    r, x = math.sqrt(5) - 2, 15 * math.sqrt(boards)
    own: float = min(20.0, 10 + 10 * (1 - r ** (abs(margin) / x)) / (1 - r))
    return own if margin >= 0 else 20 - own


def read(path: Path) -> list[Line]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def number(text: str) -> float:
    return float(text or 0)


def enter(folder: Path, teams: dict[str, int]) -> Path:
    """Write 2A-c for divisions with these numbers of teams, four players each."""
    lines = ["\t".join(LAYOUTS[FileKind.INITIAL_TEAMS].columns)]
    foreign = 500
    for division, count in teams.items():
        for team in range(1, count + 1):
            foreign += 1
            for player in "ABCD":
                name = f"{division}{team}{player}"
                lines.append(
                    f"Europeans {division}\t{division} team {team}\t{foreign}\tLast{name}\tFirst\t\tSpain\tESP\tC{name}"
                )
    path = folder / "participants.txt"
    path.write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    return path


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    with open_runtime(tmp_path / "magic.overtrick") as opened:
        do(opened, SetTeamEvent(EVENT, "Europeans", 1))
        yield opened


def state(runtime: Runtime) -> TeamEvent:
    with open_team_view(runtime, "Europeans") as view:
        return view.event


def draw_next(runtime: Runtime, division: str, segments: int = 1) -> None:
    with open_team_view(runtime, "Europeans") as view:
        rounds = draw_rounds(view, find_division(view.event, division), segments)
    put(runtime, EVENT, rounds)


def play(runtime: Runtime, division: int, round_: int, chance: random.Random) -> None:
    """Enter line-ups and results of every segment of a round."""
    event = state(runtime)
    drawn = event.draws[division, round_]
    facts: list[Fact] = []
    for match in drawn.pairings:
        for part in range(1, drawn.segments + 1):
            segment = Segment(division, round_, part, match.home)
            home, away = (
                [member.player for member in event.rosters[team]] for team in (match.home, match.away)
            )
            facts.append(LineUpSet(segment, Room.OPEN, LineUp(*home[:2], *away[:2])))
            facts.append(LineUpSet(segment, Room.CLOSED, LineUp(*away[2:], *home[2:])))
            for board in range(1, BOARDS + 1):
                for room in Room:
                    result = TeamBoardResult(room, board, chance.choice(OUTCOMES))
                    facts.append(TeamBoardRecorded(segment, result))
    put(runtime, EVENT, facts)


def exchange(runtime: Runtime, tmp_path: Path) -> Path:
    """Export everything to an empty office, which must export the same again; return the folder."""
    out, back = tmp_path / "out", tmp_path / "back"
    files = [
        exported.path for exported in export_event(runtime, "Europeans", CONTINUOUS, out, Encoding.UTF_8)
    ]
    with open_runtime(tmp_path / "office.overtrick") as office:
        for path in in_import_order(files, Encoding.UTF_8):
            result = import_file(office, None, path)
            assert not result.conflicts, result.conflicts
            assert not import_file(office, None, path).commands
        for exported in export_event(office, "Europeans", CONTINUOUS, back, Encoding.UTF_8):
            assert exported.path.read_bytes() == (out / exported.path.name).read_bytes()
    assert {path.name for path in back.iterdir()} == {path.name for path in out.iterdir()}
    return out


def check_boards(out: Path) -> dict[tuple[str, ...], tuple[int, int]]:
    """Check the IMPs of every board in 2D; return the IMPs of every segment."""
    imps_by_segment: dict[tuple[str, ...], tuple[int, int]] = {}
    for path in sorted(out.glob("2D-*.txt")):
        rows = read(path)
        assert len({(row["nSerieID"], row["nRound"], row["nTeamIDHome"]) for row in rows}) == 1
        for row in rows:
            scores = [
                number(row[f"nResultNS{room}"]) - number(row[f"nResultEW{room}"])
                for room in ("Open", "Closed")
            ]
            won = imps(int(scores[0] - scores[1]))
            assert number(row["fIMPHome"]) == max(won, 0)
            assert number(row["fIMPAway"]) == max(-won, 0)
            key = (row["nSerieID"], row["nRound"], row["nSegment"], row["nTeamIDHome"])
            home, away = imps_by_segment.get(key, (0, 0))
            imps_by_segment[key] = home + max(won, 0), away + max(-won, 0)
    return imps_by_segment


def check_results(out: Path, boards: int) -> None:
    """Check every figure of 2B: IMPs from 2D, VPs by the formula, sums and ranks by counting."""
    won = check_boards(out)
    (path,) = out.glob("2B-*.txt")
    rows = read(path)
    assert len(rows) == len(won)
    totals: dict[str, float] = {}
    by_round: dict[tuple[int, int, int], list[Line]] = {}
    for row in rows:
        by_round.setdefault((int(row["nSerieID"]), int(row["nRound"]), int(row["nSegment"])), []).append(row)
    for key in sorted(by_round):
        for row in by_round[key]:
            home, away = won[row["nSerieID"], row["nRound"], row["nSegment"], row["nTeamIDHome"]]
            assert (number(row["fIMPHome"]), number(row["fIMPAway"])) == (home, away)
            for side, other in (("Home", "Away"), ("Away", "Home")):
                team = row[f"nTeamID{side}"]
                total = number(row[f"fIMPTotal{side}"])
                parts = (number(row[f"{name}{side}"]) for name in ("fIMPCarryOver", "fIMP", "fIMPAdjustment"))
                assert total == sum(parts)
                theirs = number(row[f"fIMPTotal{other}"]) - number(row[f"fIMPAdjustment{other}"])
                assert number(row[f"fVP{side}"]) == pytest.approx(vps(total - theirs, boards), abs=0.0151)
                of_round = number(row[f"fVP{side}"]) + number(row[f"fVPAdjustment{side}"])
                assert number(row[f"fVPTotalRound{side}"]) == pytest.approx(of_round)
                carried = number(row[f"fVPCarryOver{side}"])
                totals[team] = totals.get(team, carried) + of_round
                assert number(row[f"fVPTotal{side}"]) == pytest.approx(totals[team])
        mine = {team for row in by_round[key] for team in (row["nTeamIDHome"], row["nTeamIDAway"])}
        cents = {team: round(100 * totals[team]) for team in mine}
        for row in by_round[key]:
            for side in ("Home", "Away"):
                own = cents[row[f"nTeamID{side}"]]
                above = sum(points > own for points in cents.values())
                level = sum(points == own for points in cents.values())
                assert (int(row[f"nRank{side}"]), int(row[f"nRankMax{side}"])) == (above + 1, above + level)


def test_swiss_of_16_teams_has_figures_that_an_independent_count_confirms(
    runtime: Runtime, tmp_path: Path
) -> None:
    put(runtime, EVENT, [DivisionSet(Division(1, "Open", TeamFormat.SWISS, Method.VPS_CONTINUOUS, BOARDS))])
    import_file(runtime, None, enter(tmp_path, {"Open": 16}))
    assert len(state(runtime).teams) == 16
    teams = sorted(state(runtime).teams)
    put(runtime, EVENT, [CarryOverSet(1, 1, teams[0], 0, 35_000)])
    chance = random.Random(1)
    for round_ in range(1, 6):
        draw_next(runtime, "Open")
        play(runtime, 1, round_, chance)
        match = state(runtime).draws[1, round_].pairings[round_]
        put(
            runtime,
            EVENT,
            [
                TeamAdjusted(1, round_, 1, match.home, 13 * UNIT, 0, "seen by one team alone"),
                TeamAdjusted(1, round_, 1, match.away, 0, -UNIT // 2, "slow play"),
            ],
        )
    met = [frozenset((m.home, m.away)) for drawn in state(runtime).draws.values() for m in drawn.pairings]
    assert len(met) == len(set(met)) == 40
    check_results(exchange(runtime, tmp_path), BOARDS)


def test_two_groups_of_16_and_a_knock_out_with_carry_over_have_confirmed_figures(
    runtime: Runtime, tmp_path: Path
) -> None:
    groups = {"Q-A": 16, "Q-B": 16}
    put(
        runtime,
        EVENT,
        [
            *(
                DivisionSet(Division(id, name, TeamFormat.ROUND_ROBIN, Method.VPS_CONTINUOUS, 8))
                for id, name in enumerate(groups, start=1)
            ),
            DivisionSet(Division(3, "Final", TeamFormat.KNOCK_OUT, Method.TEAM_IMPS)),
        ],
    )
    import_file(runtime, None, enter(tmp_path, groups))
    chance = random.Random(2)
    for division, name in enumerate(groups, start=1):
        draw_next(runtime, name)
        for round_ in range(1, 16):
            play(runtime, division, round_, chance)
    assert len(state(runtime).draws) == 30
    groups_out = exchange(runtime, tmp_path / "groups")
    check_results(groups_out, 8)
    for name in groups:
        with runtime.writer.reading() as everything:
            view = TeamView.of(everything, everything.team_events[EVENT])
            final = qualify(
                everything, view, find_division(view.event, name), 1, 2, find_division(view.event, "Final")
            )
        put(runtime, EVENT, final)
    for round_ in (1, 2):
        draw_next(runtime, "Final", segments=3)
        carried = [
            CarryOverSet(3, round_, match.home, 125_000, 0)
            for match in state(runtime).draws[3, round_].pairings
        ]
        put(runtime, EVENT, carried)
        play(runtime, 3, round_, chance)
    with open_team_view(runtime, "Europeans") as view:
        (last,) = view.draws[3, 2].pairings
        champion = view.winner(3, 2, last.home)
        assert champion in (last.home, last.away)
    out = exchange(runtime, tmp_path / "final")
    won = check_boards(out)
    rows = [row for row in read(out / "2B-1.txt") if row["csSerie"] == "Final"]
    assert len(rows) == 9
    running: dict[tuple[str, str], float] = {}
    for row in rows:
        home, away = won[row["nSerieID"], row["nRound"], row["nSegment"], row["nTeamIDHome"]]
        for side, segment_imps in (("Home", home), ("Away", away)):
            key = row["nRound"], row[f"nTeamID{side}"]
            into = running.get(key, 12.5 if side == "Home" else 0)
            assert number(row[f"fIMPCarryOver{side}"]) == into
            running[key] = into + segment_imps
            assert number(row[f"fIMPTotal{side}"]) == running[key]
            assert (row[f"fVP{side}"], row[f"nRank{side}"]) == ("", "")
    final_round = [row for row in rows if row["nRound"] == "2"][-1]
    best = max(("Home", "Away"), key=lambda side: number(final_round[f"fIMPTotal{side}"]))
    assert int(final_round[f"nTeamID{best}"]) == champion
