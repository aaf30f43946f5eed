"""A server is lost and started again, or a replica takes its place: nothing is shown that the journal does not have."""

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from overtrick.host.writer import Submission, Writer
from overtrick.store import Appended, Journal, open_journal
from overtrick.store.errors import JournalUnavailable
from overtrick.store.postgres import SKIPPED_ITEMS
from overtrick.store.projection import Projection
from tests.conftest import find_program
from tests.store.proxy import Proxy
from tests.store.server import Cluster
from tests.store.test_postgres import execute
from tests.store.tiny import CODEC, boards, put, result
from tests.waiting import wait_for

SYNCHRONOUS = "-c synchronous_standby_names='*'"


@pytest.fixture
def primary() -> Iterator[Cluster]:
    cluster = Cluster(find_program("pg_ctl"))
    try:
        cluster.make()
        cluster.start()
        yield cluster
    finally:
        with contextlib.suppress(RuntimeError):
            cluster.stop()
        cluster.remove()


@pytest.fixture
def replica(primary: Cluster) -> Iterator[Cluster]:
    """A replica that follows the primary."""
    cluster = primary.copy()
    try:
        cluster.start()
        yield cluster
    finally:
        with contextlib.suppress(RuntimeError):
            cluster.stop()
        cluster.remove()


@pytest.fixture
def proxy(primary: Cluster, tmp_path: Path) -> Iterator[Proxy]:
    """The name by which nodes know the server, whichever that is."""
    with Proxy(tmp_path, primary.folder) as made:
        yield made


@pytest.fixture
def journal(proxy: Proxy) -> Iterator[Journal]:
    with open_journal(f"postgresql://overtrick@/postgres?host={proxy.folder}", CODEC) as opened:
        put(opened, "monday", 0, result(1))
        yield opened


Boards = dict[str, list[int]]


def projection_of(journal: Journal) -> Projection[Boards]:
    return Projection(
        journal, dict, lambda state, entry: state.setdefault(entry.stream, []).append(entry.fact.board)
    )


def writer_of(journal: Journal) -> Writer[Boards, int, str]:
    """A writer of Monday that takes every board once."""

    def decide(state: Boards, board: int) -> list[tuple[str, object]] | str:
        return "It is there." if board in state.get("monday", ()) else [("monday", result(board))]

    return Writer(
        journal,
        start=lambda load: {},
        decide=decide,
        streams=lambda state, board: {"monday": True},
        apply=lambda state, stream, fact: state.setdefault(stream, []).append(fact.board),
        makes_item=lambda side, fact: True,
    )


def enter(writer: Writer[Boards, int, str], board: int, command_id: str) -> Appended | str | None:
    """Have a board written; None if the journal does not answer yet."""
    try:
        return writer.write(Submission(board, command_id, "control", ""))
    except JournalUnavailable:
        return None


def shown(projection: Projection[Boards]) -> Boards | None:
    """Return the answer for a page; None if the journal does not answer yet."""
    try:
        projection.catch_up(["monday"])
    except JournalUnavailable:
        return None
    return projection.state


def fail_over(primary: Cluster, replica: Cluster, proxy: Proxy) -> None:
    primary.stop()
    replica.promote()
    proxy.lead_to(replica.folder)
    proxy.reset()


def test_a_server_that_is_killed_and_started_again_has_everything(
    primary: Cluster, journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    writer, projection = writer_of(journal), projection_of(journal)
    assert enter(writer, 2, "phone 2")
    assert shown(projection) == {"monday": [1, 2]}
    primary.stop()
    assert enter(writer, 3, "phone 3") is None
    primary.start()
    answer = wait_for(lambda: enter(writer, 3, "phone 3"))
    assert isinstance(answer, Appended)
    assert wait_for(lambda: shown(projection)) == {"monday": [1, 2, 3]}
    assert journal.set_backs == 0
    assert journal.timeline == "00000001"
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_synchronous_replica_takes_over_and_nothing_acknowledged_is_lost(
    primary: Cluster, replica: Cluster, proxy: Proxy, journal: Journal
) -> None:
    primary.stop()
    primary.start(SYNCHRONOUS)
    writer, projection = writer_of(journal), projection_of(journal)
    wait_for(lambda: enter(writer, 2, "phone 2"))
    wait_for(lambda: enter(writer, 3, "phone 3"))
    fail_over(primary, replica, proxy)
    assert wait_for(lambda: shown(projection)) == {"monday": [1, 2, 3]}
    assert wait_for(lambda: enter(writer, 3, "phone 3")) == Appended(
        wait_for(lambda: journal.find("phone 3")).spans,  # type: ignore[union-attr]
        again=True,
    )
    assert journal.set_backs == 0


def test_an_asynchronous_replica_that_lacks_commits_sets_every_node_back(
    primary: Cluster, replica: Cluster, proxy: Proxy, journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    writer, projection = writer_of(journal), projection_of(journal)
    told: list[int] = []
    assert enter(writer, 2, "phone 2")
    assert shown(projection) == {"monday": [1, 2]}
    projection.subscribe(lambda entries: told.extend(entry.fact.board for entry in entries))
    wait_for(lambda: copied(replica) == [1, 2])
    execute_alone(replica.address, "ALTER SYSTEM SET primary_conninfo = ''")
    execute(replica.address, "SELECT pg_reload_conf()")
    wait_for(lambda: is_alone(primary))
    assert enter(writer, 3, "phone 3")
    assert enter(writer, 4, "phone 4")
    assert shown(projection) == {"monday": [1, 2, 3, 4]}
    lost = last_item(journal)
    fail_over(primary, replica, proxy)
    assert wait_for(lambda: shown(projection)) == {"monday": [1, 2]}, (
        "what is not in the journal is not shown"
    )
    assert journal.set_backs == 1
    assert journal.timeline == "00000002"
    assert "lacks facts that were acknowledged" in caplog.text
    answer = wait_for(lambda: enter(writer, 4, "phone 4"))
    assert isinstance(answer, Appended)
    assert not answer.again, "the phone sends again what it has"
    assert wait_for(lambda: shown(projection)) == {"monday": [1, 2, 4]}
    assert told == [3, 4, 4]
    assert last_item(journal) >= lost + SKIPPED_ITEMS, "no client has seen the id of a new item before"


def test_replaced_server_that_comes_back_is_not_used(
    primary: Cluster, replica: Cluster, proxy: Proxy, journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    """It takes writes as before, and lacks everything since the replica was promoted."""
    writer, projection = writer_of(journal), projection_of(journal)
    wait_for(lambda: copied(replica) == [1])
    fail_over(primary, replica, proxy)
    assert isinstance(wait_for(lambda: enter(writer, 2, "phone 2")), Appended)
    assert wait_for(lambda: shown(projection)) == {"monday": [1, 2]}
    primary.start()
    proxy.lead_to(primary.folder)
    proxy.reset()

    def is_refused() -> bool:
        assert enter(writer, 3, "phone 3") is None
        return "has been replaced" in caplog.text

    wait_for(is_refused)
    proxy.lead_to(replica.folder)
    proxy.reset()
    assert isinstance(wait_for(lambda: enter(writer, 3, "phone 3")), Appended)
    assert wait_for(lambda: shown(projection)) == {"monday": [1, 2, 3]}
    assert journal.set_backs == 0


def copied(replica: Cluster) -> list[int]:
    """Return the boards that a replica has; none while it has not even copied the tables."""
    with contextlib.suppress(JournalUnavailable), open_journal(replica.address, CODEC) as copy:
        return boards(copy, "monday")
    return []


def last_item(journal: Journal) -> int:
    """Return the id of the last queue item."""
    return max(entry.item or 0 for entry in journal.read("monday"))


def execute_alone(address: str, statement: str) -> None:
    """Execute a statement that may not be in a transaction."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement)


def is_alone(primary: Cluster) -> bool:
    """Return whether no replica follows a server."""
    import psycopg

    with psycopg.connect(primary.address) as connection:
        return connection.execute("SELECT count(*) FROM pg_stat_replication").fetchone() == (0,)
