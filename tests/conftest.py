"""What every test may use: programs of others, and the real club evening, where they are there."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import Phase, settings

settings.register_profile("overtrick", deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "noshrink", parent=settings.get_profile("overtrick"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("OVERTRICK_HYPOTHESIS", "overtrick"))

DEBIAN_PACKAGE = {
    "mdb-export": "mdbtools",
    "chromium": "chromium",
    "pg_ctl": "postgresql",
    "node": "nodejs",
    "npm": "npm",
    "php": "php-cli php-curl",
}


LONGEST = ("test_terminal_browser.py", "test_browser.py", "test_browser_desk.py", "test_teams_browser.py")
"""Modules of long tests: begun last, one of them would keep a single process busy when all else is done."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests come first; everything else keeps its order."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


def find_program(program: str) -> str:
    """The path of a program of others; skips the test when it is not there, fails when it must be."""
    path = shutil.which(program)
    if path is None and program == "pg_ctl":
        path = next((str(found) for found in sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))), None)
    if path is None:
        sentence = f"{program} is not installed: apt install {DEBIAN_PACKAGE.get(program, program)}"
        if os.environ.get("OVERTRICK_REQUIRE_ALL") == "1":
            pytest.fail(sentence)
        pytest.skip(sentence)
    return path


@pytest.fixture
def require_program() -> Callable[[str], str]:
    """A function that gives the path of a program of others, or skips the test."""
    return find_program


@pytest.fixture
def fast_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that are not about surviving a power cut: a busy disk takes its time to sync."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr("overtrick.store.sqlite.DURABLE", ("synchronous = OFF",))


@pytest.fixture
def club_evening() -> Path:
    """A real club evening (Access 97), which is not part of the project."""
    folder = os.environ.get("OVERTRICK_SHARED", str(Path(__file__).parents[2] / "shared"))
    path = Path(folder) / "data" / "club-evening-access97.bws"
    if not path.exists():
        pytest.skip("the real club evening is not here")
    return path
