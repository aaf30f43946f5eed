"""The figures of leads and plays on the public pages: solved once, in the background, and never before publication."""

import random

import httpx
import pytest

from overtrick.bridge import Deal, Outcome, Played, Seat, Strain
from overtrick.doubledummy import LineOfPlay, PlayBatch
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.setup import SetStatus, Status
from overtrick.web import play_analysis
from overtrick.web.play_analysis import PlayAnalysis
from tests.waiting import wait_for
from tests.web.recorded import record
from tests.web.running import STARTS, Running, evening

LINES = [LineOfPlay(Deal.dealt_by(random.Random(seed)), Strain.HEARTS, Seat.NORTH) for seed in range(3)]


def test_a_line_is_solved_once_and_the_oldest_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[LineOfPlay] = []

    def counting(lines: list[LineOfPlay], workers: int) -> PlayBatch:
        asked.extend(lines)
        return PlayBatch(lines, workers=workers)

    monkeypatch.setattr(play_analysis, "PlayBatch", counting)
    analysis = PlayAnalysis(most=2)
    try:
        assert analysis.figures(LINES[:1]) == {}
        wait_for(lambda: LINES[0] in analysis.figures(LINES[:1]))
        assert set(analysis.figures(LINES[:1])[LINES[0]][0]) == set(LINES[0].deal[Seat.EAST])
        assert asked == LINES[:1]
        wait_for(lambda: len(analysis.figures(LINES[1:])) == 2)
        assert asked == LINES
    finally:
        analysis.close()
    assert analysis.figures(LINES[:1]) == {}, "closed, and dropped as the oldest of three"


def test_a_failure_of_the_solver_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overtrick.doubledummy.solver.WORKER_CODE", "import sys")
    analysis = PlayAnalysis()
    try:
        wait_for(lambda: analysis.figures(LINES[:1]) == {LINES[0]: ()})
    finally:
        analysis.close()


def test_a_recorded_play_is_public_with_its_board_and_its_figures_come_in_time(
    browser: httpx.Client, pages: Running
) -> None:
    guid = evening(pages, 2, 0)
    session = pages.session(guid)
    (section, table), at = min(session.movement.tables.items())
    place = section, table, 1, at.rounds[0].boards[0]
    outcome = Outcome.parse("3NTS=")
    assert isinstance(outcome, Played)
    cards = record(pages, guid, place, outcome, 5)
    pages.do(EnterResult(guid, ResultEntry(*place, outcome, STARTS, lead=cards[0])))
    address = f"/results/{guid}/board-1-{place[3]}.html"
    # One of two tables has played it: neither the board nor its play is public, in any page or file.
    assert browser.get(address).status_code == 404
    for page in ("", "matrix.html", "results.json", "results.pbn", "results.xml", "results.csv"):
        text = browser.get(f"/results/{guid}/{page}").text
        assert "hand-viewer" not in text
        assert "1NT" not in text
    pages.do(SetStatus(guid, Status.FINISHED))
    text = browser.get(address).text
    assert "hand-viewer" in text
    wait_for(lambda: "data-pending" not in browser.get(address).text)
    text = browser.get(address).text
    assert "Opening leads" in text
    assert "&#34;figures&#34;:[{" in text
    assert text.count('<th scope="row">') == 2, "two tricks have begun"
    assert browser.get("/static/hand_viewer.js").status_code == 200
