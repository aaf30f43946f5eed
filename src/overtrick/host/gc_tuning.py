"""What a program does once, when it has loaded what it needs and begins to serve. Knows nothing of what is served."""

import contextlib
import gc
from collections.abc import Iterator

COLLECTING = (50_000, 20, 20)
"""How many more things have to be made than let go before garbage is looked for, in each generation."""


def settle() -> None:
    """Leave what is loaded out of every search for garbage: it stays for as long as the program runs.

    A search through modules, tables of rules and compiled models finds nothing and takes milliseconds, which
    whoever waits for an answer would notice.
    """
    gc.collect()
    gc.freeze()


@contextlib.contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for garbage seldom, and never in what is there now.

    A batch of results makes thousands of facts that stay, and a collection in the midst of it would look through
    them in vain, and through everything else in the runtime.
    """
    before = gc.get_threshold()
    settle()
    gc.set_threshold(*COLLECTING)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
