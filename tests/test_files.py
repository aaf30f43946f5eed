import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from overtrick.files import ABANDONED, replacing, write_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_file_is_written_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    write_file(tmp_path / "one", b"first")
    write_file(tmp_path / "one", b"second")
    assert (tmp_path / "one").read_bytes() == b"second"
    assert names(tmp_path) == ["one"]


def test_block_that_raises_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    write_file(tmp_path / "one", b"first")

    def fail_half_way() -> None:
        with replacing(tmp_path / "one") as unfinished:
            unfinished.write_bytes(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail_half_way()
    assert (tmp_path / "one").read_bytes() == b"first"
    assert names(tmp_path) == ["one"]


def test_new_file_does_not_replace_one_that_appears_meanwhile(tmp_path: Path) -> None:
    def come_second() -> None:
        with replacing(tmp_path / "one", new=True) as unfinished:
            unfinished.write_bytes(b"mine")
            (tmp_path / "one").write_bytes(b"theirs")

    for _ in range(2):
        with pytest.raises(FileExistsError):
            come_second()
    assert (tmp_path / "one").read_bytes() == b"theirs"
    assert names(tmp_path) == ["one"]


def test_folder_and_device_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(OSError, match=r"Is a directory|not an ordinary file"):
            write_file(tmp_path / name, b"x")
    assert (tmp_path / "pipe").is_fifo()
    assert names(tmp_path) == ["folder", "pipe"]


def test_symbolic_link_keeps_leading_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_private_file_is_private_from_the_start(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_file(tmp_path / "secret", b"x", mode=0o600)
        write_file(tmp_path / "plain", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "plain").stat().st_mode & 0o777 == 0o644


KILLED = """
import os, signal, sys
from pathlib import Path
from overtrick.files import replacing
with replacing(Path(sys.argv[1])) as unfinished:
    unfinished.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_write_leaves_the_file_and_a_later_one_removes_the_leftover(tmp_path: Path) -> None:
    path = tmp_path / "one"
    write_file(path, b"first")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=50)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"first"
    (leftover,) = tmp_path.glob(".one.*.part")
    write_file(path, b"second")
    assert leftover.exists(), "it may belong to a process that is still writing"
    long_ago = time.time() - 2 * ABANDONED
    os.utime(leftover, (long_ago, long_ago))
    write_file(path, b"third")
    assert path.read_bytes() == b"third"
    assert names(tmp_path) == ["one"]
