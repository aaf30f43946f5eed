"""Changes to the catalog: tables created and dropped, columns and indexes added.

Access needs more of a table than its pages: a row in the catalog (MSysObjects) with both its indexes, rows
with its permissions (MSysACEs), and the properties of its columns. The values are those of files that Access made.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from overtrick.jet.columns import Column, Index
from overtrick.jet.definition import parse_definition, read_definition_bytes
from overtrick.jet.definition_writer import (
    check_new_index,
    lay_out,
    make_definition,
    new_index_root,
    with_column,
    with_index,
    write_definition,
)
from overtrick.jet.edit import Edit
from overtrick.jet.errors import AccessFileError, DamagedAccessFile, ValueRefused
from overtrick.jet.index_tree import IndexTree
from overtrick.jet.page_file import PageFile
from overtrick.jet.properties import Properties, properties_of_column, write_properties

if TYPE_CHECKING:
    from overtrick.jet.database import Database

_TABLES = "Tables"
_CONTAINER_TYPE = 3
_TABLE_TYPE = 1
_ALL_BUT_OWNERSHIP = 1048319
"""The rights (ACM) that Access gives users to a table that one of them made."""
_CREATOR_RIGHT = 983294
"""The right that a container grants to whoever creates an object in it; that is not a user of its own."""


def create_table(
    database: "Database", name: str, columns: Sequence[Column], indexes: Sequence[Index]
) -> None:
    """Create a table: its definition, its catalog row, and the rows with its permissions."""
    file = database.file
    if file.layout.is_jet3:
        raise AccessFileError("Tables can be created in an Access 2000 file only.", where=file.where)
    if not name or len(name) > 64 or name != name.strip() or set(name) & set(".!`[]"):
        raise ValueRefused(f"{name!r} cannot be the name of a table.", where=file.where)
    if name in database:
        raise ValueRefused(f"There is already a table {name}.", where=file.where)
    if not columns:
        raise ValueRefused(f"Table {name} needs a column.", where=file.where)
    if sum(getattr(column, "autonumber", False) for column in columns) > 1:
        raise ValueRefused(f"Table {name} can have one autonumber only.", where=file.where)
    parent = _container(database)
    now = database.now().replace(microsecond=0)
    owner = _owner(database)
    new_columns = lay_out(columns, file.layout)
    properties = Properties(columns={column.name: properties_of_column(column) for column in new_columns})
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
    with _changing_definition(file, name) as edit:
        page = make_definition(edit, new_columns, indexes)
    database["MSysObjects"].insert({**entry, "Id": page})
    users = dict.fromkeys([*([owner] if owner else []), *_inheriting_users(database, parent)])
    database["MSysACEs"].insert_many(
        {"ObjectId": page, "SID": sid, "ACM": _ALL_BUT_OWNERSHIP, "FInheritable": False} for sid in users
    )
    database.forget_catalog()


@contextmanager
def _changing_definition(file: PageFile, name: str) -> Iterator[Edit]:
    """Yield an edit of the definition of a table; commit it, or after an error drop it."""
    edit = Edit(file)
    try:
        yield edit
    except BaseException as error:
        edit.drop()
        if isinstance(error, struct.error | IndexError | OverflowError):
            raise DamagedAccessFile(
                f"The definition of table {name} contradicts itself.", where=file.where
            ) from None
        raise
    edit.commit()


def create_index(database: "Database", name: str, index: Index) -> None:
    """Add an index over the rows of a table (Access 2000 only)."""
    file = database.file
    if file.layout.is_jet3:
        raise AccessFileError("Indexes can be created in an Access 2000 file only.", where=file.where)
    table = database[name]
    definition = table.definition
    _refuse_system_table(database, name)
    with _changing_definition(file, name) as edit:
        check_new_index(index, definition, file.layout)
        pointer, root = new_index_root(edit, definition.page)
        content, _ = read_definition_bytes(file, definition.page)
        planned = parse_definition(
            with_index(content, definition, index, pointer, root, 0), definition.page, definition.pages, file
        ).indexes[-1]
        entries = table.index_entries(planned)
        IndexTree(file, planned, definition.page).add(edit, entries)
        write_definition(
            edit, definition.page, with_index(content, definition, index, pointer, root, len(entries))
        )
    set_catalog_entry(database, name, {"DateUpdate": database.now().replace(microsecond=0)})


def drop_table(database: "Database", name: str) -> None:
    """Remove a table from the catalog, with the rows of its permissions.

    The catalog row is deleted first, so after a crash the table is complete or gone. Its pages are not used again
    until the database is compacted.
    """
    row = database.catalog_row(name)
    _refuse_system_table(database, name)
    folded = str(row["Name"]).casefold()
    for relation in database.relations:
        if folded in (relation.table.casefold(), relation.referenced_table.casefold()):
            raise ValueRefused(
                f"Table {name} has a relationship ({relation.name}); delete it in Access first.",
                where=database.file.where,
            )
    database["MSysObjects"].delete(row)
    permissions = database["MSysACEs"]
    for entry in list(permissions.find(ObjectId=row["Id"])):
        permissions.delete(entry)
    database.forget_catalog()


def _refuse_system_table(database: "Database", name: str) -> None:
    if name.casefold() not in {table.casefold() for table in database.tables}:
        raise ValueRefused(f"{name} is a table of Access itself.", where=database.file.where)


def set_catalog_entry(database: "Database", name: str, values: Mapping[str, Any]) -> None:
    """Change the row of the catalog that stands for a table."""
    database["MSysObjects"].update(database.catalog_row(name).id, values)
    database.forget_catalog()


def add_column(database: "Database", name: str, column: Column) -> None:
    """Add a column after the last one of a table; existing rows have no value in it."""
    file = database.file
    table = database[name]
    definition = table.definition
    if column.autonumber:
        raise ValueRefused(f"Column {column.name} cannot be an autonumber: the table has rows already.")
    with _changing_definition(file, name) as edit:
        (new_column,) = lay_out([column], file.layout, definition)
        content, _ = read_definition_bytes(file, definition.page)
        write_definition(edit, definition.page, with_column(content, definition, new_column, edit))
    properties = database.properties_of(name)
    properties.columns[column.name] = properties_of_column(column)
    set_catalog_entry(
        database,
        name,
        {
            "DateUpdate": database.now().replace(microsecond=0),
            "LvProp": write_properties(properties, file.layout, file.header.encoding),
        },
    )


def _container(database: "Database") -> int:
    for row in database.catalog_rows():
        if row["Name"] == _TABLES and row["Type"] == _CONTAINER_TYPE and isinstance(row["Id"], int):
            return row["Id"]
    raise DamagedAccessFile("The catalog has no container for tables.", where=database.file.where)


def _owner(database: "Database") -> bytes | None:
    """Return the owner of the database, who owns every new table too."""
    for row in database.catalog_rows():
        owner = row.get("Owner")
        if row["Name"] == "MSysDb" and isinstance(owner, bytes):
            return owner
    return None


def _inheriting_users(database: "Database", parent: int) -> list[bytes]:
    """Return the users who may use whatever is created in a container."""
    return [
        sid
        for row in database["MSysACEs"].rows()
        if row.get("ObjectId") == parent
        and row.get("FInheritable")
        and row.get("ACM") != _CREATOR_RIGHT
        and isinstance(sid := row.get("SID"), bytes)
    ]
