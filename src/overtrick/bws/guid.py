"""The guids of sessions, as texts of several shapes. Knows nothing else."""

from __future__ import annotations

import re


def plain_guid(text: str) -> str:
    """A guid as 32 digits and capitals, or nothing where the text is none.

    >>> plain_guid("{6f9619ff-8b86-d011-b42d-00c04fc964ff}"), plain_guid("evening")
    ('6F9619FF8B86D011B42D00C04FC964FF', '')
    """
    found = re.sub(r"[\s{}()-]", "", text).upper()
    return found if re.fullmatch(r"[0-9A-F]{32}", found) else ""


def derived_guid(name: str, session: int) -> str:
    """The guid of a session that has none: always the same for a file's name and the session's ID."""
    from uuid import NAMESPACE_URL, uuid5

    return uuid5(NAMESPACE_URL, f"bws:{name}:{session}").hex.upper()


def guid_text(guid: str) -> str:
    """A guid as Windows writes it.

    >>> guid_text("6F9619FF8B86D011B42D00C04FC964FF")
    '6F9619FF-8B86-D011-B42D-00C04FC964FF'
    """
    return "-".join((guid[:8], guid[8:12], guid[12:16], guid[16:20], guid[20:]))
