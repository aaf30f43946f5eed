"""Pages on a small evening, something that asks for them, and a real browser."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.conftest import find_program
from tests.web.running import Running, evening, start
from tests.web.team_director import TeamDirector

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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


@pytest.fixture(autouse=True)
def _a_fast_disk(fast_disk: None) -> None:
    """Nothing here is about surviving a power cut."""


@pytest.fixture(scope="module")
def stopping() -> Iterator[list[Callable[[], None]]]:
    """Threads that wait for stopping servers, so that the next test can run meanwhile."""
    turns = sys.getswitchinterval()
    waiting: list[Callable[[], None]] = []
    yield waiting
    for wait in waiting:
        wait()
    sys.setswitchinterval(turns)  # each server puts back what it found, which was another server's


@pytest.fixture
def pages(tmp_path_factory: pytest.TempPathFactory, stopping: list[Callable[[], None]]) -> Iterator[Running]:
    """Pages of an empty journal."""
    served, stop = start(tmp_path_factory.mktemp("pages"))
    yield served
    stopping.append(stop())


@pytest.fixture
def guid(pages: Running) -> str:
    """An evening of four tables, two rounds of which are played."""
    return evening(pages)


@pytest.fixture
def browser(pages: Running) -> Iterator[httpx.Client]:
    """Something that asks like a browser, and keeps cookies."""
    with httpx.Client(base_url=pages.address, timeout=20) as client:
        yield client


@pytest.fixture(scope="module")
def started_chromium() -> Iterator["Browser"]:
    """A real browser, started once for the tests of a module.

    Not for all modules: while Playwright runs, nothing else in its thread can run a loop of its own.
    """
    from playwright.sync_api import sync_playwright

    # The same browser without windows: it draws what is asked for only, and needs a third less of a core.
    program = shutil.which("chromium-headless-shell") or find_program("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def chromium(started_chromium: "Browser") -> Iterator["Browser"]:
    """A real browser in which nothing is open, and nothing is known from before."""
    assert started_chromium.contexts == []
    yield started_chromium
    for context in started_chromium.contexts:
        context.close()


Axe = Callable[["Page"], list[str]]

SERIOUS = """only => axe.run(document, {resultTypes: ['violations'], preload: false, ...only}).then(report => report
    .violations.filter(violation => ['serious', 'critical'].includes(violation.impact))
    .map(violation => `${violation.id}: ${violation.nodes[0].html.slice(0, 150)}`))"""


@pytest.fixture
def axe() -> Axe:
    """The accessibility checker, from npm: lists the serious problems of a page, whose context has `bypass_csp`.

    In the dark only the contrast is checked: nothing else depends on the colours.
    """
    path = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        sentence = "axe-core is not installed: run script/frontend"
        if os.environ.get("OVERTRICK_REQUIRE_ALL") == "1":
            pytest.fail(sentence)
        pytest.skip(sentence)
    script = path.read_text()

    def serious_problems(page: "Page") -> list[str]:
        if not page.evaluate("'axe' in window"):
            page.evaluate(script)
        is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        problems: list[str] = page.evaluate(SERIOUS, {"runOnly": ["color-contrast"]} if is_dark else {})
        return problems

    return serious_problems


@pytest.fixture
def team_director(browser: httpx.Client, pages: Running) -> TeamDirector:
    """Somebody at the desk of team events, of which there are none yet."""
    return TeamDirector(browser, pages)


@pytest.fixture
def league(team_director: TeamDirector) -> TeamDirector:
    """Four teams, with two players each, in a round robin that is drawn."""
    team_director.open("League")
    team_director.act("teams", serie=1, teams="Amber\nBlue, ned\n\n Crimson \nDun")
    for team in range(1, 5):
        names = {
            f"{part}__new{n}": f"{part} {team}{n}" for n in (1, 2, 3, 4) for part in ("first", "last", "code")
        }
        team_director.act("roster", team=team, **names)
    assert team_director.draw() == "Rounds 1 to 3 are drawn."
    return team_director
