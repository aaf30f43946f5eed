"""Pages of an index: entries with a shared prefix, and a mask of where each ends. Keys are opaque bytes.

    Jet 3  Jet 4
    0      0        1  03 node or 04 leaf, and a byte of 01
    2      2        2  free bytes
    4      4        4  the page of the table's definition
    8      12       4  page before this one on the same level
    12     16       4  page after it
    16     20       4  tail: the last child of a node, which has no entry yet
    20     24       1  number of bytes that all entries share (Jet 4: 2); only the first entry has them
    21     26       1  level: 0 for a leaf
    22     27          mask: a bit for each byte of the entries and one more, set where an entry ends
    248    480         entries

An entry is a key, then 3 bytes of page and 1 of row, big-endian; in a node, then 4 bytes of child page.
"""

import struct
from dataclasses import dataclass, field

from overtrick.jet.errors import DamagedAccessFile
from overtrick.jet.layout import Layout, PageType


@dataclass(slots=True)
class IndexPage:
    """A leaf or a node. An entry is a key, three bytes of page and one of row; in a node, four of child."""

    level: int
    """0 for a leaf, 1 for a node above leaves, and so on."""
    owner: int
    entries: list[bytes] = field(default_factory=list)
    previous: int = 0
    next: int = 0
    tail: int = 0
    """The last leaf below a node, when it has no entry in the node yet."""

    @property
    def leaf(self) -> bool:
        """True if its entries lead to rows."""
        return self.level == 0

    @classmethod
    def read(cls, content: bytes, layout: Layout) -> "IndexPage":
        """Parse a page; raise DamagedAccessFile if it is not one of an index or an entry is cut short."""
        if content[0] not in (PageType.INDEX_LEAF, PageType.INDEX_NODE):
            raise DamagedAccessFile("A page of an index has another type.")
        owner, previous, next_, tail = (
            struct.unpack_from("<I", content, offset)[0]
            for offset in (4, layout.index_previous, layout.index_next, layout.index_tail)
        )
        shared = int.from_bytes(content[layout.index_prefix : layout.index_level], "little")
        mask = int.from_bytes(content[layout.index_mask : layout.index_entries], "little")
        page = cls(content[layout.index_level], owner, [], previous, next_, tail)
        if page.leaf != (content[0] == PageType.INDEX_LEAF):
            raise DamagedAccessFile("The type of an index page does not fit its level.")
        # Bit n of the mask is set if an entry ends n bytes after the start of the entries.
        prefix, start = b"", 0
        while mask:
            lowest = mask & -mask
            end = lowest.bit_length() - 1
            mask ^= lowest
            entry = prefix + content[layout.index_entries + start : layout.index_entries + end]
            if len(entry) < (5 if page.leaf else 9) or layout.index_entries + end > len(content):
                raise DamagedAccessFile("An entry of an index is cut short.")
            if not page.entries:
                prefix = entry[:shared]
            page.entries.append(entry)
            start = end
        return page

    def shared(self) -> int:
        """Return the number of bytes that all keys on the page have in common at their start."""
        if len(self.entries) < 2:
            return 0
        first, last = self.entries[0], self.entries[-1]
        # Entries are sorted, so the first and the last share what all share. Access leaves the pointers after the key
        # out of the prefix.
        most = min(min(map(len, self.entries)) - (4 if self.leaf else 8), 255)
        count = 0
        while count < most and first[count] == last[count]:
            count += 1
        return count

    def size(self) -> int:
        """Return the number of bytes that the entries take on the page, the common prefix once."""
        return sum(map(len, self.entries)) - self.shared() * max(len(self.entries) - 1, 0)

    def write(self, content: bytearray, layout: Layout) -> None:
        """Write the page into `content`, which it fills."""
        content[:] = bytes(len(content))
        content[0:2] = bytes((PageType.INDEX_LEAF if self.leaf else PageType.INDEX_NODE, 1))
        shared = self.shared()
        body = b"".join(entry[shared if n else 0 :] for n, entry in enumerate(self.entries))
        struct.pack_into("<HI", content, 2, capacity(layout) - len(body), self.owner)
        struct.pack_into("<I", content, layout.index_previous, self.previous)
        struct.pack_into("<I", content, layout.index_next, self.next)
        struct.pack_into("<I", content, layout.index_tail, self.tail)
        content[layout.index_prefix] = shared
        content[layout.index_level] = self.level
        mask = end = 0
        for n, entry in enumerate(self.entries):
            end += len(entry) - (shared if n else 0)
            mask |= 1 << end
        size = layout.index_entries - layout.index_mask
        content[layout.index_mask : layout.index_entries] = mask.to_bytes(size, "little")
        content[layout.index_entries : layout.index_entries + len(body)] = body


def capacity(layout: Layout) -> int:
    """Return the number of bytes for entries on a page."""
    return layout.page_size - layout.index_entries
