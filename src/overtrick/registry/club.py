"""The club that runs the journal's events: its name, number and logo, in a small document beside the journal.

The document is a file of the journal's folder or a row of its database, so every node of a club shows the same.
"""

import base64
from dataclasses import dataclass, replace
from typing import Any

from overtrick.errors import BadInput, OvertrickError
from overtrick.registry.json_document import JsonDocument

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
    exit_status = 2


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
            raise BadInput("A club's name and number cannot contain control characters. Nothing was changed.")
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


class ClubStore(JsonDocument[Club]):
    """The club's document."""

    name = "club.json"
    title = "The club's name and logo"
    damaged = ClubDamaged

    def parse(self, values: dict[str, Any]) -> Club:
        """Return the club in a document."""
        if not values:
            return Club()
        return Club(values["name"], values["number"], base64.b64decode(values["logo"], validate=True))

    def dump(self, value: Club) -> dict[str, Any]:
        """Return the club as a document."""
        return {"name": value.name, "number": value.number, "logo": base64.b64encode(value.logo).decode()}

    def club(self) -> Club:
        """Return the club; one without a name if none was saved. Read again if another process has changed it."""
        return self.value()

    def save(self, name: str, number: str, logo: bytes | None = None) -> Club:
        """Save the club; None keeps the logo, and empty bytes remove it. Raise BadInput if a part is not valid."""

        def change(now: Club) -> Club:
            club = replace(now, name=name.strip(), number=number.strip())
            return club if logo is None else replace(club, logo=logo)

        self.change(change)
        return self.club()
