"""Cuts long JSON text into pieces that are short to read. Knows JSON alone, and no more of it than where values end.

Reading JSON is one call that nothing interrupts: for tens of megabytes every other client would wait until it is
done. Here no call looks at more than a piece. Whether what is inside a piece is JSON is for whoever reads it.
"""

import re
from collections.abc import Iterator

import msgspec

PIECE = 64 * 1024
"""Bytes that are looked at in one go."""

DEEPEST = 64
"""How deep arrays and objects may be inside one another, where they are walked through."""

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_PLAIN = rb"[^\[\]{}\"]*+(?:" + _STRING + rb"[^\[\]{}\"]*+)*+"
_SPACE = rb"[ \t\n\r]*+"
_SCALAR = rb"[^\[\]{}\", \t\n\r]++"

_SPACES = re.compile(_SPACE)
_WHOLE_STRING = re.compile(_STRING, re.DOTALL)
_WHOLE_SCALAR = re.compile(_SCALAR)
_ITEMS = re.compile(
    rb"(?:" + _SPACE + rb"(?:\{" + _PLAIN + rb"\}|" + _STRING + rb"|" + _SCALAR + rb")" + _SPACE + rb",)*+",
    re.DOTALL,
)
"""Items of an array with nothing inside them that has items of its own, each with the comma behind it."""


def _nested(levels: int) -> bytes:
    """What is between two brackets, with so many levels of others in it; which belongs to which is not looked at."""
    inside = _PLAIN
    for _ in range(levels):
        inside = rb"(?:[^\[\]{}\"]++|" + _STRING + rb"|[\[{]" + inside + rb"[\]}])*+"
    return inside


_INSIDE = re.compile(_nested(16), re.DOTALL)
"""What may be walked over between the brackets that count."""
_TEXT = re.compile(
    rb'[^"\\]*+(?:\\(?:["\\/bfnrt]|u(?![dD][89abAB])[0-9a-fA-F]{4}'
    rb'|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})[^"\\]*+)*+'
)
"""The inside of a string; what stands for one character stays together."""
_LONGEST_ESCAPE = 12

_DECODE_TEXT = msgspec.json.Decoder(str)
_AT_BYTE = re.compile(r"\(byte (\d+)\)")


class NotJson(ValueError):
    """Text that is not JSON, with where that was seen."""


def decoded(text: bytes, at: int, end: int) -> object:
    """The value of a piece."""
    try:
        return msgspec.json.decode(text[at:end])
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise not_json(error, at) from None


def not_json(error: Exception, at: int) -> NotJson:
    """What is wrong in a piece, with its place in the whole text."""
    return NotJson(_AT_BYTE.sub(lambda found: f"(byte {int(found[1]) + at})", str(error)))


def skip_space(text: bytes, at: int) -> int:
    """Where the next thing is that is not white space.

    >>> skip_space(b"[ 1]", 1)
    2
    """
    while True:
        end = _SPACES.match(text, at, at + PIECE).end()  # type: ignore[union-attr]
        if end - at < PIECE:
            return end
        at = end


def items_end(text: bytes, at: int) -> int:
    """How far whole items of an array go, with their commas; where it began when the next one is not plain or not last.

    >>> items_end(b'[{"a":"]"}, 2, [3], 4]', 1)
    14
    """
    return _ITEMS.match(text, at, at + PIECE).end()  # type: ignore[union-attr]


def value_end(text: bytes, at: int) -> int | None:
    """Where the value ends that begins here; None when it is longer than a piece.

    >>> value_end(b'{"a":[1,{}]},2', 0)
    12
    """
    limit = at + PIECE
    match text[at : at + 1]:
        case b'"':
            string = _WHOLE_STRING.match(text, at, limit)
            return string.end() if string else _longer(text, limit)
        case b"[" | b"{":
            return _closed(text, at + 1, limit)
    scalar = _WHOLE_SCALAR.match(text, at, limit)
    if scalar is None:
        raise NotJson(f"a value is missing (byte {at})")
    return scalar.end() if scalar.end() < limit else _longer(text, limit)


def _closed(text: bytes, at: int, limit: int) -> int | None:
    depth = 1
    while True:
        at = _INSIDE.match(text, at, limit).end()  # type: ignore[union-attr]
        bracket = text[at : at + 1]
        if at >= limit or bracket in (b"", b'"'):
            return _longer(text, limit)
        at += 1
        if bracket in b"[{":
            depth += 1
            if depth > DEEPEST:
                raise NotJson(f"it goes deeper than {DEEPEST} (byte {at})")
        else:
            depth -= 1
            if depth == 0:
                return at


def _longer(text: bytes, limit: int) -> int | None:
    """That a value is longer than a piece, which is for its reader to know; but the text has to go on."""
    if limit >= len(text):
        raise NotJson("the text ends too early")
    return None


def unquoted(text: bytes, at: int) -> tuple[bytes, int]:
    r"""What a string says, as UTF-8, and where it ends.

    >>> unquoted(rb'{"a":"\u00e9\"" }', 5)
    (b'\xc3\xa9"', 15)
    """
    pieces = []
    at += 1
    while True:
        end = _TEXT.match(text, at, at + PIECE).end()  # type: ignore[union-attr]
        is_last = text[end : end + 1] == b'"'
        if not is_last:
            if end + _LONGEST_ESCAPE < min(at + PIECE, len(text)) or end >= len(text):
                raise NotJson(f"a string is not well written (byte {end})")
            end = _before_character(text, end)
            if end <= at:
                raise NotJson(f"a string is not well written (byte {at})")
        try:
            pieces.append(_DECODE_TEXT.decode(b'"' + text[at:end] + b'"').encode())
        except (msgspec.DecodeError, UnicodeError) as error:
            raise not_json(error, at - 1) from None
        if is_last:
            return b"".join(pieces), end + 1
        at = end


def _before_character(text: bytes, at: int) -> int:
    """A place at most so far that is not in the midst of a character."""
    for _ in range(3):
        if text[at] & 0xC0 != 0x80:
            break
        at -= 1
    return at


class Cursor:
    """A place in long text that moves on over signs, names and values."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> bytes:
        """The sign that comes next; it stays next."""
        self.at = skip_space(self.text, self.at)
        return self.text[self.at : self.at + 1]

    def take(self, wanted: bytes) -> bytes:
        """The sign that comes next, one of these."""
        sign = self.peek()
        if not sign or sign not in wanted:
            found = sign.decode("latin-1") or "the end"
            raise NotJson(f"{found} is in the wrong place (byte {self.at})")
        self.at += 1
        return sign

    def end_of_value(self) -> int | None:
        """Where the value that comes next ends; None when it is longer than a piece."""
        self.peek()
        return value_end(self.text, self.at)

    def value(self, end: int) -> object:
        """The value from here to its end."""
        at, self.at = self.at, end
        return decoded(self.text, at, end)

    def names(self) -> Iterator[str]:
        """The name of each property of an object; its value is to be taken before the next one."""
        self.take(b"{")
        if self.peek() == b"}":
            self.at += 1
            return
        while True:
            end = self.end_of_value() if self.peek() == b'"' else None
            name = self.value(end) if end is not None else None
            if not isinstance(name, str):
                raise NotJson(f"a property has no name (byte {self.at})")
            self.take(b":")
            yield name
            if self.take(b",}") == b"}":
                return

    def finish(self) -> None:
        """Nothing else may come."""
        if self.peek():
            raise NotJson(f"there is something behind it (byte {self.at})")
