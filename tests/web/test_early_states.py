"""Every API route and every page of an evening of which little or nothing is known yet."""

from datetime import timedelta

import httpx
import pytest

from overtrick.bridge import Outcome
from overtrick.event.results import EnterResult, EraseResult, Origin, ResultEntry
from overtrick.keys import TokenScope
from overtrick.web.desk_tabs import TABS
from overtrick.web.public_pages import FILES
from tests.web.running import STARTS, Running
from tests.web.test_desk import opened

FORMS = {
    "pairs": {"count-1": "8", "boards": "8"},
    "odd-pairs": {"count-1": "7", "boards": "14"},
    "individual": {"game": "individual", "count-1": "8"},
    "teams": {"game": "teams", "count-1": "4"},
    "swiss": {"game": "swiss", "count-1": "7", "rounds": "3", "each": "2"},
    "butler": {"count-1": "8", "boards": "8", "method": "butler"},
}
STATES: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "one-result": ("4SN=",),
    "one-pass": ("Pass",),
    "one-award": ("60-40",),
    "one-not-played": ("NP",),
    "all-passes": ("Pass",) * 99,
    "only-awards": ("50-50", "60-40") * 50,
    "erased": ("4SN=", "erase"),
}


def bring_about(pages: Running, guid: str, outcomes: tuple[str, ...]) -> None:
    """Enter these outcomes at the tables of the first round, one after the other."""
    places = [
        (section, table, 1, board)
        for (section, table), at in sorted(pages.session(guid).movement.tables.items())
        for board in (at.rounds[0].boards if at.rounds[0].ns and at.rounds[0].ew else ())
    ]
    for number, (outcome, place) in enumerate(zip(outcomes, places, strict=False)):
        if outcome == "erase":
            pages.do(EraseResult(guid, *places[number - 1], Origin.DESK, 1))
            continue
        at = STARTS + timedelta(minutes=number)
        entry = ResultEntry(*place, outcome=Outcome.parse(outcome), at=at)
        pages.do(EnterResult(guid, entry, Origin.DESK))


def addresses(browser: httpx.Client, guid: str) -> list[str]:
    """Return every address that shows something of a session and ends."""
    spec = browser.get("/api/openapi.json").json()["paths"]
    found = [
        "/api" + path.format(session=guid, board=1, round=1)
        for path, methods in spec.items()
        if "get" in methods and not path.endswith("/facts")
    ]
    found += [f"/desk/{guid}/{tab}" for tab in TABS]
    found += [f"/results/{guid}/{name}" for name in ("", *FILES)]
    return [*found, f"/live/{guid}", f"/t/{guid}/A1"]


@pytest.mark.parametrize("form", FORMS)
def test_every_route_works_in_a_session_without_results(
    browser: httpx.Client, pages: Running, form: str
) -> None:
    token = pages.keys.new_token("reader", TokenScope.READ)
    headers = {"authorization": f"Bearer {token}"}
    broken = []
    for state, outcomes in STATES.items():
        guid = opened(browser, **FORMS[form])
        bring_about(pages, guid, outcomes)
        for address in addresses(browser, guid):
            answer = browser.get(address, headers=headers if address.startswith("/api") else {})
            if answer.status_code != 200:
                broken.append(f"{state}: {address.replace(guid, '…')} {answer.status_code}")
    assert broken == []


def test_a_pair_that_cannot_be_compared_yet_is_ranked_without_a_score(
    browser: httpx.Client, pages: Running
) -> None:
    guid = opened(browser, **FORMS["pairs"])
    bring_about(pages, guid, ("4SN=",))
    rankings = browser.get(f"/api/sessions/{guid}/ranking").json()
    lines = [(line["score"], line["boards"]) for ranking in rankings for line in ranking["lines"]]
    assert lines == [(None, 1)] * 2


@pytest.mark.parametrize(("form", "noun"), [("pairs", "Pair"), ("individual", "Player"), ("teams", "Team")])
def test_rankings_of_the_projector_and_on_paper_name_the_kind_of_contestant(
    browser: httpx.Client, pages: Running, form: str, noun: str
) -> None:
    guid = opened(browser, **FORMS[form])
    bring_about(pages, guid, STATES["all-passes"])
    for address in (f"/live/{guid}", f"/desk/{guid}/print?results=on"):
        assert f'<th scope="col" class="text">{noun}</th>' in browser.get(address).text
