"""The file itself: what is refused is left as it was, to the byte and without companions."""

import shutil
import sqlite3
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.store import Journal, open_journal
from overtrick.store import sqlite as sqlite_module
from overtrick.store.errors import (
    DamagedJournal,
    JournalError,
    JournalUnavailable,
    NewerJournal,
    NotAJournal,
)
from overtrick.store.sqlite import APPLICATION_ID, restore_journal
from overtrick.store.tables import FORMAT
from tests.store.tiny import CODEC, boards, put, result


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed journal with 200 facts."""
    path = tmp_path / "club.overtrick"
    with open_journal(path, CODEC) as journal:
        for number in range(20):
            put(journal, "monday", number * 10, *(result(board) for board in range(10)))
    return path


@contextmanager
def left_as_it_was(folder: Path) -> Iterator[None]:
    """Nothing in the folder changes, appears or goes."""

    def look() -> dict[str, tuple[bytes, int]]:
        return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()}

    before = look()
    yield
    assert look() == before


def overwrite(path: Path, offset: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(content)


def test_an_acknowledged_fact_is_on_the_disk(path: Path) -> None:
    with open_journal(path, CODEC) as journal:
        put(journal, "monday", 200, result(1))
        assert journal._connection is not None
        cursor = journal._connection.cursor()
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert cursor.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_closed_journal_is_one_file_that_says_what_it_is(path: Path) -> None:
    assert [file.name for file in path.parent.iterdir()] == ["club.overtrick"]
    header = path.read_bytes()[:100]
    assert header[68:72] == b"OvTk"
    assert struct.unpack_from(">I", header, 60) == (FORMAT,)


@pytest.mark.parametrize(
    "content", [b"hello", b"x" * 5000, b"SQLite format 3\0", b"SQLite format 3\0" + b"\0" * 84]
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "letter.doc"
    path.write_bytes(content)
    with left_as_it_was(tmp_path), pytest.raises(NotAJournal, match=r"letter\.doc: .* not changed"):
        open_journal(path, CODEC)


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "photos.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE journal (stream, version)")
    other.close()
    with left_as_it_was(tmp_path), pytest.raises(NotAJournal, match="another program"):
        open_journal(path, CODEC)


def test_a_journal_of_a_newer_format_is_refused(path: Path) -> None:
    overwrite(path, 60, struct.pack(">I", FORMAT + 1))
    with (
        left_as_it_was(path.parent),
        pytest.raises(
            NewerJournal, match=f"format {FORMAT + 1}; this Overtrick knows formats up to {FORMAT}"
        ),
    ):
        open_journal(path, CODEC)


def test_a_journal_of_format_zero_is_damaged(path: Path) -> None:
    overwrite(path, 60, struct.pack(">I", 0))
    with left_as_it_was(path.parent), pytest.raises(DamagedJournal, match="header"):
        open_journal(path, CODEC)


@pytest.mark.parametrize("kept", [101, 4096, 5000, 0.5, 0.99])
def test_a_journal_that_was_cut_off_is_refused(path: Path, kept: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(kept if kept > 1 else kept * len(content))])
    with left_as_it_was(path.parent), pytest.raises(DamagedJournal, match="not changed"):
        open_journal(path, CODEC)


@pytest.mark.parametrize("page", range(1, 12))
def test_a_journal_with_a_bad_page_is_refused(path: Path, page: int) -> None:
    overwrite(path, page * 4096, b"\xa5" * 4096)
    with left_as_it_was(path.parent), pytest.raises(DamagedJournal, match="damaged"):
        open_journal(path, CODEC)


def test_damage_in_a_large_journal_is_found_when_it_is_met(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "MAX_CHECKED_AT_OPEN", 0)
    overwrite(path, 14 * 4096, b"\xa5" * 4096)
    with open_journal(path, CODEC) as journal:
        with pytest.raises(DamagedJournal):
            list(journal.read("monday"))
        with pytest.raises(DamagedJournal):
            journal.check()


def test_a_journal_without_a_table_is_refused(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("DROP TABLE marks")
    other.close()
    with left_as_it_was(path.parent), pytest.raises(DamagedJournal, match="'marks' is missing"):
        open_journal(path, CODEC)


@pytest.fixture(scope="module")
def whole_journal(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "club.overtrick"
    with open_journal(path, CODEC) as journal:
        put(journal, "monday", 0, *(result(board) for board in range(40)))
    return path.read_bytes()


@settings(max_examples=100)
@given(data=st.data())
def test_any_damage_raises_a_journal_error(
    data: st.DataObject, whole_journal: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With any bytes damaged, the journal opens and reads, or is refused with a JournalError."""
    folder = tmp_path_factory.mktemp("struck")
    path = folder / "club.overtrick"
    path.write_bytes(whole_journal)
    size = len(whole_journal)
    for _ in range(data.draw(st.integers(1, 4))):
        overwrite(path, data.draw(st.integers(0, size - 1)), data.draw(st.binary(min_size=1, max_size=40)))
    with suppress(JournalError), open_journal(path, CODEC) as journal:
        list(journal.read("monday"))
        journal.check()
    shutil.rmtree(folder)


def test_impossible_journal_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="folder"):
        open_journal(tmp_path / "nowhere" / "club.overtrick", CODEC)
    with pytest.raises(JournalUnavailable, match="directory"):
        open_journal(tmp_path, CODEC)
    with pytest.raises(NotAJournal, match="no journal here"):
        open_journal(tmp_path / "club.overtrick", CODEC, create=False)
    assert list(tmp_path.iterdir()) == []


def test_file_names_with_characters_of_urls_are_opened(tmp_path: Path) -> None:
    path = tmp_path / "Zoë's club? 100% #1.overtrick"
    for expected in range(2):
        with open_journal(path, CODEC) as journal:
            put(journal, "monday", expected, result(1))
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_empty_file_becomes_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "club.overtrick"
    path.touch()
    with open_journal(path, CODEC) as journal:
        put(journal, "monday", 0, result(1))
    assert path.stat().st_size > 0


def test_many_threads_open_a_new_journal_at_once(tmp_path: Path) -> None:
    path = tmp_path / "club.overtrick"
    together = threading.Barrier(6)

    def begin(number: int) -> None:
        together.wait(30)
        with open_journal(path, CODEC) as journal:
            put(journal, f"session {number}", 0, result(1))

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    with open_journal(path, CODEC) as journal:
        assert len(journal.heads()) == 6
        journal.check()


def test_busy_journal_raises_an_error_with_a_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_TIMEOUT", 0.05)
    with open_journal(path, CODEC) as journal:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalUnavailable, match="busy for too long; nothing was written"):
            put(journal, "monday", 200, result(1))
        assert len(boards(journal, "monday")) == 200
        other.execute("ROLLBACK")
        other.close()
        put(journal, "monday", 200, result(1))


def test_full_disk_raises_an_error_with_a_sentence(path: Path) -> None:
    with open_journal(path, CODEC) as journal:
        put(journal, "monday", 200, result(1))
        assert journal._connection is not None
        journal._connection.cursor().execute("PRAGMA max_page_count = 1")
        with pytest.raises(JournalUnavailable, match="disk is full; nothing was written"):
            put(journal, "monday", 201, *(result(board) for board in range(100)))
        assert journal.head("monday") == 201
        put(journal, "monday", 201, result(1))


def test_a_backup_of_a_journal_in_use_is_whole(path: Path, tmp_path: Path) -> None:
    stop = threading.Event()
    acknowledged = [200]

    def keep_writing(journal: Journal) -> None:
        while not stop.is_set():
            acknowledged[0] = put(journal, "monday", acknowledged[0], result(1)).spans[0].last

    with open_journal(path, CODEC) as journal:
        writing = threading.Thread(target=keep_writing, args=(journal,))
        writing.start()
        for number in range(5):
            before = acknowledged[0]
            copy = tmp_path / f"copy{number}"
            journal.backup(copy)
            with open_journal(copy, CODEC, create=False) as copied:
                versions = [entry.version for entry in copied.read("monday")]
                assert versions == list(range(1, len(versions) + 1))
                assert len(versions) >= before
        stop.set()
        writing.join(30)
    assert not list(tmp_path.glob(".*"))


def test_a_backup_to_a_memory_stick(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file system has neither links nor folders that can be synced."""

    def refuse(*_: object) -> None:
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr("overtrick.files.os.link", refuse)
    with open_journal(path, CODEC) as journal:
        journal.backup(tmp_path / "copy")
    with open_journal(tmp_path / "copy", CODEC) as copy:
        assert len(boards(copy, "monday")) == 200


def test_a_backup_never_replaces_a_file(path: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    with open_journal(path, CODEC) as journal:
        with pytest.raises(JournalError, match=r"already\. It was kept"):
            journal.backup(taken)
        with pytest.raises(JournalError):
            journal.backup(tmp_path / "nowhere" / "copy")
    assert taken.read_text() == "mine"


def test_a_backup_is_one_file_and_can_be_restored(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    with open_journal(path, CODEC) as journal:
        put(journal, "tuesday", 0, result(1))
        journal.backup(folder / "copy")
        put(journal, "tuesday", 1, result(2))
    assert [file.name for file in folder.iterdir()] == ["copy"]
    with left_as_it_was(folder):
        with pytest.raises(JournalError, match="move it away first"):
            restore_journal(folder / "copy", path)
        path.unlink()
        restore_journal(folder / "copy", path)
    with open_journal(path, CODEC) as journal:
        assert boards(journal, "tuesday") == [1]
        assert len(boards(journal, "monday")) == 200


def test_a_bad_backup_is_not_restored(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "restored"
    overwrite(path, 14 * 4096, b"\xa5" * 4096)
    with left_as_it_was(tmp_path):
        with pytest.raises(DamagedJournal):
            restore_journal(path, target)
        with pytest.raises(NotAJournal):
            restore_journal(tmp_path / "nothing", target)
    (tmp_path / "restored-wal").write_bytes(b"of another life")
    with pytest.raises(JournalError, match=r"restored-wal: .* move it away"):
        restore_journal(path.parent / "club.overtrick", target)


def test_a_damaged_journal_in_wal_mode_is_left_with_its_log(path: Path, tmp_path: Path) -> None:
    """A crash left a log beside the file, and then the file was struck: neither is touched."""
    folder = tmp_path / "crashed"
    folder.mkdir()
    with open_journal(path, CODEC) as journal:
        put(journal, "monday", 200, result(1))
        for name in ("club.overtrick", "club.overtrick-wal"):
            shutil.copy(path.parent / name, folder / name)
    overwrite(folder / "club.overtrick", 14 * 4096, b"\xa5" * 4096)
    files = {name: (folder / name).read_bytes() for name in ("club.overtrick", "club.overtrick-wal")}
    with pytest.raises(DamagedJournal):
        open_journal(folder / "club.overtrick", CODEC)
    assert {name: (folder / name).read_bytes() for name in files} == files


def test_the_log_of_a_crash_is_read(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crashed"
    folder.mkdir()
    with open_journal(path, CODEC) as journal:
        put(journal, "monday", 200, result(77))
        for name in ("club.overtrick", "club.overtrick-wal"):
            shutil.copy(path.parent / name, folder / name)
    with open_journal(folder / "club.overtrick", CODEC) as journal:
        assert boards(journal, "monday", after=200) == [77]


def test_the_application_id_is_ours() -> None:
    assert APPLICATION_ID == 0x4F76546B
