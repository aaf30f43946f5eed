"""The document's examples, and folders to try things in."""

import os
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parent / "document"


@pytest.fixture(autouse=True)
def _a_fast_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are not about surviving a power cut, and a busy disk takes its time to sync."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def example(name: str) -> bytes:
    """One of the document's example files, its page breaks joined."""
    return (DOCUMENT / name).read_bytes()
