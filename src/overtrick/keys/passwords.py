"""Password hashes: scrypt, with its parameters in the text. Pure: no I/O."""

import base64
import binascii
import hashlib
import hmac
import secrets

COST, BLOCK, PARALLEL = 2**15, 8, 1
"""scrypt parameters: 32 MiB and about a tenth of a second per try on a small computer."""
MEMORY = 128 * 1024 * 1024
SALT = 16


def hash_password(password: str) -> str:
    """Return the hash of a password for storage.

    >>> stored = hash_password("seven no trump")
    >>> stored.startswith("scrypt$32768$8$1$"), check_password("seven no trump", stored), check_password("pass", stored)
    (True, True, False)
    """
    salt = secrets.token_bytes(SALT)
    digest = _digest(password, salt, COST, BLOCK, PARALLEL)
    return f"scrypt${COST}${BLOCK}${PARALLEL}${_text(salt)}${_text(digest)}"


def check_password(password: str, stored_hash: str) -> bool:
    """Return whether the password matches a stored hash; False if the hash is not valid."""
    try:
        kind, cost, block, parallel, salt, digest = stored_hash.split("$")
        if kind != "scrypt" or int(cost) > 2**17 or int(block) > 8 or int(parallel) > 4:
            return False
        computed = _digest(password, base64.b64decode(salt), int(cost), int(block), int(parallel))
        return hmac.compare_digest(computed, base64.b64decode(digest))
    except (ValueError, binascii.Error):
        return False


def _digest(password: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogatepass"), salt=salt, n=cost, r=block, p=parallel, maxmem=MEMORY
    )


def _text(octets: bytes) -> str:
    return base64.b64encode(octets).decode()
