"""A real browser plays an evening: desk, phones, a network that goes and comes back, a projector; axe looks on."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from overtrick.bridge import Outcome
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


def score(
    page: "Page", contract: str, declarer: str, result: str, lead: str = "SA", doubling: int = 0
) -> None:
    """Enter the board that a terminal asks for, and have East-West agree."""
    page.click(f'[data-key="level-{contract[0]}"]')
    page.click(f'[data-key="strain-{contract[1:]}"]')
    if doubling:
        page.click(f'[data-key="double-{doubling}"]')
    page.click(f'[data-key="seat-{declarer}"]')
    page.click(f'[data-key="suit-{lead[0]}"]')
    page.click(f'[data-key="rank-{lead[1]}"]')
    page.click(f'[data-key="result{result}"]')
    page.wait_for_selector("body[data-stage=VerifyScreen]")
    page.click('[data-key="ok"]:enabled')
    page.wait_for_selector("body[data-stage=ResultsScreen]")


def go_on(page: "Page", stage: str) -> None:
    """OK, and what comes then."""
    page.click('#screen [data-key="ok"]:enabled')
    page.wait_for_selector(f"body[data-stage={stage}]")


def test_an_evening(chromium: "Browser", pages: Running) -> None:
    complaints: list[str] = []
    desk = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]

    # Set-up: four pairs, two tables, names later.
    desk.goto(f"{pages.address}/desk/new?count-1=4&boards=12")
    desk.fill("[name=name]", "Two tables")
    desk.click("text=Start the evening")
    desk.wait_for_url("**/players")
    guid = desk.url.split("/")[4]
    desk.fill('[aria-label="North, last name"] >> nth=0', "O'Brien <b>")
    desk.click("text=Save table A1")
    desk.wait_for_selector("text=Table A1 is saved.")

    # Phones open the tables by their codes.
    phones = {}
    for table in (1, 2):
        context = chromium.new_context(viewport=PHONE, has_touch=True)  # type: ignore[arg-type]
        phone = watched(context, complaints)
        code = pages.keys.table_code(guid, "A", table)
        phone.goto(f"{pages.address}/t/{guid}/A{table}?code={code}")
        phone.wait_for_selector("body[data-stage=RoundScreen]")
        phone.wait_for_selector("body[data-kept]")
        assert "code" not in phone.url
        phones[table] = phone
    assert phones[1].locator("strong >> text=O'Brien <b>").count() == 1
    for phone in phones.values():
        go_on(phone, "ContractScreen")
    boards = pages.session(guid).movement.tables["A", 1].rounds[0].boards

    # The desk and the projector see a result come, without a reload.
    projector = watched(chromium.new_context(viewport=SCREEN), complaints)  # type: ignore[arg-type]
    projector.goto(f"{pages.address}/live/{guid}")
    desk.goto(f"{pages.address}/desk/{guid}/results")
    score(phones[1], "4S", "N", "+1", doubling=1)
    desk.wait_for_selector("td:has-text('4♠x N +1')")
    phones[1].wait_for_selector("#sent:has-text('All sent')")
    place = ("A", 1, 1, boards[0])
    assert pages.session(guid).results.standing[place].outcome == Outcome.parse("4SxN+1")

    # A wrong contract is corrected at the desk, in a dialog.
    desk.click("td >> text=Change")
    desk.fill("dialog [name=typed]", "4hxn+1")
    desk.click("dialog >> text=Save")
    desk.wait_for_selector("td:has-text('4♥x N +1')")
    desk.wait_for_selector("text=Saved.")
    phones[1].wait_for_selector("td:has-text('4♥x N +1')")

    # The network goes: what is entered stays on the phone, also when its page is opened anew; it is sent once.
    phones[2].context.set_offline(True)
    score(phones[2], "3NT", "W", "-1")
    go_on(phones[2], "ContractScreen")
    score(phones[2], "2H", "E", "=")
    phones[2].wait_for_selector("#sent:has-text('Not sent yet: 2')")
    assert ("A", 2, 1, boards[0]) not in pages.session(guid).results.standing
    phones[2].reload()
    phones[2].wait_for_selector("#sent:has-text('Not sent yet: 2')")
    phones[2].context.set_offline(False)
    phones[2].wait_for_selector("#sent:has-text('All sent')", timeout=15_000)
    standing = pages.session(guid).results.standing
    assert standing["A", 2, 1, boards[0]].outcome == Outcome.parse("3NTW-1")
    assert standing["A", 2, 1, boards[1]].outcome == Outcome.parse("2HE=")
    assert len(standing) == 3

    # A director call, with its place, is answered.
    phones[2].click("text=Call the director")
    desk.wait_for_selector("text=Table A2 calls the director")
    assert desk.title().startswith("(1)")
    desk.click(".call >> text=Resolved")
    desk.wait_for_selector(".call", state="detached")

    # A result is erased, and the board can be scored again.
    desk.on("dialog", lambda asked: asked.accept())
    desk.click("tr:has-text('4♥x') >> td >> text=Change")
    desk.click("dialog >> text=Erase")
    desk.wait_for_selector("td:has-text('4♥x N +1')", state="detached")
    go_on(phones[1], "ContractScreen")
    phones[1].click('[data-key="back"]')
    phones[1].click(f'[data-key="board-{boards[0]}"]')
    score(phones[1], "1C", "S", "=")
    desk.wait_for_selector("td:has-text('1♣ S =')")

    # A late pair: a preview says what goes, and then it is so.
    desk.goto(f"{pages.address}/desk/{guid}/movement")
    desk.click("text=A pair more has come")
    desk.wait_for_selector("dialog >> text=What would happen")
    desk.click("dialog >> button:has-text('Change')")
    desk.wait_for_selector("text=The movement is changed")
    desk.wait_for_selector("h2:has-text('5 pairs')")

    # The projector has been following all the while.
    projector.wait_for_selector("text=Round 1 of")
    assert complaints == []


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
