"""The desk: every form does what it says, and says what it did."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import httpx
import pytest

from overtrick.bridge import Outcome, Seat, Side
from overtrick.event import OpenEvent
from overtrick.event.hands import HandRecordSet
from overtrick.event.movement import SetMovement, TablePlan, boards_to_play
from overtrick.event.results import (
    EnterResult,
    EraseResult,
    Origin,
    PutResults,
    ResultEntry,
    Suspicion,
    place_in_words,
)
from overtrick.event.seating import Participation, PutParticipations, PutPlayers, SessionPlayer, line_up
from overtrick.event.settings import Language
from overtrick.event.setup import ChangeSession, GameKind, Status
from overtrick.scoring import Contestant
from overtrick.store.tables import SCORING
from overtrick.views import SessionView
from overtrick.web import session_list
from overtrick.web.terminal_settings import settings_forms
from tests.event.evenings import SESSION, plan
from tests.waiting import wait_for
from tests.web.running import STARTS, Running, collapse, disturb, evening, form_of, play, running, token_of

JSON = {"accept": "application/json"}


class Director:
    """Somebody at the desk."""

    def __init__(self, browser: httpx.Client, guid: str) -> None:
        self.browser = browser
        self.guid = guid
        self.token = token_of(browser.get("/desk/password").text)

    def act(self, act: str, expected: int = 200, /, **form: str) -> str:
        answer = self.browser.post(
            f"/desk/{self.guid}/act/{act}", data={"token": self.token, **form}, headers=JSON
        )
        assert answer.status_code == expected, answer.text
        return str(answer.json()["sentence"])

    def look(self, tab: str, **query: str) -> str:
        answer = self.browser.get(f"/desk/{self.guid}/{tab}", params=query)
        assert answer.status_code == 200
        return collapse(answer.text)


@pytest.fixture
def director(browser: httpx.Client, guid: str) -> Director:
    return Director(browser, guid)


@pytest.fixture
def solving(tmp_path: Path) -> Iterator[tuple[Director, Running]]:
    """Somebody at a desk that works deals out, of an evening without deals."""
    with (
        running(tmp_path, evaluates=True) as pages,
        httpx.Client(base_url=pages.address, timeout=20) as browser,
    ):
        yield Director(browser, evening(pages, has_deals=False)), pages


def test_session_is_set_up(browser: httpx.Client, pages: Running) -> None:
    page = browser.get("/desk/new", params={"count-1": "11", "boards": "20"})
    assert "sits out" in page.text
    form = {**form_of(page.text, "/desk/new"), "choice-1": "1", "name": " Club <b> "}
    answer = browser.post("/desk/new", data=form)
    assert answer.status_code == 303
    guid = answer.headers["location"].split("/")[2]
    session = pages.session(guid)
    assert session.opened.name == "Club <b>"
    assert len(session.movement.tables) in (5, 6)
    assert "Club &lt;b&gt;" in browser.get("/desk").text
    for bad in (
        {"count-1": "3"},
        {"boards": "x"},
        {"choice-1": "99"},
        {"method": "guess"},
        {"method": "team-imps"},
        {"sections": "9"},
        {"event": "A" * 32},
        {"game": "individual", "count-1": "14"},
    ):
        assert browser.post("/desk/new", data={**form, **bad}).status_code == 400
    assert browser.get("/desk").text.count(f'href="/desk/{guid}/results"') == 1
    assert browser.get("/api/sessions").json() == []


def opened(browser: httpx.Client, **form: str) -> str:
    """The guid of an evening that was set up so."""
    page = browser.get("/desk/new", params=form).text
    names = {} if "names" in form else {"names": ""}
    answer = browser.post("/desk/new", data={**form_of(page, "/desk/new"), **names, **form})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"].split("/")[2])


def test_session_of_two_sections_is_set_up(browser: httpx.Client, pages: Running) -> None:
    form = {"sections": "2", "count-1": "10", "count-2": "9", "boards": "18", "choice-2": "1"}
    session = pages.session(opened(browser, **form))
    assert sorted(session.setup.sections) == ["A", "B"]
    assert [len(session.movement.section(each)) for each in "AB"] == [5, 5]
    assert {each.group for each in session.setup.sections.values()} == {1}
    apart = pages.session(opened(browser, sections="2", together="0", method="cross-imps"))
    assert {(each.section, each.group) for each in apart.setup.sections.values()} == {("A", 1), ("B", 2)}
    assert [group.name for group in apart.setup.groups.values()] == ["Section A", "Section B"]
    # Sections of one size play the same movement, when nothing else is said.
    alike = pages.session(opened(browser, **{"sections": "2", "count-1": "12", "choice-1": "2"}))
    assert [at.rounds for at in alike.movement.section("A").values()] == [
        at.rounds for at in alike.movement.section("B").values()
    ]


def test_individual_is_set_up_and_its_movement_changed(browser: httpx.Client, pages: Running) -> None:
    guid = opened(browser, **{"game": "individual", "count-1": "12"})
    session = pages.session(guid)
    assert session.setup.sections["A"].game is GameKind.INDIVIDUAL
    assert session.movement.tables["A", 1].rounds[0].south
    director = Director(browser, guid)
    assert "12 players, 3 tables" in director.look("movement")
    assert "N-S 12 and 1" in director.look("rounds")
    assert "player 12" in director.look("players")
    asked = {"section": "A", "pairs": "16", "boards": "24"}
    page = browser.get(f"/desk/{guid}/movement/preview", params=asked).text
    assert "No results will be erased" in page
    assert browser.get(f"/desk/{guid}/movement/preview", params={**asked, "pairs": "13"}).status_code == 400
    director.act("movement", **asked, choice="0", erases="0")
    assert len(pages.session(guid).movement.section("A")) == 4


def test_session_of_teams_is_set_up(browser: httpx.Client, pages: Running) -> None:
    guid = opened(browser, **{"game": "teams", "count-1": "4", "method": "vps-discrete"})
    session = pages.session(guid)
    first = session.movement.tables["A", 1].rounds[0]
    assert first.mates is not None
    assert (first.mates.table, session.setup.sections["A"].game) == (2, GameKind.TEAMS)
    assert "4 teams, 4 tables, 3 rounds" in Director(browser, guid).look("movement")
    # Both tables of a match make its score.
    pages.do(EnterResult(guid, ResultEntry("A", 1, 1, 1, Outcome.parse("4SN="), STARTS)))
    pages.do(EnterResult(guid, ResultEntry("A", 2, 1, 1, Outcome.parse("4SN-1"), STARTS)))
    ranking = browser.get(f"/api/sessions/{guid}/ranking").json()
    assert ranking[0]["lines"][0]["score"] > ranking[0]["lines"][-1]["score"]


def test_next_session_of_an_event_copies_the_names(browser: httpx.Client, pages: Running) -> None:
    first = opened(browser, **{"count-1": "8", "name": "Saturday"})
    director = Director(browser, first)
    director.act("players", **{"last-A-1-0-N": "Zia", "number-A-1-0-N": "7"})
    home = browser.get("/desk").text
    assert f"/desk/new?event={first}" in home
    second = opened(browser, **{"event": first, "count-1": "8", "name": "Sunday", "names": "1"})
    session = pages.session(second)
    assert session.opened.event == first
    assert sorted(session.setup.sections) == ["B"]
    assert sorted(session.setup.groups) == [2]
    assert [chair.last_name for chair in session.seating.chairs.values()] == ["Zia"]
    assert session.seating.players["7"].last_name == "Zia"
    third = pages.session(opened(browser, **{"event": first, "count-1": "8", "name": "Monday"}))
    assert sorted(third.setup.sections) == ["C"]
    assert not third.seating.chairs


def test_a_movement_is_shown_before_it_is_chosen(browser: httpx.Client) -> None:
    asked = {"game": "pairs", "count": "14", "boards": "24", "choice": "1"}
    assert "Mitchell of 7 tables" in browser.get("/desk/new/sheet", params=asked).text
    assert browser.get("/desk/new/sheet", params={**asked, "choice": "77"}).status_code == 400
    assert browser.get("/desk/new/sheet").status_code == 400


def test_a_result_is_corrected_erased_and_entered(director: Director, pages: Running) -> None:
    place, before = next(iter(pages.session(director.guid).results.standing.items()))
    key = "-".join(str(part) for part in place)
    lead = next(iter(pages.session(director.guid).hands.records[1, place[3]].deal[Seat.WEST]))
    typed = lead.value.replace("T", "10").lower()
    said = director.act("result", place=key, was=str(before.outcome), typed="6nt xx s -2", lead=typed)
    assert said == "Saved."
    now = pages.session(director.guid).results.standing[place]
    assert now.outcome == Outcome.parse("6NTxxS-2")
    assert now.lead == lead
    assert "The result is now" in director.act(
        "result", 409, place=key, was=str(before.outcome), typed="Pass"
    )
    assert director.act("result", place=key, do="suspect") == "Marked as suspicious."
    assert "suspicious" in director.look("results", show="suspicious")
    director.act("result", place=key, do="confirm")
    assert pages.session(director.guid).results.standing[place].suspicion is Suspicion.CONFIRMED
    assert director.act("result", place=key, do="erase") == "Erased."
    assert place not in pages.session(director.guid).results.standing
    assert "erased" in director.look("results", show="missing")
    form = {"kind": "played", "level": "4", "strain": "H", "doubling": "x", "declarer": "W", "tricks": "-1"}
    director.act("result", place=key, **form)
    assert pages.session(director.guid).results.standing[place].outcome == Outcome.parse("4HxW-1")


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"place": "nowhere"}, 400),
        ({"place": "A-1-1-99", "typed": "Pass"}, 404),
        ({"place": "A-1-1-1", "typed": "8SN="}, 400),
        ({"place": "A-1-1-1", "kind": "played"}, 400),
        ({"place": "A-1-1-1", "typed": "Pass", "lead": "ZZ"}, 400),
        ({"place": "A-99-1-1", "do": "erase"}, 404),
    ],
)
def test_invalid_form_changes_nothing(
    director: Director, pages: Running, form: dict[str, str], status: int
) -> None:
    head = pages.journal.heads()
    assert director.act("result", status, **form)
    assert pages.journal.heads() == head


def test_results_are_filtered_and_sorted(director: Director) -> None:
    everything = director.look("results", show="all")
    assert everything.count("data-dialog") > director.look("results").count("data-dialog")
    one_table = director.look("results", table="2", sort="board")
    assert "> A2<" in one_table
    assert "> A1<" not in one_table
    assert director.look("results", table="x", sort="guess", show="guess", section="ZZZZ<script>")


def test_session_of_the_desk_shows_deals_and_summary(browser: httpx.Client, pages: Running) -> None:
    guid = opened(browser, sections="2")
    settings = pages.session(guid).settings.third
    assert {letters: (each.view_hand_record, each.summary) for letters, each in settings.items()} == {
        "A": (True, True),
        "B": (True, True),
    }


def test_names_form_saves_players(director: Director, pages: Running) -> None:
    form = {
        "first-A-1-0-N": "Zia",
        "last-A-1-0-N": '<img src=x onerror="alert(1)">',
        "last-A-1-0-S": "Solo",
        "number-A-2-0-E": "777",
        "last-A-2-0-E": "Rosenberg",
        "last-A-2-0-W": "",
    }
    assert director.act("players", **form) == "4 seats saved."
    page = director.look("players")
    assert "&lt;img src=x" in page
    assert "<img src=x" not in page
    assert "Rosenberg" in page
    seating = pages.session(director.guid).seating
    assert seating.players["777"].last_name == "Rosenberg"
    assert ("A", 2, 1, Seat.WEST) not in seating.chairs


def test_only_seats_that_differ_from_the_shown_form_are_saved(director: Director, pages: Running) -> None:
    form = form_of(
        director.browser.get(f"/desk/{director.guid}/players").text, f"/desk/{director.guid}/act/players"
    )
    assert form["last-A-1-0-N"] in form["was-A-1-0-N"]
    # A table enters a name while the director types another.
    pages.do(
        PutParticipations(
            director.guid, (Participation("A", 1, Seat.NORTH, last_name="Fresh"),), must_be_known=False
        )
    )
    assert director.act("players", **form) == "No change."
    assert director.act("players", **{**form, "last-A-4-0-W": "Typed"}) == "1 seat saved."
    chairs = pages.session(director.guid).seating.chairs
    assert chairs["A", 1, 1, Seat.NORTH].last_name == "Fresh"
    assert chairs["A", 4, 1, Seat.WEST].last_name == "Typed"


def test_names_are_saved_together_or_not_at_all(director: Director, pages: Running) -> None:
    before = pages.session(director.guid).seating.chairs
    director.act("players", 404, **{"last-A-1-0-N": "Here", "last-A-99-0-N": "Nowhere"})
    assert pages.session(director.guid).seating.chairs == before


def test_seats_taken_by_the_scoring_program_are_reported(director: Director, pages: Running) -> None:
    players = tuple(SessionPlayer(str(number), "Ada", f"Lovelace {number}") for number in (901, 902))
    pages.do(PutPlayers(director.guid, players))
    assert "changed" not in director.look("results")
    for table, number in ((1, "901"), (1, "902"), (2, "902")):
        seat = Participation("A", table, Seat.NORTH, number)
        pages.do(PutParticipations(director.guid, (seat,)))
    assert "2 seats changed" in director.look("results")
    page = director.look("players")
    assert "A1 North is empty: the scoring program seated Ada Lovelace 902 elsewhere." in page


def test_director_call_is_answered_at_the_desk(director: Director, pages: Running) -> None:
    disturb(pages, director.guid)
    assert "calls the director" in director.look("matrix")
    assert "Waiting" in director.look("calls")
    director.act("call", call="call-1", status="in progress")
    director.act("call", call="call-1", status="resolved")
    assert "calls the director" not in director.look("matrix")
    assert "Resolved" in director.look("calls")
    director.act("call", 404, call="no such", status="resolved")
    director.act("call", 400, call="call-1", status="x")


def test_preview_of_another_movement_lists_the_results_it_would_erase(
    director: Director, pages: Running
) -> None:
    before = len(pages.session(director.guid).results.standing)
    asked = {"section": "A", "pairs": "10", "boards": "24", "choice": "0"}
    page = director.browser.get(f"/desk/{director.guid}/movement/preview", params=asked).text
    erases = page.split('name="erases" value="')[1].split('"')[0]
    assert 0 < int(erases) <= before
    assert f"{erases} results will be erased" in collapse(page)
    assert len(pages.session(director.guid).results.standing) == before
    said = director.act("movement", 409, **asked, erases="0")
    assert "Nothing was changed" in said
    director.act("movement", **asked, erases=erases)
    session = pages.session(director.guid)
    assert len(session.results.standing) == before - int(erases)
    assert len(session.movement.section("A")) == 5


def test_removed_tables_are_reported_and_put_back_with_their_results(
    director: Director, pages: Running
) -> None:
    session = pages.session(director.guid)
    standing = {place: result.outcome for place, result in session.results.standing.items()}
    last = max(table for _, table in session.movement.tables)
    lost = sum(place[1] == last for place in standing)
    assert lost
    assert "Put back" not in director.look("results")
    pages.do(SetMovement(director.guid, session.plan("A"), (TablePlan(last, ()),)))
    page = director.look("results")
    assert f"Table A{last}" in page
    assert f"{lost} result" in page
    assert director.act("restore", section="A") == "Section A restored."
    session = pages.session(director.guid)
    assert {place: result.outcome for place, result in session.results.standing.items()} == standing
    assert "Put back" not in director.look("results")
    assert "nothing was changed" in director.act("restore", 400, section="A")


def test_ruling_not_sent_to_the_scoring_program_is_listed(
    director: Director, browser: httpx.Client, pages: Running
) -> None:
    pages.do(OpenEvent(SESSION, (plan(),)), side=SCORING, actor="scoring program over HTTP")
    ruled = {}
    for guid in (SESSION, director.guid):
        place = ruled[guid] = min(boards_to_play(pages.session(guid)))
        entry = ResultEntry(*place, Outcome.parse("Arbitral"), STARTS)
        pages.do(PutResults(guid, (entry,), Origin.DESK))
    page = Director(browser, SESSION).look("results")
    assert f"Not sent to the scoring program</strong> {place_in_words(*ruled[SESSION])}: " in page
    assert "Not sent" not in director.look("results")
    pages.do(EraseResult(SESSION, *ruled[SESSION], Origin.DESK))
    assert "Not sent" not in Director(browser, SESSION).look("results")


def test_missing_pair_is_set_as_previewed(browser: httpx.Client, pages: Running) -> None:
    director = Director(browser, evening(pages, 4, 0))
    asked = {"section": "A", "pairs": "8", "boards": "24", "missing": "3"}
    page = director.browser.get(f"/desk/{director.guid}/movement/preview", params=asked).text
    assert "These pairs sit out:" in page
    meets = [
        (number, played.ew)
        for at in pages.session(director.guid).movement.tables.values()
        for number, played in enumerate(at.rounds, start=1)
        if played.ns == 3
    ]
    assert len(meets) == 4
    for number, opponent in meets:
        assert f"<li>Round {number}: E-W {opponent}</li>" in page
    erases = page.split('name="erases" value="')[1].split('"')[0]
    director.act("missing", section="A", missing="3", erases=erases)
    assert pages.session(director.guid).setup.sections["A"].missing_pair == 3
    nobody = director.browser.get(
        f"/desk/{director.guid}/movement/preview", params={**asked, "missing": "0"}
    ).text
    assert "Nobody sits out." in nobody


def test_tabs_are_in_groups_and_the_current_group_is_marked(director: Director) -> None:
    page = director.look("movement")
    groups = re.findall(r'role="group" aria-label="([^"]+)"', page)
    assert groups == ["Scores", "Players", "Director", "Set-up"]
    current = page.partition('class="tab-group current"')[2].partition("</div>")[0]
    assert re.findall(r'/desk/[^/]+/(\w+)"', current) == ["movement", "hands", "settings", "log"]


def test_round_monitor_shows_partners_together(director: Director, pages: Running) -> None:
    seated = {
        seat: player.name
        for (table, seat), player in line_up(pages.session(director.guid), "A", 3).items()
        if table == 1
    }
    page = " ".join(director.look("rounds").split())
    assert f"{seated[Seat.NORTH]} &amp; {seated[Seat.SOUTH]}" in page
    assert f"{seated[Seat.EAST]} &amp; {seated[Seat.WEST]}" in page


def test_every_setting_is_under_one_heading_of_the_form(director: Director, pages: Running) -> None:
    for form in settings_forms(pages.session(director.guid), "A"):
        grouped = [field.name for fields in form.groups.values() for field in fields]
        assert sorted(grouped) == sorted(field.name for field in form.fields)
        assert {"pin", "director_calls"} <= {field.name for field in form.groups["The director"]}
        assert "ranking" in {field.name for field in form.groups["What terminals show"]}
        assert "result_entry" in {field.name for field in form.groups["What terminals ask"]}


def test_settings_and_status_are_saved(director: Director, pages: Running) -> None:
    assert "Director" in director.look("settings")
    director.act(
        "settings", **{"section": "A", "has-language": "1", "language": "nl", "has-pin": "1", "pin": "1234"}
    )
    third = pages.session(director.guid).settings.third["A"]
    assert (third.language, third.pin) == (Language.DUTCH, "1234")
    director.act("settings", 409, **{"section": "A", "has-pin": "1", "pin": "12"})
    director.act("settings", 400, **{"section": "A", "has-language": "1", "language": "xx"})
    director.act(
        "settings",
        **{"section": "A", "generation": "II", "has-maximum_results": "1", "maximum_results": "12"},
        **{"has-ask_lead": "1", "ask_lead": "1"},
    )
    second = pages.session(director.guid).settings.second["A"]
    assert (second.maximum_results, second.ask_lead) == (12, True)
    too_many = {"section": "A", "generation": "II", "has-maximum_results": "1", "maximum_results": "500"}
    assert "Maximum results" in director.act("settings", 400, **too_many)
    page = director.look("settings")
    assert "Only for table units" in page
    assert "Does nothing here." in page
    director.act("session", name="Another name")
    assert "Another name" in director.look("log")
    director.act("session", 400, name="  ")


def test_ending_a_session_needs_confirmation_and_reopening_restores_it(
    director: Director, pages: Running
) -> None:
    browser, guid = director.browser, director.guid
    standing = pages.session(guid).results.standing
    missing = len(set(boards_to_play(pages.session(guid)))) - len(standing)
    place = next(iter(standing))
    pages.do(EraseResult(guid, *place, Origin.DESK))
    disturb(pages, guid)
    before = browser.get(f"/live/{guid}").text
    board = browser.get(f"/results/{guid}/board-1-{place[3]}.html").status_code
    page = director.look("end")
    assert f"{missing + 1} results are missing</strong> at 4 tables." in page
    assert f"board {place[3]} of round {place[2]}; rounds 3, 4" in page
    assert "Still open: 1 call for the director." in page
    action = f"/desk/{guid}/act/session"
    form = form_of(browser.get(f"/desk/{guid}/end").text, action)
    assert "was not ended" in director.act("session", 400, status="finished")
    assert "was not ended" in director.act("session", 400, **{**form, "missing": "0"})
    assert pages.session(guid).setup.status is not Status.FINISHED
    assert browser.post(action, data=form).headers["location"] == f"/desk/{guid}/settings"
    assert pages.session(guid).setup.status is Status.FINISHED
    assert f"The session has ended · {missing + 1} results are missing" in collapse(
        browser.get(f"/live/{guid}").text
    )
    assert f"Ended, {missing + 1} missing" in director.look("results")
    assert browser.get(f"/results/{guid}/board-1-{place[3]}.html").status_code == 200
    assert "The session has ended." in director.look("end")
    assert "Open again" in director.look("settings")
    director.act("session", status="started")
    assert browser.get(f"/results/{guid}/board-1-{place[3]}.html").status_code == board == 404
    strip = re.compile(r"after=[\d.]+")
    assert strip.sub("", browser.get(f"/live/{guid}").text) == strip.sub("", before)


def test_session_with_all_results_ends_without_a_warning(director: Director, pages: Running) -> None:
    play(pages, director.guid, 4)
    pages.settle(director.guid)  # the last result ends the session
    director.act("session", status="started")
    page = director.look("end")
    assert "All results are in." in page
    assert "missing</strong>" not in page
    director.act("session", status="finished")
    assert pages.session(director.guid).setup.status is Status.FINISHED


def test_settings_for_all_sections(browser: httpx.Client, pages: Running) -> None:
    guid = opened(browser, sections="2")
    Director(browser, guid).act(
        "settings", **{"section": "B", "everywhere": "1", "has-pin": "1", "pin": "4321"}
    )
    assert {each.pin for each in pages.session(guid).settings.third.values()} == {"4321"}


def test_log_shows_sentences_and_links_to_older_entries(director: Director) -> None:
    page = director.look("log")
    assert "Table A4, round 2, board" in page
    assert "(pairs " in page
    assert "&lt;" not in page
    first = director.look("log", before="12")
    assert "created for" in first
    assert "Table A4, round 2" not in first
    assert director.look("log", before="x")
    assert "No entries." in director.look("log", before="1")


def test_hand_records_are_imported_and_analysed(solving: tuple[Director, Running]) -> None:
    director, pages = solving
    deal = "N:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432"
    text = f'[Board "40"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{deal}"]\n'

    def send(content: bytes) -> httpx.Response:
        return director.browser.post(
            f"/desk/{director.guid}/act/hands",
            data={"token": director.token, "sure": "1"},
            files={"file": ("x.pbn", content)},
            headers=JSON,
        )

    assert send(b"nothing").status_code == 400
    assert send(b"\x00\xff" * 1000).status_code == 400
    head = pages.journal.heads()
    answer = director.browser.post(
        f"/desk/{director.guid}/act/hands",
        data={"token": "x"},
        files={"file": ("x.pbn", text.encode())},
        headers=JSON,
    )
    assert answer.status_code == 403
    assert pages.journal.heads() == head
    assert "1 deal imported" in send(text.encode()).json()["sentence"]
    page = director.look("hands")
    assert "Board 40" in page
    assert "Analysing 1 board (double dummy)." in page or "Par NS" in page
    wait_for(lambda: "Par NS 1520" in director.look("hands").replace("+", ""))
    answer = director.browser.post(
        f"/desk/{director.guid}/act/hands",
        data={"token": director.token, "group": "²"},
        files={"file": ("x.pbn", text.encode())},
        headers=JSON,
    )
    assert answer.status_code == 400


def test_second_file_of_hands_needs_confirmation(
    browser: httpx.Client, director: Director, pages: Running
) -> None:
    guid, action = director.guid, f"/desk/{director.guid}/act/hands"
    board = min(number for _, number in pages.session(guid).hands.records)
    deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    file = {"file": ("one.pbn", f'[Board "{board}"]\n[Deal "{deal}"]\n\n'.encode())}
    before = pages.session(guid).hands.records
    asked = browser.post(action, data={"token": director.token}, files=file)
    assert asked.status_code == 409
    assert f"Board {board} already has another deal." in asked.text
    assert browser.post(action, data={"token": director.token}, files=file, headers=JSON).status_code == 409
    assert pages.session(guid).hands.records == before
    assert browser.post(action, data=form_of(asked.text, action)).status_code == 303
    assert str(pages.session(guid).hands.records[1, board].deal) == deal
    # The same deal again replaces nothing.
    assert browser.post(action, data={"token": director.token}, files=file).status_code == 303


def test_file_with_fewer_deals_than_boards_needs_confirmation(browser: httpx.Client, pages: Running) -> None:
    guid = evening(pages, has_deals=False)
    director, action = Director(browser, guid), f"/desk/{guid}/act/hands"
    deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    file = {"file": ("one.pbn", f'[Board "1"]\n[Deal "{deal}"]\n\n'.encode())}
    asked = browser.post(action, data={"token": director.token}, files=file)
    assert asked.status_code == 409
    assert "The file has 1 deal. Boards 2–24 would have none." in asked.text
    assert pages.session(guid).hands.records == {}
    assert browser.post(action, data=form_of(asked.text, action)).status_code == 303
    assert list(pages.session(guid).hands.records) == [(1, 1)]


def test_files_of_dealing_machines_are_imported_by_content(director: Director) -> None:
    cards = b"".join(f"{number:02d}".encode() for number in range(1, 40))
    dup = cards + b" " * 68 + b"YN41 1 41 "
    lin = b"qx|o42|md|1SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,|sv|n|"
    for content, board in ((dup, 41), (lin, 42)):
        answer = director.browser.post(
            f"/desk/{director.guid}/act/hands",
            data={"token": director.token},
            files={"file": ("deals.txt", content)},
            headers=JSON,
        )
        assert "1 deal imported" in answer.json()["sentence"]
        assert f"Board {board}" in director.look("hands")
    answer = director.browser.post(
        f"/desk/{director.guid}/act/hands",
        data={"token": director.token},
        files={"file": ("deals.dup", dup[:-9] + b"Y" + dup[-8:])},
        headers=JSON,
    )
    assert answer.status_code == 400
    assert "counted backwards" in answer.text


def test_table_cards_have_codes(director: Director, pages: Running) -> None:
    page = director.look("cards")
    code = pages.keys.table_code(director.guid, "A", 1)
    assert f"{code[:4]} {code[4:]}" in page
    assert page.count("data:image/svg+xml") == 4


def test_addresses_t1_to_t5_lead_to_tabs_of_the_last_session(browser: httpx.Client, guid: str) -> None:
    for number, tab in enumerate(("results", "rounds", "boards", "matrix", "players"), start=1):
        assert browser.get(f"/t{number}").headers["location"] == f"/desk/{guid}/{tab}"


def test_pages_without_a_session_are_shown(browser: httpx.Client, pages: Running) -> None:
    assert browser.get("/t1").headers["location"] == "/desk"
    assert browser.get("/live").status_code == 200
    assert browser.get("/results").status_code == 200
    assert browser.get("/desk").status_code == 200


def test_live_leads_to_the_session_that_changed_last(browser: httpx.Client, pages: Running) -> None:
    first, second = evening(pages, 4, 1, seed=1), evening(pages, 5, 1, seed=2)
    assert browser.get("/live").headers["location"] == f"/live/{second}"
    assert first in browser.get("/desk").text


def test_the_list_of_sessions_has_pages_and_is_searched(
    browser: httpx.Client, pages: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_list, "PAGE", 2)
    monkeypatch.setattr("overtrick.web.archive.PAGE", 2)
    first, second, third = (evening(pages, 4, 1, seed=seed) for seed in (1, 2, 3))
    for guid, name in ((first, "Monday"), (second, "Tuesday"), (third, "Wednesday")):
        pages.do(ChangeSession(guid, name=name))
    for path in ("/desk", "/results"):
        newest, older = browser.get(path).text, browser.get(f"{path}?page=2").text
        assert (third in newest, second in newest, first in newest) == (True, True, False)
        assert (third in older, first in older) == (False, True)
        assert "?page=2" in newest
        assert "?page=1" in older
        found = browser.get(path, params={"find": "TUES"}).text
        assert (second in found, third in found, "?page" in found) == (True, False, False)
        none = browser.get(path, params={"find": "<b>"}).text
        assert "“&lt;b&gt;”" in none
        assert browser.get(f"{path}?page=-1").status_code == browser.get(f"{path}?page=x").status_code == 200


NORTH_HAS_ALL = (
    b'[Board "1"]\n[Dealer "N"]\n'
    b'[Deal "N:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432"]\n'
)


def take_in(director: Director, deals: bytes) -> None:
    answer = director.browser.post(
        f"/desk/{director.guid}/act/hands",
        data={"token": director.token, "sure": "1"},
        files={"file": ("x.pbn", deals)},
        headers=JSON,
    )
    assert answer.status_code == 200, answer.text


def test_impossible_result_is_marked_and_confirmed(solving: tuple[Director, Running]) -> None:
    director, pages = solving
    guid = director.guid
    take_in(director, NORTH_HAS_ALL)
    wait_for(lambda: pages.session(guid).hands.records[1, 1].tricks is not None)
    place = next(each for each in sorted(boards_to_play(pages.session(guid))) if each[3] == 1)
    key = "-".join(str(part) for part in place)
    director.act("result", place=key, typed="7NTE=")

    def suspicion() -> Suspicion:
        return pages.session(guid).results.standing[place].suspicion

    wait_for(lambda: suspicion() is Suspicion.SUSPICIOUS)
    page = director.look("results", show="suspicious")
    assert "impossible slam" in page
    assert "Confirm result" in page
    assert director.act("result", place=key, do="confirm") == "Confirmed."
    assert suspicion() is Suspicion.CONFIRMED
    assert "Confirm result" not in director.look("results", board="1", table=str(place[1]))


def test_deals_imported_later_mark_suspicious_results(solving: tuple[Director, Running]) -> None:
    director, pages = solving
    guid = director.guid
    place = next(each for each in sorted(boards_to_play(pages.session(guid))) if each[3] == 1)
    director.act("result", place="-".join(map(str, place)), typed="7NTE=")
    take_in(director, NORTH_HAS_ALL)
    wait_for(lambda: pages.session(guid).results.standing[place].suspicion is Suspicion.SUSPICIOUS)


def test_the_code_of_a_card_leads_to_its_table(browser: httpx.Client, pages: Running, guid: str) -> None:
    code = pages.keys.table_code(guid, "A", 3)
    assert "Code on the table card" in browser.get("/join").text
    answer = browser.get("/join", params={"code": f"{code[:4].lower()} {code[4:]}"})
    assert answer.headers["location"] == f"/t/{guid}/A3?code={code}"
    for _ in range(8):
        assert browser.get("/join", params={"code": "WRONG234"}).status_code == 404
    for guess in ("WRONG234", code):
        assert browser.get("/join", params={"code": guess}).status_code == 429


def preview(director: Director, **asked: str) -> dict[str, str]:
    """Return the fields that a preview's form would send."""
    page = director.browser.get(
        f"/desk/{director.guid}/movement/preview", params={"section": "A", **asked}
    ).text
    fields = re.findall(r'<input type="hidden" name="([a-z]+)" value="([^"]*)">', page.split("</form>")[0])
    return {name: value for name, value in fields if name != "token"} | {"page": page}


def mitchell_of_seven(browser: httpx.Client, pages: Running) -> Director:
    """A Mitchell of seven tables, two rounds of which are played."""
    guid = opened(browser, **{"count-1": "14", "boards": "21", "choice-1": "0"})
    assert pages.session(guid).winners("A") == 2
    play(pages, guid, 2)
    return Director(browser, guid)


def test_late_pair_in_a_mitchell_erases_no_result(browser: httpx.Client, pages: Running) -> None:
    director = mitchell_of_seven(browser, pages)
    before = pages.session(director.guid)
    form = preview(director, pairs="15", boards="21")
    assert "No results will be erased" in form.pop("page")
    assert (form["from"], form["erases"]) == ("3", "0")
    assert "0 results erased" in director.act("movement", **form)
    after = pages.session(director.guid)
    assert after.results.standing == before.results.standing
    for table, at in before.movement.section("A").items():
        assert after.movement.tables["A", table].rounds[:2] == at.rounds[:2]
    # The rover plays from now on, and nobody plays a board twice.
    rover = {played.ns for at in after.movement.section("A").values() for played in at.rounds} - set(range(8))
    assert rover == {8}
    assert "8 N-S" in director.look("movement")
    # Whoever sits out needs no terminal.
    assert ("A", 8) in after.movement.tables
    assert re.findall(r"<h2>Table A(\d)</h2>", director.look("cards")) == list("1234567")


def test_a_pair_that_came_late_is_named_where_it_first_sits(browser: httpx.Client, pages: Running) -> None:
    director = mitchell_of_seven(browser, pages)
    assert "From round" not in director.look("players")
    form = preview(director, pairs="15", boards="21")
    form.pop("page")
    director.act("movement", **form)
    page = director.look("players")
    (late,) = re.findall(r"<h2>From round (\d+), table A(\d+)</h2>", page)
    assert "<h2>Table A8</h2>" not in page, "nobody ever sits down at a table for those who sit out"
    seat = f"A-{late[1]}-{late[0]}"
    director.act("players", **{f"first-{seat}-N": "Lou", f"last-{seat}-N": "Late", f"last-{seat}-S": "Later"})
    session = pages.session(director.guid)
    view = SessionView.of(session)
    assert [player.name for player in view.players()[Contestant("A", 8, Side.NS)]] == ["Lou Late", "Later"]
    # Who sits at that table in the first round is somebody else, and is not named by it.
    assert ("A", int(late[1]), Seat.NORTH) not in {
        chair[:2] + chair[3:] for chair in session.seating.chairs if chair[2] <= 1
    }
    assert 'value="Late"' in director.look("players")


def test_results_of_a_pair_that_leaves_stay(browser: httpx.Client, pages: Running) -> None:
    director = mitchell_of_seven(browser, pages)
    standing = dict(pages.session(director.guid).results.standing)
    form = preview(director, pairs="14", boards="21", missing="-3")
    assert "seats stay empty from round 3" in form.pop("page")
    director.act("missing", **form)
    session = pages.session(director.guid)
    assert session.results.standing == standing
    rounds = [at.rounds for at in session.movement.section("A").values()]
    assert any(played.ew == 3 for at in rounds for played in at[:2])
    assert not any(played.ew == 3 for at in rounds for played in at[2:])
    assert any(played.ns == 3 for at in rounds for played in at[2:])


def test_preview_of_an_impossible_movement_says_why(browser: httpx.Client, pages: Running) -> None:
    director = mitchell_of_seven(browser, pages)
    asked = {"section": "A", "pairs": "16", "boards": "24", "choice": "0", "from": "3"}
    at = f"/desk/{director.guid}/movement/preview"
    assert "a board twice" in browser.get(at, params=asked).text
    form = preview(director, **{**asked, "from": "1"})
    assert int(form["erases"]) > 0
    assert browser.get(at, params={**asked, "choice": "x"}).status_code == 400
    assert browser.get(at, params={**asked, "missing": "--5"}).status_code == 400


@pytest.mark.parametrize(
    ("what", "path"),
    [
        ("overtrick.web.table_cards.TableCardPages.cards", "/desk/{guid}/cards"),
        ("overtrick.web.table_cards.TableCardPages.pair_cards", "/desk/{guid}/cards?for=pairs"),
        (
            "overtrick.web.session_setup_reader.read_session_request",
            "/desk/new?game=teams&count-1=58&boards=60",
        ),
        (
            "overtrick.web.movement_options.OfferedMovements.offers",
            "/desk/new/sheet?count=8&boards=24&choice=0",
        ),
    ],
)
def test_slow_work_does_not_delay_other_requests(
    monkeypatch: pytest.MonkeyPatch, browser: httpx.Client, guid: str, what: str, path: str
) -> None:
    holds_up: list[bool] = []
    made = resolve_name(what)

    def watched(*given: Any) -> Any:
        try:
            asyncio.get_running_loop()
            holds_up.append(True)
        except RuntimeError:
            holds_up.append(False)
        return made(*given)

    monkeypatch.setattr(what, watched)
    assert browser.get(path.format(guid=guid)).status_code == 200
    assert holds_up == [False]


def test_a_form_sent_again_counts_once(director: Director, pages: Running) -> None:
    stream = f"session/{director.guid}/1"
    first = {"once": "first", "name": "Renamed"}
    assert director.act("session", **first) == "Saved."
    assert director.act("session", once="second", name="Renamed again") == "Saved."
    head = pages.journal.head(stream)
    assert "already saved" in director.act("session", **first)
    assert pages.journal.head(stream) == head
    assert pages.session(director.guid).opened.name == "Renamed again"


def test_form_id_used_in_another_session_is_executed(
    browser: httpx.Client, director: Director, pages: Running
) -> None:
    other = Director(browser, evening(pages, seed=2))
    form = {"once": "same", "name": "Renamed"}
    assert director.act("session", **form) == other.act("session", **form) == "Saved."
    assert pages.session(other.guid).opened.name == "Renamed"


def test_a_file_of_hands_sent_again_counts_once(director: Director, pages: Running, guid: str) -> None:
    deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    head = pages.journal.head(f"session/{guid}/1")
    said = []
    for _ in range(2):
        answer = director.browser.post(
            f"/desk/{guid}/act/hands",
            data={"token": director.token, "once": "hands"},
            files={"file": ("one.pbn", f'[Board "99"]\n[Deal "{deal}"]\n\n'.encode())},
            headers=JSON,
        )
        said.append(answer.json()["sentence"])
    assert said[0] == "1 deal imported."
    assert "already saved" in said[1]
    facts = [entry.fact for entry in pages.journal.read(f"session/{guid}/1", head)]
    assert sum(isinstance(fact, HandRecordSet) for fact in facts) == 1
