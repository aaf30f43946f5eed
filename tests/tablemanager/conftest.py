"""Tables for tests: players that follow a script or a robot, with a transcript of every line."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from tests.tablemanager.local import LocalTable

from overtrick.bridge import SEATS, Card, Deal, Seat, Side, parse_call
from overtrick.tablemanager.messages import Dialect
from overtrick.tablemanager.player import Player, PlayerView
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Board, TableRules
from overtrick.tablemanager.table import BridgeTable

DEAL = Deal.parse("N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3")


@dataclass
class Setting:
    """A local table with its transcript: `> line` from the player, `< line` to it, for each seat."""

    local: LocalTable
    transcript: dict[Seat, list[str]] = field(default_factory=lambda: {seat: [] for seat in SEATS})

    def sit(self) -> "Setting":
        for seat in SEATS:
            self.local.sit(seat)
        return self

    @property
    def notes(self) -> str:
        return "\n".join(map(str, self.local.outputs))


def make_boards(count: int, seed: int = 1) -> list[Board]:
    chance = random.Random(seed)
    return [Board.numbered(number, Deal.dealt_by(chance)) for number in range(1, count + 1)]


def team(seat: Seat) -> str:
    return "Silent" if seat.side is Side.NS else "Bidders"


def scripted(calls: str, alerts: dict[int, str] | None = None) -> Callable[[PlayerView], object]:
    """Return a function that makes these calls, by position in the auction."""
    words = calls.split()

    def choose(view: PlayerView) -> object:
        place = len(view.course.auction)
        call = parse_call(words[place])
        return (call, (alerts or {})[place]) if place in (alerts or {}) else call

    return choose


def highest(view: PlayerView) -> Card:
    return next(iter(view.left))


@pytest.fixture
def make_table() -> Callable[..., Setting]:
    def make(
        boards: list[Board] | int = 1,
        rules: TableRules | None = None,
        calls: str | None = None,
        alerts: dict[int, str] | None = None,
        dialect: Dialect = Dialect.V18,
        seed: int = 3,
        **choices: object,
    ) -> Setting:
        rules = rules or TableRules(trick_pause=0.0, dialect=dialect)
        if isinstance(boards, int):
            boards = [Board.numbered(1, DEAL)] if boards == 1 and calls else make_boards(boards)
        robot = Legal(seed)
        players = {
            seat: Player(
                team(seat),
                seat,
                scripted(calls, alerts) if calls else robot.choose_call,  # type: ignore[arg-type]
                highest if calls else robot.choose_card,
                dialect=rules.dialect,
                **choices,  # type: ignore[arg-type]
            )
            for seat in SEATS
        }
        setting = Setting(LocalTable(BridgeTable(boards, rules), players))

        def listen(seat: Seat, from_player: bool, line: str) -> None:
            setting.transcript[seat].append(f"{'>' if from_player else '<'} {line}")

        setting.local._listener = listen
        return setting

    return make
