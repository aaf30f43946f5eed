"""Every column of a session file has one owner, and the control software writes only what is its own."""

import pytest

from overtrick.bws import schema
from overtrick.bws.edits import Insert, Put, Update
from overtrick.bws.ownership import DELETED, OWNERSHIP, REST, Owner, ownership_page
from tests.bws.controls import check_owned, ownership


def test_every_table_and_column_has_exactly_one_rule() -> None:
    assert set(DELETED) == set(schema.TABLES) == {rule.table for rule in OWNERSHIP}
    for table, columns in schema.TABLES.items():
        named = [name for rule in OWNERSHIP if rule.table == table for name in rule.columns]
        assert len(named) == len(set(named))
        assert set(named) - {REST} <= {column.name for column in columns}
        for column in columns:
            assert ownership(table, column.name).table == table


def test_the_page_lists_every_table() -> None:
    page = "\n".join(ownership_page())
    assert all(f"## {table}\n" in page for table in schema.TABLES)
    assert page.count(Owner.FLAG.value) == 3


@pytest.mark.parametrize(
    "edit",
    [
        Update("RoundData", {"Section": 1}, {"NSPair": 3}),
        Update("ReceivedData", {"ID": 1}, {"Processed": True}),
        Put("PlayerNumbers", {"Section": 1}, {"EntrySource": 1}),
        Insert("Settings", {"Section": 1}),
    ],
)
def test_an_edit_of_the_peers_columns_is_noticed(edit: Update | Put | Insert) -> None:
    with pytest.raises(AssertionError):
        check_owned([edit])
