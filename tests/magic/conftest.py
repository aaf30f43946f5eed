"""Fixtures of the tests of federation files."""

import pytest


@pytest.fixture(autouse=True)
def _a_fast_disk(fast_disk: None) -> None:
    """Skip waiting for the disk: no test here is about power failure."""
