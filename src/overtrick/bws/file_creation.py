"""Creation of a `.bws` file from rows: the fourteen tables of the guide in an empty Access 2000 database.

Does not depend on where the rows come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from overtrick import jet
from overtrick.bws import schema
from overtrick.bws.edits import jet_columns
from overtrick.bws.rows import Values
from overtrick.errors import BadInput
from overtrick.files import replacing

INDIVIDUAL_TABLES = ("RoundData", "ReceivedData", "IntermediateData")


class FileExists(BadInput):
    """A file of that name exists already; it was not changed."""

    code = "file-exists"


def create_file(
    path: str | Path,
    rows: Mapping[str, Iterable[Values]],
    *,
    is_individual: bool = False,
    clock: Callable[[], datetime] = datetime.now,
) -> None:
    """Create a file with these rows; it gets its name only when it is complete."""
    path = Path(path)
    try:
        with replacing(path, new=True) as unfinished, jet.create(unfinished, clock=clock) as db, db.writing():
            for table in schema.TABLES:
                columns = jet_columns(table)
                if is_individual and table in INDIVIDUAL_TABLES:
                    columns += [
                        jet.Column(name, jet.ColumnType.INTEGER, default="0")
                        for name in schema.INDIVIDUAL_FIELDS
                    ]
                created = db.create_table(table, columns)
                created.insert_many(_storable_values(row, columns) for row in rows.get(table, ()))
    except FileExistsError:
        raise FileExists(
            "A file with that name already exists; it was not changed.", where=str(path)
        ) from None
    except OSError as error:
        raise BadInput(f"The file cannot be created: {error.strerror}.", where=str(path)) from None


def _storable_values(row: Values, columns: list[jet.Column]) -> dict[str, object]:
    """Return the values of a row, with None for an empty text in a column that does not allow one."""
    strict = {
        column.name
        for column in columns
        if column.type is jet.ColumnType.TEXT and not column.allow_zero_length
    }
    return {name: None if value == "" and name in strict else value for name, value in row.items()}
