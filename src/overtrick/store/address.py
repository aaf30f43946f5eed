"""Addresses of databases in what a person typed, and how sentences name them: without the password."""

import re

POSTGRES = ("postgresql:", "postgresql+", "postgres:")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_USER = re.compile(r"^([^:]*:/{1,2}[^:/@]*):.*@", re.DOTALL)
_PORT = re.compile(r"^([^:]*:/{1,2}[^:/@]*):(?![0-9]+(?:[/?]|$))[^@/?]*(?=[/?]|$)", re.DOTALL)
_QUERY = re.compile(r"((?:^|[?&])[a-z]*pass[a-z]*=)[^&]*", re.IGNORECASE)


def is_address(where: object) -> bool:
    """True if this is an address and not the path of a file, also where it was read as a path.

    >>> is_address("postgresql://club@host/db"), is_address("mysql://host"), is_address("C:/club.overtrick")
    (True, True, False)
    """
    text = str(where)
    return text.startswith(POSTGRES) or _ADDRESS.match(text) is not None


def without_password(address: str) -> str:
    """Return an address as a sentence may name it, whatever is wrong with it.

    >>> without_password("postgresql://club:secret@host:port/db"), without_password("postgresql:secret")
    ('postgresql://club:***@host:port/db', 'postgresql:…')
    >>> without_password("postgresql://host/db?user=club&password=secret")
    'postgresql://host/db?user=club&password=***'
    """
    scheme, _, rest = address.partition(":")
    if not rest.startswith("/"):
        return f"{scheme}:…"
    # Who forgets the host has the password where the port belongs.
    return _QUERY.sub(r"\1***", _PORT.sub(r"\1:***", _USER.sub(r"\1:***@", address)))
