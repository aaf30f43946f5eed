import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from overtrick.errors import OvertrickError
from overtrick.store import Journal, open_journal
from overtrick.store import portable as portable_module
from overtrick.store.errors import JournalError
from overtrick.store.portable import export_journal, import_journal
from tests.store.tiny import CODEC, EVENING, TableMoved, put, result


def fill(journal: Journal) -> None:
    put(journal, "monday", 0, *(result(board) for board in range(1, 6)))
    put(journal, "tuesday", 0, result(1, section="Zoë ♠\n\0"), TableMoved("A", 2), command_id="b")
    both = [("monday", result(9)), ("tuesday", result(9))]
    expected = {"monday": 5, "tuesday": 2}
    journal.append_all([journal.prepare(both, expected, command_id="c", at=EVENING, side="s", actor="a")])
    journal.marks.move("club", "monday", "results", 3)


def exported(journal: Journal) -> str:
    file = io.StringIO()
    export_journal(journal, file)
    return file.getvalue()


def test_export_is_imported_to_the_letter(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From either engine to a file, and from that to a database as below."""
    monkeypatch.setattr(portable_module, "CHUNK", 2)
    fill(journal)
    lines = exported(journal)
    with open_journal(tmp_path / "copy", CODEC) as copy:
        assert import_journal(copy, io.StringIO(lines)) == 9
        assert exported(copy) == lines
        assert copy.heads() == journal.heads() == {"monday": 6, "tuesday": 3}
        assert copy.streams() == journal.streams()
        assert list(copy.read("tuesday")) == list(journal.read("tuesday"))
        assert copy.find("c") == journal.find("c")
        assert copy.marks.of("club", "monday") == {"results": 3}
        copy.check()
        put(copy, "monday", 6, result(1), command_id="d")


def test_export_of_a_file_is_imported_into_a_database(database: str, tmp_path: Path) -> None:
    with open_journal(tmp_path / "file", CODEC) as file, open_journal(database, CODEC) as base:
        fill(file)
        import_journal(base, exported(file).splitlines())
        assert exported(base) == exported(file)
        put(base, "monday", 6, result(1), command_id="d")


def test_empty_journal_is_exported_and_imported(journal: Journal, open_again: Callable[[], Journal]) -> None:
    assert import_journal(open_again(), exported(journal).splitlines()) == 0


def spoil(line: int, **changes: object) -> Callable[[list[str]], None]:
    def change(lines: list[str]) -> None:
        content = json.loads(lines[line])
        content["fact"].update(changes)
        lines[line] = json.dumps(content)

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines.clear(), "ends before"),
        (lambda lines: lines.pop(), "ends before its last line"),
        (lambda lines: lines.pop(0), "not an exported journal"),
        (lambda lines: lines.pop(3), "line 4: Version 3 of stream monday is missing"),
        (lambda lines: lines.pop(9), "8 facts of 9"),
        (lambda lines: lines.append(lines[1]), "not a line"),
        (lambda lines: lines.insert(2, "{"), "line 3: This is not a line"),
        (lambda lines: lines.insert(2, "[]"), "not a line"),
        (lambda lines: lines.insert(2, '{"fact":{}}'), "not a line"),
        (lambda lines: lines.insert(2, '{"cat":{}}'), "not a line"),
        (lambda lines: lines.insert(11, lines[10]), "line 12: This mark cannot be imported"),
        (spoil(2, body="{}"), "line 3: A fact 'result entered' cannot be read"),
        (spoil(2, body=7), "line 3"),
        (spoil(2, stream=[]), "line 3: .* not the name of a stream"),
        (spoil(2, actor={}), "line 3: This fact cannot be imported"),
        (spoil(2, kind="cat fed"), "line 3: .* does not know"),
        (spoil(2, at="noon"), "line 3"),
        (spoil(2, command_id="b", step=1), "cannot be imported"),
    ],
)
def test_incomplete_export_is_refused_and_changes_nothing(
    journal: Journal, tmp_path: Path, change: Callable[[list[str]], None], words: str
) -> None:
    with open_journal(tmp_path / "source", CODEC) as source:
        fill(source)
        lines = exported(source).splitlines()
    change(lines)
    with pytest.raises(OvertrickError, match=words):
        import_journal(journal, lines)
    assert (journal.heads(), journal.marks.of("club", "monday")) == ({}, {})
    put(journal, "monday", 0, result(1))


def test_a_file_that_is_not_text_leaves_nothing(journal: Journal, tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"\xff\xd8\xff\xe0")
    with path.open(encoding="utf-8") as file, pytest.raises(OvertrickError, match="not text"):
        import_journal(journal, file)


def test_journal_with_facts_imports_nothing(journal: Journal) -> None:
    fill(journal)
    lines = exported(journal)
    with pytest.raises(JournalError, match="has facts already"):
        import_journal(journal, lines.splitlines())
    assert exported(journal) == lines
