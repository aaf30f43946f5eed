"""The desk: every form does what it says, and says what it did."""

import httpx
import pytest

from overtrick.bridge import Outcome
from overtrick.event.results import Suspicion
from overtrick.event.settings import Language
from overtrick.event.setup import Status
from tests.web.conftest import token_of
from tests.web.running import Running, disturb, evening

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
        return answer.text


@pytest.fixture
def director(browser: httpx.Client, guid: str) -> Director:
    return Director(browser, guid)


def test_set_up_an_evening(browser: httpx.Client, pages: Running) -> None:
    page = browser.get("/desk/new", params={"pairs": "11", "boards": "20"})
    assert "sits out" in page.text
    form = {"token": token_of(page.text), "pairs": "11", "boards": "20", "choice": "1", "name": " Club <b> "}
    answer = browser.post("/desk/new", data=form)
    assert answer.status_code == 303
    guid = answer.headers["location"].split("/")[2]
    session = pages.session(guid)
    assert session.opened.name == "Club <b>"
    assert len(session.movement.tables) in (5, 6)
    assert "Club &lt;b&gt;" in browser.get("/desk").text
    for bad in ({"pairs": "3"}, {"boards": "x"}, {"choice": "99"}, {"method": "guess"}):
        assert browser.post("/desk/new", data={**form, **bad}).status_code == 400


def test_a_result_is_corrected_erased_and_entered(director: Director, pages: Running) -> None:
    place, before = next(iter(pages.session(director.guid).results.standing.items()))
    key = "-".join(str(part) for part in place)
    said = director.act("result", place=key, was=str(before.outcome), typed="6nt xx s -2", lead="H10")
    assert said == "Saved."
    now = pages.session(director.guid).results.standing[place]
    assert now.outcome == Outcome.parse("6NTxxS-2")
    assert now.lead is not None
    assert now.lead.value == "HT"
    assert "by now" in director.act("result", 409, place=key, was=str(before.outcome), typed="Pass")
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
def test_a_form_that_makes_no_sense_changes_nothing(
    director: Director, pages: Running, form: dict[str, str], status: int
) -> None:
    head = pages.journal.heads()
    assert director.act("result", status, **form)
    assert pages.journal.heads() == head


def test_results_are_filtered_and_sorted(director: Director) -> None:
    everything = director.look("results", show="all")
    assert everything.count("data-dialog") > director.look("results").count("data-dialog")
    one_table = director.look("results", table="2", sort="board")
    assert "A2</td>" in one_table
    assert "A1</td>" not in one_table
    assert director.look("results", table="x", sort="guess", show="guess", section="ZZZZ<script>")


def test_players_are_named(director: Director, pages: Running) -> None:
    form = {
        **{f"{part}-{seat}": "" for part in ("first", "last", "number") for seat in "NESW"},
        "first-N": "Zia",
        "last-N": '<img src=x onerror="alert(1)">',
        "last-S": "Solo",
        "number-E": "777",
        "last-E": "Rosenberg",
    }
    director.act("players", section="A", table="1", **form)
    page = director.look("players")
    assert "&lt;img src=x" in page
    assert "<img src=x" not in page
    assert "Rosenberg" in page
    assert pages.session(director.guid).seating.players["777"].last_name == "Rosenberg"


def test_calls_are_answered(director: Director, pages: Running) -> None:
    disturb(pages, director.guid)
    assert "calls the director" in director.look("matrix")
    director.act("call", call="call-1", status="in progress")
    director.act("call", call="call-1", status="resolved")
    assert "calls the director" not in director.look("matrix")
    assert "Resolved" in director.look("calls")
    director.act("call", 404, call="no such", status="resolved")
    director.act("call", 400, call="call-1", status="x")


def test_another_movement_shows_what_it_would_erase(director: Director, pages: Running) -> None:
    before = len(pages.session(director.guid).results.standing)
    asked = {"section": "A", "pairs": "10", "boards": "24", "choice": "0"}
    page = director.browser.get(f"/desk/{director.guid}/movement/preview", params=asked).text
    erases = page.split('name="erases" value="')[1].split('"')[0]
    assert 0 < int(erases) <= before
    assert f"{erases} results would be erased" in page
    assert len(pages.session(director.guid).results.standing) == before
    said = director.act("movement", 400, **asked, erases="0")
    assert "nothing was changed" in said
    director.act("movement", **asked, erases=erases)
    session = pages.session(director.guid)
    assert len(session.results.standing) == before - int(erases)
    assert len(session.movement.section("A")) == 5


def test_a_missing_pair_sits_nobody_down(director: Director, pages: Running) -> None:
    asked = {"section": "A", "pairs": "8", "boards": "24", "missing": "3"}
    page = director.browser.get(f"/desk/{director.guid}/movement/preview", params=asked).text
    erases = page.split('name="erases" value="')[1].split('"')[0]
    director.act("missing", section="A", missing="3", erases=erases)
    assert pages.session(director.guid).setup.sections["A"].missing_pair == 3


def test_settings_and_status(director: Director, pages: Running) -> None:
    assert "Director" in director.look("settings")
    director.act(
        "settings", **{"section": "A", "has-language": "1", "language": "nl", "has-pin": "1", "pin": "1234"}
    )
    third = pages.session(director.guid).settings.third["A"]
    assert (third.language, third.pin) == (Language.DUTCH, "1234")
    director.act("settings", 409, **{"section": "A", "has-pin": "1", "pin": "12"})
    director.act("settings", 400, **{"section": "A", "has-language": "1", "language": "xx"})
    director.act("session", status="finished")
    assert pages.session(director.guid).setup.status is Status.FINISHED
    director.act("session", name="Another name")
    assert "Another name" in director.look("log")
    director.act("session", 400, name="  ")


def test_hand_records_are_taken_in_and_worked_out(director: Director, pages: Running) -> None:
    deal = "N:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432"
    text = f'[Board "40"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{deal}"]\n'

    def send(content: bytes) -> httpx.Response:
        return director.browser.post(
            f"/desk/{director.guid}/act/hands",
            data={"token": director.token},
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
    assert "1 deals" in send(text.encode()).json()["sentence"]
    assert "Board 40" in director.look("hands")


def test_table_cards_have_codes(director: Director, pages: Running) -> None:
    page = director.look("cards")
    code = pages.keys.table_code(director.guid, "A", 1)
    assert f"{code[:4]} {code[4:]}" in page
    assert page.count("data:image/svg+xml") == 4


def test_the_five_tabs_by_their_numbers(browser: httpx.Client, guid: str) -> None:
    for number, tab in enumerate(("results", "rounds", "boards", "matrix", "players"), start=1):
        assert browser.get(f"/t{number}").headers["location"] == f"/desk/{guid}/{tab}"


def test_a_house_without_a_session(browser: httpx.Client, pages: Running) -> None:
    assert browser.get("/t1").headers["location"] == "/desk"
    assert browser.get("/live").status_code == 200
    assert browser.get("/results").status_code == 200
    assert browser.get("/desk").status_code == 200


def test_two_sessions(browser: httpx.Client, pages: Running) -> None:
    first, second = evening(pages, 4, 1, seed=1), evening(pages, 5, 1, seed=2)
    assert browser.get("/live").headers["location"] == f"/live/{second}"
    assert first in browser.get("/desk").text
