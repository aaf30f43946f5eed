"""Entries of players' devices: the commands that a device may send, their JSON form, and the check that each passes."""

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

import msgspec

from overtrick.bridge import Deal, Outcome
from overtrick.control.places import OwnPhone, TablePlace
from overtrick.control.snapshot import table_rules
from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Command, Reason, Rejection, Session, session_stream
from overtrick.event.calls import CallDirector
from overtrick.event.hands import HandSource, PutHandRecords
from overtrick.event.recording import EnterContract, RecordCall, RecordCard
from overtrick.event.rejection import reject
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin, last_enterable_round
from overtrick.event.seating import PutParticipations, Source, SwapPlayers
from overtrick.event.settings import HandEntry
from overtrick.event.setup import Generation
from overtrick.event.tables import LogOff, LogOn, ResetTable
from overtrick.store import Appended, Journal

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
"""The commands that a device may send, by a name that outlives the class."""
OLDEST = timedelta(days=1)
"""A device that says it has kept an entry for longer than this has a clock that cannot be right."""
LONGEST_DEVICE = 64
"""Characters of a device's own id."""

_NAMES = {command: name for name, command in COMMANDS.items()}
_ID = re.compile(r"[A-Za-z0-9.-]{8,80}")
_OF_INCARNATION = (EnterResult, CorrectResult, EraseResult, EnterContract)
"""Commands that themselves name the start of the session that they are for."""


@dataclass(frozen=True, slots=True)
class DeviceEntry:
    """A command of a device that passed every check, and the table that it is about."""

    id: str
    command: Command
    table: TablePlace
    stream: str
    """The stream of the session, as it was started last."""

    @property
    def actor(self) -> str:
        """The name under which the journal has it."""
        return f"terminal {self.table}"

    @property
    def command_id(self) -> str:
        """The id by which it counts once: devices of two sessions may number their entries alike."""
        return f"terminal-{self.stream}-{self.table}-{self.id}"

    @property
    def old_command_id(self) -> str:
        """The id of before, when ids did not name the session; a device that got no answer then may send it again."""
        return f"terminal-{self.table}-{self.id}"

    def find(self, journal: Journal, *, is_refused: bool) -> Appended | None:
        """Return what the journal has of this entry, if it was taken before.

        The writer recognises it by its id; only one that would be refused now is looked up here.
        """
        before = journal.find(self.old_command_id)
        if before is not None and any(span.stream == self.stream for span in before.spans):
            return before  # and not an entry of another session
        return journal.find(self.command_id) if is_refused else None


def parse_entry(
    given: object, session: Session, place: TablePlace | OwnPhone, *, ahead: timedelta, now: datetime
) -> DeviceEntry | Rejection:
    """Parse an entry that a device sent, and check that it is one of a device of this place.

    `ahead` is how far the device's clock is ahead of ours. An entry without an id raises BadInput, because it cannot
    be answered; everything else that is wrong is a rejection. `allow_entry` then says whether it may be made now.
    """
    identity = given.get("id") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(identity, str) or not _ID.fullmatch(identity):
        raise BadInput("An entry has no id; it was not taken.")
    if not isinstance(given.get("command"), dict):
        return _refuse("The entry says nothing; it was not taken.")
    try:
        command = _by_our_clock(read_command(given["command"]), ahead, now)
        table = _table_of(command, place)
    except BadInput as error:
        return _refuse(str(error))
    is_elsewhere = isinstance(place, TablePlace) and table != place
    if command.session != session.opened.session or is_elsewhere:
        return _refuse(f"That is not for {place.title}; it was not taken.")
    if not _is_of_a_terminal(command, identity):
        return _refuse("A terminal cannot do that; it was not taken.")
    if not _is_for_this_start(command, given.get("incarnation"), session.opened.incarnation):
        return reject(Reason.STALE, "The session has been started anew since; it was not taken.")
    if not isinstance(command, PutHandRecords) and not place.has_table(session, table):
        return _refuse(f"That is not for {place.title}; it was not taken.")
    stream = session_stream(session.opened.session, session.opened.incarnation)
    return DeviceEntry(identity, command, table, stream)


def allow_entry(
    entry: DeviceEntry, session: Session, place: TablePlace | OwnPhone, generation: Generation | None = None
) -> Rejection | None:
    """Return why the device of this place may not make an entry now; None if it may.

    An entry that was taken before and is sent again may be refused here, because the table has gone on since: ask the
    journal first.
    """
    command = entry.command
    if isinstance(command, PutHandRecords):
        if not _may_enter_deal(session, place, command, generation):
            return _refuse(
                "That board has no result there yet, or has a hand record already, or hand records are not asked for; "
                "it was not taken."
            )
        return None
    rounds = _rounds_of(command)
    if not all(place.has_round(session, entry.table, number) for number in rounds):
        return _refuse(f"That is not a round of {place.title} at table {entry.table}; it was not taken.")
    at = entry.table.section, entry.table.table
    if (
        rounds
        and at in session.movement.tables
        and max(rounds) > (last := last_enterable_round(session, *at))
    ):
        return _refuse(
            f"Table {entry.table} has boards of round {last} to enter first; "
            f"this one of round {max(rounds)} was not taken."
        )
    return None


def write_entry(identity: str, incarnation: int, command: Command) -> dict[str, Any]:
    """Return an entry in the form in which a device sends it."""
    return {"id": identity, "incarnation": incarnation, "command": write_command(command)}


def write_command(command: Command) -> dict[str, Any]:
    """Return a command in the form in which a device sends it."""
    return {"kind": _NAMES[type(command)], **_fields(command)}


def read_command(values: dict[str, Any]) -> Command:
    """Parse a command; BadInput where it is none that a device may send."""
    try:
        rest = dict(values)
        made: Command = msgspec.convert(rest, COMMANDS[rest.pop("kind")], dec_hook=_read)
    except (ValueError, TypeError, KeyError, msgspec.MsgspecError, OvertrickError) as error:
        raise BadInput(f"An entry of a terminal cannot be read: {error}. It was kept as it is.") from error
    return made


def plain(value: Any) -> Any:
    """Return anything that a device is given or sends as plain JSON values."""
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
    raise TypeError(f"{type(value).__name__} has no form that a device knows")


def _fields(value: Any) -> dict[str, Any]:
    return {each.name: plain(getattr(value, each.name)) for each in fields(value)}


def _read(wanted: type, value: Any) -> Any:
    if wanted in (Outcome, Deal) and isinstance(value, str):
        return wanted.parse(value)
    raise TypeError(f"{wanted.__name__} cannot be read from {type(value).__name__}")


def _refuse(sentence: str) -> Rejection:
    return reject(Reason.NOT_ALLOWED, sentence)


def _by_our_clock(command: Command, ahead: timedelta, now: datetime) -> Command:
    """Return the command at the time it was made by our own clock: a device's may be wrong, its intervals are not."""

    def right(at: datetime) -> datetime:
        if at.tzinfo is None:
            raise BadInput("The entry's time has no time zone; it was not taken.")
        try:
            ours = at - ahead
        except OverflowError as error:
            raise BadInput("The entry's time is in no calendar; it was not taken.") from error
        return min(max(ours, now - OLDEST), now)

    if isinstance(command, EnterResult | CorrectResult):
        return replace(command, entry=replace(command.entry, at=right(command.entry.at)))
    at = getattr(command, "at", None)
    return command if at is None else replace(command, at=right(at))  # type: ignore[type-var]


def _table_of(command: Command, place: TablePlace | OwnPhone) -> TablePlace:
    """Return the table that an entry is about; a hand record is of the device's own."""
    match command:
        case EnterResult() | CorrectResult():
            return TablePlace(command.entry.section, command.entry.table)
        case PutParticipations():
            tables = {TablePlace(each.section, each.table) for each in command.participations}
            if len(tables) != 1:
                raise BadInput("An entry is for one table; it was not taken.")
            return tables.pop()
        case PutHandRecords():
            return place if isinstance(place, TablePlace) else TablePlace(place.section, 0)
    return TablePlace(command.section, command.table)  # type: ignore[attr-defined]


def _is_of_a_terminal(command: Command, identity: str) -> bool:
    """Return whether a terminal makes such entries."""
    match command:
        case EnterResult() | CorrectResult():
            entry = command.entry
            has_sides = (entry.side, entry.ns, entry.ew) != (None, None, None)
            return command.origin is Origin.TERMINAL and not has_sides
        case EraseResult():
            return command.origin is Origin.TERMINAL
        case PutParticipations():
            is_removal = any(each.is_removal for each in command.participations)
            return command.source is Source.TERMINAL and not is_removal
        case PutHandRecords():
            is_alone = len(command.records) == 1 and command.records[0].tricks is None
            return command.source is HandSource.TERMINAL and is_alone
        case CallDirector():
            return command.call == identity
        case LogOn():
            return 0 < len(command.terminal) <= LONGEST_DEVICE
    return True


def _is_for_this_start(command: Command, incarnation: object, current: int) -> bool:
    """Return whether an entry is for the session as it was started last; a device logs on whenever that was."""
    if isinstance(command, _OF_INCARNATION) and command.incarnation != current:
        return False
    return isinstance(command, LogOn) or incarnation == current


def _rounds_of(command: Command) -> frozenset[int]:
    """Return the rounds that an entry is about; before play is the first. None for one that is not about boards."""
    match command:
        case EnterResult() | CorrectResult():
            return frozenset({command.entry.round})
        case PutParticipations():
            return frozenset(max(each.round, 1) for each in command.participations)
        case EraseResult() | EnterContract() | RecordCall() | RecordCard() | SwapPlayers():
            return frozenset({command.round})
    return frozenset()


def _may_enter_deal(
    session: Session, place: TablePlace | OwnPhone, command: PutHandRecords, generation: Generation | None
) -> bool:
    """Return whether players enter deals, and the board was played where the device is and has no other hand record.

    It may have the same: an entry that got no answer is sent again.
    """
    (record,) = command.records
    is_played = any(
        session.setup.sections[section].group == record.group
        and board == record.board
        and place.has_round(session, TablePlace(section, table), number)
        and table_rules(session, section, generation).enter_hand_record is not HandEntry.NEVER
        for section, table, number, board in session.results.standing
    )
    known = session.hands.records.get((record.group, record.board))
    return is_played and (known is None or known.deal == record.deal)
