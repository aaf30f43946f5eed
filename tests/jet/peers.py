"""Other readers of Access files (mdbtools, mdb-reader), compared with `jet`."""

import csv
import io
import json
import os
import re
import subprocess
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from overtrick import jet
from overtrick.jet.index_keys import key_of, pointer_bytes
from overtrick.jet.index_page import IndexPage
from overtrick.jet.index_tree import IndexTree
from overtrick.jet.row_decoder import split_row
from overtrick.jet.row_page import OVERFLOW, row_bytes, row_span

NULL = "\x1fnull\x1f"


def mdb_tables(program: str, path: Path) -> list[str]:
    command = [str(Path(program).with_name("mdb-tables")), "-1", str(path)]
    listed = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60).stdout
    return [line for line in listed.split("\n") if line]


def mdb_schema(program: str, path: Path) -> str:
    command = [program, "--indexes", str(path), "postgres"]
    return subprocess.run(command, capture_output=True, check=True, text=True, timeout=60).stdout


def mdb_export(program: str, path: Path, table: str) -> list[dict[str, str | None]]:
    command = [program, "-b", "hex", "-0", NULL, "-D", "%Y-%m-%d %H:%M:%S", "-T", "%Y-%m-%d %H:%M:%S"]
    done = subprocess.run(
        [*command, str(path), table],
        capture_output=True,
        check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        timeout=60,
    )
    assert not done.stderr, done.stderr.decode("utf-8", "replace")
    text = done.stdout.decode("utf-8", "surrogateescape")
    reader = csv.DictReader(io.StringIO(text, newline=""))
    return [{name: None if value == NULL else value for name, value in row.items()} for row in reader]


def assert_same_rows(table: jet.Table, exported: list[dict[str, str | None]]) -> None:
    """Compare every value; mdbtools lists a moved row where it lies now, so the order may differ."""
    rows = list(table.rows())
    columns = table.columns
    assert len(rows) == len(exported) == len(table)
    left = list(exported)
    for row in rows:
        assert list(row) == list(left[0])
        other = next((other for other in left if _same_row(columns, row, other)), left[0])
        for column in columns:
            assert_same_value(column, row[column.name], other[column.name])
        left.remove(other)


def _same_row(columns: tuple[jet.Column, ...], row: jet.Row, other: dict[str, str | None]) -> bool:
    try:
        for column in columns:
            assert_same_value(column, row[column.name], other[column.name])
    except AssertionError:
        return False
    return True


def assert_same_value(column: jet.Column, ours: object, printed: str | None) -> None:
    """Compare with the text of `mdb-export`, parsed by the column's type alone."""
    kind, where = jet.ColumnType, (column.name, ours, printed)
    if column.type is kind.YES_NO:
        assert ours is (printed == "1"), where
    elif ours is None or printed is None:
        # mdb-export prints text of no letters as a null.
        assert ours is None or ours in ("", b""), where
        assert printed is None, where
    elif column.type is kind.DATE:
        assert isinstance(ours, datetime), where
        if printed.startswith("1900-01-00"):
            # That is all mdb-export knows of the days before and behind its calendar.
            assert ours < datetime(1899, 12, 30) or ours.year == 9999, where
            return
        assert ours.replace(microsecond=0) == datetime.fromisoformat(printed), where
    elif column.type in (kind.SINGLE, kind.DOUBLE):
        assert isinstance(ours, float), where
        assert abs(ours - float(printed)) <= abs(ours) * 1e-6, where
    elif column.type in (kind.MONEY, kind.NUMERIC):
        assert ours == Decimal(printed), where
    elif column.type is kind.GUID:
        # mdb-export prints the letters of a GUID as it prints bytes, and forgets a dash.
        assert ours == UUID(bytes.fromhex(printed).decode().replace("-", "")), where
    elif column.type in (kind.OLE, kind.BINARY):
        assert isinstance(ours, bytes), where
        assert ours.hex().upper() == printed, where
    elif column.type in (kind.TEXT, kind.MEMO):
        assert isinstance(ours, str), where
        # mdb-export has a question mark for a byte that the code page leaves undefined.
        assert re.sub("[\x80-\x9f]", "?", ours) == re.sub("[\x80-\x9f]", "?", printed), where
    else:
        assert ours == int(printed), where


def mdb_reader_tables(node: str, path: Path) -> dict[str, list[dict[str, Any]]]:
    """Every table of people as the npm package mdb-reader reads it."""
    script = Path(__file__).with_name("mdb_reader.mjs")
    done = subprocess.run([node, str(script), str(path)], capture_output=True, check=True, timeout=60)
    tables: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return tables


def assert_read_by_all(path: Path, program: str, node: str) -> None:
    """mdbtools and mdb-reader read every table value for value as we do."""
    others = mdb_reader_tables(node, path)
    with jet.open(path) as db:
        assert sorted(db.tables) == sorted(mdb_tables(program, path)) == sorted(others)
        for name in db.tables:
            table = db[name]
            assert_same_rows(table, mdb_export(program, path, name))
            ours = [{key: as_mdb_reader(value) for key, value in row.items()} for row in table.rows()]
            assert len(ours) == len(others[name])
            for row, other in zip(ours, others[name], strict=True):
                assert {key: as_mdb_reader_number(value) for key, value in other.items()} == row


def as_mdb_reader(value: object) -> object:
    """Return a value as `mdb_reader.mjs` prints it."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds")
    if isinstance(value, Decimal):
        return value.normalize()
    if isinstance(value, bytes):
        return value.hex()
    return f"{value}" if isinstance(value, UUID) else value


def as_mdb_reader_number(value: object) -> object:
    """Amounts and GUIDs come as text; the text of other columns stays what it is."""
    if isinstance(value, str) and re.fullmatch(r"-?\d+\.\d{4}", value):
        return Decimal(value).normalize()
    return (
        value.lower()
        if isinstance(value, str) and re.fullmatch(r"[0-9A-Fa-f]{8}(-\w{4}){3}-\w{12}", value)
        else value
    )


def assert_indexes_right(db: jet.Database, name: str) -> None:
    """Check that each index holds the key of every row once, in order, and leads to it from its root."""
    table = db[name]
    definition = table.definition
    columns = {column.number: column for column in definition.columns}
    layout = db.file.layout
    for index in definition.indexes:
        tree = IndexTree(db.file, index, definition.page)
        wanted = []
        for row in table.rows():
            content = db.file.page(row.id >> 8)
            start, end, flags = row_span(content, layout, row.id & 0xFF)
            if flags & OVERFLOW:
                pointer = int.from_bytes(content[start : start + 4], "little")
                raw = row_bytes(db.file, pointer >> 8, pointer & 0xFF)
            else:
                raw = content[start:end]
            key = key_of(index, columns, split_row(raw, definition.columns, layout).raw, layout)
            if key is not None:
                wanted.append(key + pointer_bytes(row.id >> 8, row.id & 0xFF))
        assert list(tree.entries()) == sorted(wanted)
        assert_tree_sound(db, index.root)
        assert all(tree.holds_key(entry[:-4]) for entry in wanted[:: 1 + len(wanted) // 200])


def assert_tree_sound(db: jet.Database, root: int) -> None:
    """Check that a node names the last entry of each child but its tail, and that leaves are linked in order."""
    leaves: list[int] = []

    def last_entry(number: int) -> bytes:
        page = IndexPage.read(db.file.page(number), db.file.layout)
        if page.leaf:
            leaves.append(number)
            return page.entries[-1] if page.entries else b""
        assert page.entries
        last = b""
        for entry in page.entries:
            child = int.from_bytes(entry[-4:], "big")
            assert IndexPage.read(db.file.page(child), db.file.layout).level == page.level - 1
            last = last_entry(child)
            assert entry[:-4] == last
        return last_entry(page.tail) if page.tail else last

    last_entry(root)
    for position, number in enumerate(leaves):
        page = IndexPage.read(db.file.page(number), db.file.layout)
        assert page.previous == (leaves[position - 1] if position else 0)
        assert page.next == (leaves[position + 1] if position + 1 < len(leaves) else 0)
