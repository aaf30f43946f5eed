"""How long a result takes from its table to every viewer's screen, while results keep coming.

500 viewers follow the live board and 256 phones their tables, each over a connection of its own; a result counts as
seen when the version that it made has come to a viewer.
"""

import argparse
import asyncio
import json
import tempfile
import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from overtrick import movements
from overtrick.bridge import Outcome
from overtrick.event import OpenEvent, SessionPlan
from overtrick.event.movement import SectionPlan, table_plans
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.setup import GroupPlan
from overtrick.host.serve import JOURNAL
from overtrick.host.web import WebServing, open_pages, open_writer
from overtrick.host.writer import Submission
from overtrick.scoring import Method
from overtrick.store import Appended, open_journal
from overtrick.store.codec import event_codec

SECTIONS = "ABCDEFGH"


def plan(guid: str, tables: int) -> OpenEvent:
    """An event of several sections, each a Mitchell."""
    each = max(3, tables // len(SECTIONS))
    sections = tuple(
        (SectionPlan(letter, 1, 2), table_plans(movements.mitchell(each, 2), letter)) for letter in SECTIONS
    )
    session = SessionPlan(
        guid, "Bench", datetime.now(UTC).date(), (GroupPlan(1, Method.MATCHPOINTS),), sections
    )
    return OpenEvent(guid, (session,))


async def view(address: str, path: str, seen: list[tuple[int, float]], ready: asyncio.Semaphore) -> None:
    """Follow a stream, and note when each version came."""
    host, _, port = address.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=2**22)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    is_ready = False
    try:
        while line := await reader.readline():
            if line.startswith(b"retry") and not is_ready:
                is_ready = True
                ready.release()
            if line.startswith(b"id: "):
                seen.append((int(line[4:]), time.perf_counter()))
    finally:
        writer.close()


async def measure(viewers: int, phones: int, rate: float, seconds: float, tables: int) -> dict[str, float]:
    """Latencies in milliseconds."""
    guid = uuid4().hex.upper()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        journal = stack.enter_context(open_journal(folder / JOURNAL, event_codec()))
        writing = await stack.enter_async_context(open_writer(journal))
        address = await stack.enter_async_context(open_pages(journal, writing, WebServing(folder, 0)))
        command = plan(guid, tables)
        await writing.submit(Submission(command, "open", "control", "bench"))
        from overtrick.keys import KeyRing

        keys = KeyRing(folder)
        places = [
            (section.section, table.table, number, board)
            for section, planned in command.sessions[0].sections
            for table in planned
            for number, played in enumerate(table.rounds, start=1)
            for board in played.boards
        ]
        names = sorted({place[:2] for place in places})
        program = Path(__file__).resolve()
        paths = [f"/live/{guid}/stream"] * viewers + [
            f"/t/{guid}/{section}{table}/stream?code={keys.table_code(guid, section, table)}"
            for section, table in (names * 9)[:phones]
        ]
        # The viewers are a process of their own, as they are other machines in a hall.
        (folder / "paths.json").write_text(json.dumps(paths))
        watcher = await asyncio.create_subprocess_exec(
            *("python", str(program), "--watch", address, str(folder / "paths.json"), str(viewers)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert watcher.stdout is not None
        assert watcher.stdin is not None
        assert await watcher.stdout.readline() == b"ready\n"
        acknowledged: dict[int, float] = {}
        began = time.perf_counter()
        tasks = []

        async def enter(place: tuple[str, int, int, int]) -> None:
            entry = ResultEntry(*place, Outcome.parse("3NTN="), datetime.now(UTC))
            answer = await writing.submit(
                Submission(EnterResult(guid, entry), uuid4().hex, "control", "bench")
            )
            assert isinstance(answer, Appended)
            acknowledged[answer.spans[0].last] = time.perf_counter()

        for number in range(min(int(rate * seconds), len(places))):
            await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
            tasks.append(asyncio.create_task(enter(places[number * 7919 % len(places)])))
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(2)
        watcher.stdin.write(b"stop\n")
        found: list[list[tuple[int, float]]] = json.loads(await watcher.stdout.read())
        await watcher.wait()
        waits = [
            (next((moment for number, moment in seen if number >= version), float("inf")) - at) * 1000
            for seen in found
            for version, at in acknowledged.items()
        ]
        waits.sort()
        return {
            "results": len(acknowledged),
            "looks": len(waits),
            "p50": waits[len(waits) // 2],
            "p99": waits[int(len(waits) * 0.99)],
            "worst": waits[-1],
        }


async def watch(address: str, paths: list[str], viewers: int) -> None:
    """The viewers' side."""
    import sys

    seen: list[list[tuple[int, float]]] = [[] for _ in paths]
    ready = asyncio.Semaphore(0)
    tasks = []
    for number, path in enumerate(paths):
        tasks.append(asyncio.create_task(view(address, path, seen[number], ready)))
        if number % 25 == 0:
            await asyncio.sleep(0.02)
    for _ in paths:
        await ready.acquire()
    await asyncio.sleep(1)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    print(json.dumps(seen[:viewers]), flush=True)
    for task in tasks:
        task.cancel()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watch", nargs=3)
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--phones", type=int, default=256)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--tables", type=int, default=256)
    given = parser.parse_args()
    if given.watch:
        address, paths, viewers = given.watch
        asyncio.run(watch(address, json.loads(Path(paths).read_text()), int(viewers)))
        return
    figures = asyncio.run(measure(given.viewers, given.phones, given.rate, given.seconds, given.tables))
    print(" ".join(f"{name} {value:.0f}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
