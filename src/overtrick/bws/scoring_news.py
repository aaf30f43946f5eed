"""Rows of a running `.bws` that a scoring program has not read yet: results, contracts, numbers, calls and cards.

Each function returns commands together with the edits that mark their rows as read. A row that the control software
changes between reading and marking stays unread, and is read again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from overtrick.bws.contents import Contents, newest_by_board
from overtrick.bws.edits import AddFlag, Edit, Update
from overtrick.bws.event_from_file import (
    STATUSES,
    by_id,
    contract_command,
    day_of,
    recorded_command,
    result_entry,
)
from overtrick.bws.id_map import IdMap, ReadProblem, build_id_map
from overtrick.bws.players import participation
from overtrick.bws.rows import PlayerNumberRow, ResultRow
from overtrick.errors import BadInput
from overtrick.event import Command
from overtrick.event.results import EraseResult, JudgeResult, Origin, PutResults, ResultEntry, Suspicion
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.setup import Status

FLAGS = ("Processed", "Processed1", "Processed2", "Processed3", "Processed4")
"""The fields with which programs mark rows as read; each program uses its own."""

CUSTOM_PREFIX = "custom_"
"""The prefix of a program's own field."""


@dataclass(frozen=True, slots=True)
class UnreadRows:
    """New rows as commands in their order, and the edits that mark them as read."""

    commands: tuple[Command, ...] = ()
    marks: tuple[Edit, ...] = ()
    problems: tuple[ReadProblem, ...] = ()


def add_custom_flag(name: str) -> tuple[Edit, ...]:
    """Return the edits that add a Processed field of our own to results and contracts.

    >>> add_custom_flag("custom_Overtrick")[0]
    AddFlag(table='ReceivedData', name='custom_Overtrick')
    """
    if not name.startswith(CUSTOM_PREFIX) or len(name) == len(CUSTOM_PREFIX):
        raise BadInput(
            f"The name of your own field must start with {CUSTOM_PREFIX} in lower case: {name!r} does not."
        )
    return AddFlag("ReceivedData", name), AddFlag("IntermediateData", name)


def _check_flag(contents: Contents, table: str, flag: str) -> None:
    if flag not in FLAGS and not flag.startswith(CUSTOM_PREFIX):
        raise BadInput(f"{flag!r} is not a field for marking; use {', '.join(FLAGS)} or {CUSTOM_PREFIX}….")
    if contents.has(table) and not contents.has(table, flag):
        raise BadInput(f"The file has no field {flag} in {table}.")


def _expected_values(row: ResultRow) -> dict[str, Any]:
    """Return the values that must be unchanged when a row is marked."""
    return {
        "Declarer": row.declarer,
        "NS/EW": row.direction,
        "Contract": row.contract,
        "Result": row.result,
        "LeadCard": row.lead,
        "Remarks": row.remarks,
        "TimeLog": row.at,
        "Erased": row.erased,
    }


def mark_read(table: str, row: ResultRow, flag: str) -> Update:
    """Return the edit that marks a row as read, if it is unchanged."""
    return Update(table, {"ID": row.id}, {flag: True}, _expected_values(row))


def new_results(contents: Contents, *, today: date, flag: str = "Processed") -> UnreadRows:
    """Return the results that are not marked yet: put where one stands, erased where only erased rows are left."""
    _check_flag(contents, "ReceivedData", flag)
    id_map = build_id_map(contents)
    standing = contents.standing()
    unread = [row for row in sorted(contents.results, key=lambda row: row.id) if not row.flag(flag)]
    problems: list[ReadProblem] = []
    entries: dict[str, list[ResultEntry]] = {}
    later: list[Command] = []
    for row in unread:
        if row.section not in id_map.letters:
            problems.append(ReadProblem("ReceivedData", f"ID {row.id}", "There is no such section."))
            continue
        guid = id_map.guid_of(row.section)
        if row.place not in standing:
            later.append(EraseResult(guid, *id_map.place_of(row), Origin.TERMINAL))
            continue
        if standing[row.place].id != row.id:
            continue
        reading = result_entry(row, id_map, _day(contents, id_map, row.section, today))
        if isinstance(reading, ReadProblem):
            problems.append(reading)
            continue
        if reading.doubt:
            problems.append(
                ReadProblem("ReceivedData", f"ID {row.id}", f"{reading.doubt} The result counts.")
            )
        entries.setdefault(guid, []).append(reading.entry)
        if reading.suspicion is not Suspicion.NONE:
            later.append(JudgeResult(guid, *reading.place, reading.suspicion))
    commands: list[Command] = [
        PutResults(guid, tuple(session_entries), Origin.TERMINAL) for guid, session_entries in entries.items()
    ]
    marks = tuple(mark_read("ReceivedData", row, flag) for row in unread)
    return UnreadRows((*commands, *dict.fromkeys(later)), marks, tuple(problems))


def _day(contents: Contents, id_map: IdMap, section: int, today: date) -> date:
    session = next(row for row in id_map.sessions if row.id == id_map.session_of[section])
    return day_of(contents, session, today)


def new_contracts(contents: Contents, *, today: date, flag: str = "Processed") -> UnreadRows:
    """Return the contracts that are not marked yet, of boards that have no result."""
    _check_flag(contents, "IntermediateData", flag)
    id_map = build_id_map(contents)
    standing = contents.standing()
    unread = [row for row in sorted(contents.contracts, key=lambda row: row.id) if not row.flag(flag)]
    newest = newest_by_board(contents.contracts)
    commands: list[Command] = []
    problems: list[ReadProblem] = []
    for row in unread:
        if row.place in standing or newest.get(row.place) is not row:
            continue
        if row.section not in id_map.letters:
            problems.append(ReadProblem("IntermediateData", f"ID {row.id}", "There is no such section."))
            continue
        command = contract_command(row, id_map, _day(contents, id_map, row.section, today))
        if isinstance(command, ReadProblem):
            problems.append(command)
        else:
            commands.append(command)
    return UnreadRows(
        tuple(commands), tuple(mark_read("IntermediateData", row, flag) for row in unread), tuple(problems)
    )


def new_numbers(contents: Contents) -> UnreadRows:
    """Return the numbers and names that players have entered since the last read."""
    id_map = build_id_map(contents)
    by_session: dict[str, list[Participation]] = {}
    marks: list[Edit] = []
    problems: list[ReadProblem] = []
    for row in contents.player_numbers:
        if row.processed or (row.at is None and not row.number and not row.name):
            continue
        marks.append(
            Update(
                "PlayerNumbers",
                chair_key(row),
                {"Processed": True},
                {"Number": row.number, "Name": row.name, "TimeLog": row.at},
            )
        )
        where = f"section {row.section}, table {row.table}, {row.direction}"
        if row.section not in id_map.letters:
            problems.append(ReadProblem("PlayerNumbers", where, "There is no such section."))
            continue
        seated = participation(row, id_map.letters[row.section])
        if seated is None:
            problems.append(ReadProblem("PlayerNumbers", where, f"{row.direction!r} is not a direction."))
        else:
            by_session.setdefault(id_map.guid_of(row.section), []).append(seated)
    commands = tuple(
        PutParticipations(guid, tuple(session_seats), Source.TERMINAL, must_be_known=False)
        for guid, session_seats in by_session.items()
    )
    return UnreadRows(commands, tuple(marks), tuple(problems))


def chair_key(row: PlayerNumberRow) -> dict[str, Any]:
    """Return the natural key of a chair's record."""
    return {"Section": row.section, "Table": row.table, "Direction": row.direction, "Round": row.round}


@dataclass(frozen=True, slots=True)
class UnreadRecordings:
    """Recorded calls and cards, and the last IDs that were read; these tables have no marks."""

    commands: tuple[Command, ...]
    last_call: int
    last_card: int
    problems: tuple[ReadProblem, ...] = ()


def new_recordings(
    contents: Contents,
    *,
    today: date,
    last_call: int = 0,
    last_card: int = 0,
) -> UnreadRecordings:
    """Return the calls and cards with IDs above the last ones that were read, in their order."""
    id_map = build_id_map(contents)
    recordings = UnreadRecordings((), last_call, last_card)
    commands: list[Command] = []
    problems: list[ReadProblem] = []
    for rows, last in ((contents.calls, last_call), (contents.cards, last_card)):
        for row in by_id(rows):
            if row.id <= last:
                continue
            day = _day(contents, id_map, row.section, today) if row.section in id_map.letters else today
            command = recorded_command(row, id_map, day)
            if isinstance(command, ReadProblem):
                problems.append(command)
            else:
                commands.append(command)
    return replace(
        recordings,
        commands=tuple(commands),
        last_call=max((row.id for row in contents.calls), default=last_call),
        last_card=max((row.id for row in contents.cards), default=last_card),
        problems=tuple(problems),
    )


def session_statuses(contents: Contents) -> dict[str, Status]:
    """Return the status of each session, by its guid."""
    id_map = build_id_map(contents)
    return {
        id_map.guids[row.id]: STATUSES[row.status]
        for row in id_map.sessions
        if 0 <= row.status < len(STATUSES)
    }
