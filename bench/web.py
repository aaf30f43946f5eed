"""Latency of a result from its table to every viewer's screen, while results keep coming.

The server runs in one process as `overtrick serve` has it. Another has 500 viewers who follow the projector's
page and 256 terminals that follow their tables, each over a connection of its own, unzipping and reading every byte as
a browser does; the terminals send their results as phones do, by POST, each from an address of its own. A result counts
as seen when a whole message has come to a viewer that was made of the result's version of the session, or of a later.
Waits are counted from when the terminal began to send, so that writing the result is in them.

With --chromium a real browser is one more viewer, and what counts there is when its page has changed.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import sys
import tempfile
import time
import zlib
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from overtrick.bridge import Outcome
from overtrick.control.entries import write_entry
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.guid import new_guid

SECTIONS = "ABCDEFGH"
BAR = 500
"""Milliseconds within which 99 of 100 looks must show the result."""
OUTCOMES = ("3NTN=", "4SN+1", "2HE-1", "1NTS=", "6DW-2", "4HxE-1", "Pass", "3CS+2")

Place = tuple[str, int, int, int]


# The server ----------------------------------------------------------------------------------------------------------


async def serve_journal(folder: Path, tables: int, before: int) -> None:
    """Serve the pages of an event with some results, and answer questions line by line."""
    from overtrick import movements
    from overtrick.event import OpenEvent, SessionPlan
    from overtrick.event.movement import SectionPlan, table_plans
    from overtrick.event.results import Origin, PutResults, ResultRecorded
    from overtrick.event.setup import GroupPlan
    from overtrick.host.lookup import JOURNAL
    from overtrick.host.web import PageServerSettings, open_pages, open_writer
    from overtrick.host.writer import Submission
    from overtrick.keys import KeyRing
    from overtrick.scoring import Method
    from overtrick.store import Appended, open_journal
    from overtrick.store.codec import event_codec

    guid = new_guid()
    each = max(3, tables // len(SECTIONS))
    sections = tuple(
        (SectionPlan(letter, 1, 2), table_plans(movements.mitchell(each, 2), letter)) for letter in SECTIONS
    )
    plan = SessionPlan(guid, "Bench", datetime.now(UTC).date(), (GroupPlan(1, Method.MATCHPOINTS),), sections)
    chance = random.Random(7)
    places: list[Place] = [
        (section.section, table.table, number, board)
        for section, planned in sections
        for table in planned
        for number, played in enumerate(table.rounds, start=1)
        for board in played.boards
    ]
    # Round by round and board by board, as clubs play; the tables in any order.
    chance.shuffle(places)
    places.sort(key=lambda place: (place[2], (place[3] - 1) % 2))
    async with AsyncExitStack() as stack:
        journal = stack.enter_context(open_journal(folder / JOURNAL, event_codec()))
        writing = await stack.enter_async_context(open_writer(journal, evaluates=False))
        await writing.submit(Submission(OpenEvent(guid, (plan,)), "open", "control", "bench"))
        for first in range(0, before, 500):
            entries = tuple(
                ResultEntry(*place, Outcome.parse(chance.choice(OUTCOMES)), datetime.now(UTC))
                for place in places[first : min(first + 500, before)]
            )
            command = PutResults(guid, entries, Origin.DESK)
            answer = await writing.submit(Submission(command, f"before-{first}", "control", "bench"))
            assert isinstance(answer, Appended), answer
        address = await stack.enter_async_context(open_pages(journal, writing, PageServerSettings(folder, 0)))
        keys = KeyRing(folder)
        names = sorted({place[:2] for place in places})
        codes = {f"{section}{table}": keys.table_code(guid, section, table) for section, table in names}
        say({"address": address, "guid": guid, "codes": codes, "places": places[before:]})
        while question := (await asyncio.to_thread(sys.stdin.readline)).strip():
            if question == "work":
                say((time.process_time(), starved()))
            elif question == "versions":
                stream = next(name for name in journal.heads() if name.startswith("session/"))
                facts = ((entry.version, entry.fact) for entry in journal.read(stream))
                say(
                    {repr(fact.place): version for version, fact in facts if isinstance(fact, ResultRecorded)}
                )


def starved() -> float:
    """Return the seconds for which threads of this process waited for a core; 0 where the system does not report it."""
    tasks = Path("/proc/self/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[1]) for each in tasks) / 1e9


def say(answer: object) -> None:
    """Print a value as a line of JSON for the parent process."""
    print(json.dumps(answer), flush=True)


# The viewers and phones ----------------------------------------------------------------------------------------------


class Viewer(asyncio.Protocol):
    """A viewer that follows a stream over its own connection, and records when each version arrived."""

    def __init__(self, path: str, host: str, is_plain: bool, ready: asyncio.Semaphore) -> None:
        accepted = "" if is_plain else "Accept-Encoding: gzip\r\n"
        self._question = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{accepted}\r\n".encode()
        self._ready = ready
        self._come = bytearray()
        self._unzip = None if is_plain else zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._text = b""
        self._is_begun = False
        self.seen: list[tuple[int, float]] = []
        self.messages = 0
        self.bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(self._question)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        self.bytes += len(data)
        come = self._come
        come += data
        if not self._is_begun:
            head, end, _ = come.partition(b"\r\n\r\n")
            if not end:
                return
            assert head.startswith(b"HTTP/1.1 200"), head
            del come[: len(head) + 4]
            self._is_begun = True
        while (line := come.find(b"\r\n")) > 0:
            length = int(come[:line], 16)
            if len(come) < line + length + 4:
                return
            chunk = bytes(come[line + 2 : line + 2 + length])
            del come[: line + length + 4]
            self._read(self._unzip.decompress(chunk) if self._unzip else chunk, now)

    def _read(self, text: bytes, now: float) -> None:
        self._text += text
        while (end := self._text.find(b"\n\n")) >= 0:
            message, self._text = self._text[:end], self._text[end + 2 :]
            if message.startswith(b"id: "):
                mark = message[4 : message.index(b"\n")]
                self.seen.append((int(mark.rpartition(b".")[2]), now))
                self.messages += 1
            elif message.startswith(b"retry"):
                self._ready.release()

    def connection_lost(self, exc: Exception | None) -> None:
        self._text = b""


class Phone:
    """A phone that sends the results of one table in order, and records when each was sent and confirmed."""

    def __init__(self, address: str, guid: str, table: str, code: str, own: str) -> None:
        self._host, _, port = address.removeprefix("http://").partition(":")
        self._port = int(port)
        self._guid = guid
        self._path = f"/t/{guid}/{table}/entries"
        self._head = (
            f"Host: {self._host}:{port}\r\nX-Table-Code: {code}\r\nContent-Type: application/json\r\n"
        )
        self._own = own
        self._busy = asyncio.Lock()
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    def _body(self, place: Place, outcome: str) -> str:
        """Return an entry as the terminal's page sends it."""
        now = datetime.now(UTC)
        entry = ResultEntry(*place, Outcome.parse(outcome), now)
        content = write_entry(uuid4().hex, 1, EnterResult(self._guid, entry, incarnation=1))
        return json.dumps({"sent": now.isoformat(), "entries": [content]})

    async def _ask(self, body: str) -> tuple[str, bytes]:
        await self._connect()
        assert self._reader is not None
        assert self._writer is not None
        question = f"POST {self._path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n{body}"
        self._writer.write(question.encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        return head, await self._reader.readexactly(length)

    async def _connect(self) -> None:
        """Connect if the server has closed an idle connection, as browsers do."""
        if self._reader is None or self._reader.at_eof() or self._reader.exception():
            if self._writer is not None:
                self._writer.close()
            self._reader, self._writer = await asyncio.open_connection(
                self._host, self._port, local_addr=(self._own, 0)
            )

    async def send(self, place: Place, outcome: str, sent: dict[str, tuple[float, float]]) -> None:
        """Send a result, and wait until it is confirmed."""
        body = self._body(place, outcome)
        async with self._busy:
            began = time.perf_counter()
            try:
                head, answer = await self._ask(body)
            except (ConnectionError, asyncio.IncompleteReadError):
                head, answer = await self._ask(body)  # the server let go at that very moment; it counts once
            assert " 200 " in head.partition("\r\n")[0], answer
            assert "version" in json.loads(answer)["answers"][0], answer
            sent[repr(tuple(place))] = began, time.perf_counter()


async def crowd_load(
    setup: dict[str, Any], viewers: int, desks: int, rate: float, seconds: float, is_plain: bool
) -> None:
    """Run all viewers and phones."""
    address, guid, codes = setup["address"], setup["guid"], setup["codes"]
    host, _, port = address.removeprefix("http://").partition(":")
    loop = asyncio.get_running_loop()
    ready = asyncio.Semaphore(0)
    paths = [f"/live/{guid}/stream"] * viewers
    paths += [f"/t/{guid}/{table}/stream?code={code}" for table, code in codes.items()]
    paths += [f"/desk/{guid}/results/stream"] * desks
    followers: list[Viewer] = []
    for number, path in enumerate(paths):
        _, follower = await loop.create_connection(
            lambda path=path: Viewer(path, f"{host}:{port}", is_plain, ready),  # type: ignore[misc]
            host,
            int(port),
            local_addr=(own_address(number), 0),
        )
        followers.append(follower)
    phones: dict[str, Phone] = {}
    for number, (table, code) in enumerate(codes.items()):
        phones[table] = Phone(address, guid, table, code, own_address(number))
    for _ in paths:
        await ready.acquire()
    await asyncio.sleep(1)
    say("ready")
    await asyncio.to_thread(sys.stdin.readline)
    chance = random.Random(11)
    sent: dict[str, tuple[float, float]] = {}
    counted = sum(follower.messages for follower in followers), sum(each.bytes for each in followers)
    work, began, sending = time.process_time(), time.perf_counter() + 0.5, []
    for number, (section, table, round_, board) in enumerate(setup["places"][: int(rate * seconds)]):
        await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
        phone = phones[f"{section}{table}"].send(
            (section, table, round_, board), chance.choice(OUTCOMES), sent
        )
        sending.append(asyncio.create_task(phone))
    failed = [each for each in await asyncio.gather(*sending, return_exceptions=True) if each]
    lasted = time.perf_counter() - began
    await asyncio.sleep(2)
    say(
        {
            "sent": sent,
            "failed": [repr(each) for each in failed[:3]],
            "lasted": lasted,
            "seen": [follower.seen for follower in followers[:viewers]],
            "messages": sum(follower.messages for follower in followers) - counted[0],
            "bytes": sum(follower.bytes for follower in followers) - counted[1],
            "work": time.process_time() - work,
        }
    )


def own_address(number: int) -> str:
    """Return a loopback address for a device, because real devices have their own addresses."""
    return f"127.0.{1 + number // 200}.{1 + number % 200}" if sys.platform == "linux" else "127.0.0.1"


# A real browser -----------------------------------------------------------------------------------------------------

WATCH = """() => {
  window.seen = [];
  const note = () => {
    const mark = document.body.dataset.mark;
    if (mark) window.seen.push([Number(mark.split(".").pop()), performance.timeOrigin + performance.now()]);
  };
  // The rows are in place when the mark is, and after the next frame they are on the screen.
  new MutationObserver(() => requestAnimationFrame(() => setTimeout(note)))
    .observe(document.body, { attributes: true, attributeFilter: ["data-mark"] });
}"""


async def chromium(address: str, guid: str) -> None:
    """Run a real browser on the projector page."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = await browser.new_page(viewport={"width": 1920, "height": 1080})
        await page.goto(f"{address}/live/{guid}")
        await page.evaluate(WATCH)
        # The browser counts from 1970 and everyone else from when the machine started.
        shift = time.perf_counter() - time.time()
        say("ready")
        await asyncio.to_thread(sys.stdin.readline)
        seen = [(version, at / 1000 + shift) for version, at in await page.evaluate("window.seen")]
        rows = "[...document.querySelectorAll('.ranking tbody')].map((body) => body.innerText)"
        kept = await page.evaluate(rows)
        await page.reload()
        say({"seen": seen, "is_right": kept == await page.evaluate(rows)})
        await browser.close()


# Measuring ----------------------------------------------------------------------------------------------------------


class Part:
    """A child process of this program that answers questions line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, *arguments: object) -> "Part":
        """Start the process with these arguments."""
        return cls(
            await asyncio.create_subprocess_exec(
                *(sys.executable, str(Path(__file__).resolve()), *map(str, arguments)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=2**28,
            )
        )

    async def answer(self, question: str | None = None) -> Any:
        """Return its next line, after a question if there is one."""
        if question is not None:
            assert self._process.stdin is not None
            self._process.stdin.write(f"{question}\n".encode())
        assert self._process.stdout is not None
        return json.loads(await self._process.stdout.readline())

    async def end(self) -> None:
        """Close its input and wait until it has ended; kill it after 20 seconds."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 20)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


def waits(
    seen: list[list[tuple[int, float]]], moments: dict[int, float], last: float | None = None
) -> list[float]:
    """Return the milliseconds from each moment until each viewer had its version or a later one, sorted."""
    milliseconds = []
    for viewer in seen:
        at = 0
        for version, moment in sorted(moments.items()):
            while at < len(viewer) and viewer[at][0] < version:
                at += 1
            milliseconds.append((viewer[at][1] - moment) * 1000 if at < len(viewer) else float("inf"))
    return sorted(milliseconds)


def words(milliseconds: list[float]) -> str:
    """Return the median, the 99th percentile and the worst as text."""
    if not milliseconds:
        return "none"
    median, high = milliseconds[len(milliseconds) // 2], milliseconds[int(len(milliseconds) * 0.99)]
    return f"p50 {median:.0f}, p99 {high:.0f}, worst {milliseconds[-1]:.0f} ms"


async def measure(options: argparse.Namespace) -> bool:
    """Run the benchmark and print the figures; return whether the bar is reached."""
    with tempfile.TemporaryDirectory() as folder:
        server = await Part.start("--part", "server", folder, options.tables, options.before)
        setup = await server.answer()
        (Path(folder) / "setup.json").write_text(json.dumps(setup))
        crowd = await Part.start(
            *(
                "--part",
                "crowd",
                folder,
                options.viewers,
                options.desks,
                options.rate,
                options.seconds,
                int(options.plain),
            )
        )
        assert await crowd.answer() == "ready"
        browser = None
        if options.chromium:
            browser = await Part.start("--part", "chromium", setup["address"], setup["guid"])
            assert await browser.answer() == "ready"
        load = os.getloadavg()[0]
        before = await server.answer("work")
        came = await crowd.answer("go")
        work, waited = (now - then for now, then in zip(await server.answer("work"), before, strict=True))
        versions = await server.answer("versions")
        watched = await browser.answer("stop") if browser else None
        for part in (browser, crowd, server):
            if part is not None:
                await part.end()
    sent = {versions[entry]: began for entry, (began, _) in came["sent"].items()}
    taken = {versions[entry]: done for entry, (_, done) in came["sent"].items()}
    looks = waits(came["seen"], sent)
    count = len(sent)
    print(
        f"{len(setup['codes'])} terminals, {options.viewers} viewers, {options.desks} desks, {options.before} results "
        f"before, then {count} in {came['lasted']:.1f} s ({count / came['lasted']:.1f}/s); "
        f"load of the machine {load:.1f}"
    )
    if came["failed"]:
        print("failed:", *came["failed"])
    print("on every screen, from sending:     ", words(looks))
    print("on every screen, from confirmation:", words(waits(came["seen"], taken)))
    print(
        "confirmed at the terminal:         ", words(sorted(1000 * (b - a) for a, b in came["sent"].values()))
    )
    if watched:
        print("in a real browser, from sending:   ", words(waits([watched["seen"]], sent)), end="; ")
        print("its rows are those of a page made anew" if watched["is_right"] else "ITS ROWS ARE WRONG")
    print(
        f"{came['messages']} messages of {came['bytes'] / max(1, came['messages']) / 1000:.1f} kB; the server worked "
        f"{work:.2f} s: {1000 * work / max(1, count):.2f} ms a result, "
        f"{1e6 * work / max(1, came['messages']):.0f} µs a message, {100 * work / (came['lasted'] + 2):.0f} % of a "
        f"core; it waited {waited:.2f} s for one; viewers and phones worked {came['work']:.2f} s"
    )
    return bool(looks) and not came["failed"] and looks[int(len(looks) * 0.99)] <= BAR


def more_files() -> None:
    """Raise the limit of open files as far as the system allows, for one connection per device."""
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--tables", type=int, default=256, help="tables, each with a terminal")
    parser.add_argument("--rate", type=float, default=50, help="results a second")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--before", type=int, default=4000, help="results that are there when it begins")
    parser.add_argument("--desks", type=int, default=0, help="directors who look at all results")
    parser.add_argument("--plain", action="store_true", help="viewers who do not unzip")
    parser.add_argument("--chromium", action="store_true", help="with a real browser besides")
    options = parser.parse_args()
    match options.part:
        case ["server", folder, tables, before]:
            asyncio.run(serve_journal(Path(folder), int(tables), int(before)))
        case ["crowd", folder, viewers, desks, rate, seconds, plain]:
            more_files()
            setup = json.loads((Path(folder) / "setup.json").read_text())
            asyncio.run(
                crowd_load(setup, int(viewers), int(desks), float(rate), float(seconds), plain == "1")
            )
        case ["chromium", address, guid]:
            asyncio.run(chromium(address, guid))
        case _:
            sys.exit(not asyncio.run(measure(options)))


if __name__ == "__main__":
    main()
