"""A server's settings of the garbage collector, each in a process of its own: tests run without them."""

import subprocess
import sys

PROGRAM = """
import gc
from overtrick.host.gc_tuning import SERVER_THRESHOLDS, rare_collection

before = gc.get_threshold()
with rare_collection():
    assert gc.get_threshold() == SERVER_THRESHOLDS
    assert gc.get_freeze_count() > 1000
assert gc.get_threshold() == before
assert gc.get_freeze_count() == 0
"""


def test_garbage_is_collected_seldom_only_while_serving() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=50)
