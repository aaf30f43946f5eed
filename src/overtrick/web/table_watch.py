"""The tables of computer bridge in a browser: an index, a live page for each table, the operator's form.

Runs in the event loop of the tables. A table only reports that something changed; the live broadcaster renders the
pages that somebody watches, a few times a second at most. Has no dependency on the journal.
"""

import asyncio
import contextlib
import hmac
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from functools import partial
from typing import TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from overtrick.bridge import SEATS, Deal, Side
from overtrick.directing.previews import StalePreview
from overtrick.doubledummy import SolverBatch, SolverFailed, Tricks
from overtrick.doubledummy.solver import MAX_DEALS
from overtrick.errors import OvertrickError
from overtrick.store.subscription import Wakeups
from overtrick.tablemanager import spectator_view
from overtrick.tablemanager.matches import MatchResult, compare
from overtrick.tablemanager.rules import Board
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.sessions import TerminalOperator
from overtrick.tablemanager.watch_operator import EitherOperator, PendingQuestion
from overtrick.web.access_control import NotAllowed
from overtrick.web.app import RevalidatedStaticFiles, status_of
from overtrick.web.forms import read_line
from overtrick.web.live_broadcaster import LiveBroadcaster, ProjectionSource
from overtrick.web.request_guard import RequestGuard
from overtrick.web.session_projection import NotFound
from overtrick.web.site import environment, render
from overtrick.web.sse_messages import Regions, StreamMessage, page_message
from overtrick.web.sse_response import EventStream

Answer = TypeVar("Answer")

RENDER_INTERVAL = 0.2
"""Minimum seconds between two renderings of a table."""

MAX_FOLLOWERS = 200
"""The limit on open streams."""

LONGEST_MEANING = 1000
"""Characters of an explanation; longer ones are cut off."""

REGIONS = ("status", "question", "play", "auction", "clocks", "figures", "tricks", "results")

OVER = StreamMessage(b"event: over\ndata: {}\n\n")


class DoubleDummyResults:
    """Double-dummy results of the boards, solved in a separate process from the first visit on."""

    def __init__(self, boards: Iterable[Board], changed: Callable[[], None]) -> None:
        self._deals = [board.deal for board in boards][:MAX_DEALS]
        self._changed = changed
        self._batch: SolverBatch | None = None

    def begin(self) -> None:
        """Start to solve, unless already started."""
        if self._batch is None and self._deals:
            loop = asyncio.get_running_loop()

            def solved(done: int, total: int) -> None:
                with contextlib.suppress(RuntimeError):  # the loop may be closed
                    loop.call_soon_threadsafe(self._changed)

            self._batch = SolverBatch(self._deals, progress=solved, workers=1)

    @property
    def solved(self) -> Mapping[Deal, Tricks]:
        """Return the deals solved so far."""
        return self._batch.solved if self._batch is not None else {}

    @property
    def failure(self) -> str:
        """Return the reason why solving failed; empty if it did not."""
        if self._batch is not None and self._batch.is_over:
            try:
                self._batch.result()
            except SolverFailed as error:
                return str(error)
        return ""

    async def close(self) -> None:
        """Stop solving."""
        if self._batch is not None:
            await asyncio.to_thread(self._batch.__exit__)


class WatchPage(ABC):
    """A live page, whose parts are rendered again when it changes."""

    name: str
    incarnation = 0

    def __init__(self, key: str, wakeups: Wakeups) -> None:
        self.key = key
        self.version = 0
        """A number that rises whenever something may have changed."""
        self._wakeups = wakeups

    @property
    def streams(self) -> tuple[str, ...]:
        """Return the page's own stream."""
        return (self.key,)

    def touch(self) -> None:
        """Mark the page as changed."""
        self.version += 1
        self._wakeups.wake(self.streams)

    @abstractmethod
    def make(self, for_operator: bool) -> dict[str, str]:
        """Return the HTML of each part, by the id of its element."""


class _WatchPages(ProjectionSource[WatchPage]):
    """The source of all pages; renders in the event loop of the tables, so that no table changes meanwhile."""

    def __init__(self, watch: "TableWatch") -> None:
        super().__init__(watch, "watch")
        self._watch = watch

    def projection(self, guid: str) -> WatchPage:
        """Return the page with this key."""
        return next(page for page in (self._watch.index, *self._watch.pages) if page.key == guid)

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Run a function at once, in the event loop."""
        return work()


class WatchedTablePage(WatchPage):
    """The live page of one table."""

    def __init__(
        self,
        watch: "TableWatch",
        number: int,
        name: str,
        server: TableServer,
        match: Callable[[], MatchResult] | None = None,
    ) -> None:
        super().__init__(f"table {number}", watch.wakeups)
        self.number = number
        self.name = name
        self.server = server
        self._watch = watch
        self._match = match

    def make(self, for_operator: bool) -> dict[str, str]:
        """Render the parts of the table."""
        watch, table = self._watch, self.server.table
        match = self._match() if self._match is not None else None
        variables = {
            "page": self,
            "view": spectator_view.view_of_table(table, watch.figures.solved, hide=watch.hide),
            "status": self.status,
            "clocks": spectator_view.clocks(table, self.server.now),
            "results": spectator_view.results(self.server.records, match),
            "match": match,
            "failure": watch.figures.failure,
            "pending": self.pending_question,
            "token": watch.token if for_operator else "",
            "is_over": False,
        }
        return {name: render(f"watch/{name}.html", **variables) for name in REGIONS}

    @property
    def status(self) -> str:
        """Return the state of the table in one line."""
        ended = self.server.ended
        reason = ended.result() if ended.done() else None
        return spectator_view.status(self.server.table, self.server.records, reason)

    @property
    def teams(self) -> dict[Side, str]:
        """Return the team of each side."""
        return spectator_view.teams_of(self.server.table)

    @property
    def pending_question(self) -> PendingQuestion | None:
        """Return the open question to the operator, or None."""
        operator, question = self._watch.either, self.server.table.question
        return operator.find_pending(question) if operator is not None and question is not None else None

    def board(self, number: int) -> dict[str, object]:
        """Return the template variables of a played board; raise NotFound if it was not played here."""
        record = next((record for record in self.server.records if record.board.number == number), None)
        if record is None:
            raise NotFound("This board has not been played at this table.")
        figures = self._watch.figures
        return {
            "view": spectator_view.view_of_record(record, figures.solved.get(record.board.deal)),
            "result": spectator_view.results([record], None)[0],
            "failure": figures.failure,
            "is_over": True,
        }


class TableIndexPage(WatchPage):
    """The live index of all tables."""

    name = "Tables"

    def __init__(self, watch: "TableWatch") -> None:
        super().__init__("tables", watch.wakeups)
        self._watch = watch

    def make(self, for_operator: bool) -> dict[str, str]:
        """Render a line for each table."""
        return {"tables": render("watch/tables.html", pages=self._watch.pages)}


class TableWatch:
    """The site of the watched tables, with the operator's access."""

    def __init__(self, boards: Iterable[Board], *, hide: bool = False, asks: bool = False) -> None:
        self.hide = hide
        self.asks = asks
        """True if the operator may be asked for alerts."""
        self.token = secrets.token_urlsafe(24)
        self.pages: list[WatchedTablePage] = []
        self.wakeups = Wakeups()
        self.index = TableIndexPage(self)
        pages = _WatchPages(self)
        self.live = LiveBroadcaster(pages, pages, MAX_FOLLOWERS)
        self.either: EitherOperator | None = None
        self.figures = DoubleDummyResults(boards, self.touch)
        environment().globals.update(SEATS=SEATS, Side=Side, STRAINS=spectator_view.STRAINS)
        environment().filters["clock"] = clock_face

    # Tables
    def operator(self, terminal: TerminalOperator) -> EitherOperator:
        """Create and return the operator, who answers in the terminal or on a page."""
        self.either = EitherOperator(terminal, self.touch)
        return self.either

    def add(self, server: TableServer, name: str, match: Callable[[], MatchResult] | None = None) -> None:
        """Add a table to watch."""
        page = WatchedTablePage(self, len(self.pages) + 1, name, server, match)
        self.pages.append(page)
        server.watcher = lambda: self._touch(page)
        self.index.touch()

    def add_match(self, home: str, away: str, open_room: TableServer, closed_room: TableServer) -> None:
        """Add the two tables of a match."""

        def match() -> MatchResult:
            return compare(home, away, open_room.records, closed_room.records)

        for room, server in (("open room", open_room), ("closed room", closed_room)):
            self.add(server, f"{home} - {away}, {room}", match)
        # Both pages show the IMPs, which are known when the second room has played a board.
        rooms = self.pages[-2:]
        open_room.watcher = closed_room.watcher = lambda: self._touch(*rooms)

    def _touch(self, *pages: WatchPage) -> None:
        for page in (*pages, self.index):
            page.touch()

    def touch(self) -> None:
        """Mark all pages as changed."""
        for page in (self.index, *self.pages):
            page.touch()

    def woken(self, stream: str, wake: Callable[[], None]) -> contextlib.AbstractContextManager[None]:
        """Return a context manager during which `wake` is called whenever the page with this key may have changed."""
        return self.wakeups.on(stream, wake)

    async def close(self) -> None:
        """End all streams and stop solving."""
        await self.live.close()
        await self.figures.close()

    # Pages

    def app(self, names: frozenset[str] = frozenset()) -> Starlette:
        """Return the pages as an application; `names` are the host names of this computer."""
        return Starlette(
            routes=[
                Route("/", self._get_index),
                Route("/stream", self._get_stream),
                Route("/operator/{token}", self._get_operator),
                Route("/table/{table:int}", self._get_table),
                Route("/table/{table:int}/stream", self._get_stream),
                Route("/table/{table:int}/board/{board:int}", self._get_board),
                Route("/table/{table:int}/answer", self._post_answer, methods=["POST"]),
                Mount("/static", RevalidatedStaticFiles()),
            ],
            middleware=[Middleware(RequestGuard, names=names)],
            exception_handlers={OvertrickError: _refused, HTTPException: _not_found},
        )

    def _cookie(self, request: Request) -> str:
        # The port is in the name because all ports of a host share their cookies.
        return f"overtrick-operator-{request.url.port or 80}"

    def _is_operator(self, request: Request) -> bool:
        return self._is_token(request.cookies.get(self._cookie(request), ""))

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())

    def _page(self, request: Request) -> WatchedTablePage:
        number: int = request.path_params["table"]
        if not 1 <= number <= len(self.pages):
            raise NotFound("There is no such table.")
        return self.pages[number - 1]

    async def _get_index(self, request: Request) -> Response:
        self.figures.begin()
        return _render_page("index", self.index)

    async def _get_table(self, request: Request) -> Response:
        page = self._page(request)
        self.figures.begin()
        return _render_page("table", page, self._is_operator(request))

    async def _get_board(self, request: Request) -> Response:
        page = self._page(request)
        return _html("board", page=page, name=page.name, **page.board(request.path_params["board"]))

    async def _get_operator(self, request: Request) -> Response:
        if not self._is_token(request.path_params["token"]):
            raise NotAllowed("Wrong operator link. Use the link shown when the tables started.")
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie(request), self.token, httponly=True, samesite="strict")
        return answer

    async def _get_stream(self, request: Request) -> Response:
        page = self._page(request) if "table" in request.path_params else self.index
        return EventStream(partial(self._follow, page, self._is_operator(request)))

    async def _follow(
        self, page: WatchPage, for_operator: bool, mark: str
    ) -> AsyncGenerator[StreamMessage, None]:
        """Yield the changes of a page until the tables are over, then its final state."""

        def make(page: WatchPage) -> Regions:
            return page.make(for_operator)

        name = "operator" if for_operator else "everyone"
        async with aclosing(self.live.follow(page.key, name, make, mark, pause=RENDER_INTERVAL)) as messages:
            async for message in messages:
                yield message
        yield page_message(str(page.version), make(page))
        yield OVER

    async def _post_answer(self, request: Request) -> Response:
        async with request.form(max_files=0, max_fields=400) as fields:
            form = {name: value for name, value in fields.items() if isinstance(value, str)}
        # The token must be in the form, not only in the cookie, against cross-site requests (CSRF).
        if not self._is_token(form.get("token", "")):
            raise NotAllowed("Only the operator can answer. Open the link shown when the tables started.")
        page = self._page(request)
        pending = page.pending_question
        if pending is None or form.get("question") != str(pending.number) or pending.answer.done():
            raise StalePreview("This question is already answered.")
        assert self.either is not None
        alerts = {
            place: words
            for place in range(len(pending.question.auction.calls))
            if (words := read_line(form, f"meaning-{place}", LONGEST_MEANING))
            and pending.question.place in (None, place)
        }
        self.either.answer(pending, alerts)
        # Give the table's task time to process the answer, so that the page shows its effect.
        await asyncio.sleep(0.05)
        return RedirectResponse(f"/table/{page.number}", 303)


def _render_page(template: str, page: WatchPage, for_operator: bool = False) -> Response:
    mark, regions = page.version, page.make(for_operator)
    return _html(template, page=page, name=page.name, mark=mark, regions=regions)


def _html(template: str, status: int = 200, /, **variables: object) -> Response:
    return HTMLResponse(render(f"watch/{template}.html", said="", **variables), status)


async def _refused(request: Request, error: Exception) -> Response:
    return _html("sorry", status_of(error), name="Sorry", sentence=str(error))


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = "There is no such page." if error.status_code == 404 else str(error.detail)
    return _html("sorry", error.status_code, name="Sorry", sentence=sentence)


def clock_face(seconds: float) -> str:
    """Return seconds as minutes and seconds.

    >>> clock_face(75.9)
    '1:15'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
