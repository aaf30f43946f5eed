"""A journal in PostgreSQL when the server or the network fails: a limit, a sentence, and nothing lost."""

import contextlib
import threading
import time
from collections.abc import Iterator

import pytest

from overtrick.store import Journal, limited_connection, open_journal, postgres
from overtrick.store.errors import JournalUnavailable
from tests.conftest import find_program
from tests.store.proxy import Proxy
from tests.store.server import Cluster
from tests.store.test_postgres import execute
from tests.store.tiny import CODEC, boards, put, rebuild, result
from tests.waiting import wait_for

AT_ONCE = 1.0
"""Seconds in which somebody hears who does not wait for the server."""


@pytest.fixture
def journal(proxied: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Journal]:
    """A journal that is reached through a proxy and waits a second for the server."""
    monkeypatch.setattr(limited_connection.LimitedConnection, "silence", 1.0)
    monkeypatch.setattr(limited_connection, "RETRY_INTERVAL", 0.05)
    with open_journal(f"{proxied}&connect_timeout=2", CODEC) as opened:
        put(opened, "monday", 0, result(1))
        yield opened


def is_put(journal: Journal) -> bool:
    """Put the second board; False if the journal does not take it yet."""
    try:
        put(journal, "monday", 1, result(2))
    except JournalUnavailable:
        return False
    return True


def is_read(journal: Journal) -> bool:
    """Read both boards; False if the journal does not answer yet: reading has connections of its own."""
    try:
        return boards(journal, "monday") == [1, 2]
    except JournalUnavailable:
        return False


def test_stalled_network_is_a_sentence_and_afterwards_everything_goes_on(
    journal: Journal, proxy: Proxy
) -> None:
    boards(journal, "monday")
    proxy.flows.clear()
    with pytest.raises(JournalUnavailable, match="does not answer"):
        put(journal, "monday", 1, result(2))
    for _ in range(3):
        began = time.monotonic()
        with pytest.raises(JournalUnavailable, match="does not answer"):
            journal.heads()
        assert time.monotonic() - began < AT_ONCE, "while the server is lost nobody waits for it"
    proxy.flows.set()

    def is_back() -> bool:
        try:
            return journal.heads() == {"monday": 1}
        except JournalUnavailable:
            return False

    wait_for(is_back)
    put(journal, "monday", 1, result(2))
    assert boards(journal, "monday") == [1, 2]


def test_network_that_stalls_after_the_tables_were_rebuilt_is_noticed(journal: Journal, proxy: Proxy) -> None:
    rebuild(journal)
    proxy.flows.clear()
    opened = threading.Timer(10, proxy.flows.set)  # ends a wait without a limit
    opened.start()
    try:
        with pytest.raises(JournalUnavailable, match="does not answer"):
            put(journal, "monday", 1, result(2))
    finally:
        opened.cancel()
        proxy.flows.set()


def test_failure_at_the_start_of_opening_is_the_one_that_is_raised(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    def fail(cursor: object) -> None:
        raise psycopg.OperationalError("the connection was lost")

    monkeypatch.setattr(postgres, "_lift_time_limits", fail)
    with pytest.raises(JournalUnavailable, match="the connection was lost"):
        open_journal(database, CODEC)


def test_connections_reset_by_the_network_are_made_again(journal: Journal, proxy: Proxy) -> None:
    proxy.reset()
    with pytest.raises(JournalUnavailable):
        put(journal, "monday", 1, result(2))

    wait_for(lambda: is_put(journal))
    wait_for(lambda: is_read(journal))


def test_lock_of_a_sleeping_node_is_waited_for_with_a_limit(database: str) -> None:
    with (
        open_journal(database, CODEC) as asleep,
        open_journal(f"{database}%20-clock_timeout%3D200", CODEC) as ours,
    ):
        put(ours, "monday", 0, result(1))
        with asleep.holding({"monday": True}):
            with pytest.raises(JournalUnavailable, match="lock timeout"):
                put(ours, "monday", 1, result(2))
            put(ours, "tuesday", 0, result(1))
        put(ours, "monday", 1, result(2))


def test_node_that_sleeps_within_a_transaction_loses_its_locks(database: str) -> None:
    limit = "%20-cidle_in_transaction_session_timeout%3D200"
    with open_journal(f"{database}{limit}", CODEC) as asleep, open_journal(database, CODEC) as ours:
        put(ours, "monday", 0, result(1))
        locked, woken = threading.Event(), threading.Event()

        def hold_and_write_late() -> None:
            with asleep.holding({"monday": True}):
                locked.set()
                woken.wait(30)
                put(asleep, "monday", 1, result(3))

        def be_told() -> None:
            with pytest.raises(JournalUnavailable):
                hold_and_write_late()

        thread = threading.Thread(target=be_told)
        thread.start()
        assert locked.wait(30)
        put(ours, "monday", 1, result(2))
        woken.set()
        thread.join(30)
        assert boards(ours, "monday") == [1, 2]


def test_database_that_becomes_read_only_and_writable_again(database: str) -> None:
    with open_journal(database, CODEC) as journal:
        put(journal, "monday", 0, result(1))
        cut = "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        # Committed before the connections are cut: a pool that connects again at once must find it.
        execute(database, "ALTER DATABASE postgres SET default_transaction_read_only = on")
        execute(database, cut)
        try:
            for _ in range(2):
                with pytest.raises(JournalUnavailable):
                    put(journal, "monday", 1, result(2))
            assert boards(journal, "monday") == [1]
        finally:
            writable = f"{database}%20-cdefault_transaction_read_only%3Doff"
            execute(writable, "ALTER DATABASE postgres RESET default_transaction_read_only")
            execute(writable, cut)
        wait_for(lambda: is_put(journal))
        wait_for(lambda: is_read(journal))


CONNECTIONS = 12
"""Connections that the server of the next test allows."""


def test_server_whose_connections_are_all_taken_is_tried_until_one_is_free() -> None:
    import psycopg

    cluster = Cluster(find_program("pg_ctl"))
    try:
        cluster.make()
        cluster.start(f"-c max_connections={CONNECTIONS} -c superuser_reserved_connections=0")
        with contextlib.ExitStack() as taken, open_journal(cluster.address, CODEC) as journal:
            put(journal, "monday", 0, result(1))
            killer = psycopg.connect(cluster.address, autocommit=True)
            taken.callback(killer.close)
            ours = [killer.info.backend_pid]

            def are_all_ours() -> bool:
                """Take one more connection; a slot is free only some time after its backend was terminated."""
                killer.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> ALL(%s)", [ours]
                )
                with contextlib.suppress(psycopg.OperationalError):
                    connection = psycopg.connect(cluster.address)
                    taken.callback(connection.close)
                    ours.append(connection.info.backend_pid)
                return len(ours) == CONNECTIONS

            wait_for(are_all_ours, 30)
            for _ in range(2):
                with pytest.raises(JournalUnavailable, match=r"does not answer|terminat"):
                    put(journal, "monday", 1, result(2))
            taken.close()
            wait_for(lambda: is_put(journal))
            assert boards(journal, "monday") == [1, 2]
    finally:
        with contextlib.suppress(RuntimeError):
            cluster.stop()
        cluster.remove()
