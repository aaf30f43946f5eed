"""Checks the Python of the pages with strict mypy: `python docs/samples.py`. The blocks of a page are one program.

`tests/test_docs.py` runs them.
"""

import doctest
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^( *)```(python|pycon)[^\n]*\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
_LIGHT = (
    ("import overtrick_jet as jet", "from overtrick import jet"),
    ("overtrick_jet", "overtrick.jet"),
    ("overtrick_core", "overtrick"),
)
"""Import names of the light distributions, which have the same code, and Overtrick's own."""


def program(page: str) -> str:
    """Return the Python of a page, each line with its number in the page; empty if it has none."""
    lines = [""] * (page.count("\n") + 1)
    for found in _BLOCK.finditer(page):
        first = page[: found.start(3)].count("\n")
        text = "".join(line.removeprefix(found[1]) for line in found[3].splitlines(keepends=True))
        if found[2] == "pycon":
            for example in doctest.DocTestParser().get_examples(text):
                source = example.source.splitlines()
                lines[first + example.lineno : first + example.lineno + len(source)] = source
        else:
            source = text.splitlines()
            lines[first : first + len(source)] = source
    text = "\n".join(lines)
    for light, own in _LIGHT:
        text = text.replace(light, own)
    return text


def main() -> int:
    """Write the program of each page into a folder and run mypy over it once; return its exit status."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "packaging").rglob("*.md")]
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            if (text := program(page.read_text(encoding="utf-8"))).strip():
                name = re.sub(r"\W", "_", page.relative_to(ROOT).with_suffix("").as_posix())
                (Path(folder) / f"sample_{name}.py").write_text(text + "\n", encoding="utf-8")
        mypy = [sys.executable, "-m", "mypy", "--hide-error-context", folder]
        return subprocess.run(mypy, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
