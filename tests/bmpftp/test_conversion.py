"""Conversion between text files and `.bws` files."""

from pathlib import Path

import pytest

from overtrick.bmpftp.conversion import ConversionResult, to_session, to_text
from overtrick.bmpftp.text_fields import BadText, LineEnds
from overtrick.bmpftp.transfer import TextFormat
from overtrick.bws.contents import open_contents
from overtrick.errors import BadInput
from tests.bmpftp.conftest import DOCUMENT, example

TEXTS = ("BMInput.txt", "BMRData.txt", "BMPNums.txt")


def test_documents_files_are_converted_to_a_session_and_back(tmp_path: Path) -> None:
    session, texts = tmp_path / "evening.bws", tmp_path / "texts"
    assert to_session(DOCUMENT, session, TextFormat()) == ConversionResult(3, 36, 12)
    assert to_text(session, texts, TextFormat()) == ConversionResult(3, 36, 12)
    assert {path.name for path in texts.iterdir()} == set(TEXTS)
    assert (texts / "BMRData.txt").read_bytes() == example("BMRData.txt")
    assert (texts / "BMPNums.txt").read_bytes() == example("BMPNums.txt")
    again = tmp_path / "again"
    to_session(texts, tmp_path / "second.bws", TextFormat())
    to_text(tmp_path / "second.bws", again, TextFormat())
    for name in TEXTS:
        assert (again / name).read_bytes() == (texts / name).read_bytes()


def test_ids_are_written_and_read_if_chosen(tmp_path: Path) -> None:
    text_format = TextFormat("cp850", LineEnds.LF, ids=True)
    to_session(DOCUMENT, tmp_path / "x.bws", text_format)
    to_text(tmp_path / "x.bws", tmp_path / "texts", text_format)
    lines = (tmp_path / "texts" / "BMRData.txt").read_bytes().split(b"\n")
    assert lines[35].startswith(b"36,1,3,3,8,")
    (tmp_path / "texts" / "BMRData.txt").write_bytes(lines[20] + b"\n" + lines[35])
    assert to_session(tmp_path / "texts", tmp_path / "y.bws", text_format).results == 2
    assert [row.id for row in open_contents(tmp_path / "y.bws").results] == [21, 36]


def test_setup_without_results_and_numbers_is_converted(tmp_path: Path) -> None:
    (tmp_path / "BMINPUT.TXT").write_bytes(example("BMInput.txt"))
    assert to_session(tmp_path, tmp_path / "x.bws", TextFormat()) == ConversionResult(3, 0, 12)


def test_wrong_score_is_reported(tmp_path: Path) -> None:
    (tmp_path / "BMInput.txt").write_bytes(example("BMInput.txt"))
    (tmp_path / "BMRData.txt").write_bytes(example("BMRData.txt").replace(b"-800", b"-700", 1))
    converted = to_session(tmp_path, tmp_path / "x.bws", TextFormat())
    assert converted.notes == ("Board 1 at table 1 has the score -700 instead of -800.",)


def test_existing_files_are_not_overwritten(tmp_path: Path) -> None:
    session = tmp_path / "x.bws"
    to_session(DOCUMENT, session, TextFormat())
    before = session.read_bytes()
    with pytest.raises(BadInput, match="A file with that name already exists"):
        to_session(DOCUMENT, session, TextFormat())
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "BMPNums.txt").write_bytes(b"mine")
    with pytest.raises(BadInput, match=r"BMPNums\.txt: The file already exists"):
        to_text(session, texts, TextFormat())
    assert [path.name for path in texts.iterdir()] == ["BMPNums.txt"]
    assert session.read_bytes() == before


def test_conversion_stopped_between_two_files_can_be_repeated(tmp_path: Path) -> None:
    to_session(DOCUMENT, tmp_path / "x.bws", TextFormat())
    to_text(tmp_path / "x.bws", tmp_path / "texts", TextFormat())
    complete = {path.name: path.read_bytes() for path in (tmp_path / "texts").iterdir()}
    (tmp_path / "texts" / "BMPNums.txt").unlink()
    to_text(tmp_path / "x.bws", tmp_path / "texts", TextFormat())
    assert {path.name: path.read_bytes() for path in (tmp_path / "texts").iterdir()} == complete


@pytest.mark.parametrize("name", TEXTS)
def test_truncated_file_creates_nothing(tmp_path: Path, name: str) -> None:
    for each in TEXTS:
        (tmp_path / each).write_bytes(example(each))
    (tmp_path / name).write_bytes(example(name)[:-4])
    with pytest.raises(BadText, match=f"^{name}, line"):
        to_session(tmp_path, tmp_path / "x.bws", TextFormat())
    assert {path.name for path in tmp_path.iterdir()} == set(TEXTS)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            b'1,3,"S ","0"',
            b'1,4,"S ","0"',
            r"BMPNums.txt, line 11, field 2 \(Table\): Table 4 of section 1 is not",
        ),
        (
            b'1,3,"S ","0"',
            b'2,3,"S ","0"',
            r"BMPNums.txt, line 11, field 1 \(Section\): There is no section 2",
        ),
        (
            b"1,3,3,8,3,1,3",
            b"1,9,3,8,3,1,3",
            r"BMRData.txt, line 36, field 2 \(Table\): Table 9 of section 1 is not",
        ),
        (
            b"1,3,3,8,3,1,3",
            b"7,3,3,8,3,1,3",
            r"BMRData.txt, line 36, field 1 \(Section\): There is no section 7",
        ),
    ],
)
def test_row_of_an_unknown_table_or_section_is_rejected(
    tmp_path: Path, old: bytes, new: bytes, sentence: str
) -> None:
    for each in TEXTS:
        (tmp_path / each).write_bytes(example(each).replace(old, new))
    with pytest.raises(BadText, match=f"^{sentence}"):
        to_session(tmp_path, tmp_path / "x.bws", TextFormat())
    assert {path.name for path in tmp_path.iterdir()} == set(TEXTS)


def test_invalid_or_missing_session_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "x.bws").write_bytes(b"rubbish" * 1000)
    for source in ("x.bws", "no.bws"):
        with pytest.raises(BadInput, match=source):
            to_text(tmp_path / source, tmp_path / "texts", TextFormat())
    with pytest.raises(BadInput, match="There is no such file"):
        to_session(tmp_path, tmp_path / "y.bws", TextFormat())
    assert [path.name for path in tmp_path.iterdir()] == ["x.bws"]
