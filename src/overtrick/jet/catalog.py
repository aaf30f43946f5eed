"""What a database knows of its tables: making one, adding a column, and the catalog rows that go with it.

Access wants more of a table than its pages: a row in the catalog with both its indexes, rows that say who may
use it, and the properties of its columns. What is written here was learnt from files that Access made.
"""

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from overtrick.jet.columns import Column, Index
from overtrick.jet.definition import read_definition_bytes
from overtrick.jet.definition_writer import lay_out, make_definition, with_column, write_definition
from overtrick.jet.edit import Edit
from overtrick.jet.errors import AccessFileError, DamagedAccessFile, ValueRefused
from overtrick.jet.properties import Properties, properties_of_column, write_properties

if TYPE_CHECKING:
    from overtrick.jet.database import Database

_TABLES = "Tables"
_CONTAINER_TYPE = 3
_TABLE_TYPE = 1
_ALL_BUT_OWNERSHIP = 1048319
"""What Access lets users do with a table that one of them made."""
_OF_WHOEVER_CREATES = 983294
"""The right that a container grants to the maker of what is in it, which is no user of its own."""


def create_table(
    database: "Database", name: str, columns: Sequence[Column], indexes: Sequence[Index]
) -> None:
    """Make a table."""
    file = database.file
    if file.layout.is_jet3:
        raise AccessFileError("Tables can be made in an Access 2000 file only.", where=file.where)
    if not name or len(name) > 64 or name != name.strip() or set(name) & set(".!`[]"):
        raise ValueRefused(f"{name!r} cannot be the name of a table.", where=file.where)
    if name in database:
        raise ValueRefused(f"There is already a table {name}.", where=file.where)
    if not columns:
        raise ValueRefused(f"Table {name} needs a column.", where=file.where)
    if sum(column.autonumber for column in columns) > 1:
        raise ValueRefused(f"Table {name} can have one column that numbers itself.", where=file.where)
    parent = _container(database)
    now = database.now().replace(microsecond=0)
    owner = _owner(database)
    placed = lay_out(columns, file.layout)
    properties = Properties(columns={column.name: properties_of_column(column) for column in placed})
    entry = {
        "Id": file.page_count,
        "ParentId": parent,
        "Name": name,
        "Type": _TABLE_TYPE,
        "DateCreate": now,
        "DateUpdate": now,
        "Owner": owner,
        "Flags": 0,
        "LvProp": write_properties(properties, file.layout, file.header.encoding),
    }
    database["MSysObjects"].check(entry)
    edit = Edit(file)
    try:
        page = make_definition(edit, placed, indexes)
    except BaseException:
        edit.drop()
        raise
    edit.commit()
    database["MSysObjects"].insert({**entry, "Id": page})
    users = dict.fromkeys([*([owner] if owner else []), *_heirs(database, parent)])
    database["MSysACEs"].insert_many(
        {"ObjectId": page, "SID": sid, "ACM": _ALL_BUT_OWNERSHIP, "FInheritable": False} for sid in users
    )
    database.written()


def add_column(database: "Database", name: str, column: Column) -> None:
    """Add a column behind the last one of a table; rows that are there have no value in it."""
    file = database.file
    table = database[name]
    definition = table.definition
    if column.autonumber:
        raise ValueRefused(f"Column {column.name} cannot number rows that are already there.")
    edit = Edit(file)
    try:
        (placed,) = lay_out([column], file.layout, definition)
        content, _ = read_definition_bytes(file, definition.page)
        write_definition(edit, definition.page, with_column(content, definition, placed, edit))
    except BaseException as error:
        edit.drop()
        if isinstance(error, struct.error | IndexError | OverflowError):
            raise DamagedAccessFile(
                f"The definition of table {name} contradicts itself.", where=file.where
            ) from None
        raise
    edit.commit()
    properties = database.properties_of(name)
    properties.columns[column.name] = properties_of_column(column)
    row = database.catalog_row(name)
    database["MSysObjects"].update(
        row.id,
        DateUpdate=database.now().replace(microsecond=0),
        LvProp=write_properties(properties, file.layout, file.header.encoding),
    )
    database.written()


def _container(database: "Database") -> int:
    for row in database.catalog_rows():
        if row["Name"] == _TABLES and row["Type"] == _CONTAINER_TYPE and isinstance(row["Id"], int):
            return row["Id"]
    raise DamagedAccessFile("The catalog has no place for tables.", where=database.file.where)


def _owner(database: "Database") -> bytes | None:
    """Whoever owns the database owns what is made in it."""
    for row in database.catalog_rows():
        owner = row.get("Owner")
        if row["Name"] == "MSysDb" and isinstance(owner, bytes):
            return owner
    return None


def _heirs(database: "Database", parent: int) -> list[bytes]:
    """The users who may use whatever is made in a container."""
    return [
        sid
        for row in database["MSysACEs"].rows()
        if row.get("ObjectId") == parent
        and row.get("FInheritable")
        and row.get("ACM") != _OF_WHOEVER_CREATES
        and isinstance(sid := row.get("SID"), bytes)
    ]
