from pathlib import Path

import pytest

from overtrick.errors import BadInput
from overtrick.registry.player_privacy import PlayerPrivacy, PlayerPrivacyDamaged, PlayerPrivacyStore
from overtrick.store.documents import FolderDocuments


def test_choices_are_private_and_empty_at_first_and_the_same_for_another_process(tmp_path: Path) -> None:
    store, other = (PlayerPrivacyStore(FolderDocuments(tmp_path)) for _ in range(2))
    assert store.privacy() == PlayerPrivacy(are_pages_public=False, hidden=frozenset())
    store.set_hidden("#123", True)
    store.set_hidden("~zoë ek", True)
    other.set_pages_public(True)
    assert store.privacy() == other.privacy() == PlayerPrivacy(True, frozenset({"#123", "~zoë ek"}))
    store.set_hidden("#123", False)
    assert other.privacy().hidden == {"~zoë ek"}


@pytest.mark.parametrize("key", ["", "Ann", "#" + "1" * 200])
def test_key_of_nobody_is_refused(tmp_path: Path, key: str) -> None:
    store = PlayerPrivacyStore(FolderDocuments(tmp_path))
    with pytest.raises(BadInput, match="Nothing was changed"):
        store.set_hidden(key, True)
    assert store.privacy() == PlayerPrivacy()


@pytest.mark.parametrize("content", [b"", b"[]", b'{"format": 2}', b'{"format": 1}'])
def test_damaged_document_is_reported_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "players.json").write_bytes(content)
    store = PlayerPrivacyStore(FolderDocuments(tmp_path))
    with pytest.raises(PlayerPrivacyDamaged, match="not changed"):
        store.set_pages_public(True)
    assert (tmp_path / "players.json").read_bytes() == content
