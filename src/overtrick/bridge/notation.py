"""Text notations of results: the fields of terminals' records, and the styles of writing tricks.

Each notation has one function that reads and one that writes, and they are inverse. Pure: independent of the files
and messages that carry these texts.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from overtrick.bridge.card import Card, Rank, Strain
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
    """The result that was entered for a board; `switched` if the pairs sat in the wrong direction."""

    outcome: Outcome
    switched: bool = False


# Results


class ResultStyle(Enum):
    """The three ways in which players say how many tricks were won."""

    AGAINST_CONTRACT = "against the contract"
    """+1, =, -2"""
    TOTAL = "total tricks"
    """10"""
    AMERICAN = "American"
    """Made: tricks above six (4). Down: -2."""


_AGAINST = re.compile(r"=|[+-](?:[1-9]|1[0-3])")
_DIGITS = re.compile(r"[0-9]{1,2}")
_AMERICAN = re.compile(r"\+?[1-7]|-(?:[1-9]|1[0-3])")


def parse_result(text: str, contract: Contract, style: ResultStyle = ResultStyle.AGAINST_CONTRACT) -> int:
    """Parse a result and return the number of tricks that declarer won; raise BadInput for anything else.

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
                    f"The result {text!r} does not make {contract}: a contract that goes down is -1, -2 …"
                )
    elif _AGAINST.fullmatch(word):
        tricks = contract.target + (0 if word == "=" else int(word))
    if not 0 <= tricks <= 13:
        raise BadInput(f"{text!r} is not a result of {contract} ({style.value}).")
    return tricks


def write_result(tricks: int, contract: Contract, style: ResultStyle = ResultStyle.AGAINST_CONTRACT) -> str:
    """Return the text of a result in one of the styles.

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

    >>> str(parse_contract("4 S x", Seat.NORTH)), str(parse_contract("3NTX", Seat.WEST))
    ('4SxN', '3NTxW')
    >>> parse_contract("PASS", Seat.WEST) is None
    True
    """
    word = text.strip()
    if word.upper() == "PASS":
        return None
    found = _SPACED.fullmatch(word)
    if found is None:
        raise BadInput(f"{text!r} is not a contract: such as 4 S x, 3NT and PASS are.")
    return Contract(int(found[1]), Strain.parse(found[2]), Doubling(len(found[3])), declarer)


def write_spaced(contract: Contract | None) -> str:
    """Return a contract as terminals store it.

    >>> write_spaced(Contract.parse("4SxN")), write_spaced(Contract.parse("3NTW")), write_spaced(None)
    ('4 S x', '3 NT', 'PASS')
    """
    if contract is None:
        return "PASS"
    return f"{contract.level} {contract.strain.letter} {contract.doubling.sign}".rstrip()


def write_compact(contract: Contract | None) -> str:
    """Return a contract as PBN writes it.

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
    """Parse the text fields of a terminal's record; a stray result beside PASS is ignored.

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
    found = _PERCENTAGES.fullmatch(remark)
    if found is None:
        raise BadInput(
            "A result without a contract must say in its remark what it is (Not played, Arbitral score, or "
            f"percentages such as 60%-40%); it says {fields.remark!r}."
        )
    return EnteredResult(Award(int(found[1]), int(found[2])))


def write_text_fields(entry: EnteredResult) -> TextFields:
    """Return the text fields of a terminal's record.

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
    is_without = isinstance(outcome, NotPlayed | Cancelled)
    return TextFields("", "", _NOT_PLAYED if is_without else _UNDECIDED, None)


# Lead cards


def write_lead(card: Card | None) -> str:
    """Return a lead card as terminals store it, with 10 for the ten; an empty text for none.

    >>> write_lead(Card.CT), write_lead(Card.S2), write_lead(None)
    ('C10', 'S2', '')
    """
    if card is None:
        return ""
    return f"{card.suit.letter}{'10' if card.rank is Rank.TEN else card.rank.letter}"


def parse_lead(text: str) -> Card | None:
    """Parse a lead card as terminals store it; return None for an empty text.

    >>> parse_lead("C10"), parse_lead("")
    (<Card.CT: 'CT'>, None)
    """
    return Card.parse(text) if text.strip() else None
