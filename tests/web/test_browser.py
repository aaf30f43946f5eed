"""A real browser looks at the pages, and axe with it; what the other tests in a browser share."""

from typing import TYPE_CHECKING

import pytest

from overtrick.control.rules import TerminalRules
from overtrick.event.filing import FileSession, Filing
from tests.web.conftest import Axe
from tests.web.running import Running, disturb, evening

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PHONE = {"width": 390, "height": 844}
SCREEN = {"width": 1280, "height": 900}
OPPONENTS_LOOK = TerminalRules().verification_seconds * 1000 + 50
"""Milliseconds after which opponents can say yes; their terminal paints itself a moment after the seconds are over."""


def watched(context: "BrowserContext", complaints: list[str]) -> "Page":
    """A page whose errors, and whatever its policy forbids, are noted."""
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )
    return page


def opponents_look(page: "Page") -> None:
    """The opponents see what is entered for as long as they have to, on a page whose clock is ours."""
    page.wait_for_selector("body[data-stage=VerifyScreen]")
    page.clock.fast_forward(OPPONENTS_LOOK)


def go_on(page: "Page", stage: str) -> None:
    """OK, and what comes then."""
    page.click('#screen [data-key="ok"]:enabled')
    page.wait_for_selector(f"body[data-stage={stage}]")


def test_phone_without_a_code_gets_the_code_form(chromium: "Browser", pages: Running, guid: str) -> None:
    phone = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    phone.goto(f"{pages.address}/t/{guid}/A1")
    phone.fill("[name=code]", "WRONG234")
    phone.click('[data-key="ok"]')
    phone.wait_for_selector("#notice:has-text('not the table')")
    phone.fill("[name=code]", pages.keys.table_code(guid, "A", 1).lower())
    phone.keyboard.press("Enter")
    phone.wait_for_selector("body[data-stage=RoundScreen]")


def test_phone_says_that_its_session_is_deleted_and_returns_when_it_is_restored(
    chromium: "Browser", pages: Running, guid: str
) -> None:
    phone = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    phone.goto(f"{pages.address}/t/{guid}/A1?code={pages.keys.table_code(guid, 'A', 1)}")
    phone.wait_for_selector("body[data-stage=RoundScreen]")
    for filing, stage in ((Filing.BINNED, "deleted"), (Filing.LISTED, "RoundScreen")):
        pages.do(FileSession(guid, filing))
        phone.evaluate("dispatchEvent(new Event('online'))")  # ask at once instead of after some seconds
        phone.wait_for_selector(f"body[data-stage={stage}]")
        if stage == "deleted":
            assert "deleted this session" in phone.inner_text("#screen h1")


@pytest.mark.timeout(240)  # axe looks at page after page
def test_axe_finds_nothing_serious(chromium: "Browser", pages: Running, guid: str, axe: Axe) -> None:
    disturb(pages, guid)
    paths = [
        "/",
        "/desk",
        "/desk/new",
        "/desk/password",
        "/results",
        "/api/",
        f"/live/{guid}",
        f"/results/{guid}/",
        f"/desk/{guid}/edit",
        f"/desk/{guid}/result?place=A-1-1-1",
        f"/desk/{guid}/movement/preview?section=A&pairs=9&boards=24",
        f"/t/{guid}/A1?code={pages.keys.table_code(guid, 'A', 1)}",
        *(
            f"/desk/{guid}/{tab}"
            for tab in (
                *("results", "rounds", "boards", "matrix", "players", "calls"),
                *("movement", "hands", "cards", "settings", "log"),
            )
        ),
    ]
    found = []
    for scheme, shown in (("light", paths), ("dark", paths[-11:-8])):
        # The checker is put in from outside the page, which the page's own policy forbids.
        context = chromium.new_context(viewport=PHONE, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
        page = context.new_page()
        for path in shown:
            page.goto(pages.address + path)
            page.wait_for_timeout(100)
            found += [f"{scheme} {path.split('?')[0]}: {problem}" for problem in axe(page)]
        context.close()
    assert found == []


def test_every_page_fits_a_phone(chromium: "Browser", pages: Running) -> None:
    guid = evening(pages, 7, 2)
    page = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    tabs = ("results", "rounds", "boards", "matrix", "movement", "settings")
    for path in ("/", "/desk/new?count-1=13", f"/live/{guid}", *(f"/desk/{guid}/{tab}" for tab in tabs)):
        page.goto(pages.address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
