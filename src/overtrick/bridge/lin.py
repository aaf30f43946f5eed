"""LIN, the file format of Bridge Base Online: single boards, movies of a table, and vugraph matches.

A file is a sequence of two-letter words, each followed by its value, separated by bars: `md|3S…|mb|1N|`. These are
read, and all others skipped:

vg  title of a vugraph match    pn  names, South first; eight for two rooms    qx  label: o3 is board 3, open room
md  dealer and hands            ah  header such as "Board 3"                   sv  vulnerability: o, n, e or b
mb  calls                       an  explanation of the call before             pc  cards
mc  tricks that were claimed    nt  comment

Seats are in the order South, West, North, East, and 1 to 4 is the dealer in that order. Pure: works on text, no I/O.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from overtrick.bridge.auction import Auction
from overtrick.bridge.call import Call, parse_call
from overtrick.bridge.card import Card
from overtrick.bridge.contract import Contract
from overtrick.bridge.deal import Deal, Hand, complete
from overtrick.bridge.notation import write_compact
from overtrick.bridge.outcome import Played
from overtrick.bridge.play import Play
from overtrick.bridge.record import Game, RecordedAuction, RecordedCall, RecordedPlay
from overtrick.bridge.seat import Seat, Vulnerability, dealer, vulnerability
from overtrick.errors import BadInput

MAX_CHARACTERS = 8 * 1024 * 1024
"""The most bytes or characters of a text; a longer one is refused."""

_ORDER = (Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST)
_VULNERABILITY = {
    "o": Vulnerability.NONE,
    "0": Vulnerability.NONE,
    "-": Vulnerability.NONE,
    "n": Vulnerability.NS,
    "e": Vulnerability.EW,
    "b": Vulnerability.ALL,
}
_CALLS = re.compile(r"(pass|p|dbl|d|xx|x|rdbl|r|[1-7](?:nt|[cdhsn]))([!*?]*)", re.IGNORECASE)
_SPELLINGS = {"d": "X", "r": "XX"}
_CARDS = re.compile(r"([shdc])(10|[2-9tjqka])", re.IGNORECASE)
_HAND = re.compile(r"(?:S([^SHDC]*))?(?:H([^SHDC]*))?(?:D([^SHDC]*))?(?:C([^SHDC]*))?")
_BOARD = re.compile(r"([oc]?)([0-9]{1,6})", re.IGNORECASE)


class BadLin(BadInput):
    """A LIN text that cannot be read; the sentence quotes the word with its value, `where` has the line."""

    code = "bad-lin"


def read_lin(source: bytes | str, *, name: str | None = None) -> tuple[Game, ...]:
    """Parse a LIN text and return one record for each board at each table, in the order of the text.

    `name` is the file's name in error messages. Raise BadLin for a text that cannot be read.

    >>> hands = "1SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,"
    >>> game, = read_lin(f"qx|o3|md|{hands}|sv|e|mb|7S|mb|d!|an|on lead|mb|p|mb|p|mb|p|mc|13|")
    >>> game.board, str(game.outcome), game.tags["Room"], game.auction.explanation(1)
    (3, '7SxS=', 'Open', 'on lead')
    """
    if len(source) > MAX_CHARACTERS:
        raise BadLin(f"The LIN text has {len(source)} characters; at most {MAX_CHARACTERS} are read.")
    text = _decode(source) if isinstance(source, bytes) else source
    reader = _LinReader()
    words = text.split("|")
    for place in range(0, len(words) - 1, 2):
        word, value = words[place].strip().lower(), words[place + 1]
        try:
            reader.take(word, value.strip())
        except BadInput as error:
            line = 1 + sum(part.count("\n") for part in words[:place]) + words[place].count("\n")
            where = f"line {line}" if name is None else f"{name}, line {line}"
            raise BadLin(f"{error.sentence} (at {word}|{value.strip()[:60]}|)", where=where) from None
    return tuple(board.game() for board in reader.boards)


class CannotWriteLin(BadInput):
    """Something that LIN has no way to say; nothing was written."""

    code = "cannot-write-lin"


def write_lin(games: Iterable[Game]) -> bytes:
    """Return a LIN file with a line for each board; `read_lin` reads it back.

    LIN takes the contract from the auction: if the auction is unknown, neither contract nor result is written.
    Raise CannotWriteLin for a board without its deal, and for calls or cards that are not by the laws.

    >>> deal = Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    >>> write_lin([Game.of_board(1, deal)]).decode()  # doctest: +ELLIPSIS
    'qx|o1|pn|,,,|md|3SHDAKQJT98765432C,SHDCAKQJT98765432,...|ah|Board 1|sv|o|pg||\\n'
    """
    lines: list[str] = []
    title = ""
    for place, game in enumerate(games, 1):
        try:
            if (game_title := _title(game)) != title:
                title = game_title
                lines.append(title or "vg||")
            lines.append("".join(f"{word}|{value}|" for word, value in _words(game)))
        except BadInput as error:
            board = game.tags.get("Board", "")
            where = f"board {board[:10]}" if board else f"record {place}"
            raise CannotWriteLin(error.sentence, where=where) from None
    return "".join(f"{line}\n" for line in lines).encode()


def _title(game: Game) -> str:
    event, stage, home, visitors = (
        _clean(game.value(tag) or "", ",") for tag in ("Event", "Stage", "HomeTeam", "VisitTeam")
    )
    if not (event or stage or home or visitors):
        return ""
    scoring = {"IMP": "I", "MP": "P", "BAM": "B"}.get((game.value("Scoring") or "").upper(), "")
    # The empty fields are the first and the last board and what the teams carry over.
    return f"vg|{event},{stage},{scoring},,,{home},,{visitors},|"


def _clean(text: str, separators: str = "") -> str:
    """Return a text without the characters that would end it: bars, ends of lines, and the separators of its list."""
    return " ".join(re.sub(rf"[|\x00-\x1f{separators}]+", " ", text).split())


def _words(game: Game) -> Iterator[tuple[str, str]]:
    deal = game.deal
    if deal is None:
        raise BadInput("A board without a deal of four hands cannot be written as LIN.")
    board = game.board
    if board is not None:
        yield "qx", f"{'c' if game.tags.get('Room', '').lower() == 'closed' else 'o'}{board}"
    # Some readers know a board by its names, so they are there even if they are empty.
    yield "pn", ",".join(_clean(game.value(seat.title) or "", ",") for seat in _ORDER)
    first = game.dealer or (dealer(board) if board is not None else Seat.NORTH)
    yield "md", f"{_ORDER.index(first) + 1}{','.join(_hand_text(deal[seat]) for seat in _ORDER)}"
    if board is not None:
        yield "ah", f"Board {board}"
    vulnerable = game.vulnerability or (vulnerability(board) if board is not None else Vulnerability.NONE)
    yield "sv", next(letter for letter, sides in _VULNERABILITY.items() if sides is vulnerable)
    for comments in game.comments.values():
        yield from (("nt", _clean(comment)) for comment in comments)
    if game.auction is not None:
        yield from _auction_words(game, game.auction, deal)
    yield "pg", ""


def _hand_text(hand: Hand) -> str:
    return "".join(letter + suit for letter, suit in zip("SHDC", str(hand).split("."), strict=True))


def _auction_words(game: Game, recorded: RecordedAuction, deal: Deal) -> Iterator[tuple[str, str]]:
    auction = recorded.auction
    for place, call in enumerate(auction.calls):
        explanation = recorded.explanation(place)
        word = _CALL_WORDS.get(str(call)) or str(call).replace("NT", "N")
        yield "mb", word + ("!" if explanation is not None else "")
        if explanation and explanation != "Alert":
            yield "an", _clean(explanation)
    contract = auction.contract
    if contract is None:
        return
    play = Play(deal, contract) if game.play is None else game.play.play(deal, contract)
    yield "pg", ""
    for trick in play.tricks:
        yield from (("pc", str(card)) for card in trick.cards)
        yield "pg", ""
    outcome = game.outcome
    if isinstance(outcome, Played) and not play.is_over:
        yield "mc", str(outcome.tricks)


_CALL_WORDS = {"Pass": "p", "X": "d", "XX": "r"}


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


@dataclass(slots=True)
class _Board:
    """A board at one table while it is being read."""

    event: dict[str, str]
    room: str = ""
    number: int | None = None
    names: list[str] = field(default_factory=list)
    first: Seat | None = None
    deal: Deal | None = None
    hands: dict[Seat, Hand] = field(default_factory=dict)
    vulnerability: Vulnerability | None = None
    explanations: list[str] = field(default_factory=list)  # one for each call, mostly empty
    claimed: int | None = None
    comments: list[str] = field(default_factory=list)
    auction: Auction | None = None
    play: Play | None = None

    def add_calls(self, value: str) -> None:
        if self.auction is None:
            if self.first is None:
                if self.number is None:
                    raise BadInput("The first call comes before the dealer is known.")
                self.first = dealer(self.number)
            self.auction = Auction(self.first)
        position = 0
        while position < len(value):
            spelling = _CALLS.match(value, position)
            if spelling is None:
                raise BadInput(f"{value[position:]!r} is not a call.")
            call: Call = parse_call(_SPELLINGS.get(spelling[1].lower(), spelling[1]))
            self.auction = self.auction.add(call)
            # An exclamation mark is an alert; its explanation, if any, follows.
            self.explanations.append("Alert" if "!" in spelling[2] else "")
            position = spelling.end()

    def explain(self, value: str) -> None:
        if not self.explanations:
            raise BadInput("There is an explanation before the first call.")
        self.explanations[-1] = value or self.explanations[-1]

    def add_cards(self, value: str) -> None:
        spellings = [card[0] for card in _CARDS.finditer(value)]
        if "".join(spellings) != value.replace(" ", ""):
            raise BadInput(f"{value!r} is not a card.")
        if self.play is None:
            # Vugraph operators often leave out the passes after the last bid.
            while self.auction is not None and self.auction.last_bid and not self.auction.is_over:
                self.add_calls("p")
            contract = self.contract
            if contract is None:
                raise BadInput("There is a card before the contract is known.")
            self.play = Play(self.deal or self.hands, contract)
        for spelling in spellings:
            self.play = self.play.add(Card.parse(spelling))

    @property
    def contract(self) -> Contract | None:
        return None if self.auction is None else self.auction.contract

    def game(self) -> Game:
        tags = {tag: value for tag, value in self.event.items() if value}
        if self.room:
            tags["Room"] = "Closed" if self.room == "c" else "Open"
        if self.number is not None:
            tags["Board"] = str(self.number)
        tags |= {
            seat.title: name.strip() for seat, name in zip(_ORDER, self.names, strict=False) if name.strip()
        }
        if self.first is None and self.number is not None:
            self.first = dealer(self.number)
        if self.vulnerability is None and self.number is not None:
            self.vulnerability = vulnerability(self.number)
        if self.first is not None:
            tags["Dealer"] = self.first.value
        if self.vulnerability is not None:
            tags["Vulnerable"] = self.vulnerability.value
        if self.deal is not None:
            tags["Deal"] = self.deal.written_from(self.first or Seat.NORTH)
        tags |= self._result()
        auction = None if self.auction is None else self._recorded_auction(self.auction)
        play = RecordedPlay.of(self.play) if self.play is not None and self.play.tricks else None
        comments = {"": tuple(self.comments)} if self.comments else {}
        return Game(tags, auction, play, {}, comments)

    def _recorded_auction(self, auction: Auction) -> RecordedAuction:
        numbers = {
            text: number for number, text in enumerate(dict.fromkeys(filter(None, self.explanations)), 1)
        }
        calls = tuple(
            RecordedCall(call, note=numbers.get(text))
            for call, text in zip(auction.calls, self.explanations, strict=True)
        )
        notes = {number: text for text, number in numbers.items()}
        return RecordedAuction(auction.dealer, calls, "" if auction.is_over else "*", notes)

    def _result(self) -> dict[str, str]:
        if self.auction is None or not self.auction.is_over:
            return {}
        contract = self.contract
        if contract is None:
            return {"Contract": "Pass", "Declarer": "", "Result": "", "Score": "NS 0"}
        result = {"Contract": write_compact(contract), "Declarer": contract.declarer.value}
        tricks = self.claimed
        if self.play is not None and self.play.is_over:
            tricks = self.play.tricks_won(contract.side)
        if tricks is not None:
            result["Result"] = str(tricks)
            if self.vulnerability is not None:
                score = contract.score(tricks, self.vulnerability.includes(contract.side))
                result["Score"] = f"{contract.side.value} {score}"
        return result


class _LinReader:
    """The boards so far, and the title and names that hold for the boards after them."""

    def __init__(self) -> None:
        self.boards: list[_Board] = []
        self._event: dict[str, str] = {}
        self._names: list[str] = []
        self._needs_new_board = True  # no board is open: the next deal begins a new one

    def take(self, word: str, value: str) -> None:
        if word == "vg":
            self._take_title(value)
        elif word == "pn":
            self._take_names(value)
        elif word == "qx":
            self._take_label(value)
        elif word == "md":
            self._take_deal(value)
        elif not self.boards or self._needs_new_board:
            return
        else:
            self._take_board_word(self.boards[-1], word, value)

    def _take_title(self, value: str) -> None:
        parts = [part.strip() for part in value.split(",")] + [""] * 9
        title, stage, scoring, _, _, home, _, visitors = parts[:8]
        # Only these fields have a tag in PBN. The others are numbers: first and last board, and carry-overs.
        self._event = {
            "Event": title,
            "Stage": stage,
            "Scoring": {"I": "IMP", "P": "MP", "B": "BAM"}.get(scoring.upper(), ""),
            "HomeTeam": home,
            "VisitTeam": visitors,
        }

    def _take_names(self, value: str) -> None:
        names = value.split(",")
        if self.boards and not self._needs_new_board and self.boards[-1].deal is None:
            board = self.boards[-1]
            board.names = names[4:8] if board.room == "c" and len(names) >= 8 else names[:4]
            return
        self._names = names
        # In files without labels, names come first on every board.
        self._needs_new_board = True

    def _open(self) -> _Board:
        board = _Board(self._event)
        board.names = self._names[:4]
        self.boards.append(board)
        self._needs_new_board = False
        return board

    def _take_label(self, value: str) -> None:
        board = self._open()
        label = _BOARD.match(value)
        if label:
            board.room, board.number = label[1].lower(), int(label[2]) or None
        if board.room == "c" and len(self._names) >= 8:
            board.names = self._names[4:8]

    def _take_deal(self, value: str) -> None:
        has_board = bool(self.boards) and not self._needs_new_board
        board = self.boards[-1] if has_board and self.boards[-1].deal is None else self._open()
        # The digit of the dealer stands before the hands; 0 leaves the dealer to the board number.
        if value[:1].isascii() and value[:1].isdecimal():
            if value[0] in "1234":
                board.first = _ORDER[int(value[0]) - 1]
            value = value[1:]
        texts = value.split(",")
        hands = {seat: _hand(text) for seat, text in zip(_ORDER, texts, strict=False) if text.strip()}
        board.hands = hands
        board.deal = complete(hands)

    def _take_board_word(self, board: _Board, word: str, value: str) -> None:
        if word == "ah":
            number = re.search(r"[0-9]{1,6}", value)
            if number and int(number[0]):
                board.number = int(number[0])
        elif word == "sv":
            if value:
                vulnerable = _VULNERABILITY.get(value[0].lower())
                if vulnerable is None:
                    raise BadInput(f"{value!r} is not a vulnerability: o, n, e or b.")
                board.vulnerability = vulnerable
        elif word == "mb":
            board.add_calls(value)
        elif word == "an":
            board.explain(value)
        elif word == "pc":
            board.add_cards(value)
        elif word == "mc":
            if not re.fullmatch(r"[0-9]{1,2}", value) or int(value) > 13:
                raise BadInput(f"{value!r} is not a number of tricks.")
            board.claimed = int(value)
        elif word == "nt" and value:
            board.comments.append(value)


def _hand(text: str) -> Hand:
    spelling = _HAND.fullmatch(text.strip().upper())
    if spelling is None:
        raise BadInput(f"{text!r} is not a hand. Write one like SAK32HQJ5DT98C432.")
    return Hand.parse(".".join(suit or "" for suit in spelling.groups()))
