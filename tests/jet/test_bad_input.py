"""Each file that cannot be read: a sentence, in bounded time, and the file untouched."""

import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from overtrick import jet
from overtrick.errors import OvertrickError
from overtrick.jet import Column, ColumnType
from overtrick.jet.header import header_mask, unmask

PAGE = 4096


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.mdb"
    with jet.create(path) as db:
        table = db.create_table("T", [Column("A", ColumnType.LONG), Column("M", ColumnType.MEMO)])
        table.insert(A=1, M="m" * 9000)
    return path


def read_all(path: Path) -> None:
    with jet.open(path) as db:
        for name in db.tables:
            list(db[name].rows())


def refused(path: Path, content: bytes, error: type[OvertrickError], sentence: str) -> None:
    path.write_bytes(content)
    began = time.process_time()
    with pytest.raises(error, match=sentence):
        read_all(path)
    assert time.process_time() - began < 2
    assert path.read_bytes() == content


def patched(content: bytes, at: int, raw: bytes) -> bytes:
    return content[:at] + raw + content[at + len(raw) :]


def test_other_file_is_refused_as_no_access_database(sound: Path) -> None:
    for content in (b"", b"\x00" * 5000, b"SQLite format 3\x00" * 400, sound.read_bytes()[:1000]):
        refused(sound, content, jet.NotAnAccessFile, "not an Access database")
    refused(sound, patched(sound.read_bytes(), 4, b"MSISAM Database"), jet.NotAnAccessFile, "not an Access")


def test_access_2007_header_is_refused(sound: Path) -> None:
    content = sound.read_bytes()
    refused(sound, patched(content, 4, b"Standard ACE DB\0\x02"), jet.NewerAccessFile, "Access 2007 or later")
    refused(sound, patched(content, 0x14, b"\x03"), jet.NewerAccessFile, "Access 2007 or later")


def test_encrypted_file_is_refused(sound: Path) -> None:
    content = sound.read_bytes()
    key = bytes(a ^ b for a, b in zip(b"\x01\x02\x03\x04", header_mask()[0x3E - 0x18 :], strict=False))
    refused(sound, patched(content, 0x3E, key), jet.EncryptedAccessFile, "encrypted")


def test_file_with_a_database_password_is_read(sound: Path) -> None:
    content = sound.read_bytes()
    clear = unmask(content[:PAGE], 4)
    days = struct.pack("<i", int(struct.unpack_from("<d", clear, 0x72)[0]))
    secret = bytes(b ^ days[n % 4] for n, b in enumerate("sesame".encode("utf-16-le").ljust(40, b"\0")))
    masked = bytes(a ^ b for a, b in zip(secret, header_mask()[0x42 - 0x18 :], strict=False))
    sound.write_bytes(patched(content, 0x42, masked))
    with jet.open(sound) as db:
        assert db.file.header.password == "sesame"
        assert next(db["T"].rows())["A"] == 1


def test_truncated_file_is_refused_or_read_in_part(sound: Path) -> None:
    content = sound.read_bytes()
    for pages in (1, 2, 3, 8):
        refused(sound, content[: pages * PAGE + 100], jet.DamagedAccessFile, "was it cut short")
    failures = 0
    for length in range(PAGE, len(content), 3001):
        sound.write_bytes(content[:length])
        try:
            read_all(sound)
        except OvertrickError:
            failures += 1
    assert failures > 5


def change_definition(change: Callable[[bytearray, int], None]) -> Callable[[Path], bytes]:
    def changed(path: Path) -> bytes:
        with jet.open(path) as db:
            page = db["T"].page
        content = bytearray(path.read_bytes())
        change(content, page * PAGE)
        return bytes(content)

    return changed


def test_page_number_outside_the_file_is_damage(sound: Path) -> None:
    outside = change_definition(lambda content, at: struct.pack_into("<I", content, at + 55, 9_999_999 << 8))
    refused(sound, outside(sound), jet.DamagedAccessFile, "refers to page 9999999")


def test_circular_definition_is_damage(sound: Path) -> None:
    circle = change_definition(lambda content, at: struct.pack_into("<I", content, at + 4, at // PAGE))
    refused(sound, circle(sound), jet.DamagedAccessFile, "is circular")


def test_circular_memo_is_damage(sound: Path) -> None:
    content = bytearray(sound.read_bytes())
    chained = [at for at in range(0, len(content), PAGE) if content[at + 4 : at + 8] == b"LVAL"]
    for at in chained:
        (start,) = struct.unpack_from("<H", content, at + 14)
        struct.pack_into("<I", content, at + start, (at // PAGE) << 8)
    # The memo says that it is longer than what the first page of the circle has.
    refused(sound, bytes(content), jet.DamagedAccessFile, "A memo is circular")


def test_folder_and_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(jet.AccessFileError, match="no such file"):
        jet.open(tmp_path / "nowhere.mdb")
    with pytest.raises(jet.AccessFileError, match="This is a folder"):
        jet.open(tmp_path, "r+")
    with pytest.raises(jet.AccessFileError):
        jet.open(tmp_path)
    with pytest.raises(jet.AccessFileError, match="r or r"):
        jet.open(tmp_path / "nowhere.mdb", "w")


def test_access_2007_files_that_access_made_are_refused(each_access_file: list[Path]) -> None:
    for path in each_access_file[0].parent.glob("*.accdb"):
        with pytest.raises(jet.NewerAccessFile):
            jet.open(path)
