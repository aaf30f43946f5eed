"""Reports of journals and of files of games."""

from datetime import date
from pathlib import Path

import pytest

from overtrick import pbn
from overtrick.bridge import Outcome, deals, parse_call
from overtrick.errors import BadInput
from overtrick.event import OpenEvent
from overtrick.event.filing import FileSession, Filing
from overtrick.event.results import EnterResult
from overtrick.host.reports import ReportRequest, SessionBinned, file_remarks, read_report, report_of
from overtrick.host.runtime import open_runtime
from overtrick.host.series import read_series
from overtrick.pbn import Game
from overtrick.scoring import Contestant, Line, Method, score
from overtrick.scoring.report import Report
from overtrick.tablemanager.records import game_of
from overtrick.tablemanager.rules import Board, BoardRecord
from tests.event.evenings import SESSION, entry, plan

OTHER = "0" * 31 + "1"


def test_session_in_the_bin_has_no_report_and_is_left_out_of_a_series(tmp_path: Path) -> None:
    journal = tmp_path / "club.overtrick"
    series = tmp_path / "winter.toml"
    sessions = (("First", SESSION), ("Second", OTHER))
    lines = [f'[[session]]\nname = "{name}"\nsession = "{guid}"' for name, guid in sessions]
    series.write_text("\n".join(['name = "Winter"', *lines]))
    with open_runtime(journal) as runtime:
        for guid in (SESSION, OTHER):
            runtime.do(OpenEvent(guid, (plan(guid),)))
            runtime.do(EnterResult(guid, entry(1, 1, 1, "3NTN=")))
        with pytest.raises(BadInput, match="Choose a session"):
            report_of(runtime, ReportRequest())
        runtime.do(FileSession(OTHER, Filing.BINNED))
        with pytest.raises(SessionBinned):
            report_of(runtime, ReportRequest(session=OTHER))
        assert report_of(runtime, ReportRequest()).report.title == "Minimal Session"
    _, reports = read_series(series, str(journal), date(2024, 6, 3))
    assert list(reports) == ["First"]


def test_file_of_swiss_pairs_names_the_pairs_without_a_result() -> None:
    meetings = [(1, 1, 2), (1, 3, 4), (2, 1, 3), (2, 4, 5)]
    lines = [
        Line(number, Contestant("A", ns), Contestant("A", ew), Outcome.parse("4SN="), table=ns, round=number)
        for number, ns, ew in meetings
    ]
    assert file_remarks(Report("Swiss", score(lines)), ["line 7"]) == ("Left out: line 7",)
    assert file_remarks(Report("Swiss", score(lines, pairs_vps=True)), []) == (
        "Without a result: A2 in round 2, A5 in round 1. The file does not say who sat out, so there are no victory "
        "points for it.",
    )


def test_records_of_both_rooms_of_a_table_manager_are_scored_as_a_match(tmp_path: Path) -> None:
    outcomes = {"open": ("A", "B", "4SN="), "closed": ("B", "A", "4SN-1")}
    calls = tuple(parse_call(text) for text in ("4S", "Pass", "Pass", "Pass"))
    (deal,) = deals(1, seed=1)
    games: list[Game] = []
    for room, (ns, ew, text) in outcomes.items():
        record = BoardRecord(Board.numbered(1, deal), ns, ew, calls, ("",) * 4, (), Outcome.parse(text))
        pbn.dump([game_of(record, {"Room": room.title(), "Scoring": "IMP"})], tmp_path / f"{room}.pbn")
        games += pbn.load(tmp_path / f"{room}.pbn")
    pbn.dump(games, tmp_path / "match.pbn")
    report = read_report(tmp_path / "match.pbn", ReportRequest(), date(2026, 1, 8)).report
    assert report.scored.method is Method.TEAM_IMPS
    (scored,) = report.scored.matches
    assert (report.name(scored.home.team), scored.home.imps, scored.away.imps) == ("A", 10, 0)
    one_room = read_report(tmp_path / "open.pbn", ReportRequest(), date(2026, 1, 8)).report
    assert (one_room.scored.method, len(one_room.scored.travellers)) == (Method.MATCHPOINTS, 1)


def test_lin_file_is_scored_by_the_names_of_the_players(tmp_path: Path) -> None:
    md = "md|1SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,|sv|o|"
    end = "mb|7S|mb|p|mb|p|mb|p|mc|13|pg||"
    file = tmp_path / "night.lin"
    file.write_text(
        f"pn|Ann,Bob,Cas,Dot|qx|o1|{md}{end}pn|Eve,Fay,Gil,Hal|qx|o1|{md}mb|6S|{end.removeprefix('mb|7S|')}"
    )
    report = read_report(file, ReportRequest(), date(2026, 1, 8)).report
    ranked = [(report.name(standing.contestant), standing.points) for _, standing in report.standings()]
    assert sorted(ranked) == [
        ("Cas – Ann", 2), ("Dot – Bob", 0), ("Gil – Eve", 0), ("Hal – Fay", 2),
    ]  # fmt: skip
