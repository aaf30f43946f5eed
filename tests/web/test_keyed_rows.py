"""Patches of rows: whatever changed, who applies them has the newest rows in the newest order."""

import json

from hypothesis import given
from hypothesis import strategies as st

from overtrick.web.keyed_rows import Cells, KeyedRows, difference
from tests.web.patches import patched

KEYS = st.sampled_from(["A1", "A2", "A3", "A10", "B1", "B2"])
CELLS = st.tuples(*[st.sampled_from(["", "1", "1=", "50.00", "Ann – Bob"])] * 4)
TABLES = st.lists(st.dictionaries(KEYS, CELLS), min_size=1, max_size=3)


def part(tables: list[dict[str, Cells]], frame: str = "") -> KeyedRows:
    return KeyedRows(tuple(tables), frame, str)


@given(TABLES, st.data())
def test_patch_turns_old_rows_into_new_rows(old: list[dict[str, Cells]], data: st.DataObject) -> None:
    new = [data.draw(st.dictionaries(KEYS, CELLS)) for _ in old]
    patch = difference(part(old), part(new))
    if patch is None:
        assert any(bool(was) != bool(now) for was, now in zip(old, new, strict=True))
        return
    sent = json.loads(json.dumps(patch))
    assert [list(table.items()) for table in patched(old, sent)] == [list(table.items()) for table in new]


@given(TABLES)
def test_unchanged_cells_are_left_out_of_the_patch(tables: list[dict[str, Cells]]) -> None:
    assert difference(part(tables), part([dict(table) for table in tables])) == []


@given(TABLES)
def test_changed_frame_gives_no_patch(tables: list[dict[str, Cells]]) -> None:
    assert difference(part(tables, "%"), part(tables, "IMP")) is None
    assert difference(part(tables), part([*tables, {}])) is None


def test_unchanged_cell_is_left_out() -> None:
    old = part([{"A1": ("1", "A1", "Ann", "60.00"), "A2": ("2", "A2", "Bob", "40.00")}])
    new = part([{"A1": ("1", "A1", "Ann", "61.00"), "A2": ("2", "A2", "Bob", "40.00")}])
    assert difference(old, new) == [(0, 0, [["A1", 0, 0, 0, "61.00"]])]
