"""The tests of the terminal in the browser, tests/terminal/*.test.mjs, run by Node's own test runner.

They get the modules as a browser does: the static files and the vocabulary that Python writes.

To record the evenings of tests/terminal anew, after the terminal was changed: python -m tests.web.test_terminal_node
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from overtrick.web.device_files import STATIC
from overtrick.web.vocabulary import vocabulary_module

ROOT = Path(__file__).resolve().parents[2]
TESTS = sorted((ROOT / "tests" / "terminal").glob("*.test.mjs"))
LIMIT = 150.0


def put_modules(folder: Path) -> Path:
    """Copy the terminal's modules into a folder that Node can import them from."""
    shutil.copytree(STATIC / "terminal", folder)
    (folder / "vocabulary.js").write_text(vocabulary_module(), encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return folder


@pytest.mark.browser
# Node replays tens of thousands of keys: 15 seconds of a core, more on a busy machine.
@pytest.mark.timeout(LIMIT + 30)
@pytest.mark.parametrize("tests", TESTS, ids=lambda path: path.name)
def test_node_runs_the_terminals_tests(
    tests: Path, tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    node = require_program("node")
    modules = put_modules(tmp_path / "terminal")
    given = {**os.environ, "OVERTRICK_TERMINAL": str(modules), "OVERTRICK_PYTHON": sys.executable}
    try:
        done = subprocess.run(
            [node, "--test", "--test-reporter=spec", str(tests)],
            cwd=ROOT,
            env=given,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT,
        )
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"{tests.name} was not done in {LIMIT:.0f} seconds:\n{late.stdout!r}\n{late.stderr!r}")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_there_are_tests_for_node() -> None:
    assert {path.name for path in TESTS} >= {"parts.test.mjs", "recording.test.mjs"}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["OVERTRICK_TERMINAL"] = str(put_modules(Path(scratch) / "terminal"))
        subprocess.run(["node", str(ROOT / "tests" / "terminal" / "record.mjs")], check=True, timeout=600)
