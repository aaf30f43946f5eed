"""Rulings at the desk: the forms for one result, the Rulings page, the rule set and the correction period."""

import html
import re
from datetime import UTC, datetime
from decimal import Decimal

import httpx
import pytest

from overtrick.bridge import Outcome, Side
from overtrick.event import Session
from overtrick.event.place import Place
from overtrick.event.results import ResultRecorded
from overtrick.event.rulings import AdjustmentUnit, Appeal, ContestantStatus, rules_of
from overtrick.scoring import Method
from overtrick.scoring.rules import EBU
from overtrick.views import SessionView
from tests.web.running import Running, collapse, form_of
from tests.web.test_desk import Director, opened

PLACE = ("A", 1, 1)


@pytest.fixture
def director(browser: httpx.Client, guid: str) -> Director:
    return Director(browser, guid)


def first(session: Session) -> tuple[Place, ResultRecorded]:
    """Return a result of table 1 in round 1."""
    return next(
        (place, result) for place, result in sorted(session.results.standing.items()) if place[:3] == PLACE
    )


def key_of(place: Place) -> str:
    return "-".join(str(part) for part in place)


def ask(director: Director, place: Place, mode: str = "") -> str:
    answer = director.browser.get(
        f"/desk/{director.guid}/result", params={"place": key_of(place), **({"as": mode} if mode else {})}
    )
    assert answer.status_code == 200
    return answer.text


def rule(director: Director, pages: Running, expected: int = 200, /, **form: str) -> str:
    place, before = first(pages.session(director.guid))
    return director.act("result", expected, place=key_of(place), was=str(before.outcome), **form)


WEIGHTED = {
    "as": "weighted",
    "percent-ns-1": "60",
    "result-ns-1": "4s n =",
    "percent-ns-2": "40",
    "result-ns-2": "4Sn-1",
}


@pytest.mark.parametrize(
    ("form", "ns", "ew"),
    [
        ({"as": "award", "kind": "NP"}, "NP", None),
        ({"as": "award", "kind": "Cancelled"}, "Cancelled", None),
        ({"as": "award", "kind": "Arbitral"}, "Arbitral", None),
        ({"as": "award", "kind": "award", "share-ns": "62,5", "share-ew": "30 %"}, "62.5-30", None),
        (WEIGHTED, "60 % of 4SN=, 40 % of 4SN-1", None),
        (
            {**WEIGHTED, "percent-ew-1": "100", "result-ew-1": "+420"},
            "60 % of 4SN=, 40 % of 4SN-1",
            "+420",
        ),
        ({"as": "split", "split-ns": "4♠N-1", "split-ew": "60 %"}, "4SN-1", "60-60"),
        ({"as": "split", "split-ns": "60% 4SN=, 40% of 4sn-1", "split-ew": "-50"}, WEIGHTED, "-50"),
        ({"as": "result", "typed": "3n w +1"}, "3NTW+1", None),
        ({"do": "pending"}, "Arbitral", None),
    ],
)
def test_ruling_is_saved(
    director: Director, pages: Running, form: dict[str, str], ns: object, ew: str | None
) -> None:
    place, _ = first(pages.session(director.guid))
    if ns is WEIGHTED:
        ns = "60 % of 4SN=, 40 % of 4SN-1"
    assert rule(director, pages, **form) in ("Saved.", "Ruling pending.")
    now = pages.session(director.guid).results.standing[place]
    assert (str(now.outcome), None if now.outcome_ew is None else str(now.outcome_ew)) == (ns, ew)
    # The form shows what stands, and saving it again changes nothing.
    page = ask(director, place)
    again = form_of(page, f"/desk/{director.guid}/act/result")
    if again["as"] != "award":
        assert director.act("result", **{**again, "token": director.token, "do": "save"}) == "No change."


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        (
            {**WEIGHTED, "percent-ns-2": "30"},
            "The percentages add up to 90. They must add up to exactly 100.",
        ),
        ({**WEIGHTED, "percent-ns-2": ""}, "Row 2 of the weighted score needs a percentage"),
        ({**WEIGHTED, "result-ns-2": ""}, "Row 2 of the weighted score needs a result"),
        ({**WEIGHTED, "result-ns-2": "8SN="}, "Row 2: &#39;8SN=&#39; is not a result."),
        ({**WEIGHTED, "result-ns-2": "4sn="}, "A weighted score can name each result only once."),
        ({**WEIGHTED, "percent-ew-1": "50", "result-ew-1": "+420"}, "The percentages add up to 50."),
        ({"as": "weighted"}, "Enter at least one result with its percentage."),
        ({"as": "award"}, "Choose whether the board was not played, is cancelled, or gets an award."),
        ({"as": "award", "kind": "award", "share-ns": "101", "share-ew": "5"}, "from 0 to 100 for each side"),
        ({"as": "split", "split-ns": "4SN="}, "Enter a result or a percentage for East-West."),
        ({"as": "split", "split-ns": "4SN=", "split-ew": "160 %"}, "is not a percentage from 0 to 100"),
        ({"as": "result", "typed": "4S"}, "is not a result"),
        ({"as": "move", "to": "1-1", "turned": ""}, "Choose another board, or change the direction."),
        ({"as": "move", "to": "9-9"}, "has no round 9"),
    ],
)
def test_form_that_cannot_be_saved_comes_back_with_what_was_typed(
    director: Director, pages: Running, form: dict[str, str], problem: str
) -> None:
    """As a browser without JavaScript sends it."""
    place, before = first(pages.session(director.guid))
    assert place[3] == 1
    head = pages.journal.heads()
    act = "move" if form["as"] == "move" else "result"
    sent = {
        "token": director.token,
        "place": key_of(place),
        "was": str(before.outcome),
        "reason": "Slow play",
        **form,
    }
    answer = director.browser.post(f"/desk/{director.guid}/act/{act}", data=sent)
    assert answer.status_code in (400, 404, 409)
    assert problem in collapse(answer.text)
    assert pages.journal.heads() == head
    shown = form_of(answer.text, f"/desk/{director.guid}/act/{act}")
    typed = {name: text for name, text in form.items() if text and name not in ("kind", "to")}
    assert {name: shown.get(name) for name in typed} == typed
    if act == "result":
        assert shown["reason"] == "Slow play"


def test_reason_and_appeal_are_noted_with_the_result_at_the_table(director: Director, pages: Running) -> None:
    place, before = first(pages.session(director.guid))
    rule(director, pages, reason=" Hesitation ", appeal="pending", **WEIGHTED)
    note = pages.session(director.guid).rulings.notes[place]
    assert (note.reason, note.appeal, note.table_result) == ("Hesitation", Appeal.PENDING, before.outcome)
    page = director.look("rulings")
    assert "Hesitation" in page
    assert "appeal pending" in page
    assert "1 ruling pending" in page
    assert '<span class="tag warn">appeal pending</span>' in director.look("results")
    assert "60 % of 4" in page
    # The ruling is changed: what happened at the table stays.
    rule(director, pages, **{"as": "award", "kind": "NP", "reason": "Hesitation", "appeal": "decided"})
    assert "ruling pending" not in director.look("results")
    note = pages.session(director.guid).rulings.notes[place]
    assert (note.appeal, note.table_result) == (Appeal.DECIDED, before.outcome)
    rule(director, pages, **{"as": "result", "typed": str(before.outcome), "reason": "", "appeal": "none"})
    assert pages.session(director.guid).rulings.notes == {}
    assert rule(director, pages, 400, typed="Pass", reason="x", appeal="guess")


def test_result_matrix_shows_both_sides_of_a_split_score(director: Director, pages: Running) -> None:
    rule(director, pages, **{"as": "split", "split-ns": "4SN-1", "split-ew": "60 %"})
    page = re.sub("<[^>]+>", "", director.look("matrix"))
    assert "4♠ N -1 for N-S, 60 % for E-W" in page


def test_first_result_of_a_board_can_be_a_ruling(director: Director, pages: Running) -> None:
    session = pages.session(director.guid)
    board = session.movement.tables["A", 1].rounds[2].boards[0]
    place = ("A", 1, 3, board)
    assert "Move" not in ask(director, place).partition("</nav>")[0].partition('class="modes"')[2]
    form = {"as": "split", "split-ns": "40 %", "split-ew": "60%", "reason": "Played with wrong cards"}
    director.act("result", place=key_of(place), **form)
    now = pages.session(director.guid)
    standing = now.results.standing[place]
    assert (str(standing.outcome), str(standing.outcome_ew)) == ("40-40", "60-60")
    assert now.rulings.notes[place].reason == "Played with wrong cards"


def test_result_is_moved_exchanged_and_turned_in_one_step(director: Director, pages: Running) -> None:
    session = pages.session(director.guid)
    boards = session.movement.tables["A", 1].rounds[2].boards
    here, there = ("A", 1, 3, boards[0]), ("A", 1, 3, boards[1])
    director.act("result", place=key_of(here), typed="5CN-2")
    page = ask(director, here, "move")
    assert f"board {boards[1]}" in page
    to = f"3-{boards[1]}"
    form = {"was": "5CN-2", "to": to, "turned": "1", "reason": "Wrong number typed"}
    assert director.act("move", place=key_of(here), **form) == "Moved."
    page = director.look("rulings")
    assert "Wrong number typed" in page
    assert page.count('<li class="card">') == 1
    results = pages.session(director.guid).results.standing
    assert here not in results
    assert (str(results[there].outcome), results[there].is_wrong_direction) == ("5CN-2", True)
    # The other board has a result by now: only in exchange.
    director.act("result", place=key_of(here), typed="2HE=")
    assert "Exchange" in director.act("move", 409, place=key_of(here), was="2HE=", to=to)
    assert director.act("move", place=key_of(here), was="2HE=", to=to, exchange="1") == "Moved."
    results = pages.session(director.guid).results.standing
    assert [str(results[at].outcome) for at in (here, there)] == ["5CN-2", "2HE="]
    assert "The result is now" in director.act(
        "move", 409, place=key_of(here), was="2HE=", to=to, exchange="1"
    )
    page = director.look("rulings")
    assert f"moved from board {boards[0]}, pairs the other way round" in page
    assert page.count(f"exchanged with board {boards[0]}") == 1
    assert "director, " in page


def test_penalties_and_bonuses_are_given_and_withdrawn(director: Director, pages: Running) -> None:
    page = director.browser.get(f"/desk/{director.guid}/rulings").text
    who = re.findall(r'<option value="(A-\d+-\w*)"', page)[0]
    before = SessionView.of(pages.session(director.guid)).rankings(1)
    form = {"who": who, "unit": "% of a top", "amount": "10", "kind": "penalty", "reason": "Late <again>"}
    assert director.act("penalty", **form) == "Penalty saved."
    assert director.act("penalty", **{**form, "kind": "bonus", "unit": "MP", "amount": "1,5", "board": "1"})
    one, two = pages.session(director.guid).rulings.adjustments.values()
    assert (one.amount, one.unit, one.board) == (Decimal(-10), AdjustmentUnit.TOP_PERCENT, None)
    assert (two.amount, two.unit, two.board) == (Decimal("1.5"), AdjustmentUnit.MATCHPOINTS, 1)
    page = director.look("rulings")
    assert "Late &lt;again&gt;" in page
    assert "10 % of a top taken away, for the session" in page
    worth = re.search(r"10 % of a top of [\d.]+ = ([\d.]+)\.<", page)
    assert worth is not None
    adjusted = SessionView.of(pages.session(director.guid)).rankings(1)
    (given,) = {each.adjustment for ranking in adjusted for each in ranking.standings} - {0}
    assert given == round((Decimal("1.5") - Decimal(worth[1])) * 10_000)
    assert "1.5 matchpoints added, for board 1" in page
    assert re.search(r"Board 1: [\d.]+ \+ 1.5 = [\d.]+\.<", page)
    assert SessionView.of(pages.session(director.guid)).rankings(1) != before
    for number in ("1", "2"):
        assert director.act("withdraw", adjustment=number) == "Withdrawn."
    assert SessionView.of(pages.session(director.guid)).rankings(1) == before
    assert director.act("withdraw", adjustment="1") == "No change."
    assert director.act("withdraw", 404, adjustment="77")
    for bad in (
        {"who": "A-99-"},
        {"amount": "-1"},
        {"amount": "x"},
        {"amount": "0"},
        {"unit": "VP"},
        {"unit": "kg"},
        {"reason": " "},
        {"board": "999"},
    ):
        answer = director.browser.post(
            f"/desk/{director.guid}/act/penalty", data={"token": director.token, **form, **bad}
        )
        assert answer.status_code in (400, 404, 409)
        shown = form_of(answer.text, f"/desk/{director.guid}/act/penalty")
        assert shown["amount"] == {**form, **bad}["amount"]
        assert (
            'role="alert" data-problem></p>'
            not in answer.text.partition('id="penalty"')[2].partition("<div")[0]
        )


def test_fouled_board_is_assigned_to_versions(director: Director, pages: Running) -> None:
    page = director.browser.get(f"/desk/{director.guid}/rulings", params={"board": "1"}).text
    form = form_of(page, f"/desk/{director.guid}/act/fouled")
    tables = [name for name in form if name.startswith("version-")]
    assert len(tables) == 4
    form |= {tables[0]: "B", "reason": "Two cards changed places"}
    assert director.act("fouled", **{**form, "token": director.token}) == "Board 1 saved."
    session = pages.session(director.guid)
    assert list(session.rulings.versions.values()) == ["B"]
    page = director.look("rulings", board="1")
    assert "Two cards changed places" in page
    assert "Fouled board: groups of" in page
    form |= {tables[0]: ""}
    director.act("fouled", **{**form, "token": director.token})
    assert pages.session(director.guid).rulings.versions == {}
    assert director.act("fouled", 400, board="1")
    assert director.act("fouled", 400, board="1", **{tables[0]: "Z"})
    assert director.act("fouled", 404, board="1", **{"version-A-77-1": "B"})


def test_pair_without_standing_and_one_that_withdraws(director: Director, pages: Running) -> None:
    page = director.browser.get(f"/desk/{director.guid}/rulings").text
    one, two = re.findall(r'<option value="(A-\d+-\w*)"', page)[:2]
    assert director.act("standing", who=one, status="without standing", reason="Guests") == "Standing saved."
    results = len(pages.session(director.guid).results.standing)
    assert director.act("standing", who=two, status="withdrawn", reason="Ill") == "Standing saved."
    session = pages.session(director.guid)
    assert [each.status for each in session.rulings.statuses.values()] == [
        ContestantStatus.UNRANKED,
        ContestantStatus.WITHDRAWN,
    ]
    assert len(session.results.standing) == results
    section, number, side = two.split("-")
    for table in session.movement.section(section).values():
        for played in table.rounds[2:]:
            assert int(number) not in {Side.NS.value: (played.ns,), Side.EW.value: (played.ew,)}.get(
                side, (played.ns, played.ew)
            )
    page = director.look("rulings")
    assert "Guests" in page
    assert "Has withdrawn" in page
    director.act("standing", who=one, status="ranked")
    assert len(pages.session(director.guid).rulings.statuses) == 1
    assert director.act("standing", 400, who=one, status="king")


def test_match_of_teams_is_void_shortened_and_counts_again(browser: httpx.Client, pages: Running) -> None:
    guid = opened(browser, **{"game": "teams", "count-1": "4", "method": "vps-discrete"})
    director = Director(browser, guid)
    page = browser.get(f"/desk/{guid}/rulings").text
    assert "Void or shortened match" in page
    who = re.findall(r'<option value="(A?-\d+-\w*)"', page)[0]
    form = {"who": who, "unit": "IMP", "amount": "3", "kind": "penalty", "reason": "Late"}
    assert "Enter the round" in director.act("penalty", 409, **form)
    assert director.act("penalty", **form, round="1") == "Penalty saved."
    assert "3 IMPs taken away, for round 1" in director.look("rulings")
    key = re.findall(r'<option value="(1/[^"]+)"', page)[0]
    form = {"match": key, "reason": "Fire alarm"}
    assert director.act("match", kind="void", **form) == "Match saved."
    assert "Fire alarm" in director.look("rulings")
    assert director.act("match", **{**form, "kind": "points", "points-one": "12", "points-other": "8,5"})
    (ruled,) = pages.session(guid).rulings.matches.values()
    assert (ruled.is_void, ruled.points_one, ruled.points_other) == (True, Decimal(12), Decimal("8.5"))
    page = director.look("rulings")
    assert "Match of round 1 void, 12 to 8.5." in page
    assert re.search(r"director, \d\d:\d\d on", page)
    assert director.act("match", **{**form, "kind": "short", "boards": "5"})
    (ruled,) = pages.session(guid).rulings.matches.values()
    assert (ruled.is_void, ruled.boards) == (False, 5)
    assert director.act("match", kind="played", match=key) == "Match saved."
    assert pages.session(guid).rulings.matches == {}
    for bad in ({"match": "1/x/y"}, {"kind": "x"}, {"kind": "points"}, {"kind": "short"}, {"reason": ""}):
        assert director.act("match", 400, **{**form, "kind": "void", **bad})
    # A team's penalty is in victory points, and its boards are explained by their differences.
    for table, outcome in ((1, "60 % of 4SN=, 40 % of 4SN-1"), (2, "3SN=")):
        director.act("result", place=f"A-{table}-1-1", typed=outcome)
    page = director.look("rulings")
    assert '<option value="VP">VPs</option>' in page
    assert "Team 1: in IMPs" in page


CLUB_RULES = 'name = "Tuesday"\nsit_out_vps = 11\nmethod = "cross-imps"'


def test_rule_set_is_chosen_at_set_up_and_changed_at_the_desk(browser: httpx.Client, pages: Running) -> None:
    page = browser.get("/desk/new").text
    for name in ("WBF", "ACBL", "EBU", "NZ"):
        assert f'value="{name}"' in page
    guid = opened(browser, **{"count-1": "8", "rules": "EBU"})
    assert rules_of(pages.session(guid), 1).rule_set == EBU
    club = opened(browser, **{"count-1": "8", "rules": "EBU", "own": CLUB_RULES})
    assert pages.session(club).setup.groups[1].method is Method.CROSS_IMPS
    own = rules_of(pages.session(club), 1).rule_set
    assert (own.name, own.sit_out_vps) == ("Tuesday", Decimal(11))
    answer = browser.post("/desk/new", data={**form_of(page, "/desk/new"), "own": 'name = "EBU"'})
    assert answer.status_code == 400
    assert "EBU is a rule set that is built in" in html.unescape(answer.text)
    assert 'name = "EBU"' in html.unescape(answer.text)
    director = Director(browser, guid)
    assert "Scored by the rules of EBU." in director.look("rulings")
    assert director.act("rules", group="1", rules="ACBL", vps="1") == "Scored by the rules of ACBL."
    chosen = rules_of(pages.session(guid), 1)
    assert (chosen.rule_set.name, chosen.pairs_vps) == ("ACBL", True)
    assert "ranked by victory points" in director.look("rulings")
    tuesday = 'name = "Tuesday"\nbased_on = "EBU"\nunequal = "factor"'
    director.act("rules", group="1", own=tuesday)
    page = director.look("rulings")
    assert "Tuesday" in page
    assert director.act("rules", group="1", rules="Tuesday") == "No change."
    answer = browser.post(
        f"/desk/{guid}/act/rules",
        data={"token": director.token, "group": "1", "own": "name = 5", "rules": "WBF"},
    )
    assert answer.status_code == 400
    assert "A rule set has a name" in answer.text
    assert ">name = 5</textarea>" in answer.text
    assert director.act("rules", 400, group="9", rules="WBF")
    assert director.act("rules", 400, group="1", rules="guess")
    assert (
        browser.post(
            "/desk/new", data={**form_of(browser.get("/desk/new").text, "/desk/new"), "rules": "x"}
        ).status_code
        == 400
    )


def test_groups_with_different_rules_have_results_pages_of_their_own(browser: httpx.Client) -> None:
    guid = opened(browser, **{"sections": "2", "count-1": "8", "count-2": "8", "together": "0"})
    director = Director(browser, guid)
    assert "Section B: scored by the rules of WBF." in director.look("rulings")
    director.act("rules", group="2", rules="EBU")
    assert "rules: WBF" in collapse(browser.get(f"/results/{guid}/").text)
    assert "rules: EBU" in collapse(browser.get(f"/results/{guid}/", params={"group": "2"}).text)


def test_results_are_provisional_until_the_correction_period_ends(
    director: Director, pages: Running, browser: httpx.Client
) -> None:
    said = director.act("provisional", until="2031-05-06T21:30", do="save")
    assert said == "Results are provisional until 21:30 on 6 May."
    until = pages.session(director.guid).rulings.provisional_until
    assert until is not None
    assert until.astimezone(UTC) == datetime(2031, 5, 6, 21, 30).astimezone(UTC)
    assert "Results are provisional until 21:30 on 6 May." in director.look("rulings")
    assert "Provisional until 2031-05-06 21:30" in browser.get(f"/results/{director.guid}/").text
    assert director.act("provisional", do="final") == "No correction period."
    assert pages.session(director.guid).rulings.provisional_until is None
    for bad in ("", "soon", "25:00"):
        assert "Enter the date and time" in director.act("provisional", 400, until=bad, do="save")
    assert "provisional until" in director.act("provisional", until="23:59", do="save")


ODD = (
    "",
    " ",
    "0",
    "-1",
    "1e999",
    "NaN",
    "9" * 400,
    "A-1-1-1",
    "A-1-",
    "%",
    "٣",
    "\x00",
    "a = " + "[" * 9_000,
    "<b>",
    "9999-12-31T23:59",
)
FIELDS = {
    "result": (
        "place",
        "was",
        "as",
        "do",
        "kind",
        "typed",
        "share-ns",
        "percent-ns-1",
        "result-ns-1",
        "split-ns",
        "appeal",
        "lead",
    ),
    "move": ("place", "was", "to"),
    "penalty": ("who", "amount", "unit", "board", "reason", "kind"),
    "withdraw": ("adjustment",),
    "fouled": ("board", "version-A-1-1", "version-", "version-A-1-x"),
    "standing": ("who", "status"),
    "match": ("match", "kind", "boards", "points-one"),
    "rules": ("group", "rules", "own"),
    "provisional": ("until", "do"),
}
GOOD = {
    "result": {
        "place": "A-1-1-1",
        "as": "weighted",
        "percent-ns-1": "100",
        "result-ns-1": "4SN=",
        "appeal": "none",
    },
    "move": {"place": "A-1-1-1", "to": "1-2", "exchange": "1"},
    "penalty": {"who": "A-1-NS", "amount": "1", "unit": "MP", "reason": "x"},
    "fouled": {"board": "1", "version-A-1-1": "B"},
    "standing": {"who": "A-1-NS", "status": "withdrawn"},
    "rules": {"group": "1", "rules": "WBF"},
}


@pytest.mark.parametrize("act", FIELDS)
def test_invalid_ruling_forms_get_a_message_and_pages_still_render(director: Director, act: str) -> None:
    for field in FIELDS[act]:
        for odd in ODD:
            for accept in ("application/json", "text/html"):
                answer = director.browser.post(
                    f"/desk/{director.guid}/act/{act}",
                    data={"token": director.token, **GOOD.get(act, {}), field: odd},
                    headers={"accept": accept},
                )
                assert answer.status_code in (200, 303, 400, 404, 409), (field, odd[:20], answer.text)
    for tab in ("rulings", "results", "log"):
        director.look(tab)


def test_results_page_names_the_rule_set_and_the_rulings(
    director: Director, pages: Running, browser: httpx.Client
) -> None:
    director.act("rules", group="1", rules="NZ")
    rule(director, pages, reason="Wrong explanation", **WEIGHTED)
    page = collapse(browser.get(f"/results/{director.guid}/").text)
    assert "rules: NZ" in page


def test_list_of_rulings_says_who_and_when_and_shows_the_arithmetic(
    director: Director, pages: Running
) -> None:
    place, _ = first(pages.session(director.guid))
    assert "No rulings yet." in director.look("rulings")
    rule(director, pages, **WEIGHTED)
    page = director.look("rulings")
    assert f"Table A1, round 1, board {place[3]}" in page
    assert re.search(r"director, \d\d:\d\d on \d+ \w+", page)
    assert "60 % of" in page
    assert re.search(r"N-S, against \d other scores?: \+420 would get", page)
    assert "<caption>Chart: " in page
    assert (
        Outcome.parse("60 % of 4SN=, 40 % of 4SN-1")
        == pages.session(director.guid).results.standing[place].outcome
    )
