"""Journals to test with: the same tests run on SQLite and on a real PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.store.tiny import CODEC

from overtrick.store import Journal, open_journal


@pytest.fixture
def open_again(tmp_path: Path) -> Callable[[], Journal]:
    """Opens the journal of this test, each time anew."""
    where = str(tmp_path / "club.overtrick")
    return lambda: open_journal(where, CODEC)


@pytest.fixture
def journal(open_again: Callable[[], Journal]) -> Iterator[Journal]:
    with open_again() as journal:
        yield journal
