import gc
import subprocess
import sys

from overtrick.host.gc_tuning import COLLECTING, seldom_collecting


def test_settled_objects_are_excluded_from_garbage_collection() -> None:
    program = "import gc; from overtrick.host.gc_tuning import settle; settle(); print(gc.get_freeze_count() > 1000)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=50
    )
    assert ran.stdout == "True\n"


def test_garbage_thresholds_are_raised_only_while_serving() -> None:
    before = gc.get_threshold()
    with seldom_collecting():
        assert gc.get_threshold() == COLLECTING
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
