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
def test_a_choice_among_the_movements_for_other_numbers_is_not_taken(
    browser: httpx.Client, typed: dict[str, str]
) -> None:
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


def test_numbers_that_make_no_sense_give_the_page_again_with_all_that_was_typed(
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


def test_names_that_are_not_to_be_brought_along_stay_so(browser: httpx.Client, pages: Running) -> None:
    guid = evening(pages)
    form = shown(browser, event=guid)
    assert form.pop("names") == "1"
    again = form_of(browser.post(NEW, data={**form, "count-1": "6"}).text, NEW)
    assert "names" not in again
    assert again["event"] == guid


def test_the_same_form_sent_twice_opens_one_evening(browser: httpx.Client) -> None:
    form = {**shown(browser), "name": "Once"}
    first, second = (browser.post(NEW, data=form).headers["location"] for _ in range(2))
    assert first == second
    assert len(sessions(browser)) == 1
    # Changed since, it is another evening.
    assert browser.post(NEW, data={**form, "name": "Twice"}).headers["location"] != first
    assert len(sessions(browser)) == 2
