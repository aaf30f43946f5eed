"""Files that Access itself made, where someone has put some beside the project."""

import os
import sys
from pathlib import Path

import pytest

# With importlib's way of importing tests, what they share has to be on the path.
sys.path.insert(0, str(Path(__file__).parent))


def access_files() -> list[Path]:
    folder = os.environ.get("OVERTRICK_ACCESS_FILES")
    return sorted(Path(folder).glob("*.mdb")) if folder else []


@pytest.fixture
def each_access_file() -> list[Path]:
    """Every Access 97 to 2003 file in the folder that OVERTRICK_ACCESS_FILES names."""
    files = [path for path in access_files() if path.stat().st_size]
    if not files:
        pytest.skip("OVERTRICK_ACCESS_FILES names no folder with Access files")
    return files
