"""The draw of a Swiss round at the desk: what is seen is what is sent, once, and nothing by halves."""

import html
import re
import threading
from datetime import timedelta

import httpx
import pytest

from overtrick.bridge import Outcome
from overtrick.event.results import CorrectResult, EnterResult, Origin, PutResults, ResultEntry
from overtrick.web.clock_pages import round_clock
from overtrick.web.view_models import first_seats
from tests.web.running import OUTCOMES, STARTS, Running, collapse
from tests.web.test_desk import JSON, Director, opened

SWISS = {"game": "swiss", "count-1": "8", "rounds": "3", "each": "2"}


def scored(pages: Running, guid: str, number: int, without: int = 0) -> None:
    """Score a round at every table, without the last boards of the last table."""
    places = [
        ("A", table, number, board)
        for table, at in sorted(pages.session(guid).movement.section("A").items())
        for board in (at.rounds[number - 1].boards if at.rounds[number - 1].ew else ())
    ]
    for place in places[: len(places) - without]:
        outcome = OUTCOMES[(place[1] * 3 + place[3]) % len(OUTCOMES)]
        at = STARTS + timedelta(minutes=place[3])
        pages.do(EnterResult(guid, ResultEntry(*place, outcome=Outcome.parse(outcome), at=at)))
    pages.settle(guid)


def matches(pages: Running, guid: str, number: int) -> list[tuple[int, int]]:
    """Return the pairs of a round, table by table."""
    tables = pages.session(guid).movement.section("A").values()
    return [(at.rounds[number - 1].ns, at.rounds[number - 1].ew) for at in tables]


class Drawing(Director):
    """Somebody at the desk who draws."""

    def preview(self, expected: int = 200, /, **asked: str) -> str:
        address = f"/desk/{self.guid}/movement/draw"
        answer = self.browser.get(address, params={"section": "A", **asked})
        assert answer.status_code == expected, answer.text
        return collapse(answer.text)

    def form(self, page: str) -> dict[str, str]:
        """Return the fields that the button beneath a preview sends, without the ticks."""
        inside = page.split("/act/draw")[1].split("</form>")[0]
        found = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', inside)
        return {name: html.unescape(value) for name, value in found}


@pytest.fixture
def drawing(browser: httpx.Client, pages: Running) -> Drawing:
    return Drawing(browser, opened(browser, **SWISS))


def test_preview_of_a_draw_names_the_method_of_the_section(browser: httpx.Client, pages: Running) -> None:
    drawing = Drawing(browser, opened(browser, **SWISS, method="butler"))
    scored(pages, drawing.guid, 1)
    assert "Pairs meet their neighbours in the ranking: Butler" in drawing.preview()


def test_drawn_round_is_previewed_and_then_sent(drawing: Drawing, pages: Running) -> None:
    guid = drawing.guid
    assert "Draw round 1 again" in drawing.look("movement")
    assert "Draw round 2" not in drawing.look("results")
    scored(pages, guid, 1)
    assert "Round 1 is scored." in drawing.look("movement")
    assert "Draw round 2" in drawing.look("results")
    assert "Round 1 of 3" in drawing.look("results")
    page = drawing.preview()
    assert "Pairs meet their neighbours in the ranking: Matchpoints, after round 1." in page
    assert "Boards 3, 4 at every table." in page
    assert matches(pages, guid, 2) == [(0, 0)] * 4
    form = drawing.form(page)
    assert drawing.act("draw", **form) == "Round 2 is at the tables."
    assert [f"{ns}-{ew}" for ns, ew in matches(pages, guid, 2)] == form["draw"].split()
    version = len(list(pages.journal.read(f"session/{guid}/1")))
    # Once more is once.
    assert drawing.act("draw", **form) == "Round 2 is already at the tables like this."
    assert len(list(pages.journal.read(f"session/{guid}/1"))) == version
    assert "is at the tables; no results yet" in drawing.look("movement")
    assert "Draw round 3" not in drawing.look("movement")
    assert "Seating, round 2" in drawing.browser.get(f"/live/{guid}").text


def test_draw_button_pressed_twice_draws_once(drawing: Drawing, pages: Running) -> None:
    scored(pages, drawing.guid, 1)
    form = drawing.form(drawing.preview())
    before = len(list(pages.journal.read(f"session/{drawing.guid}/1")))
    said: list[str] = []
    pressed = [threading.Thread(target=lambda: said.append(drawing.act("draw", **form))) for _ in range(4)]
    for each in pressed:
        each.start()
    for each in pressed:
        each.join(30)
    assert len(said) == 4
    kinds = [type(entry.fact).__name__ for entry in pages.journal.read(f"session/{drawing.guid}/1", before)]
    assert kinds == ["RoundsSet"] * 4


def test_one_of_two_simultaneous_draws_counts(drawing: Drawing, pages: Running) -> None:
    scored(pages, drawing.guid, 1)
    one = drawing.form(drawing.preview())
    first, second = one["draw"].split()[0].split("-")
    other = drawing.form(drawing.preview(draw=one["draw"], swap=first, **{"with": second}))
    before = len(list(pages.journal.read(f"session/{drawing.guid}/1")))
    address = f"/desk/{drawing.guid}/act/draw"
    answers: dict[str, int] = {}

    def press(form: dict[str, str]) -> None:
        answers[form["draw"]] = drawing.browser.post(address, data=form, headers=JSON).status_code

    pressed = [threading.Thread(target=press, args=(form,)) for form in (one, other)]
    for each in pressed:
        each.start()
    for each in pressed:
        each.join(30)
    assert sorted(answers.values()) == [200, 409]
    on_tables = " ".join(f"{ns}-{ew}" for ns, ew in matches(pages, drawing.guid, 2))
    assert answers[on_tables] == 200
    assert len(list(pages.journal.read(f"session/{drawing.guid}/1", before))) == 4


def test_drawing_the_last_round_ends_waiting(drawing: Drawing, pages: Running) -> None:
    for number in (1, 2):
        scored(pages, drawing.guid, number)
        assert all(at.is_waiting for at in pages.session(drawing.guid).movement.tables.values())
        assert "being drawn" in drawing.browser.get(f"/live/{drawing.guid}").text
        drawing.act("draw", **drawing.form(drawing.preview()))
    assert not any(at.is_waiting for at in pages.session(drawing.guid).movement.tables.values())
    met = [frozenset(match) for number in (1, 2, 3) for match in matches(pages, drawing.guid, number)]
    assert len(set(met)) == 12
    scored(pages, drawing.guid, 3)
    assert "All rounds are drawn" in drawing.look("movement")
    assert "All 3 rounds of section A are drawn" in drawing.preview(400)
    assert "Thank you for playing" in drawing.browser.get(f"/live/{drawing.guid}").text
    assert drawing.act("rounds", section="A", rounds="4") == "Section A plays 4 rounds."
    assert drawing.act("rounds", section="A", rounds="4") == "No change."
    assert "Enter 3 to 20 rounds." in drawing.act("rounds", 400, section="A", rounds="2")
    assert "Draw round 4" in drawing.look("movement")


def test_draw_with_missing_results_needs_permission(drawing: Drawing, pages: Running) -> None:
    scored(pages, drawing.guid, 1, without=1)
    assert "1 result missing" in drawing.look("movement")
    assert "Draw round 2</a>" not in drawing.look("results")
    page = drawing.preview()
    assert "Round 1, table A4: board 2" in page
    form = drawing.form(page)
    assert "1 result of earlier rounds is missing" in drawing.act("draw", 400, **form)
    assert matches(pages, drawing.guid, 2) == [(0, 0)] * 4
    drawing.act("draw", **form, early="1")
    assert matches(pages, drawing.guid, 2) != [(0, 0)] * 4
    # It is entered late, and counts.
    place = ("A", 4, 1, 2)
    pages.do(EnterResult(drawing.guid, ResultEntry(*place, outcome=Outcome.parse("Pass"), at=STARTS)))
    assert place in pages.session(drawing.guid).results.standing


def test_two_pairs_are_swapped_and_a_rematch_has_to_be_allowed(drawing: Drawing, pages: Running) -> None:
    scored(pages, drawing.guid, 1)
    (first, second), *_ = matches(pages, drawing.guid, 1)
    usual = drawing.form(drawing.preview())["draw"]
    opponent = next(
        other
        for pair in usual.split()
        for one, other in (pair.split("-"), reversed(pair.split("-")))
        if one == str(first)
    )
    page = drawing.preview(draw=usual, swap=opponent, **{"with": str(second)})
    assert f"Pairs {min(first, second)} and {max(first, second)} met in round 1." in page
    assert "Changed by hand." in page
    form = drawing.form(page)
    assert form["draw"] != usual == form["usual"]
    assert "confirm that you want this draw anyway" in drawing.act("draw", 400, **form)
    assert matches(pages, drawing.guid, 2) == [(0, 0)] * 4
    drawing.act("draw", **form, repeats="1")
    assert {first, second} in [set(match) for match in matches(pages, drawing.guid, 2)]
    # On second thoughts.
    page = drawing.preview()
    assert "draw round 2 again" in page
    drawing.act("draw", **drawing.form(page))
    assert " ".join(f"{ns}-{ew}" for ns, ew in matches(pages, drawing.guid, 2)) == usual
    scored(pages, drawing.guid, 2, without=7)
    assert "Nothing was changed" in drawing.act("draw", 409, **form, repeats="1")


def test_draw_overtaken_by_a_change_is_refused_with_the_reason(drawing: Drawing, pages: Running) -> None:
    scored(pages, drawing.guid, 1)
    seen = drawing.form(drawing.preview())
    place = next(iter(pages.session(drawing.guid).results.standing))
    was = pages.session(drawing.guid).results.standing[place].outcome
    for outcome in ("7NTxxN=", "7NTxxN-13"):
        entry = ResultEntry(*place, outcome=Outcome.parse(outcome), at=STARTS)
        pages.do(CorrectResult(drawing.guid, entry, Origin.DESK, was))
        was = entry.outcome
        if drawing.form(drawing.preview())["draw"] != seen["draw"]:
            break
    said = drawing.act("draw", 409, **seen)
    assert "other pairs would meet. Nothing was changed" in said
    assert matches(pages, drawing.guid, 2) == [(0, 0)] * 4
    # Two directors: the second is told.
    fresh = drawing.form(drawing.preview())
    one, other = fresh["draw"].split()[0].split("-")
    swapped = drawing.form(drawing.preview(draw=fresh["draw"], swap=one, **{"with": other}))
    drawing.act("draw", **swapped)
    assert "Nothing was changed" in drawing.act("draw", 409, **fresh)
    assert f"{other}-{one}" == "-".join(str(pair) for pair in matches(pages, drawing.guid, 2)[0])


def test_the_first_round_is_drawn_again_by_lot(drawing: Drawing, pages: Running) -> None:
    assert matches(pages, drawing.guid, 1) == [(1, 2), (3, 4), (5, 6), (7, 8)]
    page = drawing.preview(way="lot", lot="4711")
    assert "Random draw 4711; the same number always gives the same draw." in page
    assert '<option value="lot" selected>' in page
    drawing.act("draw", **drawing.form(page))
    assert matches(pages, drawing.guid, 1) != [(1, 2), (3, 4), (5, 6), (7, 8)]
    assert pages.session(drawing.guid).setup.sections["A"].name == "Swiss, round 1 by lot 4711"
    assert "Round 1: random draw 4711." in drawing.look("movement")
    drawing.act("draw", **drawing.form(drawing.preview(way="halves")))
    assert matches(pages, drawing.guid, 1) == [(1, 5), (2, 6), (3, 7), (4, 8)]
    assert pages.session(drawing.guid).setup.sections["A"].name == "Swiss"


def test_pairs_leave_and_join_between_rounds(drawing: Drawing, pages: Running) -> None:
    scored(pages, drawing.guid, 1)
    page = drawing.preview(out="3; 8")
    form = drawing.form(page)
    assert sorted(re.findall(r"\d+", form["draw"]), key=int) == ["1", "2", "4", "5", "6", "7"]
    drawing.act("draw", **form)
    assert matches(pages, drawing.guid, 2)[3] == (0, 0)
    scored(pages, drawing.guid, 2)
    # They stay away until somebody says otherwise, and another has come.
    assert drawing.form(drawing.preview())["out"] == "3, 8"
    form = drawing.form(drawing.preview(out="3", pairs="9"))
    assert "9" in re.findall(r"\d+", form["draw"])
    drawing.act("draw", **form)
    assert {9, 8} <= {pair for match in matches(pages, drawing.guid, 3) for pair in match}
    assert [chair.pair for chair in first_seats(pages.session(drawing.guid), "A")[5]] == [9, 9]


def test_a_pair_that_comes_before_the_first_board(drawing: Drawing, pages: Running) -> None:
    assert "pairs=9" in drawing.look("movement")
    page = drawing.preview(pairs="9")
    assert "sits out" in page
    drawing.act("draw", **drawing.form(page))
    assert matches(pages, drawing.guid, 1) == [(1, 2), (3, 4), (5, 6), (7, 8), (9, 0)]
    assert all(at.is_waiting for at in pages.session(drawing.guid).movement.tables.values())


def test_impossible_swiss_session_gives_the_form_again_with_the_problem(browser: httpx.Client) -> None:
    page = collapse(browser.get("/desk/new", params={"game": "swiss", "count-1": "6", "rounds": "9"}).text)
    assert "6 pairs can play at most 5 rounds without a rematch." in page
    for field in ('name="count-1" min="4" max="128" step="1" value="6"', 'max="20" value="9"'):
        assert field in page
    assert "disabled>Create session" in page
    assert browser.get("/desk/new", params={"count-1": "3"}).status_code == 200


@pytest.mark.parametrize(
    ("asked", "sentence", "status"),
    [
        ({"way": "magic"}, "how to draw the round", 400),
        ({"draw": "1-2 3-4 5-6 7-<b>"}, "is neither two pairs that meet", 200),
    ],
)
def test_invalid_draw_gets_a_message_and_is_not_sent(
    drawing: Drawing, pages: Running, asked: dict[str, str], sentence: str, status: int
) -> None:
    scored(pages, drawing.guid, 1)
    page = drawing.preview(status, **asked)
    assert sentence in html.unescape(page)
    assert "<b>" not in page
    form = drawing.form(drawing.preview())
    assert sentence in drawing.act("draw", 400, **{**form, **asked})
    assert matches(pages, drawing.guid, 2) == [(0, 0)] * 4


def test_preview_of_round_1_is_refused_after_the_round_began(drawing: Drawing, pages: Running) -> None:
    form = drawing.form(drawing.preview(way="halves"))
    scored(pages, drawing.guid, 1)
    assert "Round 1 on the tables has changed" in drawing.act("draw", 409, **form)


def test_rematch_is_offered_when_all_pairs_have_met(browser: httpx.Client, pages: Running) -> None:
    drawing = Drawing(browser, opened(browser, **{**SWISS, "count-1": "4"}))
    for number in (1, 2, 3):
        scored(pages, drawing.guid, number)
        if number < 3:
            drawing.act("draw", **drawing.form(drawing.preview()))
    drawing.act("rounds", section="A", rounds="4")
    page = drawing.preview()
    assert "Round 4 cannot be drawn without a repeat" in page
    assert "Send round 4" not in page
    page = drawing.preview(repeats="1")
    assert "met in round 1" in page
    drawing.act("draw", **drawing.form(page), repeats="1")
    first, last = ({frozenset(match) for match in matches(pages, drawing.guid, number)} for number in (1, 4))
    assert first == last


def test_only_the_director_draws_and_only_from_our_pages(drawing: Drawing, pages: Running) -> None:
    scored(pages, drawing.guid, 1)
    form = drawing.form(drawing.preview())
    stranger = f"/desk/{drawing.guid}/act/draw"
    assert drawing.browser.post(stranger, data={**form, "token": "0" * 64}).status_code == 403
    evil = drawing.browser.post(stranger, data=form, headers={"origin": "http://evil.example"})
    assert evil.status_code == 403
    pages.keys.set_password("seven no trump")
    with httpx.Client(base_url=pages.address, timeout=20) as other:
        answer = other.get(f"/desk/{drawing.guid}/movement/draw?section=A")
        assert answer.status_code in (303, 403)
        assert "Send round" not in answer.text
        assert other.post(stranger, data=form).status_code == 403
        assert other.post(f"/desk/{drawing.guid}/act/rounds", data=form).status_code == 403
    assert matches(pages, drawing.guid, 2) == [(0, 0)] * 4


def test_the_clock_knows_rounds_that_are_still_to_be_drawn(drawing: Drawing, pages: Running) -> None:
    assert round_clock(pages.session(drawing.guid)).boards == (2, 2, 2)


def test_lagging_round_is_drawn_while_the_one_before_is_played(drawing: Drawing, pages: Running) -> None:
    guid = drawing.guid
    scored(pages, guid, 1)
    drawing.act("draw", **drawing.form(drawing.preview()))
    scored(pages, guid, 2, without=3)
    page = drawing.preview()
    assert "3 results are missing" in page
    assert "Use the ranking after round 1, so that nobody waits for the last table" in page
    page = drawing.preview(lagging="1")
    assert "missing" not in page
    assert "in the ranking: Matchpoints, after round 1." in page
    form = drawing.form(page)
    assert form["lagging"] == "1"
    assert drawing.act("draw", **form) == "Round 3 is at the tables."
    met = {frozenset(match) for number in (1, 2) for match in matches(pages, guid, number)}
    assert not met & {frozenset(match) for match in matches(pages, guid, 3)}


def test_correction_that_changes_the_draw_shows_a_warning(drawing: Drawing, pages: Running) -> None:
    guid = drawing.guid
    scored(pages, guid, 1)
    drawing.act("draw", **drawing.form(drawing.preview()))
    words = "These pairings differ from the ones at the tables"
    assert words not in drawing.preview()
    seen = []
    for outcome in ("7NTxxN=", "7NTxxN-13"):
        entry = ResultEntry("A", 1, 1, 1, Outcome.parse(outcome), STARTS)
        pages.do(CorrectResult(guid, entry, Origin.DESK))
        pages.settle(guid)
        seen.append(words in drawing.preview())
    assert any(seen)


def test_pairs_that_met_the_wrong_opponents_change_places(drawing: Drawing, pages: Running) -> None:
    guid = drawing.guid
    scored(pages, guid, 1)
    assert "Wrong opponents played" in drawing.look("movement")
    before = {place: result.outcome for place, result in pages.session(guid).results.standing.items()}
    (a, b), (c, d), *_ = matches(pages, guid, 1)
    form = {"section": "A", "round": "1", "swap": str(b), "with": str(d)}
    said = drawing.act("opponents", **form)
    assert said == f"Pairs {b} and {d} have changed places in round 1. All results are kept."
    assert matches(pages, guid, 1)[:2] == [(a, d), (c, b)]
    after = pages.session(guid).results.standing
    assert {place: result.outcome for place, result in after.items()} == before
    assert after["A", 1, 1, 1].ew == d


def match_of_percentage(points: int) -> list[list[str]]:
    """Return seven boards at twelve tables, on which North-South of the first have these matchpoints of 154."""
    boards = []
    for _ in range(7):
        beaten, ties = divmod(min(points, 22), 2)
        points -= 2 * beaten + ties
        own = 100 * (beaten + 1) if ties else 100 * beaten + 50
        boards.append([f"{own:+}", *(f"{100 * place:+}" for place in range(1, 12))])
    return boards


def match_of_imps(*boards: str) -> list[list[str]]:
    """Return ten boards at two tables: these at the first, and the rest flat; with two results the divisor is 1."""
    return [[text, "+420"] for text in (*boards, *["+420"] * (10 - len(boards)))]


IMPS = {"method": "cross-imps", "rules": "EBU"}


@pytest.mark.parametrize(
    ("asked", "boards", "home", "away"),
    [
        ({}, match_of_percentage(78), 10, 10),
        ({}, match_of_percentage(79), 11, 9),
        ({}, match_of_percentage(80), 11, 9),
        ({}, match_of_percentage(81), 12, 8),
        ({}, match_of_percentage(76), 10, 10),
        ({}, [["56.23-43.77", "+420"]] * 8, 14, 6),
        (IMPS, match_of_imps("40 % of +440, 60 % of +420"), 10, 10),
        (IMPS, match_of_imps("50 % of +440, 50 % of +420"), 11, 9),
        (IMPS, match_of_imps("+890", "+890", "+660", "10 % of +440, 90 % of +420"), 17, 3),
    ],
)
def test_match_of_a_session_that_was_set_up_makes_its_victory_points(
    browser: httpx.Client,
    pages: Running,
    asked: dict[str, str],
    boards: list[list[str]],
    home: int,
    away: int,
) -> None:
    pairs, each = str(2 * len(boards[0])), str(len(boards))
    form = {"game": "swiss", "count-1": pairs, "rounds": "2", "each": each, "vps": "1", **asked}
    guid = opened(browser, **form)
    entries = [
        ResultEntry("A", table, 1, board, Outcome.parse(texts[table - 1]), STARTS)
        for table, at in sorted(pages.session(guid).movement.section("A").items())
        for board, texts in zip(at.rounds[0].boards, boards, strict=True)
    ]
    pages.do(PutResults(guid, tuple(entries), Origin.DESK))
    (ranking,) = browser.get(f"/api/sessions/{guid}/ranking").json()
    won = {line["contestant"]: line["score"] for line in ranking["lines"]}
    ns, ew = matches(pages, guid, 1)[0]
    assert (ranking["unit"], won[f"A{ns}"], won[f"A{ew}"]) == ("VP", home, away)
