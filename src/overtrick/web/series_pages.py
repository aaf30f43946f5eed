"""The pages of series of sessions: the combined ranking with filters, and the director's form."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.errors import BadInput
from overtrick.event import Fact
from overtrick.event.series import SERIES, RemoveSeries, SetSeries
from overtrick.event.series import apply as apply_series
from overtrick.guid import is_guid
from overtrick.scoring.more_rankings import FurtherRankings
from overtrick.scoring.player_list import PlayerList
from overtrick.scoring.report import Report
from overtrick.scoring.series import Series, combine, parse_series
from overtrick.scoring.series_report import (
    SeriesReport,
    clubs,
    series_tables,
    write_series_csv,
    write_series_json,
)
from overtrick.store import JournalEntry
from overtrick.store.errors import JournalSetBack, JournalUnavailable
from overtrick.store.projection import Projection
from overtrick.store.sessions import SessionLine
from overtrick.views.report import prepare_report
from overtrick.web import series_forms
from overtrick.web.login import LoginPages, read_director_form
from overtrick.web.public_pages import QUICK, SHARE
from overtrick.web.series_forms import MOST_CHOSEN, SeriesFields, read_filters, read_series_form
from overtrick.web.session_projection import NotFound, SessionProjection
from overtrick.web.site import Site

SESSIONS_OFFERED = MOST_CHOSEN
"""The limit on sessions that a form offers: those of the series, then the newest."""
REPORTS_KEPT = 400
SERIES_KEPT = 16

FILES: Mapping[str, tuple[str, Callable[[SeriesReport], str]]] = {
    "series.csv": ("text/csv", write_series_csv),
    "series.json": ("application/json", write_series_json),
}


@dataclass(frozen=True, slots=True)
class _SessionResult:
    """The ranking of a session at a version, without its boards."""

    position: tuple[str, int, int]
    group: int | None
    report: Report
    players: PlayerList


@dataclass(frozen=True, slots=True)
class _CachedReport:
    """A cached report of a series that took long to make."""

    inputs: tuple[str, frozenset[str]]
    """The description, and the keys of players who are not named."""
    reused_until: float
    """The monotonic time until which the report is reused."""
    report: SeriesReport


class SeriesPages:
    """The pages of series."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.login_pages = LoginPages(site)
        self._projection: Projection[dict[str, str]] | None = None
        self._results: dict[str, _SessionResult] = {}
        self._reports: dict[str, _CachedReport] = {}
        self._making = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return the routes; add them before the session routes, which would match `series` as a guid."""
        guarded = self.login_pages.guarded
        return [
            Route("/series", self.list_all),
            Route("/series/{series}", self.page),
            Route("/series/{series}/{file}", self.file),
            Route("/desk/series", guarded(self.desk)),
            Route("/desk/series/save", self.save, methods=["POST"]),
            Route("/desk/series/remove", self.remove, methods=["POST"]),
            Route("/desk/series/{series}", guarded(self.desk)),
        ]

    # Pages ------------------------------------------------------------------------------------------------------

    async def list_all(self, request: Request) -> Response:
        """List the series."""
        self.site.check_results(request)
        return self.site.page(request, "series_list.html", listed=await self._listed())

    async def page(self, request: Request) -> Response:
        """Show the ranking of a series; with a filter, only the ranking of those that it selects."""
        self.site.check_results(request)
        guid = request.path_params["series"]
        whole = await self._report(guid)
        query = request.query_params
        filters = read_filters(query)
        report = replace(whole, further=replace(whole.further, filters=filters)) if filters else whole
        # With a filter, show only its own table.
        tables = [table for table in report.tables() if not filters or table.title == str(filters[0])]
        return self.site.page(
            request,
            "series_page.html",
            guid=guid,
            name=whole.title,
            tables=await asyncio.to_thread(series_tables, report, tables),
            clubs=clubs(whole),
            has_ages=any(player.born for player in whole.player_list),
            has_kinds=any(player.sex for player in whole.player_list),
            query=query,
        )

    async def file(self, request: Request) -> Response:
        """Send the ranking of a series as a file."""
        self.site.check_results(request)
        writer = FILES.get(request.path_params["file"])
        if writer is None:
            raise NotFound("There is no such page.")
        kind, write = writer
        report = await self._report(request.path_params["series"])
        return Response(
            write(report), media_type=f"{kind}; charset=utf-8", headers={"cache-control": "no-cache"}
        )

    async def desk(self, request: Request) -> Response:
        """Show the form of a series, or of a new one, and the list of all."""
        guid = request.path_params.get("series", "")
        series = await self._series(guid) if guid else None
        lines = await self._offered(series)
        fields = SeriesFields.of(series) if series else SeriesFields()
        event = request.query_params.get("event", "")
        if event and not series:
            fields = replace(fields, stages={line.session: 1 for line in lines if line.event == event})
        return self.site.page(
            request,
            "desk_series.html",
            guid=guid,
            listed=await self._listed(),
            fields=fields,
            lines=sorted(lines, key=lambda line: (line.day, line.name), reverse=True),
            words=series_forms,
        )

    # Actions ----------------------------------------------------------------------------------------------------

    async def save(self, request: Request) -> Response:
        """Save the series of a form."""
        form = await read_director_form(self.site, request)
        guid = form.get("series", "") or form.get("new", "")
        if not is_guid(guid):
            guid = uuid4().hex.upper()
        if not await self.site.was_done(form["command"]):
            series = await self._series(guid) if form.get("series") else None
            description = read_series_form(form, await self._offered(series))
            await self.site.do(SetSeries(guid, description), command_id=form["command"])
        return RedirectResponse(f"/series/{guid}", 303)

    async def remove(self, request: Request) -> Response:
        """Remove a series; its sessions stay."""
        form = await read_director_form(self.site, request)
        if not await self.site.was_done(form["command"]):
            await self.site.do(RemoveSeries(form.get("series", "")[:40]), command_id=form["command"])
        return RedirectResponse("/desk/series", 303)

    # Reading ----------------------------------------------------------------------------------------------------

    def _descriptions(self) -> dict[str, str]:
        if self._projection is None:

            def apply(state: dict[str, str], entry: JournalEntry) -> None:
                fact: Fact = entry.fact
                apply_series(state, fact)

            self._projection = Projection(self.site.live.journal, dict, apply)
        try:
            self._projection.catch_up([SERIES])
        except JournalSetBack:
            self._projection.catch_up([SERIES])  # the state was dropped: fold it again
        except JournalUnavailable:
            if not self._projection.version(SERIES):
                raise
        return dict(self._projection.state)

    async def _all_descriptions(self) -> dict[str, str]:
        async with self._making:
            return await asyncio.to_thread(self._descriptions)

    async def _listed(self) -> list[tuple[str, str]]:
        """Return the guids and names of all series, by name."""
        series = [(guid, parse_series(text).name) for guid, text in (await self._all_descriptions()).items()]
        return sorted(series, key=lambda item: item[1].casefold())

    async def _description(self, guid: str) -> str:
        description = (await self._all_descriptions()).get(guid)
        if description is None:
            raise NotFound(f"There is no series {guid[:40]}.")
        return description

    async def _series(self, guid: str) -> Series:
        return parse_series(await self._description(guid))

    async def _offered(self, series: Series | None) -> list[SessionLine]:
        newest = {line.session: line for line in await self.site.live.sessions(most=SESSIONS_OFFERED)}
        lines: dict[str, SessionLine] = {}
        for session in series.sessions if series else ():
            own = newest.get(session.session)
            matches = [own] if own else await self.site.live.sessions(session.session, most=1)
            lines |= {line.session: line for line in matches}
        return list((lines | newest).values())[:SESSIONS_OFFERED]

    async def _report(self, guid: str) -> SeriesReport:
        description = await self._description(guid)
        hidden = self.site.privacy.privacy().hidden
        inputs = description, hidden
        cached = self._reports.get(guid)
        if cached is not None and cached.inputs == inputs and time.monotonic() < cached.reused_until:
            return cached.report
        series = parse_series(description)
        reports: dict[str, Report] = {}
        players = PlayerList()
        for session in series.sessions:
            try:
                result = await self._result(session.session, session.group)
            except NotFound:
                continue  # the event was reopened without this session
            reports[session.name] = result.report
            players = players.joined(result.players)

        def make() -> tuple[SeriesReport, float]:
            start = time.thread_time()
            ranking = combine(series, reports, players, hidden)
            report = SeriesReport(ranking, players, FurtherRankings(strata=series.further.strata))
            return report, time.thread_time() - start

        report, took = await asyncio.to_thread(make)
        self._reports.pop(guid, None)
        if took > QUICK:
            self._reports[guid] = _CachedReport(inputs, time.monotonic() + SHARE * took, report)
            while len(self._reports) > SERIES_KEPT:
                del self._reports[next(iter(self._reports))]
        return report

    async def _result(self, guid: str, group: int | None) -> _SessionResult:
        """Return the ranking of a session, cached until the session changes."""
        cached = self._results.get(guid)

        def read(projection: SessionProjection) -> Callable[[], _SessionResult] | None:
            inputs = projection.position, group
            if cached is not None and (cached.position, cached.group) == inputs:
                return None
            try:
                prepared = prepare_report(projection.view, group=group)
            except BadInput:  # its scoring groups are scored differently
                prepared = prepare_report(
                    projection.view, group=min(projection.view.session.setup.groups, default=None)
                )
            players = projection.view.session.further.players()
            return lambda: _SessionResult(*inputs, _without_boards(prepared()), players)

        make = await self.site.live.read(guid, read)
        if make is None:
            assert cached is not None
            return cached
        result = await asyncio.to_thread(make)
        self._results.pop(guid, None)
        self._results[guid] = result
        while len(self._results) > REPORTS_KEPT:
            del self._results[next(iter(self._results))]
        return result


def _without_boards(report: Report) -> Report:
    """Return a report without the parts that a series does not need, to save memory."""
    return replace(
        report,
        scored=replace(report.scored, travellers=(), matches=(), pair_matches=()),
        hands={},
        further=(),
    )
