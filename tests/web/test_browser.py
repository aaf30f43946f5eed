"""A real browser looks at the pages, and axe with it; what the other tests in a browser share."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.running import Running, disturb, evening

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = "axe-core@4.14.0"
PHONE = {"width": 390, "height": 844}
SCREEN = {"width": 1280, "height": 900}


@pytest.fixture
def chromium(require_program: Callable[[str], str]) -> Iterator["Browser"]:
    """A real browser."""
    from playwright.sync_api import sync_playwright

    program = require_program("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The accessibility checker, from npm."""
    folder = tmp_path_factory.mktemp("axe")
    try:
        subprocess.run(
            ["npm", "install", "--prefix", str(folder), "--no-save", "--silent", AXE],
            check=True,
            timeout=120,
            capture_output=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        if os.environ.get("OVERTRICK_REQUIRE_ALL") == "1":
            pytest.fail(f"axe-core cannot be installed with npm: {error}")
        pytest.skip("axe-core cannot be installed with npm")
    return Path(folder, "node_modules", "axe-core", "axe.min.js").read_text()


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


def go_on(page: "Page", stage: str) -> None:
    """OK, and what comes then."""
    page.click('#screen [data-key="ok"]:enabled')
    page.wait_for_selector(f"body[data-stage={stage}]")


def test_a_phone_without_the_code_is_asked_for_it(chromium: "Browser", pages: Running, guid: str) -> None:
    phone = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    phone.goto(f"{pages.address}/t/{guid}/A1")
    phone.fill("[name=code]", "WRONG234")
    phone.click('[data-key="ok"]')
    phone.wait_for_selector("#notice:has-text('not this table')")
    phone.fill("[name=code]", pages.keys.table_code(guid, "A", 1).lower())
    phone.keyboard.press("Enter")
    phone.wait_for_selector("body[data-stage=RoundScreen]")


def test_axe_finds_nothing_serious(chromium: "Browser", pages: Running, guid: str, axe: str) -> None:
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
            page.evaluate(axe)
            report = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            found += [
                f"{scheme} {path.split('?')[0]}: {violation['id']}: {violation['nodes'][0]['html'][:120]}"
                for violation in report["violations"]
                if violation["impact"] in ("serious", "critical")
            ]
        context.close()
    assert found == []


def test_every_page_fits_a_phone(chromium: "Browser", pages: Running) -> None:
    guid = evening(pages, 7, 2)
    page = chromium.new_page(viewport=PHONE)  # type: ignore[arg-type]
    tabs = ("results", "rounds", "boards", "matrix", "movement", "settings")
    for path in ("/", "/desk/new?count-1=13", f"/live/{guid}", *(f"/desk/{guid}/{tab}" for tab in tabs)):
        page.goto(pages.address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
