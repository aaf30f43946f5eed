"""The public pages: the projector (`/live`) and the results (`/results`)."""

import asyncio
import gzip
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

import segno
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.digits import parse_digits
from overtrick.directing.swiss import swiss_of
from overtrick.event import Session
from overtrick.event.filing import PLAYED
from overtrick.event.seating import SessionPlayer
from overtrick.event.setup import Status
from overtrick.registry.club import Club
from overtrick.registry.player_privacy import PlayerPrivacyStore
from overtrick.scoring import Contestant
from overtrick.scoring.pages import SiteLinks, page_writers
from overtrick.scoring.pbn import write_results
from overtrick.scoring.plain import write_csv, write_json
from overtrick.scoring.report import Report, provisional_words
from overtrick.scoring.usebio import write_usebio
from overtrick.views import SeatingLine, TableStage, missing_results, seating
from overtrick.web import view_models
from overtrick.web.archive import archive
from overtrick.web.clock_pages import clock_regions
from overtrick.web.keyed_rows import KeyedRows
from overtrick.web.session_list import LONGEST
from overtrick.web.session_projection import NotFound, Regions, SessionProjection
from overtrick.web.site import Site, render
from overtrick.web.sse_response import EventStream
from overtrick.web.team_projection import TeamEventLine

RELOAD_INTERVAL = 2.0
"""Minimum seconds between two messages that make a results page reload."""
SHARE = 10
"""A slow report is reused for this multiple of the time that it took to make."""
QUICK = 0.2
"""Seconds; a report that took longer is slow, see SHARE."""
PAGE_KINDS = {
    "html": "text/html",
    "css": "text/css",
    "csv": "text/csv",
    "json": "application/json",
    "pbn": "text/plain",
    "xml": "application/xml",
}
FILES: dict[str, tuple[str, Callable[[Report], str | bytes]]] = {
    "results.csv": ("Table (CSV)", write_csv),
    "results.pbn": ("PBN", write_results),
    "results.xml": ("USEBIO", write_usebio),
    "results.json": ("JSON", write_json),
}
"""The downloads of a results page: label and writer."""
DOWNLOAD_LINKS = "".join(f'<a href="{name}" download>{words}</a>\n' for name, (words, _) in FILES.items())
VIEWER = "/static/hand_viewer.js"
"""The address of the hand viewer's script."""
PENDING = b" data-pending>"
"""The mark of a page whose figures are still being computed: it is written again at the next request."""
SERVED_REPLACEMENTS = {
    b"</head>": b'<link rel="icon" href="/static/icon.svg">\n</head>',
    b"<footer>": f'<footer>\n<nav><a href="/results">All results</a>\n{DOWNLOAD_LINKS}</nav>\n'.encode(),
    b"</body>": b'<script type="module" src="/static/results.js"></script>\n</body>',
}
"""Replacements in a results page when it is served, which add the icon, the links and the script."""


# The projector ------------------------------------------------------------------------------------------------------


def live_regions(projection: SessionProjection) -> Regions:
    """Render the projector page; cache the parts that a result does not change.

    Before the first result it shows the welcome and the seating with names; after the last one, and when the director
    has ended the session, the final ranking.
    """
    session = projection.view.session
    tables = projection.progress()
    number = view_models.current_round(projection.view, tables)
    is_done = all(not line.round for line in tables)
    is_waiting = is_done and any(line.stage is TableStage.WAITING for line in tables)
    upcoming = number + 1 if session.results.standing else number
    if (
        projection.keep("swiss", projection.shared_version, partial(_has_swiss_section, session))
        and not is_done
    ):
        # A Swiss round is drawn when the previous one is over: do not announce one that is not drawn yet.
        upcoming = min(upcoming, view_models.last_drawn(session))
    has_ended = session.setup.status is Status.FINISHED
    is_over = has_ended or (is_done and not is_waiting)
    is_before_play = not session.results.standing and not is_over
    missing = len(missing_results(session)) if is_over else 0
    is_final = has_ended or (is_over and not missing)
    still_playing = tuple(
        f"{line.section}{line.table}" for line in tables if (line.round or line.skipped) and not has_ended
    )
    hidden = hidden_players(projection)
    rankings = view_models.rankings(projection.view, public_players(projection))
    return {
        **clock_regions(projection),
        "head": render(
            "part/live_head.html",
            session=session,
            round=number,
            rounds=view_models.last_round(session),
            done=sum(line.stage is TableStage.FINISHED or line.round > number for line in tables),
            tables=sum(line.stage is not TableStage.UNUSED for line in tables),
            provisional=provisional_words(
                session.rulings.provisional_until, is_appeal_pending=session.rulings.is_appeal_pending
            ),
            is_before_play=is_before_play,
            is_over=is_over,
            missing=missing,
        ),
        "ranking": projection.keep(
            "welcome", (projection.shared_version, hidden), partial(_welcome, session, hidden)
        )
        if is_before_play
        else ranking_rows(rankings, is_final=is_final),
        "coming": podium(rankings)
        if is_final
        else projection.keep(
            "coming",
            (
                projection.shared_version,
                hidden,
                upcoming,
                is_waiting,
                is_before_play,
                has_ended,
                still_playing,
            ),
            partial(
                _coming,
                session,
                upcoming,
                still_playing,
                hidden,
                is_waiting=is_waiting,
                is_before_play=is_before_play,
            ),
        ),
    }


def hidden_players(projection: SessionProjection) -> frozenset[str]:
    """Return the keys of players whose names are not published."""
    store = projection.keep("privacy", 0, partial(PlayerPrivacyStore, projection.journal.documents))
    return store.privacy().hidden


def public_players(projection: SessionProjection) -> Mapping[Contestant, Sequence[SessionPlayer]]:
    """Return the players of a session as they are named in public."""
    hidden = hidden_players(projection)
    return projection.keep(
        "players",
        (projection.shared_version, hidden),
        lambda: view_models.published_players(projection.view.players(), hidden),
    )


def _has_swiss_section(session: Session) -> bool:
    """Return whether any section is Swiss, drawn round by round."""
    return any(swiss_of(session, section) for section in session.setup.sections)


def ranking_rows(rankings: Sequence[view_models.RankingTable], *, is_final: bool = False) -> KeyedRows:
    """Return the rankings as rows keyed by contestant."""
    return KeyedRows(
        tuple(
            {line.key: (line.rank, line.label, line.people, line.score) for line in ranking.lines}
            for ranking in rankings
        ),
        (is_final, *((ranking.title, ranking.unit) for ranking in rankings)),
        cache(partial(render, "part/live_ranking.html", rankings=rankings, is_final=is_final)),
    )


def _seating(session: Session, number: int, hidden: frozenset[str]) -> list[SeatingLine]:
    """Return the seating of a round at the tables in use, by section and table, with the published names."""
    return [
        view_models.published_seating(line, hidden)
        for section in sorted(session.setup.sections)
        for line in seating(session, section, number)
        if not line.is_empty
    ]


def _welcome(session: Session, hidden: frozenset[str]) -> KeyedRows:
    """Return the seating of the first round with names, shown where the ranking will be."""
    html = render("part/live_welcome.html", lines=_seating(session, 1, hidden))
    return KeyedRows((), html, lambda: html)


def podium(rankings: Sequence[view_models.RankingTable]) -> str:
    """Render the first three places of each ranking, with everybody who shares one of them."""
    top_places = [
        (ranking.title, [line for line in ranking.lines if line.place in (1, 2, 3)]) for ranking in rankings
    ]
    return render("part/live_podium.html", rankings=[top for top in top_places if top[1]])


def _coming(
    session: Session,
    number: int,
    still_playing: tuple[str, ...],
    hidden: frozenset[str],
    *,
    is_waiting: bool,
    is_before_play: bool,
) -> str:
    """Render the seating of the next round, or the tables whose results are missing if there is none."""
    return render(
        "part/live_coming.html",
        lines=_seating(session, number, hidden),
        round=number,
        is_waiting=is_waiting,
        is_before_play=is_before_play,
        still_playing=still_playing,
    )


# The pages ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _EncodedPage:
    """A results page, encoded to be sent."""

    body: bytes
    gzipped: bytes
    tag: str
    """The ETag, a hash of the body."""


@dataclass(slots=True)
class _ResultPages:
    """The results pages of a session at a version, each written on its first request."""

    position: tuple[str, int, int]
    """The position of the session that they were made from."""
    club: Club
    hidden: frozenset[str]
    """The keys of players whose names are not published."""
    version: int
    writers: dict[str, Callable[[], str | bytes]]
    reused_until: float
    """The monotonic time until which these pages are reused, because those of a large event take long to make."""
    written: dict[str, _EncodedPage] = field(default_factory=dict)

    def write(self, name: str) -> _EncodedPage:
        """Write, store and return the page with this name; raise KeyError if there is none."""
        text = self.writers[name]()
        body = text.encode() if isinstance(text, str) else text
        if name.endswith(".html"):
            for original, replacement in SERVED_REPLACEMENTS.items():
                body = body.replace(original, replacement)
        tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
        page = _EncodedPage(body, gzip.compress(body, 5, mtime=0), tag)
        if PENDING not in body:
            self.written[name] = page
        return page


class PublicPages:
    """The pages that need no password."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._written: dict[tuple[str, int | None], _ResultPages] = {}
        self._writing = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return the public routes."""
        return [
            Route("/", self.home),
            Route("/live", self.live_current),
            Route("/live/{session}", self.live),
            Route("/live/{session}/stream", self.live_stream),
            Route("/results", self.results_list),
            Route("/results/{session}", self.results_home),
            Route("/results/{session}/", self.results),
            Route("/results/{session}/{page}", self.results),
            Route("/results/{session}/follow/version", self.version_stream),
        ]

    async def home(self, request: Request) -> Response:
        """Show the front page."""
        may_see = self.site.access.may_see_results(request)
        sessions = await self.site.live.sessions(most=8, stages=PLAYED) if may_see else []
        events = await self._team_events() if may_see else []
        return self.site.page(request, "home.html", sessions=sessions, team_events=events[:8])

    async def live_current(self, request: Request) -> Response:
        """Redirect to the projector page of the session that changed last; show a notice if there is none."""
        self.site.check_results(request)
        current = await self.site.live.current()
        if current is None:
            return self.site.page(request, "nothing.html")
        return RedirectResponse(f"/live/{current.session}", 302)

    async def live(self, request: Request) -> Response:
        """Show the projector page."""
        self.site.check_results(request)
        guid = request.path_params["session"]
        page = await self.site.live.page(guid, "live", live_regions)
        join = f"{self.site.address_for(request)}/join" if self.site.is_reachable(request) else ""
        return self.site.page(
            request,
            "live.html",
            name=page.name,
            session=guid,
            mark=page.mark,
            regions=page.regions,
            join=join,
            picture=segno.make(join, error="m", micro=False).svg_data_uri(scale=4, border=2) if join else "",
        )

    async def live_stream(self, request: Request) -> Response:
        """Stream the changes of the projector page."""
        self.site.check_results(request)
        follow = partial(self.site.live.follow, request.path_params["session"], "live", live_regions)
        return EventStream(follow).while_allowed(partial(self.site.access.may_see_results, request))

    async def results_list(self, request: Request) -> Response:
        """List the sessions, those of today first, and the team events."""
        self.site.check_results(request)
        query = request.query_params
        text = query.get("find", "").strip()[:LONGEST]
        lines = await self.site.live.sessions(text, stages=PLAYED)
        today = self.site.now().astimezone().date()
        number = max(1, parse_digits(query.get("page", "")) or 1)
        return self.site.page(
            request,
            "results_list.html",
            archive=archive(lines, today, text, query.get("month", "")[:7], number),
            team_events=await self._team_events(),
            has_players=self.site.privacy.privacy().are_pages_public,
        )

    async def results_home(self, request: Request) -> Response:
        """Redirect to the address with a trailing slash, so that relative links work."""
        self.site.check_results(request)
        return RedirectResponse(f"/results/{request.path_params['session']}/", 302)

    async def results(self, request: Request) -> Response:
        """Show a page or a download of a session's published results."""
        self.site.check_results(request)
        guid = request.path_params["session"]
        page = request.path_params.get("page") or "index.html"
        group = request.query_params.get("group", "")
        async with self._writing:
            pages = await self._pages(guid, parse_digits(group, 3))
            media_type = PAGE_KINDS.get(page.rpartition(".")[2])
            if page not in pages.writers or media_type is None:
                raise NotFound(
                    "There is no such page yet. A board appears when all tables have played it, or the session ends."
                )
            encoded = pages.written.get(page)
            if encoded is None:
                encoded = await asyncio.to_thread(pages.write, page)
        headers = {
            "cache-control": "no-cache",
            "etag": encoded.tag,
            "vary": "accept-encoding",
            "x-version": str(pages.version),
        }
        if request.headers.get("if-none-match") == encoded.tag:
            return Response(status_code=304, headers=headers)
        body = encoded.body
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"], body = "gzip", encoded.gzipped
        return Response(body, media_type=f"{media_type}; charset=utf-8", headers=headers)

    async def version_stream(self, request: Request) -> Response:
        """Stream the version of the results, for pages that reload themselves."""
        self.site.check_results(request)
        guid = request.path_params["session"]

        def version(projection: SessionProjection) -> Regions:
            return {"version": str(projection.version)}

        follow = partial(self.site.live.follow, guid, "version", version, pause=RELOAD_INTERVAL)
        return EventStream(follow).while_allowed(partial(self.site.access.may_see_results, request))

    async def _pages(self, guid: str, group: int | None) -> _ResultPages:
        """Return the current pages; those of a slow report may be out of date for a moment."""
        cached = self._written.get((guid, group))
        if cached is not None and time.monotonic() < cached.reused_until:
            return cached
        prepared = await self.site.live.read(guid, partial(self._prepare, group, cached))
        if prepared is None:
            assert cached is not None
            return cached
        pages = await asyncio.to_thread(prepared)
        if len(self._written) >= 16:
            self._written.pop(next(iter(self._written)))
        self._written[guid, group] = pages
        return pages

    def _prepare(
        self, group: int | None, cached: _ResultPages | None, projection: SessionProjection
    ) -> Callable[[], _ResultPages] | None:
        """Return a function that makes the current pages; None if `cached` is up to date."""
        club, hidden = self.site.club, self.site.privacy.privacy().hidden
        inputs = projection.position, club, hidden
        if cached is not None and (cached.position, cached.club, cached.hidden) == inputs:
            return None
        if group is None:
            group = view_models.public_groups(projection.view.session)[0]
        start = time.thread_time()
        make_report = view_models.prepare_public_report(projection.view, group, hidden)
        cost = time.thread_time() - start
        position, version = projection.position, projection.version

        def make() -> _ResultPages:
            start = time.thread_time()
            report = replace(make_report(), club=club.name, club_number=club.number)
            links = SiteLinks("/results", "/club/logo" if club.logo else "", VIEWER)
            writers: dict[str, Callable[[], str | bytes]] = {
                **page_writers(report, links, self.site.plays.figures),
                **{name: partial(write, report) for name, (_, write) in FILES.items()},
            }
            took = cost + time.thread_time() - start
            reuse = SHARE * took if took > QUICK else 0.0
            return _ResultPages(position, club, hidden, version, writers, time.monotonic() + reuse)

        return make

    async def _team_events(self) -> list[TeamEventLine]:
        return await self.site.teams.events() if self.site.teams else []
