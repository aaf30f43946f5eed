"""Each result is delivered exactly once, even if BMPFTP is killed at any step."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bmpftp import delivery
from overtrick.bmpftp.delivery import (
    BatchRecovery,
    BatchStage,
    BatchUnreadable,
    DeliveryBatch,
    deliver,
    recover_batch,
)
from overtrick.bmpftp.folder import Folder, FolderRefused
from overtrick.bmpftp.result_file import parse_results
from overtrick.bmpftp.transfer import Transfer
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Update, carry_out
from overtrick.bws.scoring_news import mark_read
from tests.bmpftp.conftest import example
from tests.bmpftp.folders import evening, read_and_delete

ROOT = Path(__file__).parents[2]
ROWS = example("BMRData.txt").decode().splitlines()[:5]

has_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no SIGKILL on this system")


class KillableWorker:
    """A process that runs operations of BMPFTP and kills them at a step."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bmpftp.killed"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def work(self, what: str, step: int, when: str, folder: Path) -> bool:
        """Run an operation; return whether it was killed."""
        assert self._process.stdin
        assert self._process.stdout
        print(what, step, when, folder, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        assert answer in ("killed\n", "done\n")
        return answer == "killed\n"

    def close(self) -> None:
        self._process.communicate(timeout=30)


@pytest.fixture(scope="module")
def worker() -> Iterator[KillableWorker]:
    """Start one process for all tests; each operation runs in a child of its own."""
    worker_process = KillableWorker()
    yield worker_process
    worker_process.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a session with a few of the document's results, none of them delivered."""
    return evening(tmp_path_factory.mktemp("template"), len(ROWS)).session


def copy_session(template: Path, tmp_path: Path, name: str) -> Folder:
    folder = tmp_path / name
    folder.mkdir()
    shutil.copy(template, folder / "BMInput.bws")
    return Folder(folder)


def read_remaining(folder: Folder) -> list[str]:
    """Read results as a scoring program does, until there are no more; return them."""
    got = read_and_delete(folder)
    transfer = Transfer(folder, quiet=0)
    while transfer.poll() is not None:
        got += read_and_delete(folder)
    return got


@has_fork
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("reads", ["at once", "later"])
def test_poll_killed_at_every_step_delivers_each_result_once(
    worker: KillableWorker, template: Path, tmp_path: Path, when: str, reads: str
) -> None:
    step, was_killed = 0, True
    while was_killed:
        step += 1
        folder = copy_session(template, tmp_path, f"{step}")
        was_killed = worker.work("poll", step, when, folder.path)
        got = read_and_delete(folder) if reads == "at once" else []
        # The recovery is killed too, at another step.
        worker.work("recover", step % 7 + 1, when, folder.path)
        got += read_remaining(folder)
        assert got == ROWS, f"step {step}"
        assert not folder.batch.exists()
        assert not folder.temporary.exists()
    assert step > 15  # writing each page of marks is a step


@has_fork
def test_read_all_killed_at_every_step_delivers_each_result_once(
    worker: KillableWorker, template: Path, tmp_path: Path
) -> None:
    step, was_killed = 0, True
    while was_killed:
        step += 1
        folder = copy_session(template, tmp_path, f"{step}")
        was_killed = worker.work("all", step, "before", folder.path)
        assert read_remaining(folder) == ROWS, f"step {step}"


@has_fork
@pytest.mark.parametrize("when", ["before", "after"])
def test_create_killed_at_every_step_keeps_the_previous_session(
    worker: KillableWorker, template: Path, tmp_path: Path, when: str
) -> None:
    step, was_killed = 0, True
    while was_killed:
        step += 1
        folder = copy_session(template, tmp_path, f"{step}")
        (folder.path / "BMInput.txt").write_bytes(example("BMInput.txt"))
        was_killed = worker.work("create", step, when, folder.path)
        Transfer(folder, quiet=0).create()
        sessions = [open_contents(path) for path in folder.path.glob("BMInput*.bws")]
        assert sum(len(contents.results) for contents in sessions) == len(ROWS), f"step {step}"
        assert open_contents(folder.session).results == ()
    assert step > 3


def test_half_written_result_file_is_removed(tmp_path: Path, template: Path) -> None:
    folder = copy_session(template, tmp_path, "half")
    mark = mark_read("ReceivedData", parse_results(example("BMRData.txt"))[0].row, "Processed")
    folder.batch.write_bytes(DeliveryBatch(BatchStage.CHOSEN, (mark,)).encode())
    folder.temporary.write_bytes(example("BMRData.txt")[:100])
    assert Transfer(folder).recover_batch() is BatchRecovery.NOT_DELIVERED
    assert list(tmp_path.rglob("BMRData*")) == []
    folder.temporary.write_bytes(b"stray")
    assert Transfer(folder).recover_batch() is BatchRecovery.NONE
    assert not folder.temporary.exists()


def test_batch_is_encoded_and_decoded(template: Path) -> None:
    rows = parse_results(example("BMRData.txt"))
    marks = tuple(mark_read("ReceivedData", each.row, "Processed") for each in rows)
    batch = DeliveryBatch(BatchStage.WRITTEN, marks)
    assert DeliveryBatch.decode(batch.encode()) == batch


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"stage": "gone", "marks": []}', b"\xff"])
def test_damaged_batch_stops_deliveries_with_a_message(
    tmp_path: Path, template: Path, content: bytes
) -> None:
    folder = copy_session(template, tmp_path, "x")
    folder.batch.write_bytes(content)
    with pytest.raises(
        BatchUnreadable, match=r"BMRData\.batch: This record of an unfinished delivery is damaged"
    ):
        Transfer(folder).poll()
    assert not folder.results.exists()


def test_row_changed_during_a_delivery_is_delivered_again(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_session(template, tmp_path, "x")

    def correct_then_finish(folder: Folder, marks: list[Update]) -> None:
        with jet.open(folder.session, "r+") as db:
            carry_out(db, [Update("ReceivedData", {"ID": 3}, {"Contract": "3 H xx", "Processed": False})])
        finish(folder, marks)

    finish = delivery._finish
    monkeypatch.setattr(delivery, "_finish", correct_then_finish)
    transfer = Transfer(folder)
    transfer.poll()
    assert read_and_delete(folder) == ROWS
    monkeypatch.undo()
    transfer.poll()
    [line] = read_and_delete(folder)
    assert '"3 H xx"' in line
    assert transfer.poll() is None


def test_delivery_does_not_replace_an_unread_file(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.results.write_bytes(b"unread")
    assert not deliver(folder, b"new", ())
    assert folder.results.read_bytes() == b"unread"
    assert deliver(folder, b"new", (), replaces=True)
    assert folder.results.read_bytes() == b"new"


def test_failed_rename_is_reported_and_the_delivery_is_repeated(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_session(template, tmp_path, "x")
    refused = 0
    real = os.replace

    def refusing(old: Path, new: Path) -> None:
        nonlocal refused
        if Path(new).name == "BMRData.txt" and refused < 2:
            refused += 1
            raise PermissionError(13, "Permission denied")
        real(old, new)

    monkeypatch.setattr(os, "replace", refusing)
    transfer = Transfer(folder)
    for _ in range(2):
        with pytest.raises(
            FolderRefused, match=r"BMRData\.txt: Reading or writing failed: Permission denied"
        ):
            transfer.poll()
    assert read_remaining(folder) == ROWS


def test_recovery_without_a_session_removes_the_batch(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.batch.write_bytes(
        DeliveryBatch(BatchStage.WRITTEN, (Update("ReceivedData", {"ID": 1}, {"Processed": True}),)).encode()
    )
    assert recover_batch(folder) is BatchRecovery.DELIVERED
    assert list(tmp_path.iterdir()) == []


def instructions(folder: Folder) -> list[int]:
    return [row.instruction for row in open_contents(folder.session).tables]


def clear_instructions(folder: Folder) -> None:
    """Clear all instructions, as the control program does when it has carried them out."""
    keys = [{"Section": row.section, "Table": row.table} for row in open_contents(folder.session).tables]
    with jet.open(folder.session, "r+") as db:
        carry_out(db, [Update("Tables", key, {"UpdateFromRound": 0}) for key in keys])


@has_fork
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("is_taken", [False, True])
def test_movement_update_killed_at_every_step_gives_each_instruction_once(
    worker: KillableWorker, template: Path, tmp_path: Path, when: str, is_taken: bool
) -> None:
    text = example("BMInput.txt").replace(b"1,3,3,3,1,0,0,5,6,7,8", b"1,3,3,3,1,0,0,5,6,7")
    for table in (b"1", b"2", b"3"):
        text = text.replace(b"1," + table + b",0,0,2,0,0,0", b"1," + table + b",0,0,2,3,0,0")
    step, was_killed, was_resumed, was_unknown = 0, True, 0, 0
    while was_killed:
        step += 1
        folder = copy_session(template, tmp_path, f"{step}")
        (folder.path / "BMInput.txt").write_bytes(text)
        was_killed = worker.work("movement", step, when, folder.path)
        before = [bool(flag) for flag in instructions(folder)]
        if is_taken:
            clear_instructions(folder)
        (folder.path / "BMInput.txt").write_bytes(example("BMInput.txt"))  # a later setup
        transfer = Transfer(folder, quiet=0)
        unknown: tuple[str, ...] = ()
        if transfer.is_movement_requested and folder.movement.stat().st_size:
            was_resumed += 1
            unknown = transfer.update_movement().unknown
            was_unknown += bool(unknown)
        elif transfer.is_movement_requested:
            (folder.path / "BMInput.txt").write_bytes(text)
            transfer.update_movement()
        elif not any(before):
            assert step <= 2, "requested, but neither done nor recorded"
            continue
        after = [bool(flag) for flag in instructions(folder)]
        if is_taken:
            assert not any(had and has for had, has in zip(before, after, strict=True)), f"step {step}"
        names = ("A1", "A2", "A3")
        for name, had, has in zip(names, before, after, strict=True):
            assert had or has or name in unknown, f"step {step}"
        assert not folder.movement.exists()
    assert was_resumed > 3
    assert was_unknown
