import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import httpx
import pytest

from overtrick.bridge import Deal
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.setup import SetStatus, Status
from overtrick.registry.player_privacy import PlayerPrivacyStore
from overtrick.scoring.report import player_key
from overtrick.web.print_pages import PARTS, hand_sheets, pair_guides, table_guides
from overtrick.web.view_models import boards_text
from tests.web.conftest import Axe
from tests.web.running import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DEAL = Deal.dealt_by(random.Random(1))


def test_28_boards_are_on_two_sheets_and_each_group_begins_its_own() -> None:
    boards = [HandRecord(1, board, DEAL) for board in range(28, 0, -1)]
    assert [[record.board for record in records] for _, records in hand_sheets(boards)] == [
        [*range(1, 16)],
        [*range(16, 29)],
    ]
    two = hand_sheets([*boards, HandRecord(2, 1, DEAL)])
    assert [(group, len(records)) for group, records in two] == [(1, 15), (1, 13), (2, 1)]
    assert hand_sheets([]) == []


def test_print_page_has_all_parts_or_those_that_are_chosen(browser: httpx.Client, guid: str) -> None:
    marks = {
        "results": '<th scope="col">Rank</th>',
        "hands": "hand-record",
        "guides": "<caption>Pair A N-S 1</caption>",
        "table-guides": "<caption>Table A1</caption>",
        "tables": "<h2>Table A1</h2>",
        "pairs": "<h2>Pair A NS 1</h2>",
    }
    assert set(marks) == set(PARTS)
    everything = browser.get(f"/desk/{guid}/print").text
    assert [part for part, mark in marks.items() if mark not in everything] == []
    chosen = browser.get(f"/desk/{guid}/print?part=hands&part=pairs&part=x").text
    assert [part for part, mark in marks.items() if mark in chosen] == ["hands", "pairs"]


def test_guide_cards_follow_the_movement_and_tell_who_sits_out(pages: Running, guid: str) -> None:
    session = pages.session(guid)
    rounds = session.movement.rounds("A")
    pairs = {card.title: card for card in pair_guides(session)}
    first = session.movement.round("A", 1, 1)
    assert first is not None
    assert pairs["Pair A N-S 1"].rows[0] == ("1", "A1", "N-S", f"E-W {first.ew}", boards_text(first.boards))
    assert {len(card.rows) for card in [*pairs.values(), *table_guides(session)]} == {rounds}
    session.setup.sections["A"] = replace(session.setup.sections["A"], missing_pair=-2)
    pairs = {card.title: card for card in pair_guides(session)}
    assert "Pair A E-W 2" not in pairs
    assert [row[2:4] for row in pairs["Pair A N-S 1"].rows].count(("sits out", "")) == 1
    table = next(card for card in table_guides(session) if card.title == "Table A2")
    assert table.rows[0][:3] == ("1", "2", "–")


def test_printed_ranking_leaves_out_hidden_names(browser: httpx.Client, pages: Running, guid: str) -> None:
    player = next(iter(pages.session(guid).seating.players.values()))
    path = f"/desk/{guid}/print?part=results"
    assert player.last_name in browser.get(path).text
    PlayerPrivacyStore(pages.journal.documents).set_hidden(player_key(player.number, player.name), True)
    names = [f"{each.first_name} {each.last_name}" for each in pages.session(guid).seating.players.values()]
    shown = browser.get(path).text.replace("\N{NO-BREAK SPACE}", " ")
    assert [name for name in names if name not in shown] == [player.name]


@pytest.mark.browser
def test_new_pages_are_accessible_and_hand_records_fit_on_two_sheets(
    chromium: "Browser", axe: Axe, pages: Running, guid: str
) -> None:
    records = tuple(HandRecord(1, board, DEAL) for board in range(1, 29))
    pages.do(PutHandRecords(guid, records, HandSource.DESK))
    pages.do(SetStatus(guid, Status.FINISHED))
    page = chromium.new_context(
        viewport={"width": 390, "height": 844}, bypass_csp=True, color_scheme="light"
    ).new_page()
    paths = ("/results", f"/results/{guid}/summary.html", "/desk/club", f"/desk/{guid}/publish")
    for path in (*paths, f"/desk/{guid}/print?part=hands"):
        page.goto(f"{pages.address}{path}")
        page.emulate_media(color_scheme="light")
        assert axe(page) == [], path
        page.emulate_media(color_scheme="dark")
        assert axe(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") == 390, path
    assert page.locator(".hand-record").count() == 28
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", printed)) == 2
