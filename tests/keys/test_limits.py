from overtrick.keys.limits import MOST_REMEMBERED, RateLimit


def test_nobody_can_fill_the_memory() -> None:
    limit = RateLimit(1, 1, clock=lambda: 0.0)
    assert limit.take("first")
    assert not limit.take("first")
    for number in range(MOST_REMEMBERED):
        limit.take(str(number))
    assert limit.take("first")


def test_forgiven() -> None:
    limit = RateLimit(1, 0, clock=lambda: 0.0)
    assert limit.take("desk")
    assert not limit.take("desk")
    limit.forgive("desk")
    assert limit.take("desk")
