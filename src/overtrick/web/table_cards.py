"""Table cards to print, and the page to type a card's code."""

import asyncio
from dataclasses import dataclass

import segno
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.control.device_location import OwnPhone, TablePlace, own_phones
from overtrick.event import Session
from overtrick.event.filing import CURRENT
from overtrick.web.access_control import TooManyAttempts, address
from overtrick.web.session_projection import SessionProjection
from overtrick.web.site import Site

SESSIONS_PLAYED = 4
"""Number of recent sessions in which codes are looked up."""


@dataclass(frozen=True, slots=True)
class TableCard:
    """The content of a printed card."""

    name: str
    code: str
    address: str
    picture: str


class TableCardPages:
    """The pages for table cards and their codes."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route("/join", self.join)]

    def cards(self, request: Request, session: Session) -> list[TableCard]:
        """Return a card for every table, except tables that are only for sit-outs."""
        return [
            self._card(request, session, TablePlace(section, table), f"{section}{table}")
            for (section, table), at in sorted(session.movement.tables.items())
            if any(played.ns and played.ew for played in at.rounds)
            or not any(played.ns or played.ew for played in at.rounds)
        ]

    def pair_cards(self, request: Request, session: Session) -> list[TableCard]:
        """Return a card for every pair that uses its own phone; it names the direction only where two win."""
        cards = []
        for phone in own_phones(session):
            side = f"{phone.side.value} " if session.winners(phone.section) == 2 else ""
            cards.append(self._card(request, session, phone, f"{phone.section} {side}{phone.pair}"))
        return cards

    def _card(self, request: Request, session: Session, place: TablePlace | OwnPhone, name: str) -> TableCard:
        guid = session.opened.session
        code = place.code(self.site.keys, guid)
        to = f"{self.site.address_for(request)}/t/{guid}/{place}?code={code}"
        picture = segno.make(to, error="m", micro=False).svg_data_uri(scale=4, border=2)
        return TableCard(name, f"{code[:4]} {code[4:]}", to, picture)

    async def join(self, request: Request) -> Response:
        """Show the form for a card's code, or redirect to the table of the code."""
        code = request.query_params.get("code", "")[:20]
        if not code.strip():
            return self.site.page(request, "join.html", code="", problem="")
        # Comparing all codes is expensive, so the rate limit comes first.
        codes, who = self.site.access.codes, address(request)
        if not await asyncio.to_thread(codes.take, who):
            error = TooManyAttempts("Too many attempts. Try again in a minute.")
            return self.site.locked_out(request, "join.html", error, code=code)
        for line in await self.site.live.sessions(most=SESSIONS_PLAYED, stages=CURRENT):
            for place in await self.site.live.look(line.session, _places):
                if place.is_code(self.site.keys, line.session, code):
                    await asyncio.to_thread(codes.give_back, who)
                    right = place.code(self.site.keys, line.session)
                    return RedirectResponse(f"/t/{line.session}/{place}?code={right}", 303)
        return self.site.page(
            request,
            "join.html",
            404,
            code=code,
            problem="No table has this code. Check the code on the card.",
        )


def _places(projection: SessionProjection) -> list[TablePlace | OwnPhone]:
    session = projection.view.session
    tables = [TablePlace(section, table) for section, table in sorted(session.movement.tables)]
    return [*tables, *own_phones(session)]
