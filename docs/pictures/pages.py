"""Draws the pictures in `pages`: what desk.py leaves out, in a real Chromium, on a phone and on a desk.

Run it again when pages change: `python docs/pictures/pages.py`, with Chromium on the PATH. A few names after it draw
those parts alone: `evening`, `terminal`, `teams`, `results`, `watch`, `door`.
"""

import io
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, sync_playwright

from overtrick.bridge import Seat
from overtrick.event.calls import CallDirector
from overtrick.event.clock import StartClock
from overtrick.event.results import JudgeResult, Suspicion
from overtrick.event.seating import line_up
from overtrick.event.settings import NumberEntry, PutSettings, SettingsIII, ShowRanking
from overtrick.event.setup import SetStatus, Status
from overtrick.host.demo import demo, play
from overtrick.host.runtime import Runtime
from overtrick.host.web import PageServerSettings, pages_beside
from overtrick.keys import KeyRing

FOLDER = Path(__file__).with_name("pages")
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"]
RESULTS = 90
"""How many results are in when the pictures are taken, of an evening of six tables."""
PIN = "2718"
PARTS = ("evening", "terminal", "teams", "results", "watch", "door")


@dataclass
class Gallery:
    """A browser, the evening that it looks at, and what has been drawn of it."""

    browser: Browser
    address: str
    guid: str
    keys: KeyRing
    runtime: Runtime
    drawn: list[str] = field(default_factory=list)

    def page(self, size: str, **more: Any) -> Page:
        """A device of this size."""
        width, height = SIZES[size]
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, locale="en-GB", timezone_id="UTC", **more
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        return page

    def draw(self, page: Page, name: str) -> None:
        """What a page shows at this moment, as a small file."""
        page.evaluate("document.fonts.ready")
        seen = Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide"))).convert("RGB")
        if not name.startswith("terminal"):
            seen = without_end(seen)
        seen.save(FOLDER / f"{name}.webp", quality=68, method=6)
        self.drawn.append(name)

    def both(self, name: str, path: str) -> None:
        """A page on a phone and on a desk."""
        for size in SIZES:
            page = self.page(size)
            page.goto(self.address + path)
            page.wait_for_selector("main")
            page.wait_for_function(
                "!document.body.textContent.includes('–:––')"
            )  # the round clock has been asked
            self.draw(page, f"{name}-{size}")
            page.context.close()


def without_end(seen: Image.Image) -> Image.Image:
    """A picture without the empty end of a page that is shorter than the screen."""
    nothing = Image.new("RGB", seen.size, seen.getpixel((0, seen.height - 1)))
    box = ImageChops.difference(seen, nothing).getbbox()
    return seen.crop((0, 0, seen.width, min(seen.height, (box[3] if box else seen.height) + 24)))


@contextmanager
def evening(folder: Path) -> Iterator[tuple[str, str, Runtime]]:
    """Pages of an evening that is under way: their address, the session, and the runtime."""
    with demo(folder, tables=6, seed=1) as (planned, runtime, tricks):
        for moment in play(planned, runtime, tricks, speed=1, sleep=lambda _: None):
            if len(moment.view.session.results.standing) >= RESULTS:
                break
        disturb(runtime, planned.session, planned.starts + timedelta(minutes=moment.minute))
        with pages_beside(runtime, PageServerSettings(folder, 0)) as address:
            yield address, planned.session, runtime


def disturb(runtime: Runtime, guid: str, now: datetime) -> None:
    """What every evening has: a result that cannot be, a table that calls, a clock that runs."""
    with runtime.read(guid) as session:
        assert session is not None
        place = next(reversed(session.results.standing))
        rounds = max(each[2] for each in session.results.standing)
    settings = SettingsIII(pin=PIN, number_entry=NumberEntry.EVERY_ROUND, ranking=ShowRanking.ALWAYS)
    commands = (
        JudgeResult(guid, *place, Suspicion.SUSPICIOUS),
        CallDirector(guid, "picture", "A", 5, now, rounds, place[3]),
        StartClock(guid, datetime.now(UTC) - timedelta(minutes=9), rounds),
        PutSettings(guid, (("A", settings),)),
    )
    for number, command in enumerate(commands):
        runtime.do(command, actor="pictures", command_id=f"pictures {number}")


def draw_evening(gallery: Gallery) -> None:
    """What everyone may look at, and what the desk has for pairs and for programs; desk.py has the desk itself."""
    guid = gallery.guid
    gallery.both("results", "/results")
    gallery.both("ranking", f"/results/{guid}/")
    gallery.both("desk-pair-cards", f"/desk/{guid}/cards?for=pairs")
    gallery.both("api", "/api/")


@dataclass
class Terminal:
    """A phone at a table."""

    page: Page
    gallery: Gallery

    def key(self, name: str) -> None:
        """Press a key."""
        self.page.click(f'[data-key="{name}"]:enabled')

    def at(self, screen: str, name: str = "") -> None:
        """Wait for a screen, and draw it where it has a name."""
        self.page.wait_for_selector(f"body[data-stage={screen}]")
        if name:
            self.draw(name)

    def draw(self, name: str) -> None:
        """What it shows."""
        self.gallery.draw(self.page, f"terminal-{name}")

    @property
    def stage(self) -> str:
        """Which screen it shows."""
        return self.page.get_attribute("body", "data-stage") or ""

    def option(self, name: str) -> None:
        """Press a key among the options."""
        if not self.page.locator("#options").evaluate("(options) => options.open"):
            self.page.click("#options summary")
        self.key(name)

    def close_options(self) -> None:
        """Put the options away."""
        if self.page.locator("#options").evaluate("(options) => options.open"):
            self.page.click("#options summary")

    def enter(self) -> None:
        """A board, until it has been agreed."""
        for name in ("level-2", "strain-H", "seat-S", "suit-D", "rank-K", "result+1"):
            self.key(name)
        self.at("VerifyScreen")
        self.key("ok")


def draw_terminal(gallery: Gallery) -> None:
    """A round at a table, screen by screen."""
    code = gallery.keys.table_code(gallery.guid, "A", 2)
    terminal = Terminal(gallery.page("phone", has_touch=True), gallery)
    terminal.page.goto(f"{gallery.address}/t/{gallery.guid}/A2?code={code}")
    terminal.at("TakeOverScreen", "take-over")
    terminal.key("ok")
    terminal.at("RoundScreen", "round")
    terminal.key("ok")
    terminal.at("NumberScreen")
    number = int((terminal.page.text_content("#where") or "").split()[-1])
    with gallery.runtime.read(gallery.guid) as session:
        assert session is not None
        people = line_up(session, "A", number)
    for seat in (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST):
        terminal.page.wait_for_selector(f"h1:has-text('{seat.name.capitalize()}')")
        for digit in people[2, seat].number:
            terminal.key(digit)
        if seat is Seat.EAST:
            terminal.draw("number")
        terminal.key("ok")
    terminal.at("PlayersScreen", "players")
    terminal.key("ok")
    terminal.at("ContractScreen")
    terminal.key("level-4")
    terminal.draw("contract")
    terminal.key("strain-S")
    terminal.at("DeclarerScreen")
    terminal.key("double-1")
    terminal.draw("declarer")
    terminal.key("seat-N")
    terminal.at("LeadScreen")
    terminal.key("suit-D")
    terminal.draw("lead")
    terminal.key("rank-K")
    terminal.at("ResultScreen", "result")
    terminal.key("result=")
    terminal.at("VerifyScreen")
    terminal.page.wait_for_selector('[data-key="ok"]:enabled')
    terminal.draw("verify")
    terminal.key("ok")
    terminal.at("ResultsScreen")
    terminal.page.wait_for_selector("#sent:has-text('All sent')")
    terminal.draw("results")
    terminal.key("ok")
    after_results(terminal)


def after_results(terminal: Terminal) -> None:
    """What is beside the entry of results, and the way to the next table."""
    page = terminal.page
    terminal.at("ContractScreen")
    page.click("#options summary")
    page.select_option("#language", "pl")
    page.wait_for_selector("html[lang=pl]")
    terminal.close_options()
    terminal.draw("polish")
    page.click("#options summary")
    terminal.draw("options")
    page.select_option("#language", "en")
    page.wait_for_selector("html[lang=en]")
    terminal.close_options()
    page.click("text=Call the director")
    page.wait_for_selector("#call:not(:empty)")
    page.wait_for_selector("#sent:has-text('All sent')")
    terminal.draw("call")
    terminal.key("ShowScores")
    terminal.at("RecapScreen", "recap")
    terminal.key("ok")
    terminal.key("ShowRanking")
    terminal.at("RankingScreen", "ranking")
    terminal.key("ok")
    terminal.option("Director")
    terminal.at("PinScreen")
    terminal.close_options()
    terminal.key("2")
    terminal.draw("pin")
    for digit in PIN[1:]:
        terminal.key(digit)
    terminal.at("MenuScreen", "menu")
    terminal.key("back")
    page.context.set_offline(True)
    while (stage := terminal.stage) != "NextScreen":
        if stage == "ContractScreen":
            terminal.enter()
        elif stage == "RoundScreen" or not page.locator('#screen [data-key="ok"]:enabled').count():
            page.wait_for_timeout(100)
        else:
            if stage == "ResultsScreen":
                page.wait_for_selector("#sent:not([data-unsent='0'])")
                if "terminal-offline" not in terminal.gallery.drawn:
                    terminal.draw("offline")
            terminal.key("ok")
        page.wait_for_timeout(100)
    page.context.set_offline(False)
    page.wait_for_selector("#sent:has-text('All sent')")
    terminal.draw("next")
    page.context.close()


NAMES = ("Amber", "Blue", "Crimson", "Dun")
OUTCOMES = ("4sn=", "3ntw-1", "pass", "2he+1", "6cs-2", "1ntn+2", "5dxe-1", "4hs+1")


def draw_teams(gallery: Gallery) -> None:
    """A league of four teams: its desk, and what everyone sees of it."""
    desk = gallery.page("desktop")
    desk.goto(f"{gallery.address}/desk/teams")
    desk.fill("[name=name]", "Club league")
    desk.select_option("[name=format]", "round robin")
    desk.select_option("[name=method]", "vps-continuous")
    desk.fill("[name=boards]", "8")
    desk.click("text=Open the event")
    desk.wait_for_url("**/1/teams")
    desk.fill("[name=teams]", "\n".join(NAMES))
    desk.click("button:has-text('Enter')")
    desk.wait_for_selector("td:has-text('Dun')")
    event = desk.url.split("/")[5]
    desk.goto(f"{gallery.address}/desk/teams/{event}/1")
    desk.click("a:has-text('Draw')")
    desk.wait_for_selector("text=Nothing is drawn yet")
    gallery.both("teams-draw", desk.url.removeprefix(gallery.address))
    desk.click("button:has-text('Draw th')")
    desk.wait_for_url(f"**/{event}/1")
    linked = desk.locator(f"a[href*='/desk/teams/{event}/1/1/']")
    matches = sorted(set(linked.evaluate_all("links => links.map((link) => link.getAttribute('href'))")))
    for place, match in enumerate(matches):
        desk.goto(gallery.address + match)
        desk.locator("[id*='-Open-']").first.focus()
        for number in range(2 * len(OUTCOMES)):
            desk.keyboard.type(OUTCOMES[(number + number // 6 + place) % len(OUTCOMES)])
            desk.keyboard.press("Enter")
        desk.wait_for_selector("form[data-touched]", state="detached")
    match = matches[0]
    desk.goto(f"{gallery.address}/desk/teams/{event}/1/teams")
    desk.click("[aria-label='Change Amber']")
    for number, person in enumerate(("Ada Berg", "Bo Dahl", "Cy Ek", "Di Falk"), start=1):
        for part, name in zip(("first", "last"), person.split(), strict=True):
            desk.fill(f"[name={part}-new{number}]", name)
    desk.click("text=Save the roster")
    desk.wait_for_selector("text=The roster is saved.")
    desk.context.close()
    gallery.both("teams-desk", "/desk/teams")
    gallery.both("teams-serie", f"/desk/teams/{event}/1")
    gallery.both("teams-sheet", match)
    gallery.both("teams-event", f"/teams/{event}")
    gallery.both("teams-cross", f"/teams/{event}/1")
    gallery.both("teams-match", match.removeprefix("/desk"))
    gallery.both("teams-team", f"/teams/{event}/team/1")


def draw_results(gallery: Gallery) -> None:
    """What there is to read once the session is finished."""
    guid = gallery.guid
    gallery.runtime.do(SetStatus(guid, Status.FINISHED), actor="pictures", command_id="pictures: finished")
    page = gallery.page("desktop")
    page.goto(f"{gallery.address}/results/{guid}/")
    linked = page.locator("a[href]").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    page.context.close()
    for name, start in (("traveller", "board"), ("pair", "card")):
        pages = [link for link in linked if link.startswith(start) and link.endswith(".html")]
        gallery.both(name, f"/results/{guid}/{pages[0]}")
    gallery.both("matrix", f"/results/{guid}/matrix.html")
    gallery.both("hands", f"/results/{guid}/hands.html")


def draw_watch(gallery: Gallery) -> None:
    """A match of robots, on the pages of the Table Manager."""
    deals = Path(__file__).parents[1] / "examples" / "evening.pbn"
    command = f"-m overtrick tm match natural legal --trick-pause 2 --watch-port 0 --deals {deals}"
    with subprocess.Popen([sys.executable, *command.split()], stdout=subprocess.PIPE, text=True) as match:
        assert match.stdout is not None
        address = match.stdout.readline().split()[-1]
        page = gallery.page("desktop")
        page.goto(f"{address}table/1")
        page.wait_for_selector("#tricks table tbody tr >> nth=2")
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            gallery.draw(page, f"watch-{size}")
        page.context.close()
        match.terminate()


def draw_door(gallery: Gallery) -> None:
    """The login, once there is a password."""
    gallery.keys.set_password("seven no trump")
    gallery.both("login", "/desk")


def draw_all(parts: list[str]) -> list[str]:
    """Draw these parts; the names of what was drawn."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    FOLDER.mkdir(exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        evening(Path(folder)) as (address, guid, runtime),
        sync_playwright() as playing,
    ):
        browser = playing.chromium.launch(executable_path=program, args=FLAGS)
        gallery = Gallery(browser, address, guid, KeyRing(Path(folder)), runtime)
        for part in parts:
            {
                "evening": draw_evening,
                "terminal": draw_terminal,
                "teams": draw_teams,
                "results": draw_results,
                "watch": draw_watch,
                "door": draw_door,
            }[part](gallery)
        browser.close()
    return gallery.drawn


if __name__ == "__main__":
    for name in draw_all(sys.argv[1:] or list(PARTS)):
        print(f"{name}.webp: {(FOLDER / name).with_suffix('.webp').stat().st_size / 1000:.0f} kB")
