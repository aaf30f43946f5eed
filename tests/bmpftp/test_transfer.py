"""The work of BMPFTP in its folder."""

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
from tests.bmpftp.folders import evening, taken

EXAMPLE = example("BMInput.txt")
ROWS = example("BMRData.txt").decode().splitlines()


def change(folder: Folder, *edits: Update) -> None:
    with jet.open(folder.session, "r+") as db:
        carry_out(db, edits)


def set_up(path: Path, content: bytes = EXAMPLE, name: str = "BMInput.txt") -> Transfer:
    (path / name).write_bytes(content)
    return Transfer(Folder(path), quiet=0)


# Setting up -------------------------------------------------------------------------------------------------


def test_a_session_is_made_from_what_the_scoring_program_wrote(tmp_path: Path) -> None:
    made = set_up(tmp_path).create()
    assert (made.tables, made.rounds, made.kept) == (3, 9, None)
    contents = open_contents(tmp_path / "BMInput.bws")
    assert contents.sessions[0].name == "BMInput"
    assert len(contents.player_numbers) == 12


@pytest.mark.parametrize("name", ["BMINPUT.TXT", "bminput.txt"])
def test_the_name_is_found_however_dos_spells_it(tmp_path: Path, name: str) -> None:
    assert set_up(tmp_path, name=name).create().tables == 3


def test_the_session_before_is_kept_aside_with_what_was_never_delivered(tmp_path: Path) -> None:
    folder = evening(tmp_path, 4)
    change(folder, Update("ReceivedData", {"ID": 1}, {"Processed": True}))
    os.utime(folder.session, (0, datetime(2026, 3, 2, 23, 15).timestamp()))
    made = Transfer(folder, quiet=0).create()
    assert made.kept == tmp_path / "BMInput-20260302-231500.bws"
    assert made.undelivered == 3
    assert len(open_contents(made.kept).results) == 4
    assert open_contents(folder.session).results == ()
    os.utime(folder.session, (0, datetime(2026, 3, 2, 23, 15).timestamp()))
    assert Transfer(folder, quiet=0).create().kept == tmp_path / "BMInput-20260302-231500-2.bws"


def test_bad_input_makes_and_changes_nothing(tmp_path: Path) -> None:
    folder = evening(tmp_path, 2)
    before = folder.session.read_bytes()
    transfer = set_up(tmp_path, EXAMPLE.replace(b"1,1,1,1,1,1,4", b"1,8,1,1,1,1,4"))
    for work in (transfer.create, transfer.update_movement):
        with pytest.raises(BadText, match=r"^BMInput.txt, line 10, field 2 \(Table\)"):
            work()
    assert folder.session.read_bytes() == before
    lock = "BMPFTP.lock"  # a file that is held while BMPFTP works, and says nothing
    assert {path.name for path in tmp_path.iterdir()} - {lock} == {"BMInput.txt", "BMInput.bws"}


class MovedClock:
    """The clock that a transfer reads, which stands still until it is moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = time.time()
        monkeypatch.setattr("overtrick.bmpftp.transfer.time", self)

    def time(self) -> float:
        return self.now

    monotonic = time


def test_a_file_that_is_not_there_or_just_being_written_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = MovedClock(monkeypatch)
    transfer = Transfer(Folder(tmp_path), quiet=20)
    with pytest.raises(Unfinished, match="has not written it yet"):
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


def test_a_file_from_a_computer_whose_clock_is_ahead_is_read_when_it_has_been_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = MovedClock(monkeypatch)
    set_up(tmp_path)
    ahead = clock.now + 3600
    os.utime(tmp_path / "BMInput.txt", (ahead, ahead))
    transfer = Transfer(Folder(tmp_path), quiet=10)
    with pytest.raises(Unfinished):
        transfer.create()
    clock.now += 15
    assert transfer.create().tables == 3


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no such folder"):
        Transfer(Folder(tmp_path / "no")).settle()


def test_a_read_only_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transfer = set_up(tmp_path)

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FolderRefused, match=r"BMPFTP\.lock: .*Permission denied"):
        transfer.create()
    assert [path.name for path in tmp_path.iterdir()] == ["BMInput.txt"]


# Results ----------------------------------------------------------------------------------------------------


def test_polling_delivers_what_is_new_when_the_last_file_is_gone(tmp_path: Path) -> None:
    folder = evening(tmp_path)
    transfer = Transfer(folder)
    assert transfer.poll() == DeliveredResults(36)
    assert folder.results.read_bytes() == example("BMRData.txt")
    change(folder, Update("ReceivedData", {"ID": 7}, {"Result": "-3", "Processed": False}))
    assert transfer.poll() is None
    assert taken(folder) == ROWS
    assert transfer.poll() == DeliveredResults(1)
    assert taken(folder) == [ROWS[6].replace('"-4"', '"-3"').replace("1100", "800")]
    assert transfer.poll() is None


def test_an_erased_result_is_delivered_as_erased(tmp_path: Path) -> None:
    folder = evening(tmp_path, 2)
    transfer = Transfer(folder)
    transfer.poll()
    taken(folder)
    change(folder, Update("ReceivedData", {"ID": 2}, {"Erased": True, "Processed": False}))
    transfer.poll()
    assert taken(folder) == [ROWS[1].removesuffix("#FALSE#") + "#TRUE#"]


def test_polling_can_deliver_everything_each_time(tmp_path: Path) -> None:
    folder = evening(tmp_path, 3)
    transfer = Transfer(folder)
    assert transfer.poll(all_results=True) == DeliveredResults(3)
    assert transfer.poll(all_results=True) is None
    taken(folder)
    assert transfer.poll(all_results=True) == DeliveredResults(3)
    processed = [line.split(",")[15] for line in taken(folder)]
    assert processed == ["#TRUE#"] * 3


def test_reading_everything_replaces_the_file_and_is_not_delivered_again(tmp_path: Path) -> None:
    folder = evening(tmp_path, 3)
    folder.results.write_bytes(b"old")
    transfer = Transfer(folder)
    assert transfer.read_all() == DeliveredResults(3)
    assert taken(folder) == ROWS[:3]
    assert transfer.poll() is None
    assert transfer.read_all() == DeliveredResults(3)


def test_reading_everything_when_there_is_nothing_writes_an_empty_file(tmp_path: Path) -> None:
    folder = evening(tmp_path, 0)
    assert Transfer(folder).read_all() == DeliveredResults(0)
    assert folder.results.read_bytes() == b""


def test_a_contract_that_cannot_be_read_is_delivered_with_0_and_told(tmp_path: Path) -> None:
    folder = evening(tmp_path, 1)
    change(folder, Update("ReceivedData", {"ID": 1}, {"Contract": "9 S"}))
    delivered = Transfer(folder).poll()
    assert delivered is not None
    assert delivered.notes[0].startswith("Board 1 at table 1 of section 1 has no score: '9 S'")
    assert ',"9 S","-4","C4",0,' in taken(folder)[0]


def test_ids_line_ends_and_encodings_are_as_they_were_chosen(tmp_path: Path) -> None:
    folder = evening(tmp_path, 2)
    change(folder, Update("ReceivedData", {"ID": 1}, {"Remarks": "Zürich"}))
    Transfer(folder, TextFormat("cp850", LineEnds.LF, ids=True)).poll()
    content = folder.results.read_bytes()
    assert content.startswith(b'1,1,1,1,1,1,1,1,"N ","1 D x","-4","C4",-800,"Z\x81rich",')
    assert content.split(b"\n")[1] == b"2," + ROWS[1].encode()


def test_nothing_is_delivered_that_cannot_be_marked(tmp_path: Path) -> None:
    folder = evening(tmp_path, 2)
    (tmp_path / "BMInput.ldb").write_bytes(b"CLUBPC".ljust(32, b"\0") + b"Admin".ljust(32, b"\0"))
    with pytest.raises(InUseByAccess, match="Admin on CLUBPC"):
        Transfer(folder).poll()
    assert not folder.results.exists()
    assert not folder.batch.exists()
    (tmp_path / "BMInput.ldb").unlink()
    assert Transfer(folder).poll() == DeliveredResults(2)


def test_a_session_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(AccessFileError, match=r"BMInput\.bws: There is no such file"):
        Transfer(Folder(tmp_path)).poll()


# Numbers ----------------------------------------------------------------------------------------------------


def test_numbers_come_as_the_document_has_them(tmp_path: Path) -> None:
    folder = evening(tmp_path)
    for row in example("BMPNums.txt").decode().splitlines():
        section, table, direction, number = (field.strip(' "') for field in row.split(","))
        key = {"Section": int(section), "Table": int(table), "Direction": direction}
        change(folder, Update("PlayerNumbers", key, {"Number": number}))
    folder.numbers.write_bytes(b"old")
    assert Transfer(folder).read_numbers() == 12
    assert folder.numbers.read_bytes() == example("BMPNums.txt")
