import tempfile
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.store import Journal, open_journal
from tests.store.tiny import CODEC, EVENING, put, rebuild, result


def contents(journal: Journal) -> list[tuple[object, ...]]:
    return sorted(journal.engine.rows("SELECT * FROM streams"))


def test_derived_tables_are_the_same_after_a_rebuild(journal: Journal) -> None:
    """Several commands with several facts, with a clock that was once put back."""
    for number, minutes in enumerate([5, 3, 9, 9, 1]):
        facts = [(f"stream {each}", result(number)) for each in range(number + 1) for _ in range(2)]
        expected = {stream: journal.head(stream) for stream, _ in facts}
        at = EVENING + timedelta(minutes=minutes)
        batch = journal.prepare(facts, expected, command_id=str(number), at=at, side="control", actor="")
        journal.append_all([batch])
    kept = contents(journal)
    assert len(kept) == 5
    with journal.writing() as cursor:
        cursor.execute("DROP TABLE streams")
    rebuild(journal)
    assert contents(journal) == kept
    put(journal, "stream 0", 10, result(1))
    assert journal.heads()["stream 0"] == 11


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3), st.integers(-5, 5)), max_size=12))
def test_any_history_is_rebuilt(history: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder, open_journal(f"{folder}/j", CODEC) as journal:
        for number, (stream, facts, minutes) in enumerate(history):
            journal.append(
                stream,
                journal.head(stream),
                [result(1)] * facts,
                command_id=str(number),
                at=EVENING + timedelta(minutes=minutes),
                side="control",
                actor="",
            )
        kept = contents(journal)
        rebuild(journal)
        assert contents(journal) == kept
