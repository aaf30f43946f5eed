import sys
from concurrent.futures import ThreadPoolExecutor

from overtrick.keys.limits import MOST_REMEMBERED, RateLimit


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
    limit.forgive("desk")
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
