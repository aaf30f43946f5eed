"""The division of a `.bws` file's tables among control computers that share it.

A table belongs to the computer that its record names. If the record names no computer, an unknown one, or one without
a running control program, another running control program handles the table; the record does not change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from overtrick.bws.contents import Contents
from overtrick.bws.id_map import IdMap
from overtrick.bws.rows import CallRow, CardRow, PlayerNumberRow, ResultRow, TableRow

NOBODY = 0
"""The client ID of a table whose record names no known client."""

TableKey = tuple[int, int]
"""A table: the ID of its section and its number."""


@dataclass(frozen=True, slots=True)
class ControlPeer:
    """Another control program that is running."""

    computer: str
    clients: frozenset[int] = frozenset()
    """The IDs of the clients whose tables it handles."""


def owner(contents: Contents, row: TableRow) -> int:
    """Return the ID of the client that a table belongs to; NOBODY if its record names no known client."""
    return row.computer if any(client.id == row.computer for client in contents.clients) else NOBODY


def clients_for(
    contents: Contents, computer: str, peers: Iterable[ControlPeer] = (), left_to: Collection[str] = ()
) -> frozenset[int]:
    """Return the IDs of the clients whose tables a control program handles: its own, and those without a handler.

    A peer that still handles tables of `computer` keeps them until it releases them. `left_to` names computers on which
    other control software runs. They are not among `peers`; their tables are left to them.

    >>> from overtrick.bws.rows import ClientRow
    >>> shared = Contents(clients=(ClientRow(1, "CLUB"), ClientRow(2, "OFFICE")))
    >>> sorted(clients_for(shared, "CLUB")), sorted(clients_for(shared, "CLUB", left_to=["OFFICE"]))
    ([0, 1, 2], [0, 1])
    """
    peers = list(peers)
    peer_clients = {id for peer in peers for id in peer.clients}
    running = {peer.computer for peer in peers} | set(left_to)
    named = {client.id: client.computer for client in contents.clients}
    return frozenset(
        id
        for id, name in {NOBODY: "", **named}.items()
        if id not in peer_clients and (name == computer or name not in running)
    )


def tables_of_clients(contents: Contents, clients: Collection[int]) -> frozenset[TableKey]:
    """Return the tables of these clients."""
    client_ids = {client.id for client in contents.clients}
    return frozenset(
        (row.section, row.table)
        for row in contents.tables
        if (row.computer if row.computer in client_ids else NOBODY) in clients
    )


_Placed = TypeVar("_Placed", TableRow, ResultRow, PlayerNumberRow, CallRow, CardRow)


def restrict_to_tables(contents: Contents, own_tables: Collection[TableKey]) -> Contents:
    """Return the contents with only these tables and their rows; sections, rounds, deals and settings stay."""

    def own_rows(rows: tuple[_Placed, ...]) -> tuple[_Placed, ...]:
        return tuple(row for row in rows if (row.section, row.table) in own_tables)

    return replace(
        contents,
        tables=own_rows(contents.tables),
        results=own_rows(contents.results),
        contracts=own_rows(contents.contracts),
        player_numbers=own_rows(contents.player_numbers),
        calls=own_rows(contents.calls),
        cards=own_rows(contents.cards),
    )


def ownership_sentences(
    contents: Contents, id_map: IdMap, clients: Collection[int], computer: str
) -> list[str]:
    """Return sentences for the director about which computer handles which tables."""
    names: Mapping[int, str] = {client.id: client.computer for client in contents.clients}
    others = [row for row in contents.tables if names.get(row.computer, "") != computer]
    handled_here = [row for row in others if owner(contents, row) in clients]
    left_tables: dict[str, list[str]] = {}
    for row in others:
        if row not in handled_here:
            place = f"{id_map.letters.get(row.section, row.section)}{row.table}"
            left_tables.setdefault(names.get(row.computer, ""), []).append(place)
    sentences = []
    if handled_here:
        handled = "them all" if not left_tables else f"{len(handled_here)} of them"
        sentences.append(
            f"{len(others)} of {len(contents.tables)} tables are assigned to another computer or to none; "
            f"{computer} handles {handled}."
        )
    for name, places in sorted(left_tables.items()):
        handler = f"{name}, which is running" if name else "another control program"
        sentences.append(f"Tables left to {handler}: {', '.join(places)}.")
    return sentences
