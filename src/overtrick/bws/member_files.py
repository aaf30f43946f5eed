"""Files with the members of a club: CSV, USEBIO, or Bridgemate's `BMPlayerDB.mdb`. The content decides which."""

from pathlib import Path
from tempfile import TemporaryDirectory

from overtrick.bws.players import LOOKUP_FILE, decode_text, read_lookup
from overtrick.errors import BadInput
from overtrick.registry import Person
from overtrick.registry.member_lists import (
    MOST_LINES,
    TOO_MANY,
    person,
    read_member_list,
    read_usebio_members,
    split_name,
)
from overtrick.words import printable

ACCESS = b"\x00\x01\x00\x00"
"""The first bytes of an Access file."""


def read_member_file(content: bytes) -> list[tuple[int, Person]]:
    """Return the members in a file, each with its line or row; raise BadInput if it has none."""
    if content.startswith(ACCESS):
        with TemporaryDirectory() as folder:
            path = Path(folder) / LOOKUP_FILE
            path.write_bytes(content)
            players = read_lookup(path)
        if len(players) > MOST_LINES:
            raise BadInput(TOO_MANY)
        return [
            (line, person(printable(player.number), *split_name(printable(player.name))))
            for line, player in enumerate(players, start=2)
            if player.name
        ]
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return read_usebio_members(content)
    return read_member_list(decode_text(content))
