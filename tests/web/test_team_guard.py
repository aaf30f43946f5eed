"""Permissions at the desk of team events, and answers to bad input."""

import httpx

from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import Division, DivisionSet, Team, TeamSet
from overtrick.web.team_desk import CHANGES
from tests.web.running import Running
from tests.web.team_director import JSON, TeamDirector, first_match

DESK = ("", "/1", "/1/teams", "/team/1", "/1/draw", "/files", "/files/2A", "/tables", "/stream", "/1/stream")


def test_the_desk_is_behind_the_directors_password(league: TeamDirector, pages: Running) -> None:
    pages.keys.set_password("seven no trump")
    with httpx.Client(base_url=pages.address) as anyone:
        for path in (*(f"/{league.event}{path}" for path in DESK), "", "/import/x"):
            answer = anyone.get(f"/desk/teams{path}")
            assert answer.status_code == 303, path
            assert answer.headers["location"].startswith("/desk/login")
        for path in ("new", "import", "import/x", f"{league.event}/act/teams", f"{league.event}/act/draw"):
            assert anyone.post(f"/desk/teams/{path}", data={"token": league.token}).status_code == 403, path
        assert anyone.get(f"/teams/{league.event}").status_code == 200
        pages.keys.set_results_public(False)
        for path in ("", f"/{league.event}", f"/{league.event}/1", f"/{league.event}/stream"):
            assert anyone.get(f"/teams{path}").status_code == 403
        assert "League" not in anyone.get("/").text
    assert len(league.view.event.teams) == 4


def test_stream_ends_when_access_is_withdrawn(league: TeamDirector, pages: Running) -> None:
    for number, path in enumerate(
        (f"/teams/{league.event}/1/stream", f"/desk/teams/{league.event}/1/stream")
    ):
        pages.keys.set_results_public(True)
        with league.browser.stream("GET", path, timeout=20) as following:
            pieces = following.iter_text()
            assert any("event:" in piece for piece in pieces)
            pages.keys.set_results_public(False)
            pages.keys.set_password(f"seven no trump {path}")
            team = Team(1, 1, 1, f"Emerald {number}")
            pages.do(PutTeamFacts(league.event, (TeamSet(team),)))
            assert not any("event:" in piece for piece in pieces)
        league.browser.cookies.set("overtrick_desk", pages.keys.new_pass())


def test_forms_come_from_our_own_pages(league: TeamDirector) -> None:
    address = f"/desk/teams/{league.event}/act/teams"
    form = {"serie": "1", "teams": "Evil", "token": league.token}
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert league.browser.post(address, data=form, headers=headers).status_code == 403
    for path in (address, "/desk/teams/new"):
        assert league.browser.post(path, data={**form, "token": "x"}).status_code == 403
    answer = league.browser.post("/desk/teams/import", data={"token": "x"}, files={"file": ("x", b"x")})
    assert answer.status_code == 403
    assert len(league.view.event.teams) == 4
    assert league.browser.get(address).status_code in (404, 405)


def test_unreadable_file_offers_no_rejected_lines(league: TeamDirector) -> None:
    at = league.browser.post(
        "/desk/teams/import", data={"token": league.token}, files={"file": ("x.txt", b"\xff\xfe" * 9)}
    ).headers["location"]
    answer = league.browser.get(f"{at}/rejects", headers={"accept": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["sentence"]
    form = {"token": league.token, "seen": "", f"accept-{'9' * 5000}": "1"}
    assert league.browser.post(at, data=form).status_code == 200


NOWHERE = (
    "/teams/X",
    "/teams/X/1",
    "/teams/{event}/9",
    "/teams/{event}/1/9/1",
    "/teams/{event}/1/1/99",
    "/teams/{event}/team/99",
    "/teams/{event}/team/x",
    "/teams/{event}/1/9/1/stream",
    "/teams/X/stream",
    "/teams/{event}/nothing",
    "/desk/teams/X",
    "/desk/teams/X/files",
    "/desk/teams/X/files/2A",
    "/desk/teams/X/tables",
    "/desk/teams/{event}/9",
    "/desk/teams/{event}/9/draw",
    "/desk/teams/{event}/9/teams",
    "/desk/teams/{event}/team/99",
    "/desk/teams/{event}/1/1/99",
    "/desk/teams/{event}/1/1/99/board?segment=1&board=1",
    "/desk/teams/{event}/1/7/1/stream",
    "/desk/teams/{event}/files/4Z",
    "/desk/teams/import/nothing",
)


def test_unknown_pages_are_not_found(league: TeamDirector) -> None:
    for path in NOWHERE:
        answer = league.browser.get(path.replace("{event}", league.event))
        assert answer.status_code == 404, path
        assert "Traceback" not in answer.text


NASTY = ("", "0", "-1", "9" * 30, "²", "x" * 5_000, "1\x00", "1-1-1-1-Open-1")
FIELDS = (
    *("serie", "team", "round", "segment", "home", "room", "board", "typed", "lead", "ew", "place", "was"),
    *(
        "name",
        "number",
        "format",
        "method",
        "boards",
        "teams",
        "first-new1",
        "code-new1",
        "order-1",
        "last-1",
    ),
    *("imps", "vps", "imps-home", "imps-away", "reason", "comment", "north", "tables", "tournament"),
    *("first", "last", "to", "seen", "segments", "pairs"),
)


def test_invalid_value_in_any_field_gets_a_message(league: TeamDirector) -> None:
    home, _ = first_match(league)
    sensible = {
        "serie": "1",
        "team": "1",
        "round": "1",
        "segment": "1",
        "segments": "1",
        "home": str(home),
        "room": "Open",
        "board": "1",
        "imps-home": "1",
        "imps-away": "1",
        "format": "swiss",
        "boards": "1",
        "token": league.token,
    }
    acts = ("draw", "qualify", "event", *CHANGES)
    for number, field in enumerate(FIELDS):
        for nasty in NASTY:
            act = acts[(number + NASTY.index(nasty)) % len(acts)]
            form = {**sensible, field: nasty}
            answer = league.browser.post(f"/desk/teams/{league.event}/act/{act}", data=form, headers=JSON)
            assert answer.status_code < 500, (act, field, nasty[:20])
            assert answer.json()["sentence"]
    for path in ("/1/draw?segments=x", "/1/draw?pairs=1-1", "/1/qualify", "/1/qualify?first=9&last=1&to=1"):
        assert league.browser.get(f"/desk/teams/{league.event}{path}").status_code in (200, 400)


def test_form_for_an_unknown_event_is_not_found(league: TeamDirector) -> None:
    league.event = "C" * 32
    assert "no team event" in league.act("teams", 404, serie=1, teams="A")


def test_team_events_are_linked_where_there_are_some(team_director: TeamDirector, pages: Running) -> None:
    assert "/desk/teams" in team_director.browser.get("/desk").text
    assert "/teams/" not in team_director.browser.get("/results").text
    pages.do(SetTeamEvent("D" * 32, "Elsewhere", 4))
    pages.do(PutTeamFacts("D" * 32, (DivisionSet(Division(3, "S")), TeamSet(Team(70, 3, 1, "T")))))
    for path in ("/results", "/", "/teams", "/desk/teams"):
        assert "Elsewhere" in team_director.browser.get(path).text, path
