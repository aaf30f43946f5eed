"""Latency of a result from its table to every viewer's screen, while results keep coming.

The server runs in one process, as `overtrick serve` does. Another process has 500 viewers of the projector page and 256
terminals that follow their tables. Each has its own connection, and unzips and reads every byte as a browser does. The
terminals send results by POST, each from its own address, as phones do. A viewer has seen a result when it has received
a complete message for the session's version with the result, or for a later one. Latencies start when the terminal
begins to send, so they include writing the result.

With --chromium a real browser is another viewer, which has seen a result when its page has changed.
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
"""Milliseconds within which 99 of 100 screens must show the result."""
OUTCOMES = ("3NTN=", "4SN+1", "2HE-1", "1NTS=", "6DW-2", "4HxE-1", "Pass", "3CS+2")

Place = tuple[str, int, int, int]


# The server ----------------------------------------------------------------------------------------------------------


async def serve_journal(folder: Path, tables: int, earlier_results: int) -> None:
    """Serve the pages of an event with some results; answer the parent's questions, one for each line of input."""
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
    tables_of_section = max(3, tables // len(SECTIONS))
    sections = tuple(
        (SectionPlan(letter, 1, 2), table_plans(movements.mitchell(tables_of_section, 2), letter))
        for letter in SECTIONS
    )
    plan = SessionPlan(guid, "Bench", datetime.now(UTC).date(), (GroupPlan(1, Method.MATCHPOINTS),), sections)
    generator = random.Random(7)
    places: list[Place] = [
        (section.section, table.table, number, board)
        for section, planned in sections
        for table in planned
        for number, played in enumerate(table.rounds, start=1)
        for board in played.boards
    ]
    # Round by round and board by board, as clubs play; the tables in any order.
    generator.shuffle(places)
    places.sort(key=lambda place: (place[2], (place[3] - 1) % 2))
    async with AsyncExitStack() as stack:
        journal = stack.enter_context(open_journal(folder / JOURNAL, event_codec()))
        writer = await stack.enter_async_context(open_writer(journal, evaluates=False))
        await writer.submit(Submission(OpenEvent(guid, (plan,)), "open", "control", "bench"))
        for first in range(0, earlier_results, 500):
            entries = tuple(
                ResultEntry(*place, Outcome.parse(generator.choice(OUTCOMES)), datetime.now(UTC))
                for place in places[first : min(first + 500, earlier_results)]
            )
            command = PutResults(guid, entries, Origin.DESK)
            answer = await writer.submit(Submission(command, f"before-{first}", "control", "bench"))
            assert isinstance(answer, Appended), answer
        address = await stack.enter_async_context(open_pages(journal, writer, PageServerSettings(folder, 0)))
        keys = KeyRing(folder)
        names = sorted({place[:2] for place in places})
        codes = {f"{section}{table}": keys.table_code(guid, section, table) for section, table in names}
        print_json({"address": address, "guid": guid, "codes": codes, "places": places[earlier_results:]})
        while question := (await asyncio.to_thread(sys.stdin.readline)).strip():
            if question == "work":
                print_json((time.process_time(), seconds_without_core()))
            elif question == "versions":
                stream = next(name for name in journal.heads() if name.startswith("session/"))
                facts = ((entry.version, entry.fact) for entry in journal.read(stream))
                print_json(
                    {repr(fact.place): version for version, fact in facts if isinstance(fact, ResultRecorded)}
                )


def seconds_without_core() -> float:
    """Return the seconds for which threads of this process waited for a core; 0 where the system does not report it."""
    tasks = Path("/proc/self/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[1]) for task in tasks) / 1e9


def print_json(answer: object) -> None:
    """Print a value as a line of JSON for the parent process."""
    print(json.dumps(answer), flush=True)


# The viewers and phones ----------------------------------------------------------------------------------------------


class Viewer(asyncio.Protocol):
    """A viewer that follows a stream over its own connection, and records when each version arrived."""

    def __init__(self, path: str, host: str, is_plain: bool, ready: asyncio.Semaphore) -> None:
        encoding_header = "" if is_plain else "Accept-Encoding: gzip\r\n"
        self._request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{encoding_header}\r\n".encode()
        self._ready = ready
        self._received = bytearray()
        self._unzip = None if is_plain else zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._text = b""
        self._has_head = False
        self.seen: list[tuple[int, float]] = []
        self.messages = 0
        self.bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(self._request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        self.bytes += len(data)
        received = self._received
        received += data
        if not self._has_head:
            head, end, _ = received.partition(b"\r\n\r\n")
            if not end:
                return
            assert head.startswith(b"HTTP/1.1 200"), head
            del received[: len(head) + 4]
            self._has_head = True
        while (line := received.find(b"\r\n")) > 0:
            length = int(received[:line], 16)
            if len(received) < line + length + 4:
                return
            chunk = bytes(received[line + 2 : line + 2 + length])
            del received[: line + length + 4]
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

    def __init__(self, address: str, guid: str, table: str, code: str, own_address_: str) -> None:
        self._host, _, port = address.removeprefix("http://").partition(":")
        self._port = int(port)
        self._guid = guid
        self._path = f"/t/{guid}/{table}/entries"
        self._head = (
            f"Host: {self._host}:{port}\r\nX-Table-Code: {code}\r\nContent-Type: application/json\r\n"
        )
        self._own_address = own_address_
        self._busy = asyncio.Lock()
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    def _body(self, place: Place, outcome: str) -> str:
        """Return an entry as the terminal's page sends it."""
        now = datetime.now(UTC)
        entry = ResultEntry(*place, Outcome.parse(outcome), now)
        content = write_entry(uuid4().hex, 1, EnterResult(self._guid, entry, incarnation=1))
        return json.dumps({"sent": now.isoformat(), "entries": [content]})

    async def _post(self, body: str) -> tuple[str, bytes]:
        await self._connect()
        assert self._reader is not None
        assert self._writer is not None
        request = f"POST {self._path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n{body}"
        self._writer.write(request.encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        return head, await self._reader.readexactly(length)

    async def _connect(self) -> None:
        """Connect, also if the server has closed an idle connection, as browsers do."""
        if self._reader is None or self._reader.at_eof() or self._reader.exception():
            if self._writer is not None:
                self._writer.close()
            self._reader, self._writer = await asyncio.open_connection(
                self._host, self._port, local_addr=(self._own_address, 0)
            )

    async def send(self, place: Place, outcome: str, sent: dict[str, tuple[float, float]]) -> None:
        """Send a result, and wait until it is confirmed."""
        body = self._body(place, outcome)
        async with self._busy:
            started = time.perf_counter()
            try:
                head, answer = await self._post(body)
            except (ConnectionError, asyncio.IncompleteReadError):
                head, answer = await self._post(body)  # It closed the idle connection.
            assert " 200 " in head.partition("\r\n")[0], answer
            assert "version" in json.loads(answer)["answers"][0], answer
            sent[repr(tuple(place))] = started, time.perf_counter()


async def crowd_load(
    setup: dict[str, Any], viewers: int, desks: int, rate: float, seconds: float, is_plain: bool
) -> None:
    """Run all viewers and phones; print what was sent and seen as JSON."""
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
    print_json("ready")
    await asyncio.to_thread(sys.stdin.readline)
    generator = random.Random(11)
    sent: dict[str, tuple[float, float]] = {}
    counts_before = sum(follower.messages for follower in followers), sum(error.bytes for error in followers)
    work_before, started, sending = time.process_time(), time.perf_counter() + 0.5, []
    for number, (section, table, round_, board) in enumerate(setup["places"][: int(rate * seconds)]):
        await asyncio.sleep(max(0.0, started + number / rate - time.perf_counter()))
        phone = phones[f"{section}{table}"].send(
            (section, table, round_, board), generator.choice(OUTCOMES), sent
        )
        sending.append(asyncio.create_task(phone))
    failed = [error for error in await asyncio.gather(*sending, return_exceptions=True) if error]
    lasted = time.perf_counter() - started
    await asyncio.sleep(2)
    print_json(
        {
            "sent": sent,
            "failed": [repr(error) for error in failed[:3]],
            "lasted": lasted,
            "seen": [follower.seen for follower in followers[:viewers]],
            "messages": sum(follower.messages for follower in followers) - counts_before[0],
            "bytes": sum(follower.bytes for follower in followers) - counts_before[1],
            "work": time.process_time() - work_before,
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
        # The browser's clock counts from 1970; `perf_counter` has another origin.
        shift = time.perf_counter() - time.time()
        print_json("ready")
        await asyncio.to_thread(sys.stdin.readline)
        seen = [(version, at / 1000 + shift) for version, at in await page.evaluate("window.seen")]
        rows = "[...document.querySelectorAll('.ranking tbody')].map((body) => body.innerText)"
        rows_before = await page.evaluate(rows)
        await page.reload()
        print_json({"seen": seen, "is_right": rows_before == await page.evaluate(rows)})
        await browser.close()


# Measuring ----------------------------------------------------------------------------------------------------------


class ChildProcess:
    """A child process of this program that prints a line of JSON for each question."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, *arguments: object) -> "ChildProcess":
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
    seen: list[list[tuple[int, float]]], sent_times: dict[int, float], last: float | None = None
) -> list[float]:
    """Return the milliseconds from each sent time until each viewer had its version or a later one, sorted."""
    milliseconds = []
    for viewer in seen:
        index = 0
        for version, sent_at in sorted(sent_times.items()):
            while index < len(viewer) and viewer[index][0] < version:
                index += 1
            milliseconds.append((viewer[index][1] - sent_at) * 1000 if index < len(viewer) else float("inf"))
    return sorted(milliseconds)


def percentiles_text(milliseconds: list[float]) -> str:
    """Return the median, the 99th percentile and the worst as text."""
    if not milliseconds:
        return "none"
    median, high = milliseconds[len(milliseconds) // 2], milliseconds[int(len(milliseconds) * 0.99)]
    return f"p50 {median:.0f}, p99 {high:.0f}, worst {milliseconds[-1]:.0f} ms"


async def measure(options: argparse.Namespace) -> bool:
    """Run the benchmark and print the figures; return whether the bar is reached."""
    with tempfile.TemporaryDirectory() as folder:
        server = await ChildProcess.start("--part", "server", folder, options.tables, options.before)
        setup = await server.answer()
        (Path(folder) / "setup.json").write_text(json.dumps(setup))
        crowd = await ChildProcess.start(
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
            browser = await ChildProcess.start("--part", "chromium", setup["address"], setup["guid"])
            assert await browser.answer() == "ready"
        load = os.getloadavg()[0]
        work_before = await server.answer("work")
        answer = await crowd.answer("go")
        work, waited = (
            after - before_ for after, before_ in zip(await server.answer("work"), work_before, strict=True)
        )
        versions = await server.answer("versions")
        browser_answer = await browser.answer("stop") if browser else None
        for part in (browser, crowd, server):
            if part is not None:
                await part.end()
    sent = {versions[entry]: began for entry, (began, _) in answer["sent"].items()}
    confirmed = {versions[entry]: done for entry, (_, done) in answer["sent"].items()}
    latencies = waits(answer["seen"], sent)
    count = len(sent)
    print(
        f"{len(setup['codes'])} terminals, {options.viewers} viewers, {options.desks} desks, {options.before} results "
        f"before, then {count} in {answer['lasted']:.1f} s ({count / answer['lasted']:.1f}/s); "
        f"load of the machine {load:.1f}"
    )
    if answer["failed"]:
        print("failed:", *answer["failed"])
    print("on every screen, from sending:     ", percentiles_text(latencies))
    print("on every screen, from confirmation:", percentiles_text(waits(answer["seen"], confirmed)))
    print(
        "confirmed at the terminal:         ",
        percentiles_text(sorted(1000 * (b - a) for a, b in answer["sent"].values())),
    )
    if browser_answer:
        print(
            "in a real browser, from sending:   ",
            percentiles_text(waits([browser_answer["seen"]], sent)),
            end="; ",
        )
        print(
            "its rows equal those of a reloaded page" if browser_answer["is_right"] else "ITS ROWS ARE WRONG"
        )
    print(
        f"{answer['messages']} messages of {answer['bytes'] / max(1, answer['messages']) / 1000:.1f} kB; "
        f"the server worked {work:.2f} s: {1000 * work / max(1, count):.2f} ms a result, "
        f"{1e6 * work / max(1, answer['messages']):.0f} µs a message, {100 * work / (answer['lasted'] + 2):.0f} % of a "
        f"core; it waited {waited:.2f} s for one; viewers and phones worked {answer['work']:.2f} s"
    )
    return bool(latencies) and not answer["failed"] and latencies[int(len(latencies) * 0.99)] <= BAR


def raise_file_limit() -> None:
    """Raise the limit of open files as far as the system allows, for one connection per device."""
    try:
        import resource
    except ImportError:
        return
    _, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest, highest))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--tables", type=int, default=256, help="tables, each with a terminal")
    parser.add_argument("--rate", type=float, default=50, help="results a second")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--before", type=int, default=4000, help="results entered before the measurement")
    parser.add_argument("--desks", type=int, default=0, help="directors who follow all results")
    parser.add_argument("--plain", action="store_true", help="viewers who do not unzip")
    parser.add_argument("--chromium", action="store_true", help="add a real browser")
    options = parser.parse_args()
    match options.part:
        case ["server", folder, tables, before]:
            asyncio.run(serve_journal(Path(folder), int(tables), int(before)))
        case ["crowd", folder, viewers, desks, rate, seconds, plain]:
            raise_file_limit()
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
