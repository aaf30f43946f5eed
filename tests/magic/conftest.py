"""Fixtures of the tests of federation files."""

import pytest


@pytest.fixture(autouse=True)
def _a_fast_disk(fast_disk: None) -> None:
    """Nothing here is about surviving a power cut."""
