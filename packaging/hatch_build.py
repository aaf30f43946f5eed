"""Build hook of the light distributions: it takes modules of Overtrick, with all modules that they import.

The code is not copied in the repository. The import names differ from Overtrick's own, so that all distributions can be
installed side by side. In pyproject.toml, `roots` are the modules to take (a package with `.*` stands for all of its
modules), and `names` the new names of packages and modules.
"""

import ast
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROJECT = Path(__file__).parents[1]
SOURCE = PROJECT / "src"


def _file(module: str) -> Path:
    path = SOURCE.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imported(module: str) -> Iterator[str]:
    """Yield the modules of Overtrick that a module imports anywhere, also inside of functions."""
    for node in ast.walk(ast.parse(_file(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _with_imports(roots: list[str], names: dict[str, str]) -> list[str]:
    """Return the modules to take: the roots and all that they import, with their packages."""
    wanted: list[str] = []
    for root in roots:
        package = root.removesuffix(".*")
        wanted.append(package)
        if package != root:
            wanted += [f"{package}.{path.stem}" for path in _file(package).parent.glob("*.py")]
    taken: set[str] = set()
    while wanted:
        module = wanted.pop()
        is_ours = (
            module.startswith("overtrick.") and not module.endswith(".__init__") and _file(module).exists()
        )
        if module in taken or not is_ours:
            continue
        taken.add(module)
        wanted += [*_imported(module), module.rpartition(".")[0]]
    return sorted(taken | {name for name in names if _file(name).exists()})


def _renamed(module: str, names: dict[str, str]) -> str:
    """Return the new name of a module, by the longest name that fits."""
    old = max((name for name in names if f"{module}.".startswith(f"{name}.")), key=len)
    return names[old] + module.removeprefix(old)


def _rewritten(text: str, names: dict[str, str]) -> str:
    for old, new in sorted(names.items(), key=lambda pair: -len(pair[0])):
        package, _, leaf = old.rpartition(".")
        if package:
            text = re.sub(rf"\bfrom {package} import {leaf}\b", f"import {new} as {leaf}", text)
        after = r"\b" if package else r"(?=\.[a-z]|\s+import\b)"
        text = re.sub(rf"\b{re.escape(old)}{after}", new, text)
    return text


class LightBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """The hook that hatchling calls before it builds a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the package to a temporary folder and add its files to the wheel."""
        if version == "editable":
            raise RuntimeError("There is no editable form; install overtrick itself with pip install -e.")
        names: dict[str, str] = self.config["names"]
        self._folder = tempfile.TemporaryDirectory()
        files: dict[str, str] = {}
        for module in _with_imports(self.config["roots"], names):
            source = _file(module)
            path = _renamed(module, names).replace(".", "/")
            files[path + ("/__init__.py" if source.name == "__init__.py" else ".py")] = _rewritten(
                source.read_text(encoding="utf-8"), names
            )
        package = min(files, key=len).partition("/")[0]
        files[f"{package}/py.typed"] = ""
        files[f"{package}/LICENSE"] = (PROJECT / "LICENSE").read_text(encoding="utf-8")
        for path, text in files.items():
            written = Path(self._folder.name, path)
            written.parent.mkdir(parents=True, exist_ok=True)
            written.write_text(text, encoding="utf-8")
            build_data["force_include"][str(written)] = path

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete the temporary folder."""
        self._folder.cleanup()
