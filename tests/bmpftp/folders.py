"""Folders that a scoring program and BMPFTP share."""

from pathlib import Path

from overtrick.bmpftp.folder import Folder
from overtrick.bmpftp.result_file import parse_results
from overtrick.bmpftp.session_file import create_session_file
from overtrick.bmpftp.setup_file import parse_setup
from tests.bmpftp.conftest import example


def evening(path: Path, results: int = 36) -> Folder:
    """The document's session, with this many of its results in the `.bws`."""
    folder = Folder(path)
    (path / "BMInput.txt").write_bytes(example("BMInput.txt"))
    rows = [each.row for each in parse_results(example("BMRData.txt"))]
    create_session_file(folder.session, parse_setup(example("BMInput.txt")), results=rows[:results])
    return folder


def taken(folder: Folder) -> list[str]:
    """What a scoring program that follows the document does: read the results and delete the file."""
    if not folder.results.exists():
        return []
    lines = folder.results.read_text().splitlines()
    folder.results.unlink()
    return lines
