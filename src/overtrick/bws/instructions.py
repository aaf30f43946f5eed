"""The instructions that a scoring program gives for a table (`UpdateFromRound`), for both sides.

Holds the values and their meaning; does not write or carry out any.
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


class InstructionKind(Enum):
    """A kind of instruction; the value says in words what it asks for."""

    ROUNDS = "load the rounds from this one on"
    REMOVE_ROUNDS = "remove the rounds from this one on"
    WAITING = "wait or stop waiting for more rounds"
    HAND_RECORDS = "load the hand records of the section"
    SETTINGS = "load the settings of the section"
    RESET = "reset the terminal"
    REMOVE_TABLE = "remove the table"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; `waits` is None where it says nothing about waiting for more rounds."""

    kind: InstructionKind
    round: int = 0
    waits: bool | None = None

    @property
    def value(self) -> int:
        """Return the field value of the instruction.

        >>> Instruction(InstructionKind.ROUNDS, 3, waits=True).value
        259
        """
        match self.kind:
            case InstructionKind.ROUNDS:
                return self.round + (WAIT if self.waits else 0)
            case InstructionKind.REMOVE_ROUNDS:
                return -self.round
            case InstructionKind.WAITING:
                return WAIT if self.waits else DO_NOT_WAIT
            case InstructionKind.HAND_RECORDS:
                return HAND_RECORDS
            case InstructionKind.SETTINGS:
                return SETTINGS
            case InstructionKind.RESET:
                return RESET
            case InstructionKind.REMOVE_TABLE:
                return REMOVE_TABLE


_SPECIAL = {
    HAND_RECORDS: Instruction(InstructionKind.HAND_RECORDS),
    SETTINGS: Instruction(InstructionKind.SETTINGS),
    RESET: Instruction(InstructionKind.RESET),
    REMOVE_TABLE: Instruction(InstructionKind.REMOVE_TABLE),
    WAIT: Instruction(InstructionKind.WAITING, waits=True),
    DO_NOT_WAIT: Instruction(InstructionKind.WAITING, waits=False),
}


def parse_instruction(value: int) -> Instruction | None:
    """Parse a field value; return None if it has no meaning. 0 is no instruction.

    >>> parse_instruction(259)
    Instruction(kind=<InstructionKind.ROUNDS: 'load the rounds from this one on'>, round=3, waits=True)
    >>> parse_instruction(3).waits, parse_instruction(-6).waits, parse_instruction(700)
    (False, None, None)
    """
    if value in _SPECIAL:
        return _SPECIAL[value]
    if 1 <= value <= HIGHEST_ROUND:
        return Instruction(InstructionKind.ROUNDS, value, waits=False)
    if WAIT < value <= WAIT + HIGHEST_ROUND:
        return Instruction(InstructionKind.ROUNDS, value - WAIT, waits=True)
    if -HIGHEST_ROUND <= value <= -1:
        return Instruction(InstructionKind.REMOVE_ROUNDS, -value)
    return None


def is_instruction(value: int) -> bool:
    """Return whether a field value is an instruction.

    >>> is_instruction(1), is_instruction(999), is_instruction(0), is_instruction(700)
    (True, True, False, False)
    """
    return parse_instruction(value) is not None
