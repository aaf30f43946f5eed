"""Fixtures of the Data Connector's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.connector.evening import Evening


@pytest.fixture(autouse=True)
def _a_fast_disk(fast_disk: None) -> None:
    """Nothing here is about surviving a power cut."""


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    """A Data Connector that knows of nothing yet."""
    made = Evening(tmp_path)
    yield made
    made.journal.close()


@pytest.fixture
def open_evening(evening: Evening) -> Evening:
    """The same with an event."""
    evening.begin()
    return evening
