"""The examples in the documentation are valid exchange files."""

import re
from pathlib import Path

import pytest

from overtrick.event import JournalState
from overtrick.event.team_rules import SetTeamEvent
from overtrick.magic.files import open_file, write_file
from overtrick.magic.import_ import IMPORTERS
from overtrick.magic.people import KINDS, import_people
from overtrick.magic.rows import FileKind
from overtrick.registry import Ledger, RegistrySide, open_registry
from tests.event.evenings import do
from tests.event.team_events import EVENT
from tests.magic.events import import_into, only_event

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "magic.md"
EXAMPLES = dict(re.findall(r"```(\d\w(?:-\w)?)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S))


def example(kind: FileKind, folder: Path) -> Path:
    lines = EXAMPLES[kind.value].replace("→", "\t").splitlines()
    path = folder / f"{kind.value}.txt"
    path.write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    return path


@pytest.mark.parametrize("kind", FileKind)
def test_documented_example_is_read_and_written_unchanged(kind: FileKind, tmp_path: Path) -> None:
    path = example(kind, tmp_path)
    with open_file(path) as reading:
        rows = [row for _, row in reading.rows()]
    assert (reading.kind, reading.problems) == (kind, [])
    assert len(rows) == len(path.read_bytes().splitlines()) - 1
    assert not write_file(path, kind, rows), "the rows are written as they were read"


def test_documented_examples_import_into_one_event_and_one_registry(tmp_path: Path) -> None:
    journal_state = JournalState()
    for kind in list(IMPORTERS)[1:]:
        result = import_into(journal_state, example(kind, tmp_path))
        assert (result.kind, result.conflicts) == (kind, ())
    teams = only_event(journal_state)
    assert (len(teams.teams), len(teams.boards), len(teams.reported), len(teams.line_ups)) == (4, 1, 1, 1)
    entries = JournalState()
    do(entries, SetTeamEvent(EVENT, "Champion's Cup", 1))
    assert import_into(entries, example(FileKind.INITIAL_TEAMS, tmp_path)).commands
    with open_registry(tmp_path / "people", create=RegistrySide.MAGIC) as registry:
        for kind in KINDS:
            assert import_people(example(kind, tmp_path), registry).rows
        assert [row[10:] for row in Ledger(registry).totals(2006)] == [(12, 0, 0, 0), (20, 0, 4, 1)]
