"""A program that only looks whether another one runs keeps nobody from starting."""

import fcntl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from overtrick.host.instance_lock import AlreadyRunning, InstanceLock, control_lock


@contextmanager
def looked_at(path: Path, started: threading.Event) -> Iterator[None]:
    """Lock a file, as a program does that looks, until `started` says that another has begun to wait for it."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)

        def let_go() -> None:
            started.wait(20)
            fcntl.flock(file, fcntl.LOCK_UN)

        thread = threading.Thread(target=let_go)
        thread.start()
        yield
        thread.join(20)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when a program waits for the lock."""
    began = threading.Event()

    def wait(seconds: float) -> None:
        began.set()

    monkeypatch.setattr("overtrick.host.instance_lock.time.sleep", wait)
    return began


def test_session_file_is_taken_while_another_program_looks(tmp_path: Path, waiting: threading.Event) -> None:
    file = tmp_path / "evening.bws"
    with looked_at(tmp_path / "evening.OFFICE.control", waiting):
        lock = InstanceLock(file, "OFFICE", "journal")
    with pytest.raises(AlreadyRunning):
        InstanceLock(file, "OFFICE", "another")
    lock.close()


def test_journal_is_controlled_though_another_program_looks(tmp_path: Path, waiting: threading.Event) -> None:
    journal = tmp_path / "overtrick.journal"
    with looked_at(tmp_path / "overtrick.journal.control", waiting), control_lock(journal) as is_control:
        assert is_control()
    with control_lock(journal) as first, control_lock(journal) as second:
        assert first()
        assert not second()
