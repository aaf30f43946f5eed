"""Column names of the `.bws` format stay inside `overtrick.bws`: other packages use their own names."""

import re
from pathlib import Path

import pytest

import overtrick
from overtrick.bws.schema import TABLES

PACKAGES = ("bridge", "movements", "scoring", "event", "views")

COLUMNS = sorted(
    {
        field.name
        for fields in TABLES.values()
        for field in fields
        # A word such as Section is used everywhere; a name like PairNS is the file's alone.
        if re.search(r"[a-z][A-Z]|[A-Z]{2}", field.name) and len(field.name) > 4
    }
)


@pytest.mark.parametrize("package", PACKAGES)
def test_package_names_no_column_of_the_file(package: str) -> None:
    wanted = re.compile(rf"\b(?:{'|'.join(re.escape(name) for name in COLUMNS)})\b")
    for path in sorted((Path(overtrick.__file__).parent / package).rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        assert wanted.findall(code) == [], path.name


def test_column_names_include_well_known_ones() -> None:
    assert {"PairNS", "UpdateFromRound", "NSPair", "BM2PINcode", "LeadCard"} <= set(COLUMNS)
