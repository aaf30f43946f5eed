"""Entries of players' devices that wait for the director, because they came without the director's PIN.

An entry is held as the text in which the device sent it, and has no effect yet. The director confirms the entries of a
board, which are then carried out in order, or refuses them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from overtrick.event import movement
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.movement import TableDropped, unknown_table
from overtrick.event.place import AtBoard, Place
from overtrick.event.rejection import Reason, Rejection, reject
from overtrick.event.results import Origin
from overtrick.event.setup import SectionDropped

if TYPE_CHECKING:
    from overtrick.event.session import Session

MOST_HELD = 200
"""The most entries of one table that may wait: more than the calls and cards of a board."""
AT_THE_TABLE = frozenset({Origin.TERMINAL, Origin.ROBOT, Origin.FILE})
"""Origins of results entered at a table; those of a file come from another control program."""


@fact("entry-held")
class EntryHeld(AtBoard, Fact):
    """An entry of a device waits for the director; nothing of it has been carried out."""

    entry: str
    """Its id in the session."""
    section: str
    table: int
    round: int
    board: int
    """0 if it is about the whole table."""
    content: str
    """The command, as JSON in the form in which devices send it."""
    at: datetime


@fact("held-entry-settled")
class HeldEntrySettled(Fact):
    """A held entry was confirmed or refused; the effects of a confirmed one are in the same transaction."""

    entry: str
    section: str
    table: int
    is_confirmed: bool


@dataclass(frozen=True, slots=True)
class HoldEntry(AtBoard, Command):
    """Keep an entry of a device for the director."""

    session: str
    entry: str
    section: str
    table: int
    round: int
    board: int
    content: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SettleEntries(Command):
    """Record that the director has confirmed or refused held entries."""

    session: str
    entries: tuple[str, ...]
    is_confirmed: bool


@dataclass(slots=True)
class HeldEntries:
    """The entries that wait, in the order in which they came."""

    entries: dict[str, EntryHeld] = field(default_factory=dict)

    def copy(self) -> HeldEntries:
        """Return a copy that can be changed independently."""
        return HeldEntries(dict(self.entries))

    def at(self, place: Place) -> list[EntryHeld]:
        """Return the entries that wait at a place, in their order."""
        return [entry for entry in self.entries.values() if entry.place == place]

    def places(self) -> list[Place]:
        """Return the places where entries wait, in the order of their first entries."""
        return list(dict.fromkeys(entry.place for entry in self.entries.values()))


def apply(held: HeldEntries, fact: Fact) -> None:
    """Apply one fact to the held entries, in place."""
    match fact:
        case EntryHeld():
            held.entries[fact.entry] = fact
        case HeldEntrySettled():
            held.entries.pop(fact.entry, None)
        case TableDropped():
            _forget(held, lambda entry: (entry.section, entry.table) == (fact.section, fact.table))
        case SectionDropped():
            _forget(held, lambda entry: entry.section == fact.section)


def _forget(held: HeldEntries, is_removed: Callable[[EntryHeld], bool]) -> None:
    held.entries = {id_: entry for id_, entry in held.entries.items() if not is_removed(entry)}


def hold_entry(session: Session, command: HoldEntry) -> tuple[Fact, ...] | Rejection:
    """Decide to hold an entry; rejected if `MOST_HELD` entries of the table are waiting already."""
    table = command.section, command.table
    if table not in session.movement.tables:
        return unknown_table(*table)
    waiting = [entry for entry in session.held.entries.values() if (entry.section, entry.table) == table]
    if len(waiting) >= MOST_HELD:
        return reject(
            Reason.NOT_ALLOWED,
            f"{MOST_HELD} entries of table {command.section}{command.table} wait for the director already.",
        )
    return (EntryHeld(command.entry, *command.place, command.content, command.at),)


def settle_entries(session: Session, command: SettleEntries) -> tuple[Fact, ...] | Rejection:
    """Decide that entries were confirmed or refused; rejected if one of them no longer waits."""
    held = session.held.entries
    if any(entry not in held for entry in command.entries):
        return reject(Reason.UNKNOWN_ENTRY, "Somebody has confirmed or refused this entry already.")
    return tuple(
        HeldEntrySettled(entry, held[entry].section, held[entry].table, command.is_confirmed)
        for entry in command.entries
    )


def open_rounds(session: Session, section: str, table: int) -> list[int]:
    """Return the rounds of a table that have a board to enter, in order.

    Boards with entries that wait for the director do not count. Neither do boards whose result a person erased, because
    a device that was offline may have gone on meanwhile.
    """
    plan, results = session.setup.sections[section], session.results
    waiting = set(session.held.places())

    def is_open(place: Place) -> bool:
        is_erased = place in results.erased and not results.erased[place].cause
        return not (place in results.standing or is_erased or place in waiting)

    return [
        number
        for number, round_ in enumerate(session.movement.tables[section, table].rounds, start=1)
        if movement.is_played(plan, round_)
        and any(is_open((section, table, number, board)) for board in round_.boards)
    ]


def latest_round(session: Session, section: str, table: int) -> int:
    """Return the last round of a table that has a result; 0 if none has."""
    return _latest_round(session, section, table, frozenset(Origin))


def latest_entered_round(session: Session, section: str, table: int) -> int:
    """Return the last round of a table that has a result of an origin in `AT_THE_TABLE`; 0 if none has."""
    return _latest_round(session, section, table, AT_THE_TABLE)


def _latest_round(session: Session, section: str, table: int, origins: frozenset[Origin]) -> int:
    standing = session.results.standing
    rounds = session.movement.tables[section, table].rounds
    for number in range(len(rounds), 0, -1):
        for board in rounds[number - 1].boards:
            result = standing.get((section, table, number, board))
            if result is not None and result.origin in origins:
                return number
    return 0


def last_enterable_round(session: Session, section: str, table: int) -> int:
    """Return the last round for which a table may enter results.

    It is the first round with an open board, not before the last round entered at the table; if there is none, the
    table's last round. Results that the desk or the scoring program enters ahead, such as an award, do not count.
    """
    latest = latest_entered_round(session, section, table)
    open_ahead = (number for number in open_rounds(session, section, table) if number >= latest)
    return next(open_ahead, len(session.movement.tables[section, table].rounds))
