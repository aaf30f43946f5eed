"""Parsers of fields that the files of other programs share: numbers, sides, methods and contracts."""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from overtrick.bridge import Played, Seat, Side
from overtrick.bridge.notation import parse_contract
from overtrick.errors import BadInput
from overtrick.scoring.method import Method

SIDES: Mapping[str, Side] = {
    "N": Side.NS,
    "S": Side.NS,
    "E": Side.EW,
    "W": Side.EW,
    "NS": Side.NS,
    "EW": Side.EW,
}
SEATS: Mapping[str, Seat] = {seat.value: seat for seat in Seat}

METHODS: Mapping[str, Method] = {
    "MP_PAIRS": Method.MATCHPOINTS,
    "MATCH_POINTS": Method.MATCHPOINTS,
    "INDIVIDUAL": Method.MATCHPOINTS,
    "CROSS_IMP": Method.CROSS_IMPS,
    "CROSS_IMPS": Method.CROSS_IMPS,
    "BUTLER_PAIRS": Method.BUTLER_MEAN,
    "BUTLER_IMPS": Method.BUTLER_MEAN,
    "PAB": Method.BOARD_A_MATCH,
    "BAM": Method.BOARD_A_MATCH,
    "HYBRID": Method.PATTON,
    "TEAMS": Method.TEAM_IMPS,
    "SWISS_TEAMS": Method.TEAM_IMPS,
}
"""The scoring methods by their words in files; `compare` finds the variant."""

_NOTRUMP = re.compile(r"([1-7]\s*)N(?!T)", re.IGNORECASE)


def decimal_of(text: str) -> Decimal | None:
    """Parse a finite decimal number; return None for anything else."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def spelled(contract: str) -> str:
    """Return a contract in the spelling of `parse_contract`, from variants such as `3N` and `4S*`.

    >>> spelled("3N"), spelled("4S*")
    ('3NT', '4Sx')
    """
    return _NOTRUMP.sub(r"\1NT", contract).replace("*", "x")


def played(contract: str, declarer: Seat, tricks: int) -> Played | None:
    """Return a played contract with its tricks; None if the text is not a contract."""
    try:
        bid = parse_contract(spelled(contract), declarer)
        return None if bid is None else Played(bid, tricks)
    except BadInput:
        return None
