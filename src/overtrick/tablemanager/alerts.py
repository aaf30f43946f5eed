"""The alert grammar of the protocol: the meaning of an alert, for the record and for spectators.

Never decides whether a call may be made or relayed: an alert that cannot be parsed is relayed all the same, and is kept
here as plain words.
"""

import re
from dataclasses import dataclass
from enum import Enum

from overtrick.bridge import Rank, Suit


class Measure(Enum):
    """The quantities that a range of an alert counts."""

    CARDS = "cards"
    POINTS = "points"
    TOTAL_POINTS = "total points"


LIMITS = {Measure.CARDS: 13, Measure.POINTS: 15, Measure.TOTAL_POINTS: 50}
"""The maximum of each measure."""


@dataclass(frozen=True, slots=True)
class Range:
    """A range of cards or points, in a suit or in total.

    >>> str(Range(Measure.CARDS, 0, 6, Suit.CLUBS)), str(Range(Measure.TOTAL_POINTS, 8, 14))
    ('up to 6 cards in clubs', '8 to 14 total points')
    """

    measure: Measure
    least: int
    most: int
    suit: Suit | None = None

    def __str__(self) -> str:
        if self.least == self.most:
            figures = str(self.least)
        elif self.least == 0:
            figures = f"up to {self.most}"
        elif self.most == LIMITS[self.measure]:
            figures = f"at least {self.least}"
        else:
            figures = f"{self.least} to {self.most}"
        where = f" in {self.suit.title}" if self.suit is not None else ""
        return f"{figures} {self.measure.value}{where}"


@dataclass(frozen=True, slots=True)
class Controls:
    """A number of aces or kings; more than one number where the document's "or" was used."""

    numbers: tuple[int, ...]
    rank: Rank

    def __str__(self) -> str:
        return f"{' or '.join(map(str, self.numbers))} total {self.rank.title}s"


@dataclass(frozen=True, slots=True)
class Holds:
    """The ace or the king of a suit."""

    rank: Rank
    suit: Suit

    def __str__(self) -> str:
        return f"{self.rank.title} of {self.suit.title}"


@dataclass(frozen=True, slots=True)
class Phrase:
    """One of the document's fixed phrases, such as "Forcing for one round"."""

    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Words:
    """Text that the grammar does not know, as it was received."""

    words: str

    def __str__(self) -> str:
        return self.words


Statement = Range | Controls | Holds | Phrase | Words


@dataclass(frozen=True, slots=True)
class Alert:
    """One or more alternative meanings, each of statements that all hold.

    >>> str(Alert(((Controls((0, 4), Rank.ACE),),)))
    'Alert. 0 or 4 total aces.'
    """

    meanings: tuple[tuple[Statement, ...], ...]

    def __str__(self) -> str:
        told = [", ".join(map(str, meaning)) + "." for meaning in self.meanings]
        return " ".join(["Alert.", *told[:1], *(f"Alternatively, {meaning}" for meaning in told[1:])])

    @property
    def is_in_grammar(self) -> bool:
        """Return whether all of it could be parsed."""
        return not any(isinstance(statement, Words) for meaning in self.meanings for statement in meaning)


PHRASES = (
    "Asking for aces",
    "Asking for kings",
    "Asking for a major suit",
    "Asking for a four-card major suit",
    "Asking for a five-card major suit",
    "Asking for a minor suit",
    "Asking for a four-card suit",
    "Asking for support",
    *(f"Asks for lead in {suit.title}" for suit in Suit),
    *(f"Asks for lead not in {suit.title}" for suit in Suit),
    "Forcing for one round",
    "Forcing until game",
    "Promises a rebid",
)
"""The phrases of the document, each suit written out."""

_PHRASE = {phrase.lower(): Phrase(phrase) for phrase in PHRASES}
_SUIT = {name: suit for suit in Suit for name in (suit.title, suit.title[:-1])}
_SUITS = "|".join(sorted(_SUIT, key=len, reverse=True))
_FIGURES = r"(?:(?P<word>up to|at least) (?P<one>\d+)|(?P<from>\d+) to (?P<to>\d+)|(?P<exact>\d+))"
_TOTAL = re.compile(rf"{_FIGURES} total points?")
_IN_SUIT = re.compile(rf"{_FIGURES} (?P<what>card|point)s? in (?P<suit>{_SUITS})")
_CONTROLS = re.compile(r"(\d{1,9})(?: or (\d{1,9}))? total (ace|king)s?")
_HOLDS = re.compile(rf"(ace|king) of ({_SUITS})")
_KEYWORD = re.compile(r"\s*alert\b\s*\.?\s*", re.IGNORECASE)
_ALTERNATIVELY = re.compile(r"\.?\s*\balternatively\b\s*,?\s*", re.IGNORECASE)


def is_marked(tail: str) -> bool:
    """Return whether the text after a call starts with the keyword Alert.

    >>> is_marked("alert."), is_marked("Infos. natural")
    (True, False)
    """
    return _KEYWORD.match(tail) is not None


def words_of(tail: str) -> str:
    """Return the text of an alert without its keyword; empty if the operator is to supply it.

    >>> words_of("Alert. 0 or 4 total aces."), words_of("Alert.")
    ('0 or 4 total aces.', '')
    """
    found = _KEYWORD.match(tail)
    return tail[found.end() :].strip() if found else ""


def read_alert(tail: str) -> Alert | None:
    """Parse the text after a call as an alert; return None if it is not marked as one. Never fails.

    >>> alert = read_alert("Alert.  8 to 14 total points,  up to 6 cards in clubs.")
    >>> alert.meanings[0][1]
    Range(measure=<Measure.CARDS: 'cards'>, least=0, most=6, suit=<Suit.CLUBS: 0>)
    >>> str(alert)
    'Alert. 8 to 14 total points, up to 6 cards in clubs.'
    """
    found = _KEYWORD.match(tail)
    if found is None:
        return None
    meanings = []
    for meaning in _ALTERNATIVELY.split(tail[found.end() :]):
        parts = (" ".join(part.split()) for part in re.split(r"[,.](?:\s|$)", meaning))
        statements = tuple(_statement(part) for part in parts if part)
        if statements:
            meanings.append(statements)
    return Alert(tuple(meanings))


def _statement(text: str) -> Statement:
    spelling = text.lower().rstrip(".")
    phrase = _PHRASE.get(spelling)
    if phrase is not None:
        return phrase
    known: Statement | None = None
    if found := _TOTAL.fullmatch(spelling):
        known = _range(found, Measure.TOTAL_POINTS, None)
    elif found := _IN_SUIT.fullmatch(spelling):
        known = _range(found, Measure(found["what"] + "s"), _SUIT[found["suit"]])
    elif found := _CONTROLS.fullmatch(spelling):
        numbers = tuple(int(number) for number in found.groups()[:2] if number)
        if all(number <= 4 for number in numbers):
            known = Controls(numbers, Rank[found[3].upper()])
    elif found := _HOLDS.fullmatch(spelling):
        known = Holds(Rank[found[1].upper()], _SUIT[found[2]])
    return known or Words(text)


def _range(found: re.Match[str], measure: Measure, suit: Suit | None) -> Range | None:
    most = LIMITS[measure]
    if found["exact"]:
        least = most_told = int(found["exact"][:9])
    elif found["from"]:
        least, most_told = int(found["from"][:9]), int(found["to"][:9])
    elif found["word"] == "up to":
        least, most_told = 0, int(found["one"][:9])
    else:
        least, most_told = int(found["one"][:9]), most
    return Range(measure, least, most_told, suit) if least <= most_told <= most else None


def operators_alert(words: str) -> str:
    """Return an operator's input as the alert that is sent.

    >>> operators_alert("5 cards in spades, at least 12 total points")
    'Alert. 5 cards in spades, at least 12 total points.'
    """
    tail = words.strip() if is_marked(words) else f"Alert. {words.strip()}"
    alert = read_alert(tail)
    return str(alert) if alert is not None and alert.is_in_grammar else tail
