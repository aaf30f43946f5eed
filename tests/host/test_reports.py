"""Reports of sessions in a journal: a session in the bin has none."""

from datetime import date
from pathlib import Path

import pytest

from overtrick.bridge import Outcome
from overtrick.errors import BadInput
from overtrick.event import OpenEvent
from overtrick.event.filing import FileSession, Filing
from overtrick.event.results import EnterResult
from overtrick.host.reports import ReportRequest, SessionBinned, file_remarks, report_of
from overtrick.host.runtime import open_runtime
from overtrick.host.series import read_series
from overtrick.scoring import Contestant, Line, score
from overtrick.scoring.report import Report
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
