"""The operations of BMPFTP in its folder."""

import os
import time
from datetime import datetime
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.bmpftp.folder import Folder, FolderRefused
from overtrick.bmpftp.setup_file import Unfinished
from overtrick.bmpftp.text_fields import BadText, LineEnds
from overtrick.bmpftp.transfer import DeliveredResults, TextFormat, Transfer
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import Update, carry_out
from overtrick.errors import BadInput
from overtrick.jet import AccessFileError, InUseByAccess
from tests.bmpftp.conftest import example
from tests.bmpftp.folders import evening, read_and_delete

EXAMPLE = example("BMInput.txt")
ROWS = example("BMRData.txt").decode().splitlines()


def change(folder: Folder, *edits: Update) -> None:
    with jet.open(folder.session, "r+") as db:
        carry_out(db, edits)


def set_up(path: Path, content: bytes = EXAMPLE, name: str = "BMInput.txt") -> Transfer:
    (path / name).write_bytes(content)
    return Transfer(Folder(path), quiet=0)


# Setting up


def test_session_is_created_from_the_setup(tmp_path: Path) -> None:
    created = set_up(tmp_path).create()
    assert (created.tables, created.rounds, created.backup) == (3, 9, None)
    contents = open_contents(tmp_path / "BMInput.bws")
    assert contents.sessions[0].name == "BMInput"
    assert len(contents.player_numbers) == 12


@pytest.mark.parametrize("name", ["BMINPUT.TXT", "bminput.txt"])
def test_setup_file_is_found_in_any_case(tmp_path: Path, name: str) -> None:
    assert set_up(tmp_path, name=name).create().tables == 3


def test_previous_session_is_kept_and_its_undelivered_results_are_counted(tmp_path: Path) -> None:
    folder = evening(tmp_path, 4)
    change(folder, Update("ReceivedData", {"ID": 1}, {"Processed": True}))
    os.utime(folder.session, (0, datetime(2026, 3, 2, 23, 15).timestamp()))
    created = Transfer(folder, quiet=0).create()
    assert created.backup == tmp_path / "BMInput-20260302-231500.bws"
    assert created.undelivered == 3
    assert len(open_contents(created.backup).results) == 4
    assert open_contents(folder.session).results == ()
    os.utime(folder.session, (0, datetime(2026, 3, 2, 23, 15).timestamp()))
    assert Transfer(folder, quiet=0).create().backup == tmp_path / "BMInput-20260302-231500-2.bws"


def test_invalid_setup_creates_and_changes_nothing(tmp_path: Path) -> None:
    folder = evening(tmp_path, 2)
    before = folder.session.read_bytes()
    transfer = set_up(tmp_path, EXAMPLE.replace(b"1,1,1,1,1,1,4", b"1,8,1,1,1,1,4"))
    for work in (transfer.create, transfer.update_movement):
        with pytest.raises(BadText, match=r"^BMInput.txt, line 10, field 2 \(Table\)"):
            work()
    assert folder.session.read_bytes() == before
    lock = "BMPFTP.lock"  # the empty lock file stays
    assert {path.name for path in tmp_path.iterdir()} - {lock} == {"BMInput.txt", "BMInput.bws"}


class ManualClock:
    """A clock for a transfer that stands still until a test moves it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = time.time()
        monkeypatch.setattr("overtrick.bmpftp.transfer.time", self)

    def time(self) -> float:
        return self.now

    monotonic = time


def test_missing_or_just_written_setup_is_unfinished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock(monkeypatch)
    transfer = Transfer(Folder(tmp_path), quiet=20)
    with pytest.raises(Unfinished, match="has not written this file yet"):
        transfer.create()
    set_up(tmp_path)
    with pytest.raises(Unfinished, match="written a moment ago"):
        transfer.create()
    clock.now += 10
    set_up(tmp_path, EXAMPLE + b"\r\n")
    os.utime(tmp_path / "BMInput.txt", (clock.now, clock.now))
    clock.now += 15
    with pytest.raises(Unfinished, match="written a moment ago"):
        transfer.create()
    clock.now += 25
    assert transfer.create().tables == 3


def test_setup_with_a_time_in_the_future_is_read_after_the_quiet_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ManualClock(monkeypatch)
    set_up(tmp_path)
    ahead = clock.now + 3600
    os.utime(tmp_path / "BMInput.txt", (ahead, ahead))
    transfer = Transfer(Folder(tmp_path), quiet=10)
    with pytest.raises(Unfinished):
        transfer.create()
    clock.now += 15
    assert transfer.create().tables == 3


def test_missing_folder_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no such folder"):
        Transfer(Folder(tmp_path / "no")).recover_batch()


def test_read_only_folder_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transfer = set_up(tmp_path)

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FolderRefused, match=r"BMPFTP\.lock: .*Permission denied"):
        transfer.create()
    assert [path.name for path in tmp_path.iterdir()] == ["BMInput.txt"]


# Results


def test_poll_delivers_new_results_after_the_last_file_was_deleted(tmp_path: Path) -> None:
    folder = evening(tmp_path)
    transfer = Transfer(folder)
    assert transfer.poll() == DeliveredResults(36)
    assert folder.results.read_bytes() == example("BMRData.txt")
    change(folder, Update("ReceivedData", {"ID": 7}, {"Result": "-3", "Processed": False}))
    assert transfer.poll() is None
    assert read_and_delete(folder) == ROWS
    assert transfer.poll() == DeliveredResults(1)
    assert read_and_delete(folder) == [ROWS[6].replace('"-4"', '"-3"').replace("1100", "800")]
    assert transfer.poll() is None


def test_erased_result_is_delivered_as_erased(tmp_path: Path) -> None:
    folder = evening(tmp_path, 2)
    transfer = Transfer(folder)
    transfer.poll()
    read_and_delete(folder)
    change(folder, Update("ReceivedData", {"ID": 2}, {"Erased": True, "Processed": False}))
    transfer.poll()
    assert read_and_delete(folder) == [ROWS[1].removesuffix("#FALSE#") + "#TRUE#"]


def test_poll_with_all_results_delivers_everything_each_time(tmp_path: Path) -> None:
    folder = evening(tmp_path, 3)
    transfer = Transfer(folder)
    assert transfer.poll(all_results=True) == DeliveredResults(3)
    assert transfer.poll(all_results=True) is None
    read_and_delete(folder)
    assert transfer.poll(all_results=True) == DeliveredResults(3)
    processed = [line.split(",")[15] for line in read_and_delete(folder)]
    assert processed == ["#TRUE#"] * 3


def test_read_all_replaces_the_file_and_marks_the_results(tmp_path: Path) -> None:
    folder = evening(tmp_path, 3)
    folder.results.write_bytes(b"old")
    transfer = Transfer(folder)
    assert transfer.read_all() == DeliveredResults(3)
    assert read_and_delete(folder) == ROWS[:3]
    assert transfer.poll() is None
    assert transfer.read_all() == DeliveredResults(3)


def test_read_all_without_results_writes_an_empty_file(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    assert Transfer(folder).read_all() == DeliveredResults(0)
    assert folder.results.read_bytes() == b""


def test_invalid_contract_is_delivered_with_score_0_and_reported(tmp_path: Path) -> None:
    folder = evening(tmp_path, 1)
    change(folder, Update("ReceivedData", {"ID": 1}, {"Contract": "9 S"}))
    delivered = Transfer(folder).poll()
    assert delivered is not None
    assert delivered.notes[0].startswith("Board 1 at table 1 of section 1 has no score: '9 S'")
    assert ',"9 S","-4","C4",0,' in read_and_delete(folder)[0]


def test_results_are_written_with_the_chosen_ids_line_ends_and_encoding(tmp_path: Path) -> None:
    folder = evening(tmp_path, 2)
    change(folder, Update("ReceivedData", {"ID": 1}, {"Remarks": "Zürich"}))
    Transfer(folder, TextFormat("cp850", LineEnds.LF, ids=True)).poll()
    content = folder.results.read_bytes()
    assert content.startswith(b'1,1,1,1,1,1,1,1,"N ","1 D x","-4","C4",-800,"Z\x81rich",')
    assert content.split(b"\n")[1] == b"2," + ROWS[1].encode()


def test_results_are_not_delivered_while_access_has_the_file_open(tmp_path: Path) -> None:
    folder = evening(tmp_path, 2)
    (tmp_path / "BMInput.ldb").write_bytes(b"CLUBPC".ljust(32, b"\0") + b"Admin".ljust(32, b"\0"))
    with pytest.raises(InUseByAccess, match="Admin on CLUBPC"):
        Transfer(folder).poll()
    assert not folder.results.exists()
    assert not folder.batch.exists()
    (tmp_path / "BMInput.ldb").unlink()
    assert Transfer(folder).poll() == DeliveredResults(2)


def test_poll_without_a_session_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(AccessFileError, match=r"BMInput\.bws: There is no such file"):
        Transfer(Folder(tmp_path)).poll()


# Numbers


def test_players_numbers_are_written_as_in_the_document(tmp_path: Path) -> None:
    folder = evening(tmp_path)
    for row in example("BMPNums.txt").decode().splitlines():
        section, table, direction, number = (field.strip(' "') for field in row.split(","))
        key = {"Section": int(section), "Table": int(table), "Direction": direction}
        change(folder, Update("PlayerNumbers", key, {"Number": number}))
    folder.numbers.write_bytes(b"old")
    assert Transfer(folder).read_numbers() == 12
    assert folder.numbers.read_bytes() == example("BMPNums.txt")
