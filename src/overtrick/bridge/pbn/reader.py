"""Parser of PBN 2.1, both its import format and its export format. Pure: works on text, without I/O.

The text is split into tokens; the reader collects the tags of a game until an empty line ends it. Words after a tag
belong to its section: the calls of Auction, the cards of Play, the rows of a table. In those sections

    ^S  skipped player      ^I  insufficient bid         ^R  revoke      ^L  lead out of turn      AP  all pass
    =1= note 1              $1  numeric annotation       !   the same as $1 (a call) or $7 (a card)
    *   the rest is unknown                              +   the next call or card is awaited
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from overtrick.bridge.call import PASS, Call, parse_call
from overtrick.bridge.card import Card
from overtrick.bridge.record import (
    Game,
    PbnTable,
    RecordedAuction,
    RecordedCall,
    RecordedCard,
    RecordedPlay,
    passes_to_end,
)
from overtrick.bridge.seat import Seat
from overtrick.errors import BadInput

MAX_BYTES = 32 * 1024 * 1024
"""The most bytes of a file; a larger one is refused."""

MANDATORY = (
    "Event", "Site", "Date", "Board", "West", "North", "East", "South",
    "Dealer", "Vulnerable", "Deal", "Scoring", "Declarer", "Contract", "Result",
)  # fmt: skip
"""The fifteen tags that export format requires in every game, in this order."""

OWN_VALUE = frozenset({"Dealer", "Vulnerable", "Deal", "Declarer", "Contract", "Auction", "Play", "Note"})
"""The tags that may not inherit their value from an earlier game."""

_SUFFIXES = ("!", "?", "!!", "??", "!?", "?!")


def is_table(tag: str) -> bool:
    """Return whether rows of a table follow a tag; the tag Table itself holds the number of a table."""
    return tag.endswith("Table") and tag != "Table"


class BadPbn(BadInput):
    """A PBN text that cannot be read; `where` has the line."""

    code = "bad-pbn"


def decode(raw: bytes) -> str:
    """Decode a PBN file: as UTF-8 if that is valid, with or without a byte order mark, else as ISO 8859-1.

    Raise BadPbn for more than MAX_BYTES.

    >>> decode("é".encode("latin-1")) == decode("é".encode()) == "é"
    True
    """
    if len(raw) > MAX_BYTES:
        raise BadPbn(f"The PBN file has {len(raw)} bytes; at most {MAX_BYTES} are read.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def read_pbn(source: bytes | str, *, name: str | None = None) -> tuple[Game, ...]:
    """Parse a PBN text and return its games, with inherited tag values filled in.

    `name` is the file's name in error messages. Raise BadPbn for a text that cannot be read.

    >>> game, = read_pbn('[Board "1"] ; first [Dealer "N"]\\n[Dealer "E"]')
    >>> game.board, game.dealer
    (1, <Seat.EAST: 'E'>)
    """
    text = decode(source) if isinstance(source, bytes) else source
    if not isinstance(text, str):
        raise BadPbn(f"A PBN text is bytes or a string, not {source!r}. overtrick.pbn.load reads a file.")
    if len(text) > MAX_BYTES:
        raise BadPbn(f"The PBN text has {len(text)} characters; at most {MAX_BYTES} are read.")
    reader = _PbnReader(name)
    for token in _tokens(text, reader.fail):
        reader.take(token)
    reader.end_of_game()
    return tuple(reader.games)


class _Token(NamedTuple):
    kind: str  # "tag", "word", "string", "comment", "blank"
    text: str
    line: int
    value: str = ""


_STRING = r'"((?:[^"\\\n]|\\.)*)"'
_TAG = re.compile(r"\[\s*([A-Za-z0-9_]+)\s*" + _STRING + r"\s*\]")
_QUOTED = re.compile(_STRING)
_WORD = re.compile(r'[^\s\[\]{};"]+')
_SPACES = re.compile(r"[ \t\v\f\x00\x1a\xa0]+")  # DOS files end in 1A
_ESCAPED = re.compile(r"\\([\"\\])")


def _tokens(text: str, fail: Callable[[int, str], BadPbn]) -> Iterator[_Token]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    braces = _Braces(text)
    position, line, is_start, is_empty = 0, 1, True, True
    while position < len(text):
        letter = text[position]
        if letter == "\n":
            if is_empty:
                yield _Token("blank", "", line)
            position, line, is_start, is_empty = position + 1, line + 1, True, True
            continue
        if letter == "%" and is_start:
            # An escaped line: skipped, but it does not end the game as an empty line does.
            position, is_empty = _line_end(text, position), False
            continue
        is_start = False
        spaces = _SPACES.match(text, position)
        if spaces:
            position = spaces.end()
            continue
        is_empty = False
        if letter == ";":
            end = _line_end(text, position)
            yield _Token("comment", text[position + 1 : end].strip(), line)
            position = end
        elif letter == "{":
            end = braces.end_of_comment(position)
            if end < 0:
                raise fail(line, "The comment that begins here with { does not end.")
            yield _Token("comment", text[position + 1 : end].strip(), line)
            line += text.count("\n", position, end)
            position = end + 1
        elif letter == "[":
            tag = _TAG.match(text, position)
            if tag is None:
                excerpt = text[position : _line_end(text, position)][:60]
                raise fail(line, f'This is not a tag: {excerpt} (a tag looks like [Board "1"]).')
            yield _Token("tag", tag[1], line, _ESCAPED.sub(r"\1", tag[2]))
            line += text.count("\n", position, tag.end())
            position = tag.end()
        elif letter == '"':
            quoted = _QUOTED.match(text, position)
            if quoted is None:
                raise fail(line, "The text that begins here with a quote does not end on its line.")
            yield _Token("string", _ESCAPED.sub(r"\1", quoted[1]), line)
            position = quoted.end()
        else:
            word = _WORD.match(text, position)
            if word is None:
                raise fail(line, f"A {letter} is not expected here.")
            yield _Token("word", word[0], line)
            position = word.end()


class _Braces:
    """The braces of a text, to find the end of a comment that contains braces.

    By the standard, comments do not nest: a left brace in a comment is an ordinary character, and the next right brace
    ends the comment. Some files nest comments nevertheless. A comment of the standard that contains left braces has
    more left braces than right ones. So if the braces balance before the next tag, the comments are nested.
    """

    _STOP = re.compile(r"^[ \t]*[\[;%]", re.MULTILINE)
    _BRACE = re.compile(r"[{}]")

    def __init__(self, text: str) -> None:
        self._text = text
        self._pairs: dict[int, int] = {}  # the right brace of each left one, up to `_until`
        self._until = 0

    def end_of_comment(self, position: int) -> int:
        """Return the position of the right brace that ends the comment that begins here; -1 if there is none."""
        first = self._text.find("}", position)
        if self._text.find("{", position + 1, max(first, 0)) < 0:
            return first
        if first >= self._until:
            self._pair(position, first)
        return self._pairs.get(position, first)

    def _pair(self, position: int, first: int) -> None:
        """Pair the braces from here to the next tag; no part of a text is paired more than twice, so time is linear."""
        stop = self._STOP.search(self._text, first)
        self._until = stop.start() if stop else len(self._text)
        self._pairs.clear()
        left: list[int] = []
        for brace in self._BRACE.finditer(self._text, position, self._until):
            if brace[0] == "{":
                left.append(brace.start())
            elif left:
                self._pairs[left.pop()] = brace.start()


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


_CALL_PART = re.compile(r"\^[ISRL]|=[0-9]+=|\$[0-9]+|[!?]{1,2}|[*+]|[A-Za-z0-9-]+", re.IGNORECASE)


class _PbnReader:
    """The games read so far and the state of the current one."""

    def __init__(self, name: str | None) -> None:
        self.games: list[Game] = []
        self._name = name
        self._lasting_values: dict[str, str] = {}  # values that "##" set for this game and all after it
        self._last_values: dict[str, str] = {}  # the last value of each tag, for "#"
        self._leading_comments: list[str] = []
        self._clear()

    def _clear(self) -> None:
        self._tags: dict[str, str] = {}
        self._lines: dict[str, int] = {}
        self._comments: dict[str, list[str]] = {}
        self._auction: _AuctionReader | None = None
        self._play: _PlayReader | None = None
        self._elements: dict[str, list[tuple[str, int]]] = {}
        self._seen: set[str] = set()
        # The tag whose section this is: "" before the first tag, "repeated" and "empty" for sections that are ignored.
        self._section = ""
        # The section that Note tags belong to: the last Auction or Play.
        self._section_of_notes: _AuctionReader | _PlayReader | None = None

    def fail(self, line: int, sentence: str) -> BadPbn:
        where = f"line {line}" if self._name is None else f"{self._name}, line {line}"
        return BadPbn(sentence, where=where)

    def take(self, token: _Token) -> None:
        try:
            if token.kind == "tag":
                self._take_tag(token)
            elif token.kind == "comment":
                self._take_comment(token)
            elif token.kind == "blank":
                self.end_of_game()
            else:
                self._take_element(token)
        except BadPbn:
            raise
        except BadInput as error:
            raise self.fail(token.line, error.sentence) from None

    def _take_tag(self, token: _Token) -> None:
        tag = token.text
        if tag == "Note":
            self._take_note(token)
            return
        self._section = tag
        if tag in self._seen:
            # Import format: a repeated tag is ignored, with its section.
            self._section = "repeated"
            return
        self._seen.add(tag)
        self._lines[tag] = token.line
        value = self._tag_value(tag, token)
        if tag in ("Auction", "Play") and value.strip() in ("", "?"):
            # Some programs write the tag of an empty section.
            self._section = "empty"
        elif tag == "Auction":
            self._auction = self._section_of_notes = _AuctionReader(Seat.parse(value))
        elif tag == "Play":
            self._play = self._section_of_notes = _PlayReader(Seat.parse(value))
        else:
            self._tags[tag] = value
            if is_table(tag):
                self._elements[tag] = []

    def _tag_value(self, tag: str, token: _Token) -> str:
        value = token.value
        # "#" repeats the last value, "##value" also holds for the games after this one.
        if not (value == "#" or value.startswith("##")):
            if tag in self._lasting_values:
                self._lasting_values[tag] = value
            return value
        if tag in OWN_VALUE:
            raise self.fail(token.line, f"The tag {tag} cannot inherit its value from an earlier game.")
        if value == "#":
            return self._last_values.get(tag, "")
        self._lasting_values[tag] = value[2:]
        return value[2:]

    def _take_note(self, token: _Token) -> None:
        number, colon, text = token.value.partition(":")
        if not colon or not re.fullmatch(r"[0-9]{1,4}", number.strip()):
            raise self.fail(
                token.line, f"The note {token.value!r} does not begin with its number and a colon."
            )
        if self._section_of_notes is not None:
            self._section_of_notes.notes.setdefault(int(number), text)

    def _take_comment(self, token: _Token) -> None:
        if not token.text:
            return
        section = {"Auction": self._auction, "Play": self._play}.get(self._section)
        if section is not None and section.comment(token.text):
            return
        if self._section in ("repeated", "empty"):
            return
        self._comments.setdefault(self._section, []).append(token.text)

    def _take_element(self, token: _Token) -> None:
        if self._section == "repeated":
            return
        if self._section == "empty":
            raise self.fail(
                token.line, f"{token.text!r} is in a section that does not name its first player."
            )
        if self._section == "":
            raise self.fail(token.line, f"{token.text!r} is not expected before the first tag of a game.")
        section = {"Auction": self._auction, "Play": self._play}.get(self._section)
        if section is None:
            self._elements.setdefault(self._section, []).append((token.text, token.line))
            return
        position = 0
        while position < len(token.text):
            part = _CALL_PART.match(token.text, position)
            if part is None or token.kind == "string":
                raise self.fail(token.line, f"{token.text!r} is not expected in the {self._section} section.")
            section.take(part[0], follows_directly=position > 0)
            position = part.end()

    def end_of_game(self) -> None:
        if not self._seen:
            # Comments before the first tag belong to the game that follows.
            self._leading_comments += self._comments.pop("", [])
            return
        if self._leading_comments:
            self._comments[""] = self._leading_comments + self._comments.get("", [])
            self._leading_comments = []
        for tag, value in self._lasting_values.items():
            if not is_table(tag):
                self._tags.setdefault(tag, value)
        self._last_values.update(self._tags)
        tables = {tag: self._table(tag, elements) for tag, elements in self._elements.items()}
        tags = {
            tag: value
            for tag, value in self._tags.items()
            if tag not in tables and not (tag in MANDATORY and value == "?")
        }
        game = Game(
            tags,
            self._auction.record() if self._auction else None,
            self._play.record() if self._play else None,
            tables,
            {tag: tuple(texts) for tag, texts in self._comments.items()},
        )
        self._check(game)
        self.games.append(game)
        self._clear()

    def _table(self, tag: str, elements: list[tuple[str, int]]) -> PbnTable:
        columns = tuple(self._tags[tag].split(";"))
        if not is_table(tag):
            # A section that PBN does not define: its lines are its rows.
            rows: dict[int, list[str]] = {}
            for element, line in elements:
                rows.setdefault(line, []).append(element)
            return PbnTable(columns, tuple(tuple(row) for row in rows.values()))
        width = len(columns)
        if len(elements) % width:
            raise self.fail(
                elements[-1][1],
                f"The {tag} has {len(elements)} elements, which is not a multiple of its {width} columns.",
            )
        texts = [element for element, _ in elements]
        return PbnTable(
            columns,
            tuple(tuple(texts[position : position + width]) for position in range(0, len(texts), width)),
        )

    def _check(self, game: Game) -> None:
        """Evaluate the properties of a record, to report a text that cannot be read with its line."""
        for tag, evaluate in _CHECKS.items():
            try:
                evaluate(game)
            except BadInput as error:
                raise self.fail(self._lines.get(tag, 0), error.sentence) from None
        dealer = game.dealer
        if game.auction and dealer and game.auction.calls and game.auction.first is not dealer:
            raise self.fail(
                self._lines["Auction"],
                f"The auction starts with {game.auction.first.title}, but the dealer is {dealer.title}.",
            )


_CHECKS: dict[str, Callable[[Game], object]] = {
    "Board": lambda game: game.board,
    "Dealer": lambda game: game.dealer,
    "Vulnerable": lambda game: game.vulnerability,
    "Deal": lambda game: (game.hands, game.deal),
    "Declarer": lambda game: game.declarer,
    "Contract": lambda game: game.contract,
    "Result": lambda game: game.outcome,
    "OptimumResultTable": lambda game: game.tricks if "OptimumResultTable" in game.tables else None,
    "DoubleDummyTricks": lambda game: game.tricks,
}


class _AuctionReader:
    """The calls of one auction section."""

    def __init__(self, first: Seat) -> None:
        self._first = first
        self._calls: list[RecordedCall] = []
        self._insufficient = False
        self._ending = ""
        self._is_alert = False
        self.notes: dict[int, str] = {}

    def take(self, part: str, *, follows_directly: bool) -> None:
        if part[0] in "=$!?":
            self._annotate(part)
            return
        if self._ending and self._is_alert:
            self._ending = ""
        if self._ending:
            raise BadInput(f"{part!r} comes after the end of the auction.")
        if part in ("*", "+"):
            self._ending = part
            # Some programs write 2D* for an alert: if another call follows, it was not the end.
            self._is_alert = follows_directly and part == "*"
        elif part.upper() == "^S":
            self._calls.append(RecordedCall(None))
        elif part.upper() == "^I":
            self._insufficient = True
        elif part[0] == "^":
            raise BadInput(f"{part!r} is not expected in an auction.")
        elif part == "-":
            if self._calls:
                raise BadInput("A hyphen is only for players before the dealer.")
            self._first = self._first.next
        elif part.upper() == "AP":
            calls: tuple[Call | None, ...] = tuple(entry.call for entry in self._calls)
            self._calls += [RecordedCall(PASS)] * passes_to_end(calls)
        else:
            self._calls.append(RecordedCall(parse_call(part), self._insufficient))
            self._insufficient = False
        if len(self._calls) > 400:
            raise BadInput("The auction has more than 400 calls; the longest possible auction has 319.")

    def _annotate(self, part: str) -> None:
        if not self._calls:
            raise BadInput(f"{part!r} comes before the first call.")
        last = self._calls[-1]
        if part[0] == "=":
            self._calls[-1] = replace(last, note=_number(part.strip("=")))
        else:
            glyph = 1 + _SUFFIXES.index(part) if part[0] in "!?" else _number(part[1:])
            self._calls[-1] = replace(last, glyphs=tuple(sorted({*last.glyphs, glyph})))

    def comment(self, text: str) -> bool:
        if not self._calls:
            return False
        last = self._calls[-1]
        self._calls[-1] = replace(last, comment=f"{last.comment}\n{text}" if last.comment else text)
        return True

    def record(self) -> RecordedAuction:
        return RecordedAuction(self._first, tuple(self._calls), self._ending, self.notes)


class _PlayReader:
    """The cards of one play section."""

    def __init__(self, first: Seat) -> None:
        self._first = first
        self._cards: list[RecordedCard] = []
        self._mark = ""
        self._is_closed = False
        self.notes: dict[int, str] = {}

    def take(self, part: str, *, follows_directly: bool) -> None:
        if part[0] in "=$!?":
            self._annotate(part)
            return
        if self._is_closed:
            raise BadInput(f"{part!r} comes after the end of the play.")
        if part == "*":
            self._is_closed = True
        elif part == "+":
            self._cards.append(RecordedCard(None, awaited=True))
        elif part.upper() in ("^R", "^L"):
            self._mark = part.upper()
        elif part[0] == "^":
            raise BadInput(f"{part!r} is not expected in the play.")
        elif part == "-":
            self._cards.append(RecordedCard(None))
        else:
            self._cards.append(
                RecordedCard(Card.parse(part), revoke=self._mark == "^R", out_of_turn=self._mark == "^L")
            )
            self._mark = ""
        if len(self._cards) > 52:
            raise BadInput("The play has more than 52 cards.")

    def _annotate(self, part: str) -> None:
        if not self._cards:
            raise BadInput(f"{part!r} comes before the first card.")
        last = self._cards[-1]
        if part[0] == "=":
            self._cards[-1] = replace(last, note=_number(part.strip("=")))
        else:
            glyph = 7 + _SUFFIXES.index(part) if part[0] in "!?" else _number(part[1:])
            self._cards[-1] = replace(last, glyphs=tuple(sorted({*last.glyphs, glyph})))

    def comment(self, text: str) -> bool:
        if not self._cards:
            return False
        last = self._cards[-1]
        self._cards[-1] = replace(last, comment=f"{last.comment}\n{text}" if last.comment else text)
        return True

    def record(self) -> RecordedPlay:
        return RecordedPlay(self._first, tuple(self._cards), self._is_closed, self.notes)


def _number(digits: str) -> int:
    if len(digits) > 4:
        raise BadInput(f"{digits} is not the number of a note or a glyph.")
    return int(digits)
