"""The public live pages of team events: rankings, rounds, cross tables and brackets, matches and teams."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from overtrick.event.teams import Division, Team, TeamFormat
from overtrick.scoring import Method
from overtrick.web import team_view_models as view_models
from overtrick.web.keyed_rows import Cells, KeyedRows
from overtrick.web.session_projection import NotFound
from overtrick.web.site import Site, environment, render
from overtrick.web.sse_messages import Regions, as_html
from overtrick.web.sse_response import EventStream
from overtrick.web.team_projection import LiveTeamEvents, Rendering, TeamEventProjection


def event_regions(projection: TeamEventProjection) -> Regions:
    """Render the event: each division with its ranking and current round."""
    return projection.once("event", lambda: {"page": _event_rows(projection)})


def _event_rows(projection: TeamEventProjection) -> KeyedRows:
    tables: list[Mapping[str, Cells]] = []
    divisions = []
    for division in projection.event.divisions.values():
        rounds = view_models.match_lines(projection, division)
        number = view_models.current_round(rounds)
        ranking, matches = view_models.ranking_rows(projection, division), rounds.get(number, [])
        tables.append(_ranking_cells(projection, ranking))
        if matches:
            tables.append(_round_rows(projection, division, number, matches))
        divisions.append((division, ranking, number, len(rounds), matches))
    frame = projection.view, tuple(number for _, _, number, _, _ in divisions)
    part = partial(render, "part/teams_event.html", event=projection.event, divisions=divisions)
    return KeyedRows(tuple(tables), frame, cache(part))


def division_regions(id: int, projection: TeamEventProjection) -> Regions:
    """Render a division: its ranking, its cross table or bracket, and all rounds."""
    return projection.once(("serie", id), lambda: {"page": _division(projection, projection.division(id))})


def _division(projection: TeamEventProjection, division: Division) -> KeyedRows:
    rounds = view_models.match_lines(projection, division)
    ranking = view_models.ranking_rows(projection, division)
    cells = (
        view_models.cross_cells(projection, division)
        if division.format is TeamFormat.ROUND_ROBIN and rounds
        else None
    )
    is_bracket = division.format is TeamFormat.KNOCK_OUT and bool(rounds)
    current = view_models.current_round(rounds)
    is_over = all(match.is_over for match in rounds.get(current, ()))
    return KeyedRows(
        (
            _ranking_cells(projection, ranking),
            *([_cross_rows(projection, ranking, cells)] if cells is not None else []),
            *(_round_rows(projection, division, number, rounds[number]) for number in sorted(rounds)),
        ),
        (projection.view, current, is_over, tuple(map(tuple, rounds.values())) if is_bracket else ()),
        cache(
            partial(
                render,
                "part/teams_serie.html",
                event=projection.event,
                division=division,
                ranking=ranking,
                rounds=rounds,
                current=current,
                idle={
                    number: view_models.sitting_out(projection, division, matches)
                    for number, matches in rounds.items()
                },
                cells=cells,
                is_bracket=is_bracket,
            )
        ),
    )


# Rows with the same cells as in the templates -------------------------------------------------------------------------


def _macros() -> Any:
    return environment().get_template("part/teams_lines.html").module


def _ranking_cells(projection: TeamEventProjection, rows: list[view_models.RankingRow]) -> dict[str, Cells]:
    macros = _macros()
    is_carried, is_fined = any(row.carried for row in rows), any(row.penalty for row in rows)
    return {
        str(row.team.id): (
            row.rank,
            str(row.team.number),
            projection.keep(
                ("link", row.team.id), None, partial(macros.team_link, projection.event, row.team)
            ),
            str(row.played),
            *([row.carried] if is_carried else []),
            *([row.penalty] if is_fined else []),
            row.points,
        )
        for row in rows
    }


def _round_rows(
    projection: TeamEventProjection, division: Division, number: int, matches: list[view_models.MatchLine]
) -> dict[str, Cells]:
    def cells(match: view_models.MatchLine) -> Cells:
        macros = _macros()
        vps = [] if division.method is Method.TEAM_IMPS else [macros.vps_cell(match)]
        return (
            str(match.pairing.table),
            macros.match_cell(projection.event, match),
            macros.imps_cell(match),
            *vps,
        )

    return projection.keep(
        ("rows", division.id, number),
        matches,
        lambda: {
            str(match.home.id): projection.keep(
                ("row", division.id, number, match.home.id), match.own, partial(cells, match)
            )
            for match in matches
        },
    )


def _cross_rows(
    projection: TeamEventProjection,
    ranking: list[view_models.RankingRow],
    matches_by_teams: dict[tuple[int, int], list[view_models.MatchPoints]],
) -> dict[str, Cells]:
    teams = sorted((row.team for row in ranking), key=lambda team: team.number)

    def cell(one: Team, other: Team) -> str:
        matches = matches_by_teams.get((one.id, other.id))
        if not matches:
            return ""
        make: Callable[[], str] = partial(_macros().cross_cell, projection.event, one, other, matches)
        return projection.keep(("cross", one.id, other.id), matches, make)

    return {
        str(one.id): (f"{one.number} {one.name}", *(cell(one, other) for other in teams)) for one in teams
    }


# Pages of one match and one team --------------------------------------------------------------------------------------


def match_regions(division: int, round_: int, home: int, projection: TeamEventProjection) -> Regions:
    """Render a match: its total, its line-ups and its published boards."""
    match = view_models.find_match(projection, projection.division(division), round_, home)
    parts = [
        (
            projection.view.boards(segment),
            view_models.published_boards(projection, segment),
            view_models.rooms(projection, segment, projection.hidden),
        )
        for segment in (line.segment for line in match.lines)
    ]
    inputs = match.own, parts
    return projection.keep(("match", division, round_, home), inputs, partial(_match, projection, match))


def _match(projection: TeamEventProjection, match: view_models.MatchLine) -> Regions:
    segments = []
    for line in match.lines:
        published = view_models.published_boards(projection, line.segment)
        figures = projection.view.board_figures(line.segment, match.pairing)
        carried = line.home.imp_carry_over, line.away.imp_carry_over
        boards = view_models.board_rows(figures, carried, published)
        segments.append(
            (
                line,
                view_models.rooms(projection, line.segment, projection.hidden),
                boards,
                len(figures) - len(boards),
            )
        )
    return {
        "page": render(
            "part/teams_match.html",
            event=projection.event,
            division=match.division,
            match=match,
            segments=segments,
            adjustments=view_models.adjustments(projection.event, match),
        )
    }


def team_regions(team_id: int, projection: TeamEventProjection) -> Regions:
    """Render a team: its players and its matches; raise NotFound if there is no such team."""
    event = projection.event
    team = event.teams.get(team_id)
    if team is None:
        raise NotFound(f"There is no team {team_id} in {event.name}.")
    division = event.divisions[team.serie]
    row = next(row for row in view_models.ranking_rows(projection, division) if row.team.id == team_id)
    matches = [
        match
        for _, played in sorted(view_models.match_lines(projection, division).items())
        for match in played
        if team_id in (match.home.id, match.away.id)
    ]
    members = view_models.roster(event, team, projection.hidden)
    part = partial(
        render,
        "part/teams_team.html",
        event=event,
        division=division,
        team=team,
        row=row,
        matches=matches,
        members=members,
    )
    inputs = row, members, [match.own for match in matches]
    return projection.keep(("team", team_id), inputs, lambda: {"page": part()})


class TeamPages:
    """The pages of team events that need no password."""

    def __init__(self, site: Site, teams: LiveTeamEvents) -> None:
        self.site = site
        self.teams = teams
        prepare()

    def routes(self) -> list[Route]:
        """Return the public routes of team events."""
        pages: dict[str, Callable[[Request], Rendering]] = {
            "": lambda request: event_regions,
            "/{serie:int}": lambda request: partial(division_regions, request.path_params["serie"]),
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
        """List all team events."""
        self.site.check_results(request)
        return self.site.page(request, "teams_list.html", events=await self.teams.events())

    async def page(self, rendering: Callable[[Request], Rendering], request: Request) -> Response:
        """Show a page of an event."""
        self.site.check_results(request)
        guid = request.path_params["event"]
        render = rendering(request)

        def read(projection: TeamEventProjection) -> tuple[str, int, dict[str, str]]:
            return projection.name, projection.version, as_html(render(projection))

        name, version, regions = await self.teams.read(guid, read)
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
        """Stream the changes of a page."""
        self.site.check_results(request)
        guid = request.path_params["event"]
        follow = partial(self.teams.follow, guid, request.url.path, rendering(request))
        return EventStream(follow).while_allowed(partial(self.site.access.may_see_results, request))


def prepare() -> None:
    """Register the filters and functions that the team templates use."""
    templates = environment()
    templates.filters["figure"] = view_models.figure
    templates.filters["signed"] = view_models.signed
    templates.globals.update(method_words=method_words, points_words=view_models.points_words)


def method_words(division: Division) -> str:
    """Return the format and scoring of a division, in a line.

    >>> from overtrick.scoring import Method
    >>> method_words(Division(1, "Open", TeamFormat.SWISS, Method.TEAM_IMPS, 16))
    'Swiss · IMPs · 16 boards per round'
    """
    parts = [
        division.format.value.capitalize(),
        "reported, not calculated"
        if division.method is None
        else view_models.METHOD_WORDS.get(division.method, division.method.value),
    ]
    if division.boards:
        parts.append(f"{division.boards} boards per round")
    return " · ".join(parts)
