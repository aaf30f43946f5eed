"""Takes the pictures of the desk: every page of the director on a phone and on a screen, in a real Chromium.

Run it again when the pages change: `python docs/pictures/desk.py`. It needs the extra `test` and Chromium.
"""

import shutil
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from overtrick.bridge import Outcome, Seat
from overtrick.event import SessionTransaction
from overtrick.event.calls import CallDirector
from overtrick.event.clock import StartClock
from overtrick.event.results import CorrectResult, EnterResult, JudgeResult, Origin, ResultEntry, Suspicion
from overtrick.event.rulings import NoteRuling
from overtrick.event.seating import Participation, PutParticipations, SessionPlayer, Source
from overtrick.host.demo import demo, play
from overtrick.host.runtime import Runtime
from overtrick.host.web import PageServerSettings, pages_beside
from overtrick.web.desk_tabs import TABS
from overtrick.web.session_setup import open_command, read_session_request

HERE = Path(__file__).parent / "desk"
SIZES = {"phone": (390, 844), "screen": (1280, 800)}
RESULTS = 105
QUALITY = 50


def take(address: str, guid: str, swiss: str) -> None:
    """Take every picture."""
    HERE.mkdir(exist_ok=True)
    paths = {
        "home": "/",
        "sessions": "/desk",
        "new": "/desk/new?sections=2&count-1=14&count-2=11",
        "join": "/join",
        "password": "/desk/password",
        "preview": f"/desk/{guid}/movement/preview?section=A&pairs=17&boards=24",
        "draw": f"/desk/{swiss}/movement/draw?section=A",
        "result": f"/desk/{guid}/result?place=A-1-1-1",
        "weighted": f"/desk/{guid}/result?place=A-2-1-4",
        "live": f"/live/{guid}",
        **{name: f"/desk/{guid}/{name}" for name in TABS},
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for size, (width, height) in SIZES.items():
            page = browser.new_page(viewport={"width": width, "height": height})
            for name, path in paths.items():
                page.goto(address + path)
                shoot(page, f"{name}-{size}")
        page = browser.new_page(viewport={"width": 718, "height": 1047})
        page.goto(f"{address}/desk/{guid}/cards")
        page.emulate_media(media="print")
        shoot(page, "cards-printed")
        browser.close()


def shoot(page: Page, name: str) -> None:
    """Take one picture, when the page has settled."""
    page.wait_for_timeout(400)
    page.screenshot(path=HERE / f"{name}.jpg", type="jpeg", quality=QUALITY)


def disturb(runtime: Runtime, guid: str) -> None:
    """A clock that runs, a table that calls, and a result that looks wrong."""
    now = datetime.now(UTC)
    view = runtime.view(guid)
    assert view is not None
    place = next(iter(view.session.results.standing))
    runtime.do(StartClock(guid, now - timedelta(minutes=9), 5), command_id="picture-clock")
    runtime.do(CallDirector(guid, "picture", "A", 3, now, 5, 19), command_id="picture-call")
    runtime.do(JudgeResult(guid, *place, Suspicion.SUSPICIOUS), command_id="picture-doubt")
    ruled = next(each for each in sorted(view.session.results.standing) if each[:3] == ("A", 2, 1))
    weighted = ResultEntry(*ruled, Outcome.parse("60 % of 4SN=, 40 % of 4SN-1"), now)
    before = view.session.results.standing[ruled].outcome
    note = NoteRuling(guid, *ruled, "4♠ was suggested by partner's hesitation.", now, table_result=before)
    runtime.do(
        SessionTransaction(guid, (CorrectResult(guid, weighted, Origin.DESK), note)),
        command_id="picture-ruling",
    )


def swiss_evening(runtime: Runtime, guests: Iterable[SessionPlayer]) -> str:
    """A Swiss evening of nine pairs, the first round of which is scored; its guid."""
    guid, chance = "5" * 32, Random(1)
    form = {"game": "swiss", "count-1": "9", "name": "Swiss Thursday"}
    form["offered"] = read_session_request(form).key
    runtime.do(open_command(read_session_request(form), form, guid, date(2026, 1, 8)))
    view = runtime.view(guid)
    assert view is not None
    names = iter(guests)
    for table, at in view.session.movement.section("A").items():
        seats = [seat for seat in Seat if at.rounds[0].number(seat)]
        people = tuple(
            Participation("A", table, seat, first_name=who.first_name, last_name=who.last_name)
            for seat, who in zip(seats, names, strict=False)
        )
        runtime.do(PutParticipations(guid, people, Source.DESK))
        for board in at.rounds[0].boards:
            outcome = Outcome.parse(chance.choice(("4SN=", "3NTS+1", "2HE-1", "4HxW-2", "1NTN=", "3CE+2")))
            runtime.do(EnterResult(guid, ResultEntry("A", table, 1, board, outcome, datetime.now(UTC))))
    return guid


def main() -> None:
    """Play half an evening, and look at it."""
    with (
        TemporaryDirectory() as folder,
        demo(Path(folder), tables=8, seed=1) as (evening, runtime, tricks),
    ):
        for moment in play(evening, runtime, tricks, speed=1, sleep=lambda _: None):
            if len(moment.view.session.results.standing) == RESULTS:
                break
        disturb(runtime, evening.session)
        swiss = swiss_evening(runtime, moment.view.session.seating.players.values())
        with pages_beside(runtime, PageServerSettings(Path(folder), 0)) as address:
            take(address, evening.session, swiss)


if __name__ == "__main__":
    main()
