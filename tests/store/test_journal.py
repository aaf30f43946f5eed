import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest
from tests.store.tiny import CODEC, EVENING, TableMoved, boards, put, result

from overtrick.errors import BadInput
from overtrick.store import Appended, Codec, Journal
from overtrick.store import journal as journal_module
from overtrick.store.errors import BadFact, UnknownFact, VersionConflict
from overtrick.store.journal import Batch


def batch(journal: Journal, stream: str, expected: int, *boards: int, command_id: str = "") -> Batch:
    return journal.prepare(
        stream,
        expected,
        [result(board) for board in boards],
        command_id=command_id or f"{stream}/{expected}",
        at=EVENING,
        side="control",
        actor="",
    )


def test_facts_come_back_in_order_with_who_and_when(journal: Journal) -> None:
    assert put(journal, "monday", 0, result(1), result(2)) == Appended("monday", 1, 2)
    assert put(journal, "monday", 2, TableMoved("A", 3)) == Appended("monday", 3, 3)
    put(journal, "tuesday", 0, result(9))
    first, second, third = journal.read("monday")
    assert [first.version, second.version, third.version] == [1, 2, 3]
    assert (first.fact, second.fact, third.fact) == (result(1), result(2), TableMoved("A", 3))
    assert (third.stream, third.at) == ("monday", EVENING + timedelta(seconds=2))
    assert (third.side, third.actor, third.command_id) == ("control", "table A4", "monday/2")
    assert boards(journal, "tuesday") == [9]
    assert [entry.version for entry in journal.read("monday", after=2)] == [3]
    assert list(journal.read("wednesday")) == []
    assert (journal.head("monday"), journal.head("wednesday")) == (3, 0)


def test_a_journal_is_there_when_it_is_opened_again(open_again: Callable[[], Journal]) -> None:
    with open_again() as journal:
        put(journal, "monday", 0, result(1))
    with open_again() as journal:
        assert boards(journal, "monday") == [1]
        put(journal, "monday", 1, result(2))
        journal.check()


def test_the_same_command_counts_once(journal: Journal) -> None:
    first = put(journal, "monday", 0, result(1), result(2), command_id="phone 4711")
    put(journal, "monday", 2, result(3))
    again = put(journal, "monday", 3, result(1), result(2), command_id="phone 4711")
    assert again == Appended("monday", first.first, first.last, again=True)
    assert journal.find("monday", "phone 4711") == again
    assert journal.find("monday", "phone 4712") is None
    assert boards(journal, "monday") == [1, 2, 3]
    # Another stream has commands of its own.
    assert not put(journal, "tuesday", 0, result(1), command_id="phone 4711").again


def test_the_database_itself_holds_that_a_command_counts_once(journal: Journal) -> None:
    put(journal, "monday", 0, result(1), command_id="phone 4711")
    kind, schema, body = CODEC.encode(result(2))
    who = {"stream": "monday", "at": "", "side": "", "actor": "", "command_id": "phone 4711", "step": 1}
    connection = journal.ground.connect()
    with pytest.raises(journal.ground.failures):
        connection.cursor().execute(
            journal._insert, {**who, "version": 2, "kind": kind, "schema": schema, "body": body}
        )


@pytest.mark.parametrize("expected", [0, 1, 3])
def test_a_stream_that_is_elsewhere_is_a_conflict(journal: Journal, expected: int) -> None:
    put(journal, "monday", 0, result(1), result(2))
    with pytest.raises(VersionConflict, match="monday: The stream is at version 2, not at") as caught:
        put(journal, "monday", expected, result(3), command_id="other")
    assert (caught.value.expected, caught.value.found) == (expected, 2)
    assert boards(journal, "monday") == [1, 2]


def test_batches_of_several_streams_go_in_together(journal: Journal) -> None:
    outcomes = journal.append_all(
        [
            batch(journal, "monday", 0, 1, 2),
            batch(journal, "tuesday", 0, 1),
            batch(journal, "monday", 2, 3),
            batch(journal, "monday", 2, 99, command_id="monday/0"),
        ]
    )
    assert outcomes == [
        Appended("monday", 1, 2),
        Appended("tuesday", 1, 1),
        Appended("monday", 3, 3),
        Appended("monday", 1, 2, again=True),
    ]
    assert (boards(journal, "monday"), boards(journal, "tuesday")) == ([1, 2, 3], [1])


def test_what_was_decided_after_a_conflict_conflicts_too(journal: Journal) -> None:
    put(journal, "monday", 0, result(1), result(2))
    # Decided at version 1, in this order; by chance the third expects the version the stream is really at.
    outcomes = journal.append_all(
        [
            batch(journal, "monday", 1, 7, command_id="a"),
            batch(journal, "tuesday", 0, 1),
            batch(journal, "monday", 2, 8, command_id="b"),
        ]
    )
    assert [type(outcome) for outcome in outcomes] == [VersionConflict, Appended, VersionConflict]
    assert (boards(journal, "monday"), boards(journal, "tuesday")) == ([1, 2], [1])


def test_what_was_decided_after_a_command_that_was_there_conflicts(journal: Journal) -> None:
    put(journal, "monday", 0, result(1), command_id="a")
    again, after = journal.append_all(
        [batch(journal, "monday", 0, 1, command_id="a"), batch(journal, "monday", 1, 2, command_id="b")]
    )
    assert again == Appended("monday", 1, 1, again=True)
    assert isinstance(after, VersionConflict)


def test_a_bad_fact_leaves_nothing(journal: Journal) -> None:
    with pytest.raises(BadFact):
        put(journal, "monday", 0, result(1), result(2, table="four"))
    with pytest.raises(BadInput, match="without facts"):
        put(journal, "monday", 0)
    assert journal.head("monday") == 0


@pytest.mark.parametrize("text", ["", "a\0b", "\ud800"])
def test_names_that_an_engine_could_not_hold_are_refused(journal: Journal, text: str) -> None:
    with pytest.raises(BadInput, match="cannot be the stream"):
        journal.prepare(text, 0, [result(1)], command_id="c", at=EVENING, side="s", actor="a")
    with pytest.raises(BadInput, match="cannot be the command id"):
        journal.prepare("monday", 0, [result(1)], command_id=text, at=EVENING, side="s", actor="a")
    with pytest.raises(BadInput, match="no time zone"):
        journal.prepare("m", 0, [result(1)], command_id="c", at=datetime(2026, 2, 3), side="s", actor="a")


def test_any_real_text_is_held(journal: Journal) -> None:
    strange = "Zoë ♠ ' \" \\ %s :x ? \u2028 🂡"
    at = datetime(2026, 2, 3, 20, 30, 0, 5, tzinfo=timezone(timedelta(hours=1)))
    fact = result(1, section=strange + "\0")
    journal.append(strange, 0, [fact], command_id=strange, at=at, side=strange, actor=strange)
    (entry,) = journal.read(strange)
    assert entry == (strange, 1, at, strange, strange, strange, fact)


def test_long_streams_are_read_in_pieces(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    put(journal, "monday", 0, *(result(board) for board in range(1, 8)))
    for chunk in (1, 2, 7, 8):
        monkeypatch.setattr(journal_module, "CHUNK", chunk)
        assert boards(journal, "monday") == [1, 2, 3, 4, 5, 6, 7]
        assert boards(journal, "monday", after=3) == [4, 5, 6, 7]


def test_a_fact_of_the_future_is_refused_where_it_stands(open_again: Callable[[], Journal]) -> None:
    with open_again() as journal:
        put(journal, "monday", 0, result(1), TableMoved("A", 2))
        older = Journal(journal.ground, Codec({"result entered": type(result(1))}, texts=CODEC._texts))
        reading = older.read("monday")
        assert next(reading).fact == result(1)
        with pytest.raises(UnknownFact, match="stream monday, version 2: The journal holds a fact"):
            next(reading)


def test_two_writers_never_lose_or_double_a_fact(open_again: Callable[[], Journal]) -> None:
    """Eight threads, each with a journal of its own, write to one stream and try again on a conflict."""
    done: list[int] = []

    def write(number: int) -> None:
        with open_again() as journal:
            for turn in range(5):
                head = journal.head("monday")
                while True:
                    try:
                        put(journal, "monday", head, result(number), command_id=f"{number}/{turn}")
                        break
                    except VersionConflict as conflict:
                        head = conflict.found
            done.append(number)

    with open_again():
        threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with open_again() as journal:
        entries = list(journal.read("monday"))
    assert sorted(done) == list(range(8))
    assert [entry.version for entry in entries] == list(range(1, 41))
    assert sorted(entry.fact.board for entry in entries) == sorted(list(range(8)) * 5)


def test_a_failed_commit_leaves_nothing_and_the_next_one_works(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(cursor: object, streams: object) -> None:
        raise RuntimeError("the disk is on fire")

    put(journal, "monday", 0, result(1))
    with monkeypatch.context() as patch:
        patch.setattr(journal.ground, "announce", fail)
        with pytest.raises(RuntimeError, match="on fire"):
            put(journal, "monday", 1, result(2))
    assert boards(journal, "monday") == [1]
    put(journal, "monday", 1, result(3))
    assert boards(journal, "monday") == [1, 3]
