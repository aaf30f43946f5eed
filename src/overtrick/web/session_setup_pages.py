"""The pages that set up a session, in a new event or an existing one."""

import asyncio
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.errors import BadInput
from overtrick.event import AddSession
from overtrick.event.movement import table_plans
from overtrick.web.forms import Form, read_line, read_number
from overtrick.web.login import LoginPages, read_director_form
from overtrick.web.movement_options import MOST_BOARDS_A_ROUND, MOST_COPIES
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
)
from overtrick.web.session_setup_again import again_command, chosen_movements, setup_form
from overtrick.web.session_setup_reader import SessionSetupReader
from overtrick.web.site import Site


class SessionSetupPages:
    """The form for a new session, its movements, and its creation."""

    def __init__(self, site: Site, login_pages: LoginPages) -> None:
        self.site = site
        self.login_pages = login_pages
        self._setup = SessionSetupReader(site)

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
        parent = await self._setup.parent_event(form)
        if parent is not None and set(form) == {"again"}:
            form = {**form, **setup_form(parent.last)}
            with suppress(BadInput):
                session_request = await asyncio.to_thread(self._setup.read, form, parent)
                form = {**form, **chosen_movements(parent.last, session_request)}
        return await self._page(request, form, parent)

    async def _page(
        self, request: Request, form: Form, parent: ParentEvent | None, status: int = 200, notice: str = ""
    ) -> Response:
        """Show the form with everything that was typed, the movements for its numbers, and the problem, if any."""
        problem = ""
        session_request: SessionRequest | None = None
        try:
            # In a thread, because the movements of a large event can take a second.
            session_request = await asyncio.to_thread(self._setup.read, form, parent)
        except BadInput as error:
            problem = str(error)
        kind = KINDS.get(form.get("game", ""), KINDS["pairs"])
        return self.site.page(
            request,
            "new.html",
            status,
            form=form,
            setup=session_request,
            counts=_counts(form, parent, kind, session_request),
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
            parent=parent,
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
        movements = await asyncio.to_thread(self._setup.movements, form)
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
        parent = await self._setup.parent_event(form)
        if form.get("do") == "offers":
            return await self._page(request, form, parent)
        # The guid is derived from the form's command id, so that a form that is sent twice creates one session.
        guid = form["command"].removeprefix("web-")[:32].upper()
        is_again = bool(form.get("again"))
        if parent is not None and is_again:
            guid = parent.last.opened.session
        today = self.site.now().astimezone().date()
        try:
            session_request = await asyncio.to_thread(self._setup.read, form, parent)
            command = open_command(session_request, form, guid, today, parent)
        except BadInput as error:
            status = 409 if isinstance(error, NotChosen) else 400
            return await self._page(request, form, parent, status, str(error))
        if parent is not None and isinstance(command, AddSession) and is_again:
            command = again_command(parent.last, command.plan, form)
        await self.site.do(command, command_id=form["command"])
        return RedirectResponse(f"/desk/{guid}/players", 303)


def _counts(
    form: Form, parent: ParentEvent | None, kind: GameOption, session_request: SessionRequest | None
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
        for number, letter in enumerate(free_letters(parent)[:sections], start=1)
    ]
