"""The journals of the store's tests, for what runs on them: SQLite and a real PostgreSQL."""

import pytest

from tests.store.conftest import journal, open_again, where

__all__ = ["journal", "open_again", "where"]


@pytest.fixture(autouse=True)
def _a_fast_disk(fast_disk: None) -> None:
    """Nothing here is about surviving a power cut."""
