import asyncio
import json
import random
import re
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.tablemanager.local import play_locally

from overtrick.bridge import PASS, SEATS, Award, Deal, Outcome, Seat, Side
from overtrick.errors import BadInput
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.conversation import DUE, PLAYER
from overtrick.tablemanager.match_report import as_page, write_report
from overtrick.tablemanager.matches import (
    BoardComparison,
    Entrant,
    MatchResult,
    Venue,
    compare,
    cross_table,
    play_matches,
    report,
)
from overtrick.tablemanager.player import NoSeat, Player
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Board, BoardRecord, TableRules

BOARDS = [Board.numbered(number, Deal.dealt_by(random.Random(number))) for number in (1, 2)]
RULES = TableRules(trick_pause=0.0, timeout=20.0, reconnect=20.0)


def record(number: int, outcome: str) -> BoardRecord:
    return BoardRecord(BOARDS[number - 1], "A", "B", (PASS,), ("",), (), Outcome.parse(outcome))


def test_boards_are_compared_in_imps_and_victory_points() -> None:
    match = compare(
        "A",
        "B",
        [record(1, "4SN="), record(2, "3NTN-1")],
        [record(1, "4SN-1"), record(2, "3NTE=")],
    )
    # B sits North-South in the closed room.
    assert [board.imps for board in match.boards] == [10, 7]
    assert (match.home_imps, match.away_imps) == (17, 0)
    home, away = match.vps
    assert home > away
    assert home + away == pytest.approx(20.0)


def test_award_gives_three_imps_to_the_non_offending_side() -> None:
    match = compare("A", "B", [record(1, "40-60")], [record(1, "4SN=")])
    assert match.boards[0].imps == -3
    both = compare("A", "B", [record(1, "40-60")], [record(1, "60-40")])
    assert both.boards[0].imps == -3
    assert isinstance(record(1, "40-60").outcome, Award)


def test_cross_table_is_sorted_by_victory_points() -> None:
    results = [
        MatchResult("A", "B", (BoardComparison(1, "4SN=", "4SN-1", 10),)),
        MatchResult("A", "C", (BoardComparison(1, "Pass", "Pass", 0),)),
        MatchResult("B", "C", (BoardComparison(1, "4SN-1", "4SN=", -10),)),
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
        (["legal", "a/b=ben"], "valid in a file name"),
    ],
)
def test_invalid_team_is_rejected_with_a_reason(texts: list[str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Entrant.read_all(texts)


def test_placeholders_of_a_command_are_filled_in() -> None:
    entrant = Entrant.read_all(["legal", "Ben=ben --seat {seat} --name {team} {host}:{port}"])[1]
    assert entrant.start_command(Seat.EAST, 2000) == [
        "ben",
        "--seat",
        "East",
        "--name",
        "Ben",
        "127.0.0.1:2000",
    ]


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


def test_killed_program_is_started_again_and_the_match_is_finished(tmp_path: Path) -> None:
    script = tmp_path / "mortal.py"
    script.write_text(MORTAL)
    command = f"Mortal={sys.executable} {script} {{seat}} {{team}} {{port}} {tmp_path}/died"
    entrants = Entrant.read_all(["legal", command])
    (match,) = asyncio.run(play_matches(entrants, BOARDS, RULES, venue=Venue(tmp_path / "records")))
    assert match.reason is None
    assert len(match.boards) == 2
    assert (tmp_path / "diedEast").exists()
    # Programs get time to end by themselves after the session.
    assert len(list(tmp_path.glob("died* went home"))) == 4
    assert len(list((tmp_path / "records").glob("*.pbn"))) == 2


def test_program_that_cannot_be_started_stops_the_match_with_a_reason() -> None:
    entrants = Entrant.read_all(["legal", "X=no-such-program-anywhere"])
    said: list[str] = []
    (match,) = asyncio.run(play_matches(entrants, BOARDS, RULES, say=said.append))
    reason = "the program no-such-program-anywhere cannot be started: No such file or directory"
    assert match.reason == reason, "the reason is the same in both rooms"
    assert said == ["legal - X: no board played", f"  stopped: {reason}"]
    assert report([match]) == []


def test_every_state_of_the_player_has_a_description_of_its_message() -> None:
    assert set(DUE) == set(PLAYER)


def test_report_has_the_reason_of_a_ruling() -> None:
    ruled = replace(record(1, "40-60"), remarks=("North was silent",))
    match = compare("A", "B", [ruled], [record(1, "4SN=")])
    assert report([match])[-1].strip() == "open room: North was silent"


def seat_teams(
    said: list[str], sitting: "list[asyncio.Task[None]]", teams: Collection[str] = ("Ours", "Theirs")
) -> Callable[[str], None]:
    """Return a callback that reads the ports of the rooms and seats players of these teams there."""

    def seat_players(text: str) -> None:
        said.append(text)
        match = re.match(r"(?:Open|Closed) room: N-S (\w+), E-W (\w+), port (\d+) ", text)
        if match is None:
            return
        for seat in SEATS:
            robot = Legal(4)
            team = match[1] if seat.side is Side.NS else match[2]
            if team not in teams:
                continue
            player = Player(team, seat, robot.choose_call, robot.choose_card)
            sitting.append(asyncio.ensure_future(sit_in(player, "127.0.0.1", int(match[3]), reconnect=0)))

    return seat_players


def test_teams_that_start_their_own_programs_play_a_match_and_results_are_written(tmp_path: Path) -> None:
    entrants = Entrant.read_all(["Ours=-", "Theirs=-"])
    said: list[str] = []

    async def play() -> list[MatchResult]:
        sitting: list[asyncio.Task[None]] = []
        results = await play_matches(
            entrants,
            BOARDS,
            RULES,
            venue=Venue(tmp_path),
            say=seat_teams(said, sitting),
            finished=lambda results: write_report(tmp_path, results),
        )
        await asyncio.wait_for(asyncio.gather(*sitting), 30)
        return results

    (match,) = asyncio.run(play())
    assert match.reason is None
    assert [board.board for board in match.boards] == [1, 2]
    assert said[0].startswith("Open room: N-S Ours, E-W Theirs, port ")
    assert said[1].startswith("Closed room: N-S Theirs, E-W Ours, port ")
    document = json.loads((tmp_path / "results.json").read_text())
    assert [line["team"] for line in document["ranking"]] in (["Ours", "Theirs"], ["Theirs", "Ours"])
    (written,) = document["matches"]
    assert written["imps"] == [match.home_imps, match.away_imps]
    assert [board["open"] for board in written["boards"]] == [board.open_room for board in match.boards]
    page = (tmp_path / "results.html").read_text()
    assert "<h2>Ours – Theirs</h2>" in page
    assert f"{match.home_imps} – {match.away_imps} IMPs" in page


def test_team_with_another_name_is_refused_in_a_match(tmp_path: Path) -> None:
    entrants = Entrant.read_all(["Ours=-", "Theirs=-"])

    async def play() -> None:
        rooms: asyncio.Queue[str] = asyncio.Queue()
        playing = asyncio.ensure_future(play_matches(entrants, BOARDS, RULES, say=rooms.put_nowait))
        room = await asyncio.wait_for(rooms.get(), 30)
        robot = Legal(4)
        player = Player("Others", Seat.NORTH, robot.choose_call, robot.choose_card)
        port = int(room.split("port ")[1].split()[0])
        try:
            await sit_in(player, "127.0.0.1", port, reconnect=0)
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    with pytest.raises(NoSeat, match='seat North is kept for team "Ours"'):
        asyncio.run(play())


def test_killed_match_resumes_from_its_records(tmp_path: Path) -> None:
    entrants = Entrant.read_all(["Ours=-", "Theirs=-"])

    async def play(boards: list[Board], resume: bool) -> MatchResult:
        sitting: list[asyncio.Task[None]] = []
        (result,) = await play_matches(
            entrants, boards, RULES, venue=Venue(tmp_path, resume), say=seat_teams([], sitting)
        )
        await asyncio.wait_for(asyncio.gather(*sitting), 30)
        return result

    first = asyncio.run(play(BOARDS[:1], False))
    # As if killed when one room had recorded a board and the other had not.
    (tmp_path / "Ours-Theirs-closed.pbn").unlink()
    before = (tmp_path / "Ours-Theirs-open.pbn").read_bytes()
    with pytest.raises(BadInput, match=r"already exists. Use --resume to continue from it"):
        asyncio.run(play(BOARDS, False))
    assert (tmp_path / "Ours-Theirs-open.pbn").read_bytes() == before

    result = asyncio.run(play(BOARDS, True))

    assert [board.board for board in result.boards] == [1, 2]
    assert result.boards[0] == first.boards[0]
    assert (tmp_path / "Ours-Theirs-open.pbn").read_bytes().startswith(before)
    # All boards are recorded: the results need no players.
    assert asyncio.run(play(BOARDS, True)) == result


def test_results_page_escapes_team_names() -> None:
    page = as_page([MatchResult("<b>", "B", (BoardComparison(1, "4SN=", "4SN-1", 10, ("closed room: x",)),))])
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "closed room: x" in page


def robot_of(page: str, start: str) -> str:
    """Return the first program of a page after a heading, after its functions have played boards at four seats."""
    text = (Path(__file__).parents[2] / "docs/how-to" / page).read_text().split(start)[1]
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    assert len(code[1].splitlines()) <= 30
    names: dict[str, Any] = {"__name__": "mybot"}
    exec(compile(code[1], page, "exec"), names)
    players = {
        seat: Player(seat.side.value, seat, names["choose_call"], names["choose_card"]) for seat in SEATS
    }
    records = play_locally(BOARDS, players)
    assert [len(record.cards) for record in records] == [52 if record.contract else 0 for record in records]
    return code[1]


def test_robot_of_the_recipes_plays() -> None:
    robot_of("recipes.md", "## Let a robot play")


def test_robot_of_the_how_to_plays_a_match(tmp_path: Path) -> None:
    script = tmp_path / "mybot.py"
    script.write_text(robot_of("robots.md", "## Write a robot in Python"))
    entrants = Entrant.read_all([f"Mine={sys.executable} {script} {{seat}} {{team}} {{port}}", "Theirs=-"])

    async def play() -> list[MatchResult]:
        sitting: list[asyncio.Task[None]] = []
        seat_players = seat_teams([], sitting, {"Theirs"})
        results = await play_matches(entrants, BOARDS[:1], RULES, say=seat_players)
        await asyncio.wait_for(asyncio.gather(*sitting), 30)
        return results

    (match,) = asyncio.run(play())
    assert match.reason is None
    assert not match.boards[0].remarks
