import asyncio
import io
import random
import re
from pathlib import Path
from typing import Any

import pytest

from overtrick.bridge import SEATS, Deal, Seat, Side
from overtrick.bridge.pbn import read_pbn
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.messages import Dialect
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.records import RecordFile, read_boards
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Alerts, Board, BoardRecord, Question, TableError, TableRules
from overtrick.tablemanager.server import LONGEST_LINE, LineSplitter, TableServer
from overtrick.tablemanager.table import BridgeTable


def boards(count: int, seed: int = 11) -> list[Board]:
    chance = random.Random(seed)
    return [Board.numbered(number, Deal.dealt_by(chance)) for number in range(1, count + 1)]


def player(seat: Seat, seed: int = 5) -> Player:
    robot = Legal(seed)
    return Player("A" if seat.side is Side.NS else "B", seat, robot.choose_call, robot.choose_card)


async def run_table(server: TableServer, ports: list[int], seed: int = 5) -> str | None:
    # North, East, South, West: one port for all, or one each
    seat_ports = ports * 4 if len(ports) == 1 else ports
    await asyncio.gather(
        *(sit_in(player(seat, seed), "127.0.0.1", port) for seat, port in zip(SEATS, seat_ports, strict=True))
    )
    reason = await asyncio.wait_for(server.ended, 30)
    await server.close()
    return reason


def replay(text: str) -> int:
    """Replay a PBN file with endplay, an independent implementation; return the number of boards."""
    import endplay.parsers.pbn as pbn
    from endplay.types import Contract, ContractBid, PenaltyBid

    boards: list[Any] = pbn.load(io.StringIO(text))
    for board in boards:
        last = None
        calls = list(board.auction)
        for call in calls:
            if isinstance(call, ContractBid):
                strains = ["clubs", "diamonds", "hearts", "spades", "nt"]
                rank = (call.level, strains.index(call.denom.name))
                assert last is None or rank > last
                last = rank
            else:
                assert isinstance(call, PenaltyBid)
        contract = Contract.from_auction(board.dealer, calls)
        if contract.is_passout():
            assert not board.play
            continue
        assert (contract.level, contract.denom, contract.declarer, contract.penalty) == (
            board.contract.level,
            board.contract.denom,
            board.contract.declarer,
            board.contract.penalty,
        )
        deal = board.deal.copy()
        deal.trump = contract.denom
        deal.first = contract.declarer.lho
        won = 0
        cards = list(board.play)
        assert len(cards) == 52
        for place, card in enumerate(cards):
            assert card in deal.legal_moves()
            deal.play(card)
            if place % 4 == 3 and deal.first in (contract.declarer, contract.declarer.partner):
                won += 1
        assert won - contract.level - 6 == board.contract.result
    return len(boards)


@pytest.mark.parametrize("dialect", Dialect)
def test_four_players_play_64_boards_over_sockets_and_endplay_replays_them(
    tmp_path: Path, dialect: Dialect
) -> None:
    path = tmp_path / "result.pbn"
    count = 64 if dialect is Dialect.V18 else 4

    async def session() -> str | None:
        file = RecordFile(path)
        rules = TableRules(trick_pause=0.0, dialect=dialect)
        server = TableServer(BridgeTable(boards(count), rules), record=file.write)
        return await run_table(server, await server.open())

    assert asyncio.run(session()) is None
    assert replay(path.read_text("latin-1")) == count
    games = read_pbn(path.read_bytes())
    for game in games:
        assert game.outcome is not None
        assert game.ns_score == game.outcome.ns_score(game.vulnerability)  # type: ignore[arg-type]
    assert len(games) == count
    # the replay can fail: swap two cards of one trick
    first = next(
        line for line in path.read_text("latin-1").split("\n") if re.match(r"([CDHS].)( \1?[CDHS].){3}", line)
    )
    one, two, *rest = first.split()
    with pytest.raises(AssertionError):
        replay(path.read_text("latin-1").replace(first, " ".join((two, one, *rest)), 1))


def test_four_players_play_on_a_port_for_each_seat() -> None:
    async def session() -> str | None:
        server = TableServer(BridgeTable(boards(2), TableRules(trick_pause=0.0)))
        ports = await server.open(ports=(0, 0, 0, 0))
        assert len(set(ports)) == 4
        return await run_table(server, ports)

    assert asyncio.run(session()) is None


def test_session_resumes_from_its_records(tmp_path: Path) -> None:
    path = tmp_path / "result.pbn"

    async def session(boards: list[Board], resume: bool) -> list[int]:
        file = RecordFile(path, resume=resume)
        server = TableServer(
            BridgeTable(file.unfinished(boards), TableRules(trick_pause=0.0), totals=file.totals()),
            record=file.write,
        )
        await run_table(server, await server.open())
        return [record.board.number for record in server.records]

    assert asyncio.run(session(boards(2), False)) == [1, 2]
    before = path.read_bytes()
    with pytest.raises(Exception, match="--resume"):
        RecordFile(path)
    assert path.read_bytes() == before
    assert asyncio.run(session(boards(5), True)) == [3, 4, 5]
    assert [game.board for game in read_pbn(path.read_bytes())] == [1, 2, 3, 4, 5]
    with pytest.raises(Exception, match="different deal for board 1"):
        RecordFile(path, resume=True).unfinished(boards(1, seed=99))


def test_boards_are_read_from_a_record_file(tmp_path: Path) -> None:
    path = tmp_path / "result.pbn"

    async def session() -> None:
        server = TableServer(
            BridgeTable(boards(3), TableRules(trick_pause=0.0)), record=RecordFile(path).write
        )
        await run_table(server, await server.open())

    asyncio.run(session())
    assert read_boards(path) == boards(3)
    assert [board.number for board in read_boards(path, first=2, count=1)] == [2]


def test_full_disk_stops_the_table_with_a_reason() -> None:
    def refuse(record: BoardRecord) -> None:
        raise OSError(28, "No space left on device")

    async def session() -> str | None:
        server = TableServer(BridgeTable(boards(2), TableRules(trick_pause=0.0)), record=refuse)
        return await run_table(server, await server.open())

    reason = asyncio.run(session())
    assert reason is not None
    assert "No space left" in reason


def test_table_gets_the_address_of_a_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "overtrick.tablemanager.server.address_of",
        lambda peer, own: f"{peer[0]} at {own[0]}:{own[1]}",
    )

    async def session() -> tuple[str, int]:
        server = TableServer(BridgeTable(boards(1)))
        (port,) = await server.open()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b'Connecting "A" as North using protocol version 18\r\n')
        assert b"seated" in await reader.readline()
        address = server.table.chairs[Seat.NORTH].address
        writer.close()
        await server.close()
        return address, port

    address, port = asyncio.run(session())
    assert address == f"127.0.0.1 at 127.0.0.1:{port}"


# Bad input


async def conversation(port: int, *parts: bytes) -> bytes:
    """Send bytes and read until the table closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0)
        return await asyncio.wait_for(reader.read(), 30)
    except ConnectionError:
        return b"(reset)"
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        ((b"x" * (1 << 20),), b"a line is too long"),
        ((b"\x00\xff\xfe\r\n" * 6,), b"no request for a seat"),
        ((b"Connecting ", b"and then silence"), b"no request for a seat"),
        ((b'Connecting "A" as North using protocol version 17\r\n',), b"version 17"),
        ((b'Connecting "A" as Middle using protocol version 18\r\n',), b"name a seat"),
    ],
)
def test_bad_guest_is_disconnected_and_the_tables_play_on(parts: tuple[bytes, ...], answer: bytes) -> None:
    async def session() -> list[Any]:
        rules = TableRules(trick_pause=0.0, greeting=0.2)
        one, other = TableServer(BridgeTable(boards(2), rules)), TableServer(BridgeTable(boards(2), rules))
        ports = await one.open()
        neighbours = await other.open()

        async def guest_and_players() -> tuple[bytes, str | None]:
            return await conversation(ports[0], *parts), await run_table(one, ports)

        (heard, reason), others = await asyncio.gather(guest_and_players(), run_table(other, neighbours))
        return [heard, reason, others]

    heard, *reasons = asyncio.run(session())
    assert answer in heard or heard == b"(reset)"
    assert reasons == [None, None]


def test_internal_error_of_one_table_ends_only_that_table(monkeypatch: pytest.MonkeyPatch) -> None:
    async def session() -> list[Any]:
        rules = TableRules(trick_pause=0.0)
        one, other = TableServer(BridgeTable(boards(1), rules)), TableServer(BridgeTable(boards(2), rules))
        ports, neighbours = await one.open(), await other.open()

        def broken(*_: object) -> None:
            raise RuntimeError("no such card")

        monkeypatch.setattr(one.table, "_process_card", broken)
        return list(await asyncio.gather(run_table(one, ports), run_table(other, neighbours)))

    reasons = asyncio.run(session())
    assert "no such card" in reasons[0]
    assert reasons[1] is None


def test_port_in_use_is_reported() -> None:
    async def session() -> None:
        one, other = TableServer(BridgeTable(boards(1))), TableServer(BridgeTable(boards(1)))
        (port,) = await one.open()
        with pytest.raises(TableError, match=r"cannot be opened: another program uses it\.$"):
            await other.open(ports=(port,))
        await one.close()

    asyncio.run(session())


def test_player_reports_that_there_is_no_table() -> None:
    with pytest.raises(TableError, match=r"There is no table at 127\.0\.0\.1, port \d+\.$"):
        asyncio.run(sit_in(player(Seat.NORTH), "127.0.0.1", 1, connect_timeout=0.0))


def test_player_reports_the_reason_of_a_refusal() -> None:
    async def session() -> None:
        server = TableServer(BridgeTable(boards(1)))
        (port,) = await server.open()
        odd = player(Seat.NORTH)
        odd.team = "x" * 100
        with pytest.raises(TableError, match="team name"):
            await sit_in(odd, "127.0.0.1", port)
        await server.close()

    asyncio.run(session())


def test_operator_is_asked_and_the_pause_ends_with_the_answer() -> None:
    questions: list[Question] = []

    async def operator(question: Question) -> dict[int, str]:
        questions.append(question)
        await asyncio.sleep(0)
        return {question.place or 0: "at least 3 cards in clubs"}

    async def session() -> list[BoardRecord]:
        rules = TableRules(trick_pause=0.0, alerts=Alerts.EVERY)
        server = TableServer(BridgeTable(boards(3), rules), operator=operator)
        await run_table(server, await server.open())
        return server.records

    records = asyncio.run(session())
    assert questions
    alerted = sum(tail == "Alert. at least 3 cards in clubs." for record in records for tail in record.tails)
    assert alerted == len(questions)


def test_lines_are_split_the_same_for_every_size_of_pieces() -> None:
    text = b"North passes\r\nEast bids 1C\nSouth doubles\r\n\r\nrest"
    for size in range(1, len(text)):
        lines = LineSplitter()
        split = [
            line for start in range(0, len(text), size) for line in lines.feed(text[start : start + size])
        ]
        assert split == ["North passes", "East bids 1C", "South doubles"]
    assert LineSplitter().feed(b"North passes\r") == ["North passes"]
    # A relayed alert must not contain a second message for programs that end lines with a carriage return.
    assert LineSplitter().feed(b"North passes Alert. x\rSouth bids 7NT\r\n") == [
        "North passes Alert. x",
        "South bids 7NT",
    ]
    with pytest.raises(OverflowError):
        LineSplitter().feed(b"x" * (LONGEST_LINE + 1))
