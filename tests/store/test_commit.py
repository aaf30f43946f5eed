"""A COMMIT that fails: what is said about it is true, and the same command counts once."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from overtrick.host.writer import Submission, Writer
from overtrick.store import Appended, Journal, StreamSpan, open_journal
from overtrick.store.errors import CommitUnknown, JournalUnavailable
from tests.store.proxy import Cut, Proxy
from tests.store.tiny import CODEC, boards, put, result
from tests.waiting import wait_for


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overtrick.store.journal.COMMIT_CHECK_DELAYS", (0.0, 0.05))
    monkeypatch.setattr("overtrick.store.journal.CHECK_LOCK_TIMEOUT", 0.5)


# PostgreSQL ---------------------------------------------------------------------------------------------------


@pytest.fixture
def journal(proxied: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Journal]:
    """A journal that is reached through the proxy, by the connection that writes alone."""
    with open_journal(proxied, CODEC) as opened:
        monkeypatch.setattr(opened.engine, "announce", lambda streams: None)
        put(opened, "monday", 0, result(1), command_id="before")
        yield opened


def alone(journal: Journal) -> None:
    with journal.holding({"monday": True}):
        put(journal, "monday", 1, result(2), command_id="a")


def at_once(journal: Journal) -> None:
    put(journal, "monday", 1, result(2), command_id="a")


WAYS = pytest.mark.parametrize("write", [at_once, alone])


@WAYS
def test_commit_that_never_reached_the_server_was_not_written(
    journal: Journal, proxy: Proxy, write: Callable[[Journal], None]
) -> None:
    proxy.cut = Cut.BEFORE_COMMIT
    with pytest.raises(JournalUnavailable, match="nothing was written") as caught:
        write(journal)
    assert not isinstance(caught.value, CommitUnknown)
    assert boards(journal, "monday") == [1]
    write(journal)
    assert boards(journal, "monday") == [1, 2]


@WAYS
def test_commit_whose_answer_was_lost_is_done(
    journal: Journal, proxy: Proxy, write: Callable[[Journal], None]
) -> None:
    proxy.cut = Cut.AFTER_COMMIT
    write(journal)
    assert boards(journal, "monday") == [1, 2]


@WAYS
@pytest.mark.parametrize("cut", [Cut.BEFORE_COMMIT, Cut.AFTER_COMMIT])
def test_commit_after_which_the_server_is_gone_is_not_known(
    journal: Journal, proxy: Proxy, write: Callable[[Journal], None], cut: Cut
) -> None:
    proxy.cut, proxy.stays_cut = cut, True
    with pytest.raises(CommitUnknown, match="unknown whether") as caught:
        write(journal)
    assert "nothing was written" not in str(caught.value)
    proxy.stays_cut = False

    def is_sent_again() -> bool:
        try:
            put(journal, "monday", 1, result(2), command_id="a")
        except JournalUnavailable:
            return False  # it is tried every half second whether the server is there
        return True

    wait_for(is_sent_again)
    assert boards(journal, "monday") == [1, 2]


def test_commit_that_the_server_is_still_at_is_not_known(
    journal: Journal, proxy: Proxy, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody holds the lock of the command, as the transaction would whose connection was lost."""
    with open_journal(database, CODEC) as other, other.writing() as cursor:
        append = journal._append_in_order

        def locked_meanwhile(*arguments: Any) -> Any:
            outcomes = append(*arguments)
            proxy.cut = Cut.BEFORE_COMMIT
            return outcomes

        monkeypatch.setattr(journal, "_append_in_order", locked_meanwhile)
        begin, begins = journal.engine.begin, 0

        def held_by_the_other(*arguments: Any) -> Any:
            nonlocal begins
            begins += 1
            if begins == 2:
                cursor.execute("ROLLBACK")
                other.engine.begin(cursor, {"monday": True})
            return begin(*arguments)

        monkeypatch.setattr(journal.engine, "begin", held_by_the_other)
        with pytest.raises(CommitUnknown):
            at_once(journal)
        assert begins > 1


# SQLite -------------------------------------------------------------------------------------------------------


class FailingCursor:
    """A cursor whose next COMMIT fails, before or after SQLite has done it."""

    def __init__(self, cursor: sqlite3.Cursor, error: sqlite3.Error, *, is_done: bool) -> None:
        self._cursor, self._error, self._is_done = cursor, error, is_done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, statement: str, *arguments: Any) -> Any:
        if statement != "COMMIT":
            return self._cursor.execute(statement, *arguments)
        if self._is_done:
            self._cursor.execute(statement)
        raise self._error


def failing(name: str) -> sqlite3.Error:
    error = sqlite3.OperationalError(name.lower())
    error.sqlite_errorname = name
    return error


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Journal]:
    with open_journal(tmp_path / "club.overtrick", CODEC) as opened:
        put(opened, "monday", 0, result(1), command_id="before")
        yield opened


def fail_next(journal: Journal, name: str, *, is_done: bool, then_gone: bool = False) -> None:
    cursor = journal._writing_cursor()
    journal._cursor = FailingCursor(cursor, failing(name), is_done=is_done)
    if then_gone:

        def gone() -> Any:
            raise failing("SQLITE_CANTOPEN")

        journal.engine.connect = gone  # type: ignore[method-assign]


@WAYS
@pytest.mark.parametrize("name", ["SQLITE_FULL", "SQLITE_BUSY"])
def test_commit_that_sqlite_refuses_was_not_written(
    file: Journal, write: Callable[[Journal], None], name: str
) -> None:
    fail_next(file, name, is_done=False)
    with pytest.raises(JournalUnavailable, match="nothing was written") as caught:
        write(file)
    assert not isinstance(caught.value, CommitUnknown)
    assert boards(file, "monday") == [1]
    write(file)
    assert boards(file, "monday") == [1, 2]


@WAYS
def test_commit_that_sqlite_did_before_the_disk_failed_is_done(
    file: Journal, write: Callable[[Journal], None]
) -> None:
    fail_next(file, "SQLITE_IOERR_FSYNC", is_done=True)
    write(file)
    assert boards(file, "monday") == [1, 2]


@WAYS
@pytest.mark.parametrize(("is_done", "then_gone"), [(False, False), (False, True), (True, True)])
def test_commit_at_which_the_disk_failed_is_not_known_where_it_is_not_found(
    file: Journal, write: Callable[[Journal], None], is_done: bool, then_gone: bool
) -> None:
    connect = file.engine.connect
    fail_next(file, "SQLITE_IOERR_FSYNC", is_done=is_done, then_gone=then_gone)
    with pytest.raises(CommitUnknown, match="counts once"):
        write(file)
    file.engine.connect = connect  # type: ignore[method-assign]
    put(file, "monday", 1, result(2), command_id="a")
    assert boards(file, "monday") == [1, 2]


def test_commit_without_a_command_is_not_known(file: Journal) -> None:
    fail_next(file, "SQLITE_IOERR_FSYNC", is_done=True)
    with pytest.raises(CommitUnknown):
        file.marks.move("club", "monday", "results", 1)
    assert file.marks.of("club", "monday") == {"results": 1}


def test_writer_answers_done_after_a_lost_answer_and_goes_on(file: Journal) -> None:
    def decide(state: list[int], board: int) -> tuple[tuple[str, Any], ...]:
        return (("monday", result(board)),)

    writer: Writer[list[int], int, str] = Writer(
        file,
        start=lambda load: [],
        decide=decide,
        streams=lambda state, board: {"monday": True},
        apply=lambda state, stream, fact: state.append(fact.board),
    )
    assert isinstance(writer.write(Submission(2, "b", "control", "")), Appended)
    fail_next(file, "SQLITE_IOERR_FSYNC", is_done=True)
    assert writer.write(Submission(3, "c", "control", "")) == Appended((StreamSpan("monday", 3, 3),))
    assert isinstance(writer.write(Submission(4, "d", "control", "")), Appended)
    fail_next(file, "SQLITE_IOERR_FSYNC", is_done=False)
    (told,) = writer.write_all([Submission(5, "e", "control", "")])
    assert isinstance(told, CommitUnknown)
    assert isinstance(writer.write(Submission(5, "e", "control", "")), Appended)
    with writer.reading() as state:
        assert state == [1, 2, 3, 4, 5]
