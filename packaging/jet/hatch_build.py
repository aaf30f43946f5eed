"""Build hook: makes the package `overtrick_jet` from `overtrick.jet` and the module of errors that it needs.

The code is not copied in the repository. The import name differs from Overtrick's own, so that both
distributions can be installed side by side.
"""

import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "overtrick_jet"
_RENAMED = {
    "from overtrick import jet": f"import {PACKAGE} as jet",
    "overtrick.jet": PACKAGE,
    "overtrick.errors": f"{PACKAGE}.base_errors",
}


class JetBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """The hook that hatchling calls before it builds a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the package to a temporary folder and add its files to the wheel."""
        if version == "editable":
            raise RuntimeError(
                "overtrick-jet has no editable form; install overtrick itself with pip install -e."
            )
        source = Path(self.root).parents[1] / "src" / "overtrick"
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        modules = {path.name: path for path in sorted((source / "jet").glob("*.py"))}
        modules["base_errors.py"] = source / "errors.py"
        for name, path in modules.items():
            text = path.read_text(encoding="utf-8")
            for old, new in _RENAMED.items():
                text = text.replace(old, new)
            self._add(build_data, folder / name, text)
        self._add(build_data, folder / "py.typed", "")
        self._add(build_data, folder / "LICENSE", (source.parents[1] / "LICENSE").read_text(encoding="utf-8"))

    def _add(self, build_data: dict[str, Any], path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        build_data["force_include"][str(path)] = f"{PACKAGE}/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete the temporary folder."""
        self._folder.cleanup()
