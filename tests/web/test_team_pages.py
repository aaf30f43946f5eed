"""Team events on pages: what the desk's forms do, and what everyone sees."""

import json
import re
import time
from datetime import date

from overtrick.bridge import Card, Outcome
from overtrick.event import OpenEvent, SessionPlan
from overtrick.event.movement import Mates, Round, SectionPlan, TablePlan
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.setup import GameKind, GroupPlan
from overtrick.event.teams import Division, LineUp, Pairing, Room, Segment, Team, TeamFormat
from overtrick.registry.player_privacy import PlayerPrivacyStore
from overtrick.scoring import UNIT, Method
from overtrick.scoring.report import player_key
from overtrick.views.teams import SegmentFigures, SideFigures
from overtrick.web.live_broadcaster import PING_EVERY
from overtrick.web.team_view_models import MatchLine, current_round, figure
from tests.web.running import Running
from tests.web.team_director import EVIL, NOON, TeamDirector, first_match

# The desk -----------------------------------------------------------------------------------------------------------


def test_an_event_is_opened_and_its_teams_are_entered(league: TeamDirector) -> None:
    event = league.view.event
    assert (event.name, event.id) == ("League", 1)
    assert event.divisions == {1: Division(1, "Open", TeamFormat.ROUND_ROBIN, Method.VPS_CONTINUOUS, 4)}
    assert [(team.number, team.name, team.country_ioc) for team in event.teams_of(1)] == [
        (1, "Amber", ""),
        (2, "Blue", "NED"),
        (3, "Crimson", ""),
        (4, "Dun", ""),
    ]
    assert [event.players[member.player].name for member in event.rosters[2]] == [
        f"first 2{n} last 2{n}" for n in (1, 2, 3, 4)
    ]
    assert league.act("serie", serie=1, name="Men", format="swiss", method="", boards=0)
    assert league.view.event.divisions[1] == Division(1, "Men", TeamFormat.SWISS, None, 0)
    assert league.act("event", name="  League  of clubs ") == "Name saved."
    assert league.view.event.name == "League of clubs"


def test_a_team_and_its_roster_change(league: TeamDirector) -> None:
    league.act("team", team=2, name="Navy", number=7, country="swe", do="save")
    assert league.view.event.teams[2] == Team(2, 1, 7, "Navy", country_ioc="SWE")
    assert "already" in league.act("team", 409, team=2, name="Navy", number=1, country="", do="save")
    assert "in a draw" in league.act("team", 409, team=2, do="drop")
    first, second = (member.player for member in league.view.event.rosters[2][:2])
    league.act(
        "roster",
        team=2,
        **{
            f"first__{first}": "Ada",
            f"last__{first}": "Berg",
            f"code__{first}": "77",
            f"role__{first}": "PC",
            f"order__{first}": "9",
            f"last__{second}": "gone",
            f"gone__{second}": "1",
        },
    )
    event = league.view.event
    assert second not in [member.player for member in event.rosters[2]]
    assert event.rosters[2][-1].player == first
    assert event.rosters[2][-1].role == "PC"
    assert (event.players[first].name, event.players[first].member_code) == ("Ada Berg", "77")
    assert "plays for" in league.act(
        "roster", 409, team=3, first__new1="ada", last__new1="Berg", code__new1="77"
    )


def test_a_new_member_is_rejected_if_code_and_name_do_not_match(league: TeamDirector) -> None:
    first = league.view.event.rosters[2][0].player
    league.act(
        "roster", team=2, **{f"first__{first}": "Ada", f"last__{first}": "Berg", f"code__{first}": "77"}
    )
    before = league.view.event.rosters
    answer = league.act("roster", 400, team=3, first__new1="Bo", last__new1="Ek", code__new1="77")
    assert "Member code 77 belongs to Ada Berg, not to Bo Ek." in answer
    assert "Enter the name" in league.act("roster", 400, team=3, code__new1="78")
    assert league.view.event.rosters == before
    assert "plays for" in league.act("roster", 409, team=3, code__new1="77"), "the code alone names Ada Berg"


def test_boards_of_both_rooms_give_the_imps_of_the_view(league: TeamDirector) -> None:
    home, _ = first_match(league)
    for number, (opened, closed) in enumerate(
        (("4sn=", "4 s n -1"), ("Pass", "1nt e +2"), ("3NTW=", "3NTW="), ("60-40", "2HE-3")), start=1
    ):
        assert league.board(home, number, "Open", opened) == "Saved."
        assert league.board(home, number, "Closed", closed) == "Saved."
    line = next(line for line in league.view.figures(1) if line.segment == Segment(1, 1, 1, home))
    page = league.look(f"/1/1/{home}")
    for figures in (line.home, line.away):
        assert f"<td>{figure(figures.imp_total)}</td>" in page
        assert f"<td>{figure(figures.vp_round, league.view.event.divisions[1])}</td>" in page
    assert line.home.imps
    assert line.home.vps
    # Corrected by the cell of the sheet, with what it showed; a stale sheet changes nothing.
    place = f"1-1-1-{home}-Open-1"
    league.act("board", place=place, was="4SN=", **{place: "5dxs+1"})
    assert "is now" in league.act("board", 409, place=place, was="4SN=", **{place: "Pass"})
    result = league.view.boards(line.segment)[Room.OPEN, 1]
    assert result.outcome == Outcome.parse("5DxS+1")
    assert "Enter a result" in league.board(home, 1, "Open", "", 400)
    assert league.board(home, 1, "Open", "6NTN-2", lead="h10") == "Saved."
    assert league.view.boards(line.segment)[Room.OPEN, 1].lead is Card.HT
    # The director gives the sides separate results.
    assert league.board(home, 1, "Open", "6NTN-2", ew="6ntn-3") == "Saved."
    assert str(league.view.boards(line.segment)[Room.OPEN, 1].outcome_ew) == "6NTN-3"
    assert "E-W 6NTN-3" in league.look(f"/1/1/{home}")
    assert "separate results only" in league.board(home, 1, "Open", "60-40", 409, ew="6NTN-3")
    assert league.board(home, 1, "Open", "-") == "Saved."
    assert (Room.OPEN, 1) not in league.view.boards(line.segment)
    assert "no result of board 1" in league.board(home, 1, "Open", "-", 404)


NONSENSE: tuple[tuple[str, dict[str, str], int], ...] = (
    ("8SN=", {}, 400),
    ("4SN", {}, 400),
    ("4SN=", {"room": "Attic"}, 400),
    ("4SN=", {"board": "0"}, 400),
    ("4SN=", {"segment": "2"}, 404),
    ("4SN=", {"round": "9"}, 404),
    ("4SN=", {"home": "99999999999999"}, 404),
    ("4SN=", {"serie": "9"}, 400),
    ("4SN=", {"lead": "H1"}, 400),
    ("4SN=", {"home": "1; drop"}, 400),
)


def test_invalid_board_result_is_refused(league: TeamDirector) -> None:
    home, _ = first_match(league)
    before = league.pages.journal.head(f"teams/{league.event}")
    for typed, form, status in NONSENSE:
        assert league.board(home, 1, "Open", typed, status, **form)
    assert league.pages.journal.head(f"teams/{league.event}") == before


def test_reports_adjustments_carry_over_line_ups_and_comments(league: TeamDirector) -> None:
    home, away = first_match(league)
    place = {"serie": 1, "round": 1, "segment": 1, "home": home}
    league.act("report", **place, imps__home="30", imps__away="12,5")
    league.act("adjust", serie=1, round=1, segment=1, team=home, imps="−3", vps="-0.5", reason="Late")
    league.act("carry", serie=1, round=1, team=away, vps="4.5")
    league.act("carry", serie=1, round=1, team=away, imps="7")
    league.act("note", **place, comment="At the  club")
    view = league.view
    line = next(line for line in view.figures(1) if line.segment.home == home)
    assert (line.home.imps, line.away.imps) == (30 * UNIT, 125_000)
    assert (line.home.imp_adjustment, line.home.vp_adjustment) == (-3 * UNIT, -5_000)
    assert (line.away.imp_carry_over, line.away.vp_carry_over) == (7 * UNIT, 45_000)
    assert line.comment == "At the club"
    page = league.look(f"/1/1/{home}", desk=False)
    assert "-3 IMPs, -0.5 VPs – Late" in page
    # Only one side sees the adjustment: the figures of the two are not those of one scale.
    assert line.home.vps is not None
    assert line.away.vps is not None
    assert line.home.vps + line.away.vps != 20 * UNIT
    assert "carried over" in league.look(f"/team/{away}", desk=False)
    north, south, *_ = (member.player for member in view.event.rosters[home])
    assert league.act("line-up", **place, room="Open", north=north, south=south) == "Line-up saved."
    assert league.view.line_up(Segment(1, 1, 1, home), Room.OPEN) == LineUp(north, south)
    assert "not a player of" in league.act("line-up", 409, **place, room="Closed", north=north)
    assert "two seats" in league.act("line-up", 409, **place, room="Open", north=north, south=north)
    league.board(home, 1, "Open", "4SN=")
    assert "erase them first" in league.act("report", 409, **place, imps__home="1", imps__away="2")
    assert "not a number" in league.act("adjust", 400, serie=1, round=1, segment=1, team=home, imps="three")


def test_player_who_does_not_want_it_is_named_to_the_director_only(league: TeamDirector) -> None:
    home, _ = first_match(league)
    north, south, *_ = (member.player for member in league.view.event.rosters[home])
    league.act("line-up", serie=1, round=1, segment=1, home=home, room="Open", north=north, south=south)
    names = [league.view.event.players[who].name for who in (north, south)]
    paths = f"/team/{home}", f"/1/1/{home}"
    assert all(name in league.look(path, desk=False) for name in names for path in paths)
    PlayerPrivacyStore(league.pages.journal.documents).set_hidden(player_key("", names[0]), True)
    for path in paths:
        assert names[0] not in league.look(path, desk=False)
        assert names[1] in league.look(path, desk=False)
        assert names[0] in league.look(path)


def test_draw_equals_its_preview(team_director: TeamDirector) -> None:
    team_director.open("Cup", format="swiss", method="team-imps")
    team_director.act("teams", serie=1, teams="\n".join("ABCDEF"))
    assert "is drawn" in team_director.draw(pairs="1-2, 3-4, 5–6", segments="2")
    drawn = team_director.view.draws[1, 1]
    assert drawn.segments == 2
    assert [(one.home, one.away) for one in drawn.pairings] == [(1, 2), (3, 4), (5, 6)]
    assert "Round 1 of Open is not over" in team_director.look("/1/draw")
    assert "draw has changed" in team_director.act("draw", 409, serie=1, segments=1, pairs="1-3", seen="")
    assert "is not a match" in team_director.look("/1/draw?pairs=1")
    assert "There is no team 9" in team_director.look("/1/draw?pairs=1-9")
    # A round that nobody has played yet is drawn anew; one with results stays.
    assert "Round 1 is drawn." in team_director.draw(pairs="1-3 2-4 5-6", round="1")
    team_director.act("report", serie=1, round=1, segment=1, home=1, imps__home="3", imps__away="1")
    page = team_director.look("/1/draw?pairs=1-2 3-4&round=1")
    seen = re.search('name="seen" value="([^"]*)"', page)
    assert seen is not None
    said = team_director.act("draw", 409, serie=1, segments=1, pairs="1-2 3-4", round=1, seen=seen[1])
    assert "has results, so it cannot be removed" in said
    assert len(team_director.view.draws[1, 1].pairings) == 3


def test_odd_swiss_has_a_sit_out_with_points_or_a_triangle(team_director: TeamDirector) -> None:
    team_director.open("Cup", format="swiss", method="vps-continuous")
    team_director.act("teams", serie=1, teams="\n".join("ABCDE"))
    page = team_director.look("/1/draw")
    assert "Victory points for a sit-out" in page
    assert "so that nobody waits for the last match" in page
    assert "Round 1 is drawn." in team_director.draw(sit_out="10")
    (idle,) = {1, 2, 3, 4, 5} - {
        team for one in team_director.view.draws[1, 1].pairings for team in (one.home, one.away)
    }
    assert {one.team: one.points for one in team_director.view.ranking(1)}[idle] == 100_000
    # Drawn again with a triangle, nobody sits out.
    assert "Round 1 is drawn." in team_director.draw(round="1", triangle="1")
    assert len(team_director.view.draws[1, 1].triangle) == 3
    assert {one.points for one in team_director.view.ranking(1)} == {0}
    for one in team_director.view.draws[1, 1].pairings:
        team_director.act(
            "report", serie=1, round=1, segment=1, home=one.home, imps__home="10", imps__away="0"
        )
    assert "Round 2 is drawn." in team_director.draw()
    assert "cannot be assigned to tables" in team_director.act(
        "lay", 400, serie=1, round=1, segment=1, first=1, last=4
    )
    assert "is not a number" in team_director.act("draw", 400, serie=1, segments=1, sit_out="x", seen="")


def test_best_teams_qualify_as_previewed(league: TeamDirector) -> None:
    for pairing in league.view.draws[1, 1].pairings:
        league.act(
            "report",
            serie=1,
            round=1,
            segment=1,
            home=pairing.home,
            imps__home=str(pairing.home * 10),
            imps__away="0",
        )
    league.act("serie", name="Final", format="knock-out", method="team-imps", boards=8)
    best = [standing.team for standing in league.view.ranking(1)[:2]]
    page = league.look("/1/qualify?first=1&last=2&to=2")
    seen = re.search('name="seen" value="([^"]*)"', page)
    assert seen is not None
    assert seen[1] == " ".join(map(str, best))
    assert "ranking has changed" in league.act("qualify", 409, serie=1, to=2, first=1, last=2, seen="4 4")
    league.act("qualify", serie=1, to=2, first=1, last=2, seen=seen[1])
    event = league.view.event
    assert [team.name for team in event.teams_of(2)] == [event.teams[team].name for team in best]
    assert [event.rosters[team.id] for team in event.teams_of(2)] == [event.rosters[team] for team in best]


# What everyone sees -------------------------------------------------------------------------------------------------


def test_boards_are_shown_when_the_whole_round_has_played_them(league: TeamDirector) -> None:
    (home, _), (other, _) = [(one.home, one.away) for one in league.view.draws[1, 1].pairings]
    match = f"/1/1/{home}"
    for room in ("Open", "Closed"):
        league.board(home, 1, room, "7NTxxN=")
        league.board(home, 2, room, "7CE=")
    assert "2 boards will be shown" in league.look(match, desk=False)
    assert "7NTxx" not in league.look(match, desk=False)
    league.board(other, 1, "Open", "Pass")
    assert "7NTxx" not in league.look(match, desk=False)
    league.board(other, 1, "Closed", "Pass")
    page = league.look(match, desk=False)
    assert "7NTxx" in page
    assert "7<span" not in page
    assert "1 board will be shown" in page
    # A match that is only reported waits for nobody; a later round with figures ends this one.
    later = league.view.draws[1, 2].pairings[0].home
    league.act("report", serie=1, round=2, segment=1, home=later, imps__home="1", imps__away="0")
    assert "will be shown" not in league.look(match, desk=False)


def test_match_has_no_winner_before_all_boards_are_in(league: TeamDirector) -> None:
    home, _ = first_match(league)
    for board in range(1, 5):
        for room, typed in (("Open", "4SN="), ("Closed", "4SN-1")):
            league.board(home, board, room, typed if board < 4 else "NP")
        shown = [league.look(path, desk=False) for path in ("", "/1", f"/1/1/{home}")]
        state = f"fter {board} of 4 boards"
        assert [state in page for page in shown] == [board < 4] * 3
        assert ["side strong" in page for page in shown[:2]] == [board == 4] * 2


def match_of(*boards: int | None) -> MatchLine:
    """A match of four boards: how many of each segment were entered, 0 where it was reported, None before that."""
    pairing = Pairing(1, 1, 2)
    parts = [
        SegmentFigures(
            *(Segment(1, 1, number, 1), pairing, SideFigures(1, 0, 9), SideFigures(2, 0, 3)),
            is_played=entered is not None,
            boards=entered or 0,
            length=4 // len(boards),
        )
        for number, entered in enumerate(boards, start=1)
    ]
    teams = Team(1, 1, 1, "One"), Team(2, 1, 2, "Two")
    return MatchLine(Division(1, "Open", boards=4), 1, pairing, *teams, tuple(parts))


def test_match_progress_and_current_round() -> None:
    asked = ((None,), (0,), (4,), (3,), (2, 2), (2, 1), (0, 1), (2, None))
    assert [match_of(*boards).state for boards in asked] == [
        *("not started", "", "", "after 3 of 4 boards"),
        *("", "after 3 of 4 boards", "after 3 of 4 boards", "after 1 of 2"),
    ]
    over, running, to_come = match_of(4), match_of(3), match_of(None)
    assert current_round({}) == 0
    assert current_round({1: [over], 2: [over, running], 3: [to_come]}) == 2
    assert current_round({1: [over, running], 2: [over, to_come], 3: [to_come]}) == 2, "it is not waited for"
    assert current_round({1: [to_come], 2: [over]}) == 1
    assert current_round({1: [over], 2: [over]}) == 2


def test_rankings_of_the_pages_are_those_of_the_views(league: TeamDirector) -> None:
    league.act("carry", serie=1, round=1, team=first_match(league)[1], vps="2.25")
    for pairing in league.view.draws[1, 1].pairings:
        place = {"serie": 1, "round": 1, "segment": 1, "home": pairing.home}
        league.act("report", **place, imps__home="20", imps__away="10")
    division = league.view.event.divisions[1]
    for path in ("", "/1"):
        table = league.look(path, desk=False).split('class="ranking"')[1].split("</table>")[0]
        rows = [
            (cells[0], cells[-1])
            for row in table.split("<tr ")[1:]
            if (cells := re.findall(r"<td[^>]*>([^<]*)(?:</td>|<a)", row))
        ]
        assert rows == [
            (
                str(line.rank) if line.rank == line.rank_max else f"{line.rank}–{line.rank_max}",
                figure(line.points, division),
            )
            for line in league.view.ranking(1)
        ]
    assert any(line.rank != line.rank_max for line in league.view.ranking(1))
    cross = league.look("/1", desk=False).split('class="sheet cross"')[1].split("</table>")[0]
    assert cross.count("<tr") == 5
    assert cross.count('class="never"') == 4


def test_names_with_markup_are_escaped(team_director: TeamDirector) -> None:
    team_director.open(EVIL, **{"serie-name": EVIL})
    team_director.act("teams", serie=1, teams=f"{EVIL}\nB")
    team_director.act("roster", team=1, first__new1=EVIL, last__new1='"><script>')
    team_director.draw()
    home, _ = first_match(team_director)
    team_director.act("report", serie=1, round=1, segment=1, home=home, imps__home="1", imps__away="0")
    team_director.act(
        "adjust", serie=1, round=1, segment=1, team=1, imps="1", reason="<script>alert(1)</script>"
    )
    team_director.act("note", serie=1, round=1, segment=1, home=home, comment="<i>so</i>")
    team_director.act("map", tournament=EVIL, serie=1)
    paths = ["", "/1", f"/1/1/{home}", "/team/1"]
    pages = [team_director.look(path, desk=desk) for path in paths for desk in (True, False)]
    pages += [team_director.look(path) for path in ("/1/teams", "/1/draw", "/files", "/tables")]
    pages += [team_director.browser.get(path).text for path in ("/teams", "/results", "/", "/desk/teams")]
    for page in pages:
        assert "<b>" not in page
        assert "<i>" not in page
        assert "<script>" not in page
        assert "style=" not in page
    assert sum("&lt;b&gt;Evil" in page for page in pages) >= len(pages) - 1


def test_page_stream_sends_changes(league: TeamDirector) -> None:
    home, _ = first_match(league)
    page = league.look("/1", desk=False)
    stream = re.search('data-stream="([^"]*)"', page)
    assert stream is not None
    with league.browser.stream("GET", stream[1].replace("&amp;", "&"), timeout=20) as events:
        lines = events.iter_lines()
        assert next(lines).startswith("retry")
        league.act("report", serie=1, round=1, segment=1, home=home, imps__home="41", imps__away="3")
        began = time.monotonic()
        heard = next(line for line in lines if line.startswith("data: "))
        assert time.monotonic() - began < PING_EVERY / 2, "not before the next ping"
    assert ">41<" in str(json.loads(heard.removeprefix("data: "))["page"])


def table(ns: int, ew: int, own: int, mates: int) -> TablePlan:
    return TablePlan(own, (Round(ns, ew, (1, 2), team_ns=ns, team_ew=ew, mates=Mates("A", mates, 1)),))


def test_results_from_tables_appear_on_the_pages(team_director: TeamDirector, pages: Running) -> None:
    session, event = "A" * 32, "B" * 32
    plan = SessionPlan(
        session,
        "Evening",
        date(2026, 2, 3),
        (GroupPlan(1, Method.VPS_CONTINUOUS),),
        ((SectionPlan("A", 1, game=GameKind.TEAMS), (table(1, 2, 1, 2), table(2, 1, 2, 1))),),
    )
    pages.do(OpenEvent(event, (plan,)))
    assert "Evening" in team_director.browser.get("/desk/teams").text
    team_director.open("Match", event=event, boards="2")
    assert team_director.event == event
    team_director.open("Match", 400, event=event)
    team_director.act("teams", serie=1, teams="Amber\nBlue")
    for at, outcome in ((1, "4SN="), (2, "4SN-1")):
        pages.do(EnterResult(session, ResultEntry("A", at, 1, 1, Outcome.parse(outcome), NOON)))
    page = team_director.look("/1/1/1", desk=False)
    assert "10" in page
    assert "4<span" in page
    # A correction of the match itself counts before the tables, and what the tables scored stays theirs.
    assert "desk of that session" in team_director.board(1, 1, "Open", "-", 409)
    assert team_director.board(1, 1, "Open", "4SN+1") == "Saved."
    assert team_director.view.event.draws[1, 1].pairings[0].home == 1
    assert team_director.board(1, 1, "Open", "-") == "Saved."
    assert "Evening, section A" in team_director.look("/tables")
    team_director.act("seat", serie=1, tables=f"{session}.A", round=3, segment=0)
    assert team_director.view.rounds(1) == [1, 3]
    assert "Evening</a>, section A: Open, rounds from 3" in team_director.look()


def test_round_assigned_to_tables_gets_their_results(league: TeamDirector, pages: Running) -> None:
    for number in (1, 2):
        said = league.act("lay", serie=1, round=number, segment=1, first=1, last=4)
        assert said.startswith(f"Round {number} is at the tables of section {'AB'[number - 1]}")
    assert "not drawn" in league.act("lay", 400, serie=1, round=9, segment=1, first=1, last=4)
    assert "last board" in league.act("lay", 400, serie=1, round=1, segment=1, first=4, last=1)
    ((session, section), _) = next(iter(league.view.event.seated.items()))
    assert section == "A"
    assert f"/desk/{session}/cards" in league.look()
    home, _ = first_match(league)
    for table, outcome in ((1, "4SN="), (2, "4SN-1")):
        pages.do(EnterResult(session, ResultEntry("A", table, 1, 1, Outcome.parse(outcome), NOON)))
    line = next(line for line in league.view.figures(1) if line.segment == Segment(1, 1, 1, home))
    assert line.home.imps == 10 * UNIT
    assert ">10</td>" in league.look(f"/1/1/{home}")


def test_a_form_of_a_team_event_sent_again_counts_once(team_director: TeamDirector) -> None:
    team_director.open("League", once="opening")
    event = team_director.event
    team_director.open("League", once="opening")
    assert team_director.event == event
    assert team_director.act("event", once="1", name="Cup") == "Name saved."
    assert team_director.act("event", once="2", name="Bowl") == "Name saved."
    assert "already saved" in team_director.act("event", once="1", name="Cup")
    assert "Bowl" in team_director.look()
