"""A terminal written down and read back, so that a restart, or another device, goes on where it was.

Everything is plain JSON: a phone can keep it, and a file can.
"""

import json
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec

from overtrick.bridge import Deal, Outcome
from overtrick.control.machine import Machine
from overtrick.control.terminal import Terminal
from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Command
from overtrick.event.calls import CallDirector
from overtrick.event.hands import PutHandRecords
from overtrick.event.recording import EnterContract, RecordCall, RecordCard
from overtrick.event.results import CorrectResult, EnterResult, EraseResult
from overtrick.event.seating import PutParticipations, SwapPlayers
from overtrick.event.tables import LogOff, LogOn, ResetTable

COMMANDS: dict[str, type[Command]] = {
    "call-director": CallDirector,
    "correct-result": CorrectResult,
    "enter-contract": EnterContract,
    "enter-result": EnterResult,
    "erase-result": EraseResult,
    "log-off": LogOff,
    "log-on": LogOn,
    "put-hand-records": PutHandRecords,
    "put-participations": PutParticipations,
    "record-call": RecordCall,
    "record-card": RecordCard,
    "reset-table": ResetTable,
    "swap-players": SwapPlayers,
}
"""Everything that a terminal can want, by a name that outlives the class."""

_NAMES = {command: name for name, command in COMMANDS.items()}


def write(terminal: Terminal) -> str:
    """A terminal as JSON."""
    return json.dumps(plain(terminal.machine), ensure_ascii=False, separators=(",", ":"))


def read(text: str) -> Terminal:
    """The terminal that was written; BadInput where that cannot be read."""
    try:
        machine = msgspec.json.decode(text, type=Machine, dec_hook=_read)
    except (ValueError, TypeError, KeyError, msgspec.MsgspecError, RecursionError, OvertrickError) as error:
        raise BadInput(
            "What the terminal had kept cannot be read, so it starts again; what it had sent is safe."
        ) from error
    terminal = Terminal(machine.device, machine.session, run=machine.run)
    terminal.machine = machine
    return terminal


def write_command(command: Command) -> dict[str, Any]:
    """A command as plain JSON values, for whoever carries it."""
    return {"kind": _NAMES[type(command)], **_fields(command)}


def read_command(values: dict[str, Any]) -> Command:
    """The command that was written; BadInput where it is none."""
    try:
        rest = dict(values)
        made: Command = msgspec.convert(rest, COMMANDS[rest.pop("kind")], dec_hook=_read)
    except (ValueError, TypeError, KeyError, msgspec.MsgspecError, OvertrickError) as error:
        raise BadInput(f"An entry of a terminal cannot be read: {error}. It was kept as it is.") from error
    return made


def plain(value: Any) -> Any:
    """Anything that a terminal keeps or shows, as plain JSON values."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Outcome | Deal):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Command):
        return write_command(value)
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    raise TypeError(f"{type(value).__name__} has no place in a terminal's memory")


def _fields(value: Any) -> dict[str, Any]:
    return {each.name: plain(getattr(value, each.name)) for each in fields(value)}


def _read(wanted: type, value: Any) -> Any:
    if wanted is Command:
        return read_command(value)
    if wanted in (Outcome, Deal) and isinstance(value, str):
        return wanted.parse(value)
    raise TypeError(f"{wanted.__name__} cannot be read from {type(value).__name__}")
