"""A real server with the pages, in a thread of its own, and evenings to look at."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

from overtrick.bridge import Outcome
from overtrick.directing import due
from overtrick.event import Command, Rejection, Session
from overtrick.event.calls import CallDirector
from overtrick.event.results import EnterResult, JudgeResult, ResultEntry, Suspicion
from overtrick.host.lookup import open_data
from overtrick.host.runtime import runtime_writer
from overtrick.host.simulator import open_evening, plan_evening
from overtrick.host.web import PageServerSettings, open_pages, open_writer
from overtrick.host.writer import Submission
from overtrick.keys import KeyRing
from overtrick.store import Journal
from tests.waiting import wait_for

STARTS = datetime(2026, 1, 8, 19, 30, tzinfo=UTC)


@dataclass(slots=True)
class Running:
    """Pages that are being served, and the journal under them."""

    address: str
    data: Path | str
    """A folder, or the address of a database."""
    journal: Journal
    _loop: asyncio.AbstractEventLoop
    _submit: "Submitting"

    @property
    def folder(self) -> Path:
        """The folder that has the journal."""
        assert isinstance(self.data, Path)
        return self.data

    def do(
        self, command: Command, command_id: str = "", *, side: str = "control", actor: str = "test"
    ) -> None:
        """Have the one writer carry out a command that must succeed."""
        future = asyncio.run_coroutine_threadsafe(self._submit(command, command_id, side, actor), self._loop)
        answer = future.result(30)
        assert not isinstance(answer, Rejection), str(answer)

    def session(self, guid: str) -> Session:
        """A session as the journal has it."""
        with runtime_writer(self.journal).reading() as runtime:
            found = runtime.session(guid)
        assert found is not None
        return found

    def settle(self, guid: str) -> None:
        """Wait until everything that is due in a session is done, so that nothing is written beside a test."""
        writer = runtime_writer(self.journal)

        def is_settled() -> bool:
            with writer.reading() as runtime:
                session = runtime.session(guid)
                assert session is not None
                return not due(session, runtime.events[session.opened.event])

        wait_for(is_settled)

    @property
    def keys(self) -> KeyRing:
        """The keys as the file has them."""
        return KeyRing(self.journal.documents)


class Submitting:
    """Gives every command an id of its own."""

    def __init__(self, writing: object) -> None:
        self._writing = writing
        self._count = 0

    async def __call__(self, command: Command, command_id: str, side: str, actor: str) -> object:
        self._count += 1
        submission = Submission(command, command_id or f"test-{self._count}-{id(self)}", side, actor)
        return await self._writing.submit(submission)  # type: ignore[attr-defined]


@contextmanager
def running(
    folder: Path | str | PageServerSettings, address: str = "127.0.0.1", *, evaluates: bool = False
) -> Iterator[Running]:
    """Serve the pages of a journal in a folder or a database."""
    served, stop = start(folder, address, evaluates=evaluates)
    try:
        yield served
    finally:
        stop()()


def start(
    place: Path | str | PageServerSettings, address: str = "127.0.0.1", *, evaluates: bool = False
) -> tuple[Running, Callable[[], Callable[[], None]]]:
    """Serve the pages of a journal in a folder; what tells them to stop, which gives what waits until they have."""
    serving = place if isinstance(place, PageServerSettings) else PageServerSettings(place, 0, address)
    folder = serving.folder
    started = threading.Event()
    found: list[Running] = []
    problem: list[BaseException] = []
    stopping: list[asyncio.Event] = []

    async def run() -> None:
        async with AsyncExitStack() as stack:
            journal = stack.enter_context(open_data(folder))
            writing = await stack.enter_async_context(open_writer(journal, evaluates=evaluates))
            pages = open_pages(journal, writing, serving)
            at = await stack.enter_async_context(pages)
            stopping.append(asyncio.Event())
            found.append(Running(at, folder, journal, asyncio.get_running_loop(), Submitting(writing)))
            started.set()
            await stopping[0].wait()

    def work() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:
            problem.append(error)
        finally:
            started.set()

    thread = threading.Thread(target=work, name="pages")
    thread.start()
    assert started.wait(30)
    if not found:
        thread.join(30)
        raise problem[0]

    def stop() -> Callable[[], None]:
        found[0]._loop.call_soon_threadsafe(stopping[0].set)
        return wait

    def wait() -> None:
        thread.join(30)
        assert not thread.is_alive()
        assert not problem, problem

    return found[0], stop


OUTCOMES = ("4SN=", "3NTS+1", "2HE-1", "Pass", "4HxW-2", "1NTN=", "6DS-1", "3CE+2")


def evening(
    pages: Running, tables: int = 4, rounds: int = 2, seed: int = 1, *, has_deals: bool = True
) -> str:
    """Open a small evening and play some rounds of it; its guid."""
    planned = plan_evening(tables, seed, STARTS, 24)
    pages.do(open_evening(planned if has_deals else replace(planned, deals={})))
    play(pages, planned.session, rounds)
    pages.settle(planned.session)
    return planned.session


def play(pages: Running, guid: str, rounds: int) -> None:
    """Score these rounds at every table; the first table of the round after them calls the director."""
    session = pages.session(guid)
    minute = 0
    for (section, table), at in sorted(session.movement.tables.items()):
        for number, played in enumerate(at.rounds[:rounds], start=1):
            if not (played.ns and played.ew):
                continue
            for board in played.boards:
                minute += 1
                outcome = OUTCOMES[(table * 3 + board) % len(OUTCOMES)]
                entry = ResultEntry(
                    section, table, number, board, _outcome(outcome), STARTS + timedelta(minutes=minute)
                )
                pages.do(EnterResult(guid, entry))


def disturb(pages: Running, guid: str) -> None:
    """A suspicious result, and a table that calls the director."""
    place = next(iter(pages.session(guid).results.standing))
    pages.do(JudgeResult(guid, *place, Suspicion.SUSPICIOUS))
    pages.do(CallDirector(guid, "call-1", place[0], place[1], STARTS + timedelta(hours=1), 3, 9))


def _outcome(text: str) -> Outcome:

    return Outcome.parse(text)


def collapse(html: str) -> str:
    """Return HTML with every run of white space as one space, which is how a browser shows it."""
    return " ".join(html.split())


def token_of(page: str) -> str:
    """The token that the forms of a page carry."""
    return page.split('name="token" value="')[1].split('"')[0]


class _FormReader(HTMLParser):
    """Reads what a browser without JavaScript would send for the form with a given action."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action
        self.fields: dict[str, str] = {}
        self._is_inside = False
        self._select = ""
        self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._is_inside = given.get("action") == self.action
        if not self._is_inside:
            return
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "input" and name:
            if given.get("type") not in ("radio", "checkbox") or "checked" in given:
                self.fields[name] = value
        elif tag == "select":
            self._select = name
        elif tag == "option" and (self._select not in self.fields or "selected" in given):
            self.fields[self._select] = value
        elif tag == "textarea":
            self._area, self.fields[name] = name, ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.fields[self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_inside = False
        elif tag == "textarea":
            self._area = ""


def form_of(page: str, action: str) -> dict[str, str]:
    """Return the fields of a form as its page shows them."""
    reader = _FormReader(action)
    reader.feed(page)
    return reader.fields
