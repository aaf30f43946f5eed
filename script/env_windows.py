"""Installs overtrick with the extras of the first argument into the environment that runs this; called by env.cmd.

It does nothing if that was done for this pyproject.toml and constraints.txt, and writes the same note as script/env.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[1]


def main(extras: str) -> int:
    """Install what is missing; return the exit status of pip."""
    note = Path(sys.prefix) / "installed"
    names = ("pyproject.toml", "constraints.txt")
    digest = hashlib.sha256(b"".join((PROJECT / name).read_bytes() for name in names)).hexdigest()
    was, _, before = (
        note.read_text(encoding="utf-8").strip().partition(" ") if note.exists() else ("", "", "")
    )
    installed = [each for each in before.split(",") if each]
    if was == digest and (not extras or extras in installed):
        return 0
    print("Setting up a private environment in .venv (once)...", file=sys.stderr)
    if extras and extras not in installed:
        installed.append(extras)
    target = f"{PROJECT}[{','.join(installed)}]" if installed else str(PROJECT)
    command = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    done = subprocess.run([*command, "-c", str(PROJECT / "constraints.txt"), "-e", target], check=False)
    if done.returncode == 0:
        note.write_text(f"{digest} {','.join(installed)}\n", encoding="utf-8")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
