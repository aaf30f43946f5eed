"""Players on real sockets that lose their connections and reconnect."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.tablemanager.conftest import DEAL, make_boards, scripted, team
from tests.waiting import wait_for_async

from overtrick.bridge import PASS, SEATS, Card, Seat
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.player import Player, PlayerView
from overtrick.tablemanager.rules import Board, BoardRecord, TableError, TableRules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.table import BridgeTable

N, E, S, W = SEATS
AUCTION = "1C Pass 1S Pass 4S Pass Pass Pass"
HOST = "127.0.0.1"
QUICK = TableRules(trick_pause=0.0, closing=0.0)
LOST = "The connection was lost; trying again…"
BACK = "Back at the table."
BOARDS = [Board.numbered(1, DEAL), *make_boards(2)[1:]]
"""One that is played, and one that is passed out."""


class Cutter:
    """A proxy between a player and the table that cuts the connection once, instead of passing on line number `at`."""

    def __init__(self, table: int, at: int | None = None, notices: float = 0.0) -> None:
        self.table = table
        self.at = at
        self.notices = notices
        """Seconds until the table notices that the connection is lost."""
        self.lines: list[str] = []
        """The lines of all connections: `>` is from the player, `<` from the table."""
        self.connections = 0
        self.writers: list[asyncio.StreamWriter] = []
        self.tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> int:
        self.door = await asyncio.start_server(self.let_in, HOST, 0)
        return int(self.door.sockets[0].getsockname()[1])

    async def let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        there, back = await asyncio.open_connection(HOST, self.table)
        self.writers.append(back)
        for mark, source, target in ((">", reader, back), ("<", there, writer)):
            task = asyncio.ensure_future(self.carry(mark, source, target))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def carry(self, mark: str, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while line := await source.readline():
                if len(self.lines) == self.at:
                    self.cut()
                    return
                self.lines.append(f"{mark} {line.decode().strip()}")
                target.write(line)
        except ConnectionError:
            pass
        if not self.notices:
            target.close()

    def cut(self) -> None:
        self.at = None
        players, tables = self.writers[::2], self.writers[1::2]
        for writer in players:
            writer.transport.abort()
        for writer in tables:
            asyncio.get_running_loop().call_later(self.notices, writer.transport.abort)

    async def close(self) -> None:
        self.door.close()
        self.cut()
        await asyncio.gather(*self.tasks, return_exceptions=True)


class Deciding:
    """A player that follows a script and counts how often it is asked for each decision."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[int, str, int]] = Counter()
        self.script = scripted(AUCTION, {0: "Alert. at least 3 cards in clubs."})

    def choose_call(self, view: PlayerView) -> Any:
        self.asked[view.course.board, "call", len(view.course.auction)] += 1
        return self.script(view) if view.course.board == 1 else PASS

    def choose_card(self, view: PlayerView) -> Card:
        assert view.course.play is not None
        place = len(view.course.play.cards)
        self.asked[view.course.board, "card", place] += 1
        # It returns another card if it is asked again.
        cards = list(view.left)
        return cards[(self.asked[view.course.board, "card", place] - 1) % len(cards)]


class Evening:
    """Four players at a real table, each behind its own cutter."""

    def __init__(self, cuts: dict[Seat, int | None], rules: TableRules = QUICK) -> None:
        self.cuts = cuts
        self.rules = rules
        self.deciding = {seat: Deciding() for seat in SEATS}
        self.said: dict[Seat, list[str]] = {seat: [] for seat in SEATS}
        self.players: dict[Seat, Player] = {}
        self.records: list[BoardRecord] = []
        self.transcripts: dict[Seat, list[str]] = {}

    async def play(self) -> str | None:
        server = TableServer(BridgeTable(BOARDS, self.rules))
        (port,) = await server.open()
        cutters = {seat: Cutter(port, self.cuts.get(seat)) for seat in SEATS}
        sitting = []
        for seat in SEATS:
            decides = self.deciding[seat]
            player = Player(team(seat), seat, decides.choose_call, decides.choose_card)
            self.players[seat] = player
            door = await cutters[seat].open()
            sitting.append(sit_in(player, HOST, door, pause=0.001, say=self.said[seat].append))
        try:
            await asyncio.wait_for(asyncio.gather(*sitting), 30)
            return await asyncio.wait_for(server.ended, 30)
        finally:
            self.records = server.records
            self.transcripts = {seat: cutter.lines for seat, cutter in cutters.items()}
            for cutter in cutters.values():
                await cutter.close()
            await server.close()


def what_happened(records: list[BoardRecord]) -> list[tuple[Any, ...]]:
    return [(record.calls, record.tails, record.cards, record.outcome, record.remarks) for record in records]


# Plays the boards once for each message at which the connection is cut: about 8 seconds of a core.
@pytest.mark.timeout(180)
def test_player_cut_off_at_any_message_reconnects_and_decides_nothing_twice() -> None:
    undisturbed = Evening({})
    assert asyncio.run(undisturbed.play()) is None
    expected = what_happened(undisturbed.records)
    assert len(expected) == 2
    states = {line.split(" ", 2)[-1] for line in undisturbed.transcripts[S]}
    assert {"ready for dummy", "to lead", "of board", "passes"} <= states

    # Cut every seat at every line, from the first after its seat was given to its own last message. In one evening the
    # four are cut at different points of the board.
    first = 3
    places = {seat: last_word(undisturbed.transcripts[seat]) - first + 1 for seat in SEATS}
    assert min(places.values()) > 120
    for shift in range(max(places.values())):
        cuts: dict[Seat, int | None] = {
            seat: first + (shift + 37 * seat.index) % places[seat] for seat in SEATS
        }
        evening = Evening(cuts)
        assert asyncio.run(evening.play()) is None, cuts
        assert what_happened(evening.records) == expected, cuts
        for seat in SEATS:
            assert max(evening.deciding[seat].asked.values()) == 1, (seat, cuts)
            # The table may see the new connection before it notices the loss of the old one.
            said = [line for line in evening.said[seat] if "is taken" not in line]
            assert said == [LOST, BACK], (seat, cuts)
            assert evening.players[seat].boards == 2, (seat, cuts)


def last_word(transcript: list[str]) -> int:
    """Return the position of the player's last message."""
    return max(place for place, line in enumerate(transcript) if line.startswith(">"))


def test_player_asks_again_until_the_table_has_noticed_the_lost_connection() -> None:
    async def evening() -> tuple[list[BoardRecord], list[str]]:
        server = TableServer(BridgeTable(BOARDS, QUICK))
        (port,) = await server.open()
        cutter = Cutter(port, 60, notices=0.3)
        door = await cutter.open()
        said: list[str] = []
        sitting = [sit_in(player(S, Deciding()), HOST, door, pause=0.02, say=said.append)]
        sitting += [sit_in(player(seat, Deciding()), HOST, port) for seat in (N, E, W)]
        await asyncio.wait_for(asyncio.gather(*sitting), 30)
        cutter.notices = 0.0
        await cutter.close()
        await server.close()
        return server.records, said

    records, said = asyncio.run(evening())
    assert [record.remarks for record in records] == [(), ()]
    assert said == [LOST, "The table gave no seat: seat South is taken. Trying again…", BACK]


def test_player_cut_off_twice_on_a_board_reconnects_twice() -> None:
    async def evening() -> tuple[list[BoardRecord], Deciding, list[str]]:
        server = TableServer(BridgeTable(BOARDS, QUICK))
        (port,) = await server.open()
        cutter = Cutter(port, 60)
        door = await cutter.open()
        decides, said = Deciding(), []

        def say(text: str) -> None:
            said.append(text)
            if text == BACK and said.count(BACK) == 1:
                cutter.at = len(cutter.lines) + 20  # in the middle of the repeated part

        sitting = [sit_in(player(S, decides), HOST, door, pause=0.001, say=say)]
        sitting += [sit_in(player(seat, Deciding()), HOST, port) for seat in (N, E, W)]
        await asyncio.wait_for(asyncio.gather(*sitting), 30)
        await cutter.close()
        await server.close()
        return server.records, decides, said

    records, decides, said = asyncio.run(evening())
    assert [record.remarks for record in records] == [(), ()]
    assert max(decides.asked.values()) == 1
    assert [line for line in said if "is taken" not in line] == [LOST, BACK, LOST, BACK]


def player(seat: Seat, decides: Deciding) -> Player:
    return Player(team(seat), seat, decides.choose_call, decides.choose_card)


# Tables that refuse a returning player


@asynccontextmanager
async def strange_table(*answers: str | None) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server that answers each connection with one line and closes it; None means no line.

    The last answer is for all further connections.
    """
    asked: list[bytes] = []

    async def let_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        answer = answers[min(len(asked), len(answers)) - 1]
        if answer is not None:
            writer.write(f"{answer}\r\n".encode())
        writer.close()

    door = await asyncio.start_server(let_in, HOST, 0)
    yield door.sockets[0].getsockname()[1], asked
    door.close()


def sit_at(*answers: str | None, reconnect: float = 5.0) -> tuple[str, int, list[str], float]:
    """Return why a player gave up, how often it connected, what it printed, and after how many seconds."""
    said: list[str] = []

    async def run() -> tuple[str, int, float]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        async with strange_table(*answers) as (port, asked):
            with pytest.raises(TableError) as caught:
                await sit_in(
                    player(S, Deciding()), HOST, port, reconnect=reconnect, pause=0.01, say=said.append
                )
        return str(caught.value), len(asked), loop.time() - began

    why, asked, seconds = asyncio.run(run())
    return why, asked, said, seconds


SEATED = 'South ("Silent") seated'
IS_TAKEN = "Error: seat South is taken."


def test_returning_player_that_is_refused_gives_up() -> None:
    why, asked, said, _ = sit_at(SEATED, "Error: the session is over.")
    assert why == "The table gave no seat: the session is over."
    assert (asked, said) == (2, [LOST])


def test_returning_player_whose_seat_is_still_taken_asks_again() -> None:
    why, asked, said, _ = sit_at(SEATED, IS_TAKEN, None, IS_TAKEN, "Error: the session is over.")
    assert why.endswith("the session is over.")
    assert asked == 5
    assert said == [LOST, "The table gave no seat: seat South is taken. Trying again…"]


def test_new_player_whose_seat_is_taken_gives_up() -> None:
    assert sit_at(IS_TAKEN)[:2] == ("The table gave no seat: seat South is taken.", 1)


def test_reconnecting_ends_after_its_time_with_growing_pauses() -> None:
    why, asked, _, seconds = sit_at(SEATED, IS_TAKEN, reconnect=0.3)
    assert why == ("The table gave no seat: seat South is taken. Gave up after trying for 0.3 seconds.")
    assert 0.3 <= seconds < 5.0
    # after 0.01, 0.03, 0.07, 0.15 seconds, and at the end
    assert 2 <= asked <= 6


def test_player_gives_up_a_table_that_always_disconnects_after_seating() -> None:
    why, asked, said, seconds = sit_at(SEATED, reconnect=0.3)
    assert why.startswith("The connection to the table was lost. Gave up after trying for 0.3 seconds")
    assert 0.3 <= seconds < 5.0
    assert 2 <= asked <= 6
    assert said[:3] == [LOST, BACK, LOST]


def test_player_gives_up_a_table_that_no_longer_listens() -> None:
    async def run() -> None:
        async with strange_table(SEATED) as (port, asked):
            sitting = asyncio.ensure_future(
                sit_in(player(S, Deciding()), HOST, port, reconnect=0.3, pause=0.2)
            )
            await wait_for_async(lambda: asked)
        with pytest.raises(TableError, match=r"^The connection to the table was lost\. Gave up after trying"):
            await sitting

    asyncio.run(run())


def test_player_with_reconnect_0_does_not_reconnect() -> None:
    assert sit_at(SEATED, reconnect=0.0)[:2] == ("The connection to the table was lost.", 1)


def test_new_player_disconnected_without_a_seat_gives_up() -> None:
    assert sit_at(None)[:2] == ("The table closed the connection before it gave a seat.", 1)


# Repeated decisions


def test_player_decides_again_if_the_board_was_restarted() -> None:
    """A board may be restarted for all four, or while the player is disconnected."""
    decides = Deciding()
    south = player(S, decides)

    def hear(*lines: str) -> list[str]:
        return [answer for line in lines for answer in south.receive(line)]

    before = (
        SEATED,
        'Teams: N/S: "Silent". E/W: "Bidders"',
        "Start of board",
        "Board number 1. Dealer North. Neither vulnerable",
        "South's cards: S K J T 9 3 2. H 9 7. D 9 4 2. C 8 6.",
    )
    south.hello()
    assert hear(*before, "North bids 1C", "East passes")[-2] == "South bids 1S"
    south.hello()
    assert hear(*before, "North bids 1C", "East passes")[-2] == "South bids 1S"
    assert decides.asked == {(1, "call", 2): 1}
    # restarted while all four are connected
    assert hear(*before[2:], "North bids 1C", "East passes")[-2] == "South bids 1S"
    assert decides.asked == {(1, "call", 2): 2}
    # restarted while the player was disconnected
    south.hello()
    assert hear(*before, "North passes", "East passes")[-2] == "South bids 1S"
    assert decides.asked == {(1, "call", 2): 3}
    assert south.boards == 1


def test_repeated_call_is_sent_with_its_alert() -> None:
    north = player(N, Deciding())
    lines = (
        'North ("Silent") seated',
        'Teams: N/S: "Silent". E/W: "Bidders"',
        "Start of board",
        "Board number 1. Dealer North. Neither vulnerable",
        "North's cards: S A Q 7. H A Q J 4. D 6. C A K J T 5.",
    )
    for _ in range(2):
        north.hello()
        said = [answer for line in lines for answer in north.receive(line)]
        assert said[-2] == "North bids 1C Alert. at least 3 cards in clubs."
