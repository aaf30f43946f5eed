"""The scoring terminal on phones: its page, its data, and the route that receives its entries.

The terminal itself runs on the device (`static/terminal`). The server sends the table's snapshot and saves entries;
every entry has an id, so that it counts once. Access is by the code on the table's card, or by the pair's code if
phones move with the pairs.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from overtrick.control import LobbyTable, take_snapshot
from overtrick.control.device_location import OwnPhone, TablePlace, parse_place
from overtrick.control.entries import for_device
from overtrick.control.pins import director_pin, permission_scope
from overtrick.control.snapshot import FinalScore, Snapshot, final_score
from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.setup import Status
from overtrick.views import itineraries
from overtrick.web import device_files
from overtrick.web.access_control import RETRY_AFTER, NotAllowed, TooManyAttempts, address, is_same_origin
from overtrick.web.entries import BATCH, EntryService
from overtrick.web.player_pages import player_address
from overtrick.web.session_projection import NotFound, Regions, SessionProjection
from overtrick.web.site import Site
from overtrick.web.sse_response import EventStream

CODE_HEADER = "x-table-code"


class TerminalPages:
    """The pages of the tables' terminals."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.entries = EntryService(site)

    def routes(self) -> list[Route]:
        """Return the routes of the terminal."""
        base = "/t/{session}/{place}"
        return [
            *device_files.routes(),
            Route(base, self.page),
            Route(f"{base}/table.json", self.table),
            Route(f"{base}/stream", self.stream),
            Route(f"{base}/entries", self.take_entries, methods=["POST"]),
            Route(f"{base}/pin", self.check_pin, methods=["POST"]),
            Route(f"{base}/manifest.json", self.manifest),
        ]

    async def page(self, request: Request) -> Response:
        """Show the terminal; this needs no code, because the page holds no results."""
        place = _place(request)
        guid = request.path_params["session"]
        name = await self.site.live.read(guid, lambda projection: projection.view.session.opened.name)
        has_results = self.site.access.may_see_results(request)
        return self.site.page(
            request, "terminal.html", guid=guid, place=str(place), name=name, has_results=has_results
        )

    async def manifest(self, request: Request) -> Response:
        """Return the web app manifest."""
        place = _place(request)
        return JSONResponse(
            {
                "name": f"Bridge, {place.title}",
                "short_name": place.title[0].upper() + place.title[1:],
                "start_url": f"/t/{request.path_params['session']}/{place}",
                "scope": "/t/",
                "display": "standalone",
                "icons": [{"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"}],
            },
            media_type="application/manifest+json",
        )

    async def table(self, request: Request) -> Response:
        """Return the full data of a device's table."""
        place = await self._check(request)
        shown_table = request.query_params.get("at", "")[:8]
        table_data = await self.site.live.read(
            request.path_params["session"],
            lambda projection: table_json(
                projection,
                self._table(projection.view.session, place, shown_table),
                place,
                is_short=False,
                player_page=self._player_page,
            ),
        )
        return Response(table_data, media_type="application/json")

    async def stream(self, request: Request) -> Response:
        """Stream the changes of a device's table."""
        place = await self._check(request)
        shown_table = request.query_params.get("at", "")[:8]
        guid = request.path_params["session"]

        def regions(projection: SessionProjection) -> Regions:
            return {
                "table": self._cached_json(
                    projection, self._table(projection.view.session, place, shown_table), place
                )
            }

        return EventStream(partial(self.site.live.follow, guid, f"terminal {place} {shown_table}", regions))

    def _cached_json(
        self, projection: SessionProjection, table: TablePlace, place: TablePlace | OwnPhone
    ) -> str:
        """Return the JSON of a table for its stream, cached until something happens at the table."""
        version = projection.table_version(table.section, table.table)
        if isinstance(place, OwnPhone):
            # The pair's next place is part of the cache key, because it also depends on other tables.
            next_board = place.to_play(projection.view.session)
            return projection.keep(
                ("terminal", place, table),
                (version, str(next_board)),
                lambda: table_json(projection, table, place, is_short=True),
            )
        return projection.keep(
            ("terminal", table), version, lambda: table_json(projection, table, place, is_short=True)
        )

    async def take_entries(self, request: Request) -> Response:
        """Save entries of a device in order; a repeated entry gets the same answer."""
        if not is_same_origin(request):
            raise NotAllowed("This request did not come from the terminal's own page.")
        place = await self._check(request)
        if not self.site.access.requests.take(address(request)):
            return JSONResponse(
                {
                    "sentence": "Too many requests. The entries are kept on this device and will be sent again."
                },
                429,
                RETRY_AFTER,
            )
        try:
            body = msgspec.json.decode(await request.body())
            device_time, entries = str(body["sent"]), list(body["entries"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadInput("The entries cannot be read. None was saved.") from error
        if len(entries) > BATCH:
            raise BadInput(f"Send at most {BATCH} entries at once. None was saved.")
        answers = await self.entries.save(request.path_params["session"], place, device_time, entries)
        return JSONResponse({"answers": answers})

    async def check_pin(self, request: Request) -> Response:
        """Return a permission for the actions of the director's menu if the director's PIN is right."""
        if not is_same_origin(request):
            raise NotAllowed("This request did not come from the terminal's own page.")
        place = await self._check(request)
        try:
            pin = str(msgspec.json.decode(await request.body())["pin"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadInput("The PIN cannot be read. Nothing was changed.") from error
        guid, keys = request.path_params["session"], self.site.keys

        def pin_and_scope(projection: SessionProjection) -> tuple[str, str]:
            session = projection.view.session
            if place.section not in session.setup.sections:
                raise NotFound("There is no such table.")
            return director_pin(session, place.section, keys), permission_scope(session, place, keys)

        correct_pin, scope = await self.site.live.read(guid, pin_and_scope)
        try_pin = self.site.access.try_pin
        if not await asyncio.to_thread(try_pin, f"{guid}/{place}", guid, pin, correct_pin):
            return JSONResponse({"sentence": "Wrong director's PIN."}, 403)
        return JSONResponse({"permission": keys.new_permission(scope)})

    def _player_page(self, key: str) -> str:
        """Return the address of a player's own page."""
        return player_address(key, self.site.keys.player_pass(key))

    @staticmethod
    def _table(session: Session, place: TablePlace | OwnPhone, shown_table: str) -> TablePlace:
        """Return the table of a device, or of its pair; raise NotFound if there is none."""
        table = place if isinstance(place, TablePlace) else place.current_table(session, shown_table)
        if table is None:
            raise NotFound(f"There is no {place.title} in this session.")
        return table

    async def _check(self, request: Request) -> TablePlace | OwnPhone:
        """Return the place of a request; raise NotAllowed if its code is wrong, TooManyAttempts after many such."""
        place = _place(request)
        code = request.headers.get(CODE_HEADER) or request.query_params.get("code", "")
        if place.is_code(self.site.keys, request.path_params["session"], code[:20]):
            return place
        if not await asyncio.to_thread(self.site.access.codes.take, address(request)):
            raise TooManyAttempts("Too many attempts. Try again in a minute.")
        raise NotAllowed("Wrong table code. The code is on the table card.")


def _place(request: Request) -> TablePlace | OwnPhone:
    place = parse_place(request.path_params["place"])
    if place is None:
        raise NotFound("There is no such table.")
    return place


def _next_table(session: Session, phone: OwnPhone) -> dict[str, Any] | None:
    """Return the place of the pair's next board; None if it has none left or the session has ended."""
    return None if session.setup.status is Status.FINISHED else phone.to_play(session)


def _own_final(projection: SessionProjection, phone: OwnPhone, snapshot: Snapshot) -> tuple[FinalScore, ...]:
    """Return the final score of a phone's pair; nothing while the pair has a board left or waits for a round."""
    session = projection.view.session
    if snapshot.is_waiting or _next_table(session, phone) is not None:
        return ()
    return (final_score(projection.view, phone.section, phone.side, phone.pair, snapshot.rules),)


def table_json(
    projection: SessionProjection,
    table: TablePlace,
    place: TablePlace | OwnPhone,
    *,
    is_short: bool,
    player_page: Callable[[str], str] | None = None,
) -> str:
    """Return the data for a device as JSON: its table's snapshot, and the id of the terminal that serves the table.

    The stream sends the short form; the device keeps the rest from its last full request.
    """
    session = projection.view.session
    places = projection.keep("itineraries", projection.shared_version, lambda: itineraries(session))
    snapshot = take_snapshot(
        projection.view, table.section, table.table, projection.version, places=places, is_short=is_short
    )
    message: dict[str, Any] = {"is_short": is_short, "lobby": [], "snapshot": None}
    if projection.journal.timeline:
        message["timeline"] = projection.journal.timeline
    if snapshot is not None:
        snapshot = for_device(session, snapshot)
        if isinstance(place, OwnPhone):
            snapshot = place.without_unplayed(session, snapshot)
            if not is_short:
                snapshot = replace(snapshot, finals=_own_final(projection, place, snapshot))
        if player_page is not None:
            finals = tuple(
                replace(
                    final,
                    players=tuple(
                        replace(player, address=player_page(player.key)) for player in final.players
                    ),
                )
                for final in snapshot.finals
            )
            snapshot = replace(snapshot, finals=finals)
        message["lobby"] = [LobbyTable(table.section, table.table, snapshot.terminal)]
        message["snapshot"] = snapshot
    if isinstance(place, OwnPhone):
        message["due"] = _next_table(session, place)
        message["is_waiting"] = snapshot.is_waiting if snapshot else False
    return msgspec.json.encode(message).decode()
