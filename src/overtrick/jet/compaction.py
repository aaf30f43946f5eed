"""Copies of databases without the pages that deleted rows, dropped tables and replaced memos left behind.

The copy is made table by table: first the rows in their order, then new indexes, so that it also repairs an index
that a crash left without a row. A database with objects that a copy of tables would lose (queries, forms,
relationships, links) is refused before anything is written.
"""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from overtrick.jet.catalog import create_index, create_table, set_catalog_entry
from overtrick.jet.database import Database, create_database, open_database
from overtrick.jet.errors import AccessFileError, NotWritten

_GENERAL = 1033
_LOST_TYPES = {
    4: "a table linked by ODBC",
    5: "a query",
    6: "a linked table",
    -32756: "a data access page",
    -32761: "a module",
    -32764: "a report",
    -32766: "a macro",
    -32768: "a form",
}


def compact_database(source: str | Path, target: str | Path) -> None:
    """Write a copy of an Access 2000 database without unused pages to a new file; the source stays as it is.

    The target appears when it is complete. Raise `AccessFileError` if it is already there, or if the source
    has anything that the copy would lose.
    """
    target = Path(target)
    if target.exists():
        raise AccessFileError("The file exists already; it was not changed.", where=str(target))
    unfinished = target.with_name(target.name + ".part")
    with open_database(source) as old, old.reading():
        _refuse_loss(old)
        unfinished.unlink(missing_ok=True)
        try:
            with create_database(unfinished, clock=old.now) as new, new.writing():
                for name in old.tables:
                    _copy_table(old, new, name)
            unfinished.rename(target)
        except OSError as error:
            raise NotWritten(f"The copy was not written: {error.strerror}.", where=str(target)) from None
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)


def _refuse_loss(old: Database) -> None:
    where = old.file.where
    if old.file.layout.is_jet3:
        raise AccessFileError(
            "An Access 97 file cannot be compacted; only Access 2000 files are.", where=where
        )
    header = old.file.header
    if header.sort_order != _GENERAL or header.sort_version:
        raise AccessFileError("The sort order of the file is not General, so no copy was made.", where=where)
    if header.password:
        raise AccessFileError("The file has a password, which a copy would lose.", where=where)
    for row in old.catalog_rows():
        kind = row["Type"]
        if isinstance(kind, int) and kind in _LOST_TYPES:
            raise AccessFileError(
                f"The file has {_LOST_TYPES[kind]} ({row['Name']!s}), which a copy would lose.", where=where
            )
    tables = {name.casefold() for name in old.tables}
    for relation in old.relations:
        if relation.table.casefold() in tables:
            raise AccessFileError(
                f"The file has a relationship ({relation.name}), which a copy would lose.", where=where
            )
    for name in old.tables:
        if any(len(index.names) > 1 for index in old[name].definition.indexes):
            raise AccessFileError(
                f"An index of table {name} has two names, of which a copy would lose one.", where=where
            )


def _copy_table(old: Database, new: Database, name: str) -> None:
    source = old[name]
    definition = source.definition
    entry = old.catalog_row(name)
    # Access may hold rows that break a rule that was made later, so the rules come after the rows.
    columns = [
        replace(column, required=False, allow_zero_length=True, default=None, properties={})
        for column in source.columns
    ]
    create_table(new, name, columns, ())
    target = new[name]
    target.insert_many(source.rows())
    for index in source.indexes:
        create_index(new, name, index)
    target.reserve_autonumber(definition.autonumber)
    properties = {key: entry[key] for key in ("LvProp", "Flags", "DateCreate", "DateUpdate")}
    set_catalog_entry(new, name, properties)
