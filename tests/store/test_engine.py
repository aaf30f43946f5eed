"""The interface of a database engine: statements are compiled once per dialect and process."""

from collections.abc import Callable

import pytest
from sqlalchemy.sql import ClauseElement

from overtrick.store import Journal, engine
from overtrick.store.player_index import PlayerIndex
from overtrick.store.sessions import SessionList


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The SQL of every statement that is compiled, as in a process that has compiled none yet."""
    monkeypatch.setattr(engine, "_COMPILED", {})
    texts: list[str] = []
    compile_statement = engine.JournalEngine.compile

    def record(self: engine.JournalEngine, statement: ClauseElement) -> str:
        texts.append(compile_statement(self, statement))
        return texts[-1]

    monkeypatch.setattr(engine.JournalEngine, "compile", record)
    return texts


@pytest.mark.parametrize("kind", [SessionList, PlayerIndex])
def test_statements_of_a_list_are_compiled_once_for_all_journals_of_a_dialect(
    kind: Callable[[Journal], object], open_again: Callable[[], Journal], compiled: list[str]
) -> None:
    first, second = open_again(), open_again()
    compiled.clear()
    kind(first)
    assert compiled
    compiled.clear()
    kind(first)
    kind(second)
    assert compiled == []


def test_statements_of_a_list_are_compiled_for_each_dialect(
    open_again: Callable[[], Journal], compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = open_again()
    SessionList(journal)
    compiled.clear()
    monkeypatch.setattr(journal.engine.sql_engine.dialect, "name", "another")
    SessionList(journal)
    assert compiled
