"""The director's PIN as a device may have it: hashed, so that it can be checked without the network and not be read.

Four digits are soon tried out by a program; this keeps them from whoever looks at what a phone has kept.
"""

from dataclasses import replace
from functools import lru_cache
from hashlib import pbkdf2_hmac

from overtrick.control.snapshot import Snapshot

ROUNDS = 4_000
"""Enough to take a phone a moment for one PIN, and minutes for all of them."""


@lru_cache(maxsize=1024)
def hide_pin(pin: str, salt: str) -> str:
    """A PIN as rounds, salt and digest; the same one is hidden the same way every time.

    >>> hide_pin("1234", "A")[:7], hide_pin("1234", "A") == hide_pin("4321", "A")
    ('4000$A$', False)
    """
    return f"{ROUNDS}${salt}${_stretched(pin, salt, ROUNDS)}"


def without_pin(snapshot: Snapshot) -> Snapshot:
    """A snapshot that can be given to a device of the players."""
    hidden = hide_pin(snapshot.rules.pin, f"{snapshot.session}/{snapshot.section}")
    return replace(snapshot, rules=replace(snapshot.rules, pin=hidden))


def _stretched(text: str, salt: str, rounds: int) -> str:
    return pbkdf2_hmac("sha256", text.encode(), salt.encode(), rounds).hex()
