"""Entries of players' devices: the commands that a device may send, their JSON form, and their checks.

No I/O, except that `DeviceEntry.find` reads the journal.
"""

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

import msgspec

from overtrick.bridge import Deal, NotPlayed, Outcome, PassedOut, Played, Undecided
from overtrick.control.device_location import OwnPhone, TablePlace
from overtrick.control.pins import permission_scope
from overtrick.control.rules import TerminalRules
from overtrick.control.snapshot import OwnResult, Snapshot, table_rules
from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Command, Reason, Rejection, Session, SessionTransaction, session_stream
from overtrick.event.calls import CallDirector, WithdrawCall
from overtrick.event.hands import HandSource, PutHandRecords
from overtrick.event.held_entries import (
    EntryHeld,
    HoldEntry,
    SettleEntries,
    last_enterable_round,
    latest_entered_round,
    latest_round,
)
from overtrick.event.place import AtBoard, Place
from overtrick.event.recording import EnterContract, RecordCall, RecordCard
from overtrick.event.rejection import Problem, reject
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    Origin,
    ResultEntry,
    ResultRecorded,
    find_round,
)
from overtrick.event.seating import PutParticipations, Source, SwapPlayers
from overtrick.event.settings import HandEntry, NumberEntry, PairNumberEntry
from overtrick.event.setup import Generation
from overtrick.event.tables import LogOff, LogOn, ResetTable
from overtrick.keys import KeyRing
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
    "withdraw-call": WithdrawCall,
}
"""The commands that a device may send, by their stable names."""
MAX_ENTRY_AGE = timedelta(days=1)
"""The greatest plausible age of an entry; an older time comes from a wrong clock and is replaced by this age."""
MAX_DEVICE_ID_LENGTH = 64
"""The longest id of a device, in characters."""

_NAMES = {command: name for name, command in COMMANDS.items()}
_ID = re.compile(r"[A-Za-z0-9.-]{8,80}")
_INCARNATION_COMMANDS = (EnterResult, CorrectResult, EraseResult, EnterContract)
"""Commands that name the incarnation of their session."""


@dataclass(frozen=True, slots=True)
class DeviceEntry:
    """A command that `parse_entry` accepted, and the table that it is about."""

    id: str
    command: Command
    table: TablePlace
    stream: str
    """The stream of the session's newest incarnation."""
    permission: str = ""
    """The permission that the device got after the director's PIN was entered."""

    @property
    def actor(self) -> str:
        """Return the actor for the journal."""
        return f"terminal {self.table}"

    @property
    def command_id(self) -> str:
        """Return the command id, which makes the entry count once; it includes the session, because ids can recur."""
        return f"terminal-{self.stream}-{self.table}-{self.id}"

    @property
    def old_command_id(self) -> str:
        """Return the command id of older versions, without the session, for entries from then that are sent again."""
        return f"terminal-{self.table}-{self.id}"

    def find(self, journal: Journal, *, is_refused: bool) -> Appended | None:
        """Return the place of this entry in the journal, or None if it was not found.

        The writer recognises a repeated entry by its id, so the current id is looked up only if the entry would be
        refused now.
        """
        old_entry = journal.find(self.old_command_id)
        if old_entry is not None and any(span.stream == self.stream for span in old_entry.spans):
            return old_entry  # not an entry of another session with the same old id
        return journal.find(self.command_id) if is_refused else None


def parse_entry(
    content: object, session: Session, place: TablePlace | OwnPhone, *, ahead: timedelta, now: datetime
) -> DeviceEntry | Rejection:
    """Parse an entry that a device sent, and check that a device at this place can send it.

    `ahead` is how far the device's clock is ahead of ours. An entry without an id raises BadInput, because it cannot
    be answered; any other problem is returned as a rejection. Call `allow_entry` next, which applies the current rules.
    """
    identity = content.get("id") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(identity, str) or not _ID.fullmatch(identity):
        raise BadInput("An entry has no id; it was not saved.")
    if not isinstance(content.get("command"), dict):
        return _refuse("The entry is empty; it was not saved.")
    try:
        command = _by_our_clock(read_command(content["command"]), ahead, now)
        table = _table_of(command, place)
    except BadInput as error:
        return _refuse(str(error))
    is_elsewhere = isinstance(place, TablePlace) and table != place
    if command.session != session.opened.session or is_elsewhere:
        return _refuse(f"This entry is not for {place.title}; it was not saved.")
    if not _is_terminal_command(command, identity):
        return _refuse("A terminal cannot send this entry; it was not saved.")
    if not _is_current_incarnation(command, content.get("incarnation"), session.opened.incarnation):
        return reject(Reason.STALE, "The session was restarted after this entry; the entry was not saved.")
    if not isinstance(command, PutHandRecords) and not place.may_score_at(session, table):
        return _refuse(f"This entry is not for {place.title}; it was not saved.")
    stream = session_stream(session.opened.session, session.opened.incarnation)
    permission = content.get("permission", "")
    return DeviceEntry(
        identity, command, table, stream, permission[:200] if isinstance(permission, str) else ""
    )


def allow_entry(
    entry: DeviceEntry,
    session: Session,
    place: TablePlace | OwnPhone,
    *,
    keys: KeyRing | None,
    now: datetime,
    generation: Generation | None = None,
) -> Command | Rejection:
    """Return the command for an entry of a device at this place, or a rejection if it is not allowed now.

    An entry that needs the director's PIN but has no valid permission becomes a HoldEntry, which waits for the
    director; so does every later entry for the same board. Older devices send no permission, so their entries wait too.
    A repeated entry that was saved before may be refused here, because the table has moved on: search the journal
    with `DeviceEntry.find` first.
    """
    command = entry.command
    if isinstance(command, PutHandRecords):
        deal_place = _deal_place(session, place, command, generation)
        if deal_place is None:
            return _refuse(
                "That board has no result there yet, or already has a hand record, or players do not enter hand "
                "records; it was not saved."
            )
        return _hold(entry, deal_place, now) if session.held.at(deal_place) else command
    rounds = _rounds_of(command)
    if not all(place.may_enter_round(session, entry.table, number) for number in rounds):
        return _refuse(
            f"This round of table {entry.table} is not one of {place.title}; the entry was not saved."
        )
    at = entry.table.section, entry.table.table
    if at not in session.movement.tables:
        return command  # the event rejects it
    if rounds and max(rounds) > (last := last_enterable_round(session, *at)):
        return _refuse(
            f"Table {entry.table} has boards of round {last} to enter first; "
            f"this one of round {max(rounds)} was not saved."
        )
    board_place = _place_of(command) or (*at, max(rounds, default=0), 0)
    if not _exists_at_table(session, command, board_place):
        return command  # the event rejects it, so the director need not decide
    is_permitted = (
        keys is not None
        and entry.permission != ""
        and keys.is_permission(permission_scope(session, place, keys, generation), entry.permission)
    )
    if board_place[3] and session.held.at(board_place):
        return _hold(entry, board_place, now)
    if not is_permitted and _needs_director(session, command, at, table_rules(session, at[0], generation)):
        return _hold(entry, board_place, now)
    return command


def _hold(entry: DeviceEntry, place: Place, now: datetime) -> HoldEntry:
    content = msgspec.json.encode(write_command(entry.command)).decode()
    return HoldEntry(entry.command.session, f"{entry.table}-{entry.id}", *place, content, now)


def confirm_or_refuse(session: Session, place: Place, *, is_confirmed: bool) -> Command:
    """Return the command to confirm or refuse the entries that wait at a place; raise BadInput if there are none."""
    waiting = session.held.at(place)
    if not waiting:
        raise BadInput("No entry waits for the director there; nothing was changed.")
    guid = session.opened.session
    settle = SettleEntries(guid, tuple(held.entry for held in waiting), is_confirmed)
    if not is_confirmed:
        return settle
    return SessionTransaction(guid, (settle, *(held_command(held) for held in waiting)))


def held_command(entry: EntryHeld) -> Command:
    """Return the command of an entry that waits for the director."""
    return read_command(msgspec.json.decode(entry.content))


def describe(command: Command) -> str:
    """Return a phrase for the director that describes an entry."""
    match command:
        case EnterResult() | CorrectResult():
            seating_note = ", pairs seated the other way round" if command.entry.is_wrong_direction else ""
            return f"{command.entry.outcome}{seating_note}"
        case EraseResult():
            return "erase the result"
        case SwapPlayers():
            return f"the players of {command.side.value} have changed seats"
        case PutParticipations():
            seats = (
                f"{participation.seat.value} {participation.number}"
                for participation in command.participations
            )
            return f"players: {', '.join(seats)}"
        case ResetTable():
            return "start the terminal again"
        case PutHandRecords():
            return "the cards of the board"
        case RecordCall():
            return f"call {command.call}"
        case RecordCard():
            return f"card {command.card}"
        case EnterContract():
            return f"contract {command.contract}"
    return _NAMES[type(command)]


def for_device(session: Session, snapshot: Snapshot) -> Snapshot:
    """Return a snapshot for a players' device: without the PIN, with entries that wait for the director.

    The PIN is an empty text and not left out, because older terminals read it.
    """
    results = {(result.round, result.board): result for result in snapshot.results}
    for waiting in session.held.entries.values():
        if (waiting.section, waiting.table) != (snapshot.section, snapshot.table) or not waiting.board:
            continue
        command, key = held_command(waiting), (waiting.round, waiting.board)
        if isinstance(command, EnterResult | CorrectResult):
            entry = command.entry
            lead = entry.lead.value if entry.lead else ""
            results[key] = OwnResult(*key, str(entry.outcome), lead, entry.is_wrong_direction, True)
        elif key in results:
            results[key] = replace(results[key], is_unconfirmed=True)
    return replace(
        snapshot,
        rules=replace(snapshot.rules, pin=""),
        results=tuple(results[key] for key in sorted(results)),
    )


def write_entry(identity: str, incarnation: int, command: Command) -> dict[str, Any]:
    """Return an entry in the form in which a device sends it."""
    return {"id": identity, "incarnation": incarnation, "command": write_command(command)}


def write_command(command: Command) -> dict[str, Any]:
    """Return a command in the form in which a device sends it."""
    return {"kind": _NAMES[type(command)], **_fields(command)}


def read_command(values: dict[str, Any]) -> Command:
    """Parse a command that a device may send; raise BadInput for anything else."""
    try:
        rest = dict(values)
        command: Command = msgspec.convert(rest, COMMANDS[rest.pop("kind")], dec_hook=_read)
    except (ValueError, TypeError, KeyError, msgspec.MsgspecError, OvertrickError) as error:
        raise BadInput(f"An entry of a terminal cannot be read: {error}.") from error
    return command


def as_json_types(value: Any) -> Any:
    """Return a value as JSON types, in the form that devices use; raise TypeError for an unknown type."""
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
        return [as_json_types(item) for item in value]
    if isinstance(value, dict):
        return {str(name): as_json_types(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    raise TypeError(f"{type(value).__name__} has no form that a device knows")


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: as_json_types(getattr(value, field.name)) for field in fields(value)}


def _read(kind: type, value: Any) -> Any:
    if kind in (Outcome, Deal) and isinstance(value, str):
        return kind.parse(value)
    raise TypeError(f"{kind.__name__} cannot be read from {type(value).__name__}")


def _refuse(sentence: str) -> Rejection:
    return reject(Reason.NOT_ALLOWED, sentence)


def _by_our_clock(command: Command, ahead: timedelta, now: datetime) -> Command:
    """Return the command with its time converted to our clock, because a device's clock may be wrong.

    The time is limited to the last day; raise BadInput if it has no time zone or cannot be converted.
    """

    def our_time(at: datetime) -> datetime:
        if at.tzinfo is None:
            raise BadInput("The entry's time has no time zone; it was not saved.")
        try:
            converted = at - ahead
        except OverflowError as error:
            raise BadInput("The entry's time is not a valid date and time; it was not saved.") from error
        return min(max(converted, now - MAX_ENTRY_AGE), now)

    if isinstance(command, EnterResult | CorrectResult):
        return replace(command, entry=replace(command.entry, at=our_time(command.entry.at)))
    at = getattr(command, "at", None)
    return command if at is None else replace(command, at=our_time(at))  # type: ignore[type-var]


def _table_of(command: Command, place: TablePlace | OwnPhone) -> TablePlace:
    """Return the table that an entry is about; a hand record belongs to the device's own table, or table 0 for a pair.

    Raise BadInput for players of several tables.
    """
    match command:
        case EnterResult() | CorrectResult():
            return TablePlace(command.entry.section, command.entry.table)
        case PutParticipations():
            tables = {
                TablePlace(participation.section, participation.table)
                for participation in command.participations
            }
            if len(tables) != 1:
                raise BadInput("An entry is for one table; it was not saved.")
            return tables.pop()
        case PutHandRecords():
            return place if isinstance(place, TablePlace) else TablePlace(place.section, 0)
    return TablePlace(command.section, command.table)  # type: ignore[attr-defined]


def _is_terminal_command(command: Command, identity: str) -> bool:
    """Return whether a terminal can send such a command, by its origin and content."""
    match command:
        case EnterResult() | CorrectResult():
            entry = command.entry
            has_sides = (entry.side, entry.ns, entry.ew) != (None, None, None)
            return command.origin is Origin.TERMINAL and not has_sides
        case EraseResult():
            return command.origin is Origin.TERMINAL
        case PutParticipations():
            is_removal = any(participation.is_removal for participation in command.participations)
            return command.source is Source.TERMINAL and not is_removal
        case PutHandRecords():
            is_alone = len(command.records) == 1 and command.records[0].tricks is None
            return command.source is HandSource.TERMINAL and is_alone
        case CallDirector():
            return command.call == identity
        case LogOn():
            return 0 < len(command.terminal) <= MAX_DEVICE_ID_LENGTH
    return True


def _is_current_incarnation(command: Command, incarnation: object, current: int) -> bool:
    """Return whether an entry is for the current incarnation of the session; a log-on always is."""
    if isinstance(command, _INCARNATION_COMMANDS) and command.incarnation != current:
        return False
    return isinstance(command, LogOn) or incarnation == current


def _rounds_of(command: Command) -> frozenset[int]:
    """Return the rounds that an entry is about, with 1 for before play; empty for an entry without a round."""
    match command:
        case EnterResult() | CorrectResult():
            return frozenset({command.entry.round})
        case PutParticipations():
            return frozenset(max(participation.round, 1) for participation in command.participations)
        case EraseResult() | EnterContract() | RecordCall() | RecordCard() | SwapPlayers():
            return frozenset({command.round})
    return frozenset()


def _place_of(command: Command) -> Place | None:
    """Return the board that an entry is about, or None."""
    content = command.entry if isinstance(command, EnterResult | CorrectResult) else command
    return content.place if isinstance(content, AtBoard) else None


def _exists_at_table(session: Session, command: Command, place: Place) -> bool:
    """Return whether the table has the board, or the round, that an entry is about."""
    if place[3]:
        return not isinstance(find_round(session, place), Problem)
    return not isinstance(command, SwapPlayers) or session.movement.round(*place[:3]) is not None


def _needs_director(session: Session, command: Command, table: tuple[str, int], rules: TerminalRules) -> bool:
    """Return whether an entry needs the director's PIN."""
    match command:
        case EraseResult() | SwapPlayers():
            return True
        case ResetTable():
            return not rules.reset_key
        case EnterResult():
            return _is_directors_result(command.entry, rules)
        case CorrectResult():
            is_late = command.entry.round < latest_round(session, *table)
            is_ruling = _is_ruling(session.results.standing.get(command.entry.place))
            is_removal = isinstance(command.entry.outcome, Undecided)  # it would take a result away
            is_directors = is_ruling or is_removal or _is_directors_result(command.entry, rules)
            return not rules.correction or is_late or is_directors
        case RecordCall() | RecordCard():
            return command.round < latest_round(session, *table)
        case PutParticipations():
            is_number_requested = {
                NumberEntry.NEVER: False,
                NumberEntry.FIRST_ROUND: all(
                    participation.round <= 1 for participation in command.participations
                ),
                NumberEntry.EVERY_ROUND: True,
            }[rules.number_entry]
            is_over = min(_rounds_of(command), default=1) < latest_entered_round(session, *table)
            return not ((is_number_requested and not is_over) or rules.numbers_during_play)
    return False


def _is_ruling(standing: ResultRecorded | None) -> bool:
    """Return whether a result is one that only a director can give."""
    if standing is None:
        return False
    return standing.outcome_ew is not None or not isinstance(standing.outcome, Played | PassedOut | NotPlayed)


def _is_directors_result(entry: ResultEntry, rules: TerminalRules) -> bool:
    """Return whether players cannot enter such a result themselves."""
    if entry.is_wrong_direction and rules.pair_number_entry is PairNumberEntry.NEVER:
        return True
    if isinstance(entry.outcome, NotPlayed | Undecided):
        return rules.confirm_not_played
    return not isinstance(entry.outcome, Played | PassedOut)


def _deal_place(
    session: Session, place: TablePlace | OwnPhone, command: PutHandRecords, generation: Generation | None
) -> Place | None:
    """Return the place of the device's result for the board of a hand record; None if the record is not allowed.

    The board may already have the same hand record, because an entry without an answer is sent again.
    """
    (record,) = command.records
    standing = session.hands.records.get((record.group, record.board))
    if standing is not None and standing.deal != record.deal:
        return None
    for section, table, number, board in (*session.results.standing, *session.held.places()):
        if (
            board == record.board
            and session.setup.sections[section].group == record.group
            and place.may_enter_round(session, TablePlace(section, table), number)
            and table_rules(session, section, generation).enter_hand_record is not HandEntry.NEVER
        ):
            return section, table, number, board
    return None
