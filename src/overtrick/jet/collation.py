"""Sort keys of text in Access's General sort order. Depends on characters only, not on columns or pages.

Access never compares text: it compares the keys that an index holds, byte by byte. A key that differs from
the one that Access would write makes Access miss the row, so a character whose code is not known here raises
`KeyUnknown`. Upper and lower case have the same key.

Jet 3 (Access 97), one byte or two for each byte of code page 1252, then the accents:

    <code of each character> 00                     no accent in the text
    <code of each character> <nibbles 0 x x … 0>    x = 2 for each letter that could have an accent and has
                                                    none, up to the last accent; else the accent's number

Jet 4 (Access 2000 to 2003), for characters of UTF-16:

    <code of each character> 01 [<accents>] [01 01 01 <ignored signs>] 00

    accents: one byte a character up to the last accent, 02 for a character without one
    ignored signs: hyphen, apostrophe and control characters have no code among the others; each is
        80|place 06 <sign>, where place is 7 + 4 * (codes before it), in two bytes, the highest first

The codes are those of Windows' sort keys of that time. They were compared with indexes that Access wrote.
"""

import unicodedata


class KeyUnknown(Exception):
    """A key whose bytes in an index of Access are not known."""


_SIGNS = ' !"#$%&()*+,./:;<=>?@[\\]^_`{|}~0123456789'
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _codes(characters: str, codes: str) -> dict[str, bytes]:
    return dict(zip(characters, map(bytes.fromhex, codes.split()), strict=True))


def _letter_codes(codes: str) -> dict[str, bytes]:
    capitals = dict(zip(_LETTERS, (bytes([code]) for code in bytes.fromhex(codes)), strict=True))
    return capitals | {letter.lower(): code for letter, code in capitals.items()}


# Jet 3. A byte that code page 1252 left undefined in 1997 sorts as a control character.
_JET3_LETTERS = _letter_codes("60616264666768696a6b6c6d6f70727374757677787a7b7c7d7e")
_JET3_CODES = (
    {chr(byte): b"\x10" for byte in range(32)}
    | {"\t": b"\x11"}
    | dict.fromkeys("\x7f\x81\x8d\x8f\x90\x9d€Žž", b"\x10")
    | _codes(
        _SIGNS + "'-",
        "11 12 13 14 15 16 17 19 1a 1b 1c 1d 1f 20 21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f 30 31 "
        "56 57 58 59 5a 5b 5c 5d 5e 5f 18 1e",
    )
    | _JET3_LETTERS
    | _codes("‚ƒ„…†‡ˆ‰‹‘’“”•–—˜™›", "18 32 13 33 34 35 36 37 18 18 18 13 13 38 1e 1e 39 3a 18")
    | _codes(
        "\xa0¡¢£¤¥¦§¨©ª«¬\xad®¯°±²³´µ¶·¸¹º»¼½¾¿×÷",
        "11 3b 3c 3d 3e 3f 40 41 42 43 44 13 45 1e 46 47 48 49 58 59 4a 4b 4c 4d 4e 57 4f 13 50 51 52 53 54 55",
    )
    | _codes("ŒœÆæßÐðØøÞþ", "7266 7266 6066 6066 7676 65 65 81 81 7f 7f")
)
_JET3_MARKS = {
    "\N{COMBINING GRAVE ACCENT}": 3,
    "\N{COMBINING ACUTE ACCENT}": 4,
    "\N{COMBINING CIRCUMFLEX ACCENT}": 5,
    "\N{COMBINING DIAERESIS}": 6,
    "\N{COMBINING TILDE}": 7,
    "\N{COMBINING RING ABOVE}": 8,
    "\N{COMBINING CEDILLA}": 9,
    "\N{COMBINING CARON}": 10,
}
_JET3_ACCENTABLE = dict.fromkeys("ACEINOSUYaceinosuy", 1) | {"ß": 2}
"""The number of letters without an accent that a character stands for: ß is two of s."""
_JET3_NO_ACCENT = 2

# Jet 4, the General order of Access 2000 to 2007.
_JET4_LETTERS = _letter_codes("4a4c4d4f51535557595b5c5e6062646668696b6d6f7173757678")
_JET4_CODES = (
    _codes(
        _SIGNS,
        "07 09 0a 0c 0e 10 12 14 16 18 2c 1a 1c 1e 20 22 2e 30 32 24 26 27 29 2a "
        "2b02 2b03 2b07 2b09 2b0b 2b0d 2b0f 36 38 3a 3c 3e 40 42 44 46 48",
    )
    | _codes("\xa0\t\n\v\f\r", "0802 0803 0804 0805 0806 0807")
    | _JET4_LETTERS
    | _codes("¡¦¨¯´¸¿", "2b10 2b11 2b12 2b13 2b14 2b15 2b16")
    | _codes("±«»×÷", "3304 3305 3307 3309 330a")
    | _codes("¢£¤¥§©¬®°µ¶·", "34a6 34a7 34a8 34a9 34aa 34ab 34ac 34ad 34ae 34af 34b0 34b1")
    | _codes("¹²³¼½¾", "38 3a 3c 3712 3716 371a")
    | _codes("†‡•…‰‘’“”„‹›€™˜", "34b3 34b4 34b5 34b9 34ba 2b37 2b38 2b3b 2b3c 2b3d 2b46 2b47 35a1 6e04 2b1c")
    | _codes("ÆæŒœÞþß", "4a51 4a51 6451 6451 6d57 6d57 6b6b")
)
_JET4_MARKS = {
    "\N{COMBINING ACUTE ACCENT}": 0x0E,
    "\N{COMBINING GRAVE ACCENT}": 0x0F,
    "\N{COMBINING DOT ABOVE}": 0x10,
    "\N{COMBINING CIRCUMFLEX ACCENT}": 0x12,
    "\N{COMBINING DIAERESIS}": 0x13,
    "\N{COMBINING CARON}": 0x14,
    "\N{COMBINING BREVE}": 0x15,
    "\N{COMBINING MACRON}": 0x17,
    "\N{COMBINING TILDE}": 0x19,
    "\N{COMBINING RING ABOVE}": 0x1A,
    "\N{COMBINING OGONEK}": 0x1B,
    "\N{COMBINING CEDILLA}": 0x1C,
    "\N{COMBINING DOUBLE ACUTE ACCENT}": 0x1D,
}
_JET4_MARKED = {
    # Letters whose mark Unicode does not take apart, as a letter and the code of the mark.
    **dict.fromkeys("Đđ", ("D", 0x1E)),
    **dict.fromkeys("Łł", ("L", 0x1F)),
    **dict.fromkeys("Øø", ("O", 0x21)),
    **dict.fromkeys("Ðð", ("D", 0x68)),
    "ª": ("A", 0x03),
    "º": ("O", 0x03),
    "ı": ("I", 0x03),
}
_JET4_NO_ACCENT = 0x02
_EXPANDED = {3: frozenset("ÆæŒœ"), 4: frozenset("ÆæŒœÞþß")}
"""Characters that sort as two letters. No index that Access wrote has shown how many places they take when an
accent or an ignored sign follows them."""
_LAST_KNOWN = "\u017f"
"""The end of Latin Extended-A: of the letters after it Access ignores some and has codes for others."""


def _ignored_signs() -> dict[str, int]:
    """Return the signs that Jet 4 keeps apart: controls in their order, and the dashes."""
    whitespace = "\t\n\v\f\r"
    controls = [chr(code) for code in [*range(1, 32), *range(0x7F, 0xA0)] if chr(code) not in whitespace]
    signs = {control: 3 + position for position, control in enumerate(controls)}
    return signs | {"'": 0x80, "-": 0x82, "\xad": 0x83, "–": 0x89, "—": 0x8B}


_JET4_IGNORED = _ignored_signs()


def _split_accent(char: str, marks: dict[str, int]) -> tuple[str, int] | None:
    """Return a letter without its accent, and the code of the accent; None if it has none that is known."""
    parts = unicodedata.normalize("NFD", char)
    if len(parts) == 2 and char <= _LAST_KNOWN and parts[0] in _JET4_LETTERS and parts[1] in marks:
        return parts[0], marks[parts[1]]
    return None


def _check_no_expanded(before: str, jet: int) -> None:
    for char in before:
        if char in _EXPANDED[jet]:
            raise KeyUnknown(f"an accent or a dash after the letter {char!r}")


def jet3_text_key(text: str) -> bytes:
    """Return the key of text of code page 1252 in an Access 97 file, with its end.

    >>> jet3_text_key("AA").hex(), jet3_text_key("Ä").hex()
    ('606000', '600600')
    """
    codes: list[bytes] = []
    nibbles: list[int] = []
    plain = 0  # letters without an accent since the last one with one
    for position, char in enumerate(text):
        code = _JET3_CODES.get(char)
        if code is not None:
            codes.append(code)
            plain += _JET3_ACCENTABLE.get(char, 0)
            continue
        split = _split_accent(char, _JET3_MARKS)
        if split is None:
            raise KeyUnknown(f"the letter {char!r}")
        letter, accent = split
        _check_no_expanded(text[:position], 3)
        codes.append(_JET3_LETTERS[letter])
        nibbles += [_JET3_NO_ACCENT] * plain + [accent]
        plain = 0
    if not nibbles:
        return b"".join(codes) + b"\x00"
    digits = "".join(f"{nibble:x}" for nibble in (0, *nibbles, 0))
    return b"".join(codes) + bytes.fromhex(digits + "0" * (len(digits) % 2))


def jet4_text_key(text: str) -> bytes:
    """Return the key of text in an Access 2000 file, without its end.

    >>> jet4_text_key("AA").hex(), jet4_text_key("Ä-").hex()
    ('4a4a01', '4a0113010101800b0682')
    """
    codes: list[bytes] = []
    accents = bytearray()
    ignored: list[bytes] = []
    for position, char in enumerate(text):
        code = _JET4_CODES.get(char)
        if code is not None:
            codes.append(code)
            continue
        sign = _JET4_IGNORED.get(char)
        if sign is not None:
            _check_no_expanded(text[:position], 4)
            place = 0x8000 | 7 + 4 * len(codes)
            ignored.append(place.to_bytes(2, "big") + bytes((0x06, sign)))
            continue
        split = _JET4_MARKED.get(char) or _split_accent(char, _JET4_MARKS)
        if split is None:
            raise KeyUnknown(f"the letter {char!r}")
        letter, accent = split
        _check_no_expanded(text[:position], 4)
        accents += bytes([_JET4_NO_ACCENT]) * (len(codes) - len(accents)) + bytes([accent])
        codes.append(_JET4_LETTERS[letter])
    key = b"".join(codes) + b"\x01" + accents
    return key + b"\x01\x01\x01" + b"".join(ignored) if ignored else key
