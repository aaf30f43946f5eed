"""The pages that set up a session, in a new event or an existing one."""

import asyncio
from contextlib import suppress
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.errors import BadInput
from overtrick.event import AddSession, Event, JournalState, Session
from overtrick.event.movement import table_plans
from overtrick.web.forms import Form, read_count, read_line, read_number
from overtrick.web.login import LoginPages, read_director_form
from overtrick.web.movement_options import MOST_BOARDS_A_ROUND, MOST_COPIES, read_offered
from overtrick.web.own_movement_pages import section_movement
from overtrick.web.session_projection import SessionProjection
from overtrick.web.session_setup import (
    FIRST_ROUNDS,
    KINDS,
    MOST_BOARDS,
    MOST_ROUNDS,
    MOST_SECTIONS,
    RULE_SET_WORDS,
    USUAL_BOARDS,
    USUAL_ROUNDS,
    GameOption,
    NotChosen,
    ParentEvent,
    SessionRequest,
    free_letters,
    methods_of,
    movement_sheet,
    open_command,
    parent_event,
    read_session_request,
)
from overtrick.web.session_setup_again import again_command, chosen_movements, setup_form
from overtrick.web.site import Site


class SessionSetupPages:
    """The form for a new session, its movements, and its creation."""

    def __init__(self, site: Site, login_pages: LoginPages) -> None:
        self.site = site
        self.login_pages = login_pages

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/desk/new", self.login_pages.guarded(self.new)),
            Route("/desk/new/sheet", self.login_pages.guarded(self.sheet)),
            Route("/desk/new", self.create, methods=["POST"]),
        ]

    async def new(self, request: Request) -> Response:
        """Show the form for a new session."""
        form: Form = dict(request.query_params)
        joining = await self._joining(form)
        if joining is not None and set(form) == {"again"}:
            form = {**form, **setup_form(joining.last)}
            with suppress(BadInput):
                wanted = await asyncio.to_thread(self._read, form, joining)
                form = {**form, **chosen_movements(joining.last, wanted)}
        return await self._page(request, form, joining)

    async def _page(
        self, request: Request, form: Form, joining: ParentEvent | None, status: int = 200, notice: str = ""
    ) -> Response:
        """Show the form with everything that was typed, the movements for its numbers, and the problem, if any."""
        problem = ""
        session_request: SessionRequest | None = None
        try:
            # In a thread, because the movements of a large event can take a second.
            session_request = await asyncio.to_thread(self._read, form, joining)
        except BadInput as error:
            problem = str(error)
        kind = KINDS.get(form.get("game", ""), KINDS["pairs"])
        return self.site.page(
            request,
            "new.html",
            status,
            asked=form,
            wanted=session_request,
            counts=_counts(form, joining, kind, session_request),
            kind=kind,
            kinds=KINDS,
            most_sections=MOST_SECTIONS,
            most_rounds=MOST_ROUNDS,
            most_boards=MOST_BOARDS,
            usual_rounds=USUAL_ROUNDS,
            usual_boards=USUAL_BOARDS,
            first_rounds=FIRST_ROUNDS,
            methods=methods_of(kind.game),
            rule_sets=RULE_SET_WORDS,
            joining=joining,
            name=read_line(form, "name"),
            today=self.site.now().astimezone().date(),
            most_boards_a_round=MOST_BOARDS_A_ROUND,
            most_copies=MOST_COPIES,
            problem=problem,
            notice="" if notice == problem else notice,
        )

    async def sheet(self, request: Request) -> Response:
        """Show a movement on one sheet: opponents, tables and boards of every round."""
        form = dict(request.query_params)
        kind = KINDS.get(form.get("game", ""), KINDS["pairs"])
        count = read_count(form, "count", kind.least, kind.most, kind.many)
        boards = read_count(form, "boards", 2, 60, "boards")
        own = self.site.own_movements.movements().values()
        offered = read_offered(form, kind.game, own)
        movements = await asyncio.to_thread(offered.offers, kind.game, count, boards)
        if not movements:
            raise BadInput("No movement fits these numbers.")
        choice = movements[read_number(form, "choice", 0, len(movements) - 1, "movement")]
        sheet = movement_sheet(table_plans(choice.movement, "A"))
        return self.site.page(
            request, "sheet.html", choice=choice, sheet=sheet, kind=kind, query=request.url.query
        )

    async def create(self, request: Request) -> Response:
        """Create the session of a form; show the form again if it is incomplete or asks for movements."""
        form = await read_director_form(self.site, request)
        joining = await self._joining(form)
        if form.get("do") == "offers":
            return await self._page(request, form, joining)
        # The guid is derived from the form's command id, so that a form that is sent twice creates one session.
        guid = form["command"].removeprefix("web-")[:32].upper()
        is_again = bool(form.get("again"))
        if joining is not None and is_again:
            guid = joining.last.opened.session
        today = self.site.now().astimezone().date()
        try:
            session_request = await asyncio.to_thread(self._read, form, joining)
            command = open_command(session_request, form, guid, today, joining)
        except BadInput as error:
            status = 409 if isinstance(error, NotChosen) else 400
            return await self._page(request, form, joining, status, str(error))
        if joining is not None and isinstance(command, AddSession) and is_again:
            command = again_command(joining.last, command.plan, form)
        await self.site.do(command, command_id=form["command"])
        return RedirectResponse(f"/desk/{guid}/players", 303)

    def _read(self, form: Form, joining: ParentEvent | None) -> SessionRequest:
        own = list(self.site.own_movements.movements().values())
        request = read_session_request(form, joining, own)
        if joining is None or not form.get("again") or request.kind.is_swiss:
            return request
        # Offer the movement that a session has, even if no choice in the form leads to it.
        found = chosen_movements(joining.last, request)
        missing = [
            section.letters
            for number, section in enumerate(request.sections, start=1)
            if f"choice-{number}" not in found and joining.last.movement.section(section.letters)
        ]
        if not missing:
            return request
        for letters in missing:
            own.append(
                replace(section_movement(joining.last, letters), name=f"movement of section {letters} so far")
            )
        return read_session_request(form, joining, own)

    async def _joining(self, form: Form) -> ParentEvent | None:
        """Return the event to add the session to; None for a new event.

        If the set-up of a session is changed, that session is the last one, and its letters and groups are free.
        """
        if form.get("again"):
            return await self._event_of(form["again"][:40])
        event = form.get("event", "")
        if not event:
            return None
        lines = [line for line in await self.site.live.sessions() if line.event == event]
        sessions: list[Session] = [
            await self.site.live.look(line.session, lambda projection: projection.view.session.after(()))
            for line in reversed(lines)
        ]
        parent = parent_event(event, sessions)
        letters, groups = await self._claims(event)
        return replace(parent, letters=parent.letters | letters, groups=parent.groups | groups)

    async def _event_of(self, guid: str) -> ParentEvent:
        """Return the event of a session whose set-up is changed; raise BadInput if a scoring program set it up."""

        def look(projection: SessionProjection) -> Session:
            if projection.is_from_program:
                raise BadInput("A scoring program set up this session. Change the set-up there.")
            return projection.view.session.after(())

        session = await self.site.live.look(guid, look)
        event = session.opened.event
        letters, groups = await self._claims(event, guid)
        return ParentEvent(event, session.opened.name, letters, groups, session)

    async def _claims(self, event: str, but: str = "") -> tuple[frozenset[str], frozenset[int]]:
        """Return the letters and groups of an event's sessions, those in the bin included, but not of one session."""

        def look(state: JournalState) -> tuple[frozenset[str], frozenset[int]]:
            found = state.event(event) or Event(event)
            return (
                frozenset(each for guid, those in found.letters.items() if guid != but for each in those),
                frozenset(each for guid, those in found.groups.items() if guid != but for each in those),
            )

        return await self.site.read(look)


def _counts(
    form: Form, joining: ParentEvent | None, kind: GameOption, session_request: SessionRequest | None
) -> list[tuple[str, str]]:
    """Return the letters and the count of each section for the form; invalid numbers stay as they were typed."""
    if session_request is not None:
        return [(section.letters, str(section.count)) for section in session_request.sections]
    numbers = range(1, MOST_SECTIONS + 1)
    text = form.get("sections", "1").strip()
    typed = [number for number in numbers if f"count-{number}" in form]
    sections = next((number for number in numbers if str(number) == text), max(typed, default=1))
    return [
        (letter, form.get(f"count-{number}", str(kind.usual)))
        for number, letter in enumerate(free_letters(joining)[:sections], start=1)
    ]
