"""The whole site as one ASGI application: routes, middleware and error pages."""

import logging

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from overtrick.directing.previews import StalePreview
from overtrick.errors import BadInput, OvertrickError
from overtrick.store.errors import JournalUnavailable
from overtrick.web.about_pages import AboutPages
from overtrick.web.access_control import RETRY_AFTER, NotAllowed, TooManyAttempts
from overtrick.web.clock_pages import ClockPages
from overtrick.web.club_pages import ClubPages
from overtrick.web.desk import DeskPages
from overtrick.web.device_files import STATIC
from overtrick.web.further_pages import FurtherRankingPages
from overtrick.web.hands_import import NotConfirmed
from overtrick.web.health import HealthPage
from overtrick.web.known_players import KnownPlayers
from overtrick.web.live_broadcaster import TooManyStreams
from overtrick.web.member_pages import MemberPages
from overtrick.web.name_list_pages import NameListPages
from overtrick.web.own_movement_pages import OwnMovementPages
from overtrick.web.player_pages import PlayerPages
from overtrick.web.print_pages import PrintPages
from overtrick.web.problem_details import V1, refusal
from overtrick.web.public_pages import PublicPages
from overtrick.web.publish_pages import PublishPages
from overtrick.web.request_guard import RequestGuard
from overtrick.web.series_pages import SeriesPages
from overtrick.web.session_projection import NotFound, SessionInBin
from overtrick.web.site import CommandRefused, Site, wants_json
from overtrick.web.team_desk import TeamDesk
from overtrick.web.team_files import TeamFiles
from overtrick.web.team_pages import TeamPages
from overtrick.web.terminal_pages import TerminalPages

log = logging.getLogger(__name__)

NOT_ANSWERING = "The server cannot reach its data now. Nothing was changed. Try again in a moment."
BROKEN = "Something went wrong; the details are in the log. Saved data is safe."
LARGE = (
    "/hands",
    "/teams/import",
    "/desk/club",
    "/desk/movements",
    "/act/players",
    "/members/import",
    "/players/paste",
    "/deals",
)
"""The ends of the addresses that accept files and long forms."""


class RevalidatedStaticFiles(StaticFiles):
    """The static files, which browsers cache but revalidate on every load, so that a new version is seen at once."""

    def __init__(self) -> None:
        """Serve the files of this package, and the style sheet that written results pages have too."""
        super().__init__(directory=STATIC, packages=[("overtrick.scoring", "static")])

    def file_response(self, *args: object, **more: object) -> Response:
        """Return the response for a file, with `Cache-Control: no-cache`."""
        response = super().file_response(*args, **more)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response


class DeferredApi:
    """The JSON API, made at its first request.

    FastAPI and the API's models take a third of the time in which a desk starts, and few evenings use the API.
    """

    def __init__(self, site: Site) -> None:
        """Serve the API of a site."""
        self._site = site
        self._app: ASGIApp | None = None

    def _make(self) -> ASGIApp:
        from overtrick.web.api import api_app

        return api_app(self._site)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; two first requests at once may both make the application, and one of the two is kept."""
        if self._app is None:
            self._app = await run_in_threadpool(self._make)
        await self._app(scope, receive, send)


def web_app(site: Site) -> Starlette:
    """Return the site as an ASGI application: results for everyone, the desk for the director, the API for programs."""

    async def refused(request: Request, error: Exception) -> Response:
        sentence = sentence_for(error, is_director=_is_director(site, request))
        answer = _answer(site, request, status_of(error), sentence)
        if isinstance(error, TooManyAttempts):
            answer.headers.update(RETRY_AFTER)
        return answer

    async def not_found(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        words = {404: "There is no such page.", 405: "This page does not accept that request."}
        return _answer(site, request, error.status_code, words.get(error.status_code, str(error.detail)))

    async def broken(request: Request, error: Exception) -> Response:
        log.error("%s %s", request.method, request.url.path, exc_info=error)
        sentence = BROKEN
        if request.method != "GET":
            sentence += " This may or may not be saved; sending it again is safe."
        return _answer(site, request, 500, sentence)

    async def redirect_to_api(request: Request) -> Response:
        return RedirectResponse(f"{V1}/")

    async def disconnected(request: Request, error: Exception) -> Response:
        return Response(status_code=400)  # the client has disconnected and reads no answer

    known_players = KnownPlayers(site)
    return Starlette(
        routes=[
            *PublicPages(site).routes(),
            *ClockPages(site).routes(),
            *HealthPage(site).routes(),
            *AboutPages(site).routes(),
            *team_routes(site),
            *SeriesPages(site).routes(),
            *FurtherRankingPages(site).routes(),
            *ClubPages(site).routes(),
            *PublishPages(site).routes(),
            *PrintPages(site).routes(),
            *MemberPages(site, known_players).routes(),
            *NameListPages(site, known_players).routes(),
            *PlayerPages(site).routes(),
            *OwnMovementPages(site).routes(),
            *DeskPages(site, known_players).routes(),
            *TerminalPages(site).routes(),
            Route("/docs", redirect_to_api),
            Mount("/api", DeferredApi(site)),
            Mount("/static", RevalidatedStaticFiles()),
        ],
        middleware=[
            Middleware(RequestGuard, names=site.names, large=LARGE),
            Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5),
        ],
        exception_handlers={
            OvertrickError: refused,
            HTTPException: not_found,
            ClientDisconnect: disconnected,
            500: broken,
        },
    )


def team_routes(site: Site) -> list[BaseRoute]:
    """Return the routes of team events; they must precede the session routes, which would read `teams` as a guid."""
    if site.teams is None:
        return []
    return [
        *TeamPages(site, site.teams).routes(),
        *TeamFiles(site, site.teams).routes(),
        *TeamDesk(site, site.teams).routes(),
    ]


def status_of(error: Exception) -> int:
    """Return the HTTP status for an error; 500 for an unknown one."""
    match error:
        case CommandRefused():
            return error.status
        case SessionInBin():
            return 410
        case NotFound():
            return 404
        case NotAllowed():
            return 403
        case TooManyAttempts():
            return 429
        case TooManyStreams() | JournalUnavailable():
            return 503
        case StalePreview() | NotConfirmed():
            return 409
        case BadInput():
            return 400
    return 500


def sentence_for(error: Exception, *, is_director: bool = False) -> str:
    """Return the message for an error, for all but the director without paths and database addresses."""
    assert isinstance(error, OvertrickError)
    if is_director:
        return str(error)
    if status_of(error) < 500 or isinstance(error, TooManyStreams):
        return str(error) if not error.where or not {"/", "\\"} & set(error.where) else error.sentence
    log.error("%s", error)
    if isinstance(error, JournalUnavailable):
        # With a place, the sentence may name a database server.
        return NOT_ANSWERING if error.where else error.sentence
    return BROKEN


def _is_director(site: Site, request: Request) -> bool:
    try:
        return site.access.is_director(request)
    except OvertrickError:  # the keys themselves cannot be read
        return False


def _answer(site: Site, request: Request, status: int, sentence: str) -> Response:
    path = request.scope["path"]
    if wants_json(request) or path.startswith("/api/"):
        return refusal(path, status, sentence)
    try:
        return site.page(request, "sorry.html", status, sentence=sentence)
    except OvertrickError:  # a page needs the keys
        return PlainTextResponse(sentence, status)
