"""Database addresses: recognise them, separate their passwords, and hide these in sentences."""

import re
from urllib.parse import unquote

POSTGRES = ("postgresql:", "postgresql+", "postgres:")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_USER = re.compile(r"^([^:]*:/{1,2}[^:/@]*):.*@", re.DOTALL)
_PORT = re.compile(r"^([^:]*:/{1,2}[^:/@]*):(?![0-9]+(?:[/?]|$))[^@/?]*(?=[/?]|$)", re.DOTALL)
_IN_USER = re.compile(r"(postgres(?:ql)?(?:\+\w+)?:/{1,2}[^:/@?]*)(:[^@]*)@")
_IN_QUERY = re.compile(r"(postgres(?:ql)?(?:\+\w+)?:[^?]*\?(?:[^&]*&)*?)(password=[^&]*&?)")
_QUERY = re.compile(r"((?:^|[?&])[a-z]*pass[a-z]*=)[^&]*", re.IGNORECASE)


def is_address(where: object) -> bool:
    """Return whether this is an address and not the path of a file, even if it is a Path.

    >>> is_address("postgresql://club@host/db"), is_address("mysql://host"), is_address("C:/club.overtrick")
    (True, True, False)
    """
    text = str(where)
    return text.startswith(POSTGRES) or _ADDRESS.match(text) is not None


def split_password(word: str) -> tuple[str, str]:
    """Return a word of a command line without the password of an address in it, and that password.

    >>> split_password("--data=postgresql://club:s%40cret@host/db"), split_password("--data=C:/club")
    (('--data=postgresql://club@host/db', 's@cret'), ('--data=C:/club', ''))
    >>> split_password("postgresql:///db?user=club&password=secret&port=1")
    ('postgresql:///db?user=club&port=1', 'secret')
    """
    for pattern in (_IN_USER, _IN_QUERY):
        if match := pattern.search(word):
            rest = word[: match.start(2)] + word[match.end(2) :]
            return rest, unquote(match[2].strip(":&").removeprefix("password="))
    return word, ""


def place_without_password(place: object) -> str:
    """Return a path, or an address without its password, for a sentence.

    >>> place_without_password("postgresql://club:secret@host/db"), place_without_password("club/evening")
    ('postgresql://club:***@host/db', 'club/evening')
    """
    return without_password(str(place)) if is_address(place) else str(place)


def without_password(address: str) -> str:
    """Return an address with the password masked, even if the address is malformed.

    >>> without_password("postgresql://club:secret@host:port/db"), without_password("postgresql:secret")
    ('postgresql://club:***@host:port/db', 'postgresql:…')
    >>> without_password("postgresql://host/db?user=club&password=secret")
    'postgresql://host/db?user=club&password=***'
    """
    scheme, _, rest = address.partition(":")
    if not rest.startswith("/"):
        return f"{scheme}:…"
    # Without a host, the password is in the place of the port.
    return _QUERY.sub(r"\1***", _PORT.sub(r"\1:***", _USER.sub(r"\1:***@", address)))
