import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from overtrick.keys.limits import MOST_REMEMBERED, RateLimit, SharedRateLimit
from overtrick.store import open_journal
from overtrick.store.codec import event_codec
from overtrick.store.engine import JournalEngine
from tests.store.proxy import Proxy


def test_rate_limit_remembers_a_limited_number_of_clients() -> None:
    limit = RateLimit(1, 1, clock=lambda: 0.0)
    assert limit.take("first")
    assert not limit.take("first")
    for number in range(MOST_REMEMBERED):
        limit.take(str(number))
    assert limit.take("first")


def test_forgiven_client_may_try_again() -> None:
    limit = RateLimit(1, 0, clock=lambda: 0.0)
    assert limit.take("desk")
    assert not limit.take("desk")
    limit.reset("desk")
    assert limit.take("desk")


def test_many_at_once_get_no_more_tries_than_one_after_another() -> None:
    limit = RateLimit(100, 0, clock=lambda: 0.0)
    turns = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            allowed = sum(threads.map(lambda _: limit.take("10.0.0.7"), range(20_000)))
    finally:
        sys.setswitchinterval(turns)
    assert allowed == 100


# For all nodes of a journal -----------------------------------------------------------------------------------------


@pytest.fixture
def engines(database: str) -> Iterator[list[JournalEngine]]:
    """Return the engines of two nodes."""
    with ExitStack() as stack:
        yield [stack.enter_context(open_journal(database, event_codec())).engine for _ in range(2)]


def shared(engines: list[JournalEngine], burst: int, per_second: float) -> list[SharedRateLimit]:
    return [SharedRateLimit("pin", RateLimit(burst, per_second), engine.buckets) for engine in engines]


def test_two_nodes_together_give_no_more_tries_than_one(engines: list[JournalEngine]) -> None:
    limits = shared(engines, 5, 0)
    with ThreadPoolExecutor(8) as threads:
        allowed = list(threads.map(lambda number: limits[number % 2].take("A1"), range(16)))
    assert sum(allowed) == 5
    assert limits[0].take("A2"), "another place has tries of its own"


def test_a_try_is_given_back_and_forgiven_on_all_nodes(engines: list[JournalEngine]) -> None:
    here, there = shared(engines, 2, 0)
    assert here.take("A1")
    assert there.take("A1")
    there.give_back("A1")
    assert here.take("A1")
    assert not there.take("A1")
    here.reset("A1")
    assert there.take("A1")


def test_a_shared_bucket_fills_with_time_and_only_up_to_its_burst(engines: list[JournalEngine]) -> None:
    (here, there) = shared(engines, 2, 1 / 60)

    def tries_after(seconds: int) -> list[bool]:
        """Ask as a node that has just started."""
        engines[0].rows(f"UPDATE token_buckets SET at = at - interval '{seconds} seconds' RETURNING true")
        (node,) = shared(engines[:1], 2, 1 / 60)
        return [node.take("A1") for _ in range(2)]

    assert here.take("A1")
    assert there.take("A1")
    assert tries_after(20) == [False, False]
    assert tries_after(41) == [True, False]
    assert tries_after(7200) == [True, True]
    assert tries_after(0) == [False, False]


def test_buckets_of_long_ago_are_removed(engines: list[JournalEngine]) -> None:
    (here, _) = shared(engines, 2, 1)
    here.take("A1")
    engines[0].rows("UPDATE token_buckets SET at = at - interval '25 hours' RETURNING true")
    here.take("A2")
    assert engines[0].rows("SELECT name FROM token_buckets") == [("pin/A2",)]


def test_while_the_database_does_not_answer_a_node_has_a_limit_of_its_own(proxied: str, proxy: Proxy) -> None:
    with open_journal(proxied, event_codec()) as journal:
        (limit,) = shared([journal.engine], 3, 0)
        assert limit.take("A1")
        proxy.stays_cut = True
        proxy.reset()
        assert [limit.take("A1") for _ in range(3)] == [True, True, False]
        limit.give_back("A1")
        assert limit.take("A1")
        limit.reset("A1")
        assert limit.take("A1")
