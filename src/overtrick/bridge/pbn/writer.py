"""Writer of PBN 2.1 in export format. Pure: returns bytes, without I/O."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping

from overtrick.bridge.pbn.reader import MANDATORY, OWN_VALUE, is_table
from overtrick.bridge.record import Game, PbnTable, RecordedAuction, RecordedCall, RecordedCard, RecordedPlay
from overtrick.errors import BadInput

MAX_LINE = 253
"""The most characters of a line without its CR LF; with it, PBN allows 255."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_PLAIN_ELEMENT = re.compile(r"[!#$&-:<-Z\\^-z|~]+")
_UNCLEAR_BACKSLASH = re.compile(r'\\(?=[\\"]|$)')
_TAG_NAME = re.compile(r"[A-Z][A-Za-z0-9_]*")
_WIDTH = re.compile(r"\\([0-9]{1,3})([LR]?)$")


class CannotWrite(BadInput):
    """A value that PBN cannot express; nothing was written."""

    code = "cannot-write-pbn"


def write_pbn(games: Iterable[Game]) -> bytes:
    """Return a PBN file in export format; `read_pbn` returns equal games from it. Raise CannotWrite for a value
    that PBN cannot express.

    The encoding is ISO 8859-1, as the standard demands; UTF-8 with a byte order mark if a character needs it.

    >>> print(write_pbn([Game.of_board(1)]).decode().splitlines()[5])
    [Board "1"]
    """
    lines = ["% PBN 2.1", "% EXPORT"]
    for number, game in enumerate(games):
        if number:
            lines.append("")
        lines += _game(game)
    text = "".join(f"{line}\r\n" for line in lines)
    try:
        raw = text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8-sig")
    try:
        # The reader tries UTF-8 first, so bytes that are valid UTF-8 must mean the same text there.
        return raw if raw.decode("utf-8") == text else text.encode("utf-8-sig")
    except UnicodeDecodeError:
        return raw


def _game(game: Game) -> Iterator[str]:
    values = {tag: game.tags.get(tag, "?") for tag in MANDATORY}
    values |= {tag: game.tags[tag] for tag in sorted(game.tags) if tag not in values}
    yield from _comments(game.comments.get("", ()))
    for tag, value in values.items():
        yield _tag(tag, value)
        yield from _comments(game.comments.get(tag, ()))
    if game.auction is not None:
        yield _tag("Auction", game.auction.first.value)
        yield from _comments(game.comments.get("Auction", ()))
        yield from _auction(game.auction)
    if game.play is not None:
        yield _tag("Play", game.play.first.value)
        yield from _comments(game.comments.get("Play", ()))
        yield from _play(game.play)
    for tag in sorted(game.tables):
        yield _tag(tag, ";".join(game.tables[tag].columns), is_columns=True)
        yield from _comments(game.comments.get(tag, ()))
        yield from _table(tag, game.tables[tag])


def _string(text: str, *, is_columns: bool = False) -> str:
    text = _CONTROL.sub(" ", text)
    # Every program writes the width of a column with a single backslash, though the rule for strings doubles it.
    text = _UNCLEAR_BACKSLASH.sub(r"\\\\", text) if is_columns else text.replace("\\", "\\\\")
    return '"' + text.replace('"', '\\"') + '"'


def _tag(tag: str, value: str, *, is_columns: bool = False) -> str:
    if not _TAG_NAME.fullmatch(tag):
        raise CannotWrite(f"{tag!r} cannot be the name of a PBN tag.")
    if tag not in OWN_VALUE and (value == "#" or value.startswith("##")):
        raise CannotWrite(
            f"The tag {tag} cannot have the value {value!r}: in PBN it stands for an inherited value."
        )
    line = f"[{tag} {_string(value, is_columns=is_columns)}]"
    if len(line) > MAX_LINE:
        raise CannotWrite(
            f"The value of the tag {tag} is too long: a line of PBN has at most 255 characters."
        )
    return line


def _comments(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from _comment(text)


def _comment(text: str) -> list[str]:
    clean = "\n".join(_CONTROL.sub(" ", line) for line in text.splitlines())
    if "}" in clean:
        # A comment in braces would end at its first }; one after a semicolon goes on to the end of the line.
        return [f";{line or ' '}" for part in clean.split("\n") for line in _wrapped(part, MAX_LINE - 1)]
    lines = [line for part in clean.split("\n") for line in _wrapped(part, MAX_LINE - 2)]
    lines[0] = "{" + lines[0]
    lines[-1] += "}"
    return lines


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, drop_whitespace=False) if len(line) > width else [line]


def _annotations(entry: RecordedCall | RecordedCard) -> str:
    note = "" if entry.note is None else f" ={entry.note}="
    return note + "".join(f" ${glyph}" for glyph in sorted(entry.glyphs))


def _rows(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield lines of up to four entries, text and comment; a comment has its own lines."""
    line: list[str] = []
    for place, (text, comment) in enumerate(entries):
        if line and (place % 4 == 0 or len(" ".join(line)) + len(text) + 1 > MAX_LINE):
            yield " ".join(line)
            line = []
        line.append(text)
        if comment:
            yield " ".join(line)
            line = []
            yield from _comment(comment)
    if line:
        yield " ".join(line)


def _auction(auction: RecordedAuction) -> Iterator[str]:
    yield from _rows((_call(entry) + _annotations(entry), entry.comment) for entry in auction.calls)
    if auction.ending:
        yield auction.ending
    yield from _notes(auction.notes)


def _call(entry: RecordedCall) -> str:
    if entry.call is None:
        return "^S"
    return f"^I {entry.call}" if entry.insufficient else str(entry.call)


def _play(play: RecordedPlay) -> Iterator[str]:
    yield from _rows((_card(entry) + _annotations(entry), entry.comment) for entry in play.cards)
    if play.is_closed:
        yield "*"
    yield from _notes(play.notes)


def _card(entry: RecordedCard) -> str:
    if entry.card is None:
        return "+" if entry.awaited else "-"
    mark = "^R " if entry.revoke else "^L " if entry.out_of_turn else ""
    return f"{mark}{entry.card}"


def _notes(notes: Mapping[int, str]) -> Iterator[str]:
    for number in sorted(notes):
        yield _tag("Note", f"{number}:{notes[number]}")


def _table(tag: str, table: PbnTable) -> Iterator[str]:
    shapes = [_WIDTH.search(column) for column in table.columns] if is_table(tag) else []
    for row in table.rows:
        if is_table(tag) and len(row) != len(table.columns):
            raise CannotWrite(f"A row of the {tag} has {len(row)} elements for {len(table.columns)} columns.")
        elements = [_element(element) for element in row]
        for place, shape in enumerate(shapes):
            if shape:
                width = int(shape[1])
                aligned = elements[place].rjust if shape[2] == "R" else elements[place].ljust
                elements[place] = aligned(width)
        line = " ".join(elements).rstrip()
        if len(line) <= MAX_LINE:
            yield line
        elif is_table(tag) and all(len(element) <= MAX_LINE for element in elements):
            yield from _broken_row(elements)
        else:
            raise CannotWrite(f"A row of the {tag} is too long: a line of PBN has at most 255 characters.")


def _broken_row(elements: list[str]) -> Iterator[str]:
    line = ""
    for element in elements:
        if line and len(line) + 1 + len(element) > MAX_LINE:
            yield line
            line = element
        else:
            line = f"{line} {element}" if line else element
    yield line


def _element(text: str) -> str:
    return text if _PLAIN_ELEMENT.fullmatch(text) else _string(text)
