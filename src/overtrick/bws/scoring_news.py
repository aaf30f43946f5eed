"""What a scoring program reads from a running `.bws`: results, contracts, numbers, and recorded calls and cards.

Everything that is read comes with the edits that mark it as read. A row that the control software changes between
our reading and our marking stays unread, and is read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from overtrick.bws.contents import Contents, live
from overtrick.bws.edits import AddFlag, Edit, Update
from overtrick.bws.event_from_file import (
    STATUSES,
    by_id,
    contract_command,
    day_of,
    recorded_command,
    result_entry,
)
from overtrick.bws.id_map import Frame, Unread, frame_of
from overtrick.bws.players import participation
from overtrick.bws.rows import PlayerNumberRow, ResultRow
from overtrick.errors import BadInput
from overtrick.event import Command
from overtrick.event.results import EraseResult, JudgeResult, Origin, PutResults, ResultEntry, Suspicion
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.setup import Status

FLAGS = ("Processed", "Processed1", "Processed2", "Processed3", "Processed4")
"""The fields with which programs mark what they have read; each uses its own."""

OWN = "custom_"
"""How the name of a field of one's own starts."""


@dataclass(frozen=True, slots=True)
class News:
    """What is new, as commands in their order, and the edits that mark it as read."""

    commands: tuple[Command, ...] = ()
    marks: tuple[Edit, ...] = ()
    unread: tuple[Unread, ...] = ()


def own_flag(name: str) -> tuple[Edit, ...]:
    """The edits that add a Processed field of one's own to results and contracts.

    >>> own_flag("custom_Overtrick")[0]
    AddFlag(table='ReceivedData', name='custom_Overtrick')
    """
    if not name.startswith(OWN) or len(name) == len(OWN):
        raise BadInput(f"The name of a field of one's own starts with {OWN} in small letters, not {name!r}.")
    return AddFlag("ReceivedData", name), AddFlag("IntermediateData", name)


def _known_flag(contents: Contents, table: str, flag: str) -> None:
    if flag not in FLAGS and not flag.startswith(OWN):
        raise BadInput(f"{flag!r} is no field for marking: {', '.join(FLAGS)} and {OWN}… are.")
    if contents.has(table) and not contents.has(table, flag):
        raise BadInput(f"The file has no field {flag} in {table}.")


def _seen(row: ResultRow) -> dict[str, Any]:
    """What must still be so when a row is marked."""
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
    """The edit that marks a row as read, if it still says what was read."""
    return Update(table, {"ID": row.id}, {flag: True}, _seen(row))


def new_results(
    contents: Contents, *, today: date, flag: str = "Processed", guids: Mapping[int, str] | None = None
) -> News:
    """The results that are not marked yet: to be put where they stand, to be erased where only erased rows are left."""
    _known_flag(contents, "ReceivedData", flag)
    frame = frame_of(contents, guids)
    standing = contents.standing()
    fresh = [row for row in sorted(contents.results, key=lambda row: row.id) if not row.flag(flag)]
    unread: list[Unread] = []
    entries: dict[str, list[ResultEntry]] = {}
    more: list[Command] = []
    for row in fresh:
        if row.section not in frame.letters:
            unread.append(Unread("ReceivedData", f"ID {row.id}", "There is no such section."))
            continue
        guid = frame.guid_of(row.section)
        if row.place not in standing:
            more.append(EraseResult(guid, *frame.place_of(row), Origin.TERMINAL))
            continue
        if standing[row.place].id != row.id:
            continue
        made = result_entry(row, frame, _day(contents, frame, row.section, today))
        if isinstance(made, Unread):
            unread.append(made)
            continue
        if made.doubt:
            unread.append(Unread("ReceivedData", f"ID {row.id}", f"{made.doubt} The result counts."))
        entries.setdefault(guid, []).append(made.entry)
        if made.suspicion is not Suspicion.NONE:
            more.append(JudgeResult(guid, *made.place, made.suspicion))
    commands: list[Command] = [
        PutResults(guid, tuple(each), Origin.TERMINAL) for guid, each in entries.items()
    ]
    marks = tuple(mark_read("ReceivedData", row, flag) for row in fresh)
    return News((*commands, *dict.fromkeys(more)), marks, tuple(unread))


def _day(contents: Contents, frame: Frame, section: int, today: date) -> date:
    session = next(each for each in frame.sessions if each.id == frame.session_of[section])
    return day_of(contents, session, today)


def new_contracts(
    contents: Contents, *, today: date, flag: str = "Processed", guids: Mapping[int, str] | None = None
) -> News:
    """The contracts that are not marked yet, of boards that have no result."""
    _known_flag(contents, "IntermediateData", flag)
    frame = frame_of(contents, guids)
    standing = contents.standing()
    fresh = [row for row in sorted(contents.contracts, key=lambda row: row.id) if not row.flag(flag)]
    last = live(contents.contracts)
    commands: list[Command] = []
    unread: list[Unread] = []
    for row in fresh:
        if row.place in standing or last.get(row.place) is not row:
            continue
        if row.section not in frame.letters:
            unread.append(Unread("IntermediateData", f"ID {row.id}", "There is no such section."))
            continue
        made = contract_command(row, frame, _day(contents, frame, row.section, today))
        if isinstance(made, Unread):
            unread.append(made)
        else:
            commands.append(made)
    return News(
        tuple(commands), tuple(mark_read("IntermediateData", row, flag) for row in fresh), tuple(unread)
    )


def new_numbers(contents: Contents, *, guids: Mapping[int, str] | None = None) -> News:
    """The numbers and names that players have entered since they were last read."""
    frame = frame_of(contents, guids)
    found: dict[str, list[Participation]] = {}
    marks: list[Edit] = []
    unread: list[Unread] = []
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
        if row.section not in frame.letters:
            unread.append(Unread("PlayerNumbers", where, "There is no such section."))
            continue
        seated = participation(row, frame.letters[row.section])
        if seated is None:
            unread.append(Unread("PlayerNumbers", where, f"{row.direction!r} is no direction."))
        else:
            found.setdefault(frame.guid_of(row.section), []).append(seated)
    commands = tuple(
        PutParticipations(guid, tuple(each), Source.TERMINAL, must_be_known=False)
        for guid, each in found.items()
    )
    return News(commands, tuple(marks), tuple(unread))


def chair_key(row: PlayerNumberRow) -> dict[str, Any]:
    """What tells a seat's record from the others."""
    return {"Section": row.section, "Table": row.table, "Direction": row.direction, "Round": row.round}


@dataclass(frozen=True, slots=True)
class Recorded:
    """Recorded calls and cards, and how far they have been read: nothing is marked, the last IDs are kept."""

    commands: tuple[Command, ...]
    last_call: int
    last_card: int
    unread: tuple[Unread, ...] = ()


def new_recordings(
    contents: Contents,
    *,
    today: date,
    last_call: int = 0,
    last_card: int = 0,
    guids: Mapping[int, str] | None = None,
) -> Recorded:
    """The calls and cards with IDs above the last ones that were read, in their order."""
    frame = frame_of(contents, guids)
    read = Recorded((), last_call, last_card)
    commands: list[Command] = []
    unread: list[Unread] = []
    for rows, last in ((contents.calls, last_call), (contents.cards, last_card)):
        for row in by_id(rows):
            if row.id <= last:
                continue
            day = _day(contents, frame, row.section, today) if row.section in frame.letters else today
            made = recorded_command(row, frame, day)
            if isinstance(made, Unread):
                unread.append(made)
            else:
                commands.append(made)
    return replace(
        read,
        commands=tuple(commands),
        last_call=max((row.id for row in contents.calls), default=last_call),
        last_card=max((row.id for row in contents.cards), default=last_card),
        unread=tuple(unread),
    )


def session_statuses(contents: Contents, guids: Mapping[int, str] | None = None) -> dict[str, Status]:
    """How far each session is, by its guid."""
    frame = frame_of(contents, guids)
    return {
        frame.guids[row.id]: STATUSES[row.status] for row in frame.sessions if 0 <= row.status < len(STATUSES)
    }
