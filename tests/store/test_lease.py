"""The lease on a role: one process of all nodes has it, and a node that sleeps loses it."""

from collections.abc import Iterator

import pytest

from overtrick.store import Journal, lease, open_journal
from overtrick.store.lease import Lease, is_taken
from overtrick.store.postgres import PostgresEngine
from tests.store.test_postgres import execute
from tests.store.tiny import CODEC
from tests.waiting import wait_for

ROLE = "control"


@pytest.fixture
def nodes(database: str) -> Iterator[tuple[PostgresEngine, PostgresEngine]]:
    with open_journal(database, CODEC) as one, open_journal(database, CODEC) as other:
        yield engine(one), engine(other)


def engine(journal: Journal) -> PostgresEngine:
    assert isinstance(journal.engine, PostgresEngine)
    return journal.engine


def test_one_node_has_a_role_until_it_leaves_it(nodes: tuple[PostgresEngine, PostgresEngine]) -> None:
    here, there = nodes
    first = Lease(here, ROLE)
    second = Lease(there, ROLE)
    try:
        assert first.is_held
        assert not second.is_held
        assert is_taken(there, ROLE)
        assert not is_taken(there, "another role")
        first.close()
        wait_for(lambda: second.is_held)
    finally:
        first.close()
        second.close()
    assert not is_taken(here, ROLE)


def test_a_node_whose_connection_is_ended_gets_the_role_again(
    database: str, nodes: tuple[PostgresEngine, PostgresEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "RENEW_EVERY", 0.1)
    held = Lease(nodes[0], ROLE)
    try:
        cut = "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        execute(database, cut)
        wait_for(lambda: not held.is_held or is_taken(nodes[1], ROLE))
        wait_for(lambda: held.is_held and is_taken(nodes[1], ROLE))
    finally:
        held.close()


def test_a_node_that_sleeps_loses_the_role_to_another(
    nodes: tuple[PostgresEngine, PostgresEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LEASE_SECONDS", 1.0)
    monkeypatch.setattr(lease, "MARGIN", 0.5)
    monkeypatch.setattr(lease, "RENEW_EVERY", 30.0)
    asleep = Lease(nodes[0], ROLE)
    assert asleep.is_held
    wait_for(lambda: not is_taken(nodes[1], ROLE))
    assert not asleep.is_held, "its own clock tells it before the server does"
    awake = Lease(nodes[1], ROLE)
    try:
        assert awake.is_held
        assert not asleep.is_held
    finally:
        awake.close()
        asleep.close()
