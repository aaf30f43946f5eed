"""What goes over a live stream, made once however many read it: a message as it is, and squeezed.

A squeezed message refers to nothing before it, so that the same bytes fit into everyone's stream, wherever that stream
is. Knows no session and no connection.
"""

import json
import zlib
from collections.abc import Mapping
from typing import cast

from overtrick.web.keyed_rows import Patch, Rows, difference

Regions = Mapping[str, "str | Rows"]
"""The parts of a page that change, by their name: HTML, or rows."""

SQUEEZED_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""How a gzip stream begins that does not say when it was made, or where."""
LEVEL = 5
"""How hard a message is squeezed."""


class Piece:
    """A piece of a stream."""

    __slots__ = ("_squeezed", "plain")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self._squeezed: bytes | None = None

    @property
    def squeezed(self) -> bytes:
        """The same for a stream that is being unzipped; it ends on a whole byte and needs nothing before it."""
        if self._squeezed is None:
            squeeze = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
            self._squeezed = squeeze.compress(self.plain) + squeeze.flush(zlib.Z_FULL_FLUSH)
        return self._squeezed


STILL_HERE = Piece(b": still here\n\n")
HELLO = Piece(b"retry: 2000\n\n")
"""Where a stream begins; a browser that loses it comes back after two seconds."""


def drawn(regions: Regions) -> dict[str, str]:
    """All parts of a page as HTML."""
    return {name: part.draw() if isinstance(part, Rows) else part for name, part in regions.items()}


def whole(mark: str, regions: Regions) -> Piece:
    """All parts of a page, for who has none of them or an older one."""
    return _event(mark, drawn(regions))


def change(mark: str, before: Regions, after: Regions) -> Piece | None:
    """What makes a page the newer one; None where nothing has changed."""
    changed: dict[str, str | Patch] = {}
    for name, part in after.items():
        was = before.get(name)
        if isinstance(part, Rows):
            patch = difference(was, part) if isinstance(was, Rows) else None
            if patch is None:
                changed[name] = part.draw()
            elif patch:
                changed[name] = patch
        elif was != part:
            changed[name] = part
    return _event(mark, changed) if changed else None


def _event(mark: str, parts: Mapping[str, object]) -> Piece:
    text = json.dumps(cast(object, parts), ensure_ascii=False, separators=(",", ":"))
    return Piece(f"id: {mark}\nevent: regions\ndata: {text}\n\n".encode())
