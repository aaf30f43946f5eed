"""Fixtures: files that Access itself made, where they are at hand, and the npm package mdb-reader."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Replace fsync by a list of its calls, so that no test waits for the disk."""
    waits: list[int] = []
    monkeypatch.setattr(os, "fsync", waits.append)
    return waits


def access_files() -> list[Path]:
    folder = os.environ.get("OVERTRICK_ACCESS_FILES")
    return sorted(Path(folder).glob("*.mdb")) if folder else []


@pytest.fixture
def each_access_file() -> list[Path]:
    """Return every Access 97 to 2003 file in the folder that OVERTRICK_ACCESS_FILES names."""
    files = [path for path in access_files() if path.stat().st_size]
    if not files:
        pytest.skip("OVERTRICK_ACCESS_FILES names no folder with Access files")
    return files


def _install_mdb_reader(npm: str) -> str | None:
    """Install the npm package beside the script that uses it; return why that failed, or None."""
    home = Path(__file__).parent
    with tempfile.TemporaryDirectory(dir=home, prefix="node_modules.") as folder:
        shutil.copy(home / "package.json", folder)
        command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=50, check=False)
        if done.returncode:
            return done.stderr.strip() or "npm install failed"
        try:
            (Path(folder) / "node_modules").rename(home / "node_modules")
        except OSError:  # another worker of the tests was first
            return None
    return None


@pytest.fixture
def mdb_reader(require_program: Callable[[str], str]) -> str:
    """Return the path of node, with the package mdb-reader installed for `mdb_reader.mjs`."""
    node = require_program("node")
    if not (Path(__file__).parent / "node_modules" / "mdb-reader").exists():
        failed = _install_mdb_reader(require_program("npm"))
        if failed:
            sentence = f"mdb-reader is not installed: run npm install in tests/jet ({failed})"
            if os.environ.get("OVERTRICK_REQUIRE_ALL") == "1":
                pytest.fail(sentence)
            pytest.skip(sentence)
    return node
