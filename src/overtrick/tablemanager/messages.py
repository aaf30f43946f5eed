"""Every message of the computer bridge protocol, version 18: one grammar for the table and the player.

Has no dependency on the order of messages (see `conversation`) or on sockets. Reading tolerates what the protocol says
to tolerate and what deployed programs send: any case and spacing, the older punctuation, an extra full stop, and text
after the version, a call or a card.
"""

import contextlib
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from overtrick.bridge import (
    CARDS,
    DOUBLE,
    PASS,
    REDOUBLE,
    SEATS,
    Bid,
    Call,
    Card,
    Hand,
    Rank,
    Seat,
    Suit,
    Vulnerability,
    parse_call,
)
from overtrick.bridge.card import SUITS_FROM_SPADES
from overtrick.errors import BadInput

VERSION = 18
"""The version of the protocol."""

ANY_SEAT = "ANYPL"
"""The word that a player sends instead of a seat if it takes any free one."""


class Dialect(Enum):
    """The punctuation of messages: as the document has it, or as older programs expect."""

    V18 = "v18"
    CLASSIC = "classic"


class Topic(Enum):
    """The things that a player can be ready for."""

    # Members are singletons, so hashing by identity is correct; Enum's own hash is slower.
    __hash__ = object.__hash__

    TEAMS = "for teams"
    START = "to start"
    DEAL = "for deal"
    CARDS = "for cards"
    BID = "bid"
    DUMMY = "for dummy"
    CARD = "card to trick"


@dataclass(frozen=True, slots=True)
class Connecting:
    """A request for a seat; `seat` is the word as it was sent, empty if there was none."""

    team: str
    seat: str
    version: int

    def __str__(self) -> str:
        return f'Connecting "{self.team}" as {self.seat} using protocol version {self.version}'


@dataclass(frozen=True, slots=True)
class Ready:
    """A notice that a player is ready; `whose` is the seat whose bid or card comes next (None: dummy's card)."""

    seat: Seat
    topic: Topic
    whose: Seat | None = None
    trick: int = 0


@dataclass(frozen=True, slots=True)
class CallMade:
    """A call, with the text after it (usually an alert)."""

    seat: Seat
    call: Call
    tail: str = ""


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A card; `seat` is the hand that it comes from."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class UnclearLine:
    """A line that was meant as a call or card, but is not a valid one; `what` is "bid" or "card"."""

    seat: Seat
    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.seat.title} {'bids' if self.what == 'bid' else 'plays'} {self.text}"


@dataclass(frozen=True, slots=True)
class ClaimMade:
    """A claim of the remaining tricks."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """An answer to another player's claim."""

    seat: Seat
    claimant: Seat
    accepts: bool


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    """The assignment of a seat."""

    seat: Seat
    team: str
    is_quoted: bool = True
    """False if the team's name had no quotation marks, as bridge_env writes it."""


@dataclass(frozen=True, slots=True)
class SeatRefusal:
    """The refusal of a seat, with its reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Teams:
    """The names of the teams."""

    ns: str
    ew: str


@dataclass(frozen=True, slots=True)
class StartOfBoard:
    """The start or restart of a board."""


@dataclass(frozen=True, slots=True)
class BoardLine:
    """Number, dealer and vulnerability of a board."""

    number: int
    dealer: Seat
    vulnerability: Vulnerability


@dataclass(frozen=True, slots=True)
class Cards:
    """A hand: a player's own, a claimant's, or (seat None) dummy's."""

    seat: Seat | None
    hand: Hand


@dataclass(frozen=True, slots=True)
class LeadRequest:
    """A request for the lead: to the leader, or (None) to declarer for dummy."""

    seat: Seat | None


@dataclass(frozen=True, slots=True)
class IllegalNotice:
    """A notice that an illegal call or card was ignored; `what` is "bid" or "card"."""

    what: str


@dataclass(frozen=True, slots=True)
class ClaimDecided:
    """The decision on a claim; `why` is the reason if it was rejected without asking a player."""

    claimant: Seat
    accepted: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """Whole seconds that the sides took: for this board, and in total."""

    ns_board: int
    ns_total: int
    ew_board: int
    ew_total: int


@dataclass(frozen=True, slots=True)
class EndOfSession:
    """The end of the session."""


Message: TypeAlias = (
    Connecting
    | Ready
    | CallMade
    | CardPlayed
    | UnclearLine
    | ClaimMade
    | ClaimAnswer
    | SeatAssignment
    | SeatRefusal
    | Teams
    | StartOfBoard
    | BoardLine
    | Cards
    | LeadRequest
    | IllegalNotice
    | ClaimDecided
    | Timing
    | EndOfSession
)

ILLEGAL_BID = IllegalNotice("bid")
ILLEGAL_CARD = IllegalNotice("card")

_VULNERABLE = {
    Vulnerability.NONE: "Neither",
    Vulnerability.NS: "N/S",
    Vulnerability.EW: "E/W",
    Vulnerability.ALL: "Both",
}
_TITLES = tuple(seat.title for seat in SEATS)
_TITLE = re.compile(rf"\b(?:{'|'.join(_TITLES)})\b")
_CARD_WORDS = tuple(f"{card.rank.letter}{card.suit.letter}" for card in CARDS)
_BY_VULNERABLE = {words.upper(): vulnerability for vulnerability, words in _VULNERABLE.items()}


def write(message: Message, dialect: Dialect = Dialect.V18) -> str:
    """Return the line of a message, without its line end.

    >>> write(CallMade(Seat.NORTH, parse_call("3NT"), "Alert. Asking for aces."))
    'North bids 3NT Alert. Asking for aces.'
    >>> write(Teams("A", "B")), write(Teams("A", "B"), Dialect.CLASSIC)
    ('Teams: N/S: "A". E/W: "B"', 'Teams : N/S : "A" E/W : "B"')
    """
    if type(message) is CardPlayed:
        return f"{_TITLES[message.seat.index]} plays {_CARD_WORDS[message.card.index]}"
    return _write(message, dialect)


@lru_cache(maxsize=4096)
def _write(message: Message, dialect: Dialect) -> str:
    return plain(_message_text(message, dialect))


def plain(text: str) -> str:
    """Return text in the protocol's characters, #32 to #127: accents are removed, other characters become "?".

    >>> plain("caf\\u00e9, 4\\u2660"), plain("Alert. 15-17")
    ('cafe, 4?', 'Alert. 15-17')
    """
    if text.isascii() and text.isprintable():
        return text
    letters = unicodedata.normalize("NFKD", decode_if_utf8(text))
    return "".join(
        letter if 32 <= ord(letter) <= 127 else "?" for letter in letters if not unicodedata.combining(letter)
    )


def _message_text(message: Message, dialect: Dialect) -> str:
    classic = dialect is Dialect.CLASSIC
    colon = " :" if classic else ":"
    match message:
        case CallMade(seat, call, tail):
            return f"{seat.title} {_call_words(call)}{' ' + tail if tail else ''}"
        case Ready(seat, topic, whose, trick):
            return f"{seat.title} ready {_ready_words(topic, whose, trick)}"
        case LeadRequest(seat):
            return f"{seat.title if seat else 'Dummy'} to lead"
        case Cards(seat, hand):
            return f"{seat.title if seat else 'Dummy'}'s cards{colon} {write_hand(hand)}"
        case BoardLine(number, dealer, vulnerability):
            words = _VULNERABLE[vulnerability]
            stop = "." if classic else ""
            return f"Board number {number}. Dealer {dealer.title}. {words} vulnerable{stop}"
        case StartOfBoard():
            return "Start of board"
        case Timing():
            return _timing_words(message, colon)
        case SeatAssignment(seat, team, False):
            return f"{seat.title} {team} seated"
        case SeatAssignment(seat, team):
            return f'{seat.title} ("{team}") seated'
        case Teams(ns, ew):
            return f'Teams{colon} N/S{colon} "{ns}"{"" if classic else "."} E/W{colon} "{ew}"'
        case IllegalNotice(what):
            return f"Illegal {what}"
        case EndOfSession():
            return "End of session"
        case SeatRefusal(reason):
            return f"Error: {reason}"
        case ClaimMade() | ClaimAnswer() | ClaimDecided():
            return _claim_words(message)
    return str(message)


def respell(message: Message, line: str, seat_word: str) -> str:
    """Return a player's line in the spelling of a table that writes a seat as `seat_word`.

    A table that writes seats in capitals probably compares lines letter by letter, as OpenSpiel's controller does. It
    expects the spelling of WBridge5.

    >>> call = CallMade(Seat.NORTH, PASS, "Alert. North may have less.")
    >>> respell(call, write(call), "NORTH"), respell(call, write(call), "North")
    ('NORTH PASSES Alert. North may have less.', 'North passes Alert. North may have less.')
    """
    if not seat_word.isupper():
        return line
    match message:
        case CallMade(seat, call, tail):
            words = _call_words(call) if isinstance(call, Bid) else _call_words(call).upper()
            return f"{seat.title.upper()} {words}{' ' + tail if tail else ''}"
        case CardPlayed(seat, card):
            return f"{seat.title.upper()} plays {_CARD_WORDS[card.index].lower()}"
    line = line.replace("dummy's", "Dummy's")
    return _TITLE.sub(lambda match: match[0].upper(), line)


def _claim_words(message: ClaimMade | ClaimAnswer | ClaimDecided) -> str:
    match message:
        case ClaimMade(seat):
            return f"{seat.title} claims"
        case ClaimAnswer(seat, claimant, accepts):
            return f"{seat.title} {'accepts' if accepts else 'rejects'} {claimant.title}'s claim"
        case ClaimDecided(claimant, accepted, why):
            words = f"{claimant.title}'s claim is {'accepted' if accepted else 'rejected'}"
            return f"{words}: {why}" if why else words


def _call_words(call: Call) -> str:
    if isinstance(call, Bid):
        return f"bids {call}"
    return {PASS: "passes", DOUBLE: "doubles", REDOUBLE: "redoubles"}[call]


def _ready_words(topic: Topic, whose: Seat | None, trick: int) -> str:
    if topic is Topic.BID:
        return f"for {whose.title if whose else 'dummy'}'s bid"
    if topic is Topic.CARD:
        return f"for {whose.title if whose else 'dummy'}'s card to trick {trick}"
    return str(topic.value)


def _timing_words(timing: Timing, colon: str) -> str:
    def board(seconds: int) -> str:
        return f"{seconds // 60:02}:{seconds % 60:02}"

    def total(seconds: int) -> str:
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"

    # The document and deployed programs have these double spaces.
    ns = f"N/S{colon} this board  {board(timing.ns_board)},  total  {total(timing.ns_total)}."
    ew = f"E/W{colon} this board  {board(timing.ew_board)},  total  {total(timing.ew_total)}"
    return f"Timing - {ns}  {ew}"


def write_hand(hand: Hand) -> str:
    """Return a hand as the protocol writes it.

    >>> write_hand(Hand.parse("AK.QJ5..T98765432"))
    'S A K. H Q J 5. D -. C T 9 8 7 6 5 4 3 2.'
    """
    return " ".join(
        f"{suit.letter} {' '.join(rank.letter for rank in hand.suit(suit)) or '-'}."
        for suit in SUITS_FROM_SPADES
    )


def decode_if_utf8(text: str) -> str:
    """Decode text as UTF-8 if its bytes are valid UTF-8, which many programs send; else return it unchanged.

    Lines are decoded as Latin-1 on arrival, so that every byte survives.

    >>> decode_if_utf8("\u00c3\u2026lborg".encode("cp1252").decode("latin-1")), decode_if_utf8("\u00c5lborg")
    ('Ålborg', 'Ålborg')
    """
    with contextlib.suppress(UnicodeError):
        return text.encode("latin-1").decode("utf-8")
    return text


def read_hand(text: str) -> Hand:
    """Parse a hand of the protocol, with its suits in any order.

    >>> read_hand("S A K.H q j 5. D - C 10 9 8 7 6 5 4 3 2 .")
    Hand.parse('AK.QJ5..T98765432')
    """
    suit: Suit | None = None
    cards = []
    for letter in text.upper().replace("10", "T"):
        place = "23456789TJQKA".find(letter)
        if place >= 0 and suit is not None:
            cards.append(Card.of(suit, Rank(place + 2)))
        elif letter in "CDHS":
            suit = Suit("CDHS".index(letter))
        elif letter not in " .,-":
            raise BadInput(f"{letter!r} in the hand {text!r} is not a suit or a rank.")
    return Hand(cards)


def read(line: str) -> Message | None:
    """Parse a line; return None if it is not a message.

    >>> read("WEST ready for  NORTH's bid")
    Ready(seat=<Seat.WEST: 'W'>, topic=<Topic.BID: 'bid'>, whose=<Seat.NORTH: 'N'>, trick=0)
    >>> read("north's cards : S A. H -. D -. C 2.")
    Cards(seat=<Seat.NORTH: 'N'>, hand=Hand.parse('A...2'))
    >>> read("hello") is None
    True
    """
    return _read_cached(line) if len(line) <= 200 else _read(line)


_SEAT = r"(north|east|south|west)"
# An apostrophe, or the bytes that an encoding made of it.
_S = r"[^a-z\s]{0,3}s"
_TIME = r"\[?([\d:]+)\]?"


def _rule(pattern: str) -> re.Pattern[str]:
    # In a pattern, a space stands for one or more, an underscore for any number of them. A final full stop is optional.
    return re.compile(pattern.replace(" ", r"\s+").replace("_", r"\s*") + r"\s*\.?", re.IGNORECASE)


def _open_rule(pattern: str) -> re.Pattern[str]:
    # For patterns that end in free text: spaces are written out, and "." matches every character.
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def _seat(word: str) -> Seat | None:
    return None if word.lower() == "dummy" else Seat.parse(word)


_CALL = _open_rule(
    rf"{_SEAT}\s+(pass(?:es)?|doubles?|redoubles?|bids\s+(?:pass|xx?|[1-7]\s*(?:nt?|[shdc])))(?![a-z0-9])\.?(.*)"
)
_CONNECTING = _open_rule(
    r'connecting\s+(?:"([^"]*)"|(\S.*?))\s*(?:as\s+(?!using\b)(\S*)\s*)?(?:as\s+)?using\s+protocol\s+version\s+(\d{1,9})(?!\d).*'
)


def _read_call(match: re.Match[str]) -> Message:
    words = match[2].lower().split()
    spelling = "".join(words[1:]) if words[0] == "bids" else words[0]
    plain: Call | None = {"p": PASS, "d": DOUBLE, "r": REDOUBLE}.get(spelling[0])
    return CallMade(Seat.parse(match[1]), plain or parse_call(spelling), match[3].strip())


def _read_connecting(line: re.Match[str]) -> Message | None:
    match = _CONNECTING.fullmatch(line[0][:400])
    if match is None:
        return None
    team = match[1] if match[1] is not None else match[2]
    return Connecting(team.strip(), match[3] or "", int(match[4]))


def _read_cards(match: re.Match[str]) -> Message | None:
    try:
        return Cards(_seat(match[1]), read_hand(match[2]))
    except BadInput:
        return None


def _read_timing(match: re.Match[str]) -> Message:
    seconds = [0, 0, 0, 0]
    for place in range(4):
        for part in match[place + 1].split(":"):
            seconds[place] = 60 * seconds[place] + int(part[:6] or 0)
    return Timing(*seconds)


_RULES: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], Message | None]], ...] = (
    (
        "ready",
        _rule(rf"{_SEAT} ready for (north|east|south|west|dummy){_S} card to trick (\d\d?)"),
        lambda match: Ready(Seat.parse(match[1]), Topic.CARD, _seat(match[2]), int(match[3])),
    ),
    (
        "ready",
        _rule(rf"{_SEAT} ready for {_SEAT}{_S} bid"),
        lambda match: Ready(Seat.parse(match[1]), Topic.BID, Seat.parse(match[2])),
    ),
    (
        "ready",
        _rule(rf"{_SEAT} ready (to start|for (?:teams|deal|cards|dummy))"),
        lambda match: Ready(Seat.parse(match[1]), Topic(" ".join(match[2].lower().split()))),
    ),
    (
        " plays",
        _open_rule(rf"{_SEAT}\s+plays\s+((?:10|[2-9tjqka])[shdc]|[shdc](?:10|[2-9tjqka]))(?![a-z0-9]).*"),
        lambda match: CardPlayed(Seat.parse(match[1]), Card.parse(match[2])),
    ),
    (
        " plays",
        _open_rule(rf"{_SEAT}\s+plays\b(.*)"),
        lambda match: UnclearLine(Seat.parse(match[1]), "card", match[2].strip()),
    ),
    *((needle, _CALL, _read_call) for needle in (" bids", "pass", "double")),
    (
        " bids",
        _open_rule(rf"{_SEAT}\s+bids\b(.*)"),
        lambda match: UnclearLine(Seat.parse(match[1]), "bid", match[2].strip()),
    ),
    ("cards", _open_rule(rf"(north|east|south|west|dummy){_S}\s+cards\s*:\s*(.*)"), _read_cards),
    (" lead", _rule("(north|east|south|west|dummy) to lead"), lambda match: LeadRequest(_seat(match[1]))),
    (
        "number",
        _rule(rf"board number (\d+)_[.,]_dealer {_SEAT}_[.,]_(neither|n/s|e/w|both) vulnerable"),
        lambda match: BoardLine(int(match[1][:9]), Seat.parse(match[2]), _BY_VULNERABLE[match[3].upper()]),
    ),
    ("start ", _rule("start of board"), lambda match: StartOfBoard()),
    (
        "timing",
        _rule(
            rf"timing_-_n/s_:_this board {_TIME}_, total {_TIME}_\._e/w_:_this board {_TIME}_,_total {_TIME}"
        ),
        _read_timing,
    ),
    ("connecting", _open_rule("connecting.*"), _read_connecting),
    (
        "seated",
        _rule(rf'{_SEAT} _\(?_"([^"]*)"_\)? seated'),
        lambda match: SeatAssignment(Seat.parse(match[1]), match[2]),
    ),
    (
        "seated",
        _open_rule(rf"{_SEAT}\s+(\S.*?)\s+seated\s*\.?"),
        lambda match: SeatAssignment(Seat.parse(match[1]), match[2], is_quoted=False),
    ),
    (
        "teams",
        _open_rule(r'teams\s*:?\s*n/s\s*:?\s*"([^"]*)"[.,]?\s*e/w\s*:?\s*"([^"]*)".*'),
        lambda match: Teams(match[1], match[2]),
    ),
    ("illegal", _rule("illegal (bid|card)"), lambda match: IllegalNotice(match[1].lower())),
    ("claim", _rule(rf"{_SEAT} claims"), lambda match: ClaimMade(Seat.parse(match[1]))),
    (
        "claim",
        _rule(rf"{_SEAT} (accepts|rejects) {_SEAT}{_S} claim"),
        lambda match: ClaimAnswer(Seat.parse(match[1]), Seat.parse(match[3]), match[2].lower() == "accepts"),
    ),
    (
        "claim",
        _rule(rf"{_SEAT}{_S} claim is (accepted|rejected)(?:_[:,.] (.*?))?"),
        lambda match: ClaimDecided(Seat.parse(match[1]), match[2].lower() == "accepted", match[3] or ""),
    ),
    ("end ", _rule("end of session"), lambda match: EndOfSession()),
    ("error", _open_rule(r"error\b\s*:?\s*(.*)"), lambda match: SeatRefusal(match[1].strip())),
)
"""The rules of the parser, first match wins: a word that the line must contain (a quick test), the pattern of the whole
line, and the function that makes the message (None: try the next rule)."""


def _read(line: str) -> Message | None:
    line = line.strip()
    words = line.lower()
    for word, rule, build in _RULES:
        if word in words and (match := rule.fullmatch(line)) is not None:
            message = build(match)
            if message is not None:
                return message
    return None


# Most lines are among the same few thousand.
_read_cached = lru_cache(maxsize=8192)(_read)
