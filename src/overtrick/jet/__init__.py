"""Access 97 and 2000 database files, read and written in pure Python. Independent of bridge.

    from overtrick import jet

    with jet.open("evening.bws") as db:
        for row in db["ReceivedData"].rows():
            print(row["Section"], row["Table"], row["Contract"])

A row is a light mapping: `row["Contract"]`, `dict(row)`. `row.id` is its page and its number there, by which `update`
and `delete` find it.
"""

from overtrick.jet.columns import Column, ColumnType, Index
from overtrick.jet.compaction import compact_database as compact
from overtrick.jet.database import Database
from overtrick.jet.database import create_database as create
from overtrick.jet.database import open_database as open
from overtrick.jet.errors import (
    AccessFileError,
    DamagedAccessFile,
    DuplicateKey,
    EncryptedAccessFile,
    IndexNotKept,
    InUseByAccess,
    NewerAccessFile,
    NoSuchColumn,
    NoSuchRow,
    NoSuchTable,
    NotAnAccessFile,
    NotWritten,
    ReadOnlyAccessFile,
    RowGone,
    ValueRefused,
)
from overtrick.jet.odbc import SharedDatabase, SharedTable, open_shared
from overtrick.jet.relations import Relation
from overtrick.jet.table import Row, Table

__all__ = [
    "AccessFileError",
    "Column",
    "ColumnType",
    "DamagedAccessFile",
    "Database",
    "DuplicateKey",
    "EncryptedAccessFile",
    "InUseByAccess",
    "Index",
    "IndexNotKept",
    "NewerAccessFile",
    "NoSuchColumn",
    "NoSuchRow",
    "NoSuchTable",
    "NotAnAccessFile",
    "NotWritten",
    "ReadOnlyAccessFile",
    "Relation",
    "Row",
    "RowGone",
    "SharedDatabase",
    "SharedTable",
    "Table",
    "ValueRefused",
    "compact",
    "create",
    "open",
    "open_shared",
]
