"""Results that other programs published, scored again. The fixtures are figures only; each names its source."""

import gzip
import html
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from overtrick.bridge import Outcome, Side
from overtrick.cli import app
from overtrick.errors import BadInput
from overtrick.scoring import UNIT, Contestant, Line, Method, score
from overtrick.scoring.compare import compare
from overtrick.scoring.published import Published
from overtrick.scoring.reading import read_published
from overtrick.scoring.report import Report
from overtrick.scoring.usebio import write_usebio
from tests.scoring.figures import read_figures, write_figures
from tests.scoring.reports import individual_report, pairs_report, split_report, teams_report

FOLDER = Path(__file__).parent / "published"
ALONE = "the points of this board alone, not brought up to boards with more scores"
LINE_BY_LINE = "of points that were rounded line by line"
IN_PROPORTION = "in proportion to the boards of those who played most"

OF_TOTAL = "of the total as it was published"

EVENTS = {
    # What it was scored by, and how often each rule explains a figure that differs.
    "acblscore-howell": ("matchpoints, neuberg, top n-1", {IN_PROPORTION: 9, OF_TOTAL: 4}),
    "acblscore-mitchell": ("matchpoints, neuberg, top n-1", {IN_PROPORTION: 13, OF_TOTAL: 3}),
    "brian-pairs": ("matchpoints, own-top, top 2(n-1)", {}),
    "compscore-butler-howell": ("butler-mean, datum extremes", {}),
    "compscore-butler-mitchell": ("butler-mean, datum 10%", {}),
    "compscore-cross-imp-howell": ("cross-imps-average", {}),
    "compscore-mp-pairs-howell": ("matchpoints, neuberg, top 2(n-1)", {ALONE: 10, IN_PROPORTION: 2}),
    "compscore-mp-pairs-mitchell-03": ("matchpoints, neuberg, top 2(n-1)", {}),
    "compscore-mp-pairs-mitchell-04": ("matchpoints, neuberg, top 2(n-1)", {ALONE: 76, IN_PROPORTION: 3}),
    "ebuscore-point-a-board": ("board-a-match", {}),
    "ebuscore-two-sections": ("matchpoints, neuberg, top 2(n-1)", {LINE_BY_LINE: 2}),
    "pairsscorer-mp-pairs": ("matchpoints, neuberg, top 2(n-1)", {}),
    "pairsscorer-two-sections": ("matchpoints, neuberg, top 2(n-1)", {LINE_BY_LINE: 1}),
    "realbridge-pairs": ("matchpoints, neuberg, top 2(n-1)", {}),
    "scorer-handicap_pairs": ("matchpoints, neuberg, top 2(n-1)", {}),
    "scorer-pairs": ("matchpoints, neuberg, top 2(n-1)", {}),
    "scorer-pairs-with-np-passed": (
        "matchpoints, neuberg, top 2(n-1), a board that was not played counts as passed out",
        {},
    ),
    "teamsscorer-vps": ("vps-discrete, the scale TeamsScorer, 3 boards", {}),
}


def figures(name: str) -> Published:
    return read_figures(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()).decode())


def test_every_fixture_is_compared_and_names_its_source() -> None:
    assert {path.name.removesuffix(".json.gz") for path in FOLDER.iterdir()} == set(EVENTS)
    assert all(figures(name).title.startswith("github.com/") for name in EVENTS)


@pytest.mark.parametrize("name", EVENTS)
def test_a_published_event_agrees_or_is_explained(name: str) -> None:
    published = figures(name)
    found = compare(published)
    way, explained = EVENTS[name]
    assert str(found.variant) == way
    counted: dict[str, int] = {}
    for difference in found.differences:
        counted[difference.explanation] = counted.get(difference.explanation, 0) + 1
    assert counted == explained
    assert found.is_explained
    assert found.lines > 0
    assert found.totals > 0


def test_figures_have_no_names_and_are_read_back() -> None:
    published = figures("realbridge-pairs")
    assert read_figures(write_figures(published, published.title)) == published


def test_unexplained_difference_is_listed() -> None:
    published = figures("realbridge-pairs")
    first = published.lines[0]
    wrong = replace(published, lines=(replace(first, ns=Decimal("11.5")), *published.lines[1:]))
    found = compare(wrong)
    assert not found.is_explained
    (difference,) = found.differences
    assert str(difference) == "board 1, 11 NS against 12 EW, NS: 11.5 was published, 5.00 is ours."


def usebio(lines: str, *, kind: str = "PAIRS", method: str = "MATCH_POINTS", participants: str = "") -> bytes:
    return (
        f'<USEBIO Version="1.1"><CLUB><CLUB_NAME>Club</CLUB_NAME></CLUB><EVENT EVENT_TYPE="{kind}">'
        f"<EVENT_DESCRIPTION>Monday</EVENT_DESCRIPTION><DATE>09/03/2026</DATE><WINNER_TYPE>2</WINNER_TYPE>"
        f"<BOARD_SCORING_METHOD>{method}</BOARD_SCORING_METHOD><PARTICIPANTS>{participants}</PARTICIPANTS>"
        f"<BOARD><BOARD_NUMBER>1</BOARD_NUMBER>{lines}</BOARD></EVENT></USEBIO>"
    ).encode()


def traveller_line(ns: str, ew: str, **said: str) -> str:
    rest = "".join(f"<{tag}>{text}</{tag}>" for tag, text in said.items())
    return (
        f"<TRAVELLER_LINE><NS_PAIR_NUMBER>{ns}</NS_PAIR_NUMBER><EW_PAIR_NUMBER>{ew}</EW_PAIR_NUMBER>{rest}"
        "</TRAVELLER_LINE>"
    )


def test_every_form_of_a_result_in_usebio_is_read() -> None:
    said: list[tuple[dict[str, str], str]] = [
        ({"CONTRACT": "3NT", "PLAYED_BY": "N", "TRICKS": "9", "SCORE": "400"}, "3NTN="),
        ({"CONTRACT": "3N", "PLAYED_BY": "N", "TRICKS": "10", "SCORE": "430"}, "3NTN+1"),
        ({"CONTRACT": "4Sx", "PLAYED_BY": "E", "TRICKS": "9", "SCORE": "100"}, "4SxE-1"),
        ({"CONTRACT": "4S*", "PLAYED_BY": "E", "TRICKS": "9", "SCORE": "100"}, "4SxE-1"),
        ({"CONTRACT": "PASS", "SCORE": "0"}, "Pass"),
        ({"CONTRACT": "NP", "SCORE": "0"}, "NP"),
        ({"SCORE": "A6040"}, "60-40"),
        ({"SCORE": "-620"}, "-620"),
        # A contract that has another score: the score is what was compared.
        ({"CONTRACT": "3NT", "PLAYED_BY": "N", "TRICKS": "9", "SCORE": "600"}, "+600"),
        ({"CONTRACT": "42", "PLAYED_BY": "S", "TRICKS": "12", "SCORE": "480"}, "+480"),
        ({"SCORE": "60 % of 4SN=, 40 % of 4SN-1"}, "60 % of 4SN=, 40 % of 4SN-1"),
    ]
    lines = "".join(traveller_line(f"{n}NS", f"{n} EW", **words) for n, (words, _) in enumerate(said, 1))
    published = read_published(usebio(lines))
    assert [one.line.outcome for one in published.lines] == [Outcome.parse(text) for _, text in said]
    assert (published.lines[1].line.ns, published.lines[1].line.ew) == (
        Contestant("", 2, Side.NS),
        Contestant("", 2, Side.EW),
    )
    assert (published.title, published.club, published.method) == ("Monday", "Club", Method.MATCHPOINTS)
    assert not published.unread


def test_unreadable_line_is_left_out_with_its_reason() -> None:
    lines = traveller_line("x", "2", SCORE="50") + traveller_line("1", "2", SCORE="whatever")
    published = read_published(usebio(lines + traveller_line("1", "2", SCORE="55")))
    assert not published.lines
    assert len(published.unread) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<USEBIO/>", "no EVENT"),
        (b"<html/>", "neither USEBIO"),
        (b"<USEBIO", "not valid XML"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><USEBIO/>', "entities"),
    ],
)
def test_file_without_a_published_session_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_published(content)


def sections_of(kind: str, *parts: str, method: str = "MATCH_POINTS", before: str = "") -> bytes:
    sections = "".join(
        f'<SECTION SECTION_ID="{letter}">{part}</SECTION>' for letter, part in zip("ABC", parts, strict=False)
    )
    return (
        f'<USEBIO Version="1.2"><EVENT EVENT_TYPE="{kind}"><BOARD_SCORING_METHOD>{method}</BOARD_SCORING_METHOD>'
        f"<WINNER_TYPE>1</WINNER_TYPE><SESSION>{before}{sections}</SESSION></EVENT></USEBIO>"
    ).encode()


def board_of(*lines: str, number: int = 1) -> str:
    return f"<BOARD><BOARD_NUMBER>{number}</BOARD_NUMBER>{''.join(lines)}</BOARD>"


def team_match(open_room: str, closed_room: str) -> str:
    rooms = (("NS", open_room), ("EW", closed_room))
    lines = (
        f"<TRAVELLER_LINE><DIRECTION>{side}</DIRECTION><SCORE>{score}</SCORE></TRAVELLER_LINE>"
        for side, score in rooms
    )
    return (
        '<PARTICIPANTS><TEAM TEAM_ID="1"/><TEAM TEAM_ID="2"/></PARTICIPANTS><MATCH><ROUND_NUMBER>1</ROUND_NUMBER>'
        f"<TEAM>1</TEAM><OPPOSING_TEAM>2</OPPOSING_TEAM>{board_of(*lines)}</MATCH>"
    )


def test_matches_of_teams_in_two_sections_are_both_read() -> None:
    content = sections_of("TEAMS", team_match("420", "-50"), team_match("140", "170"), method="IMPS")
    published = read_published(content)
    scored = score([one.line for one in published.lines], published.method)
    assert [
        (str(match.home.team), match.home.own_imps // UNIT, match.away.own_imps // UNIT)
        for match in scored.matches
    ] == [("A1", 10, 0), ("B1", 0, 1)]
    assert sorted(map(str, published.totals)) == ["A1", "A2", "B1", "B2"]


def test_unreadable_match_is_left_out_with_its_section() -> None:
    published = read_published(sections_of("TEAMS", team_match("420", "x"), "<MATCH/>", method="IMPS"))
    assert published.unread == (
        "section A, match 1, board 1, line 2: 'x' is not a result.",
        "section B, match 2: The number of a team is missing.",
    )


def individual(*numbers: int) -> str:
    players = "".join(
        f"<PLAYER><PLAYER_NUMBER>{number}</PLAYER_NUMBER><PERCENTAGE>{share}</PERCENTAGE></PLAYER>"
        for number, share in zip(numbers, (100, 100, 0, 0, 0, 0, 100, 100), strict=True)
    )
    lines = (
        "<TRAVELLER_LINE>"
        + "".join(f"<{s}_PLAYER_NUMBER>{n}</{s}_PLAYER_NUMBER>" for s, n in zip("NSEW", seated, strict=True))
        + f"<SCORE>{points}</SCORE></TRAVELLER_LINE>"
        for seated, points in ((numbers[:4], 420), (numbers[4:], -50))
    )
    return f"<PARTICIPANTS>{players}</PARTICIPANTS>{board_of(*lines)}"


def test_individual_in_two_sections_matches_its_totals() -> None:
    content = sections_of("INDIVIDUAL", individual(*range(1, 9)), individual(*range(1, 9)))
    published = read_published(content)
    found = compare(published)
    assert (found.totals, found.totals_agree, found.differences) == (16, 16, ())
    assert found.variant.in_sections
    assert {who.section for who in published.totals} == {"A", "B"}


def test_participants_outside_the_sections_are_numbered_through_all_of_them() -> None:
    pairs = "".join(f"<PAIR><PAIR_NUMBER>{number}</PAIR_NUMBER></PAIR>" for number in (1, 2, 11, 12))
    parts = [
        board_of(traveller_line(ns, ew, SCORE=score))
        for ns, ew, score in (("1", "2", "420"), ("11", "12", "50"))
    ]
    published = read_published(sections_of("PAIRS", *parts, before=f"<PARTICIPANTS>{pairs}</PARTICIPANTS>"))
    scored = score(one.line for one in published.lines)
    assert sorted(standing.contestant.number for standing in scored.rankings[0].standings) == [1, 2, 11, 12]
    assert set(published.totals) == {Contestant("", number) for number in (1, 2, 11, 12)}


def test_second_session_of_pairs_is_left_out_with_a_remark() -> None:
    line = traveller_line("1", "2", SCORE="420")
    section = f'<SECTION SECTION_ID="A">{board_of(line)}</SECTION>'
    content = (
        f'<USEBIO><EVENT EVENT_TYPE="PAIRS"><SESSION SESSION_ID="1">{section}</SESSION>'
        f'<SESSION SESSION_ID="2">{section}</SESSION></EVENT></USEBIO>'
    )
    published = read_published(content.encode())
    assert len(published.lines) == 1
    assert published.unread == ("session 2: Only the first session of a file is read.",)


def seated(lines: Iterable[Line], *, with_sections: bool) -> list[tuple[str, ...]]:
    """Return the board, the contestants and the outcomes of each line, sorted."""

    def words(who: Contestant | None) -> str:
        return str(who if who is None or with_sections else replace(who, section=""))

    return sorted(
        (
            *(str(line.board), words(line.ns), words(line.south), words(line.ew), words(line.west)),
            *(str(line.outcome), str(line.ew_outcome)),
        )
        for line in lines
    )


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(pairs_report(two_winners=True), id="pairs"),
        pytest.param(split_report(), id="splits"),
        pytest.param(individual_report("A"), id="individual"),
        pytest.param(individual_report("A", "B"), id="individual in two sections"),
        pytest.param(teams_report(), id="teams"),
        pytest.param(teams_report(sections=("A", "B")), id="teams in two sections"),
    ],
)
def test_our_own_usebio_is_read_back(report: Report) -> None:
    published = read_published(write_usebio(report).encode())
    ours = [scored.line for traveller in report.scored.travellers for scored in traveller.lines]
    read = [one.line for one in published.lines]
    has_sections = len({line.ns.section for line in ours}) > 1
    assert not published.unread
    assert seated(read, with_sections=has_sections) == seated(ours, with_sections=has_sections)
    assert len(published.totals) == len(report.contestants())
    assert set(published.totals) == {who for line in read for side in Side for who in line.contestants(side)}


NEW_ZEALAND = b"""<?xml version="1.0"?>
<session club="Club" field_scoring="false" scoring_type="MP" event_name="Pairs" event_date="9/03/2026">
 <board_results><brsection id="A">
  <result tab="1" bd="1" rnd="1" ns="1" ew="1" dec="S" cont="2 H" lead="DJ" res="+1" score="140" mp_ns="40" mp_ew="0"/>
  <result tab="2" bd="1" rnd="1" ns="2" ew="2" dec="S" cont="2 H" lead="" res="=" score="110" mp_ns="10" mp_ew="30"/>
  <result tab="3" bd="1" rnd="1" ns="3" ew="3" dec="" cont="" lead="" res="" score="Adj" mp_ns="24" mp_ew="16"/>
  <result tab="4" bd="1" rnd="1" ns="4" ew="4" dec="" cont="" lead="" res="" mp_ns="-9999" mp_ew="-9999"/>
  <result tab="5" bd="1" rnd="1" ns="5" ew="5" dec="N" cont="PASS" lead="" res="=" score="0" mp_ns="10" mp_ew="30"/>
 </brsection></board_results>
 <scores><scsection id="A"><pair no="1" dir="N" raw_score="100" res="100"/></scsection></scores>
</session>"""


def test_xml_of_new_zealands_scorer_is_read() -> None:
    published = read_published(NEW_ZEALAND)
    assert [str(one.line.outcome) for one in published.lines] == ["2HS+1", "2HS=", "60-40", "NP", "Pass"]
    assert [one.ns for one in published.lines] == [4, 1, Decimal("2.4"), None, 1]
    assert published.totals[Contestant("A", 1, Side.NS)].percentage == 100


def acbl_game(*rows: dict[str, object], **said: object) -> dict[str, object]:
    summaries = [
        {
            "pair_number": str(number),
            "direction": side,
            "score": "1.00",
            "percentage": "50.00",
            "adjustment": None,
            "handicap": None,
            "players": [{"name": f"{side}{number}"}, {"name": "<b>"}],
        }
        for side in ("NS", "EW")
        for number in (1, 2, 3)
    ]
    section = {
        "name": "A",
        "pair_summaries": summaries,
        "boards": [{"board_number": 1, "board_results": rows}],
    }
    return {
        "name": "Monday <b>",
        "club_name": "Club",
        "type": "PAIRS",
        "start_date": "04/20/2026",
        "board_scoring_method": "MATCH_POINTS",
        "sessions": [{"number": 1, "sections": [section]}],
        **said,
    }


def acbl_row(pair: int, ns: str, ew: str, **said: str) -> dict[str, object]:
    return {"table_number": pair, "round_number": 1, "ns_pair": f"{pair}", "ew_pair": f"{pair}"} | {
        "ns_score": ns,
        "ew_score": ew,
        "contract": "",
        "declarer": "",
        "tricks_taken": None,
        "ns_match_points": "1.00",
        "ew_match_points": "1.00",
        **said,
    }


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (acbl_row(1, "430", "-430", contract="3 NT", declarer="N", tricks_taken="10"), "3NTN+1"),
        (acbl_row(1, "100", "-100", contract="5 H x", declarer="E", tricks_taken="10"), "5HxE-1"),
        (acbl_row(1, "PASS", "PASS"), "Pass"),
        (acbl_row(1, "0", "0", contract="PASS"), "Pass"),
        (acbl_row(1, "AVE+", "AVE-"), "60-40"),
        (acbl_row(1, "AVE", "AVE"), "50-50"),
        (acbl_row(1, "", ""), "NP"),
        (acbl_row(1, "NP", "NP"), "NP"),
        (acbl_row(1, "-620", "620"), "-620"),
        # A contract that has another score: the score is what was compared.
        (acbl_row(1, "600", "-600", contract="3 NT", declarer="N", tricks_taken="9"), "+600"),
    ],
)
def test_results_of_acbl_live_are_read(row: dict[str, object], outcome: str) -> None:
    (one,) = read_published(json.dumps(acbl_game(row)).encode()).lines
    assert one.line.outcome == Outcome.parse(outcome)
    assert (one.line.ns, one.line.ew) == (Contestant("", 1, Side.NS), Contestant("", 1, Side.EW))
    assert (one.ns, one.ew) == (Decimal(1), Decimal(1))


def test_the_saved_page_of_acbl_live_is_read_as_its_json() -> None:
    document = json.dumps(acbl_game(acbl_row(1, "50", "-50")))
    page = f'<html><result-details v-bind:data="{html.escape(document)}"></result-details></html>'
    assert read_published(page.encode()) == read_published(document.encode())


def test_club_date_and_players_of_acbl_live_are_read() -> None:
    published = read_published(json.dumps(acbl_game(acbl_row(1, "50", "-50"))).encode())
    assert (published.title, published.club, str(published.played_on)) == ("Monday <b>", "Club", "2026-04-20")
    assert published.totals[Contestant("", 3, Side.EW)].percentage == 50
    assert published.players[Contestant("", 2, Side.NS)][0].name == "NS2"


def test_howell_of_acbl_live_has_one_ranking_and_sections_are_told_apart() -> None:
    game = acbl_game(acbl_row(1, "50", "-50", ew_pair="2"))
    (session,) = cast("list[dict[str, Any]]", game["sessions"])
    (section,) = session["sections"]
    section["pair_summaries"] = [
        summary | {"direction": None} for summary in section["pair_summaries"] if summary["direction"] == "NS"
    ]
    (one,) = read_published(json.dumps(game).encode()).lines
    assert (one.line.ns, one.line.ew, one.line.field) == (Contestant("", 1), Contestant("", 2), "")
    session["sections"] = [section, section | {"name": "B"}]
    lines = read_published(json.dumps(game).encode()).lines
    assert [(one.line.ns, one.line.field) for one in lines] == [
        (Contestant("A", 1), "A"),
        (Contestant("B", 1), "B"),
    ]
    session["cross_section_scoring"] = 1
    assert {one.line.field for one in read_published(json.dumps(game).encode()).lines} == {""}


def test_unreadable_entries_of_acbl_live_are_left_out() -> None:
    rows = (acbl_row(1, "LATE", "LATE"), acbl_row(2, "50", "-50", ns_pair="x"), acbl_row(3, "50", "-50"))
    game = acbl_game(*rows)
    sessions = cast("list[dict[str, Any]]", game["sessions"])
    sessions.append({"number": 2})
    published = read_published(json.dumps(game).encode())
    assert [one.line.ns.number for one in published.lines] == [3]
    assert published.unread == (
        "session 2: Only the first session of a file is read.",
        "board 1, line 1: 'LATE' is not a result.",
        "board 1, line 2: 'x' is not the number of a pair.",
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "not valid JSON"),
        (b"{}", "no sessions"),
        (b"[" * 10 + b"]" * 10, "not valid XML"),
        (b'{"sessions": 3}', "no sessions"),
        (b'{"sessions": [' + b"[" * 100_000, "not valid JSON"),
        (b"<html><result-details></html>", "no results in it"),
        (json.dumps(acbl_game(type="TEAMS")).encode(), "a game of TEAMS"),
        (json.dumps(acbl_game(board_scoring_method="TOTAL")).encode(), "scored by TOTAL"),
    ],
)
def test_file_without_a_game_of_acbl_live_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_published(content)


def test_any_json_is_read_or_refused() -> None:
    junk: list[object] = [
        None,
        1,
        "x",
        [],
        {},
        [1],
        [{}],
        [{"sections": [{"boards": [{"board_results": [{"ns_pair": 1}]}]}]}],
    ]
    for key in ("sessions", "name", "latest_upload", "start_date"):
        for value in junk:
            with suppress(BadInput):
                read_published(json.dumps(acbl_game() | {key: value}).encode())


def test_page_of_a_comparison_is_escaped_and_loads_nothing(tmp_path: Path) -> None:
    path, page = tmp_path / "game.json", tmp_path / "compared.html"
    rows = [acbl_row(n, "50", "-50", contract="<script>") for n in (1, 2)]
    path.write_text(json.dumps(acbl_game(*rows)))
    result = CliRunner().invoke(app, ["compare", str(path), "--format", "html", "--output", str(page)])
    text = page.read_text()
    assert "Monday &lt;b&gt;, scored again" in text
    assert "<script" not in text
    assert "<link" not in text
    assert "--ink" in text
    assert "4 of 4 board scores" in text
    # Pair 3 has a total and played no board, and nothing explains that.
    assert result.exit_code == 1
    assert "nothing explains it" in text
    scored = CliRunner().invoke(app, ["score", str(path), "--format", "json"])
    assert json.loads(scored.stdout)["ranking"][0]["percentage"] == 50


def test_the_rules_of_a_comparison_are_named() -> None:
    assert compare(figures("realbridge-pairs")).variant.rule_sets == ("WBF", "ACBL", "EBU", "NZ")
    assert compare(figures("brian-pairs")).variant.rules_text == (
        "none of the built-in rule sets; one with unequal = own-top, better_average = yes"
    )


def test_compare_command_exits_with_1_for_an_unexplained_difference(tmp_path: Path) -> None:
    path = tmp_path / "published.xml"
    lines = traveller_line("1NS", "1EW", SCORE="420", NS_MATCH_POINTS="2", EW_MATCH_POINTS="0")
    lines += traveller_line("2NS", "2EW", SCORE="-50", NS_MATCH_POINTS="0", EW_MATCH_POINTS="2")
    path.write_bytes(usebio(lines))
    result = CliRunner().invoke(app, ["compare", str(path)])
    assert result.exit_code == 0
    assert "4 of 4 board scores" in result.stdout
    path.write_bytes(usebio(lines.replace("<NS_MATCH_POINTS>2<", "<NS_MATCH_POINTS>1.3<")))
    result = CliRunner().invoke(app, ["compare", str(path), "--format", "json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["differences"][0]["published"] == "1.3"
    scored = CliRunner().invoke(app, ["score", str(path), "--format", "json"])
    assert json.loads(scored.stdout)["ranking"][0]["percentage"] == 100
