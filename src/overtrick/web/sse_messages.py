"""Messages of a live stream, each encoded once for all readers: plain and gzipped.

A gzipped message does not refer to earlier ones, so that the same bytes fit into every stream at any point. Has no
dependency on sessions or connections.
"""

import json
import zlib
from collections.abc import Mapping
from typing import cast

from overtrick.web.keyed_rows import KeyedRows, Patch, difference

Regions = Mapping[str, "str | KeyedRows"]
"""The parts of a page that change, by name: HTML, or rows."""

GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""The gzip header (RFC 1952): magic, deflate, no flags, no time, no extra flags, unknown operating system."""
LEVEL = 5
"""The compression level of messages."""


class StreamMessage:
    """A message of a stream."""

    __slots__ = ("_gzipped", "plain")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self._gzipped: bytes | None = None

    @property
    def gzipped(self) -> bytes:
        """Return the message compressed for any point of a gzip stream: it ends on a byte, with a full flush."""
        if self._gzipped is None:
            compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
            self._gzipped = compressor.compress(self.plain) + compressor.flush(zlib.Z_FULL_FLUSH)
        return self._gzipped


STILL_HERE = StreamMessage(b": still here\n\n")
HELLO = StreamMessage(b"retry: 2000\n\n")
"""The first message of a stream; a browser that loses the stream reconnects after two seconds."""


def as_html(regions: Regions) -> dict[str, str]:
    """Return all parts of a page as HTML."""
    return {name: part.draw() if isinstance(part, KeyedRows) else part for name, part in regions.items()}


def page_message(mark: str, regions: Regions) -> StreamMessage:
    """Return the message with all parts of a page."""
    return _event(mark, as_html(regions))


def change_message(mark: str, before: Regions, after: Regions) -> StreamMessage | None:
    """Return the message that changes one version of a page into the next; None if nothing changed."""
    changed: dict[str, str | Patch] = {}
    for name, part in after.items():
        previous = before.get(name)
        if isinstance(part, KeyedRows):
            patch = difference(previous, part) if isinstance(previous, KeyedRows) else None
            if patch is None:
                changed[name] = part.draw()
            elif patch:
                changed[name] = patch
        elif previous != part:
            changed[name] = part
    return _event(mark, changed) if changed else None


def _event(mark: str, parts: Mapping[str, object]) -> StreamMessage:
    text = json.dumps(cast(object, parts), ensure_ascii=False, separators=(",", ":"))
    return StreamMessage(f"id: {mark}\nevent: regions\ndata: {text}\n\n".encode())
