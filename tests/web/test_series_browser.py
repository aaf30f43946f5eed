"""Series in a real browser: the director makes one, everyone filters it, and axe looks at the pages."""

import re
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.web.conftest import Axe
from tests.web.running import Running
from tests.web.test_browser import PHONE
from tests.web.test_series_pages import with_details

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_director_makes_a_series_and_filters_its_ranking(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    known_players(pages, guid)
    page = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    make_series(page, pages, guid)
    assert page.text_content("h1") == "Winter pairs"
    page.select_option("[name=club]", "North")
    page.click("text=Show")
    page.wait_for_url("**club=North**")
    assert page.text_content("h2") == "North"
    assert page.input_value("[name=club]") == "North"


@pytest.mark.timeout(240)  # axe looks at page after page
def test_axe_finds_nothing_serious_in_series(
    chromium: "Browser", pages: Running, guid: str, axe: Axe
) -> None:
    known_players(pages, guid)
    series = make_series(chromium.new_page(), pages, guid)
    found = []
    for scheme in ("light", "dark"):
        context = chromium.new_context(viewport=PHONE, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
        page = context.new_page()
        for path in (*pages_of(series), f"/desk/{guid}/rankings"):
            page.goto(pages.address + path)
            page.wait_for_timeout(100)
            found += [f"{scheme} {path}: {problem}" for problem in axe(page)]
        context.close()
    assert found == []


def test_pages_of_series_fit_a_phone(chromium: "Browser", pages: Running, guid: str) -> None:
    known_players(pages, guid)
    page = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    series = make_series(page, pages, guid)
    for path in (*pages_of(series), f"/desk/{guid}/rankings"):
        page.goto(pages.address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path


def known_players(pages: Running, guid: str) -> None:
    """Save details of every player of a session."""
    with httpx.Client(base_url=pages.address, timeout=20) as client:
        names = with_details(client, guid, {})
        with_details(client, guid, dict.fromkeys(names, "1.5;80;North;1950;W"))


def make_series(page: "Page", pages: Running, guid: str) -> str:
    """Make a series at the desk; return its path."""
    page.goto(f"{pages.address}/desk")
    page.click("text=Series")
    page.fill("[name=name]", "Winter pairs")
    page.select_option(f"[name='in-{guid}']", "1")
    page.fill("[name=strata]", "A, B:100")
    page.click("text=Save")
    page.wait_for_url(re.compile("/series/[0-9A-F]{32}$"))
    return page.url.removeprefix(pages.address)


def pages_of(series: str) -> tuple[str, ...]:
    """Return the paths of the pages about series."""
    return ("/series", series, "/desk/series", f"/desk{series}")
