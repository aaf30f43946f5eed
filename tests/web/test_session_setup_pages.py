"""The set-up page without JavaScript: offers belong to the numbers of the form, and what was typed stays."""

import re

import httpx
import pytest

from tests.web.running import Running, evening, form_of

NEW = "/desk/new"


def shown(browser: httpx.Client, **asked: str) -> dict[str, str]:
    """Return the set-up form as a browser without JavaScript would send it."""
    return form_of(browser.get(NEW, params=asked).text, NEW)


def sessions(browser: httpx.Client) -> set[str]:
    """Return the sessions in the desk's list."""
    return set(re.findall(r'href="/desk/([0-9A-F]{32})/results"', browser.get("/desk").text))


def test_numbers_other_than_those_offered_give_the_page_again_with_their_movements(
    browser: httpx.Client,
) -> None:
    form = shown(browser)
    typed = {"count-1": "4", "boards": "6", "name": "Thursday", "method": "butler"}
    answer = browser.post(NEW, data={**form, **typed})
    assert answer.status_code == 409
    assert "Howell of 2 tables" in answer.text
    assert "These movements fit your numbers" in answer.text
    again = form_of(answer.text, NEW)
    assert {name: again[name] for name in typed} == typed
    assert sessions(browser) == set()
    # Now that they were seen, the same form starts the evening.
    assert browser.post(NEW, data=again).status_code == 303
    assert len(sessions(browser)) == 1


def test_a_form_without_a_movement_gives_the_page_again(browser: httpx.Client) -> None:
    form = shown(browser, **{"count-1": "8"})
    del form["choice-1"]
    answer = browser.post(NEW, data=form)
    assert answer.status_code == 409
    assert form_of(answer.text, NEW)["count-1"] == "8"
    assert sessions(browser) == set()


@pytest.mark.parametrize(
    "typed",
    [
        {"count-1": "12"},
        {"boards": "21"},
        {"sections": "2"},
        {"game": "individual", "count-1": "8"},
        {"game": "swiss"},
        {"game": "teams", "count-1": "6"},
    ],
)
def test_movement_chosen_for_other_numbers_is_refused(browser: httpx.Client, typed: dict[str, str]) -> None:
    answer = browser.post(NEW, data={**shown(browser), "choice-1": "1", **typed})
    assert answer.status_code == 409
    again = form_of(answer.text, NEW)
    assert {name: again[name] for name in typed} == typed
    assert again.get("choice-1", "0") == "0"
    assert sessions(browser) == set()


def test_a_swiss_evening_with_other_rounds_than_were_seen_gives_the_page_again(browser: httpx.Client) -> None:
    form = {**shown(browser, game="swiss"), "rounds": "3", "first": "lot"}
    answer = browser.post(NEW, data=form)
    assert answer.status_code == 409
    assert "3 rounds of 4 boards" in answer.text
    again = form_of(answer.text, NEW)
    assert again["first"] == "lot"
    assert browser.post(NEW, data=again).status_code == 303


def test_the_movements_for_typed_numbers_are_shown_on_request(browser: httpx.Client) -> None:
    answer = browser.post(NEW, data={**shown(browser), "count-1": "4", "boards": "6", "do": "offers"})
    assert answer.status_code == 200
    assert "Howell of 2 tables" in answer.text
    assert "These movements fit" not in answer.text


def test_invalid_numbers_show_the_form_again_with_the_input(
    browser: httpx.Client,
) -> None:
    form = shown(browser, sections="3")
    typed = {"count-1": "8", "count-2": "99", "count-3": "", "together": "0", "name": "A & B"}
    answer = browser.post(NEW, data={**form, **typed})
    assert answer.status_code == 400
    assert "Enter 4 to 60 pairs" in answer.text
    again = form_of(answer.text, NEW)
    assert {name: again[name] for name in typed} == typed
    assert "choice-1" not in again
    # Also where the number of sections is none.
    again = form_of(browser.post(NEW, data={**form, **typed, "sections": ""}).text, NEW)
    assert {name: again[name] for name in (*typed, "sections")} == {**typed, "sections": ""}


def test_unchecked_copy_names_option_is_kept(browser: httpx.Client, pages: Running) -> None:
    guid = evening(pages)
    form = shown(browser, event=guid)
    assert form.pop("names") == "1"
    again = form_of(browser.post(NEW, data={**form, "count-1": "6"}).text, NEW)
    assert "names" not in again
    assert again["event"] == guid


def test_form_sent_twice_creates_one_session(browser: httpx.Client) -> None:
    form = {**shown(browser), "name": "Once"}
    first, second = (browser.post(NEW, data=form).headers["location"] for _ in range(2))
    assert first == second
    assert len(sessions(browser)) == 1
    # Changed since, it is another evening.
    assert browser.post(NEW, data={**form, "name": "Twice"}).headers["location"] != first
    assert len(sessions(browser)) == 2


def test_name_and_date_come_first_and_the_session_has_them(pages: Running, browser: httpx.Client) -> None:
    page = browser.get(NEW).text
    assert page.index('name="name"') < page.index('name="day"') < page.index('name="game"')
    form = {**form_of(page, NEW), "day": "2027-02-03"}
    assert browser.post(NEW, data={**form, "day": "3 February"}).status_code == 400
    assert browser.post(NEW, data=form).status_code == 303
    (guid,) = sessions(browser)
    opened = pages.session(guid).opened
    assert (opened.day.isoformat(), opened.name) == ("2027-02-03", "Session of 3 February 2027")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ({"per_round": "4"}, "Mitchell of 7 tables"),
        ({"switched": "3, 6-7"}, "Mitchell with 3 arrow switches of 7 tables"),
        ({"count-1": "13", "absent": "N-S 3"}, "Howell of 7 tables"),
        ({"count-1": "28", "copies": "2", "switched": "0"}, "web Mitchell of 14 tables, 13 rounds"),
    ],
)
def test_options_of_the_director_are_offered_and_kept_in_the_form(
    browser: httpx.Client, typed: dict[str, str], name: str
) -> None:
    page = browser.get(NEW, params={"boards": "26", **typed}).text
    assert name in page.replace("Web", "web")
    form = form_of(page, NEW)
    assert {field: form[field] for field in typed} == typed
    sheet = re.search(r'href="(/desk/new/sheet\?[^"]*choice=0)"', page)
    assert sheet is not None
    assert browser.get(sheet[1].replace("&amp;", "&")).status_code == 200
    # Other options than those that were seen show the page again.
    assert browser.post(NEW, data={**form, "copies": "3"}).status_code == 409
    assert browser.post(NEW, data=form).status_code == 303


@pytest.mark.parametrize(
    "typed",
    [{"per_round": "x"}, {"switched": "9-"}, {"absent": "West 3"}, {"copies": "0"}, {"switched": "8-3"}],
)
def test_invalid_options_get_a_message(browser: httpx.Client, typed: dict[str, str]) -> None:
    page = browser.get(NEW, params={"count-1": "13", **typed})
    assert page.status_code == 200
    assert re.search(r'class="problem" role="alert">Enter ', page.text)


def test_two_sections_show_the_tables_that_share_boards(pages: Running, browser: httpx.Client) -> None:
    page = browser.get(NEW, params={"sections": "2", "count-1": "14", "count-2": "14", "boards": "28"}).text
    assert "up to 2 tables at a board, as shown" in page
    assert "A1 and B1, A2 and B2, A3 and B3, …" in page
    assert browser.post(NEW, data=form_of(page, NEW)).status_code == 303
    (guid,) = sessions(browser)
    tab = browser.get(f"/desk/{guid}/movement").text
    assert "Up to 2 tables have the same board at once." in tab
    assert "A7 and B7." in tab


def test_movement_can_be_replaced_with_other_options_before_the_first_result(
    pages: Running, browser: httpx.Client
) -> None:
    browser.post(NEW, data=shown(browser, **{"count-1": "13", "boards": "28", "per_round": "4"}))
    (guid,) = sessions(browser)
    asked = {"section": "A", "pairs": "13", "boards": "28", "absent": "E-W 2", "switched": "0", "choice": "0"}
    preview = browser.get(f"/desk/{guid}/movement/preview", params=asked).text
    # A choice among the movements for other options is not taken.
    other = {**asked, "choice": "7", "switched": "7", "for": "13-28"}
    assert browser.get(f"/desk/{guid}/movement/preview", params=other).status_code == 200
    action = f"/desk/{guid}/act/movement"
    assert browser.post(action, data=form_of(preview, action)).status_code in (200, 303)
    session = pages.session(guid)
    second = session.movement.round("A", 2, 1)
    assert second is not None
    assert (session.winners("A"), second.ns, second.ew) == (2, 2, 0)
