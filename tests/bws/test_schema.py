"""The schema against the guide's own layout tables, copied field by field into `layout53.txt`."""

from pathlib import Path

from overtrick.bws import schema
from overtrick.bws.contents import ROW_TYPES

LAYOUT = Path(__file__).with_name("layout53.txt")


def printed(field: schema.TableField) -> str:
    size = "" if field.size is None else str(field.size)
    default = field.default
    if isinstance(default, bool):
        shown = str(default).lower()
    elif isinstance(default, str):
        shown = f'"{default}"'
    else:
        shown = "" if default is None else str(default)
    return f"{field.name}; {field.kind.value}; {size}; {'yes' if field.zero_length else ''}; {shown}".rstrip()


def expected() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in LAYOUT.read_text().splitlines():
        if line.startswith("["):
            names = line.strip("[]").split(" / ")
            fields: list[str] = []
            found |= dict.fromkeys(names, fields)
        else:
            # Nothing said and "no" are the same: zero length is not allowed.
            fields.append(line.replace("; no;", "; ;"))
    return found


def test_the_schema_is_the_guides_layout() -> None:
    assert {
        name: [printed(field) for field in fields] for name, fields in schema.TABLES.items()
    } == expected()


def test_there_are_fourteen_tables() -> None:
    assert len(schema.TABLES) == 14
    assert sum(len(fields) for fields in schema.TABLES.values()) == 236


def test_every_table_has_a_type_of_rows_in_the_guides_order() -> None:
    assert list(ROW_TYPES) == list(schema.TABLES)
