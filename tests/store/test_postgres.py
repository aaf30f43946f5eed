"""Behaviour of PostgreSQL alone: waking other nodes, refusing foreign databases, and outages."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from overtrick.errors import BadInput
from overtrick.store import follow, open_journal
from overtrick.store.errors import DamagedJournal, JournalError, JournalUnavailable, NewerJournal, NotAJournal
from overtrick.store.tables import FORMAT
from tests.store.test_subscription import take
from tests.store.tiny import CODEC, boards, put, result
from tests.waiting import wait_for_async


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
    monkeypatch.setattr("overtrick.store.subscription.LOOK_EVERY", 60.0)
    opened = datetime.now(UTC)
    with open_journal(database, CODEC) as ours, open_journal(database, CODEC) as theirs:

        async def evening() -> None:
            waiting = asyncio.create_task(take(follow(ours, "monday"), 1))
            await wait_for_async(lambda: looks == [0] and is_listening(database, opened))
            await asyncio.to_thread(put, theirs, "monday", 0, result(1))
            assert await asyncio.wait_for(waiting, 30) == [1]

        asyncio.run(evening())


def test_a_database_that_goes_away_and_comes_back(database: str) -> None:
    with open_journal(database, CODEC) as journal:
        put(journal, "monday", 0, result(1))
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
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
    with pytest.raises(DamagedJournal, match="not told"):
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
