"""Keeping viewers up to date with a large team event, against drawing its page for each result.

    python -m bench.teams [VIEWERS]   what it takes of a core over HTTP, by what the viewers look at

Two events of 200 teams with their rosters have played seven rounds of sixteen boards, and the eighth is at the tables
of a session in one of them. What is compared is work, in seconds of the processor. Ours writes a result, works out what
follows from it, and brings 100 viewers of the event's page and 100 viewers of a match each up to date, beside 100 of
the other event who are to hear nothing. The plain way draws the event's page from known figures, and for nobody.
"""

import asyncio
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, date, datetime
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

from bench.measure import Benchmark, Pair, register
from bench.web import OUTCOMES, Viewer, own_address
from overtrick.bridge import Outcome
from overtrick.directing.team_tables import plan_team_tables
from overtrick.event import Command, Fact, Rejection
from overtrick.event.results import EnterResult, Origin, PutResults, ResultEntry
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import (
    Competitor,
    CompetitorSet,
    Division,
    DivisionSet,
    Member,
    Pairing,
    Room,
    RosterSet,
    RoundDrawn,
    Segment,
    Team,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamFormat,
    TeamSet,
)
from overtrick.host.gc_tuning import rare_collection
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.host.web import PageServerSettings, open_pages, open_writer
from overtrick.host.writer import Submission
from overtrick.scoring import Method
from overtrick.web import team_view_models as view_models
from overtrick.web.live_page import PAUSE
from overtrick.web.site import render
from overtrick.web.team_pages import event_regions, match_regions, prepare
from overtrick.web.team_projection import LiveTeamEvents, Rendering, TeamEventProjection

TEAMS, ROUNDS, BOARDS, PLAYERS = 200, 8, 16, 6
VIEWERS = 100
"""Viewers of the same page, or of a match each."""
RESULTS = 5
"""Results in one timing."""
RATE, SECONDS = 10, 10
HERE, THERE, SESSION = "A" * 32, "B" * 32, "C" * 32


def played(key: int) -> Iterator[Fact]:
    """An event whose last round is drawn and whose rounds before it are over; its teams from key on."""
    chance = random.Random(key)
    teams = list(range(key + 1, key + TEAMS + 1))
    yield DivisionSet(Division(1, "Open", TeamFormat.SWISS, Method.VPS_CONTINUOUS, BOARDS))
    for number, team in enumerate(teams, start=1):
        yield TeamSet(Team(team, 1, number, f"The team of place {number}", 0, "SWE", "SWE"))
        people = [10 * team + seat for seat in range(PLAYERS)]
        for who in people:
            yield CompetitorSet(Competitor(who, f"First{who}", f"Last{who}", f"M{who}"))
        yield RosterSet(team, tuple(Member(who, "", order) for order, who in enumerate(people)))
    for round_ in range(1, ROUNDS + 1):
        chance.shuffle(teams)
        pairings = [
            Pairing(table, *two) for table, two in enumerate(zip(*[iter(teams)] * 2, strict=True), start=1)
        ]
        yield RoundDrawn(1, round_, 1, tuple(pairings))
        for match in pairings if round_ < ROUNDS else ():
            for room in Room:
                for board in range(1, BOARDS + 1):
                    outcome = Outcome.parse(chance.choice(OUTCOMES))
                    yield TeamBoardRecorded(
                        Segment(1, round_, 1, match.home), TeamBoardResult(room, board, outcome)
                    )


def lay_out(runtime: Runtime) -> tuple[list[int], Iterator[EnterResult]]:
    """Both events, and the last round of one at its tables with all results of the open room; who is at home there, and
    results of the closed room, each of which changes a match."""
    for guid, key in ((HERE, 10_000), (THERE, 20_000)):
        _do(runtime, PutTeamFacts(guid, tuple(played(key)), SetTeamEvent(guid, f"Event {key}", key)))
    with runtime.writer.reading() as state:
        event = state.team_events[HERE]
        boards = range(1, BOARDS + 1)
        laid = plan_team_tables(
            state, event, event.divisions[1], ROUNDS, 1, boards, session=SESSION, day=date(2026, 2, 3)
        )
    _do(runtime, laid.command)
    now = datetime.now(UTC)
    made, down = Outcome.parse("3NTN="), Outcome.parse("3NTN-1")
    tables = {
        room: [(section, table) for _, at, section, table in laid.tables if at is room] for room in Room
    }
    entries = [ResultEntry(*at, 1, board, made, now) for board in boards for at in tables[Room.OPEN]]
    _do(runtime, PutResults(SESSION, tuple(entries), Origin.DESK))
    results = (
        EnterResult(SESSION, ResultEntry(*at, 1, board, down, now))
        for board in boards
        for at in tables[Room.CLOSED]
    )
    return [match.home for match, room, _, _ in laid.tables if room is Room.OPEN], results


def _do(runtime: Runtime, command: Command) -> None:
    answer = runtime.do(command)
    assert not isinstance(answer, Rejection), answer


@contextmanager
def followed() -> Iterator[Pair]:
    """Compare the work for 300 viewers with that for none."""
    prepare()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_runtime(Path(folder) / "teams.journal") as runtime,
    ):
        homes, results = lay_out(runtime)
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            pages = LiveTeamEvents(runtime.journal)
            draw = runner.run(pages.look(HERE, drawing))
            heard = asyncio.Semaphore(0)

            async def view(guid: str, name: str, page: Rendering) -> None:
                async for piece in pages.follow(guid, name, page):
                    if name == "event" and guid == HERE and piece.plain.startswith(b"id:"):
                        heard.release()

            async def ours(count: int) -> None:
                for result in islice(results, count):
                    _do(runtime, result)
                    for _ in range(VIEWERS):
                        await heard.acquire()
                    await asyncio.sleep(PAUSE)

            def peer() -> None:
                for _ in range(RESULTS):
                    draw()

            async def seat() -> list[asyncio.Task[None]]:
                looks: list[tuple[str, str, Rendering]] = [
                    *((guid, "event", event_regions) for guid in (HERE, THERE) for _ in range(VIEWERS)),
                    *((HERE, str(home), partial(match_regions, 1, ROUNDS, home)) for home in homes),
                ]
                seats = [loop.create_task(view(*look)) for look in looks]
                for _ in range(VIEWERS):
                    await heard.acquire()
                await asyncio.sleep(1)
                return seats

            seats = runner.run(seat())
            runner.run(ours(3))
            with rare_collection():
                yield Pair(lambda: runner.run(ours(RESULTS)), peer, RESULTS)
            runner.run(pages.close())
            runner.run(asyncio.wait(seats))


def drawing(projection: TeamEventProjection) -> Callable[[], str]:
    """Return a function that draws the page of the event from known figures."""
    division = projection.division(1)
    rounds = view_models.match_lines(projection, division)
    series = [(division, view_models.ranking_rows(projection, division), ROUNDS, len(rounds), rounds[ROUNDS])]
    return partial(render, "part/teams_event.html", event=projection.event, series=series)


register(
    Benchmark(
        "follow a team event of 200",
        "results",
        "drawing its page",
        # All of it together may take what two drawings take. A result changes one match and one ranking: whoever draws
        # every match, or works out the rounds before or another event again, is far beyond that.
        0.5,
        followed,
        clock=time.process_time,
    )
)


# Over HTTP ----------------------------------------------------------------------------------------------------------


def crowd(line: Connection) -> None:
    """Run viewers in this process: read the address, report when they follow, and then what has come."""
    address, paths, seconds = line.recv()
    host, _, port = address.removeprefix("http://").partition(":")

    async def watch() -> None:
        ready = asyncio.Semaphore(0)
        viewers = []
        for number, path in enumerate(paths):
            _, viewer = await asyncio.get_running_loop().create_connection(
                partial(Viewer, path, f"{host}:{port}", False, ready),
                host,
                int(port),
                local_addr=(own_address(number), 0),
            )
            viewers.append(viewer)
        for _ in paths:
            await ready.acquire()
        await asyncio.sleep(2)
        before = sum(viewer.messages for viewer in viewers), sum(viewer.bytes for viewer in viewers)
        line.send("ready")
        await asyncio.sleep(seconds)
        line.send(
            (
                sum(viewer.messages for viewer in viewers) - before[0],
                sum(viewer.bytes for viewer in viewers) - before[1],
            )
        )

    asyncio.run(watch())


async def serve(what: str, viewers: int) -> None:
    """Let viewers look at one kind of page, and say what their looking takes while results come."""
    with tempfile.TemporaryDirectory() as folder:
        with open_runtime(Path(folder) / "teams.journal") as runtime:
            homes, results = lay_out(runtime)
        paths = {
            "nothing": [],
            "the event": [f"/teams/{HERE}/stream"],
            "the serie": [f"/teams/{HERE}/1/stream"],
            "a match each": [f"/teams/{HERE}/1/{ROUNDS}/{home}/stream" for home in homes],
            "a team each": [f"/teams/{HERE}/team/{home}/stream" for home in homes],
            "another event": [f"/teams/{THERE}/stream"],
        }[what]
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        async with AsyncExitStack() as stack:
            journal = stack.enter_context(open_runtime(Path(folder) / "teams.journal")).journal
            writing = await stack.enter_async_context(open_writer(journal, evaluates=False))
            address = await stack.enter_async_context(
                open_pages(journal, writing, PageServerSettings(Path(folder), 0))
            )
            looking = context.Process(target=crowd, args=(theirs,), daemon=True)
            looking.start()
            ours.send((address, [paths[number % len(paths)] for number in range(viewers) if paths], SECONDS))
            assert await asyncio.to_thread(ours.recv) == "ready"
            began, work = time.perf_counter(), time.process_time()
            for number, result in enumerate(islice(results, RATE * SECONDS), start=1):
                answer = await writing.submit(Submission(result, f"result {number}", "control", "bench"))
                assert not isinstance(answer, Rejection), answer
                await asyncio.sleep(max(0.0, began + number / RATE - time.perf_counter()))
            share = (time.process_time() - work) / (time.perf_counter() - began)
            messages, length = await asyncio.to_thread(ours.recv)
            looking.join()
    print(
        f"{viewers} look at {what}: {100 * share:.0f} % of a core, {messages / SECONDS:.0f} messages a second "
        f"of {length / max(1, messages) / 1000:.1f} kB"
    )


def main() -> None:
    viewers = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"Two events of {TEAMS} teams, {RATE} results a second in one of them:")
    for what in ("nothing", "the event", "the serie", "a match each", "a team each", "another event"):
        asyncio.run(serve(what, viewers))


if __name__ == "__main__":
    main()
