"""What a scoring program can write into a table's instruction field, and what each value means, for both sides.

Knows the values of `UpdateFromRound`, and neither how they are written nor how they are done.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

NONE = 0
HAND_RECORDS = 996
SETTINGS = 997
RESET = 998
REMOVE_TABLE = 999
WAIT = 256
DO_NOT_WAIT = -256
HIGHEST_ROUND = 255


class Does(Enum):
    """What an instruction asks for."""

    ROUNDS = "take the rounds from this one on"
    REMOVE_ROUNDS = "remove the rounds from this one on"
    WAITING = "wait for more rounds, or do not"
    HAND_RECORDS = "take the hand records of the section"
    SETTINGS = "take the settings of the section"
    RESET = "reset the terminal"
    REMOVE_TABLE = "remove the table"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; `waits` is None where it says nothing about waiting for more rounds."""

    does: Does
    round: int = 0
    waits: bool | None = None

    @property
    def value(self) -> int:
        """The number that says it.

        >>> Instruction(Does.ROUNDS, 3, waits=True).value, Instruction(Does.REMOVE_ROUNDS, 6).value
        (259, -6)
        """
        match self.does:
            case Does.ROUNDS:
                return self.round + (WAIT if self.waits else 0)
            case Does.REMOVE_ROUNDS:
                return -self.round
            case Does.WAITING:
                return WAIT if self.waits else DO_NOT_WAIT
            case Does.HAND_RECORDS:
                return HAND_RECORDS
            case Does.SETTINGS:
                return SETTINGS
            case Does.RESET:
                return RESET
            case Does.REMOVE_TABLE:
                return REMOVE_TABLE


_SPECIAL = {
    HAND_RECORDS: Instruction(Does.HAND_RECORDS),
    SETTINGS: Instruction(Does.SETTINGS),
    RESET: Instruction(Does.RESET),
    REMOVE_TABLE: Instruction(Does.REMOVE_TABLE),
    WAIT: Instruction(Does.WAITING, waits=True),
    DO_NOT_WAIT: Instruction(Does.WAITING, waits=False),
}


def parse_instruction(value: int) -> Instruction | None:
    """What a value asks for, or None where it has no meaning; 0 asks for nothing.

    >>> parse_instruction(259)
    Instruction(does=<Does.ROUNDS: 'take the rounds from this one on'>, round=3, waits=True)
    >>> parse_instruction(3).waits, parse_instruction(-6).waits, parse_instruction(700)
    (False, None, None)
    """
    if value in _SPECIAL:
        return _SPECIAL[value]
    if 1 <= value <= HIGHEST_ROUND:
        return Instruction(Does.ROUNDS, value, waits=False)
    if WAIT < value <= WAIT + HIGHEST_ROUND:
        return Instruction(Does.ROUNDS, value - WAIT, waits=True)
    if -HIGHEST_ROUND <= value <= -1:
        return Instruction(Does.REMOVE_ROUNDS, -value)
    return None


def is_instruction(value: int) -> bool:
    """Whether a value asks for something.

    >>> is_instruction(1), is_instruction(999), is_instruction(0), is_instruction(700)
    (True, True, False, False)
    """
    return parse_instruction(value) is not None
