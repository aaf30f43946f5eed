"""The terminals at the tables: log-ons, log-offs and resets."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.movement import TableDropped, unknown_table
from overtrick.event.rejection import Reason, Rejection, reject
from overtrick.event.setup import SectionDropped

if TYPE_CHECKING:
    from overtrick.event.session import Session


@fact("logged-on")
class LoggedOn(Fact):
    """A terminal logged on at this table; `terminal` is the id of the device."""

    section: str
    table: int
    terminal: str
    at: datetime


@fact("logged-off")
class LoggedOff(Fact):
    """The terminal of this table logged off."""

    section: str
    table: int
    at: datetime


@fact("table-reset")
class TableReset(Fact):
    """The terminal goes back to its first screen; nothing that was entered is lost."""

    section: str
    table: int
    at: datetime


@dataclass(frozen=True, slots=True)
class LogOn(Command):
    """Log a terminal on at a table; it replaces another one only with `takes_over`."""

    session: str
    section: str
    table: int
    terminal: str
    at: datetime
    takes_over: bool = False


@dataclass(frozen=True, slots=True)
class LogOff(Command):
    """Log the terminal of a table off."""

    session: str
    section: str
    table: int
    at: datetime


@dataclass(frozen=True, slots=True)
class ResetTable(Command):
    """Send a table's terminal back to its first screen."""

    session: str
    section: str
    table: int
    at: datetime


@dataclass(slots=True)
class Tables:
    """The terminal of each table, and its resets."""

    logged_on: dict[tuple[str, int], LoggedOn] = field(default_factory=dict)
    resets: dict[tuple[str, int], int] = field(default_factory=dict)
    """The number of resets of a table; a terminal that has seen fewer returns to its first screen."""
    ever_logged_on: set[tuple[str, int]] = field(default_factory=set)
    """The tables at which a terminal has ever logged on."""

    def copy(self) -> Tables:
        """Return a copy that can be changed independently."""
        return Tables(dict(self.logged_on), dict(self.resets), set(self.ever_logged_on))


def apply(tables: Tables, fact: Fact) -> None:
    """Apply one fact to the terminals, in place."""
    match fact:
        case LoggedOn():
            tables.logged_on[fact.section, fact.table] = fact
            tables.ever_logged_on.add((fact.section, fact.table))
        case LoggedOff():
            del tables.logged_on[fact.section, fact.table]
        case TableReset():
            key = fact.section, fact.table
            tables.resets[key] = tables.resets.get(key, 0) + 1
        case TableDropped():
            tables.logged_on.pop((fact.section, fact.table), None)
            tables.resets.pop((fact.section, fact.table), None)
            tables.ever_logged_on.discard((fact.section, fact.table))
        case SectionDropped():
            for by_table in (tables.logged_on, tables.resets):
                for key in [key for key in by_table if key[0] == fact.section]:
                    del by_table[key]
            tables.ever_logged_on = {key for key in tables.ever_logged_on if key[0] != fact.section}


def log_on(session: Session, command: LogOn) -> tuple[Fact, ...] | Rejection:
    """Decide about a log-on; rejected if another terminal is logged on and `takes_over` is False."""
    key = command.section, command.table
    if key not in session.movement.tables:
        return unknown_table(*key)
    current = session.tables.logged_on.get(key)
    if current is not None and current.terminal == command.terminal:
        return ()
    if current is not None and not command.takes_over:
        return reject(
            Reason.NOT_ALLOWED, f"Table {command.section}{command.table} is logged on with another terminal."
        )
    return (LoggedOn(*key, command.terminal, command.at),)


def log_off(session: Session, command: LogOff) -> tuple[Fact, ...] | Rejection:
    """Decide to log a table off; nothing changes if no terminal is logged on."""
    key = command.section, command.table
    if key not in session.movement.tables:
        return unknown_table(*key)
    return (LoggedOff(*key, command.at),) if key in session.tables.logged_on else ()


def reset_table(session: Session, command: ResetTable) -> tuple[Fact, ...] | Rejection:
    """Decide to send a terminal back to its first screen."""
    key = command.section, command.table
    if key not in session.movement.tables:
        return unknown_table(*key)
    return (TableReset(*key, command.at),)
