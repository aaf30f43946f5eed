import asyncio
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from overtrick.bridge import PASS, Award, Deal, Outcome, Seat
from overtrick.errors import BadInput
from overtrick.tablemanager.conversation import DUE, PLAYER
from overtrick.tablemanager.matches import (
    Comparison,
    Entrant,
    MatchResult,
    compare,
    cross_table,
    play_matches,
    report,
)
from overtrick.tablemanager.rules import Board, BoardRecord, Rules

BOARDS = [Board.numbered(number, Deal.dealt_by(random.Random(number))) for number in (1, 2)]
RULES = Rules(trick_pause=0.0, timeout=20.0, reconnect=20.0)


def record(number: int, outcome: str) -> BoardRecord:
    return BoardRecord(BOARDS[number - 1], "A", "B", (PASS,), ("",), (), Outcome.parse(outcome))


def test_boards_are_compared_in_imps_and_victory_points() -> None:
    match = compare(
        "A",
        "B",
        [record(1, "4SN="), record(2, "3NTN-1")],
        [record(1, "4SN-1"), record(2, "3NTE=")],
    )
    # 420 and 50; then -100 and -(-400)... the closed room's North-South are B
    assert [board.imps for board in match.boards] == [10, 7]
    assert (match.home_imps, match.away_imps) == (17, 0)
    home, away = match.vps
    assert home > away
    assert home + away == pytest.approx(20.0)


def test_an_award_is_worth_three_imps_to_the_side_that_did_not_offend() -> None:
    match = compare("A", "B", [record(1, "40-60")], [record(1, "4SN=")])
    assert match.boards[0].imps == -3
    both = compare("A", "B", [record(1, "40-60")], [record(1, "60-40")])
    assert both.boards[0].imps == -3
    assert isinstance(record(1, "40-60").outcome, Award)


def test_the_cross_table_is_in_order_of_victory_points() -> None:
    results = [
        MatchResult("A", "B", (Comparison(1, "4SN=", "4SN-1", 10),)),
        MatchResult("A", "C", (Comparison(1, "Pass", "Pass", 0),)),
        MatchResult("B", "C", (Comparison(1, "4SN-1", "4SN=", -10),)),
    ]
    lines = cross_table(results)
    assert [line.split()[1] for line in lines[1:]] == ["A", "C", "B"]
    assert report(results) == lines
    assert "10" in report(results[:1])[1]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["legal"], "two teams"),
        (["legal", "x"], "not a robot"),
        (["legal", "x="], "no command"),
        (["legal", "x='"], "not a command"),
    ],
)
def test_teams_that_make_no_sense(texts: list[str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Entrant.read_all(texts)


def test_a_command_is_filled_in() -> None:
    entrant = Entrant.read_all(["legal", "Ben=ben --seat {seat} --name {team} {host}:{port}"])[1]
    assert entrant.starts(Seat.EAST, 2000) == ["ben", "--seat", "East", "--name", "Ben", "127.0.0.1:2000"]


MORTAL = """
import asyncio, os, sys, time
from pathlib import Path
from overtrick.bridge import Seat
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.robots.legal import Legal

seat, team, port, mark = sys.argv[1:]
robot = Legal(4)
player = Player(team, Seat.parse(seat), robot.choose_call, robot.choose_card)
mark = Path(mark + seat)
if seat == "East" and not mark.exists():
    mark.touch()
    heard = player.receive
    def receive(line):
        if "plays" in line:
            os.kill(os.getpid(), 9)
        return heard(line)
    player.receive = receive
asyncio.run(sit_in(player, "127.0.0.1", int(port)))
time.sleep(0.3)
Path(f"{mark} went home").touch()
"""


def test_a_program_that_is_killed_is_started_again_and_the_match_is_finished(tmp_path: Path) -> None:
    script = tmp_path / "mortal.py"
    script.write_text(MORTAL)
    command = f"Mortal={sys.executable} {script} {{seat}} {{team}} {{port}} {tmp_path}/died"
    entrants = Entrant.read_all(["legal", command])
    (match,) = asyncio.run(play_matches(entrants, BOARDS, RULES, folder=tmp_path / "records"))
    assert match.reason is None
    assert len(match.boards) == 2
    assert (tmp_path / "diedEast").exists()
    # Nobody is thrown out at the end: whoever has something to write down can.
    assert len(list(tmp_path.glob("died* went home"))) == 4
    assert len(list((tmp_path / "records").glob("*.pbn"))) == 2


def test_a_program_that_cannot_be_started_stops_the_match_with_a_reason() -> None:
    entrants = Entrant.read_all(["legal", "X=no-such-program-anywhere"])
    said: list[str] = []
    (match,) = asyncio.run(play_matches(entrants, BOARDS, RULES, say=said.append))
    reason = "the program no-such-program-anywhere cannot be started: No such file or directory"
    assert match.reason == reason, "both rooms stopped for one reason"
    assert said == ["legal - X: no board played", f"  stopped: {reason}"]
    assert report([match]) == []


def test_what_a_silent_player_should_have_said_is_known_wherever_it_speaks() -> None:
    assert set(DUE) == set(PLAYER)


def test_the_reason_of_a_ruling_is_told_with_its_board() -> None:
    ruled = replace(record(1, "40-60"), remarks=("North was silent",))
    match = compare("A", "B", [ruled], [record(1, "4SN=")])
    assert report([match])[-1].strip() == "open room: North was silent"
