"""Secrets and limits: the director's password, table codes, API tokens, clubs' licence keys, and rate limits.

Has no dependency on the web or the connector: callers pass a secret and get whether it is valid.
"""

from overtrick.keys.key_store import SHORTEST_PASSWORD, KeyRing, KeysDamaged, TokenScope, WeakPassword
from overtrick.keys.limits import RateLimit, SharedRateLimit
from overtrick.keys.passwords import check_password, hash_password

__all__ = [
    "SHORTEST_PASSWORD",
    "KeyRing",
    "KeysDamaged",
    "RateLimit",
    "SharedRateLimit",
    "TokenScope",
    "WeakPassword",
    "check_password",
    "hash_password",
]
