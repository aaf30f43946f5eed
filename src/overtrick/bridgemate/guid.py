"""The guids of sessions as others write them. Their own form is `event.setup.is_guid`'s."""

from __future__ import annotations

import re
from uuid import NAMESPACE_URL, uuid5

from overtrick.event.setup import is_guid


def plain_guid(text: str) -> str:
    """Return a guid as 32 capital hexadecimal digits, or an empty text where the text is no guid.

    >>> plain_guid("{6f9619ff-8b86-d011-b42d-00c04fc964ff}"), plain_guid("evening")
    ('6F9619FF8B86D011B42D00C04FC964FF', '')
    """
    found = re.sub(r"[\s{}()-]", "", text).upper()
    return found if is_guid(found) else ""


def derived_guid(name: str, session: int) -> str:
    """Return the guid of a session that has none: always the same for a file's name and the session's ID."""
    return uuid5(NAMESPACE_URL, f"bws:{name}:{session}").hex.upper()


def guid_text(guid: str) -> str:
    """Return a guid as Windows writes it.

    >>> guid_text("6F9619FF8B86D011B42D00C04FC964FF")
    '6F9619FF-8B86-D011-B42D-00C04FC964FF'
    """
    return "-".join((guid[:8], guid[8:12], guid[12:16], guid[16:20], guid[20:]))
