"""The traveller in a real browser, from files without a server: the hand viewer, and the same play without scripts."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from overtrick.bridge import Played
from overtrick.event.setup import SetStatus, Status
from overtrick.host.reports import evaluated, write_site
from overtrick.views import SessionView
from overtrick.views.report import prepare_report
from tests.web.conftest import Axe
from tests.web.recorded import finish, record
from tests.web.running import Running, evening

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}


@pytest.mark.timeout(120)  # axe looks at three pages
def test_a_play_is_stepped_through_by_keys_and_buttons_and_is_a_table_without_scripts(
    chromium: "Browser", pages: Running, tmp_path: Path, axe: Axe
) -> None:
    guid = evening(pages, 2, 0)
    finish(pages, guid, boards=2)
    standing = pages.session(guid).results.standing
    place, outcome = next((p, r.outcome) for p, r in standing.items() if isinstance(r.outcome, Played))
    cards = record(pages, guid, place, outcome, 9)
    pages.do(SetStatus(guid, Status.FINISHED))
    report = evaluated(prepare_report(SessionView.of(pages.session(guid)))())
    write_site(report, tmp_path)
    board = (tmp_path / f"board-1-{place[3]}.html").as_uri()

    page = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    page.goto(board)
    viewer = page.locator("hand-viewer")
    words = viewer.locator(".words")
    assert "leads" in words.inner_text()
    assert not viewer.locator("table").is_visible()
    # All thirteen leads have a figure; the one that was made is a button.
    assert viewer.locator(".turn sub").count() == 13
    viewer.locator("button.card").click()
    assert words.inner_text().startswith("1. ")
    page.keyboard.press("ArrowDown")
    assert words.inner_text().startswith("5. ")
    page.keyboard.press("End")
    assert words.inner_text().startswith("9. ")
    assert viewer.locator("button[title='Next card']").is_disabled()
    assert viewer.locator(".hand .card").count() == 52 - len(cards)
    page.keyboard.press("Home")
    assert viewer.locator(".hand .card").count() == 52
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    card = next(tmp_path.glob("card-*.html")).as_uri()
    found = []
    for address in (board, card, (tmp_path / "matrix.html").as_uri()):
        page.goto(address)
        found += [f"{Path(address).name}: {problem}" for problem in axe(page)]
    assert found == []

    context = chromium.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(board)
    rows = plain.locator("table.tricks tbody tr")
    assert rows.count() == 3
    assert rows.first.is_visible()
