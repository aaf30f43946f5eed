"""Folders that a scoring program and BMPFTP share."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from overtrick.bmpftp.folder import Folder
from overtrick.bmpftp.result_file import parse_results
from overtrick.bmpftp.session_file import create_session_file
from overtrick.bmpftp.setup_file import parse_setup
from tests.bmpftp.conftest import example


def evening(path: Path, results: int = 36) -> Folder:
    """Write the document's session to a folder, with this many of its results in the `.bws` file."""
    folder = Folder(path)
    (path / "BMInput.txt").write_bytes(example("BMInput.txt"))
    folder.session.write_bytes(_session(results))
    return folder


@cache
def _session(results: int) -> bytes:
    rows = [each.row for each in parse_results(example("BMRData.txt"))]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "BMInput.bws"
        create_session_file(path, parse_setup(example("BMInput.txt")), results=rows[:results])
        return path.read_bytes()


def read_and_delete(folder: Folder) -> list[str]:
    """Read the results and delete the file, as a scoring program does."""
    if not folder.results.exists():
        return []
    lines = folder.results.read_text().splitlines()
    folder.results.unlink()
    return lines
