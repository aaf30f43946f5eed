"""Updates of the viewers of a large team event, against rendering its page for each result.

    python -m bench.teams [VIEWERS]   print the share of a core over HTTP, for each kind of page

Two events of 200 teams with rosters have played seven rounds of sixteen boards; in one of them a session plays the
eighth round. Both sides are measured in processor time. Overtrick writes a result, computes what changes, and updates
100 viewers of the event's page and 100 viewers of single matches; 100 viewers of the other event get no message. The
peer renders the event's page from computed figures and sends it to nobody.
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
"""The number of viewers of each kind of page."""
RESULTS = 5
"""The number of results in one timed run."""
RATE, SECONDS = 10, 10
PLAYED_EVENT, OTHER_EVENT, SESSION = "A" * 32, "B" * 32, "C" * 32


def event_facts(key: int) -> Iterator[Fact]:
    """Yield the facts of an event whose last round is drawn and whose earlier rounds are over; teams follow `key`."""
    generator = random.Random(key)
    teams = list(range(key + 1, key + TEAMS + 1))
    yield DivisionSet(Division(1, "Open", TeamFormat.SWISS, Method.VPS_CONTINUOUS, BOARDS))
    for number, team in enumerate(teams, start=1):
        yield TeamSet(Team(team, 1, number, f"The team of place {number}", 0, "SWE", "SWE"))
        people = [10 * team + seat for seat in range(PLAYERS)]
        for member in people:
            yield CompetitorSet(Competitor(member, f"First{member}", f"Last{member}", f"M{member}"))
        yield RosterSet(team, tuple(Member(member, "", order) for order, member in enumerate(people)))
    for round_ in range(1, ROUNDS + 1):
        generator.shuffle(teams)
        pairings = [
            Pairing(table, *teams_of_match)
            for table, teams_of_match in enumerate(zip(*[iter(teams)] * 2, strict=True), start=1)
        ]
        yield RoundDrawn(1, round_, 1, tuple(pairings))
        for match in pairings if round_ < ROUNDS else ():
            for room in Room:
                for board in range(1, BOARDS + 1):
                    outcome = Outcome.parse(generator.choice(OUTCOMES))
                    yield TeamBoardRecorded(
                        Segment(1, round_, 1, match.home), TeamBoardResult(room, board, outcome)
                    )


def set_up_events(runtime: Runtime) -> tuple[list[int], Iterator[EnterResult]]:
    """Set up both events, and a session for the last round of one with all results of the open room.

    Return the home team of each of its matches, and the results of the closed room, each of which changes a match.
    """
    for guid, key in ((PLAYED_EVENT, 10_000), (OTHER_EVENT, 20_000)):
        _do(runtime, PutTeamFacts(guid, tuple(event_facts(key)), SetTeamEvent(guid, f"Event {key}", key)))
    with runtime.writer.reading() as state:
        event = state.team_events[PLAYED_EVENT]
        boards = range(1, BOARDS + 1)
        tables_plan = plan_team_tables(
            state, event, event.divisions[1], ROUNDS, 1, boards, session=SESSION, day=date(2026, 2, 3)
        )
    _do(runtime, tables_plan.command)
    now = datetime.now(UTC)
    made, down = Outcome.parse("3NTN="), Outcome.parse("3NTN-1")
    tables = {
        room: [(section, table) for _, place, section, table in tables_plan.tables if place is room]
        for room in Room
    }
    entries = [ResultEntry(*place, 1, board, made, now) for board in boards for place in tables[Room.OPEN]]
    _do(runtime, PutResults(SESSION, tuple(entries), Origin.DESK))
    results = (
        EnterResult(SESSION, ResultEntry(*place, 1, board, down, now))
        for board in boards
        for place in tables[Room.CLOSED]
    )
    return [match.home for match, room, _, _ in tables_plan.tables if room is Room.OPEN], results


def _do(runtime: Runtime, command: Command) -> None:
    answer = runtime.do(command)
    assert not isinstance(answer, Rejection), answer


@contextmanager
def live_viewers() -> Iterator[Pair]:
    """Compare the work for 300 viewers with rendering the page of the event."""
    prepare()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_runtime(Path(folder) / "teams.journal") as runtime,
    ):
        homes, results = set_up_events(runtime)
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            pages = LiveTeamEvents(runtime.journal)
            render_page = runner.run(pages.read(PLAYED_EVENT, page_renderer))
            updates = asyncio.Semaphore(0)

            async def view(guid: str, name: str, page: Rendering) -> None:
                async for message in pages.follow(guid, name, page):
                    if name == "event" and guid == PLAYED_EVENT and message.plain.startswith(b"id:"):
                        updates.release()

            async def ours(count: int) -> None:
                for result in islice(results, count):
                    _do(runtime, result)
                    for _ in range(VIEWERS):
                        await updates.acquire()
                    await asyncio.sleep(PAUSE)

            def peer() -> None:
                for _ in range(RESULTS):
                    render_page()

            async def start_viewers() -> list[asyncio.Task[None]]:
                views: list[tuple[str, str, Rendering]] = [
                    *(
                        (guid, "event", event_regions)
                        for guid in (PLAYED_EVENT, OTHER_EVENT)
                        for _ in range(VIEWERS)
                    ),
                    *((PLAYED_EVENT, str(home), partial(match_regions, 1, ROUNDS, home)) for home in homes),
                ]
                viewers = [loop.create_task(view(*view_arguments)) for view_arguments in views]
                for _ in range(VIEWERS):
                    await updates.acquire()
                await asyncio.sleep(1)
                return viewers

            viewers = runner.run(start_viewers())
            runner.run(ours(3))
            with rare_collection():
                yield Pair(lambda: runner.run(ours(RESULTS)), peer, RESULTS)
            runner.run(pages.close())
            runner.run(asyncio.wait(viewers))


def page_renderer(projection: TeamEventProjection) -> Callable[[], str]:
    """Return a function that renders the page of the event from computed figures."""
    division = projection.division(1)
    rounds = view_models.match_lines(projection, division)
    divisions = [
        (division, view_models.ranking_rows(projection, division), ROUNDS, len(rounds), rounds[ROUNDS])
    ]
    return partial(render, "part/teams_event.html", event=projection.event, divisions=divisions)


register(
    Benchmark(
        "follow a team event of 200",
        "results",
        "rendering its page",
        # The whole update may take as long as rendering the page twice. A result changes one match and one ranking, so
        # rendering every match, or computing earlier rounds or another event again, would take far longer.
        0.5,
        live_viewers,
        clock=time.process_time,
    )
)


# Over HTTP ----------------------------------------------------------------------------------------------------------


def run_viewers(parent: Connection) -> None:
    """Run viewers in this process: receive the address, report when all are connected, and then what they received."""
    address, paths, seconds = parent.recv()
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
        counts_before = sum(viewer.messages for viewer in viewers), sum(viewer.bytes for viewer in viewers)
        parent.send("ready")
        await asyncio.sleep(seconds)
        parent.send(
            (
                sum(viewer.messages for viewer in viewers) - counts_before[0],
                sum(viewer.bytes for viewer in viewers) - counts_before[1],
            )
        )

    asyncio.run(watch())


async def serve(page_kind: str, viewers: int) -> None:
    """Let viewers follow one kind of page, and print the share of a core that they take while results come."""
    with tempfile.TemporaryDirectory() as folder:
        with open_runtime(Path(folder) / "teams.journal") as runtime:
            homes, results = set_up_events(runtime)
        paths = {
            "nothing": [],
            "the event": [f"/teams/{PLAYED_EVENT}/stream"],
            "the division": [f"/teams/{PLAYED_EVENT}/1/stream"],
            "a match each": [f"/teams/{PLAYED_EVENT}/1/{ROUNDS}/{home}/stream" for home in homes],
            "a team each": [f"/teams/{PLAYED_EVENT}/team/{home}/stream" for home in homes],
            "another event": [f"/teams/{OTHER_EVENT}/stream"],
        }[page_kind]
        context = multiprocessing.get_context("spawn")
        parent_end, child_end = context.Pipe()
        async with AsyncExitStack() as stack:
            journal = stack.enter_context(open_runtime(Path(folder) / "teams.journal")).journal
            writer = await stack.enter_async_context(open_writer(journal, evaluates=False))
            address = await stack.enter_async_context(
                open_pages(journal, writer, PageServerSettings(Path(folder), 0))
            )
            process = context.Process(target=run_viewers, args=(child_end,), daemon=True)
            process.start()
            parent_end.send(
                (address, [paths[number % len(paths)] for number in range(viewers) if paths], SECONDS)
            )
            assert await asyncio.to_thread(parent_end.recv) == "ready"
            started, work_before = time.perf_counter(), time.process_time()
            for number, result in enumerate(islice(results, RATE * SECONDS), start=1):
                answer = await writer.submit(Submission(result, f"result {number}", "control", "bench"))
                assert not isinstance(answer, Rejection), answer
                await asyncio.sleep(max(0.0, started + number / RATE - time.perf_counter()))
            share = (time.process_time() - work_before) / (time.perf_counter() - started)
            messages, length = await asyncio.to_thread(parent_end.recv)
            process.join()
    print(
        f"{viewers} viewers of {page_kind}: {100 * share:.0f} % of a core, {messages / SECONDS:.0f} messages a second "
        f"of {length / max(1, messages) / 1000:.1f} kB"
    )


def main() -> None:
    viewers = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"Two events of {TEAMS} teams, {RATE} results a second in one of them:")
    for page_kind in ("nothing", "the event", "the division", "a match each", "a team each", "another event"):
        asyncio.run(serve(page_kind, viewers))


if __name__ == "__main__":
    main()
