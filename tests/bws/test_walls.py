"""The names of columns stay in this room: the rooms of the game and the event speak their own words."""

import re
from pathlib import Path

import pytest

import overtrick
from overtrick.bws.schema import TABLES

ROOMS = ("bridge", "movements", "scoring", "event", "views")

COLUMNS = sorted(
    {
        field.name
        for fields in TABLES.values()
        for field in fields
        # A word such as Section is everyone's; a name like PairNS is the file's alone.
        if re.search(r"[a-z][A-Z]|[A-Z]{2}", field.name) and len(field.name) > 4
    }
)


@pytest.mark.parametrize("room", ROOMS)
def test_no_column_is_named_in(room: str) -> None:
    wanted = re.compile(rf"\b(?:{'|'.join(re.escape(name) for name in COLUMNS)})\b")
    for path in sorted((Path(overtrick.__file__).parent / room).rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        assert wanted.findall(code) == [], path.name


def test_there_are_names_to_look_for() -> None:
    assert {"PairNS", "UpdateFromRound", "NSPair", "BM2PINcode", "LeadCard"} <= set(COLUMNS)
