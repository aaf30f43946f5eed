import gc

from overtrick.host.serve import COLLECTING, seldom_collecting


def test_garbage_is_looked_for_seldom_and_only_while_serving() -> None:
    before = gc.get_threshold()
    with seldom_collecting():
        assert gc.get_threshold() == COLLECTING
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
