"""The document's example files, and fixtures."""

import os
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parent / "document"


@pytest.fixture(autouse=True)
def _a_fast_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip waiting for the disk: no test here is about power failure."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def example(name: str) -> bytes:
    """Return one of the document's example files, without its page breaks."""
    return (DOCUMENT / name).read_bytes()
