"""The alert grammar of the protocol: the meaning of an alert, for the record and for spectators.

Only annotates: it never decides whether a call may be made or relayed. An alert that cannot be parsed is relayed
unchanged, and kept here as free text.
"""

import re
from dataclasses import dataclass
from enum import Enum

from overtrick.bridge import Rank, Suit


class Measure(Enum):
    """The quantities that an alert can give a range for."""

    CARDS = "cards"
    POINTS = "points"
    TOTAL_POINTS = "total points"


LIMITS = {Measure.CARDS: 13, Measure.POINTS: 15, Measure.TOTAL_POINTS: 50}
"""The largest value of each measure in the protocol; "at least n" means up to this value."""


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
class HeldCard:
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
class FreeText:
    """Text outside the grammar, as it was received."""

    words: str

    def __str__(self) -> str:
        return self.words


Statement = Range | Controls | HeldCard | Phrase | FreeText


@dataclass(frozen=True, slots=True)
class Alert:
    """One or more alternative meanings; within one meaning, all statements hold.

    >>> str(Alert(((Controls((0, 4), Rank.ACE),),)))
    'Alert. 0 or 4 total aces.'
    """

    meanings: tuple[tuple[Statement, ...], ...]

    def __str__(self) -> str:
        sentences = [", ".join(map(str, meaning)) + "." for meaning in self.meanings]
        return " ".join(
            ["Alert.", *sentences[:1], *(f"Alternatively, {meaning}" for meaning in sentences[1:])]
        )

    @property
    def is_in_grammar(self) -> bool:
        """Return whether every statement could be parsed."""
        return not any(isinstance(statement, FreeText) for meaning in self.meanings for statement in meaning)


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
"""The phrases of the document; those about a suit once for each suit."""

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


def alert_text(tail: str) -> str:
    """Return the text of an alert without its keyword; empty if there is no text, or no keyword.

    >>> alert_text("Alert. 0 or 4 total aces."), alert_text("Alert.")
    ('0 or 4 total aces.', '')
    """
    keyword = _KEYWORD.match(tail)
    return tail[keyword.end() :].strip() if keyword else ""


def read_alert(tail: str) -> Alert | None:
    """Parse the text after a call as an alert; return None if it is not marked as one. Never fails.

    >>> alert = read_alert("Alert.  8 to 14 total points,  up to 6 cards in clubs.")
    >>> alert.meanings[0][1]
    Range(measure=<Measure.CARDS: 'cards'>, least=0, most=6, suit=<Suit.CLUBS: 0>)
    >>> str(alert)
    'Alert. 8 to 14 total points, up to 6 cards in clubs.'
    """
    keyword = _KEYWORD.match(tail)
    if keyword is None:
        return None
    meanings = []
    for meaning in _ALTERNATIVELY.split(tail[keyword.end() :]):
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
    statement: Statement | None = None
    if match := _TOTAL.fullmatch(spelling):
        statement = _range(match, Measure.TOTAL_POINTS, None)
    elif match := _IN_SUIT.fullmatch(spelling):
        statement = _range(match, Measure(match["what"] + "s"), _SUIT[match["suit"]])
    elif match := _CONTROLS.fullmatch(spelling):
        numbers = tuple(int(number) for number in match.groups()[:2] if number)
        if all(number <= 4 for number in numbers):
            statement = Controls(numbers, Rank[match[3].upper()])
    elif match := _HOLDS.fullmatch(spelling):
        statement = HeldCard(Rank[match[1].upper()], _SUIT[match[2]])
    return statement or FreeText(text)


def _range(match: re.Match[str], measure: Measure, suit: Suit | None) -> Range | None:
    limit = LIMITS[measure]
    if match["exact"]:
        least = most = int(match["exact"][:9])
    elif match["from"]:
        least, most = int(match["from"][:9]), int(match["to"][:9])
    elif match["word"] == "up to":
        least, most = 0, int(match["one"][:9])
    else:
        least, most = int(match["one"][:9]), limit
    return Range(measure, least, most, suit) if least <= most <= limit else None


def operators_alert(words: str) -> str:
    """Return the text that is sent for an operator's answer, with the keyword Alert.

    >>> operators_alert("5 cards in spades, at least 12 total points")
    'Alert. 5 cards in spades, at least 12 total points.'
    """
    tail = words.strip() if is_marked(words) else f"Alert. {words.strip()}"
    alert = read_alert(tail)
    return str(alert) if alert is not None and alert.is_in_grammar else tail
