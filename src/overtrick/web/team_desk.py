"""The desk of team events: pages, and forms that become commands (divisions, teams, draws, line-ups, results)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from overtrick.directing.previews import StalePreview
from overtrick.directing.qualification import qualify
from overtrick.directing.team_draws import draw_rounds, sit_out_points
from overtrick.directing.team_tables import TeamTableLayout, plan_team_tables
from overtrick.errors import BadInput
from overtrick.event import Fact, JournalState
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import Division, Room, RoundDrawn, Segment, TeamAdjusted, TeamEvent, TeamFormat
from overtrick.guid import new_guid
from overtrick.views.teams import TeamView
from overtrick.web import team_forms as forms
from overtrick.web import team_view_models as view_models
from overtrick.web.forms import Form, read_count, read_line, read_number
from overtrick.web.login import ALREADY_DONE, LoginPages, local_path, read_director_form
from overtrick.web.session_projection import NotFound
from overtrick.web.site import Site
from overtrick.web.sse_messages import Regions
from overtrick.web.sse_response import EventStream
from overtrick.web.team_desk_tabs import (
    division_regions,
    event_regions,
    match_regions,
    team_regions,
    teams_regions,
)
from overtrick.web.team_pages import prepare
from overtrick.web.team_projection import LiveTeamEvents, Rendering, TeamEventProjection

FormParser = Callable[[TeamEventProjection, Form], list[Fact]]
"""A function that parses a form into facts, given the event."""
SESSIONS_SHOWN = 20
"""The number of newest sessions to choose from."""


@dataclass(frozen=True, slots=True)
class TeamForm:
    """A form that changes an event: its parser, and the message after success."""

    facts: FormParser
    message: str


def _of_event(read: Callable[[TeamEvent, Form], list[Fact]]) -> FormParser:
    return lambda projection, form: read(projection.view.event, form)


def _of_state(read: Callable[[JournalState, TeamEvent, Form], list[Fact]]) -> FormParser:
    return lambda projection, form: read(projection.journal_state, projection.view.event, form)


def _of_view(read: Callable[[TeamView, Form], list[Fact]]) -> FormParser:
    return lambda projection, form: read(projection.view, form)


CHANGES: dict[str, TeamForm] = {
    "serie": TeamForm(_of_event(forms.division_facts), "Division saved."),
    "teams": TeamForm(_of_state(forms.new_teams), "Teams entered."),
    "team": TeamForm(_of_event(forms.team_facts), "Team saved."),
    "roster": TeamForm(_of_state(forms.roster_facts), "Roster saved."),
    "board": TeamForm(_of_view(forms.board_facts), "Saved."),
    "report": TeamForm(_of_view(forms.report_facts), "Reported IMPs saved."),
    "line-up": TeamForm(_of_view(forms.line_up_facts), "Line-up saved."),
    "adjust": TeamForm(_of_event(forms.adjust_facts), "Adjustment saved."),
    "carry": TeamForm(_of_event(forms.carry_facts), "Carry-over saved."),
    "note": TeamForm(_of_view(forms.note_facts), "Comment saved."),
    "seat": TeamForm(_of_event(forms.seat_facts), "Tables saved."),
    "map": TeamForm(_of_event(forms.tournament_facts), "Tournament name saved."),
}


class TeamDesk:
    """The director's pages of team events."""

    def __init__(self, site: Site, teams: LiveTeamEvents) -> None:
        self.site = site
        self.teams = teams
        self.login_pages = LoginPages(site)
        prepare()

    def routes(self) -> list[Route]:
        """Return the routes of the team desk."""
        pages: dict[str, Callable[[Request], Rendering]] = {
            "": lambda request: event_regions,
            "/{serie:int}": lambda request: partial(division_regions, _number(request, "serie")),
            "/{serie:int}/teams": lambda request: partial(teams_regions, _number(request, "serie")),
            "/team/{team:int}": lambda request: partial(team_regions, _number(request, "team")),
            "/{serie:int}/{round:int}/{home:int}": lambda request: partial(
                match_regions,
                _number(request, "serie"),
                _number(request, "round"),
                _number(request, "home"),
            ),
        }
        guarded = self.login_pages.guarded
        return [
            Route("/desk/teams", guarded(self.home)),
            Route("/desk/teams/new", self.create, methods=["POST"]),
            Route("/desk/teams/{event}/tables", guarded(self.tables_form)),
            Route("/desk/teams/{event}/{serie:int}/draw", guarded(self.draw_preview)),
            Route("/desk/teams/{event}/{serie:int}/qualify", guarded(self.qualify_preview)),
            Route("/desk/teams/{event}/{serie:int}/{round:int}/{home:int}/board", guarded(self.board_form)),
            *(
                Route(f"/desk/teams/{{event}}{path}{end}", guarded(partial(show, rendering)))
                for path, rendering in pages.items()
                for end, show in (("", self.page), ("/stream", self.stream))
            ),
            Route("/desk/teams/{event}/act/event", partial(self.run_action, self.rename), methods=["POST"]),
            Route("/desk/teams/{event}/act/draw", partial(self.run_action, self.draw), methods=["POST"]),
            Route(
                "/desk/teams/{event}/act/lay", partial(self.run_action, self.create_tables), methods=["POST"]
            ),
            Route(
                "/desk/teams/{event}/act/qualify", partial(self.run_action, self.qualify), methods=["POST"]
            ),
            *(
                Route(
                    f"/desk/teams/{{event}}/act/{name}",
                    partial(self.run_action, partial(self.change, change)),
                    methods=["POST"],
                )
                for name, change in CHANGES.items()
            ),
        ]

    # Pages ------------------------------------------------------------------------------------------------------

    async def home(self, request: Request) -> Response:
        """Show the team events, with the forms to create one and to import a file."""
        events = await self.teams.events()
        event_guids = {line.event for line in events}
        newest = await self.site.live.sessions(most=SESSIONS_SHOWN)
        sessions = {line.event: line.name for line in reversed(newest)}
        return self.site.page(
            request,
            "teams_desk_home.html",
            events=events,
            sessions=[(guid, name) for guid, name in sessions.items() if guid not in event_guids],
            formats=TeamFormat,
            methods=forms.METHODS,
        )

    async def page(self, rendering: Callable[[Request], Rendering], request: Request) -> Response:
        """Show a page of an event's desk."""
        guid, render = request.path_params["event"], rendering(request)

        def read(projection: TeamEventProjection) -> tuple[str, list[Division], int, int, Regions]:
            event, regions = projection.view.event, render(projection)
            team = event.teams.get(request.path_params.get("team", 0))
            division_id = team.serie if team else request.path_params.get("serie", 0)
            return event.name, list(event.divisions.values()), division_id, projection.version, regions

        name, divisions, division_id, version, regions = await self.teams.read(guid, read)
        path = request.url.path
        return self.site.page(
            request,
            "teams_desk_page.html",
            name=name,
            guid=guid,
            divisions=divisions,
            here=division_id,
            regions=regions,
            stream=f"{path}/stream?after={version}",
        )

    async def stream(self, rendering: Callable[[Request], Rendering], request: Request) -> Response:
        """Stream the changes of a page."""
        guid = request.path_params["event"]
        follow = partial(self.teams.follow, guid, request.url.path, rendering(request))
        return EventStream(follow).while_allowed(partial(self.site.access.is_director, request))

    async def board_form(self, request: Request) -> Response:
        """Show the form for one board in both rooms."""
        guid = request.path_params["event"]
        division, round_, home = (_number(request, name) for name in ("serie", "round", "home"))
        form = dict(request.query_params)
        number = read_number(form, "segment", 1, 999, "segment")
        board = read_number(form, "board", 1, 999, "board")

        def read(projection: TeamEventProjection) -> dict[str, object]:
            match = view_models.find_match(projection, projection.division(division), round_, home)
            if number > len(match.lines):
                raise NotFound(f"The match has {len(match.lines)} segments.")
            results = projection.view.boards(Segment(division, round_, number, home))
            event = projection.view.event
            rooms = [
                (room, results.get((room, board)), *((ns, ew) if room is Room.OPEN else (ew, ns)))
                for ns, ew in ((match.home, match.away),)
                for room in Room
            ]
            return {"name": event.name, "match": match, "rooms": rooms}

        variables = await self.teams.read(guid, read)
        return self.site.page(request, "teams_board.html", guid=guid, number=number, board=board, **variables)

    async def tables_form(self, request: Request) -> Response:
        """Show the form that assigns the tables of sessions to the event."""
        guid = request.path_params["event"]
        name, divisions = await self.teams.read(
            guid,
            lambda projection: (projection.view.event.name, list(projection.view.event.divisions.values())),
        )
        tables: list[tuple[str, str]] = []
        for line in await self.site.live.sessions(most=SESSIONS_SHOWN):
            letters = await self.site.live.read(
                line.session, lambda projection: sorted(projection.view.session.setup.sections)
            )
            tables += [
                (f"{line.session}.{section}", f"{line.name}, section {section}") for section in letters
            ]
        return self.site.page(
            request, "teams_tables.html", guid=guid, name=name, divisions=divisions, tables=tables
        )

    # Actions ----------------------------------------------------------------------------------------------------

    async def create(self, request: Request) -> Response:
        """Create a team event with its first division; raise BadInput if the event exists."""
        form = await read_director_form(self.site, request)
        guid = form.get("event", "") or form["command"].removeprefix("web-")[:32].upper()

        def next_key(journal_state: JournalState) -> int:
            if guid in journal_state.team_events:
                raise BadInput(f"{journal_state.team_events[guid].name} already exists. Nothing was changed.")
            return max((event.id for event in journal_state.team_events.values()), default=0) + 1

        division = forms.division_facts(
            TeamEvent(), {**form, "name": form.get("serie-name", ""), "serie": ""}
        )
        if not await self.site.was_done(form["command"]):
            opening = SetTeamEvent(guid, read_line(form, "name"), await self.teams.read_state(next_key))
            await self.site.do(PutTeamFacts(guid, tuple(division), opening), command_id=form["command"])
        return RedirectResponse(f"/desk/teams/{guid}/{division_id_of(division)}/teams", 303)

    async def run_action(self, action: Callable[[str, Form], Awaitable[str]], request: Request) -> Response:
        """Run a form's action once per command id; answer with a JSON message or a redirect."""
        form = await read_director_form(self.site, request)
        guid = request.path_params["event"]
        sentence = ALREADY_DONE if await self.site.was_done(form["command"]) else await action(guid, form)
        back = local_path(form.get("back", ""), f"/desk/teams/{guid}")
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"sentence": sentence, "go": back if form.get("back") else ""})
        return RedirectResponse(back, 303)

    async def change(self, change: TeamForm, guid: str, form: Form) -> str:
        """Submit the facts of a form and return the message."""
        facts = await self.teams.read(guid, lambda projection: change.facts(projection, form))
        answer = await self.site.do(PutTeamFacts(guid, tuple(facts)), command_id=form["command"])
        if not answer.spans:
            return "No change."
        return {"erase": "Erased.", "drop": "Team removed."}.get(form.get("do", ""), change.message)

    async def rename(self, guid: str, form: Form) -> str:
        """Rename the event and return the message."""
        key = await self.teams.read(guid, lambda projection: projection.view.event.id)
        await self.site.do(SetTeamEvent(guid, read_line(form, "name"), key), command_id=form["command"])
        return "Name saved."

    # Draws ------------------------------------------------------------------------------------------------------

    def _draw_rounds(
        self, division: Division, form: Form, projection: TeamEventProjection
    ) -> list[RoundDrawn]:
        """Return the rounds that a form would draw."""
        segments = read_count(form, "segments", 1, 20, "segments")
        pairs = forms.pairs_of(form.get("pairs", ""))
        redrawn_round = read_number(form, "round", 1, 999, "round") if form.get("round") else 0
        return draw_rounds(
            projection.view,
            division,
            segments,
            pairs,
            redrawn_round,
            is_lagging=bool(form.get("lagging")),
            has_triangle=bool(form.get("triangle")),
        )

    async def draw_preview(self, request: Request) -> Response:
        """Show the draw that a form would make, or the problem with it."""
        guid = request.path_params["event"]
        defaults = {"segments": "1", "pairs": "", "round": "", "lagging": "", "triangle": "", "sit_out": "12"}
        form = {**defaults, **dict(request.query_params)}

        def read(projection: TeamEventProjection) -> dict[str, object]:
            division = projection.division(request.path_params["serie"])
            rounds: list[RoundDrawn] = []
            problem = ""
            try:
                rounds = self._draw_rounds(division, form, projection)
            except BadInput as error:
                problem = str(error)
            event = projection.view.event
            return {
                "name": event.name,
                "division": division,
                "rounds": rounds,
                "teams": dict(event.teams),
                "seen": forms.rounds_text(rounds),
                "problem": problem,
                "entered": event.teams_of(division.id),
                "drawn_rounds": projection.view.rounds(division.id),
            }

        variables = await self.teams.read(guid, read)
        return self.site.page(request, "teams_draw.html", guid=guid, form=form, **variables)

    async def draw(self, guid: str, form: Form) -> str:
        """Submit the draw of the preview and return the message; raise StalePreview if it has changed."""

        vps = forms.decimal_of({"sit_out": "12", **form}, "sit_out", "VPs") or 0

        def read(projection: TeamEventProjection) -> tuple[list[RoundDrawn], list[TeamAdjusted]]:
            division = forms.division_of(projection.view.event, form)
            rounds = self._draw_rounds(division, form, projection)
            return rounds, sit_out_points(projection.view, division, rounds, vps)

        rounds, sit_outs = await self.teams.read(guid, read)
        if form.get("seen", "") != forms.rounds_text(rounds):
            raise StalePreview(
                "The draw has changed in the meantime. Nothing was changed. Check the draw again."
            )
        await self.site.do(PutTeamFacts(guid, (*rounds, *sit_outs)), command_id=form["command"])
        words = f"rounds 1 to {len(rounds)} are" if len(rounds) > 1 else f"round {rounds[0].round} is"
        return f"{words[0].upper()}{words[1:]} drawn."

    async def create_tables(self, guid: str, form: Form) -> str:
        """Create the tables on which terminals score a segment, and return the message."""
        first = read_number(form, "first", 1, 999, "first board")
        boards = range(first, read_number(form, "last", first, 999, "last board") + 1)
        round_ = read_number(form, "round", 1, 999, "round")
        segment = read_number(form, "segment", 1, 999, "segment")
        day = self.site.now().astimezone().date()

        def read(projection: TeamEventProjection) -> TeamTableLayout:
            event = projection.view.event
            division = forms.division_of(event, form)
            session = new_guid()
            return plan_team_tables(
                projection.journal_state, event, division, round_, segment, boards, session=session, day=day
            )

        layout = await self.teams.read(guid, read)
        await self.site.do(layout.command, command_id=form["command"])
        return f"Round {round_} is at the tables of section {layout.section}. Their table cards are on the event page."

    async def qualify_preview(self, request: Request) -> Response:
        """Show the teams that would qualify, or the problem with it."""
        guid = request.path_params["event"]
        form = dict(request.query_params)

        def read(projection: TeamEventProjection) -> dict[str, object]:
            origin = projection.division(request.path_params["serie"])
            event = projection.view.event
            final = forms.division_of(event, form, "to")
            first, last = forms.places_of(form)
            problem = ""
            try:
                qualify(projection.journal_state, projection.view, origin, first, last, final)
            except BadInput as error:
                problem = str(error)
            rows = view_models.ranking_rows(projection, origin)[first - 1 : last]
            return {
                "name": event.name,
                "division": origin,
                "final": final,
                "rows": rows,
                "problem": problem,
                "seen": " ".join(str(row.team.id) for row in rows),
            }

        variables = await self.teams.read(guid, read)
        return self.site.page(request, "teams_qualify.html", guid=guid, form=form, **variables)

    async def qualify(self, guid: str, form: Form) -> str:
        """Enter the best teams of a division in another; raise StalePreview if they are not those of the preview."""

        def read(projection: TeamEventProjection) -> tuple[list[Fact], str, str]:
            event = projection.view.event
            origin, final = forms.division_of(event, form), forms.division_of(event, form, "to")
            first, last = forms.places_of(form)
            facts = qualify(projection.journal_state, projection.view, origin, first, last, final)
            best = projection.view.ranking(origin.id)[first - 1 : last]
            return facts, final.name, " ".join(str(standing.team) for standing in best)

        facts, name, best = await self.teams.read(guid, read)
        if form.get("seen", "") != best:
            raise StalePreview(
                "The ranking has changed in the meantime. Nothing was changed. Check it again."
            )
        await self.site.do(PutTeamFacts(guid, tuple(facts)), command_id=form["command"])
        return f"{len(facts) // 2} teams entered in {name}."


def division_id_of(facts: list[Fact]) -> int:
    """Return the id of the division that the first fact sets."""
    return int(facts[0].serie.id)  # type: ignore[attr-defined]


def _number(request: Request, name: str) -> int:
    return int(request.path_params[name])
