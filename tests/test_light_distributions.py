"""The light distributions: their wheels, each installed in an environment of its own."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
_MOST_BYTES = 10_000_000


def _run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def _pip(*arguments: str | Path, python: Path, folder: Path) -> None:
    """Run pip; skip the test where packages cannot be fetched."""
    done = _run(sys.executable, "-m", "pip", "--python", python, *arguments, "--quiet", cwd=folder)
    if done.returncode:
        sentence = f"pip cannot fetch what the wheel needs: {done.stderr.strip()[-300:]}"
        if os.environ.get("OVERTRICK_REQUIRE_ALL") == "1" or "No matching distribution" not in done.stderr:
            pytest.fail(sentence)
        pytest.skip(sentence)


def _modules(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}


@pytest.mark.parametrize(
    ("kind", "modules", "others", "dependencies", "made"),
    [
        (
            "jet",
            _modules(PROJECT / "src/overtrick/jet") | {"base_errors.py"},
            set(),
            {"msaccessdb"},
            "club-compact.mdb",
        ),
        (
            "core",
            {
                f"{package}/{path}"
                for package in ("bridge", "doubledummy", "movements")
                for path in _modules(PROJECT / "src/overtrick" / package)
            },
            # What these import; of scoring, not the pages, which need Jinja.
            {f"{name}.py" for name in ("__init__", "digits", "errors", "files", "lin", "pbn", "words")}
            | {
                f"scoring/{path}"
                for path in _modules(PROJECT / "src/overtrick/scoring") - {"pages.py", "field.py"}
            },
            set(),
            "deals.pbn",
        ),
    ],
)
# Builds a wheel and an environment, with downloads: about 20 seconds on a quiet computer.
@pytest.mark.timeout(240)
def test_wheel_runs_its_readme_in_an_environment_of_its_own(
    kind: str, modules: set[str], others: set[str], dependencies: set[str], made: str, tmp_path: Path
) -> None:
    # Without pip of its own, which would take seconds to install: ours installs into it.
    done = _run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "environment", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    programs = tmp_path / "environment" / ("Scripts" if os.name == "nt" else "bin")
    python = programs / ("python.exe" if os.name == "nt" else "python")
    source = PROJECT / "packaging" / kind
    _pip("wheel", "--no-deps", "--wheel-dir", tmp_path / "wheels", source, python=python, folder=tmp_path)
    (wheel,) = (tmp_path / "wheels").iterdir()
    package = f"overtrick_{kind}"
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
        taken = {name.removeprefix(f"{package}/") for name in names if name.endswith(".py")}
        assert modules <= taken
        assert taken - modules <= others
        assert all(name.startswith(package) for name in names)
        texts = [content.read(name).decode() for name in names if name.endswith(".py")]
        assert not [text for text in texts if re.search(r"^\s*(from|import) overtrick\b", text, re.MULTILINE)]
    _pip("install", wheel, python=python, folder=tmp_path)
    (site,) = (tmp_path / "environment").rglob("site-packages")
    installed = list(site.iterdir())
    size = sum(
        path.stat().st_size for folder in installed for path in [folder, *folder.rglob("*")] if path.is_file()
    )
    assert size < _MOST_BYTES
    packages = {path.name.split("-")[0] for path in installed if path.suffix == ".dist-info"}
    assert packages == {package, *dependencies}
    readme = (source / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    (tmp_path / "example.py").write_text(example, encoding="utf-8")
    done = _run(python, "example.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / made).exists()
