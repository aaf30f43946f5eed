"""Messages of a live stream, each encoded once for all readers: plain and gzipped.

A gzipped message refers to nothing before it, so that the same bytes fit into every stream at any point. Has no
dependency on sessions or connections.
"""

import json
import zlib
from collections.abc import Mapping
from typing import cast

from overtrick.web.keyed_rows import Patch, Rows, difference

Regions = Mapping[str, "str | Rows"]
"""The parts of a page that change, by their name: HTML, or rows."""

SQUEEZED_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""The gzip header, without a time and an operating system."""
LEVEL = 5
"""The compression level of messages."""


class Piece:
    """A message of a stream."""

    __slots__ = ("_squeezed", "plain")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self._squeezed: bytes | None = None

    @property
    def squeezed(self) -> bytes:
        """Return the message gzipped for a running stream; it ends on a whole byte and refers to nothing before it."""
        if self._squeezed is None:
            squeeze = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
            self._squeezed = squeeze.compress(self.plain) + squeeze.flush(zlib.Z_FULL_FLUSH)
        return self._squeezed


STILL_HERE = Piece(b": still here\n\n")
HELLO = Piece(b"retry: 2000\n\n")
"""The first message of a stream; a browser that loses the stream reconnects after two seconds."""


def drawn(regions: Regions) -> dict[str, str]:
    """Return all parts of a page as HTML."""
    return {name: part.draw() if isinstance(part, Rows) else part for name, part in regions.items()}


def whole(mark: str, regions: Regions) -> Piece:
    """Return the message with all parts of a page."""
    return _event(mark, drawn(regions))


def change(mark: str, before: Regions, after: Regions) -> Piece | None:
    """Return the message from one version of a page to the next; None where nothing changed."""
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
