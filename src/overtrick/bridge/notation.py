"""Text notations of results: the fields of terminals' records, and the styles of writing tricks.

Each notation has a function that parses and one that writes; what is written parses to the same value, except where
the notation cannot express it. Pure: independent of the files and messages that carry these texts.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from overtrick.bridge.card import Card, Strain
from overtrick.bridge.contract import Contract, Doubling
from overtrick.bridge.outcome import (
    AWARDS,
    Award,
    Cancelled,
    NotPlayed,
    Outcome,
    PassedOut,
    Played,
    Undecided,
    write_overtricks,
)
from overtrick.bridge.seat import Seat
from overtrick.errors import BadInput


@dataclass(frozen=True, slots=True)
class EnteredResult:
    """The outcome that was entered for a board, and whether the pairs sat in the wrong direction (`switched`)."""

    outcome: Outcome
    switched: bool = False


# Results


class ResultStyle(Enum):
    """The three ways in which players write the number of tricks; the value is the name in messages."""

    AGAINST_CONTRACT = "against the contract"
    """+1, = or -2."""
    TOTAL = "total tricks"
    """10 for ten tricks."""
    AMERICAN = "American"
    """4 for ten tricks if the contract made (tricks above six), -2 for two down."""


_AGAINST = re.compile(r"=|[+-](?:[1-9]|1[0-3])")
_DIGITS = re.compile(r"[0-9]{1,2}")
_AMERICAN = re.compile(r"\+?[1-7]|-(?:[1-9]|1[0-3])")


def parse_result(text: str, contract: Contract, style: ResultStyle = ResultStyle.AGAINST_CONTRACT) -> int:
    """Parse a result in one of the styles and return the tricks that declarer won; raise BadInput for anything else.

    >>> contract = Contract.parse("3NTS")
    >>> parse_result("+1", contract), parse_result("10", contract, ResultStyle.TOTAL)
    (10, 10)
    >>> parse_result("4", contract, ResultStyle.AMERICAN), parse_result("-2", contract, ResultStyle.AMERICAN)
    (10, 7)
    """
    word = text.strip()
    tricks = -1
    if style is ResultStyle.TOTAL:
        if _DIGITS.fullmatch(word):
            tricks = int(word)
    elif style is ResultStyle.AMERICAN:
        if _AMERICAN.fullmatch(word):
            tricks = contract.target + int(word) if word[0] == "-" else 6 + int(word)
            if word[0] != "-" and tricks < contract.target:
                raise BadInput(
                    f"The result {text!r} does not make {contract}. Write -1, -2 … for a contract that went down."
                )
    elif _AGAINST.fullmatch(word):
        tricks = contract.target + (0 if word == "=" else int(word))
    if not 0 <= tricks <= 13:
        raise BadInput(f"{text!r} is not a result of {contract} ({style.value}).")
    return tricks


def write_result(tricks: int, contract: Contract, style: ResultStyle = ResultStyle.AGAINST_CONTRACT) -> str:
    """Return the text of a result, the tricks that declarer won, in one of the styles.

    >>> contract = Contract.parse("3NTS")
    >>> [write_result(10, contract, style) for style in ResultStyle]
    ['+1', '10', '4']
    """
    over = tricks - contract.target
    if style is ResultStyle.TOTAL:
        return str(tricks)
    if style is ResultStyle.AMERICAN and over >= 0:
        return str(tricks - 6)
    return write_overtricks(over)


# Contracts


_SPACED = re.compile(r"([1-7])\s*(NT|[CDHSN])\s*(X{0,2})", re.IGNORECASE)


def parse_contract(text: str, declarer: Seat) -> Contract | None:
    """Parse a contract with or without spaces, in any case (`4 S x`, `3NTX`); return None for a pass.

    Raise BadInput for anything else.

    >>> str(parse_contract("4 S x", Seat.NORTH)), str(parse_contract("3NTX", Seat.WEST))
    ('4SxN', '3NTxW')
    >>> parse_contract("PASS", Seat.WEST) is None
    True
    """
    word = text.strip()
    if word.upper() == "PASS":
        return None
    spelling = _SPACED.fullmatch(word)
    if spelling is None:
        raise BadInput(f"{text!r} is not a contract. Write one like 4 S x, 3NT or PASS.")
    level, strain, doubling = spelling.groups()
    return Contract(int(level), Strain.parse(strain), Doubling(len(doubling)), declarer)


def write_spaced(contract: Contract | None) -> str:
    """Return a contract as terminals store it; None is a pass.

    >>> write_spaced(Contract.parse("4SxN")), write_spaced(Contract.parse("3NTW")), write_spaced(None)
    ('4 S x', '3 NT', 'PASS')
    """
    if contract is None:
        return "PASS"
    return f"{contract.level} {contract.strain.letter} {contract.doubling.sign}".rstrip()


def write_compact(contract: Contract | None) -> str:
    """Return a contract as PBN writes it; None is a pass.

    >>> write_compact(Contract.parse("4SxN")), write_compact(Contract.parse("3NTW")), write_compact(None)
    ('4SX', '3NT', 'Pass')
    """
    if contract is None:
        return "Pass"
    return f"{contract.level}{contract.strain.letter}{contract.doubling.sign.upper()}"


# Text fields of terminals


class TextFields(NamedTuple):
    """A result as the text fields of a terminal's record: contract, result, remark, and the declarer."""

    contract: str
    result: str
    remark: str
    declarer: Seat | None


WRONG_DIRECTION = "Wrong direction"
_NOT_PLAYED = "Not played"
_UNDECIDED = "Arbitral score"
_PERCENTAGES = re.compile(r"([456]0)\s*%?\s*-\s*([456]0)\s*%?")


def parse_text_fields(fields: TextFields) -> EnteredResult:
    """Parse the text fields of a terminal's record; raise BadInput for fields that are not a result.

    The contract decides if there is one, else the remark. A result beside PASS is ignored.

    >>> str(parse_text_fields(TextFields("4 S x", "+1", "", Seat.NORTH)).outcome)
    '4SxN+1'
    >>> parse_text_fields(TextFields("", "", "60%-40%", None)).outcome
    Award(ns=60, ew=40)
    """
    remark = fields.remark.strip()
    if fields.contract.strip():
        switched = remark.lower() == WRONG_DIRECTION.lower()
        contract = parse_contract(fields.contract, fields.declarer or Seat.NORTH)
        if contract is None:
            return EnteredResult(PassedOut(), switched)
        if fields.declarer is None:
            raise BadInput(f"The contract {fields.contract!r} has no declarer.")
        return EnteredResult(Played(contract, parse_result(fields.result, contract)), switched)
    if remark.lower() == _NOT_PLAYED.lower():
        return EnteredResult(NotPlayed())
    if remark.lower() == _UNDECIDED.lower():
        return EnteredResult(Undecided())
    percentages = _PERCENTAGES.fullmatch(remark)
    if percentages is None:
        raise BadInput(
            "A result without a contract must say in its remark what it is (Not played, Arbitral score, or "
            f"percentages such as 60%-40%); it says {fields.remark!r}."
        )
    return EnteredResult(Award(int(percentages[1]), int(percentages[2])))


def write_text_fields(entry: EnteredResult) -> TextFields:
    """Return the text fields of a terminal's record.

    Terminals have no words for some outcomes: a cancelled board becomes Not played; a weighted score, a score without
    a contract and an award other than 40, 50 and 60 per cent become Arbitral score.

    >>> write_text_fields(EnteredResult(Outcome.parse("3NTW-1"), switched=True))
    TextFields(contract='3 NT', result='-1', remark='Wrong direction', declarer=<Seat.WEST: 'W'>)
    >>> write_text_fields(EnteredResult(PassedOut()))
    TextFields(contract='PASS', result='', remark='', declarer=None)
    """
    outcome = entry.outcome
    remark = WRONG_DIRECTION if entry.switched else ""
    if isinstance(outcome, Played):
        contract = outcome.contract
        return TextFields(
            write_spaced(contract), write_overtricks(outcome.overtricks), remark, contract.declarer
        )
    if isinstance(outcome, PassedOut):
        return TextFields("PASS", "", remark, None)
    if outcome in AWARDS:
        return TextFields("", "", str(outcome).replace("-", "%-") + "%", None)
    has_no_score = isinstance(outcome, NotPlayed | Cancelled)
    return TextFields("", "", _NOT_PLAYED if has_no_score else _UNDECIDED, None)


# Lead cards


def write_lead(card: Card | None) -> str:
    """Return a lead card as terminals store it, with 10 for the ten; an empty text for none.

    >>> write_lead(Card.CT), write_lead(Card.S2), write_lead(None)
    ('C10', 'S2', '')
    """
    if card is None:
        return ""
    return f"{card.suit.letter}{card.rank.symbol}"


def parse_lead(text: str) -> Card | None:
    """Parse a lead card in any spelling of `Card.parse`; return None for an empty text, raise BadInput for others.

    >>> parse_lead("C10"), parse_lead("")
    (<Card.CT: 'CT'>, None)
    """
    return Card.parse(text) if text.strip() else None
