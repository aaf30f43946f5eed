"""Own movements are checked, kept in a document, and shared by the processes of a club."""

from contextlib import suppress
from pathlib import Path

import pytest

from overtrick.errors import BadInput
from overtrick.movements import Movement, Promises, Station, howell, mitchell
from overtrick.registry.own_movements import OwnMovementsDamaged, OwnMovementStore
from overtrick.store import open_journal
from overtrick.store.codec import event_codec
from overtrick.store.documents import FolderDocuments


def test_movement_kept_by_one_process_is_read_by_another(tmp_path: Path) -> None:
    store, other = (OwnMovementStore(FolderDocuments(tmp_path)) for _ in range(2))
    assert store.movements() == {}
    store.save(mitchell(5, 2))
    assert other.movements() == {"Mitchell of 5 tables": mitchell(5, 2)}
    other.remove("Mitchell of 5 tables")
    other.remove("Mitchell of 5 tables")
    assert store.movements() == {}


def test_movement_with_a_problem_or_without_pairs_is_refused(tmp_path: Path) -> None:
    store = OwnMovementStore(FolderDocuments(tmp_path))
    twice = Movement("twice", 1, 1, 2, 1, (Station(1, 1, 1, 2, (1,)), Station(1, 2, 2, 1, (1,))), Promises())
    with pytest.raises(BadInput, match=r"Pair 1 plays board 1 twice\..* Nothing was saved\."):
        store.save(twice)
    with pytest.raises(BadInput, match="Nobody plays"):
        store.save(Movement("empty", 1, 1, 1, 1, (Station(1, 1, 0, 0, ()),), Promises()))
    assert store.movements() == {}


def test_damaged_document_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "movements.json").write_text("{")
    store = OwnMovementStore(FolderDocuments(tmp_path))
    with pytest.raises(OwnMovementsDamaged, match="cannot be read"):
        store.save(mitchell(5, 2))
    assert (tmp_path / "movements.json").read_text() == "{"


def test_number_of_movements_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overtrick.registry.own_movements.MOST_MOVEMENTS", 1)
    store = OwnMovementStore(FolderDocuments(tmp_path))
    store.save(mitchell(5, 2))
    store.save(mitchell(5, 2))
    with pytest.raises(BadInput, match="remove one"):
        store.save(mitchell(7, 2))


def test_postgresql_keeps_movements_for_every_node(database: str) -> None:
    with open_journal(database, event_codec()) as journal, open_journal(database, event_codec()) as node:
        store, other = OwnMovementStore(journal.documents), OwnMovementStore(node.documents)
        assert other.movements() == {}
        store.save(howell(4, 3))
        # A node that has not seen the change yet is refused, so that nothing is lost, and sees it then.
        with suppress(BadInput):
            other.save(mitchell(5, 2))
        other.save(mitchell(5, 2))
        assert set(other.movements()) == {"Howell of 4 tables", "Mitchell of 5 tables"}


def test_of_several_movements_all_are_kept_or_none(tmp_path: Path) -> None:
    store = OwnMovementStore(FolderDocuments(tmp_path))
    twice = Movement("twice", 1, 1, 2, 1, (Station(1, 1, 1, 2, (1,)), Station(1, 2, 2, 1, (1,))), Promises())
    with pytest.raises(BadInput, match=r"Nothing was saved\."):
        store.save(mitchell(5, 2), twice)
    assert store.movements() == {}
    store.save(mitchell(5, 2), howell(4, 3))
    assert len(store.movements()) == 2


def test_document_with_an_impossible_movement_is_named(tmp_path: Path) -> None:
    (tmp_path / "movements.json").write_text('{"format": 1, "movements": ["round"]}')
    with pytest.raises(OwnMovementsDamaged, match="cannot be read"):
        OwnMovementStore(FolderDocuments(tmp_path)).movements()
