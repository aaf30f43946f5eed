"""Requests of a scoring program to the control software through a running `.bws`: corrections, names, movements.

Rounds are always written before the table's instruction, and never over an instruction that has not been taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from overtrick.bws.boards import boards_of
from overtrick.bws.contents import Contents
from overtrick.bws.edits import AddTable, Delete, Edit, Insert, NotTakenYet, Put, Update
from overtrick.bws.hands import deal_values
from overtrick.bws.id_map import build_id_map
from overtrick.bws.instructions import Instruction, InstructionKind
from overtrick.bws.movement import round_values
from overtrick.bws.players import NAME_LENGTH, compares_text, key_of, number_of
from overtrick.bws.results import SUSPICIONS, UNPROCESSED, log_and_flag_fields, result_differs, text_values
from overtrick.bws.rows import ResultRow, TableRow, log_fields
from overtrick.bws.scoring_side import DIRECTIONS, chair_values, name_values, table_values
from overtrick.bws.settings import settings_values
from overtrick.errors import BadInput
from overtrick.event.hands import HandRecord
from overtrick.event.movement import Round
from overtrick.event.place import Place
from overtrick.event.results import ResultEntry, Suspicion, place_in_words
from overtrick.event.seating import Participation, SessionPlayer
from overtrick.event.settings import SettingsII, SettingsIII

# Results and names ------------------------------------------------------------------------------------------


def correction(
    contents: Contents, entry: ResultEntry, *, flag: str = "Processed", suspicion: Suspicion = Suspicion.NONE
) -> Update:
    """Return the edit that corrects a standing result and notifies the control software; `flag` marks it as ours."""
    row = _standing(contents, entry.place)
    values = text_values(entry.outcome, entry.lead, entry.is_wrong_direction, row.ns, row.ew)
    return _correction_edit(
        contents, row, {**values, "SuspiciousContract": SUSPICIONS.index(suspicion)}, flag, entry.at
    )


def erasure(contents: Contents, place: Place, at: datetime, *, flag: str = "Processed") -> Update:
    """Return the edit that erases a standing result and notifies the control software."""
    return _correction_edit(contents, _standing(contents, place), {"Erased": True}, flag, at)


def _standing(contents: Contents, place: Place) -> ResultRow:
    id_map = build_id_map(contents)
    section, table, number, board = place
    row = contents.standing().get((id_map.ids.get(section, 0), table, number, board))
    if row is None:
        raise BadInput("There is no result to change.", where=place_in_words(*place))
    return row


def _correction_edit(
    contents: Contents, row: ResultRow, values: dict[str, Any], flag: str, at: datetime
) -> Update:
    if not contents.has("ReceivedData", "ExternalUpdate"):
        raise BadInput("The file is too old for corrections by a scoring program; nothing was written.")
    others = {name: False for name in (*UNPROCESSED, *row.custom) if name != flag}
    return Update(
        "ReceivedData",
        {"ID": row.id},
        {**values, **log_fields(at), **others, flag: True, "ExternalUpdate": True},
    )


def results(contents: Contents, entries: Iterable[ResultEntry], *, flag: str = "Processed") -> list[Edit]:
    """Return the edits for results of the scoring program: corrections of standing results, new rows for others."""
    id_map = build_id_map(contents)
    standing = contents.standing()
    rounds = {(row.section, row.table, row.round): row for row in contents.rounds}
    edits: list[Edit] = []
    for entry in entries:
        section = id_map.ids.get(entry.section, 0)
        played = rounds.get((section, entry.table, entry.round))
        place = entry.place
        if played is None or entry.board not in boards_of(played) or not (played.ns and played.ew):
            raise BadInput(
                "Nobody plays that board there; nothing was written.", where=place_in_words(*place)
            )
        row = standing.get((section, entry.table, entry.round, entry.board))
        values = text_values(entry.outcome, entry.lead, entry.is_wrong_direction, played.ns, played.ew)
        if row is None:
            key = dict(zip(("Section", "Table", "Round", "Board"), (section, *place[1:]), strict=True))
            edits.append(
                Insert(
                    "ReceivedData",
                    {
                        **key,
                        **values,
                        **log_and_flag_fields(entry.at),
                        flag: True,
                        "ExternalUpdate": True,
                        "Erased": False,
                    },
                )
            )
        elif result_differs(row, values):
            edits.append(correction(contents, entry, flag=flag))
    return edits


def load_names(contents: Contents, people: Iterable[SessionPlayer]) -> list[Edit]:
    """Return the edits that load or update players' names; numbers are compared as the file compares them."""
    as_text = compares_text(contents)
    rows = {key_of(number_of(row), as_text): row for row in contents.player_names}
    edits: list[Edit] = [AddTable("PlayerNames")]
    for player in people:
        row = rows.get(key_of(player.number, as_text))
        values = name_values(player)
        if row is None:
            edits.append(Insert("PlayerNames", values))
        else:
            key = {"ID": row.id, "strID": row.text_id}
            edits.append(Update("PlayerNames", key, {"Name": values["Name"]}))
    return edits


def names(contents: Contents, people: Iterable[Participation]) -> list[Edit]:
    """Return the edits that name seats, flagged for the control software; empty numbers are not written."""
    id_map = build_id_map(contents)
    tables = {(row.section, row.table) for row in contents.tables}
    edits: list[Edit] = []
    for seated in people:
        section = id_map.ids.get(seated.section, 0)
        if (section, seated.table) not in tables:
            raise BadInput(f"The file has no table {seated.section}{seated.table}; nothing was written.")
        ew_moves = id_map.sections[section].ew_moves
        round_number = 0 if seated.round == 1 and not ew_moves else seated.round
        values: dict[str, Any] = {
            "Name": SessionPlayer(seated.number, seated.first_name, seated.last_name).name[:NAME_LENGTH],
            "Updated": True,
            "EntrySource": 0,
        }
        if seated.number:
            values["Number"] = seated.number
        key = {
            "Section": section,
            "Table": seated.table,
            "Direction": seated.seat.value,
            "Round": round_number,
        }
        edits.append(Put("PlayerNumbers", key, values))
    return edits


# Movements --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SendRounds:
    """A request to replace or add a table's rounds from `first` on; a missing table is added."""

    section: str
    table: int
    first: int
    rounds: tuple[Round, ...]
    waits: bool = False
    """True if the table waits for more rounds after the last of these."""
    group: int | None = None


@dataclass(frozen=True, slots=True)
class RemoveRounds:
    """A request to remove a table's rounds from `first` on."""

    section: str
    table: int
    first: int


@dataclass(frozen=True, slots=True)
class RemoveTable:
    """A request to remove a table."""

    section: str
    table: int


@dataclass(frozen=True, slots=True)
class ResetTerminal:
    """A request to reset a terminal to its first screen."""

    section: str
    table: int


@dataclass(frozen=True, slots=True)
class SetTableWaiting:
    """A request to wait, or not to wait, for more rounds after a table's last."""

    section: str
    table: int
    waits: bool


@dataclass(frozen=True, slots=True)
class SendSettings:
    """A request to change the settings of a section's terminals."""

    section: str
    second: SettingsII | None = None
    third: SettingsIII | None = None


@dataclass(frozen=True, slots=True)
class SendHandRecords:
    """A request to add or replace hand records of a section."""

    section: str
    records: tuple[HandRecord, ...]


Change = (
    SendRounds | RemoveRounds | RemoveTable | ResetTerminal | SetTableWaiting | SendSettings | SendHandRecords
)


def changes(contents: Contents, requested: Iterable[Change]) -> list[Edit]:
    """Return the edits for these changes: data first, then the instructions.

    Raise NotTakenYet if a table still has an instruction, BadInput if a change is impossible.
    """
    plan = _EditPlan(contents)
    for change in requested:
        plan.add(change)
    return plan.edits()


class _EditPlan:
    """A collector of the edits of several changes, with one instruction per table."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._id_map = build_id_map(contents)
        self._rows = {(row.section, row.table): row for row in contents.tables}
        self._data_edits: list[Edit] = []
        self._instructions: dict[tuple[int, int], Instruction] = {}
        self._added_tables: dict[tuple[int, int], int] = {}
        self._removed_tables: set[tuple[int, int]] = set()
        self._new_groups: dict[tuple[int, int], int] = {}

    def add(self, change: Change) -> None:
        """Add one change."""
        id = self._id_map.ids.get(change.section)
        if id is None:
            raise BadInput(f"The file has no section {change.section}; nothing was written.")
        match change:
            case SendSettings():
                key = {"Section": id}
                self._data_edits.append(Put("Settings", key, settings_values(change.second, change.third)))
                for table in self._tables_of(id):
                    self._instruct(table, Instruction(InstructionKind.SETTINGS))
            case SendHandRecords():
                self._data_edits.append(AddTable("HandRecord"))
                for record in change.records:
                    key = {"Section": id, "Board": record.board}
                    self._data_edits.append(Put("HandRecord", key, deal_values(record.deal)))
                self._instruct(self._free_table(id), Instruction(InstructionKind.HAND_RECORDS))
            case SendRounds():
                self._send_rounds(id, change)
            case RemoveRounds():
                table = self._existing_table(id, change.table)
                self._drop_rounds(table, change.first)
                self._instruct(table, Instruction(InstructionKind.REMOVE_ROUNDS, change.first))
            case RemoveTable():
                table = self._existing_table(id, change.table)
                self._drop_rounds(table, 1)
                self._removed_tables.add(table)
                self._instruct(table, Instruction(InstructionKind.REMOVE_TABLE))
            case ResetTerminal():
                self._instruct(self._existing_table(id, change.table), Instruction(InstructionKind.RESET))
            case SetTableWaiting():
                table = self._existing_table(id, change.table)
                self._instruct(table, Instruction(InstructionKind.WAITING, waits=change.waits))

    def _send_rounds(self, id: int, change: SendRounds) -> None:
        table = id, change.table
        round_count = max((row.round for row in self._rounds(table)), default=0)
        if not change.rounds:
            raise BadInput("There are no rounds to send; nothing was written.")
        if not 1 <= change.first <= round_count + 1:
            raise BadInput(
                f"Table {change.section}{change.table} has {round_count} rounds, "
                f"so round {change.first} cannot be next."
            )
        last = change.first + len(change.rounds) - 1
        for number, played in enumerate(change.rounds, start=change.first):
            values = round_values(id, change.table, number, played)
            key = {name: values.pop(name) for name in ("Section", "Table", "Round")}
            self._data_edits.append(Put("RoundData", key, values))
        self._drop_rounds(table, last + 1)
        if table not in self._rows:
            self._added_tables[table] = change.group or 0
        elif change.group is not None:
            self._new_groups[table] = change.group
        self._instruct(table, Instruction(InstructionKind.ROUNDS, change.first, change.waits))

    def _rounds(self, table: tuple[int, int]) -> list[Any]:
        return [row for row in self._contents.rounds if (row.section, row.table) == table]

    def _drop_rounds(self, table: tuple[int, int], first: int) -> None:
        for number in sorted({row.round for row in self._rounds(table) if row.round >= first}):
            self._data_edits.append(
                Delete("RoundData", {"Section": table[0], "Table": table[1], "Round": number})
            )

    def _existing_table(self, id: int, table: int) -> tuple[int, int]:
        if (id, table) not in self._rows:
            raise BadInput(f"The file has no table {self._id_map.letters[id]}{table}; nothing was written.")
        return id, table

    def _tables_of(self, id: int) -> list[tuple[int, int]]:
        return sorted(table for table in self._rows if table[0] == id)

    def _free_table(self, id: int) -> tuple[int, int]:
        for table in self._tables_of(id):
            if not self._rows[table].instruction and table not in self._instructions:
                return table
        raise NotTakenYet(
            f"Every table of section {self._id_map.letters[id]} still has an instruction; nothing was written."
        )

    def _instruct(self, table: tuple[int, int], instruction: Instruction) -> None:
        name = f"{self._id_map.letters[table[0]]}{table[1]}"
        pending = self._rows.get(table, TableRow()).instruction
        if pending:
            raise NotTakenYet(
                f"Table {name} still has the instruction {pending}, which has not been taken; nothing was written."
            )
        if self._instructions.get(table, instruction) != instruction:
            raise BadInput(f"Table {name} can only have one instruction at a time; nothing was written.")
        self._instructions[table] = instruction

    def edits(self) -> list[Edit]:
        """Return all edits in order: rounds and records, seats of new tables, counts, and the instructions last."""
        edits = list(self._data_edits)
        for id, table in self._added_tables:
            for seat in DIRECTIONS:
                values = chair_values(id, table, seat, 0, None)
                key = {name: values.pop(name) for name in ("Section", "Table", "Direction", "Round")}
                edits.append(Put("PlayerNumbers", key, values))
        for id in sorted({table[0] for table in (*self._added_tables, *self._removed_tables)}):
            count = len(self._tables_of(id)) + sum(table[0] == id for table in self._added_tables)
            count -= sum(table[0] == id for table in self._removed_tables)
            edits.append(Update("Section", {"ID": id}, {"Tables": count}))
        for place, instruction in sorted(self._instructions.items()):
            edits.append(self._instruction_edit(place, instruction.value))
        return edits

    def _instruction_edit(self, table: tuple[int, int], value: int) -> Edit:
        id, number = table
        if table in self._added_tables:
            computer = next((row.computer for row in self._contents.tables if row.section == id), 1)
            values = table_values(id, number, self._added_tables[table])
            return Insert("Tables", {**values, "ComputerID": computer, "UpdateFromRound": value})
        values = {"UpdateFromRound": value}
        if table in self._new_groups:
            values["Group"] = self._new_groups[table]
        return Update(
            "Tables",
            {"Section": id, "Table": number},
            values,
            {"UpdateFromRound": 0},
            or_refuse=f"Table {self._id_map.letters[id]}{number} is gone, or has an instruction that was not "
            "taken; nothing was written.",
        )
