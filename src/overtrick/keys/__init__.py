"""Who may do what: the director's password, the codes of tables, the tokens of programs, the clubs' licence keys.

Knows no page and no wire: whoever asks says what was shown, and is told whether that is right.
"""

from overtrick.keys.key_store import SHORTEST_PASSWORD, KeyRing, KeysDamaged, TokenScope, WeakPassword
from overtrick.keys.limits import RateLimit
from overtrick.keys.passwords import check_password, hash_password

__all__ = [
    "SHORTEST_PASSWORD",
    "KeyRing",
    "KeysDamaged",
    "RateLimit",
    "TokenScope",
    "WeakPassword",
    "check_password",
    "hash_password",
]
