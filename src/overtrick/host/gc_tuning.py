"""Garbage collector settings for a server. Has no dependency on what is served."""

import contextlib
import gc
from collections.abc import Iterator

SERVER_THRESHOLDS = (50_000, 20, 20)
"""The thresholds of `gc.set_threshold` while a server runs."""


def freeze_objects() -> None:
    """Exclude everything that exists now from garbage collection (`gc.freeze`).

    Modules, rule tables and compiled models live as long as the program. Scanning them finds nothing and adds
    milliseconds to a response.
    """
    gc.collect()
    gc.freeze()


@contextlib.contextmanager
def rare_collection() -> Iterator[None]:
    """Collect garbage rarely while the block runs, and never scan objects that exist now.

    A batch of results makes thousands of facts that stay; a collection in the middle of it would scan them and the
    whole state for nothing.
    """
    previous = gc.get_threshold()
    freeze_objects()
    gc.set_threshold(*SERVER_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*previous)
        gc.unfreeze()
