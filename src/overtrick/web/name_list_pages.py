"""The page that seats a pasted list of names: it shows what was understood, and the form of names saves it."""

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.web.forms import Form, seat_key, seat_words
from overtrick.web.known_players import KnownPlayers
from overtrick.web.login import LoginPages, read_form
from overtrick.web.name_list import SeatedLine, parse_names, seat_names
from overtrick.web.site import Site
from overtrick.web.view_models import first_seats, latecomers


class NameListPages:
    """The page for a pasted list of names."""

    def __init__(self, site: Site, known: KnownPlayers) -> None:
        self.site = site
        self.known_players = known
        self.login_pages = LoginPages(site)

    def routes(self) -> list[Route]:
        """Return the routes of the page."""
        return [
            Route("/desk/{session}/players/paste", self.login_pages.guarded(self.show)),
            Route("/desk/{session}/players/paste", self.preview, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """Show the form for a list."""
        return self._page(request, await self._session(request), {}, [])

    async def preview(self, request: Request) -> Response:
        """Show what was understood, with the numbers of known players."""
        form = await read_form(request)
        self.site.access.check_form(request, form.get("token", ""))
        session = await self._session(request)
        section = form.get("section", "")
        if section not in session.setup.sections:
            raise BadInput(f"There is no section {section[:3]}. Nothing was changed.")
        listed = parse_names(form.get("list", ""))
        players = iter(
            await self.known_players.complete(player for names in listed for player in names.players)
        )
        listed = [replace(names, players=tuple(next(players) for _ in names.players)) for names in listed]
        lines = seat_names(session, section, listed, by_table=form.get("order") == "tables")
        return self._page(request, session, form, lines)

    async def _session(self, request: Request) -> Session:
        return await self.site.live.read(
            request.path_params["session"], lambda projection: projection.view.session.after(())
        )

    def _page(self, request: Request, session: Session, form: Form, lines: list[SeatedLine]) -> Response:
        sections = sorted(session.setup.sections)
        return self.site.page(
            request,
            "players_paste.html",
            guid=session.opened.session,
            session=session,
            sections=sections,
            section=form.get("section", sections[0] if sections else ""),
            has_sides=any(session.winners(letters) == 2 for letters in sections),
            by_table=form.get("order") == "tables",
            list=form.get("list", ""),
            lines=lines,
            is_read="list" in form,
            shown=_seat_words(session),
        )


def _seat_words(session: Session) -> dict[str, str]:
    """Return the present player of each seat as the form of names remembers them, by the key of the seat."""
    words: dict[str, str] = {}
    for letters in session.setup.sections:
        tables = [(table, 0, chairs) for table, chairs in first_seats(session, letters).items()]
        tables += [(late.table, late.round, list(late.chairs)) for late in latecomers(session, letters)]
        for table, number, chairs in tables:
            for chair in chairs:
                words[seat_key(letters, table, number, chair.seat)] = seat_words(chair.player)
    return words
