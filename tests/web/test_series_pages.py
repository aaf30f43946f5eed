"""Series at the desk and for everyone: form, combined ranking and filters; further rankings of a session."""

import html
import json
import re
from typing import Any

import httpx
import pytest

from overtrick.event.further_rankings import FurtherRankingsSet
from overtrick.event.setup import ChangeSession
from overtrick.registry.player_privacy import PlayerPrivacyStore
from overtrick.scoring.more_rankings import HandicapRule, StrataBy
from overtrick.scoring.report import player_key
from overtrick.views import SessionView
from tests.web.running import Running, evening, form_of


def send(browser: httpx.Client, page: str, action: str, **changes: str) -> httpx.Response:
    answer = browser.post(action, data={**form_of(browser.get(page).text, action), **changes})
    assert answer.status_code in (200, 303), answer.text
    return answer


def ranking(browser: httpx.Client, series: str) -> dict[str, list[dict[str, Any]]]:
    document = json.loads(browser.get(f"/series/{series}/series.json").text)
    return {f"{one['stage']} {one['title']}".strip(): one["ranking"] for one in document["rankings"]}


@pytest.fixture
def other(pages: Running, guid: str) -> str:
    """A second evening."""
    return evening(pages, seed=2)


def make(browser: httpx.Client, *sessions: str, **changes: str) -> str:
    """Make a series of sessions at the desk; return its guid."""
    answer = send(
        browser,
        "/desk/series",
        "/desk/series/save",
        **{"name": "Winter", **{f"in-{session}": "1" for session in sessions}, **changes},
    )
    return str(answer.headers["location"]).removeprefix("/series/")


def test_series_made_at_the_desk_ranks_its_sessions_together(
    browser: httpx.Client, pages: Running, guid: str, other: str
) -> None:
    series = make(browser, guid, other, combine="average")
    both = {
        session: {
            frozenset(player.name for player in view.players()[one.contestant]): one.percentage
            for view in [SessionView.of(pages.session(session))]
            for each in view.rankings(1)
            for one in each.standings
        }
        for session in (guid, other)
    }
    lines = ranking(browser, series)["Ranking"]
    assert lines
    for line in lines:
        names = frozenset(player["name"] for player in line["players"])
        shares = [share for each in both.values() if (share := each.get(names)) is not None]
        assert abs(float(str(line["result"])) - sum(shares) / len(shares)) < 0.0051
    page = browser.get(f"/series/{series}").text
    assert "Winter" in page
    assert "Winter" in browser.get("/series").text
    assert "Winter" in browser.get("/desk/series").text


def test_form_of_a_series_has_what_was_saved(browser: httpx.Client, guid: str, other: str) -> None:
    session = next(iter(ranking(browser, make(browser, guid, other))["Ranking"][0]["sessions"]))
    wanted = {
        "name": "League “B”",
        "combine": "boards",
        "ranked": "players",
        "minimum_boards": "12",
        "split_ties": "best",
        "counts": "places",
        "place_points": "6 4.5 1",
        "tied_places": "highest",
        "handicap": "mean",
        "strata": "A, B:300",
        "strata_by": "higher",
        "last": "4",
        "first": "1",
        "carry_over": "12.5",
        "substitutes": f"{session}: Cy Dahl for 101",
        "substituted_sessions": "0",
        f"in-{other}": "2",
    }
    series = make(browser, guid, **wanted)
    fields = form_of(browser.get(f"/desk/series/{series}").text, "/desk/series/save")
    assert {name: fields[name] for name in wanted} == wanted
    assert fields[f"in-{guid}"] == "1"
    again = send(browser, f"/desk/series/{series}", "/desk/series/save", name="League C")
    assert again.headers["location"] == f"/series/{series}"
    assert "League C" in browser.get(f"/series/{series}").text
    assert len(re.findall("League", browser.get("/series").text)) == 1


def test_sessions_with_equal_or_invalid_names_get_distinct_names(
    browser: httpx.Client, pages: Running, guid: str, other: str
) -> None:
    series = make(browser, guid, other)
    assert len(ranking(browser, series)["Ranking"][0]["sessions"]) == 2
    pages.do(ChangeSession(guid, name='Monday\r\nin "May"'))
    again = ranking(browser, make(browser, guid, other, name="Other"))
    assert 'Monday in "May"' in again["Ranking"][0]["sessions"]


def test_form_sent_twice_makes_one_series(browser: httpx.Client, guid: str) -> None:
    fields = form_of(browser.get("/desk/series").text, "/desk/series/save")
    fields |= {"name": "Once", f"in-{guid}": "1"}
    answers = [browser.post("/desk/series/save", data=fields) for _ in range(2)]
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert browser.get("/series").text.count("Once") == 1


def test_event_with_two_sessions_is_offered_as_a_series(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    event = pages.session(guid).opened.event
    fields = form_of(browser.get(f"/desk/series?event={event}").text, "/desk/series/save")
    assert fields[f"in-{guid}"] == "1"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": ""}, "Enter a name"),
        ({"drop_worst": "1"}, "drop all of its sessions"),
        ({"drop_worst": "x"}, "Enter 0 to 9999 sessions"),
        ({"last": "3"}, "A final has sessions"),
        ({"counts": "places"}, "place_points"),
        ({"counts": "places", "place_points": "six"}, "not a number"),
        ({"strata": "A:1"}, "Strata are written"),
        ({"combine": "product"}, "unknown choice"),
    ],
)
def test_bad_form_is_refused_with_a_sentence(
    browser: httpx.Client, guid: str, changes: dict[str, str], problem: str
) -> None:
    fields = form_of(browser.get("/desk/series").text, "/desk/series/save")
    fields |= {"name": "Winter", f"in-{guid}": "1", **changes}
    answer = browser.post("/desk/series/save", data=fields)
    assert answer.status_code in (400, 409)
    assert problem in html.unescape(answer.text)
    assert "Winter" not in browser.get("/series").text


def test_removed_series_is_gone_and_its_sessions_stay(browser: httpx.Client, guid: str) -> None:
    series = make(browser, guid)
    send(browser, f"/desk/series/{series}", "/desk/series/remove")
    assert browser.get(f"/series/{series}").status_code == 404
    assert browser.get(f"/series/{series}/series.csv").status_code == 404
    assert browser.get(f"/results/{guid}/").status_code == 200


def test_series_follows_the_results_of_its_sessions(browser: httpx.Client, pages: Running, guid: str) -> None:
    series = make(browser, guid)
    before = ranking(browser, series)
    assert ranking(browser, series) == before
    with_details(browser, guid, {})
    lines = list(before["Ranking"])
    first = lines[0]["players"][0]["name"]
    players = "name;handicap\n" + f"{first};20\n"
    send(browser, f"/desk/{guid}/rankings", f"/desk/{guid}/act/details", players=players)
    send(browser, f"/desk/series/{series}", "/desk/series/save", handicap="sum")
    after = ranking(browser, series)["Ranking"][0]
    assert float(str(after["result"])) == pytest.approx(float(str(lines[0]["result"])) + 20)


def with_details(browser: httpx.Client, guid: str, by_name: dict[str, str]) -> list[str]:
    """Save details for players of a session, the others empty; return the names of all."""
    fields = form_of(browser.get(f"/desk/{guid}/rankings").text, f"/desk/{guid}/act/details")
    rows = [line.split(";") for line in fields["players"].strip().splitlines()]
    header, *players = rows
    assert header == ["number", "name", "handicap", "holding", "club", "born", "sex"]
    text = "\n".join(
        [";".join(header)]
        + [f"{row[0]};{row[1]};{by_name.get(row[1], ';'.join(row[2:]))}" for row in players]
    )
    send(browser, f"/desk/{guid}/rankings", f"/desk/{guid}/act/details", players=text)
    return [row[1] for row in players]


def test_further_rankings_of_a_session_are_on_its_results_page(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    assert "Handicap" not in browser.get(f"/results/{guid}/").text
    view = SessionView.of(pages.session(guid))
    pair = [player.name for player in next(iter(view.players().values()))]
    with_details(browser, guid, dict.fromkeys(pair, "2.5;80;North;2001;W"))
    send(
        browser,
        f"/desk/{guid}/rankings",
        f"/desk/{guid}/act/rankings",
        handicap="sum",
        strata="A,  B:100",
        strata_by="higher",
        filters="club=north\r\nage=-25",
    )
    chosen = pages.session(guid).further.chosen
    assert chosen == FurtherRankingsSet(
        HandicapRule.SUM, "A, B:100", StrataBy.HIGHER, ("club=north", "age=-25")
    )
    page = browser.get(f"/results/{guid}/").text
    for title in ("Handicap", "Stratum B", "north", "Up to 25"):
        assert re.search(rf"<h2>\s*{title}", page), title
    document = json.loads(browser.get(f"/results/{guid}/results.json").text)
    (stratum,) = [
        one for one in document["further_rankings"] if one["title"] == "Stratum B" and one["ranking"]
    ]
    assert [one["players"] for one in stratum["ranking"]] == [pair]
    handicapped = [
        (one["handicap"], one["players"])
        for each in document["further_rankings"]
        if each["title"] == "Handicap"
        for one in each["ranking"]
        if one["handicap"]
    ]
    assert handicapped == [(5.0, pair)]
    live = browser.get(f"/live/{guid}").text
    for title in ("Handicap", "Stratum B", "north", "Up to 25"):
        assert f"<caption>{title}" in live
    listed = browser.get(f"/api/sessions/{guid}/ranking").json()
    own, (limited,) = listed[0], [one for one in listed if one["further"] == "Stratum B"]
    assert own["further"] == ""
    assert [(line["rank"], line["names"]) for line in limited["lines"]] == [("1", " – ".join(pair))]
    fields = form_of(browser.get(f"/desk/{guid}/rankings").text, f"/desk/{guid}/act/rankings")
    assert fields["strata"] == "A, B:100"
    assert fields["filters"] == "club=north\nage=-25"
    log = html.unescape(browser.get(f"/desk/{guid}/log").text)
    assert "Further rankings chosen." in log
    assert f"Details of {pair[0]} saved." in log


def test_series_filter_lists_only_matching_players(browser: httpx.Client, pages: Running, guid: str) -> None:
    view = SessionView.of(pages.session(guid))
    pair = [player.name for player in next(iter(view.players().values()))]
    with_details(browser, guid, {name: f";;North;{2001 - 50 * n};{'MW'[n]}" for n, name in enumerate(pair)})
    series = make(browser, guid)
    page = browser.get(f"/series/{series}").text
    assert "All clubs" in page
    for query, fits in (
        ("club=North", True),
        ("club=South", False),
        ("kind=mixed", True),
        ("kind=women", False),
        ("age=-25", False),
        ("club=North&kind=mixed", True),
    ):
        shown = html.unescape(browser.get(f"/series/{series}?{query}").text)
        assert (pair[0] in shown) is fits, query
        assert ("Nobody ranks here yet." in shown) is not fits, query
    assert browser.get(f"/series/{series}?age=old").status_code == 400
    assert browser.get(f"/series/{series}?kind=x").status_code == 400


@pytest.mark.parametrize("players", ["", "colour\nred", "name;handicap\nAnn;many"])
def test_bad_list_of_players_is_refused(browser: httpx.Client, guid: str, players: str) -> None:
    action = f"/desk/{guid}/act/details"
    fields = form_of(browser.get(f"/desk/{guid}/rankings").text, action)
    assert browser.post(action, data={**fields, "players": players}).status_code == 400


def test_unknown_series_is_not_found(browser: httpx.Client) -> None:
    for path in ("/series/1", "/desk/series/1", "/series/1/series.csv", "/series/1/x"):
        assert browser.get(path).status_code == 404


def test_file_of_a_series_has_its_sessions_as_columns(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    series = make(browser, guid)
    answer = browser.get(f"/series/{series}/series.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.text.splitlines()[0].endswith(pages.session(guid).opened.name)


def test_player_who_is_hidden_later_is_not_named(
    browser: httpx.Client, pages: Running, guid: str, other: str
) -> None:
    series = make(browser, guid, other, combine="average", ranked="players")
    player = next(iter(pages.session(guid).seating.players.values()))
    paths = [f"/series/{series}{file}" for file in ("", "/series.csv", "/series.json")]
    assert all(player.name in browser.get(path).text for path in paths)
    key = player_key(player.number, player.name)
    PlayerPrivacyStore(pages.journal.documents).set_hidden(key, True)
    assert not any(player.name in browser.get(path).text for path in paths)
