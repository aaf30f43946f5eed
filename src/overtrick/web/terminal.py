"""A scoring terminal on any phone: a page that works without the network, and the place where its entries arrive.

The device has what it needs for its table, keeps what was entered, and sends it again until it is answered; every entry
has an id of its own, so that it counts once. Who may is decided by the code on the table's card.
"""

import json
import re
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from overtrick.bridge import Outcome, Seat
from overtrick.bridge.notation import parse_lead
from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Command, Session
from overtrick.event.calls import CallDirector
from overtrick.event.movement import sitting
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.seating import line_up
from overtrick.event.settings import LeadEntry, SettingsIII
from overtrick.event.tables import LogOn
from overtrick.views import next_seating
from overtrick.web import shown
from overtrick.web.live import Regions, Sight, UnknownSession
from overtrick.web.public import stream_response
from overtrick.web.site import Refused, Site
from overtrick.web.visitor import NotAllowed, address, is_same_origin

PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,4})")
ENTRY = re.compile(r"[A-Za-z0-9-]{8,64}")
CODE_HEADER = "x-table-code"
MOST_TABLES = 2_048
"""Tables that are kept ready for their terminals."""


class TerminalPages:
    """The pages of the tables."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._snapshots: dict[tuple[str, str, int], tuple[int, Regions]] = {}
        self._frames: dict[tuple[str, str, int], tuple[int, list[dict[str, Any]]]] = {}

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/t/sw.js", self.worker),
            Route("/t/{session}/{table}", self.page),
            Route("/t/{session}/{table}/table.json", self.table),
            Route("/t/{session}/{table}/stream", self.stream),
            Route("/t/{session}/{table}/entries", self.take_entry, methods=["POST"]),
            Route("/t/{session}/{table}/manifest.json", self.manifest),
        ]

    async def worker(self, request: Request) -> Response:
        """The part of the page that answers when the network is gone."""
        from overtrick.web.app import STATIC

        return FileResponse(
            STATIC / "sw.js", media_type="text/javascript", headers={"cache-control": "no-cache"}
        )

    async def page(self, request: Request) -> Response:
        """The terminal itself: the same for everyone who has the card; the code stays on the device."""
        section, table = self._place(request)
        guid = request.path_params["session"]
        name = await self.site.live.look(guid, lambda sight: sight.view.session.opened.name)
        return self.site.page(request, "terminal.html", guid=guid, section=section, table=table, name=name)

    async def manifest(self, request: Request) -> Response:
        """What a phone needs to keep the terminal as an app."""
        section, table = self._place(request)
        start = f"/t/{request.path_params['session']}/{section}{table}"
        return JSONResponse(
            {
                "name": f"Bridge, table {section}{table}",
                "short_name": f"Table {section}{table}",
                "start_url": start,
                "scope": "/t/",
                "display": "standalone",
                "icons": [{"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"}],
            },
            media_type="application/manifest+json",
        )

    async def table(self, request: Request) -> Response:
        """Everything that a device needs to know of its table."""
        section, table = self._check(request)
        guid = request.path_params["session"]
        return JSONResponse(
            await self.site.live.look(guid, lambda sight: table_snapshot(sight, section, table))
        )

    async def stream(self, request: Request) -> Response:
        """News of the table, as they come."""
        section, table = self._check(request)
        guid = request.path_params["session"]
        await self.site.live.look(guid, lambda sight: None)

        def snapshot(sight: Sight) -> Regions:
            return self._snapshot(sight, section, table)

        return stream_response(self.site, guid, f"terminal {section}{table}", snapshot, "")

    def _snapshot(self, sight: Sight, section: str, table: int) -> Regions:
        """A table for its stream; the very same as before where nothing has happened to it."""
        key = sight.stream, section, table
        version = max(sight.reshaped, sight.touched.get((section, table), 0))
        known = self._snapshots.get(key)
        if known is None or known[0] != version:
            framed = self._frames.get(key)
            if framed is None or framed[0] != sight.reshaped:
                framed = sight.reshaped, table_frame(sight.view.session, section, table)
                self._frames[key] = framed
            text = json.dumps(table_snapshot(sight, section, table, framed[1]), ensure_ascii=False)
            known = self._snapshots[key] = version, {"table": text}
            if len(self._snapshots) > MOST_TABLES:
                oldest = next(iter(self._snapshots))
                del self._snapshots[oldest], self._frames[oldest]
        return known[1]

    async def take_entry(self, request: Request) -> Response:
        """Take in one entry of a device; the same entry again gets the same answer."""
        if not is_same_origin(request):
            raise NotAllowed("This did not come from the terminal's own page.")
        section, table = self._check(request)
        if not self.site.door.requests.take(address(request)):
            return JSONResponse({"sentence": "That was too often; it is kept and sent again."}, 429)
        try:
            given = json.loads(await request.body())
            entry = str(given["id"])
            if not ENTRY.fullmatch(entry):
                raise BadInput("The entry has no id; it was not taken.")
            command = self._command(request.path_params["session"], section, table, given)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadInput("The entry cannot be read; it was not taken.") from error
        try:
            answer = await self.site.do(command, f"terminal {section}{table}", f"terminal-{entry}")
        except Refused as refused:
            return JSONResponse({"sentence": str(refused), "is_refused": True}, refused.status)
        return JSONResponse({"sentence": "Taken.", "changed": bool(answer.spans)})

    def _command(self, guid: str, section: str, table: int, given: dict[str, Any]) -> Command:
        now = self.site.now()
        match given["kind"]:
            case "result":
                try:
                    lead = parse_lead(str(given.get("lead") or "")[:3])
                except OvertrickError as error:
                    raise BadInput("The lead is no card; the result was not taken.") from error
                entry = ResultEntry(
                    section,
                    table,
                    _small(given["round"]),
                    _small(given["board"]),
                    Outcome.parse(str(given["outcome"])[:12]),
                    now,
                    lead=lead,
                )
                return EnterResult(guid, entry, incarnation=_small(given["incarnation"]))
            case "call":
                return CallDirector(
                    guid,
                    str(given["id"]),
                    section,
                    table,
                    now,
                    _small(given["round"]),
                    _small(given["board"]),
                )
            case "log-on":
                return LogOn(guid, section, table, str(given["device"])[:64], now, takes_over=True)
        raise BadInput("There is no such entry; it was not taken.")

    def _place(self, request: Request) -> tuple[str, int]:
        found = PLACE.fullmatch(request.path_params["table"])
        if found is None:
            raise UnknownSession("There is no such table.")
        return found[1], int(found[2])

    def _check(self, request: Request) -> tuple[str, int]:
        """The table whose code was shown."""
        section, table = self._place(request)
        code = request.headers.get(CODE_HEADER) or request.query_params.get("code", "")
        if self.site.keys.is_table_code(request.path_params["session"], section, table, code[:20]):
            return section, table
        if not self.site.door.attempts.take(address(request)):
            raise NotAllowed("That was too often; wait a minute and try again.")
        raise NotAllowed("That is not this table's code; it is on the table's card.")


def _small(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 100_000:
        raise ValueError("no such number")
    return value


def table_frame(session: Session, section: str, table: int) -> list[dict[str, Any]]:
    """A table's rounds: who meets, who sits there, which boards, and where everyone goes next. No result changes it."""
    at = session.movement.tables.get((section, table))
    if at is None:
        raise UnknownSession(f"There is no table {section}{table} in this session.")
    rounds = []
    for number, planned in enumerate(at.rounds, start=1):
        played = sitting(session.setup.sections[section], planned)
        people = line_up(session, section, number)
        rounds.append(
            {
                "round": number,
                "ns": played.ns,
                "ew": played.ew,
                "boards": list(played.boards) if played.ns and played.ew else [],
                "players": {seat.value: people[table, seat].name for seat in Seat if (table, seat) in people},
                "next": {
                    side.value: None
                    if place is None
                    else f"{place.section}{place.table} {'sits out' if place.is_sit_out else place.side.value}"
                    for side, place in next_seating(session, section, table, number).items()
                },
            }
        )
    return rounds


def table_snapshot(
    sight: Sight, section: str, table: int, frame: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """A table as its terminal needs it: its rounds, what is scored, and what the director has set."""
    session = sight.view.session
    standing = session.results.standing
    settings = session.settings.third.get(section, SettingsIII())
    rounds = [
        {
            **planned,
            "results": {
                str(board): shown.contract_words(result.outcome)
                for board in planned["boards"]
                if (result := standing.get((section, table, planned["round"], board)))
            },
        }
        for planned in (frame if frame is not None else table_frame(session, section, table))
    ]
    return {
        "session": session.opened.session,
        "incarnation": session.opened.incarnation,
        "version": sight.version,
        "name": session.opened.name,
        "rounds": rounds,
        "lead": settings.lead_entry is not LeadEntry.NEVER,
        "calls": settings.director_calls,
        "is_calling": _is_calling(session, section, table),
    }


def _is_calling(session: Session, section: str, table: int) -> bool:
    return any(
        call.is_open and (call.section, call.table) == (section, table)
        for call in session.calls.calls.values()
    )
