"""Permissions: every route of the pages and every command of a device, for everyone who may ask.

The routes and commands come from the code, so a new one without an entry here fails.
"""

import re
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from starlette.routing import BaseRoute, Mount, Route

from overtrick.bridge import Deal, Outcome, Seat, Side
from overtrick.connector.http import connector_app
from overtrick.control.device_location import OwnPhone, TablePlace, parse_place
from overtrick.control.entries import COMMANDS, confirm_or_refuse, write_entry
from overtrick.event import Command
from overtrick.event.calls import CallDirector, WithdrawCall
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.recording import EnterContract, RecordCall, RecordCard
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin, ResultEntry
from overtrick.event.seating import Participation, PutParticipations, Source, SwapPlayers
from overtrick.event.settings import HandEntry, NumberEntry, PutSettings, SettingsIII
from overtrick.event.tables import LogOff, LogOn, ResetTable
from overtrick.keys import RateLimit, TokenScope
from overtrick.web.access_control import COOKIE
from overtrick.web.api import routes as api_routes
from overtrick.web.api import unversioned_routes
from overtrick.web.api_v1 import routes as v1_routes
from overtrick.web.app import web_app
from overtrick.web.site import Site
from tests.web.running import Running, evening
from tests.web.test_director_pin import now

PASSWORD = "seven no trump"

# Routes -----------------------------------------------------------------------------------------------------------

ROLES = ("director", "table", "pair", "reading program", "writing program", "directing program", "stranger")
EVERYONE = frozenset(ROLES)
DIRECTOR = frozenset({"director"})
DEVICES = frozenset({"table", "pair"})
DIRECTING = frozenset({"directing program"})
WRITERS = DIRECTING | {"writing program"}
PROGRAMS = WRITERS | {"reading program"}

ACCESS: dict[frozenset[str], str] = {
    EVERYONE: """
        GET /
        GET /healthz
        GET /join
        GET /club/logo
        GET /desk/login
        POST /desk/login
        GET /desk/start
        POST /desk/start
        GET /t/sw.js
        GET /t/parts.json
        GET /t/texts/{language}.json
        GET /t/{session}/{place}
        GET /t/{session}/{place}/manifest.json
        GET /static/terminal/vocabulary.js
        GET /static/{path}
        GET /docs
        GET /api/
        GET /api/openapi.json
        GET /api/v1/
        GET /api/v1/openapi.json
    """,
    DEVICES: """
        GET /t/{session}/{place}/table.json
        GET /t/{session}/{place}/stream
        POST /t/{session}/{place}/entries
        POST /t/{session}/{place}/pin
    """,
    PROGRAMS: """
        GET /api/sessions/{session}/results
        GET /api/sessions/{session}/rounds
        GET /api/sessions/{session}/facts
        GET /api/v1/sessions/{session}/results
        GET /api/v1/sessions/{session}/rounds
        GET /api/v1/sessions/{session}/facts
        GET /api/v1/movements
        GET /api/v1/sessions/{session}/deals
        GET /api/v1/sessions/{session}/calls
        GET /api/v1/sessions/{session}/adjustments
    """,
    WRITERS: """
        POST /api/sessions/{session}/results
        DELETE /api/sessions/{session}/results/{section}/{table}/{round}/{board}
        POST /api/v1/sessions/{session}/results
        DELETE /api/v1/sessions/{session}/results/{section}/{table}/{round}/{board}
    """,
    DIRECTING: """
        POST /api/v1/sessions
        PUT /api/v1/sessions/{session}/status
        PUT /api/v1/sessions/{session}/players
        PUT /api/v1/sessions/{session}/deals
        PUT /api/v1/sessions/{session}/calls/{call}
        DELETE /api/v1/sessions/{session}/adjustments/{adjustment}
        POST /api/v1/sessions/{session}/rulings
    """,
    DIRECTOR: """
        GET /desk
        GET /desk/new
        POST /desk/new
        GET /desk/new/sheet
        POST /desk/logout
        POST /desk/pipe/disconnect
        GET /desk/about
        POST /desk/about/phones
        GET /desk/about/stop
        POST /desk/about/stop
        GET /desk/club
        POST /desk/club
        GET /desk/members
        POST /desk/members
        GET /desk/members/suggest
        POST /desk/members/import
        GET /desk/{session}/players/paste
        POST /desk/{session}/players/paste
        GET /players
        GET /player
        POST /desk/players
        GET /desk/movements
        POST /desk/movements
        POST /desk/movements/remove
        GET /desk/movements/sheet
        GET /desk/password
        POST /desk/password
        GET /t1
        GET /t2
        GET /t3
        GET /t4
        GET /t5
        GET /desk/{session}
        GET /desk/{session}/result
        GET /desk/{session}/end
        GET /desk/{session}/edit
        GET /desk/{session}/movement/preview
        GET /desk/{session}/movement/draw
        GET /desk/{session}/clock/pace
        GET /desk/{session}/print
        GET /desk/{session}/publish
        POST /desk/{session}/publish
        POST /desk/{session}/publish/folder
        GET /desk/{session}/rankings
        POST /desk/{session}/act/rankings
        POST /desk/{session}/act/details
        GET /desk/series
        GET /desk/series/{series}
        POST /desk/series/save
        POST /desk/series/remove
        GET /desk/{session}/{tab}
        GET /desk/{session}/{tab}/stream
        POST /desk/{session}/act/hands
        POST /desk/{session}/act/result
        POST /desk/{session}/act/call
        POST /desk/{session}/act/held
        POST /desk/{session}/act/table
        POST /desk/{session}/act/players
        POST /desk/{session}/act/settings
        POST /desk/{session}/act/session
        POST /desk/{session}/act/scoring
        POST /desk/{session}/act/filing
        POST /desk/{session}/act/movement
        POST /desk/{session}/act/missing
        POST /desk/{session}/act/restore
        POST /desk/{session}/act/draw
        POST /desk/{session}/act/rounds
        POST /desk/{session}/act/opponents
        POST /desk/{session}/act/clock
        POST /desk/{session}/act/move
        POST /desk/{session}/act/penalty
        POST /desk/{session}/act/withdraw
        POST /desk/{session}/act/fouled
        POST /desk/{session}/act/standing
        POST /desk/{session}/act/match
        POST /desk/{session}/act/rules
        POST /desk/{session}/act/provisional
        GET /desk/teams
        POST /desk/teams/new
        POST /desk/teams/import
        GET /desk/teams/import/{file}
        POST /desk/teams/import/{file}
        GET /desk/teams/import/{file}/rejects
        GET /desk/teams/{event}
        GET /desk/teams/{event}/stream
        GET /desk/teams/{event}/files
        GET /desk/teams/{event}/files/{kind}
        GET /desk/teams/{event}/tables
        GET /desk/teams/{event}/team/{team}
        GET /desk/teams/{event}/team/{team}/stream
        GET /desk/teams/{event}/{serie}
        GET /desk/teams/{event}/{serie}/stream
        GET /desk/teams/{event}/{serie}/draw
        GET /desk/teams/{event}/{serie}/qualify
        GET /desk/teams/{event}/{serie}/teams
        GET /desk/teams/{event}/{serie}/teams/stream
        GET /desk/teams/{event}/{serie}/{round}/{home}
        GET /desk/teams/{event}/{serie}/{round}/{home}/stream
        GET /desk/teams/{event}/{serie}/{round}/{home}/board
        POST /desk/teams/{event}/act/event
        POST /desk/teams/{event}/act/draw
        POST /desk/teams/{event}/act/lay
        POST /desk/teams/{event}/act/qualify
        POST /desk/teams/{event}/act/serie
        POST /desk/teams/{event}/act/teams
        POST /desk/teams/{event}/act/team
        POST /desk/teams/{event}/act/roster
        POST /desk/teams/{event}/act/board
        POST /desk/teams/{event}/act/report
        POST /desk/teams/{event}/act/line-up
        POST /desk/teams/{event}/act/adjust
        POST /desk/teams/{event}/act/carry
        POST /desk/teams/{event}/act/note
        POST /desk/teams/{event}/act/seat
        POST /desk/teams/{event}/act/map
    """,
}

RESULTS: dict[frozenset[str], str] = {
    DIRECTOR: """
        GET /live
        GET /live/{session}
        GET /live/{session}/stream
        GET /live/{session}/clock
        GET /results
        GET /results/{session}
        GET /results/{session}/
        GET /results/{session}/{page}
        GET /results/{session}/follow/version
        GET /series
        GET /series/{series}
        GET /series/{series}/{file}
        GET /teams
        GET /teams/{event}
        GET /teams/{event}/stream
        GET /teams/{event}/team/{team}
        GET /teams/{event}/team/{team}/stream
        GET /teams/{event}/{serie}
        GET /teams/{event}/{serie}/stream
        GET /teams/{event}/{serie}/{round}/{home}
        GET /teams/{event}/{serie}/{round}/{home}/stream
    """,
    PROGRAMS: """
        GET /api/sessions
        GET /api/sessions/{session}
        GET /api/sessions/{session}/ranking
        GET /api/sessions/{session}/rulings
        GET /api/sessions/{session}/travellers/{board}
        GET /api/sessions/{session}/clock
        GET /api/sessions/{session}/boards
        GET /api/sessions/{session}/seating/{round}
        GET /api/v1/sessions
        GET /api/v1/sessions/{session}
        GET /api/v1/sessions/{session}/ranking
        GET /api/v1/sessions/{session}/rulings
        GET /api/v1/sessions/{session}/travellers/{board}
        GET /api/v1/sessions/{session}/clock
        GET /api/v1/sessions/{session}/boards
        GET /api/v1/sessions/{session}/seating/{round}
    """,
}
"""Results: for everyone while they are public, and for these otherwise."""


def listed(access: dict[frozenset[str], str]) -> dict[str, frozenset[str]]:
    return {line.strip(): roles for roles, lines in access.items() for line in lines.strip().splitlines()}


def routes_of(routes: Iterable[BaseRoute], base: str = "") -> Iterator[str]:
    """Yield every method and path of an application."""
    for route in routes:
        if isinstance(route, Mount) and route.path == "/api":
            for path, own in (("/api", unversioned_routes), ("/api/v1", v1_routes)):
                yield f"GET {path}/openapi.json"
                yield from routes_of(own.routes, path)
                yield from routes_of(api_routes.routes, path)
        elif isinstance(route, Mount):
            assert not route.routes, f"{route.path} has routes that nobody looks at"
            yield f"GET {base}{route.path}/{{path}}"
        else:
            assert isinstance(route, Route), route
            for method in sorted((route.methods or set()) - {"HEAD"}):
                yield f"{method} {base}{re.sub(':int', '', route.path)}"


@pytest.fixture(autouse=True)
def _unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lift the rate limits: one address asks for everybody, with many wrong codes."""
    monkeypatch.setattr(RateLimit, "take", lambda limit, who: True)


def test_every_route_is_in_the_access_table(pages: Running) -> None:
    site = cast(Site, SimpleNamespace(teams=SimpleNamespace(), names=frozenset(), keys=pages.keys))
    known = {**listed(ACCESS), **listed(RESULTS)}
    assert sorted(routes_of(web_app(site).routes)) == sorted(known)


def test_data_connector_has_two_routes() -> None:
    """Programs on this computer and in the club use it; a licence key is asked for where one is set."""
    app = connector_app(None)  # type: ignore[arg-type]
    assert sorted(routes_of(app.routes)) == ["GET /", "POST /dc-scoringprogram"]


class Asking:
    """Everyone who may ask, each with what they have."""

    def __init__(self, pages: Running, guid: str) -> None:
        self.pages, self.guid = pages, guid
        self.client = httpx.Client(base_url=pages.address, timeout=20)
        self.tokens = {
            role: pages.keys.new_token(role, scope)
            for role, scope in zip(
                ("reading program", "writing program", "directing program"), TokenScope, strict=True
            )
        }

    def place(self, role: str) -> TablePlace | OwnPhone:
        place = parse_place("A-NS-1" if role == "pair" else "A1")
        assert place is not None
        return place

    def path(self, pattern: str, role: str) -> str:
        values = {
            "session": self.guid,
            "event": self.guid,
            "place": str(self.place(role)),
            "tab": "results",
            "page": "ranking",
            "language": "en",
            "path": "app.js",
            "file": "x",
            "kind": "1A",
            "section": "A",
        }
        return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], "1"), pattern)

    def is_let_in(self, route: str, role: str) -> bool:
        """Ask, and return whether that was not refused because of who asked."""
        status, location = self.ask(route, role)
        assert status not in (405, 429), (route, role, status)
        return status not in (401, 403) and not location.startswith("/desk/login")

    def ask(self, route: str, role: str, wrong: str = "") -> tuple[int, str]:
        """Return the status and the location of an answer; with `wrong` in place of a code, token or password."""
        method, _, pattern = route.partition(" ")
        headers, data = {"accept": "application/json"}, {"password": wrong or PASSWORD}
        cookies: dict[str, str] = {}
        if role == "director":
            cookies[COOKIE] = self.pages.keys.new_pass()
            data |= {"token": self.pages.keys.form_token(cookies[COOKIE]), "do": "public", "public": "1"}
        elif role in DEVICES:
            headers["x-table-code"] = wrong or self.place(role).code(self.pages.keys, self.guid)
        elif role in self.tokens:
            headers["authorization"] = f"Bearer {wrong or self.tokens[role]}"
        headers |= (
            {"cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())} if cookies else {}
        )
        given: dict[str, Any] = {}
        if pattern.startswith("/api") and method in ("POST", "PUT"):
            given["json"] = {}
        elif pattern.endswith("/pin"):
            given["json"] = {"pin": self.pages.keys.session_pin(self.guid)}
        elif pattern.endswith("/entries"):
            given["json"] = {"sent": now().isoformat(), "entries": []}
        elif method == "POST":
            given["data"] = data
        with self.client.stream(method, self.path(pattern, role), headers=headers, **given) as answer:
            self.client.cookies.clear()
            return answer.status_code, answer.headers.get("location", "")

    def differences(self, access: dict[str, frozenset[str]]) -> list[str]:
        return [
            f"{route}: {role} is {'refused' if role in roles else 'let in'}"
            for route, roles in access.items()
            for role in ROLES
            if self.is_let_in(route, role) is not (role in roles)
        ]


def test_every_route_allows_exactly_the_roles_in_the_table(pages: Running, guid: str) -> None:
    pages.keys.set_password(PASSWORD)
    asking = Asking(pages, guid)
    assert asking.differences(listed(ACCESS)) == []
    assert asking.differences(dict.fromkeys(listed(RESULTS), EVERYONE)) == []


def test_every_route_limits_wrong_codes_tokens_and_passwords(
    pages: Running, guid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guessing is as slow everywhere: a route that checks a secret without the limit answers something else."""
    monkeypatch.setattr(
        RateLimit, "take", lambda limit, who: limit.burst > 40
    )  # not the limit of all requests
    pages.keys.set_password(PASSWORD)
    asking = Asking(pages, guid)
    guesses = [
        (route, role)
        for route, roles in listed(ACCESS).items()
        for role in (*DEVICES, *asking.tokens)
        if role in roles and roles != EVERYONE
    ]
    assert len(guesses) >= 16
    guesses.append(("POST /desk/login", "stranger"))
    answers = {guess: asking.ask(*guess, wrong="wrong")[0] for guess in guesses}
    assert {guess: status for guess, status in answers.items() if status != 429} == {}


def test_results_that_are_not_public_are_for_the_director_and_programs(pages: Running, guid: str) -> None:
    pages.keys.set_password(PASSWORD)
    pages.keys.set_results_public(False)
    assert Asking(pages, guid).differences(listed(RESULTS)) == []


def test_table_code_is_refused_at_another_table(pages: Running, guid: str) -> None:
    codes = {place: Asking(pages, guid).place(place).code(pages.keys, guid) for place in ("table", "pair")}
    for path, code in (("A1", codes["pair"]), ("A-NS-1", codes["table"]), ("A2", codes["table"])):
        answer = httpx.get(f"{pages.address}/t/{guid}/{path}/table.json", headers={"x-table-code": code})
        assert answer.status_code == 403


# Commands ---------------------------------------------------------------------------------------------------------

DONE, WAITS, REFUSED = "done", "waits for the director", "refused"

DEVICE_COMMANDS: dict[str, tuple[str, str, str]] = {
    # at the device's own place now, in an earlier round of others there (for a pair's phone), in a later round
    "call-director": (DONE, DONE, DONE),
    "correct-result": (WAITS, REFUSED, REFUSED),
    "enter-contract": (DONE, REFUSED, REFUSED),
    "enter-result": (DONE, REFUSED, REFUSED),
    "erase-result": (WAITS, REFUSED, REFUSED),
    "log-off": (DONE, DONE, DONE),
    "log-on": (DONE, DONE, DONE),
    "put-hand-records": (REFUSED, REFUSED, REFUSED),
    "put-participations": (WAITS, REFUSED, REFUSED),
    "record-call": (DONE, REFUSED, REFUSED),
    "record-card": (DONE, REFUSED, REFUSED),
    "reset-table": (DONE, DONE, DONE),
    "swap-players": (WAITS, REFUSED, REFUSED),
    "withdraw-call": (DONE, DONE, DONE),
}
"""The fate of every command of a device that shows no permission, with settings that let players enter nothing
besides results."""

STRICT = SettingsIII(
    reentry=False, number_entry=NumberEntry.NEVER, enter_hand_record=HandEntry.NEVER, confirm_not_played=True
)
DEAL = Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")


def commands(guid: str, table: int, number: int, board: int, identity: str) -> dict[str, Command]:
    """Return every command of a device, about a board."""
    place = "A", table, number, board
    entry = ResultEntry(*place, Outcome.parse("Pass"), now())
    seats = (Participation("A", table, Seat.NORTH, "77", round=number),)
    return {
        "call-director": CallDirector(guid, identity, "A", table, now(), number, board),
        "correct-result": CorrectResult(guid, entry, Origin.TERMINAL, incarnation=1),
        "enter-contract": EnterContract(guid, *place, "4SN", now(), None, 1),
        "enter-result": EnterResult(guid, entry, incarnation=1),
        "erase-result": EraseResult(guid, *place, Origin.TERMINAL, 1),
        "log-off": LogOff(guid, "A", table, now()),
        "log-on": LogOn(guid, "A", table, "phone", now(), takes_over=True),
        "put-hand-records": PutHandRecords(guid, (HandRecord(1, board, DEAL),), HandSource.TERMINAL),
        "put-participations": PutParticipations(guid, seats, Source.TERMINAL, must_be_known=False),
        "record-call": RecordCall(guid, *place, 1, Seat.NORTH, "1S", now()),
        "record-card": RecordCard(guid, *place, 1, Seat.NORTH, "SA", now()),
        "reset-table": ResetTable(guid, "A", table, now()),
        "swap-players": SwapPlayers(guid, "A", table, number, Side.NS),
        "withdraw-call": WithdrawCall(guid, identity, "A", table, now()),
    }


def test_every_device_command_is_in_the_access_table() -> None:
    assert set(COMMANDS) == set(DEVICE_COMMANDS)
    assert set(commands("", 1, 1, 1, "")) == set(DEVICE_COMMANDS)


def send(pages: Running, guid: str, place: TablePlace | OwnPhone, identity: str, command: Command) -> str:
    body = {"sent": now().isoformat(), "entries": [write_entry(identity, 1, command)]}
    headers = {"x-table-code": place.code(pages.keys, guid)}
    answer = httpx.post(f"{pages.address}/t/{guid}/{place}/entries", json=body, headers=headers, timeout=20)
    (given,) = answer.json()["answers"]
    return REFUSED if "reason" in given else WAITS if given.get("is_held") else DONE


def test_every_device_command_is_allowed_as_the_table_says(pages: Running) -> None:
    guid = evening(pages, rounds=2, has_deals=False)
    pages.do(PutSettings(guid, (("A", STRICT),)))
    session = pages.session(guid)
    phones = (OwnPhone("A", Side.EW, pair) for pair in range(1, 9))
    phone = next(each for each in phones if len({at for _, at, _ in each.rounds(session)}) > 2)
    at = next(at for number, at, _ in phone.rounds(session) if number == 3)
    assert not phone.may_enter_round(session, at, 1)

    def ask(place: TablePlace | OwnPhone, number: int, count: int, kind: str) -> str:
        """Send a command for a board of its own, as later entries for a board that waits would wait with it."""
        boards = session.movement.tables["A", at.table].rounds[number - 1].boards
        board, identity = boards[count % len(boards)], f"{kind}-{count:04}-{place}-{number}"
        made = commands(guid, at.table, number, board, identity)
        if kind == "correct-result" and number == 3 and (*at_board, 3, board) not in standing():
            pages.do(made["enter-result"])
        answer = send(pages, guid, place, identity, made[kind])
        for waiting in pages.session(guid).held.places():
            pages.do(confirm_or_refuse(pages.session(guid), waiting, is_confirmed=False))
        return answer

    def standing() -> set[tuple[str, int, int, int]]:
        return set(pages.session(guid).results.standing)

    at_board = "A", at.table
    table, others, later, pair = {}, {}, {}, {}
    for count, kind in enumerate(DEVICE_COMMANDS):
        later[kind] = ask(at, 4, count, kind)
        others[kind] = ask(phone, 1, count, kind)
        table[kind] = ask(at, 3, count, kind)
        pair[kind] = ask(phone, 3, count + 1, kind) if kind == "enter-result" else ask(phone, 3, count, kind)
    assert table == {kind: now for kind, (now, _, _) in DEVICE_COMMANDS.items()}
    assert pair == table
    assert others == {kind: theirs for kind, (_, theirs, _) in DEVICE_COMMANDS.items()}
    assert later == {kind: after for kind, (_, _, after) in DEVICE_COMMANDS.items()}
