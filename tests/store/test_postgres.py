"""Behaviour of PostgreSQL alone: waking other nodes, refusing foreign databases, and outages."""

import asyncio
import contextlib
import time
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, text

from overtrick.errors import BadInput
from overtrick.store import follow, open_journal, postgres
from overtrick.store.errors import DamagedJournal, JournalError, JournalUnavailable, NewerJournal, NotAJournal
from overtrick.store.tables import FORMAT
from tests.store.test_subscription import take
from tests.store.tiny import CODEC, boards, put, result
from tests.waiting import wait_for, wait_for_async


def execute(database: str, *statements: str) -> None:
    engine = create_engine(database.replace("postgresql:", "postgresql+psycopg:", 1))
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def is_listening(database: str, since: datetime) -> bool:
    """Return whether a connection that was opened since then has asked for notifications."""
    listening = text("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND backend_start > :since")
    engine = create_engine(database.replace("postgresql:", "postgresql+psycopg:", 1))
    with engine.connect() as connection:
        asked = connection.execute(listening, {"since": since}).first()
    engine.dispose()
    return asked is not None


def test_a_follower_on_another_node_is_woken(
    database: str, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("overtrick.store.subscription.POLL_INTERVAL", 60.0)
    opened = datetime.now(UTC)
    with open_journal(database, CODEC) as ours, open_journal(database, CODEC) as theirs:

        async def evening() -> None:
            waiting = asyncio.create_task(take(follow(ours, "monday"), 1))
            await wait_for_async(lambda: looks == [0] and is_listening(database, opened))
            await asyncio.to_thread(put, theirs, "monday", 0, result(1))
            assert await asyncio.wait_for(waiting, 30) == [1]

        asyncio.run(evening())


class Ear:
    """A connection that hears every NOTIFY about streams whose names begin with a prefix of its own."""

    def __init__(self, database: str) -> None:
        self.prefix = uuid.uuid4().hex
        self.notes: list[list[str]] = []
        self.connection = psycopg.connect(database, autocommit=True)
        self.connection.execute(f"LISTEN {postgres.CHANNEL}")

    def has_heard(self, streams: set[str]) -> bool:
        """Return whether all these streams were named by now."""
        for note in self.connection.notifies(timeout=0.05):
            if note.payload.startswith(self.prefix):  # other tests use the same server
                self.notes.append(note.payload.split("\n"))
        return streams <= {stream for note in self.notes for stream in note}

    def stream(self, number: int) -> str:
        return f"{self.prefix}-{number:03}"


@pytest.fixture
def ear(database: str) -> Iterator[Ear]:
    opened = Ear(database)
    with contextlib.closing(opened.connection):
        yield opened


def test_commits_in_quick_succession_share_a_notification(
    database: str, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "NOTIFY_EVERY", 1.0)
    streams = [ear.stream(number) for number in range(30)]
    with open_journal(database, CODEC) as journal:
        began = time.monotonic()
        for stream in streams:
            put(journal, stream, 0, result(1))
        took = time.monotonic() - began
        wait_for(lambda: ear.has_heard(set(streams)))
        assert len(ear.notes) <= 2 + took / postgres.NOTIFY_EVERY
        assert sum(map(len, ear.notes)) == len(streams), "each is named once"


def test_names_that_do_not_fit_into_one_notification_come_in_several(
    database: str, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = {f"{ear.stream(number)}{'x' * 150}" for number in range(100)}
    with open_journal(database, CODEC) as journal:
        journal.engine.announce(streams)
        wait_for(lambda: ear.has_heard(streams))
    assert max(len("\n".join(note).encode()) for note in ear.notes) < 8_000


def test_notification_is_sent_after_the_commit(
    database: str, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within the transaction it would take a lock that all writers of the database share."""
    stream, seen = ear.stream(1), list[list[int]]()
    with open_journal(database, CODEC) as journal, open_journal(database, CODEC) as other:
        announce = journal.engine.announce

        def look_first(streams: Iterable[str]) -> None:
            seen.append(boards(other, stream))
            announce(streams)

        monkeypatch.setattr(journal.engine, "announce", look_first)
        put(journal, stream, 0, result(1))
        wait_for(lambda: ear.has_heard({stream}))
    assert seen == [[1]]


def test_notification_of_the_last_commit_is_sent_before_the_journal_is_closed(
    database: str, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "NOTIFY_EVERY", 60.0)
    with open_journal(database, CODEC) as journal:
        put(journal, ear.stream(1), 0, result(1))
        wait_for(lambda: ear.has_heard({ear.stream(1)}))
        put(journal, ear.stream(2), 0, result(1))
    wait_for(lambda: ear.has_heard({ear.stream(2)}), 5)


def test_a_follower_reads_also_what_it_was_not_notified_of(
    database: str, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "NOTIFY", "SELECT a mistake")
    monkeypatch.setattr("overtrick.store.subscription.POLL_INTERVAL", 0.05)
    with open_journal(database, CODEC) as ours, open_journal(database, CODEC) as theirs:

        async def evening() -> None:
            waiting = asyncio.create_task(take(follow(ours, "monday"), 2))
            await wait_for_async(lambda: looks)
            for number in (1, 2):
                await asyncio.to_thread(put, theirs, "monday", number - 1, result(number))
            assert await asyncio.wait_for(waiting, 30) == [1, 2]

        asyncio.run(evening())


def test_a_database_that_goes_away_and_comes_back(database: str) -> None:
    with open_journal(database, CODEC) as journal:
        put(journal, "monday", 0, result(1))
        cut = "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        execute(database, cut)
        with pytest.raises(JournalUnavailable, match="nothing was written"):
            put(journal, "monday", 1, result(2))
        put(journal, "monday", 1, result(2))
        assert boards(journal, "monday") == [1, 2]


def test_a_server_that_acknowledges_too_early_is_told_to_wait(database: str) -> None:
    with open_journal(
        database.replace("search_path", "synchronous_commit%3Doff%20-csearch_path"), CODEC
    ) as journal:
        assert journal.engine.rows("SHOW synchronous_commit") == [("on",)]
    with open_journal(
        database.replace("search_path", "synchronous_commit%3Dremote_apply%20-csearch_path"), CODEC
    ) as journal:
        assert journal.engine.rows("SHOW synchronous_commit") == [("remote_apply",)]


def test_a_newer_format_is_refused(database: str) -> None:
    open_journal(database, CODEC).close()
    execute(database, f"UPDATE journal_format SET version = {FORMAT + 1}")
    with pytest.raises(NewerJournal, match=f"format {FORMAT + 1}"):
        open_journal(database, CODEC)
    execute(database, "DELETE FROM journal_format")
    with pytest.raises(DamagedJournal, match="does not state its format"):
        open_journal(database, CODEC)


def test_an_older_format_is_brought_up_to_date(database: str) -> None:
    with open_journal(database, CODEC) as journal:
        put(journal, "monday", 0, result(1))
    execute(
        database,
        "DROP TABLE streams, sessions, changes",
        "DROP SEQUENCE item_numbers",
        "ALTER TABLE journal DROP COLUMN item",
        "UPDATE journal_format SET version = 1",
    )
    with open_journal(database, CODEC) as journal:
        assert journal.heads() == {"monday": 1}
        assert journal.engine.rows("SELECT version FROM journal_format") == [(FORMAT,)]


def test_file_of_another_program_is_refused_and_not_changed(database: str) -> None:
    with pytest.raises(NotAJournal, match="no journal here"):
        open_journal(database, CODEC, create=False)
    execute(database, "CREATE TABLE journal (entry text)")
    with pytest.raises(NotAJournal, match="of another program"):
        open_journal(database, CODEC)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(JournalUnavailable) as caught:
        open_journal("postgresql://club:secret@localhost:1/club?connect_timeout=2", CODEC)
    assert "secret" not in str(caught.value)
    assert "club:***@localhost" in str(caught.value)
    with pytest.raises(BadInput):
        open_journal("postgresql:what", CODEC)


def test_backup_of_postgres_names_pg_dump(database: str, tmp_path: Path) -> None:
    with open_journal(database, CODEC) as journal, pytest.raises(JournalError, match="pg_dump"):
        journal.backup(tmp_path / "copy")
