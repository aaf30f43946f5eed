"""The syntax of BMPFTP's text files: comma-separated fields, quoted texts, dates between `#`.

Independent of what the fields mean.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import Enum
from typing import NoReturn

from overtrick.errors import BadInput

ENCODING = "cp1252"
"""The default encoding, which Windows programs use; DOS programs use cp437 or cp850."""

END_OF_FILE = "\x1a"
"""The byte with which DOS programs may end a text file."""

_ENCODING_BY_MARK = {  # by byte order mark
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SMALLEST, LARGEST = -(2**15), 2**15 - 1
"""The limits of a number in an Access column of type Integer (16 bits)."""
NULL = "#NULL#"
"""The field of a missing date or time."""


class LineEnds(Enum):
    """The line ends of written files."""

    CRLF = "crlf"
    LF = "lf"

    @property
    def characters(self) -> str:
        """Return the characters of a line end."""
        return "\r\n" if self is LineEnds.CRLF else "\n"


class BadText(BadInput):
    """An invalid value in a text file; `where` names the file, line and field."""

    code = "bmpftp-text"


def canonical_encoding(name: str) -> str:
    """Return the standard name of an encoding; raise BadInput if it is unknown.

    >>> canonical_encoding("CP850"), canonical_encoding("437")
    ('cp850', 'cp437')
    """
    try:
        standard_name = codecs.lookup(name).name
        "".encode(standard_name)
    except (LookupError, ValueError, UnicodeError):
        raise BadInput(
            f"There is no encoding {name!r}. Examples are cp437, cp850, cp1252 and utf-8."
        ) from None
    return standard_name


@dataclass(frozen=True, slots=True)
class FieldLine:
    """One line of a file, split into fields; errors name the line and the field."""

    file: str
    number: int
    fields: tuple[str, ...]

    def refuse(self, sentence: str, index: int | None = None, name: str = "") -> NoReturn:
        """Raise BadText with the position of this line and, if `index` is given, of that field (counted from 0)."""
        where = f"{self.file}, line {self.number}"
        if index is not None:
            where += f", field {index + 1}" + (f" ({name})" if name else "")
        raise BadText(sentence, where=where)

    def require_fields(self, names: tuple[str, ...], *, more: bool = False) -> None:
        """Raise BadText if the line has fewer fields than `names`, or if it has more and `more` is False."""
        count = len(self.fields)
        if count < len(names):
            missing = names[count]
            self.refuse(
                f"The row is too short: it has {count} of {len(names)} fields, and {missing} is missing."
            )
        if count > len(names) and not more:
            self.refuse(f"The row is too long: it has {count} fields instead of {len(names)}.")

    def whole(self, index: int, name: str, least: int = SMALLEST, most: int = LARGEST) -> int:
        """Return a field as a whole number; raise BadText if it is not one from `least` to `most`.

        >>> FieldLine("BMInput.txt", 3, ("1", " 12")).whole(1, "Table")
        12
        """
        text = self.fields[index].strip()
        if re.fullmatch(r"[+-]?[0-9]{1,10}", text) is None:
            self.refuse(f"{self.fields[index]!r} is not a whole number.", index, name)
        value = int(text)
        if not least <= value <= most:
            self.refuse(f"{value} is not between {least} and {most}.", index, name)
        return value

    def text(self, index: int, name: str, longest: int) -> str:
        """Return a field as text, without spaces around it; raise BadText if it is too long."""
        text = self.fields[index].strip()
        if len(text) > longest:
            self.refuse(f"{text!r} has more than {longest} characters.", index, name)
        return text

    def flag(self, index: int, name: str) -> bool:
        """Return whether a field is `#TRUE#`; raise BadText if it is neither that nor `#FALSE#`."""
        text = self.fields[index].strip().upper()
        if text not in ("#TRUE#", "#FALSE#"):
            self.refuse(f"{self.fields[index]!r} is neither #TRUE# nor #FALSE#.", index, name)
        return text == "#TRUE#"

    def day(self, index: int, name: str) -> date | None:
        """Return a field as a day, such as `#2006-01-27#`; None if it is empty or `#NULL#`."""
        moment = self._moment(index, name)
        return moment.date() if moment else None

    def time(self, index: int, name: str) -> time | None:
        """Return a field as a time of day, such as `#1899-12-30 10:00:32#`; None if it is empty or `#NULL#`."""
        moment = self._moment(index, name)
        return moment.time() if moment else None

    def _moment(self, index: int, name: str) -> datetime | None:
        text = self.fields[index].strip()
        if text.upper() in ("", NULL):
            return None
        moment = None
        match = re.fullmatch(r"#([0-9]{4}-[0-9]{2}-[0-9]{2})?( ?)([0-9]{2}:[0-9]{2}:[0-9]{2})?#", text)
        if match is not None and (match[1] or match[3]):
            with suppress(ValueError):
                moment = datetime.fromisoformat(f"{match[1] or '1899-12-30'} {match[3] or '00:00:00'}")
        if moment is None:
            self.refuse(
                f"{text!r} is not a date or time such as #2006-01-27# or #1899-12-30 10:00:32#.", index, name
            )
        return moment


def split_fields(text: str, file: str = "", number: int = 0) -> FieldLine:
    """Split a line at the commas that are outside quotes.

    >>> split_fields('1,1,"N ","4,5"').fields
    ('1', '1', 'N ', '4,5')
    """
    fields: list[str] = []
    position = 0
    while True:
        while position < len(text) and text[position] in " \t":
            position += 1
        if position < len(text) and text[position] == '"':
            end = text.find('"', position + 1)
            if end < 0:
                FieldLine(file, number, ()).refuse("The closing quote is missing.", len(fields))
            fields.append(text[position + 1 : end])
            position = end + 1
            while position < len(text) and text[position] in " \t":
                position += 1
            if position < len(text) and text[position] != ",":
                FieldLine(file, number, ()).refuse("A comma must follow a closing quote.", len(fields) - 1)
        else:
            end = text.find(",", position)
            end = len(text) if end < 0 else end
            fields.append(text[position:end].strip())
            position = end
        if position >= len(text):
            return FieldLine(file, number, tuple(fields))
        position += 1


def read_lines(content: bytes, file: str, encoding: str = ENCODING) -> list[FieldLine]:
    """Split a file into its non-empty lines; a byte order mark overrides `encoding`."""
    used_encoding = next(
        (name for mark, name in _ENCODING_BY_MARK.items() if content.startswith(mark)), encoding
    )
    try:
        text = content.decode(used_encoding)
    except UnicodeDecodeError as error:
        number = content[: error.start].count(b"\n") + 1
        raise BadText(
            f"The byte {content[error.start]:#04x} is not a character of {used_encoding}. Is the encoding right?",
            where=f"{file}, line {number}",
        ) from None
    text = text.partition(END_OF_FILE)[0]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [split_fields(line, file, number) for number, line in enumerate(lines, start=1) if line.strip()]


def encode_lines(lines: Iterable[str], encoding: str = ENCODING, ends: LineEnds = LineEnds.CRLF) -> bytes:
    """Return the bytes of a file; a character that the encoding does not have becomes a question mark."""
    return "".join(line + ends.characters for line in lines).encode(encoding, "replace")


def quote(text: str, width: int = 0) -> str:
    """Return a text in quotes, padded to a width.

    The format cannot express a quote inside a text, so it becomes an apostrophe. Line breaks and other unprintable
    characters become spaces.

    >>> quote("N", 2), quote('2"')
    ('"N "', '"2\\'"')
    """
    plain = "".join(character if character.isprintable() else " " for character in text.replace('"', "'"))
    return f'"{plain.ljust(width)}"'


def flag_field(value: bool) -> str:
    """Return a flag as a field.

    >>> flag_field(False)
    '#FALSE#'
    """
    return "#TRUE#" if value else "#FALSE#"


def day_field(day: datetime | None) -> str:
    """Return a day as a field.

    >>> day_field(datetime(2006, 1, 27))
    '#2006-01-27#'
    """
    return f"#{day:%Y-%m-%d}#" if day else NULL


def time_field(at: datetime | None) -> str:
    """Return a time of day as a field; Access stores it with the date 1899-12-30.

    >>> time_field(datetime(1899, 12, 30, 10, 0, 32))
    '#1899-12-30 10:00:32#'
    """
    return f"#1899-12-30 {at:%H:%M:%S}#" if at else NULL
