"""Own movements: drawn up or imported, checked, kept, offered at set-up, and played."""

import re
from pathlib import Path

import httpx

from overtrick.bws.scoring_side import create, plan_of
from overtrick.event import OpenEvent
from overtrick.movements import howell
from tests.web.running import Running, evening, form_of

MOVEMENTS, NEW = "/desk/movements", "/desk/new"


def keep(browser: httpx.Client, name: str, text: str = "", file: bytes = b"", **more: str) -> httpx.Response:
    form = form_of(browser.get(MOVEMENTS).text, MOVEMENTS)
    files = {"file": ("card.mov", file)} if file else {"file": ("", b"")}
    return browser.post(MOVEMENTS, data={**form, "name": name, "text": text, **more}, files=files)


def sessions(browser: httpx.Client) -> set[str]:
    return set(re.findall(r'href="/desk/([0-9A-F]{32})/results"', browser.get("/desk").text))


def test_movement_that_is_written_is_kept_offered_first_and_played(
    pages: Running, browser: httpx.Client
) -> None:
    assert keep(browser, "Club <card>", howell(4, 3).dump("csv")).status_code == 303
    page = browser.get(MOVEMENTS).text
    assert "Club &lt;card&gt;</strong> · 8 pairs" in page
    assert "7 rounds of 3" in page
    assert "8 : 1" in browser.get(f"{MOVEMENTS}/sheet", params={"name": "Club <card>"}).text.replace("\n", "")
    offers = browser.get(NEW, params={"count-1": "8", "boards": "28"}).text
    assert offers.index("Club &lt;card&gt;") < offers.index("Howell of 4 tables")
    form = form_of(offers, NEW)
    assert browser.post(NEW, data=form).status_code == 303
    (guid,) = sessions(browser)
    session = pages.session(guid)
    assert [len(played.boards) for played in session.movement.tables["A", 1].rounds] == [4] * 7
    assert session.winners("A") == 1


def test_movement_that_is_impossible_is_not_kept_and_stays_in_the_form(browser: httpx.Client) -> None:
    wrong = "round,table,ns,ew,boards\n1,1,1,2,1-2\n1,2,1,3,3-4\n"
    answer = keep(browser, "wrong", wrong)
    assert answer.status_code == 400
    assert "N-S pair 1 is at tables 1 and 2 in round 1." in answer.text
    assert form_of(answer.text, MOVEMENTS)["text"].split() == wrong.split()
    for name, text, sentence in (
        ("x", "", "Choose a file, or write the movement"),
        ("", wrong, "Give the movement a name"),
        ("x", "round,table\n", "must name the columns"),
    ):
        answer = keep(browser, name, text)
        assert (answer.status_code, sentence in answer.text) == (400, True)
    assert "There are none yet" in browser.get(MOVEMENTS).text


def test_mov_file_is_imported_with_its_boards(browser: httpx.Client) -> None:
    triples = bytes((4, 1, 1, 4, 2, 2, 4, 3, 3, 2, 3, 1, 3, 1, 2, 1, 2, 3))
    head = (bytes((0x5D, 0x8D, 1, 2, 3, 3)) + b"Two tables".ljust(600)).ljust(0x29F, b"\0")
    assert keep(browser, "", file=head + bytes(range(1, 37)) + triples, per_round="8").status_code == 303
    page = browser.get(MOVEMENTS).text
    assert "card</strong> · 4 pairs" in page
    assert "3 rounds of 8" in page
    assert "up to 2 tables at a board" in page


def test_sections_of_a_session_file_are_imported(
    pages: Running, browser: httpx.Client, tmp_path: Path
) -> None:
    guid = evening(pages, 4, 1)
    plan = plan_of(pages.session(guid))
    create(tmp_path / "evening.bws", OpenEvent(guid, (plan,)), computer="here")
    answer = keep(browser, "From the file", file=(tmp_path / "evening.bws").read_bytes())
    assert answer.status_code == 303
    assert "From the file</strong> · 8 pairs" in browser.get(MOVEMENTS).text
    answer = keep(browser, "broken", file=b"\x00\x01\x00\x00Standard Jet DB\x00" + bytes(100))
    assert (answer.status_code, "The session file cannot be read" in answer.text) == (400, True)


def test_movement_of_a_session_or_an_offer_can_be_edited(pages: Running, browser: httpx.Client) -> None:
    guid = evening(pages, 4, 1)
    form = form_of(browser.get(MOVEMENTS, params={"session": guid, "section": "A"}).text, MOVEMENTS)
    assert form["text"].startswith("# winners: 2\nround,table,ns,ew,boards\n1,1,1,1,")
    assert browser.get(MOVEMENTS, params={"session": guid, "section": "Z"}).status_code == 400
    offer = {"game": "pairs", "count": "8", "boards": "21", "choice": "0"}
    form = form_of(browser.get(MOVEMENTS, params=offer).text, MOVEMENTS)
    assert (form["name"], form["text"].count("\n") > 10) == ("", True)
    assert browser.get(MOVEMENTS, params={"name": "unknown"}).status_code == 404


def test_removed_movement_is_no_longer_offered(browser: httpx.Client) -> None:
    keep(browser, "Mine", howell(4, 3).dump())
    form = form_of(browser.get(MOVEMENTS).text, f"{MOVEMENTS}/remove")
    assert browser.post(f"{MOVEMENTS}/remove", data=form).status_code == 303
    assert "Mine" not in browser.get(NEW, params={"count-1": "8"}).text


def test_choice_made_before_an_own_movement_was_saved_needs_confirmation(browser: httpx.Client) -> None:
    form = form_of(browser.get(NEW, params={"count-1": "8"}).text, NEW)
    keep(browser, "Mine", howell(4, 3).dump())
    assert browser.post(NEW, data=form).status_code == 409
    assert sessions(browser) == set()
