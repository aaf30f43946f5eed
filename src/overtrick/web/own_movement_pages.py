"""The pages of the club's own movements: drawn up as text, imported from a file, checked, and saved."""

import asyncio
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.bws.contents import open_contents
from overtrick.bws.event_from_file import read_event
from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Session
from overtrick.event.movement import TablePlan, movement_of, table_plans, without_missing_pair
from overtrick.movements import Movement, MovementError
from overtrick.web.forms import Form, read_count, read_line, read_number
from overtrick.web.login import LoginPages, read_director_form
from overtrick.web.movement_options import MOST_BOARDS_A_ROUND, game_of, read_offered
from overtrick.web.session_projection import NotFound
from overtrick.web.session_setup import KINDS, movement_sheet
from overtrick.web.site import Site

LARGEST = 4 * 1024 * 1024
"""The limit on a file, in bytes."""
ACCESS_SIGNATURE = b"\x00\x01\x00\x00Standard"
"""The first bytes of an Access file, and so of a `.bws` file."""

EXAMPLE = """round,table,ns,ew,boards
1,1,1,4,1-4
1,2,2,3,5-8
2,1,1,3,5-8
2,2,4,2,1-4
"""
"""The placeholder of the text field, which shows the columns."""


class OwnMovementPages:
    """The list of own movements with the form that adds one, and the sheet of each."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.login_pages = LoginPages(site)

    def routes(self) -> list[Route]:
        """Return the routes; they must precede those of the desk, which would read `movements` as a session."""
        guarded = self.login_pages.guarded
        return [
            Route("/desk/movements", guarded(self.page)),
            Route("/desk/movements", self.save, methods=["POST"]),
            Route("/desk/movements/remove", self.remove, methods=["POST"]),
            Route("/desk/movements/sheet", guarded(self.sheet)),
        ]

    async def page(self, request: Request) -> Response:
        """Show the movements, and the form: empty, or with a movement of the set-up page, a session or the list."""
        form = dict(request.query_params)
        movement = await self._prefilled(form)
        name = "" if movement is None or "choice" in form else movement.name
        text = movement.dump("csv") if movement else ""
        return self._page(request, {"name": name, "text": _without_remarks(text)})

    def _page(self, request: Request, form: Form, status: int = 200, problem: str = "") -> Response:
        movements = self.site.own_movements.movements()
        return self.site.page(
            request,
            "desk_movements.html",
            status,
            movements=[
                (movement, KINDS[game_of(movement).value]) for _, movement in sorted(movements.items())
            ],
            form=form,
            example=EXAMPLE,
            problem=problem,
            most_boards=MOST_BOARDS_A_ROUND,
        )

    async def _prefilled(self, form: Form) -> Movement | None:
        if form.get("session"):
            section = form.get("section", "A")[:3]

            return await self.site.live.read(
                form["session"], lambda projection: section_movement(projection.view.session, section)
            )
        if "name" in form:
            return self._find(form["name"])
        if "choice" not in form:
            return None
        kind = KINDS.get(form.get("game", ""), KINDS["pairs"])
        count = read_count(form, "count", kind.least, kind.most, kind.many)
        boards = read_count(form, "boards", 2, 60, "boards")
        offered = read_offered(form, kind.game, self.site.own_movements.movements().values())
        choices = await asyncio.to_thread(offered.offers, kind.game, count, boards)
        if not choices:
            raise BadInput("No movement fits these numbers.")
        return choices[read_number(form, "choice", 0, len(choices) - 1, "movement")].movement

    def _find(self, name: str) -> Movement:
        movement = self.site.own_movements.movements().get(name)
        if movement is None:
            raise NotFound("There is no such movement.")
        return movement

    async def sheet(self, request: Request) -> Response:
        """Show an own movement on one sheet."""
        movement = self._find(request.query_params.get("name", ""))
        return self.site.page(
            request, "own_sheet.html", movement=movement, sheet=movement_sheet(table_plans(movement, "A"))
        )

    async def save(self, request: Request) -> Response:
        """Check and save the movement of a form, from its file or its text; show the form again with the problems."""
        async with request.form(max_files=1, max_fields=10) as fields:
            form = {name: value for name, value in fields.items() if isinstance(value, str)}
            self.site.access.check_form(request, form.get("token", ""))
            file = fields.get("file")
            content = await file.read(LARGEST) if isinstance(file, UploadFile) else b""
            title = Path(file.filename or "").stem[:60] if isinstance(file, UploadFile) else ""
        try:
            movements = await asyncio.to_thread(read_movements, form, content, title, self.site.now().date())
            await asyncio.to_thread(self.site.own_movements.save, *movements)
        except (BadInput, MovementError) as error:
            return self._page(request, form, 400, str(error))
        return RedirectResponse("/desk/movements", 303)

    async def remove(self, request: Request) -> Response:
        """Remove a movement; sessions that play it are not changed."""
        form = await read_director_form(self.site, request)
        await asyncio.to_thread(self.site.own_movements.remove, form.get("name", ""))
        return RedirectResponse("/desk/movements", 303)


def section_movement(session: Session, section: str) -> Movement:
    """Return the movement of a section; raise BadInput if it has none."""
    tables = session.movement.section(section)
    if not tables:
        raise BadInput(f"There is no section {section} with tables.")
    plans = [TablePlan(number, table.rounds) for number, table in tables.items()]
    return movement_of(plans, f"{session.opened.name} {section}"[:60], session.winners(section))


def played_movement(session: Session, section: str) -> Movement:
    """Return the movement as a section plays it: opponents of a missing pair sit out, a table with nobody is empty."""
    setup = session.setup.sections[section]
    plans = [
        TablePlan(number, tuple(without_missing_pair(setup, played) for played in table.rounds))
        for number, table in session.movement.section(section).items()
    ]
    return movement_of(plans, section, session.winners(section))


def read_movements(form: Form, content: bytes, title: str, today: date) -> list[Movement]:
    """Return the movements of a form: one, or one for each section of a `.bws` file. Raise BadInput or MovementError.

    `content` is the file, `title` its name; without a file the text of the form is read.
    """
    name = read_line(form, "name")
    per_round = form.get("per_round", "").strip()
    size = read_count(form, "per_round", 1, MOST_BOARDS_A_ROUND, "boards a round") if per_round else None
    if content.startswith(ACCESS_SIGNATURE):
        return _from_session_file(content, name or title or "Session file", today)
    if not content and not form.get("text", "").strip():
        raise BadInput("Choose a file, or write the movement. Nothing was saved.")
    if not content and not name:
        raise BadInput("Give the movement a name. Nothing was saved.")
    movement = Movement.load(content or form["text"], name=name or title, boards_per_round=size)
    return [replace(movement, name=name or movement.name)]


def _from_session_file(content: bytes, name: str, today: date) -> list[Movement]:
    with TemporaryDirectory(prefix="overtrick-") as folder:
        path = Path(folder) / "session.bws"
        path.write_bytes(content)
        try:
            event = read_event(open_contents(path), today=today).event
        except OvertrickError as error:
            raise BadInput(f"The session file cannot be read: {error.sentence} Nothing was saved.") from error
    movements = [
        movement_of(plans, name, section.winners)
        for session in event.sessions
        for section, plans in session.sections
        if plans
    ]
    if not movements:
        raise BadInput("The session file has no movement. Nothing was saved.")
    if len(movements) == 1:
        return movements
    return [replace(movement, name=f"{name} {number}") for number, movement in enumerate(movements, start=1)]


def _without_remarks(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("# name"))
