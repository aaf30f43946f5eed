"""Commands that are given a folder, or a file, that cannot be had: a sentence, and nothing changed."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.bridge import Deal
from overtrick.cli import app
from overtrick.errors import OvertrickError

DEAL = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
COMMANDS = [
    "desk --port 0 --data {}",
    "desk --port 0 --listen 0.0.0.0 --data {}",
    "desk password --data {}",
    "desk token program --data {}",
    "desk licence club key --data {}",
    "serve --no-pipe --http-port 0 --data {}",
    "serve --no-pipe --http-port 0 --web-port 0 --web-listen 0.0.0.0 --data {}",
    "demo --tables 2 --boards 6 --speed 1e9 --data {}",
    "control --journal {} --looks 1",
    "control --file {} --looks 1",
    "bmpftp {}",
    "bmpftp convert {} {}/text",
    "journal list {}",
    "journal check {}",
    "teams list --journal {}",
    "teams open League --journal {}",
    "score {}",
    "tm match legal natural --deals game.pbn --out {}",
    "tm serve --deals game.pbn --port 0 --out {}/record.pbn",
]


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a path at which no folder can be made."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.pbn").write_text(
        f'[Board "1"]\n[Deal "{Deal.parse(DEAL)}"]\n[Declarer "N"]\n[Contract "7S"]\n[Result "13"]\n\n'
    )
    file = tmp_path / "file"
    file.write_bytes(b"no folder, and no journal")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "at" / "all")
    if request.param == "read-only" and not Path("/proc/self").exists():
        pytest.skip("only Linux has a file system that is read-only for everybody")
    return {
        "a file": file,
        "below a file": file / "below",
        "a dangling link": tmp_path / "link",
        "read-only": Path("/proc/overtrick/data"),
    }[request.param]


@pytest.mark.parametrize("place", ["a file", "below a file", "a dangling link", "read-only"], indirect=True)
@pytest.mark.parametrize("command", COMMANDS)
def test_folder_that_cannot_be_made_is_an_error_with_a_sentence(
    command: str, place: Path, tmp_path: Path
) -> None:
    before = _files(tmp_path)
    result = CliRunner().invoke(app, command.format(*[place] * 2).split(), input="")
    assert isinstance(result.exception, OvertrickError), result.output
    assert result.exception.exit_status in (1, 2)
    assert place.name in str(result.exception)
    assert _files(tmp_path) == before


def _files(folder: Path) -> dict[Path, tuple[int, int]]:
    return {path: (path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.rglob("*")}
