"""Access control: the director's password, codes of tables, tokens of programs and licence keys of clubs.

Has no dependency on the web or the connector: callers pass a secret in and learn whether it is valid.
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
