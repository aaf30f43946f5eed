"""The content of a member file decides its format."""

from pathlib import Path

import pytest

from overtrick.bws.member_files import read_member_file
from overtrick.bws.players import LOOKUP_TABLE
from overtrick.errors import OvertrickError
from tests.bws.test_players import lookup_file


def names(content: bytes) -> list[tuple[str, str, str]]:
    return [(each.member_code, each.first_name, each.last_name) for _, each in read_member_file(content)]


def test_lookup_file_of_bridgemate_is_read(tmp_path: Path) -> None:
    content = lookup_file(tmp_path / "BMPlayerDB.mdb", LOOKUP_TABLE).read_bytes()
    assert names(content) == [("12", "Ely", "Culbertson"), ("007", "Jo", "Dillon")]


def test_csv_in_windows_1252_and_usebio_are_read() -> None:
    assert names("Name;No\nZoë Åberg;9\n".encode("cp1252")) == [("9", "Zoë", "Åberg")]
    usebio = b"\xef\xbb\xbf<USEBIO><PLAYER><PLAYER_NAME>Ann Berg</PLAYER_NAME></PLAYER></USEBIO>"
    assert names(usebio) == [("", "Ann", "Berg")]


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01\x00\x00Standard ACE DB\x00" + bytes(4096), b"<x/>", b"PK\x03\x04"]
)
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(OvertrickError):
        read_member_file(content)
