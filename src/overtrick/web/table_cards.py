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
"""The number of recent sessions in which codes are looked up."""


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
            for (section, table), plan in sorted(session.movement.tables.items())
            if any(round_plan.ns and round_plan.ew for round_plan in plan.rounds)
            or not any(round_plan.ns or round_plan.ew for round_plan in plan.rounds)
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
        url = f"{self.site.address_for(request)}/t/{guid}/{place}?code={code}"
        picture = segno.make(url, error="m", micro=False).svg_data_uri(scale=4, border=2)
        return TableCard(name, f"{code[:4]} {code[4:]}", url, picture)

    async def join(self, request: Request) -> Response:
        """Show the form for a card's code, or redirect to the table of the code."""
        code = request.query_params.get("code", "")[:20]
        if not code.strip():
            return self.site.page(request, "join.html", code="", problem="")
        # Comparing all codes is expensive, so the rate limit comes first.
        codes, caller = self.site.access.codes, address(request)
        if not await asyncio.to_thread(codes.take, caller):
            error = TooManyAttempts("Too many attempts. Try again in a minute.")
            return self.site.locked_out(request, "join.html", error, code=code)
        for line in await self.site.live.sessions(most=SESSIONS_PLAYED, stages=CURRENT):
            for place in await self.site.live.read(line.session, _places):
                if place.is_code(self.site.keys, line.session, code):
                    await asyncio.to_thread(codes.give_back, caller)
                    card_code = place.code(self.site.keys, line.session)
                    return RedirectResponse(f"/t/{line.session}/{place}?code={card_code}", 303)
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
