"""Text as the file stores it: code pages of Access 97, plain or compressed Unicode of Access 2000.

Compressed text begins with ff fe and has one byte of Latin-1 for each character; a zero byte switches to UTF-16
and another one back. Text of more than 1024 characters is never compressed.
"""

import codecs

from overtrick.jet.errors import ValueRefused

_COMPRESSED = b"\xff\xfe"


def decode_unicode(raw: bytes) -> str:
    r"""Decode text of an Access 2000 file, compressed or not.

    >>> decode_unicode(b"\xff\xfeN/S"), decode_unicode("N/S".encode("utf-16-le"))
    ('N/S', 'N/S')
    """
    if raw[:2] != _COMPRESSED:
        return raw.decode("utf-16-le", "replace")
    if b"\0" not in raw:
        return raw[2:].decode("latin-1")
    # A zero byte switches between one and two bytes a character.
    parts: list[str] = []
    position, narrow, end = 2, True, len(raw)
    while position < end:
        if narrow:
            stop = raw.find(0, position)
            stop = end if stop < 0 else stop
            parts.append(raw[position:stop].decode("latin-1"))
        else:
            stop = position
            while stop + 1 < end and raw[stop]:
                stop += 2
            if stop + 1 >= end and stop < end and raw[stop]:
                stop = end
            parts.append(raw[position:stop].decode("utf-16-le", "replace"))
        position, narrow = stop + 1, not narrow
    return "".join(parts)


def encode_unicode(text: str, *, compress: bool) -> bytes:
    r"""Encode text for an Access 2000 file; compressed where the column allows it and it is shorter.

    >>> encode_unicode("4HX", compress=True)
    b'\xff\xfe4HX'
    >>> encode_unicode("4\N{BLACK HEART SUIT}X", compress=True).hex()
    '340065265800'
    """
    wide = text.encode("utf-16-le", "surrogatepass")
    if compress and 2 < len(text) <= 1024 and text.isascii() and "\0" not in text:
        return _COMPRESSED + text.encode("ascii")
    if compress and 2 < len(text) <= 1024 and "\0" not in text:
        try:
            return _COMPRESSED + text.encode("latin-1")
        except UnicodeEncodeError:
            pass
    if wide[:2] == _COMPRESSED:
        raise ValueRefused("Text that begins with a byte order mark cannot be kept in an Access file.")
    return wide


def _as_windows_does(error: UnicodeError) -> tuple[str | bytes, int]:
    """Map a byte that a code page leaves undefined to the control character of its number, and back."""
    if isinstance(error, UnicodeDecodeError):
        return "".join(map(chr, error.object[error.start : error.end])), error.end
    if isinstance(error, UnicodeEncodeError):
        letters = error.object[error.start : error.end]
        if all(0x80 <= ord(letter) <= 0x9F for letter in letters):
            return bytes(map(ord, letters)), error.end
    raise error


codecs.register_error("overtrick.jet", _as_windows_does)


def decode_code_page(raw: bytes, codec: str) -> str:
    r"""Decode text of an Access 97 file.

    >>> decode_code_page(b"Ren\xe9e \x81", "cp1252")
    'Renée \x81'
    """
    return raw.decode(codec, "overtrick.jet")


def encode_code_page(text: str, codec: str) -> bytes:
    """Encode text for an Access 97 file, which holds one code page only."""
    try:
        return text.encode(codec, "overtrick.jet")
    except UnicodeEncodeError as error:
        letter = text[error.start]
        raise ValueRefused(
            f"The letter {letter!r} is not in the code page of this Access 97 file ({codec}), "
            f"so {text!r} cannot be kept in it."
        ) from None
