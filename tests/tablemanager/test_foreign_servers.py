"""Our player at the servers of other programs, which spell messages in their own way, and their players at ours."""

import asyncio
import random
import socket
import threading
from collections import deque
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.tablemanager.conftest import make_boards

from overtrick.bridge import PASS, SEATS, Deal, Seat
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.messages import Dialect
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import BoardRecord, TableError, TableRules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.table import BridgeTable

HOST = "127.0.0.1"


def legal_player(team: str, seat: Seat | None) -> Player:
    robot = Legal(seed=4)
    return Player(team, seat, robot.choose_call, robot.choose_card)


def test_seated_line_without_quotation_marks_is_understood() -> None:
    player = legal_player("team N", Seat.NORTH)
    player.hello()

    assert player.receive("North team N seated") == ["North ready for teams"]


def test_defender_asks_for_dummys_card_by_that_word_after_a_seated_line_without_quotation_marks() -> None:
    player = Player("B", Seat.EAST, lambda view: PASS, lambda view: next(iter(view.left)))
    player.hello()
    lines = [
        "East B seated",
        'Teams : N/S : "A" E/W : "B"',
        "Start of board",
        "Board number 1. Dealer North. Neither vulnerable.",
        "East's cards : S 8 6. H K T 2. D K 8 5. C Q 9 7 4 2.",
        "North bids 1NT",
        "South passes",
        "West passes",
    ]
    for line in lines:
        player.receive(line)
    assert player.receive("East to lead") == ["East plays 8S", "East ready for dummy"]

    answers = player.receive("Dummy's cards : S K J T 9 3 2. H 9 7. D 9 4 2. C 8 6.")

    assert answers == ["East ready for dummy's card to trick 1"]


def test_seats_calls_and_cards_are_spelled_as_a_server_in_capitals_expects_them() -> None:
    player = Player("Robot", None, lambda view: PASS, lambda view: next(iter(view.left)))
    assert player.hello() == 'Connecting "Robot" as ANYPL using protocol version 18'
    said = []
    for line in (
        'WEST ("Robot") seated',
        'Teams: N/S "north-south" E/W "east-west"',
        "start of board",
        "Board number 1. Dealer NORTH. Neither vulnerable.",
        "WEST's cards: C 3. D A Q J T 7 3. H 8 6 5 3. S 5 4.",
        "NORTH PASSES",
        "EAST PASSES",
        "SOUTH bids 1C",
        "NORTH PASSES",
        "EAST PASSES",
        "WEST to lead",
    ):
        said += player.receive(line)
    assert said == [
        "WEST ready for teams",
        "WEST ready to start",
        "WEST ready for deal",
        "WEST ready for cards",
        "WEST ready for NORTH's bid",
        "WEST ready for EAST's bid",
        "WEST ready for SOUTH's bid",
        "WEST PASSES",
        "WEST ready for NORTH's bid",
        "WEST ready for EAST's bid",
        "WEST plays 5s",
        "WEST ready for dummy",
    ]


def test_dummy_in_capitals_asks_for_its_card_with_a_capital_letter() -> None:
    player = Player("Robot", None, lambda view: PASS, lambda view: next(iter(view.left)))
    player.hello()
    lines = [
        'SOUTH ("Robot") seated',
        'Teams: N/S "north-south" E/W "east-west"',
        "start of board",
        "Board number 1. Dealer NORTH. Neither vulnerable.",
        "SOUTH's cards: C 8 6. D 9 4 2. H 9 7. S K J T 9 3 2.",
        "NORTH bids 1NT",
        "EAST PASSES",
        "WEST PASSES",
    ]
    for line in lines:
        player.receive(line)

    assert player.receive("EAST plays s8") == ["SOUTH ready for Dummy's card to trick 1"]


async def _server_that_says(lines: list[str]) -> tuple[asyncio.Server, int]:
    async def let_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for line in lines:
            await reader.readline()
            writer.write(line.encode() + b"\r\n")
        while await reader.readline():
            pass
        writer.close()

    door = await asyncio.start_server(let_in, HOST, 0)
    return door, int(door.sockets[0].getsockname()[1])


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "did not answer the request for a seat in 0.3 seconds"),
        (
            ["Willkommen am Tisch"],
            "did not answer the request for a seat in 0.3 seconds. Its last line is not a message of protocol 18: "
            "'Willkommen am Tisch'",
        ),
        (['North ("A") seated'], "sent nothing for 0.3 seconds (expected: the table names the teams)"),
    ],
)
def test_player_at_a_silent_table_gives_up_with_a_reason(lines: list[str], words: str) -> None:
    async def play() -> None:
        door, port = await _server_that_says(lines)
        try:
            await asyncio.wait_for(sit_in(legal_player("A", Seat.NORTH), HOST, port, timeout=0.3), 30)
        finally:
            door.close()

    with pytest.raises(TableError) as caught:
        asyncio.run(play())
    assert words in caught.value.sentence


def test_four_of_our_players_finish_boards_at_the_server_of_bridge_env(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge_env = pytest.importorskip("bridge_env", reason="bridge_env is not installed")
    network = pytest.importorskip("bridge_env.network_bridge.server")
    handler = pytest.importorskip("bridge_env.data_handler.abstract_classes")
    # Its server sleeps for a second at each connection and trick; a short pause for its other threads is enough.
    monkeypatch.setattr(network, "time", SimpleNamespace(sleep=lambda _: threading.Event().wait(0.01)))
    chance = random.Random(2)
    settings = []
    for number, vul in ((1, bridge_env.Vul.NONE), (2, bridge_env.Vul.NS)):
        deal = Deal.dealt_by(chance)
        settings.append(
            handler.BoardSetting(
                bridge_env.Hands.convert_pbn(deal.written_from(Seat.NORTH)),
                bridge_env.Player.N,
                vul,
                str(number),
            )
        )
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]

    def serve() -> None:
        with network.Server(HOST, port, tmp_path / "log.json", settings) as server:
            server.run()

    threading.Thread(target=serve, daemon=True).start()
    players = {seat: legal_player(f"Team {seat.side.value}", seat) for seat in SEATS}

    async def play() -> None:
        sitting = (sit_in(player, HOST, port, timeout=20, reconnect=0) for player in players.values())
        await asyncio.wait_for(asyncio.gather(*sitting), 50)

    asyncio.run(play())

    assert [player.boards for player in players.values()] == [2, 2, 2, 2]


def test_two_players_of_bridge_env_finish_boards_at_our_table() -> None:
    bridge_env = pytest.importorskip("bridge_env", reason="bridge_env is not installed")
    client = pytest.importorskip("bridge_env.network_bridge.client")
    boards = make_boards(2)

    def sit(seat: str, port: int) -> None:
        with client.Client(
            bridge_env.Player[seat], "Theirs", client.WeakBid(), client.RandomPlay(), HOST, port
        ) as player:
            player.run()

    async def play() -> list[BoardRecord]:
        rules = TableRules(dialect=Dialect.CLASSIC, trick_pause=0.0, closing=0.0, timeout=20.0)
        server = TableServer(BridgeTable(boards, rules))
        (port,) = await server.open()
        for seat in "NS":
            threading.Thread(target=sit, args=(seat, port), daemon=True).start()
        ours = (sit_in(legal_player("Ours", seat), HOST, port, timeout=20) for seat in (Seat.EAST, Seat.WEST))
        await asyncio.wait_for(asyncio.gather(*ours), 50)
        await server.close()
        return server.records

    records = asyncio.run(play())

    assert [record.board.number for record in records] == [1, 2]
    assert not any(record.remarks for record in records)


class Controller:
    """The controller through which OpenSpiel talks to a program, connected to our player."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.said = deque([player.hello()])

    def read_line(self) -> str:
        return self.said.popleft()

    def send_line(self, line: str) -> None:
        self.said.extend(self.player.receive(line))

    def terminate(self) -> None:
        self.player.is_over = True


@pytest.mark.parametrize("seat", range(4))
def test_our_player_finishes_a_board_under_the_controller_of_open_spiel(seat: int) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    bluechip = pytest.importorskip("open_spiel.python.bots.bluechip_bridge")
    game = pyspiel.load_game(bluechip.GAME_STR)
    chance = random.Random(seat)
    for _ in range(3):
        controller = Controller(legal_player("Robot", None))
        bot = bluechip.BlueChipBridgeBot(game, seat, lambda controller=controller: controller)
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.choice(state.legal_actions()))
                continue
            if state.current_player() == seat:
                action = bot.step(state)
                assert action in state.legal_actions()
            else:
                action = chance.choice(state.legal_actions()[:4])
            state.apply_action(action)
        bot.inform_state(state)
        assert controller.player.boards == 1
