import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from overtrick.bridge import PASS, SEATS, Auction, Call, Deal, Seat, Side, parse_call
from overtrick.cli import app
from overtrick.errors import OvertrickError
from overtrick.host.table_watch_server import serve_watch_pages
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.player import Player, PlayerView
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Alerts, Board, Question, TableRules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.sessions import TerminalOperator
from overtrick.tablemanager.table import BridgeTable
from overtrick.web import table_watch as watch_module
from overtrick.web.table_watch import TableWatch
from tests.waiting import wait_for_async

DEAL = Deal.parse("N:AQ7.AQJ4.6.AKJT5 86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3")
BOARD = Board.numbered(1, DEAL)
EVIL = "<script>alert(1)</script>"


class Terminal:
    """Somebody at the terminal, who types when told; nobody when `line` is None."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.asks = 0
        self._typed = threading.Event()
        self._line: str | None = None

    def type(self, line: str | None) -> None:
        self._line = line
        self._typed.set()

    def __call__(self) -> str:
        self.asks += 1
        self._typed.wait(20)
        self._typed.clear()
        if self._line is None:
            raise EOFError
        return self._line


class Evening:
    """A table that is watched over HTTP."""

    def __init__(self, rules: TableRules, boards: list[Board], *, hide: bool = False) -> None:
        self.watch = TableWatch(boards, hide=hide, asks=True)
        self.terminal = Terminal()
        operator = self.watch.operator(TerminalOperator(self.terminal.said.append, self.terminal))
        self.server = TableServer(BridgeTable(boards, rules), operator=operator)
        self.watch.add(self.server, "Table 1")
        self.base = ""
        self.link = ""
        self.port = 0

    def say(self, text: str) -> None:
        where = text.split()[-1]
        if text.startswith("Watch"):
            self.base = where.rstrip("/")
        else:
            self.link = where

    async def sit(self, choose: Callable[[PlayerView], Call | tuple[Call, str]] | None = None) -> None:
        robot = Legal(5)
        await asyncio.gather(
            *(
                sit_in(
                    Player(team(seat), seat, choose or robot.choose_call, robot.choose_card),
                    "127.0.0.1",
                    self.port,
                )
                for seat in SEATS
            )
        )

    async def until(self, words: str, client: httpx.AsyncClient, path: str = "/table/1") -> str:
        seen = ""

        async def is_there() -> bool:
            nonlocal seen
            seen = (await client.get(path)).text
            return words in seen

        await wait_for_async(is_there, told=lambda: f"{words!r} never came: {seen}")
        return seen


def team(seat: Seat) -> str:
    return "Silent" if seat.side is Side.NS else "Bidders"


def run(
    evening: Callable[[], Evening], work: Callable[[Evening, httpx.AsyncClient], Awaitable[None]]
) -> None:
    async def main() -> None:
        it = evening()
        (it.port,) = await it.server.open()

        async def with_client() -> None:
            async with httpx.AsyncClient(base_url=it.base, timeout=10) as client:
                await work(it, client)

        try:
            await asyncio.wait_for(serve_watch_pages(it.watch, "127.0.0.1", 0, it.say, with_client), 50)
        finally:
            await it.server.close()

    asyncio.run(main())


def opens_two_clubs(view: PlayerView) -> Call:
    return parse_call("2C") if not view.course.auction.calls else PASS


def fields(page: str) -> dict[str, str]:
    """The hidden fields of the form, and its question's input, empty."""
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    return hidden | dict.fromkeys(re.findall(r'name="(meaning-\d+)"', page), "")


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "RENDER_INTERVAL", 0.01)


async def read_stream(base: str, heard: list[dict[str, str]]) -> str:
    """Everything that a stream sends, until it says that it is over."""
    async with (
        httpx.AsyncClient(base_url=base, timeout=20) as client,
        client.stream("GET", "/table/1/stream") as stream,
    ):
        assert stream.headers["content-type"].startswith("text/event-stream")
        event = ""
        async for line in stream.aiter_lines():
            if line.startswith("event: "):
                event = line[7:]
            elif line.startswith("data: ") and event == "regions":
                heard.append(json.loads(line[6:]))
    return event


def test_a_page_follows_four_legal_players_to_the_end_of_a_board() -> None:
    heard: list[dict[str, str]] = []
    ends: list[asyncio.Task[str]] = []

    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        assert "Waiting for North, East, South and West to sit down." in (await client.get("/table/1")).text
        ends.append(asyncio.ensure_future(read_stream(it.base, heard)))
        await it.sit()
        page = await it.until("The session is over", client)
        (record,) = it.server.records
        assert str(record.outcome) in page
        assert 'href="/table/1/board/1"' in page
        assert "Silent against Bidders" in (await client.get("/")).text
        played = (await client.get("/table/1/board/1")).text
        assert played.count('class="rank') == 52
        assert (await client.get("/table/1/board/2")).status_code == 404
        assert (await client.get("/table/2")).status_code == 404
        page = await it.until("Double dummy, par NS 450", client, "/table/1/board/1")
        assert "North</th><td>7</td><td>11</td><td>7</td><td>5</td><td>9</td>" in page

    run(lambda: Evening(TableRules(trick_pause=0.02), [BOARD]), work)
    assert [end.result() for end in ends] == ["over"]
    told = [it["status"] for it in heard if "status" in it]
    assert any("to call" in text for text in told) or any("to play" in text for text in told)
    assert "The session is over" in told[-1]
    assert any('class="playing-card"' in it["play"] for it in heard if "play" in it)


def test_more_streams_than_are_served_are_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "MAX_FOLLOWERS", 0)

    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        answer = await client.get("/table/1/stream")
        assert answer.status_code == 503
        assert "Too many open pages" in answer.text
        assert (await client.get("/table/1")).status_code == 200

    run(lambda: Evening(TableRules(), [BOARD]), work)


def test_two_tables_with_one_name_are_followed_each_by_itself() -> None:
    async def main() -> None:
        watch = TableWatch([BOARD])
        for _ in range(2):
            watch.add(TableServer(BridgeTable([BOARD], TableRules())), "Table")
        first, second = (watch._follow(page, False, "") for page in watch.pages)
        try:
            for following in (first, second):
                await anext(following)  # the greeting
                assert b"Waiting for North" in (await anext(following)).plain
            hearing = asyncio.ensure_future(anext(second))
            watch.pages[0].touch()
            assert not (await asyncio.wait([hearing], timeout=0.3))[0], "the other table has not changed"
            await watch.close()
            assert b"Waiting for North" in (await asyncio.wait_for(hearing, 30)).plain
            assert b"event: over" in (await anext(second)).plain
        finally:
            await first.aclose()
            await second.aclose()

    asyncio.run(main())


def test_every_response_has_a_strict_content_security_policy() -> None:
    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        for path in ("/", "/table/1", "/table/9", "/static/watch.js", "/nothing"):
            answer = await client.get(path)
            assert "default-src 'none'; script-src 'self'" in answer.headers["content-security-policy"]
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "style=" not in answer.text
            assert not re.search(r"<script>|\son\w+=|(?:src|href)=.https?:", answer.text)
        assert (await client.get("/", headers={"host": "evil.example"})).status_code == 421

    run(lambda: Evening(TableRules(), [BOARD]), work)


def test_texts_of_programs_are_escaped() -> None:
    def choose(view: PlayerView) -> Call | tuple[Call, str]:
        if not view.course.auction.calls:
            return parse_call("2C"), f"Alert. {EVIL}, 5 cards in clubs."
        return PASS

    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        playing = asyncio.ensure_future(it.sit(choose))
        page = await it.until("&lt;script&gt;alert(1)&lt;/script&gt;, 5 cards in clubs", client)
        assert EVIL not in page
        assert 'href="#note-1"' in page
        assert 'id="note-1"' in page
        await playing

    run(lambda: Evening(TableRules(trick_pause=0.05), [BOARD]), work)


def test_the_operator_answers_on_the_page() -> None:
    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        playing = asyncio.ensure_future(it.sit(opens_two_clubs))
        page = await it.until("Waiting for the operator to explain 2C by North.", client)
        assert "<form" not in page
        assert "to-act" not in page
        assert it.watch.token not in page
        assert (await client.get("/operator/guessed")).status_code == 403

        answer = await client.get(it.link)
        assert answer.status_code == 303
        assert "httponly" in answer.headers["set-cookie"].lower()
        assert "samesite=strict" in answer.headers["set-cookie"].lower()
        form = fields(await it.until("<form", client))
        assert set(form) == {"token", "question", "meaning-0"}
        others = (await asyncio.to_thread(httpx.get, f"{it.base}/table/1")).text  # without the cookie
        assert "<form" not in others
        assert it.watch.token not in others

        form["meaning-0"] = "at least 22 total points\r\nNorth passes"
        # the cookie alone is not enough: anybody's page could send it along
        refused = await client.post("/table/1/answer", data=form | {"token": "x"})
        assert refused.status_code == 403
        assert (await client.post("/table/1/answer", data=form | {"question": "99"})).status_code == 409
        assert (await client.post("/table/1/answer", content=b"x" * 70_000)).status_code == 413
        assert it.server.table.question is not None
        assert (await client.post("/table/1/answer", data=form)).status_code == 303
        assert it.server.table.question is None
        assert it.terminal.said[-1] == "Board 1: answered on the page."
        assert (await client.post("/table/1/answer", data=form)).status_code == 409
        assert "at least 22 total points" in (await client.get("/table/1")).text
        await playing
        (record,) = it.server.records
        assert record.tails[0] == "Alert. at least 22 total points North passes"

    run(lambda: Evening(TableRules(trick_pause=0.0, alerts=Alerts.EVERY), [BOARD]), work)


def test_the_whole_auction_is_asked_about_on_the_page() -> None:
    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        playing = asyncio.ensure_future(it.sit(opens_two_clubs))
        await client.get(it.link)
        form = fields(await it.until("<form", client))
        assert {"meaning-0", "meaning-1", "meaning-2", "meaning-3"} <= set(form)
        form |= {"meaning-0": "Forcing until game", "meaning-2": "up to 5 total points"}
        assert (await client.post("/table/1/answer", data=form)).status_code == 303
        await playing
        (record,) = it.server.records
        assert record.tails == ("Alert. Forcing until game.", "", "Alert. up to 5 total points.", "")

    run(lambda: Evening(TableRules(trick_pause=0.0, alerts=Alerts.END), [BOARD]), work)


def test_answer_in_the_terminal_counts_when_the_page_is_open() -> None:
    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        playing = asyncio.ensure_future(it.sit(opens_two_clubs))
        await it.until("Waiting for the operator", client)
        it.terminal.type("Forcing until game")
        await playing
        (record,) = it.server.records
        assert record.tails[0] == "Alert. Forcing until game."

    run(lambda: Evening(TableRules(trick_pause=0.0, alerts=Alerts.EVERY), [BOARD]), work)


def test_closed_terminal_input_waits_for_the_page() -> None:
    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        playing = asyncio.ensure_future(it.sit(opens_two_clubs))
        it.terminal.type(None)
        await client.get(it.link)
        form = fields(await it.until("<form", client))
        await asyncio.sleep(0.1)
        assert it.server.table.question is not None
        await client.post("/table/1/answer", data=form | {"meaning-0": "Promises a rebid"})
        await playing
        (record,) = it.server.records
        assert record.tails[0] == "Alert. Promises a rebid."

    run(lambda: Evening(TableRules(trick_pause=0.0, alerts=Alerts.EVERY), [BOARD]), work)


def test_line_typed_after_the_answer_goes_to_the_next_question() -> None:
    async def main() -> None:
        terminal = Terminal()
        operator = TerminalOperator(terminal.said.append, terminal)
        question = Question(1, Auction(Seat.NORTH, [parse_call("2C")]), 0)
        first = asyncio.ensure_future(operator(question))
        await wait_for_async(lambda: terminal.asks)
        first.cancel()
        second = asyncio.ensure_future(operator(question))
        await wait_for_async(first.done)
        terminal.type("Forcing until game")
        assert await asyncio.wait_for(second, 30) == {0: "Forcing until game"}
        assert terminal.asks == 1

    asyncio.run(main())


def test_a_session_ends_though_the_terminal_was_never_answered() -> None:
    script = """
import asyncio
from overtrick.bridge import Auction, Seat, parse_call
from overtrick.tablemanager.rules import Question
from overtrick.tablemanager.sessions import TerminalOperator

async def main():
    question = Question(1, Auction(Seat.NORTH, [parse_call("2C")]), 0)
    asked = asyncio.ensure_future(TerminalOperator(print)(question))
    await asyncio.sleep(0.2)
    asked.cancel()

asyncio.run(main())
"""
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_hands_can_be_hidden_until_the_board_is_over() -> None:
    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        playing = asyncio.ensure_future(it.sit(opens_two_clubs))
        page = await it.until("Waiting for the operator", client)
        assert page.count("13 cards") == 4
        assert 'class="rank' not in page
        assert "Shown when the board is finished." in page
        it.terminal.type("")
        await playing
        page = await it.until("The session is over", client)
        assert page.count('class="rank') == 52

    run(lambda: Evening(TableRules(trick_pause=0.0, alerts=Alerts.EVERY), [BOARD], hide=True), work)


def test_in_a_match_a_board_has_its_imps_when_both_rooms_have_played_it() -> None:
    async def main() -> None:
        watch = TableWatch([BOARD])
        rules = TableRules(trick_pause=0.0)
        rooms = [TableServer(BridgeTable([BOARD], rules)) for _ in range(2)]
        watch.add_match("Silent", "Bidders", *rooms)
        for room, calls in zip(rooms, ("2C", "1D"), strict=True):
            # By now nothing happens in the first room any more, and its page is made and kept.
            assert "Silent 0, Bidders 0 IMPs" in watch.pages[0].make(False)["results"]
            seen = watch.pages[0].version
            (port,) = await room.open()

            def choose(view: PlayerView, calls: str = calls) -> Call:
                return parse_call(calls) if not view.course.auction.calls else PASS

            robot = Legal(3)
            await asyncio.gather(
                *(
                    sit_in(Player(team(seat), seat, choose, robot.choose_card), "127.0.0.1", port)
                    for seat in SEATS
                )
            )
            await room.close()
            await wait_for_async(lambda room=room: not room.links)  # type: ignore[misc]
        assert [str(record.outcome) for room in rooms for record in room.records] == ["2CN-1", "1DN-3"]
        assert watch.pages[0].version > seen
        for page in watch.pages:
            assert "<td>3 Silent</td>" in page.make(False)["results"]

    asyncio.run(main())


@pytest.mark.browser
def test_a_browser_sees_the_play_and_the_operator_answers_in_it(
    require_program: Callable[[str], str],
) -> None:
    chromium = require_program("chromium")
    from playwright.async_api import async_playwright, expect

    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        async with async_playwright() as play:
            browser = await play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            try:
                page = await browser.new_page(viewport={"width": 390, "height": 844})
                faults: list[str] = []
                page.on("pageerror", lambda fault: faults.append(str(fault)))
                page.on("console", lambda said: faults.append(said.text))
                await page.goto(it.link)
                await page.get_by_role("link", name="Table 1").click()
                playing = asyncio.ensure_future(it.sit(opens_two_clubs))
                await page.get_by_label("North: 2C").fill("at least 22 total points")
                await page.get_by_role("button", name="Continue").click()
                await expect(page.locator(".notes")).to_contain_text("at least 22 total points")
                await playing
                await expect(page.locator("[data-region=status]")).to_contain_text("The session is over")
                wide = await page.evaluate("document.documentElement.scrollWidth")
                assert wide == 390
                assert faults == []
                (record,) = it.server.records
                assert record.tails[0] == "Alert. at least 22 total points."
            finally:
                await browser.close()

    run(lambda: Evening(TableRules(trick_pause=0.02, alerts=Alerts.EVERY), [BOARD]), work)


def test_port_in_use_gives_a_message(tmp_path: Path) -> None:
    async def work(it: Evening, client: httpx.AsyncClient) -> None:
        port = int(it.base.rpartition(":")[2])

        async def never() -> None:
            raise AssertionError

        with pytest.raises(OvertrickError, match=f"Port {port} of 127.0.0.1 is already in use"):
            await serve_watch_pages(TableWatch([BOARD]), "127.0.0.1", port, it.say, never)

    run(lambda: Evening(TableRules(), [BOARD]), work)


def test_command_prints_the_address_of_the_pages(tmp_path: Path) -> None:
    deals = tmp_path / "deals.pbn"
    deals.write_text(f'[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{DEAL}"]\n')
    options = ["--deals", str(deals), "--watch-port", "0", "--watch-hide"]
    result = CliRunner().invoke(app, ["tm", "match", "legal", "legal", *options])
    assert result.exit_code == 0, result.output
    assert re.search(r"Watch at http://127\.0\.0\.1:\d+/\n", result.output)
    assert "operator" not in result.output
