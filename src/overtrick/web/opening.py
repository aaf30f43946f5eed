"""The pages that set up an evening, alone or as one more session of an event."""

import asyncio
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.movement import table_plans
from overtrick.web.entrance import Entrance, read_form
from overtrick.web.forms import Form, name_of, number_of
from overtrick.web.setting_up import (
    FIRST_ROUNDS,
    KINDS,
    MOST_BOARDS,
    MOST_ROUNDS,
    MOST_SECTIONS,
    USUAL_BOARDS,
    USUAL_ROUNDS,
    Joining,
    Wanted,
    joining_of,
    methods_of,
    offers,
    open_command,
    read_wanted,
    sheet_of,
)
from overtrick.web.site import Site


class OpeningPages:
    """How many, how many boards, which movement: and play begins."""

    def __init__(self, site: Site, entrance: Entrance) -> None:
        self.site = site
        self.entrance = entrance

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/desk/new", self.entrance.guarded(self.new)),
            Route("/desk/new/sheet", self.entrance.guarded(self.sheet)),
            Route("/desk/new", self.create, methods=["POST"]),
        ]

    async def new(self, request: Request) -> Response:
        """Ask what is played."""
        asked = dict(request.query_params)
        joining = await self._joining(asked)
        problem = ""
        wanted: Wanted | None = None
        try:
            wanted = await asyncio.to_thread(read_wanted, asked, joining)  # a large event's takes a second
        except BadInput as error:
            problem = str(error)
        kind = KINDS.get(asked.get("game", ""), KINDS["pairs"])
        return self.site.page(
            request,
            "new.html",
            asked=asked,
            wanted=wanted,
            kind=kind,
            kinds=KINDS,
            most_sections=MOST_SECTIONS,
            most_rounds=MOST_ROUNDS,
            most_boards=MOST_BOARDS,
            usual_rounds=USUAL_ROUNDS,
            usual_boards=USUAL_BOARDS,
            first_rounds=FIRST_ROUNDS,
            methods=methods_of(kind.game),
            joining=joining,
            name=name_of(asked, "name"),
            problem=problem,
        )

    async def sheet(self, request: Request) -> Response:
        """A movement on one sheet: who meets whom, where and on which boards."""
        asked = dict(request.query_params)
        kind = KINDS.get(asked.get("game", ""), KINDS["pairs"])
        count = number_of(asked, "count", kind.least, kind.most, f"The number of {kind.many}")
        boards = number_of(asked, "boards", 2, 60, "The number of boards")
        found = await asyncio.to_thread(offers, kind, count, boards)
        if not found:
            raise BadInput("There is no movement for so many and so many boards.")
        choice = found[number_of(asked, "choice", 0, len(found) - 1, "The movement")]
        sheet = sheet_of(table_plans(choice.movement, "A"))
        return self.site.page(request, "sheet.html", choice=choice, sheet=sheet, kind=kind)

    async def create(self, request: Request) -> Response:
        """Open the evening."""
        form = await read_form(request)
        self.site.door.check_form(request, form.get("token", ""))
        guid = uuid4().hex.upper()
        today = self.site.now().astimezone().date()
        joining = await self._joining(form)
        await self.site.do(await asyncio.to_thread(open_command, form, guid, today, joining))
        return RedirectResponse(f"/desk/{guid}/players", 303)

    async def _joining(self, form: Form) -> Joining | None:
        """The event that the evening belongs to, where it does."""
        event = form.get("event", "")
        if not event:
            return None
        lines = [line for line in await self.site.live.sessions() if line.opened.event == event]
        sessions: list[Session] = [
            await self.site.live.look(line.session, lambda sight: sight.view.session.after(()))
            for line in reversed(lines)
        ]
        return joining_of(event, sessions)
