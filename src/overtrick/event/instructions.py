"""Instructions that another program left in a shared file: which of them were taken, so that each is carried out once.

The fact that an instruction was taken commits together with its effects; the fact that its flag was cleared follows
the write to the file. After a restart, an instruction that was taken but not cleared is cleared, and not carried out
again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.rejection import Rejection

if TYPE_CHECKING:
    from overtrick.event.session import Session


@fact("instruction-taken")
class InstructionTaken(Fact):
    """An instruction of a shared file was carried out; its effects are in the same transaction."""

    where: str
    """The record that carries the flag, such as `Tables 1/3`."""
    value: int
    digest: str
    """A digest of the records that the instruction was about."""


@fact("instruction-cleared")
class InstructionCleared(Fact):
    """The flag of a taken instruction is no longer in the file, or belongs to another instruction."""

    where: str


@dataclass(frozen=True, slots=True)
class TakeInstructions(Command):
    """Carry out commands and record the instructions that asked for them as taken, all or none."""

    session: str
    commands: tuple[Command, ...]
    taken: tuple[InstructionTaken, ...]
    causes: tuple[tuple[str, int, str], ...] = ()
    """Section, table, and the reason, in words, why results there are erased."""


@dataclass(frozen=True, slots=True)
class ClearInstructions(Command):
    """Record that the flags of these instructions are gone; instructions that were not taken are ignored."""

    session: str
    where: tuple[str, ...]


@dataclass(slots=True)
class Instructions:
    """The taken instructions whose flags may still be in the file, by record."""

    taken: dict[str, InstructionTaken] = field(default_factory=dict)

    def copy(self) -> Instructions:
        """Return a copy that can be changed independently."""
        return Instructions(dict(self.taken))


def apply(instructions: Instructions, fact: Fact) -> None:
    """Apply one fact to the instructions, in place."""
    match fact:
        case InstructionTaken():
            instructions.taken[fact.where] = fact
        case InstructionCleared():
            instructions.taken.pop(fact.where, None)


def clear_instructions(session: Session, command: ClearInstructions) -> tuple[Fact, ...] | Rejection:
    """Decide that flags are gone; always accepted."""
    return tuple(InstructionCleared(where) for where in command.where if where in session.instructions.taken)
