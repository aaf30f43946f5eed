"""Rows apart and together again, in both versions."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick import jet
from overtrick.jet.columns import Column, ColumnType
from overtrick.jet.definition import Pointer, TableDefinition
from overtrick.jet.layout import JET3, JET4, Layout
from overtrick.jet.properties import Properties, Property, read_properties, write_properties
from overtrick.jet.row_decoder import row_decoder, split_row
from overtrick.jet.row_encoder import RowEncoder
from overtrick.jet.row_page import OFFSET, OVERFLOW, RowPage, row_span, slots
from overtrick.jet.usage_map import mapped_pages


def definition_of(fixed: int, variable: int, flags: int) -> TableDefinition:
    columns = [Column(f"F{n}", ColumnType.LONG, number=n, fixed_offset=4 * n) for n in range(fixed)]
    columns += [
        Column(f"V{n}", ColumnType.TEXT, size=255, number=fixed + n, variable_index=n)
        for n in range(variable)
    ]
    first = fixed + variable
    columns += [Column(f"Y{n}", ColumnType.YES_NO, number=first + n, fixed_offset=0) for n in range(flags)]
    nowhere = Pointer(0, 0)
    return TableDefinition(
        1, (1,), 0, 0, 0, len(columns), variable, tuple(columns), (), nowhere, nowhere, {}, 0
    )


@given(st.data(), st.sampled_from([JET3, JET4]))
def test_row_splits_into_the_values_it_was_joined_from(data: st.DataObject, layout: Layout) -> None:
    definition = definition_of(*(data.draw(st.integers(low, 12)) for low in (1, 0, 0)))
    raw: dict[int, bytes | bool] = {}
    for column in definition.columns:
        if column.type is ColumnType.YES_NO:
            raw[column.number] = data.draw(st.booleans())
        elif data.draw(st.booleans()):
            raw[column.number] = data.draw(
                st.binary(min_size=4, max_size=4)
                if column.fixed_offset is not None
                else st.binary(max_size=150)
            )
    row = RowEncoder(definition, layout).encode(raw)
    fields = split_row(row, definition.columns, layout)
    assert fields.count == definition.max_columns
    assert fields.raw == raw


def test_rows_of_access_are_joined_to_the_same_bytes(club_evening: Path) -> None:
    with jet.open(club_evening) as db:
        layout, same = db.file.layout, 0
        for name in [*db.tables, "MSysObjects", "MSysACEs"]:
            definition = db[name].definition
            encoder = RowEncoder(definition, layout)
            for number in mapped_pages(db.file, definition.owned_map):
                page = db.file.page(number)
                for row, slot in enumerate(slots(page, layout)):
                    start, end, _ = row_span(page, layout, row)
                    if slot >= OVERFLOW:
                        continue
                    fields = split_row(page[start:end], definition.columns, layout)
                    if fields.count == definition.max_columns:
                        assert encoder.encode(fields.raw) == page[start:end]
                        same += 1
        assert same > 100


rows = st.binary(min_size=4, max_size=60)


@given(st.lists(st.tuples(st.sampled_from(["add", "replace", "delete", "drop"]), st.integers(0, 20), rows)))
def test_row_page_holds_rows_like_a_list(steps: list[tuple[str, int, bytes]]) -> None:
    page = RowPage.make(bytearray(JET3.page_size), JET3, b"\x07\0\0\0")
    model: dict[int, bytes] = {}
    for step, at, row in steps:
        if step == "add":
            if page.room() >= len(row):
                number = page.add(row)
                assert number not in model
                model[number] = row
        elif at in model and step == "replace":
            if page.fits(at, len(row)):
                page.replace(at, row, 0)
                model[at] = row
        elif at in model:
            (page.delete if step == "delete" else page.drop)(at)
            del model[at]
        for number, content in model.items():
            start, end, flags = row_span(page.content, JET3, number)
            assert bytes(page.content[start:end]) == content
            assert flags == 0
        used = sum(map(len, model.values())) + 2 * page.row_count + JET3.rows_start
        assert int.from_bytes(page.content[2:4], "little") == JET3.page_size - used
        assert all(slot & OFFSET >= JET3.rows_start for slot in slots(page.content, JET3))


@pytest.mark.parametrize("layout", [JET3, JET4])
def test_properties_read_what_was_written(layout: Layout) -> None:
    made = Properties(
        {"Description": Property("Description", 10, "Results é", 0)},
        {
            "ID": {"Required": Property("Required", 1, True, 1)},
            "Name": {
                "DefaultValue": Property("DefaultValue", 12, '"N"', 1),
                "ColumnWidth": Property("ColumnWidth", 3, -1, 0),
                "GUID": Property("GUID", 9, b"0123456789abcdef", 0),
            },
        },
    )
    blob = write_properties(made, layout, "cp1252")
    assert read_properties(blob, layout, "cp1252") == made
    assert blob[:4] == layout.property_magic


def test_properties_of_access_are_written_to_the_same_bytes(club_evening: Path) -> None:
    with jet.open(club_evening) as db:
        for name in db.tables:
            properties = db.properties_of(name)
            blob = write_properties(properties, db.file.layout, "cp1252")
            assert read_properties(blob, db.file.layout, "cp1252") == properties
            if name == "Section":  # which the driver made; Access itself also lists names that nothing has
                assert blob == db.catalog_row(name)["LvProp"]


def test_decoder_is_shared_by_tables_with_the_same_shape_unless_it_reads_memos_of_a_file(
    tmp_path: Path,
) -> None:
    """A decoder reads a memo from pages of its file; the number of columns ever made sets the size of a row's mask."""
    for name in ("one", "two"):
        with jet.create(tmp_path / name) as db:
            for table, kind in (("Plain", ColumnType.TEXT), ("Long", ColumnType.MEMO)):
                db.create_table(table, [Column("A", kind, 50)]).insert(
                    A=name * 900 if table == "Long" else name
                )
    with jet.open(tmp_path / "one") as one, jet.open(tmp_path / "two") as two:
        for _ in range(20):  # more often than a function needs to be compiled
            assert [row["A"] for db in (one, two) for row in db["Plain"].rows()] == ["one", "two"]
            assert [row["A"] for db in (one, two) for row in db["Long"].rows()] == ["one" * 900, "two" * 900]
        plain = one["Plain"].definition
        decoder = row_decoder(one.file, plain)
        assert row_decoder(two.file, two["Plain"].definition) is decoder
        assert row_decoder(one.file, replace(plain, max_columns=plain.max_columns + 8)) is not decoder
