"""Everything on paper: results, hand records, and the cards of tables and pairs, on one page to print."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from overtrick.event import Session
from overtrick.event.hands import HandRecord
from overtrick.movements import MovementContestant
from overtrick.web import view_models
from overtrick.web.login import LoginPages
from overtrick.web.own_movement_pages import played_movement
from overtrick.web.par_text import makeable
from overtrick.web.public_pages import public_players
from overtrick.web.session_projection import SessionProjection
from overtrick.web.site import Site
from overtrick.web.table_cards import TableCardPages
from overtrick.web.view_models import boards_text

PARTS = {
    "results": "Results",
    "hands": "Hand records",
    "guides": "Guide cards for pairs",
    "table-guides": "Guide cards for tables",
    "tables": "Table cards",
    "pairs": "Cards for pairs who use their own phone",
}
"""The parts that can be printed, with their titles."""
BOARDS_ON_PAGE = 15
"""Boards on a page of A4: three columns of five, so that 28 boards need two pages."""


@dataclass(frozen=True, slots=True)
class GuideCard:
    """A card that guides a pair, or those at a table, through the rounds."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def pair_guides(session: Session) -> list[GuideCard]:
    """Return the guide card of every pair, team or player: its seats, opponents and boards by round."""
    cards = []
    for section in session.setup.sections:
        movement = played_movement(session, section)
        has_partners = movement.is_individual
        kind = "Player" if has_partners else "Team" if movement.is_teams else "Pair"
        for contestant, lines in movement.cards().items() if movement.pairs else ():
            rows = tuple(
                (
                    str(line.round),
                    f"{section}{line.table}",
                    "sits out" if line.is_sit_out else line.direction,
                    *([_names(line.partners)] if has_partners else ()),
                    _names(line.opponents),
                    boards_text(line.boards),
                )
                for line in lines
            )
            partner = ("With",) if has_partners else ()
            headings = ("Round", "Table", "Seats", *partner, "Against", "Boards")
            cards.append(GuideCard(f"{kind} {section} {contestant}", headings, rows))
    return cards


def table_guides(session: Session) -> list[GuideCard]:
    """Return the guide card of every table: who sits there in each round, and the boards."""
    cards = []
    for section in session.setup.sections:
        movement = played_movement(session, section)
        by_table: dict[int, list[tuple[str, ...]]] = {}
        for station in movement.stations:
            ns, ew = ((station.ns, station.south), (station.ew, station.west))
            seats = (" + ".join(str(number) for number in side if number) or "–" for side in (ns, ew))
            row = str(station.round), *seats, boards_text(station.boards)
            by_table.setdefault(station.table, []).append(row)
        headings = "Round", "N-S", "E-W", "Boards"
        cards += [
            GuideCard(f"Table {section}{table}", headings, tuple(rows))
            for table, rows in sorted(by_table.items())
        ]
    return cards


def _names(contestants: Iterable[MovementContestant]) -> str:
    return " + ".join(map(str, contestants))


@dataclass(frozen=True, slots=True)
class _PrintedSession:
    """The content of the printed page, copied from a projection."""

    session: Session
    rankings: list[view_models.RankingTable]
    sheets: list[tuple[int, Sequence[HandRecord]]]
    """The pages of hand records, each with its scoring group and boards."""


def hand_sheets(records: Sequence[HandRecord]) -> list[tuple[int, Sequence[HandRecord]]]:
    """Return the pages of hand records: each scoring group begins a new page."""
    sheets: list[tuple[int, Sequence[HandRecord]]] = []
    for group in sorted({record.group for record in records}):
        of_group = sorted(
            (record for record in records if record.group == group), key=lambda record: record.board
        )
        sheets += [
            (group, of_group[first : first + BOARDS_ON_PAGE])
            for first in range(0, len(of_group), BOARDS_ON_PAGE)
        ]
    return sheets


class PrintPages:
    """The page to print, for the director."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.cards = TableCardPages(site)

    def routes(self) -> list[Route]:
        """Return the route; it must precede those of the desk, which would read `print` as a tab."""
        return [Route("/desk/{session}/print", LoginPages(self.site).guarded(self.page))]

    async def page(self, request: Request) -> Response:
        """Show the parts that the query chooses with `part`; all of them by default."""
        guid = request.path_params["session"]
        chosen = [part for part in PARTS if part in request.query_params.getlist("part")] or list(PARTS)
        printed = await self.site.live.read(guid, _copy_for_print)
        session = printed.session
        return self.site.page(
            request,
            "print.html",
            guid=guid,
            session=session,
            parts=PARTS,
            chosen=chosen,
            rankings=printed.rankings,
            sheets=printed.sheets,
            makeable=makeable,
            guides={
                part: make(session)
                for part, make in (("guides", pair_guides), ("table-guides", table_guides))
                if part in chosen
            },
            tables=await asyncio.to_thread(self.cards.cards, request, session) if "tables" in chosen else [],
            pairs=await asyncio.to_thread(self.cards.pair_cards, request, session)
            if "pairs" in chosen
            else [],
            join=f"{self.site.address_for(request)}/join",
        )


def _copy_for_print(projection: SessionProjection) -> _PrintedSession:
    session = projection.view.session.after(())
    # The ranking hangs on the wall, so it names players as the public pages do.
    rankings = view_models.rankings(projection.view, public_players(projection))
    return _PrintedSession(session, rankings, hand_sheets([*session.hands.records.values()]))
