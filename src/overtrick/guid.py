"""The guids of sessions and events, in our own form and as others write them. Depends on nothing."""

import re

GUID = re.compile(r"[0-9A-F]{32}")
"""Our own form, which is also the Data Connector's."""


def is_guid(text: str | None) -> bool:
    """Return whether this is a guid in our own form: 32 capital hexadecimal digits.

    >>> is_guid("6D115AF1ABEB4462A299B1FE86274949"), is_guid("4f24d8a2-2b6c-4a72-9e6a-8901a5a8b3c1")
    (True, False)
    """
    return text is not None and GUID.fullmatch(text) is not None


def new_guid() -> str:
    """Return a guid that no session or event has."""
    from uuid import uuid4

    return uuid4().hex.upper()


def plain_guid(text: str) -> str:
    """Return a guid as 32 capital hexadecimal digits, or an empty text where the text is no guid.

    >>> plain_guid("{6f9619ff-8b86-d011-b42d-00c04fc964ff}"), plain_guid("evening")
    ('6F9619FF8B86D011B42D00C04FC964FF', '')
    """
    digits = re.sub(r"[\s{}()-]", "", text).upper()
    return digits if is_guid(digits) else ""


def derived_guid(name: str, session: int) -> str:
    """Return the guid of a session that has none: always the same for a file's name and the session's ID."""
    from uuid import NAMESPACE_URL, uuid5

    return uuid5(NAMESPACE_URL, f"bws:{name}:{session}").hex.upper()


def guid_text(guid: str) -> str:
    """Return a guid as Windows writes it.

    >>> guid_text("6F9619FF8B86D011B42D00C04FC964FF")
    '6F9619FF-8B86-D011-B42D-00C04FC964FF'
    """
    return "-".join((guid[:8], guid[8:12], guid[12:16], guid[16:20], guid[20:]))
