"""A real browser at the desk: a whole ruling, from the result's Change to the printed list."""

from typing import TYPE_CHECKING

import httpx
import pytest

from overtrick.event.rulings import Appeal
from tests.web.conftest import Axe
from tests.web.running import Running
from tests.web.test_browser import PHONE, SCREEN, watched
from tests.web.test_desk import Director

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHANGE = "a[aria-label='Change table A1, round 1, board 1']"


def test_a_weighted_score_is_given_corrected_and_listed(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    page = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    page.goto(f"{pages.address}/desk/{guid}/rulings")
    page.wait_for_selector("text=No rulings yet.")
    place = ("A", 1, 1, 1)
    before = pages.session(guid).results.standing[place].outcome
    desk.goto(f"{pages.address}/desk/{guid}/results")
    desk.click(CHANGE)
    desk.wait_for_selector("dialog >> text=Contract and tricks")
    desk.click("dialog >> text=Weighted score")
    desk.fill("[name=percent-ns-1]", "60")
    desk.fill("[name=result-ns-1]", "4s n =")
    desk.fill("[name=percent-ns-2]", "30")
    desk.fill("[name=result-ns-2]", "4s n -1")
    desk.wait_for_selector("text=90 %, must be 100 %")
    desk.fill("[name=reason]", "Hesitation")
    desk.click("dialog >> button:has-text('Save')")
    # The problem is beside the form, and everything that was typed is still there.
    desk.wait_for_selector("dialog .problem:has-text('The percentages add up to 90.')")
    assert desk.input_value("[name=result-ns-2]") == "4s n -1"
    assert pages.session(guid).results.standing[place].outcome == before
    desk.fill("[name=percent-ns-2]", "40")
    desk.wait_for_selector("dialog output:text-is('100 %')")
    desk.click("dialog >> button:has-text('Save')")
    desk.wait_for_selector("td.outcome:has-text('60 % of 4')")
    assert not desk.query_selector("dialog[open]")
    # The list of whoever looks at it follows, and a penalty typed meanwhile stays.
    page.fill("#penalty [name=reason]", "Late")
    page.wait_for_selector("li.card:has-text('60 % of 4') >> text=Hesitation")
    page.wait_for_selector("li.card >> text=+420 would get")
    assert page.input_value("#penalty [name=reason]") == "Late"
    page.select_option("#penalty [name=who]", index=1)
    page.fill("#penalty [name=amount]", "10")
    page.click("text=Save penalty or bonus")
    page.wait_for_selector("li.card:has-text('10 % of a top taken away')")
    assert page.input_value("#penalty [name=reason]") == ""
    # The appeal is noted from the list itself.
    page.click("li.card >> a[aria-label^='Change Table A1, round 1, board 1:']")
    page.select_option("dialog [name=appeal]", "pending")
    page.click("dialog >> button:has-text('Save')")
    page.wait_for_selector("li.card >> text=appeal pending")
    assert pages.session(guid).rulings.notes[place].appeal is Appeal.PENDING
    page.click("li.card >> button:has-text('Withdraw')")
    page.wait_for_selector("li.card:has-text('10 % of a top taken away')", state="detached")
    # On paper there is the list and none of the forms.
    page.emulate_media(media="print")
    assert page.is_visible("h2:has-text('Rulings ·')")
    assert page.is_visible("caption:has-text('Chart')")
    assert not page.is_visible("#penalty")
    assert len(page.pdf(format="A4")) > 10_000
    assert complaints == []


def test_an_award_and_a_penalty_need_no_javascript(chromium: "Browser", pages: Running, guid: str) -> None:
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)  # type: ignore[arg-type]
    desk = context.new_page()
    desk.goto(f"{pages.address}/desk/{guid}/results?board=1&table=1")
    desk.click(CHANGE)
    desk.click("text=Not played or award")
    desk.click("button:has-text('Save')")
    desk.wait_for_selector(".problem:has-text('Choose whether the board was not played')")
    desk.check("[name=kind][value=award]")
    desk.fill("[name=share-ns]", "60")
    desk.fill("[name=share-ew]", "x")
    desk.click("button:has-text('Save')")
    desk.wait_for_selector(".problem:has-text('from 0 to 100 for each side')")
    assert desk.is_checked("[name=kind][value=award]")
    assert desk.input_value("[name=share-ew]") == "x"
    desk.fill("[name=share-ew]", "35")
    desk.click("button:has-text('Save')")
    desk.wait_for_selector("h1:has-text('Results')")
    assert str(pages.session(guid).results.standing["A", 1, 1, 1].outcome) == "60-35"
    desk.goto(f"{pages.address}/desk/{guid}/rulings")
    desk.select_option("#penalty [name=who]", index=2)
    desk.fill("#penalty [name=amount]", "5")
    desk.fill("#penalty [name=reason]", "Loud")
    desk.click("text=Save penalty or bonus")
    desk.wait_for_selector("li.card:has-text('Loud')")


@pytest.mark.timeout(240)  # axe looks at page after page, and npm installs it first
def test_axe_finds_nothing_serious_in_rulings(
    chromium: "Browser", pages: Running, guid: str, axe: Axe
) -> None:
    with httpx.Client(base_url=pages.address, timeout=20) as client:
        director = Director(client, guid)
        director.act(
            "result",
            place="A-1-1-1",
            **{"as": "split", "split-ns": "60 %", "split-ew": "60% 4SN=, 40% 4SN-1"},
        )
    found = []
    for scheme in ("light", "dark"):
        context = chromium.new_context(viewport=PHONE, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
        page = context.new_page()
        modes = ("result", "award", "weighted", "split", "move")
        paths = [f"result?place=A-1-1-1&as={mode}" for mode in modes]
        for path in (*paths, "rulings?board=1"):
            page.goto(f"{pages.address}/desk/{guid}/{path}")
            page.wait_for_timeout(100)
            found += [f"{scheme} {path}: {problem}" for problem in axe(page)]
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
        context.close()
    assert found == []
