"""The club that runs the journal's events: its name, number and logo, in a small document beside the journal.

The document is a file of the journal's folder or a row of its database, so every node of a club shows the same.
"""

import base64
import json
import threading
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from overtrick.errors import BadInput, OvertrickError
from overtrick.store.documents import Documents

DOCUMENT = "club.json"
LONGEST_NAME = 100
LONGEST_NUMBER = 30
LARGEST_LOGO = 200_000
"""The limit on a logo, in bytes: every visitor loads it."""

LOGO_STARTS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpg"}
"""The first bytes of the accepted images, and how their file names end.

SVG is not accepted: it may contain scripts, and a published site is served without our security headers.
"""


class ClubDamaged(OvertrickError):
    """The club's document cannot be read or written; it was not changed."""

    code = "club-damaged"


@dataclass(frozen=True, slots=True)
class Club:
    """A club as its pages and files name it."""

    name: str = ""
    number: str = ""
    """The number that the federation assigned."""
    logo: bytes = b""

    def __post_init__(self) -> None:
        if len(self.name) > LONGEST_NAME or len(self.number) > LONGEST_NUMBER:
            raise BadInput(
                f"A club's name has at most {LONGEST_NAME} characters and its number {LONGEST_NUMBER}. "
                "Nothing was changed."
            )
        if not (self.name + self.number).isprintable():
            raise BadInput("A club's name and number have no control characters. Nothing was changed.")
        if len(self.logo) > LARGEST_LOGO:
            raise BadInput(f"The logo is larger than {LARGEST_LOGO // 1000} kB. Nothing was changed.")
        if self.logo and not self.logo_suffix:
            raise BadInput("The logo is not a PNG or JPEG image. Nothing was changed.")

    @property
    def logo_suffix(self) -> str:
        """Return the end of the logo's file name, `png` or `jpg`, by its content; empty without a logo."""
        return next((end for start, end in LOGO_STARTS.items() if self.logo.startswith(start)), "")

    @property
    def logo_file(self) -> str:
        """Return the file name of the logo; empty without one."""
        return f"logo.{self.logo_suffix}" if self.logo else ""


class ClubStore:
    """The club's document. Thread-safe; a change is durable when `save` returns."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._lock = threading.Lock()
        self._seen: Hashable | None = None
        self._club = Club()

    def club(self) -> Club:
        """Return the club; one without a name if none was saved. Read again if another process has changed it."""
        try:
            stamp = self._documents.stamp(DOCUMENT)
            if stamp != self._seen:
                self._club = Club() if stamp is None else _parse(self._documents.read(DOCUMENT))
                self._seen = stamp
        except (OSError, ValueError, TypeError, KeyError, AttributeError, BadInput) as error:
            raise ClubDamaged(
                f"The club's name and logo cannot be read ({error}); they were not changed.",
                where=self._documents.place(DOCUMENT),
            ) from error
        return self._club

    def save(self, name: str, number: str, logo: bytes | None = None) -> Club:
        """Save the club; None keeps the logo, and empty bytes remove it. Raise BadInput if a part is not valid."""
        with self._lock:
            club = replace(self.club(), name=name.strip(), number=number.strip())
            if logo is not None:
                club = replace(club, logo=logo)
            try:
                is_written = self._documents.write(DOCUMENT, _text(club).encode(), self._seen)
            except OSError as error:
                raise ClubDamaged(
                    f"The club's name and logo cannot be written ({error.strerror or error}); they were not changed.",
                    where=self._documents.place(DOCUMENT),
                ) from error
            if not is_written:
                raise BadInput(
                    "Another desk changed the club's details at the same time. Nothing was changed here."
                )
        return self.club()


def _text(club: Club) -> str:
    logo = base64.b64encode(club.logo).decode()
    return json.dumps({"format": 1, "name": club.name, "number": club.number, "logo": logo})


def _parse(content: bytes) -> Club:
    values: dict[str, Any] = json.loads(content)
    if values["format"] != 1:
        raise ValueError("it was written by a newer Overtrick")
    return Club(values["name"], values["number"], base64.b64decode(values["logo"], validate=True))
