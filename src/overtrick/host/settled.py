"""What a program does once, when it has loaded what it needs and begins to serve. Knows nothing of what is served."""

import gc


def settle() -> None:
    """Leave what is loaded out of every search for garbage: it stays for as long as the program runs.

    A search through modules, tables of rules and compiled models finds nothing and takes milliseconds, which
    whoever waits for an answer would notice.
    """
    gc.collect()
    gc.freeze()
