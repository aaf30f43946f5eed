"""The tables of computer bridge in a browser: an index, a page that follows each table, the operator's form.

Served in the event loop of the tables. A table only says that something changed; the live broadcaster makes the pages
of those who look, a few times a second at most. Knows no journal.
"""

import asyncio
import contextlib
import hmac
import secrets
import socket
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qs

from overtrick import tablemanager
from overtrick.bridge import SEATS, Deal, Side
from overtrick.doubledummy import Batch, SolverFailed, Tricks
from overtrick.doubledummy.solver import MAX_DEALS
from overtrick.store.following import Wakeups
from overtrick.tablemanager import watch_sight
from overtrick.tablemanager.matches import MatchResult, compare
from overtrick.tablemanager.rules import Board, TableError
from overtrick.tablemanager.server import TableServer, why_not
from overtrick.tablemanager.sessions import Say, TerminalOperator
from overtrick.tablemanager.watch_operator import Asked, EitherOperator, meaning
from overtrick.web.following import Fold, Following, TooMany
from overtrick.web.pieces import Piece, Regions, whole
from overtrick.web.stream import EventStream

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

Answer = TypeVar("Answer")

STEP = 0.2
"""Seconds between two looks at a table, for each who watches."""

MAX_FOLLOWERS = 200
"""Streams at a time."""

LONGEST_FORM = 1 << 16
"""Bytes of an operator's answer."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
REGIONS = ("status", "question", "play", "auction", "clocks", "figures", "tricks", "results")

HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]

OVER = Piece(b"event: over\ndata: {}\n\n")

_HOME = Path(tablemanager.__file__).parent


class Figures:
    """Double dummy figures, solved in a process of their own from the moment that somebody watches."""

    def __init__(self, boards: Iterable[Board], changed: Callable[[], None]) -> None:
        self._deals = [board.deal for board in boards][:MAX_DEALS]
        self._changed = changed
        self._batch: Batch | None = None

    def begin(self) -> None:
        """Start to solve, if that has not happened yet."""
        if self._batch is None and self._deals:
            loop = asyncio.get_running_loop()

            def solved(done: int, total: int) -> None:
                with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
                    loop.call_soon_threadsafe(self._changed)

            self._batch = Batch(self._deals, progress=solved, workers=1)

    @property
    def solved(self) -> Mapping[Deal, Tricks]:
        """What there is so far."""
        return self._batch.solved if self._batch is not None else {}

    @property
    def failure(self) -> str:
        """Why there will not be more."""
        if self._batch is not None and self._batch.is_over:
            try:
                self._batch.result()
            except SolverFailed as fault:
                return str(fault)
        return ""

    async def close(self) -> None:
        """Stop solving."""
        if self._batch is not None:
            await asyncio.to_thread(self._batch.__exit__)


class Page(ABC):
    """Something that is followed: its regions are made anew when it has changed."""

    name: str
    incarnation = 0

    def __init__(self, key: str, wakeups: Wakeups) -> None:
        self.key = key
        self.version = 0
        """Return a number that rises whenever something may have changed."""
        self._wakeups = wakeups

    @property
    def streams(self) -> tuple[str, ...]:
        """Its own alone."""
        return (self.key,)

    def touch(self) -> None:
        """Something may have changed."""
        self.version += 1
        self._wakeups.wake(self.streams)

    @abstractmethod
    def make(self, for_operator: bool) -> dict[str, str]:
        """Make the parts, by the id of the element that they belong in."""


class _Pages(Fold[Page]):
    """Every page, made in the event loop of the tables: nothing moves there while one is made."""

    def __init__(self, watch: "Watch") -> None:
        super().__init__(watch, "watch")
        self._watch = watch

    def sight(self, guid: str) -> Page:
        """Return the page with this key."""
        return next(page for page in (self._watch.index, *self._watch.pages) if page.key == guid)

    async def apart(self, work: Callable[[], Answer]) -> Answer:
        """Have something done here and now."""
        return work()


class TablePage(Page):
    """One table."""

    def __init__(
        self,
        watch: "Watch",
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
        """What is seen of the table now."""
        watch, table = self._watch, self.server.table
        match = self._match() if self._match is not None else None
        seen = {
            "page": self,
            "sight": watch_sight.sight_of_table(table, watch.figures.solved, hide=watch.hide),
            "status": self.status,
            "clocks": watch_sight.clocks(table, self.server.now),
            "results": watch_sight.results(self.server.records, match),
            "match": match,
            "failure": watch.figures.failure,
            "asked": self.asked,
            "token": watch.token if for_operator else "",
            "is_over": False,
        }
        return {name: watch.render(f"{name}.html", **seen) for name in REGIONS}

    @property
    def status(self) -> str:
        """Who is to act."""
        ended = self.server.ended
        reason = ended.result() if ended.done() else None
        return watch_sight.status(self.server.table, self.server.records, reason)

    @property
    def teams(self) -> dict[Side, str]:
        """Who plays."""
        return watch_sight.teams_of(self.server.table)

    @property
    def asked(self) -> Asked | None:
        """The question that the operator has to answer."""
        operator, question = self._watch.either, self.server.table.question
        return operator.asked(question) if operator is not None and question is not None else None

    def board(self, number: int) -> str | None:
        """The page of a board that was played."""
        watch = self._watch
        record = next((record for record in self.server.records if record.board.number == number), None)
        if record is None:
            return None
        shown = watch_sight.sight_of_record(record, watch.figures.solved.get(record.board.deal))
        result = watch_sight.results([record], None)[0]
        return watch.render(
            "board.html",
            page=self,
            sight=shown,
            result=result,
            failure=watch.figures.failure,
            is_over=True,
        )


class IndexPage(Page):
    """All tables."""

    name = "Tables"

    def __init__(self, watch: "Watch") -> None:
        super().__init__("tables", watch.wakeups)
        self._watch = watch

    def make(self, for_operator: bool) -> dict[str, str]:
        """A line for each table."""
        return {"tables": self._watch.render("tables.html", pages=self._watch.pages)}


class Watch:
    """What can be watched, and who may answer for the operator."""

    def __init__(self, boards: Iterable[Board], *, hide: bool = False, asks: bool = False) -> None:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        self.hide = hide
        self.asks = asks
        """Whether the operator may be asked for alerts."""
        self.token = secrets.token_urlsafe(24)
        self.pages: list[TablePage] = []
        self.wakeups = Wakeups()
        self.index = IndexPage(self)
        pages = _Pages(self)
        self.live = Following(pages, pages, MAX_FOLLOWERS)
        self.either: EitherOperator | None = None
        self.figures = Figures(boards, self.touch)
        self._pages = Environment(
            loader=FileSystemLoader(_HOME / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._pages.globals.update(SEATS=SEATS, Side=Side, STRAINS=watch_sight.STRAINS)
        self._pages.filters["clock"] = clock_face

    def render(self, template: str, **seen: object) -> str:
        """A template with what it shows; all text is escaped."""
        return self._pages.get_template(template).render(**seen)

    # What is watched

    def operator(self, terminal: TerminalOperator) -> EitherOperator:
        """The operator of the tables: in the terminal or on a page."""
        self.either = EitherOperator(terminal, self.touch)
        return self.either

    def add(self, server: TableServer, name: str, match: Callable[[], MatchResult] | None = None) -> None:
        """A table that can be watched from now on."""
        page = TablePage(self, len(self.pages) + 1, name, server, match)
        self.pages.append(page)
        server.watcher = lambda: self._touch(page)
        self.index.touch()

    def add_match(self, home: str, away: str, open_room: TableServer, closed_room: TableServer) -> None:
        """Two rooms that play the same boards."""

        def match() -> MatchResult:
            return compare(home, away, open_room.records, closed_room.records)

        for room, server in (("open room", open_room), ("closed room", closed_room)):
            self.add(server, f"{home} - {away}, {room}", match)
        # Both pages show the IMPs, which come with the record of whichever room plays a board last.
        rooms = self.pages[-2:]
        open_room.watcher = closed_room.watcher = lambda: self._touch(*rooms)

    def _touch(self, *pages: Page) -> None:
        for page in (*pages, self.index):
            page.touch()

    def touch(self) -> None:
        """Everything may have changed."""
        for page in (self.index, *self.pages):
            page.touch()

    def woken(self, stream: str, wake: Callable[[], None]) -> contextlib.AbstractContextManager[None]:
        """Call `wake` whenever the page with this key may have changed, until the block ends."""
        return self.wakeups.on(stream, wake)

    async def close(self) -> None:
        """Tell those who watch that it is over, and stop solving."""
        await self.live.close()
        await self.figures.close()

    # Pages

    def app(self, *, only_hosts: Iterable[str] = ()) -> "ASGIApp":
        """The pages as an application; `only_hosts` are the names that a browser may know this computer by."""
        from starlette.applications import Starlette
        from starlette.middleware.trustedhost import TrustedHostMiddleware
        from starlette.routing import Mount, Route
        from starlette.staticfiles import StaticFiles

        routes = [
            Route("/", self._get_index),
            Route("/stream", self._get_stream),
            Route("/operator/{token}", self._get_operator),
            Route("/table/{table:int}", self._get_table),
            Route("/table/{table:int}/stream", self._get_stream),
            Route("/table/{table:int}/board/{board:int}", self._get_board),
            Route("/table/{table:int}/answer", self._post_answer, methods=["POST"]),
            Mount("/static", StaticFiles(directory=_HOME / "static")),
        ]
        inner: Starlette = Starlette(routes=routes, exception_handlers={TooMany: _too_many})
        hosts = list(only_hosts)
        if hosts:
            # A name of somebody else's that leads here is not to make their page ours.
            inner.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
        return _with_headers(inner)

    def _cookie(self, request: "Request") -> str:
        # Cookies are shared by all ports of a computer.
        return f"overtrick-operator-{request.url.port or 80}"

    def _is_operator(self, request: "Request") -> bool:
        return self._is_token(request.cookies.get(self._cookie(request), ""))

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())

    def _page(self, request: "Request") -> TablePage | None:
        number = request.path_params["table"]
        return self.pages[number - 1] if 1 <= number <= len(self.pages) else None

    async def _get_index(self, request: "Request") -> "Response":
        self.figures.begin()
        regions = self.index.make(False)
        return _html(self.render("index.html", regions=regions))

    async def _get_table(self, request: "Request") -> "Response":
        page = self._page(request)
        if page is None:
            return self._sorry("There is no such table.", 404)
        self.figures.begin()
        regions = page.make(self._is_operator(request))
        return _html(self.render("table.html", page=page, regions=regions))

    async def _get_board(self, request: "Request") -> "Response":
        page = self._page(request)
        text = page.board(request.path_params["board"]) if page is not None else None
        if text is None:
            return self._sorry("That board has not been played at that table.", 404)
        return _html(text)

    async def _get_operator(self, request: "Request") -> "Response":
        from starlette.responses import RedirectResponse

        if not self._is_token(request.path_params["token"]):
            return self._sorry("This is not the operator's link that was shown at the start.", 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie(request), self.token, httponly=True, samesite="strict")
        return answer

    async def _get_stream(self, request: "Request") -> "Response":
        from starlette.responses import PlainTextResponse

        page = self._page(request) if "table" in request.path_params else self.index
        if page is None:
            return PlainTextResponse("There is no such table.", 404)
        return EventStream(partial(self._follow, page, self._is_operator(request)))

    async def _follow(self, page: Page, for_operator: bool, mark: str) -> AsyncGenerator[Piece, None]:
        """Follow a page until the tables are over, and then show how they ended."""

        def render(page: Page) -> Regions:
            return page.make(for_operator)

        name = "operator" if for_operator else "everyone"
        async with aclosing(self.live.follow(page.key, name, render, mark, pause=STEP)) as pieces:
            async for piece in pieces:
                yield piece
        yield whole(str(page.version), render(page))
        yield OVER

    async def _post_answer(self, request: "Request") -> "Response":
        from starlette.responses import RedirectResponse

        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LONGEST_FORM:
                return self._sorry("That is too long for an answer.", 413)
        form = parse_qs(body.decode("utf-8", "replace"), max_num_fields=400)
        # The secret is in the form itself: a page of somebody else's can send a form, but not this.
        if not self._is_token(form.get("token", [""])[0]):
            return self._sorry("Only the operator answers: open the link that was shown at the start.", 403)
        page = self._page(request)
        if page is None:
            return self._sorry("There is no such table.", 404)
        asked = page.asked
        if asked is None or form.get("question", [""])[0] != str(asked.number) or asked.answer.done():
            return self._sorry("That question has been answered already.", 409)
        assert self.either is not None
        alerts = {
            place: words
            for place in range(len(asked.question.auction.calls))
            if (words := meaning(form.get(f"meaning-{place}", [""])[0]))
            and asked.question.place in (None, place)
        }
        self.either.answer(asked, alerts)
        # The table hears of it in its own task; the page is to show what came of it.
        await asyncio.sleep(0.05)
        return RedirectResponse(f"/table/{page.number}", 303)

    def _sorry(self, sentence: str, code: int) -> "Response":
        return _html(self.render("sorry.html", sentence=sentence), code)


def _html(text: str, code: int = 200) -> "Response":
    from starlette.responses import HTMLResponse

    return HTMLResponse(text, code)


async def _too_many(request: "Request", error: Exception) -> "Response":
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(str(error), 503)


def _with_headers(inner: "Starlette") -> "ASGIApp":
    async def app(scope: "Scope", receive: "Receive", send: "Send") -> None:
        async def with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
            await send(message)

        await inner(scope, receive, with_headers)

    return app


def clock_face(seconds: float) -> str:
    """Seconds as minutes and seconds.

    >>> clock_face(75.9)
    '1:15'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


# Serving


@contextlib.contextmanager
def _listening(address: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        door = socket.create_server((address, port), family=family)
    except (OSError, OverflowError) as fault:
        raise TableError(
            f"Port {port} of {address} cannot be opened for those who watch: {why_not(fault)}."
        ) from None
    with door:
        yield door


async def watched(
    watch: Watch, address: str, port: int, say: Say, work: Callable[[], Awaitable[Answer]]
) -> Answer:
    """Do something while it can be watched."""
    import uvicorn

    class Server(uvicorn.Server):
        """Signals are for whoever runs the tables."""

        @contextlib.contextmanager
        def capture_signals(self):  # type: ignore[no-untyped-def]
            yield

    with _listening(address, port) as door:
        taken = door.getsockname()[1]
        hosts = ("localhost", "127.0.0.1", "[::1]") if address in LOOPBACK else ()
        config = uvicorn.Config(
            watch.app(only_hosts=hosts),
            log_config=None,
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        server = Server(config)
        serving = asyncio.create_task(server.serve(sockets=[door]), name="watch")
        where = f"http://{f'[{address}]' if ':' in address else address}:{taken}"
        say(f"Watch at {where}/")
        if watch.asks:
            say(f"The operator's own link, for answers on the page: {where}/operator/{watch.token}")
        try:
            return await work()
        finally:
            await watch.close()
            # Those who watch are to see the end.
            await asyncio.sleep(2 * STEP)
            server.should_exit = True
            await serving
