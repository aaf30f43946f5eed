"""Players' pages: found by the phone's link, private or public as the club chooses, and without names on request."""

import html
import json
import re
from datetime import date

import httpx
import pytest

from overtrick.event import Session
from overtrick.event.setup import SetStatus, Status
from overtrick.keys import TokenScope
from overtrick.scoring.report import player_key
from overtrick.store.player_index import PlayerIndex, PlayerSession
from overtrick.views.player_results import BestBoard, PlayerResult
from overtrick.web.player_pages import average, best_boards, partners, player_address, trend
from tests.waiting import wait_for
from tests.web.recorded import finish
from tests.web.running import Running, evening


def played(day: int, share: float | None, partner: str, *boards: float) -> PlayerSession:
    best = tuple(
        BestBoard(place, f"board-{place}.html", "4♠ N =", worth) for place, worth in enumerate(boards, 1)
    )
    result = PlayerResult(
        "#1", "Ann", ((f"~{partner}", partner),), "A1", "card-A1.html", "1", 8, "…", share, 24, best
    )
    return PlayerSession("A" * 32, f"Evening {day}", date(2026, 1, day), result)


def test_player_page_shows_partners_average_trend_and_best_boards() -> None:
    sessions = [played(9, 60.0, "bo", 100, 80), played(8, None, "bo", 12), played(2, 50.0, "cy", 90)]
    assert [(one.name, one.evenings, one.average) for one in partners(sessions)] == [
        ("bo", 2, 60.0),
        ("cy", 1, 50.0),
    ]
    assert average(sessions) == 55.0
    assert [board.worth for _, board in best_boards(sessions)] == [100, 90, 80], "IMPs are no percentages"
    assert trend(sessions, "Ann").index(">2.1.<") < trend(sessions, "Ann").index(">9.1.<")
    assert trend(sessions[:1], "Ann") == ""


@pytest.fixture
def over(pages: Running) -> tuple[str, Session]:
    """An evening that has ended, whose players are in the index."""
    guid = evening(pages, 2, 0, has_deals=False)
    finish(pages, guid)
    pages.do(SetStatus(guid, Status.FINISHED))
    index = PlayerIndex(pages.journal)
    wait_for(lambda: bool(index.players()))
    return guid, pages.session(guid)


def someone(session: Session) -> tuple[str, str]:
    """The key and name of a player."""
    player = next(iter(session.seating.players.values()))
    return player_key(player.number, player.name), player.name


def save(running: Running, browser: httpx.Client, **fields: str) -> httpx.Response:
    browser.get("/desk")
    token = running.keys.form_token(browser.cookies["overtrick_desk"])
    return browser.post("/desk/players", data={"token": token, **fields})


def strange(pages: Running) -> httpx.Client:
    """Somebody who is not at the director's computer."""
    return httpx.Client(base_url=pages.address, timeout=20, headers={"x-forwarded-for": "192.0.2.7"})


def test_player_page_is_private_until_the_club_makes_it_public(
    browser: httpx.Client, pages: Running, over: tuple[str, Session]
) -> None:
    guid, session = over
    key, name = someone(session)
    assert f"<h1>{name}</h1>" in browser.get(player_address(key)).text
    with strange(pages) as visitor:
        assert visitor.get("/players").status_code == 403
        assert 'href="/players"' not in visitor.get("/results").text
        assert visitor.get(player_address(key)).status_code == 403
        assert visitor.get(player_address(key, "0" * 32)).status_code == 403
        own = visitor.get(player_address(key, pages.keys.player_pass(key)))
        assert own.status_code == 200
        card = re.search(rf'href="(/results/{guid}/card-[^"]+)"', own.text)
        assert card is not None
        assert name in html.unescape(visitor.get(card[1]).text)
        assert save(pages, browser, pages="public").status_code == 303
        assert 'href="/players"' in visitor.get("/results").text
        assert name in visitor.get("/players").text
        assert visitor.get(player_address(key)).status_code == 200
        assert visitor.get(player_address("~nobody")).status_code == 404
        assert visitor.post("/desk/players", data={"pages": "private"}).status_code == 403


def test_a_name_that_is_not_published_is_on_no_public_page_and_in_no_file(
    browser: httpx.Client, pages: Running, over: tuple[str, Session]
) -> None:
    guid, session = over
    key, name = someone(session)
    addresses = [
        *(f"/results/{guid}/{page}" for page in ("", "matrix.html", "results.csv", "results.pbn")),
        *(f"/results/{guid}/{page}" for page in ("results.xml", "results.json")),
        *(f"/live/{guid}", f"/api/sessions/{guid}/ranking"),
    ]
    # The projector does not break a name at its space.
    names = {name, name.replace(" ", "\N{NO-BREAK SPACE}")}

    def naming(visitor: httpx.Client) -> list[str]:
        return [one for one in addresses if any(each in visitor.get(one).text for each in names)]

    with strange(pages) as visitor:
        assert naming(visitor) == addresses
        save(pages, browser, pages="public")
        save(pages, browser, player=key, hide="1")
        assert naming(visitor) == []
        assert "Player – " in visitor.get(f"/results/{guid}/").text
        assert visitor.get(player_address(key)).status_code == 404
        assert name not in visitor.get("/players").text
        assert visitor.get(player_address(key, pages.keys.player_pass(key))).status_code == 200
        assert name in browser.get("/players").text
        save(pages, browser, player=key, hide="0")
        assert name in visitor.get(f"/results/{guid}/").text


def test_a_name_that_is_not_published_is_not_in_the_public_seating(
    browser: httpx.Client, pages: Running
) -> None:
    guid = evening(pages, 2, 0, has_deals=False)
    key, name = someone(pages.session(guid))
    names = {name, name.replace(" ", "\N{NO-BREAK SPACE}")}
    live, seats = f"/live/{guid}", f"/api/sessions/{guid}/seating/1"
    token = pages.keys.new_token("scorer", TokenScope.READ)
    with strange(pages) as visitor:
        assert all(any(each in visitor.get(one).text for each in names) for one in (live, seats))
        save(pages, browser, player=key, hide="1")
        assert not any(each in visitor.get(one).text for each in names for one in (live, seats))
        assert name in visitor.get(seats, headers={"authorization": f"Bearer {token}"}).text


def test_the_phone_has_a_link_to_each_players_page_when_play_is_over(
    browser: httpx.Client, pages: Running, over: tuple[str, Session]
) -> None:
    guid, _ = over
    code = pages.keys.table_code(guid, "A", 1)
    news = json.loads(browser.get(f"/t/{guid}/A1/table.json", headers={"x-table-code": code}).text)
    links = [player for final in news["snapshot"]["finals"] for player in final["players"]]
    assert len(links) == 4
    with strange(pages) as visitor:
        for link in links:
            assert f"<h1>{html.escape(link['name'])}</h1>" in visitor.get(link["address"]).text
