"""Public pages: the projector and the results, live, and never a board that somebody has still to play."""

import json
import re
import time
from urllib.parse import urljoin

import httpx
import pytest

from overtrick.bridge import Outcome, Side
from overtrick.bridge.pbn import read_pbn
from overtrick.event.clock import StartClock
from overtrick.event.results import EnterResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.rulings import Appeal, BoardVersion, FoulBoard, NoteRuling, SetCorrectionPeriod
from overtrick.event.setup import SetStatus, Status
from overtrick.scoring import Contestant
from overtrick.views import SessionView, board_monitor, seating
from overtrick.web import public_pages, view_models
from overtrick.web.site import Site
from tests.web.running import STARTS, Running, collapse, evening, play


def test_a_board_is_published_when_everyone_has_played_it(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    view = SessionView.of(pages.session(guid))
    open_boards = [line.board for line in board_monitor(view) if line.played and line.played < line.expected]
    assert open_boards
    index = browser.get(f"/results/{guid}/").text
    for board in open_boards:
        assert browser.get(f"/results/{guid}/board-1-{board}.html").status_code == 404
        assert f"board-1-{board}.html" not in index
        assert browser.get(f"/api/sessions/{guid}/travellers/{board}").json() == []
    rounds = max(len(table.rounds) for table in pages.session(guid).movement.tables.values())
    for table, at in pages.session(guid).movement.tables.items():
        for number, played in enumerate(at.rounds, start=1):
            for board in played.boards:
                if played.ns and played.ew:
                    entry = ResultEntry(*table, number, board, Outcome.parse("3NTN="), STARTS)
                    pages.do(PutResults(guid, (entry,), Origin.DESK))
    assert rounds
    assert browser.get(f"/results/{guid}/board-1-{open_boards[0]}.html").status_code == 200
    assert browser.get(f"/api/sessions/{guid}/travellers/{open_boards[0]}").json()


def test_the_first_page_of_results_has_names_and_no_dead_links(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    index = browser.get(f"/results/{guid}/").text
    assert "A board appears here when every table has played it." in index
    assert next(iter(pages.session(guid).seating.players.values())).last_name in index
    linked = {link.partition("#")[0] for link in re.findall(r'href="([^":]+)"', index)}
    assert linked
    assert [
        link for link in linked if browser.get(urljoin(f"/results/{guid}/", link)).status_code != 200
    ] == []


def test_downloaded_files_contain_no_more_than_the_pages(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    files = ("results.csv", "results.pbn", "results.xml", "results.json")
    boards = {board for _, _, _, board in pages.session(guid).results.standing}
    name = next(iter(pages.session(guid).seating.players.values())).last_name
    index = browser.get(f"/results/{guid}/").text
    assert [file for file in files if f'href="{file}" download' not in index] == []

    def boards_of_the_pbn() -> set[int | None]:
        return {game.board for game in read_pbn(browser.get(f"/results/{guid}/results.pbn").content)}

    assert not boards_of_the_pbn(), "nobody has finished a board yet"
    pages.do(SetStatus(guid, Status.FINISHED))
    assert boards_of_the_pbn() == boards
    for file in files:
        got = browser.get(f"/results/{guid}/{file}")
        assert got.status_code == 200
        assert name in got.text
    assert browser.get(f"/results/{guid}/results.csv").headers["content-type"].startswith("text/csv")


def test_finished_session_publishes_all_boards(browser: httpx.Client, pages: Running, guid: str) -> None:
    board = next(iter(pages.session(guid).results.standing))[3]
    assert browser.get(f"/results/{guid}/board-1-{board}.html").status_code == 404
    pages.do(SetStatus(guid, Status.FINISHED))
    assert browser.get(f"/results/{guid}/board-1-{board}.html").status_code == 200
    assert browser.get(f"/results/{guid}/style.css").headers["content-type"].startswith("text/css")


def test_results_page_with_a_matching_etag_is_not_sent_again(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    first = browser.get(f"/results/{guid}/")
    assert first.headers["content-encoding"] == "gzip"
    assert browser.get(f"/results/{guid}/", headers={"accept-encoding": "identity"}).text == first.text
    asked = {"if-none-match": first.headers["etag"]}
    again = browser.get(f"/results/{guid}/", headers=asked)
    assert (again.status_code, again.content) == (304, b"")
    play(pages, guid, 3)
    newer = browser.get(f"/results/{guid}/", headers=asked)
    assert newer.status_code == 200
    assert int(newer.headers["x-version"]) > int(first.headers["x-version"])
    assert newer.text != first.text


def test_slow_results_pages_are_not_rendered_for_every_change(
    browser: httpx.Client, pages: Running, guid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader is told which version it got, and so asks again."""
    monkeypatch.setattr(public_pages, "QUICK", 0.0)
    monkeypatch.setattr(public_pages, "SHARE", 10**6)
    first = browser.get(f"/results/{guid}/")
    play(pages, guid, 3)
    held = browser.get(f"/results/{guid}/")
    assert held.text == first.text
    assert int(held.headers["x-version"]) < pages.journal.heads()[f"session/{guid}/1"]


def test_new_result_is_sent_to_the_projector_at_once(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    version = pages.journal.heads()[f"session/{guid}/1"]
    session = pages.session(guid)
    place = next(
        (*table, 3, at.rounds[2].boards[0])
        for table, at in session.movement.tables.items()
        if at.rounds[2].ns and at.rounds[2].ew
    )
    with browser.stream("GET", f"/live/{guid}/stream", params={"after": version}) as stream:
        lines = stream.iter_lines()
        assert next(lines) == "retry: 2000"
        began = time.monotonic()
        pages.do(EnterResult(guid, ResultEntry(*place, outcome=Outcome.parse("7NTN="), at=STARTS)))
        news = []
        for line in lines:
            assert time.monotonic() - began < 20, "nothing but signs of life came"
            if line.startswith("data: "):
                news.append(line)
                break
        regions = json.loads(news[0][6:])
        assert "ranking" in regions
        assert "<script" not in regions["ranking"]


def test_follower_who_joins_late_gets_the_whole_page(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    with browser.stream("GET", f"/live/{guid}/stream", params={"after": "1"}) as stream:
        line = next(line for line in stream.iter_lines() if line.startswith("data: "))
    assert set(json.loads(line[6:])) == {"clock", "head", "ranking", "coming"}


def test_pages_say_that_results_are_provisional_and_hide_rulings_on_boards_still_in_play(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    session = pages.session(guid)
    view = SessionView.of(session)
    in_play = next(line.board for line in board_monitor(view) if line.played and line.played < line.expected)
    place = next(place for place in session.results.standing if place[3] == in_play)
    pages.do(SetCorrectionPeriod(guid, STARTS))
    pages.do(NoteRuling(guid, *place, "Secret reason", STARTS, Appeal.PENDING))
    pages.do(FoulBoard(guid, in_play, (BoardVersion("turned", (place[:3],)),), "Secret turn"))
    words = f"Provisional until {STARTS.astimezone():%Y-%m-%d %H:%M}."
    assert words in browser.get(f"/results/{guid}/").text
    assert f"{words} An appeal is pending." in browser.get(f"/live/{guid}").text
    for path in (f"/results/{guid}/", f"/api/sessions/{guid}/rulings"):
        assert "Secret" not in browser.get(path).text
    pages.do(SetStatus(guid, Status.FINISHED))
    assert "Secret reason" in browser.get(f"/results/{guid}/").text


def test_projector_before_play_shows_seating_with_names_and_the_way_to_join(
    browser: httpx.Client, pages: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    guid = evening(pages, rounds=0)
    page = collapse(browser.get(f"/live/{guid}").text)
    assert "Welcome! Please take your seats." in page
    for (section, table), at in pages.session(guid).movement.tables.items():
        names = " – ".join(
            f'<span class="whole">{player.name}</span>'
            for line in seating(pages.session(guid), section, 1)
            if line.table == table
            for seat, player in line.players
            if seat in Side.NS.seats
        )
        assert f"<strong>{at.rounds[0].ns}</strong> {names}" in page
    assert "QR code" not in page, "phones cannot reach this computer's own address"
    monkeypatch.setattr(Site, "is_reachable", lambda site, request: True)
    page = collapse(browser.get(f"/live/{guid}").text)
    assert f'alt="QR code for {pages.address}/join"' in page
    play(pages, guid, 1)
    assert "Welcome" not in browser.get(f"/live/{guid}").text


def test_clock_is_gone_when_the_session_has_ended_and_back_when_it_is_opened_again(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    pages.do(StartClock(guid, STARTS, 1))
    for status, has_clock in ((Status.STARTED, True), (Status.FINISHED, False), (Status.STARTED, True)):
        pages.do(SetStatus(guid, status))
        for path in (f"/live/{guid}", f"/desk/{guid}/results"):
            assert ("data-clock=" in browser.get(path).text) is has_clock


def test_projector_of_a_session_that_was_ended_early_shows_the_final_ranking_until_it_is_opened_again(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    pages.do(SetStatus(guid, Status.FINISHED))
    page = collapse(browser.get(f"/live/{guid}").text)
    assert "results are missing" in page
    assert "<caption>Final ranking · North-South</caption>" in page
    assert "<h2>Congratulations!</h2>" in page
    assert "Seating, round" not in page
    pages.do(SetStatus(guid, Status.STARTED))
    page = collapse(browser.get(f"/live/{guid}").text)
    assert "Seating, round 4" in page
    assert "Final ranking" not in page


def test_projector_of_a_session_that_was_ended_without_a_result_has_no_podium(
    browser: httpx.Client, pages: Running
) -> None:
    empty = evening(pages, rounds=0, seed=5)
    pages.do(SetStatus(empty, Status.FINISHED))
    page = browser.get(f"/live/{empty}").text
    assert "Congratulations" not in page
    assert "Thank you for playing." in page
    assert "Seating, round" not in page


def test_podium_has_everybody_who_shares_the_third_place() -> None:
    ranks = ["1", "2", "3=", "3=", "5", "–"]
    lines = tuple(
        view_models.RankingLine(rank, Contestant("A", number), f"Pair {number}", "50.00", 8, 50.0)
        for number, rank in enumerate(ranks, start=1)
    )
    page = public_pages.podium([view_models.RankingTable("Ranking", "%", lines, "Pair")])
    assert re.findall(r"Pair.(\d)", page) == ["1", "2", "3", "4"]
    assert page.count('class="medal third"') == 2


def test_the_projector_shows_the_next_round_and_the_end(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    assert "Seating, round 4" in browser.get(f"/live/{guid}").text
    play(pages, guid, 3)
    page = collapse(browser.get(f"/live/{guid}").text)
    assert "<h2>Last round</h2> <p> Still playing: tables A1, A2, A3, A4 </p>" in page
    assert "Thank you" not in page
    play(pages, guid, 4)
    pages.settle(guid)  # the last result ends the session
    page = collapse(browser.get(f"/live/{guid}").text)
    assert "Final ranking · All results are in" in page
    assert "<caption>Final ranking · North-South</caption>" in page
    assert page.count('<span class="medal ') == 6
    assert "Thank you for playing." in page
    skipped = next(iter(pages.session(guid).results.standing))
    pages.do(EraseResult(guid, *skipped, Origin.DESK))
    pages.settle(guid)  # and without it the session goes on
    page = browser.get(f"/live/{guid}").text
    assert "1 result is missing" in page
    assert f"Waiting for the last result of table {skipped[0]}{skipped[1]}" in collapse(page)
    assert "Congratulations" not in page
    assert "All results are in" not in page
