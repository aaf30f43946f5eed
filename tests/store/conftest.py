"""Journals to test with: the same tests run on SQLite and on a real PostgreSQL."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from overtrick.store import Journal, JournalEntry, open_journal, subscription
from tests.store.tiny import CODEC


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The path or address of the journal of this test."""
    if request.param == "sqlite":
        return str(tmp_path / "club.overtrick")
    address: str = request.getfixturevalue("database")
    return address


@pytest.fixture
def open_again(where: str) -> Iterator[Callable[[], Journal]]:
    """Opens the journal of this test, each time anew, as another process would."""
    with ExitStack() as opened:
        yield lambda: opened.enter_context(open_journal(where, CODEC))


@pytest.fixture
def journal(open_again: Callable[[], Journal]) -> Journal:
    return open_again()


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of facts that each read of a follower has found."""
    found: list[int] = []
    piece = subscription._read_chunk

    def look(journal: Journal, stream: str, after: int) -> list[JournalEntry]:
        entries = piece(journal, stream, after)
        found.append(len(entries))
        return entries

    monkeypatch.setattr(subscription, "_read_chunk", look)
    return found
