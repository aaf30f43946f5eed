"""Conversion between the setup of the text files and a `.bws` file.

A computer's ID is only a key within the text; the `.bws` file has its own numbers for computers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, time
from pathlib import Path
from typing import Any

from overtrick.bmpftp.number_file import first_players
from overtrick.bmpftp.setup_file import SetupFile, without_missing_pairs
from overtrick.bws import schema
from overtrick.bws.boards import boards_of
from overtrick.bws.contents import Contents
from overtrick.bws.file_creation import create_file
from overtrick.bws.rows import PlayerNumberRow, ResultRow, RoundRow, SessionRow, has_two_winners, row_values
from overtrick.errors import BadInput
from overtrick.guid import guid_text, new_guid

NAME = "BMInput.bws"
SESSION = 1
"""The ID of the only session in a file."""

Rows = dict[str, list[dict[str, Any]]]


def values(table: str, row: Any) -> dict[str, Any]:
    """Return the values of a typed row for a `.bws` table, without an autonumber ID that is 0."""
    all_values = row_values(row, (column.name for column in schema.TABLES[table]))
    return {name: value for name, value in all_values.items() if name != "ID" or value}


def computer_ids(setup: SetupFile) -> Mapping[int, int]:
    """Return the number of each computer in the `.bws` file by its ID in the text."""
    return {client.id: number for number, client in enumerate(setup.clients, start=1)}


def session_rows(setup: SetupFile, name: str, at: datetime, guid: str) -> Rows:
    """Return the rows of a new file: one session with these sections, without settings."""
    ids = computer_ids(setup)
    session = SessionRow(SESSION, name[:40], datetime.combine(at.date(), time()), guid=guid_text(guid))
    return {
        "Clients": [values("Clients", replace(client, id=ids[client.id])) for client in setup.clients],
        "Session": [values("Session", session)],
        "Section": [
            values(
                "Section",
                replace(section, session=SESSION, winners=2 if has_two_winners(section, setup.rounds) else 1),
            )
            for section in setup.sections
        ],
        "Tables": [
            values("Tables", replace(table, computer=ids.get(table.computer, 0))) for table in setup.tables
        ],
        "RoundData": [values("RoundData", row) for row in setup.rounds],
        "PlayerNumbers": [values("PlayerNumbers", row) for row in setup.numbers],
    }


def create_session_file(
    path: Path,
    setup: SetupFile,
    *,
    results: Iterable[ResultRow] = (),
    numbers: Iterable[PlayerNumberRow] = (),
    clock: Callable[[], datetime] = datetime.now,
    guid: str | None = None,
    name: str = "",
) -> None:
    """Create a `.bws` file atomically; raise BadInput if it exists.

    `numbers` take precedence over the player numbers of the setup at the same seats.
    """
    results = tuple(results)
    setup = without_missing_pairs(setup, results)
    rows = session_rows(setup, name or path.stem, clock(), guid or new_guid())
    rows["ReceivedData"] = [values("ReceivedData", row) for row in results]
    by_chair = {(row.section, row.table, row.direction): row for row in (*setup.numbers, *numbers)}
    rows["PlayerNumbers"] = [values("PlayerNumbers", row) for row in by_chair.values()]
    create_file(path, rows, clock=clock)


def setup_of(contents: Contents) -> SetupFile:
    """Return the setup that corresponds to a `.bws` file; the boards of a round are its lowest and its highest."""
    return SetupFile(
        contents.clients,
        tuple(sorted(contents.sections, key=lambda row: row.id)),
        tuple(sorted(contents.tables, key=lambda row: (row.section, row.table))),
        tuple(
            _with_board_range(row)
            for row in sorted(contents.rounds, key=lambda row: (row.section, row.table, row.round))
        ),
        tuple(first_players(contents.player_numbers)),
    )


def _with_board_range(row: RoundRow) -> RoundRow:
    if not row.custom:
        return row
    try:
        boards = boards_of(row)
    except BadInput as bad:
        where = f"RoundData, section {row.section}, table {row.table}, round {row.round}"
        raise BadInput(bad.sentence, where=where) from None
    return replace(row, low=boards[0], high=boards[-1])


def results_by_id(contents: Contents) -> list[ResultRow]:
    """Return all results, sorted by ID."""
    return sorted(contents.results, key=lambda row: row.id)
