"""Files to try things on."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bws.contents import Contents, open_contents
from overtrick.bws.edits import Edit, carry_out
from overtrick.bws.file_creation import create_file
from tests.bws.files import Rows


@pytest.fixture(autouse=True)
def _a_fast_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are not about surviving a power cut, and a busy disk takes its time to sync."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def make(tmp_path: Path) -> Callable[[Rows], Path]:
    """A function that writes rows into a real file."""

    def make_file(rows: Rows) -> Path:
        path = tmp_path / "monday.bws"
        create_file(path, rows)
        return path

    return make_file


def do(path: Path, *edits: Edit) -> Contents:
    """Carry edits out on a file, and what it holds then."""
    with jet.open(path, "r+") as db:
        carry_out(db, edits)
    return open_contents(path)
