"""Rules for scripts, style sheets and templates that neither Biome nor djLint checks."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 120


def test_no_line_of_a_script_style_sheet_or_template_is_longer_than_120_characters() -> None:
    files = [
        path
        for folder in (ROOT / "src", ROOT / "tests" / "terminal", ROOT / "docs")
        for path in folder.rglob("*")
        if path.suffix in (".js", ".mjs", ".css", ".html")
    ]
    assert len(files) > 100
    too_long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST
    ]
    assert too_long == []


def test_npm_installs_exact_versions() -> None:
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in package["devDependencies"].values())
