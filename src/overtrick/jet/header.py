"""The first page: which version wrote the file, its code page, password and encryption key.

00    4  00 01 00 00
04   16  "Standard Jet DB" and a zero ("Standard ACE DB" from Access 2007 on)
14    1  version: 0 Jet 3, 1 Jet 4, 2 and more Access 2007 and later
18       from here on 126 (Jet 3) or 128 (Jet 4) bytes are masked with a fixed RC4 stream
3a    2  Jet 3: sort order
3c    2  code page
3e    4  encryption key, zero if the file is not encrypted
42   20  Jet 3: password in the code page
42   40  Jet 4: password in UTF-16, masked once more with the days of the creation date
6e    4  Jet 4: sort order (2 bytes), unused, version of the sort order
72    8  Jet 4: creation date
"""

import struct
from dataclasses import dataclass
from functools import lru_cache

from overtrick.jet.errors import EncryptedAccessFile, NewerAccessFile, NotAnAccessFile
from overtrick.jet.layout import JET3, JET4, Layout

_MASK_KEY = bytes.fromhex("c7da396b")
_MASK_START = 0x18
_MASK_LENGTH = {3: 126, 4: 128}


@dataclass(frozen=True, slots=True)
class Header:
    """The contents of the first page."""

    layout: Layout
    code_page: int
    sort_order: int
    sort_version: int
    password: str
    """The database password, empty if there is none. It protects nothing, because the file is not encrypted with it."""

    @property
    def encoding(self) -> str:
        """The name of Python's codec for text in an Access 97 file."""
        return codec_of(self.code_page)


def codec_of(code_page: int) -> str:
    """Return Python's codec for a Windows code page; Western (cp1252) if there is no such codec.

    >>> codec_of(1252), codec_of(932), codec_of(0)
    ('cp1252', 'cp932', 'cp1252')
    """
    name = f"cp{code_page}"
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name


@lru_cache(maxsize=1)
def header_mask() -> bytes:
    """Return the 128 bytes that the first page is masked with: RC4 over a key that is the same in every file."""
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + _MASK_KEY[i % len(_MASK_KEY)]) & 0xFF
        state[i], state[j] = state[j], state[i]
    mask = bytearray()
    i = j = 0
    for _ in range(128):
        i = (i + 1) & 0xFF
        j = (j + state[i]) & 0xFF
        state[i], state[j] = state[j], state[i]
        mask.append(state[(state[i] + state[j]) & 0xFF])
    return bytes(mask)


def unmask(page: bytes, jet: int) -> bytes:
    """Return the first page with its masked part in the clear."""
    length = _MASK_LENGTH[jet]
    clear = bytearray(page)
    for offset, mask in enumerate(header_mask()[:length], start=_MASK_START):
        clear[offset] ^= mask
    return bytes(clear)


def read_header(page: bytes, where: str) -> Header:
    """Parse the first page of the file named `where`.

    Raise NotAnAccessFile, NewerAccessFile or EncryptedAccessFile for a file that cannot be used.
    """
    if len(page) < 2048 or page[:4] != b"\x00\x01\x00\x00" or page[4:12] not in (b"Standard", b"MSISAM D"):
        raise NotAnAccessFile("This is not an Access database.", where=where)
    engine, version = page[4:19].rstrip(b"\0"), page[0x14]
    if engine == b"Standard ACE DB" or version >= 2:
        raise NewerAccessFile(
            "This database was made by Access 2007 or later; save it as Access 2000 or 2002-2003 first.",
            where=where,
        )
    if engine != b"Standard Jet DB":
        raise NotAnAccessFile("This is a Microsoft Money file, not an Access database.", where=where)
    layout = JET3 if version == 0 else JET4
    if len(page) < layout.page_size:
        raise NotAnAccessFile("This Access database ends within its first page.", where=where)
    clear = unmask(page, layout.jet)
    if clear[0x3E:0x42] != b"\0\0\0\0":
        raise EncryptedAccessFile(
            "This database is encrypted; open it in Access and decrypt it first.", where=where
        )
    (code_page,) = struct.unpack_from("<H", clear, 0x3C)
    if layout.is_jet3:
        (sort_order,) = struct.unpack_from("<H", clear, 0x3A)
        sort_version = 0
        password = clear[0x42:0x56].split(b"\0")[0].decode("cp1252", "replace")
    else:
        sort_order, _, sort_version = struct.unpack_from("<HBB", clear, 0x6E)
        password = _jet4_password(clear)
    return Header(layout, code_page, sort_order, sort_version, password)


def _jet4_password(clear: bytes) -> str:
    # The password is masked a second time, with the whole days of the creation date.
    (created,) = struct.unpack_from("<d", clear, 0x72)
    days = int(created) if -1e6 < created < 1e6 else 0
    mask = struct.pack("<i", days)
    raw = bytes(byte ^ mask[n % 4] for n, byte in enumerate(clear[0x42:0x6A]))
    return raw.decode("utf-16-le", "replace").split("\0")[0]
