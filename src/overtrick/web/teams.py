"""Team events for everyone: rankings, rounds, cross tables and brackets, matches and teams, as they change."""

from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from overtrick.event.teams import Format, Serie
from overtrick.web import team_shown as shown
from overtrick.web.live import UnknownSession
from overtrick.web.pieces import Regions
from overtrick.web.site import Site, environment, render
from overtrick.web.stream import EventStream
from overtrick.web.team_house import Rendering, Teams, TeamSight
from overtrick.web.visitor import NotAllowed


def event_regions(sight: TeamSight) -> Regions:
    """The event: each serie with its ranking and the round that is played."""
    series = []
    for serie in sight.view.event.series.values():
        rounds = shown.match_lines(sight, serie)
        number = shown.current_round(rounds)
        series.append((serie, shown.ranking_rows(sight, serie), number, len(rounds), rounds.get(number, [])))
    return {"page": render("part/teams_event.html", event=sight.view.event, series=series)}


def serie_regions(id: int, sight: TeamSight) -> Regions:
    """A serie: its ranking, its cross table or bracket, and every round."""
    serie = sight.serie(id)
    rounds = shown.match_lines(sight, serie)
    is_cross = serie.format is Format.ROUND_ROBIN and bool(rounds)
    return {
        "page": render(
            "part/teams_serie.html",
            event=sight.view.event,
            serie=serie,
            ranking=shown.ranking_rows(sight, serie),
            rounds=rounds,
            current=shown.current_round(rounds),
            idle={number: shown.sitting_out(sight, serie, matches) for number, matches in rounds.items()},
            cells=shown.cross_cells(rounds) if is_cross else None,
            is_bracket=serie.format is Format.KNOCK_OUT and bool(rounds),
        )
    }


def match_regions(serie: int, round_: int, home: int, sight: TeamSight) -> Regions:
    """A match: its total, its line-ups, and the boards that may be known, room by room."""
    match = shown.find_match(sight, sight.serie(serie), round_, home)
    parts = [
        (sight.view.boards(segment), shown.published_boards(sight, segment), shown.rooms(sight, segment))
        for segment in (line.segment for line in match.lines)
    ]
    made_of = match, parts
    return sight.keep(("match", serie, round_, home), made_of, partial(_match, sight, match))


def _match(sight: TeamSight, match: shown.MatchLine) -> Regions:
    segments = []
    for line in match.lines:
        published = shown.published_boards(sight, line.segment)
        figures = sight.view.board_figures(line.segment, match.pairing)
        carried = line.home.imp_carry_over, line.away.imp_carry_over
        boards = shown.board_rows(figures, carried, published)
        segments.append((line, shown.rooms(sight, line.segment), boards, len(figures) - len(boards)))
    return {
        "page": render(
            "part/teams_match.html",
            event=sight.event,
            serie=match.serie,
            match=match,
            segments=segments,
            adjustments=shown.adjustments(sight.event, match),
        )
    }


def team_regions(team: int, sight: TeamSight) -> Regions:
    """A team: who plays in it, and its matches."""
    event = sight.event
    found = event.teams.get(team)
    if found is None:
        raise UnknownSession(f"There is no team {team} in {event.name}.")
    serie = event.series[found.serie]
    row = next(row for row in shown.ranking_rows(sight, serie) if row.team.id == team)
    matches = [
        match
        for _, played in sorted(shown.match_lines(sight, serie).items())
        for match in played
        if team in (match.home.id, match.away.id)
    ]
    part = partial(
        render, "part/teams_team.html", event=event, serie=serie, team=found, row=row, matches=matches
    )
    return sight.keep(("team", team), (row, matches), lambda: {"page": part()})


class TeamPages:
    """The pages of team events that need no password."""

    def __init__(self, site: Site, teams: Teams) -> None:
        self.site = site
        self.teams = teams
        prepare()

    def routes(self) -> list[Route]:
        """Where they are."""
        pages: dict[str, Callable[[Request], Rendering]] = {
            "": lambda request: event_regions,
            "/{serie:int}": lambda request: partial(serie_regions, request.path_params["serie"]),
            "/{serie:int}/{round:int}/{home:int}": lambda request: partial(
                match_regions, *(request.path_params[name] for name in ("serie", "round", "home"))
            ),
            "/team/{team:int}": lambda request: partial(team_regions, request.path_params["team"]),
        }
        return [
            Route("/teams", self.home),
            *(
                Route(f"/teams/{{event}}{path}{end}", partial(show, rendering))
                for path, rendering in pages.items()
                for end, show in (("", self.page), ("/stream", self.stream))
            ),
        ]

    async def home(self, request: Request) -> Response:
        """Every team event."""
        self._check(request)
        return self.site.page(request, "teams_list.html", events=await self.teams.house.events())

    async def page(self, rendering: Callable[[Request], Rendering], request: Request) -> Response:
        """A page of an event."""
        self._check(request)
        guid = request.path_params["event"]
        asked = rendering(request)

        def look(sight: TeamSight) -> tuple[str, int, Regions]:
            return sight.view.event.name, sight.version, asked(sight)

        name, version, regions = await self.teams.house.look(guid, look)
        path = request.url.path
        return self.site.page(
            request,
            "teams_page.html",
            name=name,
            guid=guid,
            regions=regions,
            stream=f"{path}/stream?after={version}",
        )

    async def stream(self, rendering: Callable[[Request], Rendering], request: Request) -> Response:
        """What changes on it."""
        self._check(request)
        guid = request.path_params["event"]
        follow = partial(self.teams.house.follow, guid, request.url.path, rendering(request))
        return EventStream(follow).while_allowed(partial(self.site.door.may_see_results, request))

    def _check(self, request: Request) -> None:
        if not self.site.door.may_see_results(request):
            raise NotAllowed("The director has not made results public.")


def prepare() -> None:
    """Let the templates write figures as these pages do."""
    made = environment()
    made.filters["figure"] = shown.figure
    made.filters["signed"] = shown.signed
    made.globals.update(method_words=method_words, points_words=shown.points_words)


def method_words(serie: Serie) -> str:
    """How a serie is played and scored, in a line.

    >>> from overtrick.scoring import Method
    >>> method_words(Serie(1, "Open", Format.SWISS, Method.TEAM_IMPS, 16))
    'Swiss · IMPs · 16 boards a round'
    """
    parts = [
        serie.format.value.capitalize(),
        "scored elsewhere"
        if serie.method is None
        else shown.METHOD_WORDS.get(serie.method, serie.method.value),
    ]
    if serie.boards:
        parts.append(f"{serie.boards} boards a round")
    return " · ".join(parts)
