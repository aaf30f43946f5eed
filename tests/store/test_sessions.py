"""The list of sessions: derived, paged, searchable, and which of them are unsettled."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from overtrick.event import ContinueEvent, OpenEvent, Order
from overtrick.event.filing import FileSession, Filing, Stage
from overtrick.event.results import EnterResult
from overtrick.event.setup import ChangeSession, SetStatus, Status
from overtrick.host.due_executor import executing_due
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.store import JournalEntry, open_journal, sqlite
from overtrick.store.codec import event_codec
from overtrick.store.sessions import SessionList
from tests.event.evenings import entry, plan
from tests.store.tiny import rebuild
from tests.waiting import wait_for

GUIDS = [f"{number:032X}" for number in range(1, 6)]
KEPT = Path(__file__).parents[1] / "journals"


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    """Five evenings, a day apart, opened in their order."""
    with open_runtime(tmp_path / "club.overtrick") as opened:
        for number, guid in enumerate(GUIDS):
            evening = replace(
                plan(), session=guid, name=f"Evening {number}", day=plan().day + timedelta(number)
            )
            opened.do(OpenEvent(guid, (evening,)))
        yield opened


def settle(runtime: Runtime) -> None:
    listed = SessionList(runtime.journal)
    with executing_due(runtime.journal, runtime.writer, evaluates=False):
        wait_for(lambda: not listed.unsettled())


def names(runtime: Runtime, wanted: str = "", *, first: int = 0, most: int | None = None) -> list[str]:
    return [line.name for line in SessionList(runtime.journal).lines(wanted, first=first, most=most)]


def test_sessions_are_listed_before_and_after_they_are_settled(runtime: Runtime) -> None:
    expected = [f"Evening {number}" for number in (4, 3, 2, 1, 0)]
    assert names(runtime) == expected
    settle(runtime)
    assert names(runtime) == expected
    assert {line.status for line in SessionList(runtime.journal).lines()} == {Status.NOT_STARTED}


def test_a_page_of_the_list_has_so_many_sessions(runtime: Runtime) -> None:
    assert names(runtime, first=1, most=2) == ["Evening 3", "Evening 2"]
    assert names(runtime, first=4, most=2) == ["Evening 0"]
    assert names(runtime, first=5, most=2) == []


def test_sessions_are_found_by_name_date_and_guid(runtime: Runtime) -> None:
    assert names(runtime, "evening 3") == ["Evening 3"]
    assert names(runtime, str(plan().day + timedelta(2))) == ["Evening 2"]
    assert names(runtime, GUIDS[1]) == ["Evening 1"]
    assert names(runtime, "nobody") == []
    assert names(runtime, "e", first=1, most=1) == ["Evening 3"]


def test_only_a_session_in_which_something_happened_is_unsettled(runtime: Runtime) -> None:
    settle(runtime)
    runtime.do(EnterResult(GUIDS[2], entry(1, 1, 1, "4SN=")))
    listed = SessionList(runtime.journal)
    assert [stream for stream, _, _ in listed.unsettled()] == [f"session/{GUIDS[2]}/1"]
    settle(runtime)
    (line,) = listed.lines(GUIDS[2])
    assert (line.results, line.status) == (1, Status.STARTED)


def test_an_order_unsettles_the_sessions_of_its_event(runtime: Runtime) -> None:
    settle(runtime)
    listed = SessionList(runtime.journal)
    assert listed.running_events() == []
    runtime.do(ContinueEvent(GUIDS[3], (Order.START,)))
    assert [stream for stream, _, _ in listed.unsettled()] == [f"session/{GUIDS[3]}/1"]
    assert listed.running_events() == [GUIDS[3]]
    settle(runtime)
    assert listed.running_events() == [GUIDS[3]]
    runtime.do(ContinueEvent(GUIDS[3], (Order.SHUT_DOWN,)))
    settle(runtime)
    assert listed.running_events() == []


def test_a_session_that_is_opened_again_is_listed_once_and_unsettled(runtime: Runtime) -> None:
    settle(runtime)
    runtime.do(OpenEvent(GUIDS[0], (replace(plan(), session=GUIDS[0], name="Again"),)))
    listed = SessionList(runtime.journal)
    assert names(runtime)[0] == "Again"
    assert len(names(runtime)) == 5
    assert len(listed.lines(every=True)) == 6
    assert [stream for stream, _, _ in listed.unsettled()] == [f"session/{GUIDS[0]}/2"]


def test_a_session_is_found_by_the_name_that_it_has_now(runtime: Runtime) -> None:
    assert len(names(runtime)) == 5
    for name in ("First", "Second"):
        runtime.do(ChangeSession(GUIDS[1], name=name))
        assert names(runtime)[0] == name
        assert names(runtime, name) == [name]
        assert names(runtime, "Evening 1") == []
    settle(runtime)
    assert names(runtime, "Second") == ["Second"]


def test_sessions_of_some_stages_are_listed_before_and_after_they_are_settled(runtime: Runtime) -> None:
    planned, running, finished, archived, binned = GUIDS
    runtime.do(SetStatus(running, Status.STARTED))
    runtime.do(SetStatus(finished, Status.FINISHED))
    runtime.do(SetStatus(archived, Status.FINISHED))
    runtime.do(FileSession(archived, Filing.ARCHIVED))
    runtime.do(FileSession(binned, Filing.BINNED))
    listed = SessionList(runtime.journal)
    stages = dict(
        zip(GUIDS, (Stage.PLANNED, Stage.RUNNING, Stage.FINISHED, Stage.ARCHIVED, Stage.BINNED), strict=True)
    )

    def check() -> None:
        assert {line.session: line.stage for line in listed.lines()} == stages
        for guid, stage in stages.items():
            assert [line.session for line in listed.lines(stages={stage}, most=3)] == [guid]
            assert [line.session for line in listed.lines("Evening", stages={stage})] == [guid]
        kept = [line.session for line in listed.lines(stages=set(Stage) - {Stage.BINNED}, first=1, most=2)]
        assert kept == [finished, running]

    check()
    settle(runtime)
    check()
    # Restored and not settled: it is in the list that the stored line does not belong to.
    runtime.do(FileSession(binned, Filing.LISTED))
    stages[binned] = Stage.PLANNED
    assert [line.session for line in listed.lines(stages={Stage.PLANNED}, most=2)] == [binned, planned]
    assert listed.lines(stages={Stage.BINNED}, most=2) == []


def test_a_list_that_was_dropped_is_made_again(runtime: Runtime) -> None:
    runtime.do(ChangeSession(GUIDS[4], name="Renamed"))
    settle(runtime)
    kept = SessionList(runtime.journal).lines()
    rebuild(runtime.journal)
    assert len(SessionList(runtime.journal).unsettled()) == 5
    settle(runtime)
    assert SessionList(runtime.journal).lines() == kept
    assert kept[0].name == "Renamed"


def test_a_journal_that_may_not_be_written_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(shutil.copy(KEPT / "queues-0.1.overtrick", tmp_path / "club.overtrick"))
    monkeypatch.setattr(sqlite, "_is_writable", lambda file: file.parent != tmp_path)
    with open_journal(path, event_codec(), create=False) as journal:
        assert sorted(line.name for line in SessionList(journal).lines()) == ["Friday evening", "Second"]
        assert len(SessionList(journal).lines(most=1)) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["club.overtrick"]


def test_settled_sessions_are_not_read_when_a_program_starts(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(runtime)
    runtime.do(EnterResult(GUIDS[2], entry(1, 1, 1, "4SN=")))
    read, streams = runtime.journal.read, set[str]()

    def note(stream: str, after: int = 0) -> Iterator[JournalEntry]:
        streams.add(stream)
        return read(stream, after)

    monkeypatch.setattr(runtime.journal, "read", note)
    again = Runtime(runtime.journal)
    settle(again)
    assert streams == {f"session/{GUIDS[2]}/1", f"event/{GUIDS[2]}"}
