"""The commands of `overtrick tm`, a person at the terminal, and the operator."""

import asyncio
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.bridge import PASS, SEATS, Auction, Card, Contract, Deal, Hand, Play, Seat, parse_call
from overtrick.bridge.pbn import Game, read_pbn, write_pbn
from overtrick.cli.tm import app
from overtrick.errors import BadInput
from overtrick.tablemanager.conversation import Course
from overtrick.tablemanager.player import PlayerView
from overtrick.tablemanager.robots.human import Human
from overtrick.tablemanager.rules import Board, Question
from overtrick.tablemanager.sessions import TerminalOperator
from overtrick.tablemanager.terminal import can_read_input

OVERTRICK = [sys.executable, "-m", "overtrick", "tm"]


@pytest.fixture
def deals(tmp_path: Path) -> Path:
    chance = random.Random(4)
    path = tmp_path / "deals.pbn"
    path.write_bytes(write_pbn([Game.of_board(number, Deal.dealt_by(chance)) for number in range(1, 5)]))
    return path


def port_of(server: "subprocess.Popen[str]") -> str:
    """Return the port that a table prints."""
    assert server.stdout is not None
    match = re.search(r"port (\d+)", server.stdout.readline())
    assert match is not None
    return match[1]


def test_serve_and_play_work_as_separate_programs(deals: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pbn"
    server = subprocess.Popen(
        [*OVERTRICK, "serve", "--deals", deals, "--boards", "2", "--first", "2", "--port", "0", "--out", out,
         "--trick-pause", "0", "--timeout", "30"],
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    players = []
    try:
        port = port_of(server)
        for seat in SEATS:
            team = "A" if seat in (Seat.NORTH, Seat.SOUTH) else "B"
            players.append(
                subprocess.Popen(
                    [
                        *OVERTRICK,
                        "play",
                        "--seat",
                        seat.title,
                        "--team",
                        team,
                        "--robot",
                        "legal",
                        "--port",
                        port,
                    ],
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        said, _ = server.communicate(timeout=50)
        assert server.returncode == 0
        assert "All boards were played." in said
        for player in players:
            said, _ = player.communicate(timeout=20)
            assert said == "The session is over: 2 boards.\n"
    finally:
        for program in (server, *players):
            program.kill()
            program.wait(30)
    assert [game.board for game in read_pbn(out.read_bytes())] == [2, 3]


def test_players_reconnect_to_a_table_that_was_killed_and_resumed(deals: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pbn"
    serve = [
        *OVERTRICK,
        "serve",
        "--deals",
        str(deals),
        "--boards",
        "2",
        "--out",
        str(out),
        "--trick-pause",
        "0.1",
    ]
    server = subprocess.Popen([*serve, "--port", "0"], stdout=subprocess.PIPE, text=True)
    programs = [server]
    try:
        port = port_of(server)
        for seat in SEATS:
            team = "A" if seat in (Seat.NORTH, Seat.SOUTH) else "B"
            play = [*OVERTRICK, "play", "--seat", seat.title, "--team", team, "--robot", "legal"]
            programs.append(subprocess.Popen([*play, "--port", port], stdout=subprocess.PIPE, text=True))
        assert server.stdout is not None
        assert "board 1" in server.stdout.readline()
        server.kill()
        server.wait(30)
        server = subprocess.Popen([*serve, "--port", port, "--resume"], stdout=subprocess.PIPE, text=True)
        programs.append(server)
        said, _ = server.communicate(timeout=50)
        assert server.returncode == 0, said
        for player in programs[1:5]:
            said, _ = player.communicate(timeout=20)
            assert said.split("\n")[:3] == [
                "The connection was lost; trying again…",
                "Back at the table.",
                "The session is over: 2 boards.",
            ]
            assert player.returncode == 0
    finally:
        for program in programs:
            program.kill()
            program.wait(30)
    assert [game.board for game in read_pbn(out.read_bytes())] == [1, 2]


def test_match_prints_boards_and_victory_points(deals: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["match", "legal", "legal", "--deals", str(deals), "--boards", "1", "--out", str(tmp_path / "m")]
    )
    assert result.exit_code == 0, result.output
    assert re.search(r"legal - legal 2: \d+ - \d+ IMPs, [\d.]+ - [\d.]+ VP", result.output)
    names = sorted(file.name for file in (tmp_path / "m").iterdir())
    assert names == ["legal-legal_2-closed.pbn", "legal-legal_2-open.pbn", "results.html", "results.json"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serve", "--deals", "nothing.pbn"], "cannot be read"),
        (["serve", "--deals", "DEALS", "--boards", "9"], "has 4 boards to play, not 9"),
        (["serve", "--deals", "DEALS", "--ports", "1,2,3"], "not a list of four ports"),
        (["serve", "--deals", "DEALS", "--resume"], "--out"),
        (["serve", "--deals", "DEALS", "--out", "DEALS"], "already exists"),
        (["play", "--seat", "Up", "--team", "A", "--robot", "legal"], "is not a seat"),
        (["play", "--seat", "North", "--team", "A", "--robot", "deep"], "no robot"),
        (["match", "legal", "--deals", "DEALS"], "two teams"),
        (["match", "legal", "legal", "--deals", "DEALS", "--resume"], "--out"),
    ],
)
def test_invalid_arguments_are_rejected_with_a_reason(deals: Path, arguments: list[str], words: str) -> None:
    before = deals.read_bytes()
    result = CliRunner().invoke(app, [str(deals) if word == "DEALS" else word for word in arguments])
    assert isinstance(result.exception, BadInput)
    assert words in str(result.exception)
    assert deals.read_bytes() == before


@pytest.mark.parametrize("alerts", ["every", "marked", "end"])
def test_alerts_without_terminal_and_page_are_rejected(
    deals: Path, monkeypatch: pytest.MonkeyPatch, alerts: str
) -> None:
    monkeypatch.setattr("overtrick.tablemanager.terminal.can_read_input", lambda: False)
    result = CliRunner().invoke(app, ["serve", "--deals", str(deals), "--port", "0", "--alerts", alerts])
    assert isinstance(result.exception, BadInput)
    assert f"--alerts {alerts} asks an operator, but nobody can answer here" in str(result.exception)


def test_null_device_and_closed_input_are_not_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert not can_read_input()
    assert not can_read_input()  # closed
    read, write = os.pipe()
    with os.fdopen(write, "w"), os.fdopen(read) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        assert can_read_input()


# The person at the terminal


def human(*answers: str) -> tuple[Human, list[str]]:
    said: list[str] = []
    left = list(answers)
    return Human(said.append, lambda text: left.pop(0)), said


def a_view() -> PlayerView:
    deal = Deal.dealt_by(random.Random(4))
    board = Board.numbered(1, deal)
    course = Course(1, board.dealer, board.vulnerability, {Seat.NORTH: deal[Seat.NORTH]})
    return PlayerView(Seat.NORTH, course, deal[Seat.NORTH])


def test_person_is_asked_again_until_the_call_is_legal() -> None:
    view = a_view()
    person, said = human("8C", "X", "1C at least 3 cards in clubs")
    assert person.choose_call(view) == (parse_call("1C"), "Alert. at least 3 cards in clubs.")
    assert any("not a call" in line for line in said)
    assert any("X is not legal" in line for line in said)


def test_person_is_asked_again_until_the_card_is_legal() -> None:
    view = a_view()
    view.course.play = Play({Seat.NORTH: view.hand}, Contract.parse("3NTW"))
    mine = next(iter(view.hand))
    other = next(card for card in Card if card not in view.hand)
    person, said = human("zz", str(other), mine.symbol)
    assert person.choose_card(view) is mine
    assert any("does not hold it" in line for line in said)


def test_person_is_shown_the_last_trick_and_the_last_result() -> None:
    view = a_view()
    person, said = human("C2", "1C", "1C")
    course = view.course
    course.play = Play({}, Contract.parse("1NTW"), [Card.DA, Card.D2, Card.D3, Card.D4])
    assert course.play.turn is Seat.NORTH
    view.hand = Hand([Card.C2])
    assert person.choose_card(view) is Card.C2
    assert "Trick 1: ♦A ♦2 ♦3 ♦4, won by North" in said

    passed_out = a_view()
    assert person.choose_call(passed_out) == parse_call("1C")
    assert not any(line.startswith("Board 1:") for line in said)
    for _ in range(4):
        passed_out.course.call(PASS)
    person.choose_call(a_view())
    assert "Board 1: Pass" in said


# The operator


def ask(question: Question, *answers: str) -> dict[int, str]:
    left = list(answers)

    def answer() -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    async def run() -> dict[int, str]:
        return dict(await TerminalOperator(lambda text: None, answer)(question))

    return asyncio.run(run())


AUCTION = Auction(Seat.NORTH, map(parse_call, ["1C", "Pass", "2D", "Pass", "Pass", "Pass"]))


def test_operator_answers_about_one_call() -> None:
    question = Question(1, AUCTION, 2)
    assert ask(question, " 5 cards in hearts ") == {2: "5 cards in hearts"}
    assert ask(question, "") == {}
    assert ask(question) == {}


def test_operator_answers_about_a_whole_auction() -> None:
    question = Question(1, AUCTION, None)
    answers = ("1 at least 2 cards in clubs", "9 x", "no", "3 5 cards in hearts", "")
    assert ask(question, *answers) == {0: "at least 2 cards in clubs", 2: "5 cards in hearts"}
