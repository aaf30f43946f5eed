import re
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest

from overtrick.errors import BadInput
from overtrick.store import Appended, Codec, Journal, JournalEntry, StreamSpan, StreamSummary
from overtrick.store import journal as journal_module
from overtrick.store.errors import BadFact, JournalError, JournalSetBack, UnknownFact, VersionConflict
from overtrick.store.journal import CommandBatch
from tests.store.tiny import CODEC, EVENING, TableMoved, boards, put, rebuild, result


def batch(journal: Journal, stream: str, expected: int, *boards: int, command_id: str = "") -> CommandBatch:
    return journal.prepare(
        [(stream, result(board)) for board in boards],
        {stream: expected},
        command_id=command_id or f"{stream}/{expected}",
        at=EVENING,
        side="control",
        actor="",
    )


def at(stream: str, first: int, last: int, *, again: bool = False) -> Appended:
    return Appended((StreamSpan(stream, first, last),), again)


def test_facts_come_back_in_order_with_who_and_when(journal: Journal) -> None:
    assert put(journal, "monday", 0, result(1), result(2)) == at("monday", 1, 2)
    assert put(journal, "monday", 2, TableMoved("A", 3)) == at("monday", 3, 3)
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
    put(journal, "monday", 0, result(1), result(2), command_id="phone 4711")
    put(journal, "monday", 2, result(3))
    again = put(journal, "monday", 3, result(1), result(2), command_id="phone 4711")
    assert again == at("monday", 1, 2, again=True)
    assert journal.find("phone 4711") == again
    assert journal.find("phone 4712") is None
    assert boards(journal, "monday") == [1, 2, 3]


def test_a_command_sent_again_after_its_session_began_anew_still_counts_once(journal: Journal) -> None:
    put(journal, "session/1", 0, result(1), command_id="phone 4711")
    assert put(journal, "session/2", 0, result(1), command_id="phone 4711") == at(
        "session/1", 1, 1, again=True
    )
    assert journal.head("session/2") == 0


def test_the_facts_of_one_command_may_go_to_several_streams(journal: Journal) -> None:
    put(journal, "event", 0, result(9))
    facts = [("event", result(1)), ("session", result(2)), ("event", result(3)), ("session", result(4))]
    together = journal.prepare(
        facts, {"event": 1, "other": 7}, command_id="open", at=EVENING, side="scoring", actor="club"
    )
    spans = (StreamSpan("event", 2, 3), StreamSpan("session", 1, 2))
    assert journal.append_all([together]) == [Appended(spans)]
    assert journal.append_all([together]) == [Appended(spans, again=True)]
    assert journal.find("open") == Appended(spans, again=True)
    assert (boards(journal, "event"), boards(journal, "session")) == ([9, 1, 3], [2, 4])


def test_all_streams_of_a_command_or_none(journal: Journal) -> None:
    put(journal, "session", 0, result(9))
    facts = [("event", result(1)), ("session", result(2))]
    together = journal.prepare(facts, {}, command_id="open", at=EVENING, side="scoring", actor="club")
    (conflict,) = journal.append_all([together])
    assert isinstance(conflict, VersionConflict)
    assert (conflict.stream, conflict.expected, conflict.found) == ("session", 0, 1)
    assert journal.heads() == {"session": 1}


def test_the_database_itself_holds_that_a_command_counts_once(journal: Journal) -> None:
    put(journal, "monday", 0, result(1), command_id="phone 4711")
    kind, schema, body = CODEC.encode(result(2))
    row = ("monday", 2, kind, schema, "", "", "", "phone 4711", 1, body, None)
    with pytest.raises(JournalError, match=r"(?i)unique"), journal.writing() as cursor:
        journal.engine.insert_facts(cursor, [row], 0)


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
        ]
    )
    assert outcomes == [at("monday", 1, 2), at("tuesday", 1, 1), at("monday", 3, 3)]
    assert (boards(journal, "monday"), boards(journal, "tuesday")) == ([1, 2, 3], [1])


def test_batches_after_a_conflict_are_not_appended(journal: Journal) -> None:
    put(journal, "monday", 0, result(1), result(2))
    # Decided at version 1, in this order; by chance the last expects the version the stream is really at.
    outcomes = journal.append_all(
        [
            batch(journal, "tuesday", 0, 1),
            batch(journal, "monday", 1, 7, command_id="a"),
            batch(journal, "wednesday", 0, 1),
            batch(journal, "monday", 2, 8, command_id="b"),
        ]
    )
    assert [type(outcome) for outcome in outcomes] == [Appended, VersionConflict]
    assert journal.heads() == {"monday": 2, "tuesday": 1}


def test_batches_after_a_repeated_command_are_not_appended(journal: Journal) -> None:
    put(journal, "monday", 0, result(1), command_id="a")
    group = [batch(journal, "monday", 0, 1, command_id="a"), batch(journal, "monday", 1, 2, command_id="b")]
    assert journal.append_all(group) == [at("monday", 1, 1, again=True)]
    assert journal.heads() == {"monday": 1}


def test_a_group_that_holds_a_command_twice_writes_it_once(journal: Journal) -> None:
    group = [batch(journal, "monday", 0, 1, command_id="a"), batch(journal, "monday", 1, 2, command_id="a")]
    assert journal.append_all(group) == [at("monday", 1, 1), at("monday", 1, 1, again=True)]
    assert boards(journal, "monday") == [1]


def test_streams_are_listed(journal: Journal) -> None:
    assert journal.streams() == []
    put(journal, "tuesday", 0, result(1))
    put(journal, "monday", 0, result(1))
    put(journal, "monday", 1, result(1), result(2))
    assert journal.streams() == [
        StreamSummary("monday", 3, EVENING, EVENING + timedelta(seconds=1)),
        StreamSummary("tuesday", 1, EVENING, EVENING),
    ]
    assert journal.heads() == {"monday": 3, "tuesday": 1}


def strike(journal: Journal, sql: str) -> None:
    with journal.writing() as cursor:
        cursor.execute(sql)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DELETE FROM journal WHERE version = 2", "Version 2 is missing"),
        ("DELETE FROM journal WHERE version = 3", "Version 3 is missing"),
        ("UPDATE journal SET body = '{}' WHERE version = 2", "version 2: .* cannot be read"),
        ("UPDATE journal SET at = 'noon' WHERE version = 2", "version 2: .*noon"),
        ("UPDATE journal SET body = replace(body, '{', '{\"cat\":1,') WHERE version = 1", "other fields"),
        ("UPDATE journal SET kind = 'cat fed' WHERE version = 1", "does not know"),
        ("DELETE FROM streams", "stream monday: The list of streams"),
        ("UPDATE streams SET version = 2", "stream monday: The list of streams"),
        ("INSERT INTO streams VALUES ('tuesday', 0, '', '')", "stream tuesday: The list of streams"),
    ],
)
def test_check_finds_a_damaged_fact(journal: Journal, sql: str, words: str) -> None:
    put(journal, "monday", 0, result(1), result(2), result(3))
    journal.check()
    strike(journal, sql)
    with pytest.raises(JournalError) as caught:
        journal.check()
    if isinstance(
        caught.value, JournalSetBack
    ):  # told once, where a new connection lacks what was seen before
        with pytest.raises(JournalError) as caught:
            journal.check()
    assert re.search(words, str(caught.value))


def test_a_bad_fact_leaves_nothing(journal: Journal) -> None:
    with pytest.raises(BadFact):
        put(journal, "monday", 0, result(1), result(2, table="four"))
    with pytest.raises(BadInput, match="without facts"):
        put(journal, "monday", 0)
    assert journal.head("monday") == 0


@pytest.mark.parametrize("text", ["", "a\0b", "\ud800", "x" * 201])
def test_names_that_an_engine_could_not_hold_are_refused(journal: Journal, text: str) -> None:
    with pytest.raises(BadInput, match="stream"):
        put(journal, text, 0, result(1), command_id="c")
    with pytest.raises(BadInput, match="command id"):
        journal.append("m", 0, [result(1)], command_id=text, at=EVENING, side="s", actor="a")


def test_a_time_without_a_zone_is_refused(journal: Journal) -> None:
    with pytest.raises(BadInput, match="no time zone"):
        journal.append("m", 0, [result(1)], command_id="c", at=datetime(2026, 2, 3), side="s", actor="a")


def test_the_longest_names_are_held(journal: Journal) -> None:
    longest = "♠" * 200
    journal.append(longest, 0, [result(1)], command_id=longest, at=EVENING, side="s", actor="")
    assert boards(journal, longest) == [1]


def test_any_text_without_surrogates_is_read_back(journal: Journal) -> None:
    strange = "Zoë ♠ ' \" \\ %s :x ? \u2028 🂡"
    then = datetime(2026, 2, 3, 20, 30, 0, 5, tzinfo=timezone(timedelta(hours=1)))
    fact = result(1, section=strange + "\0")
    journal.append(strange, 0, [fact], command_id=strange, at=then, side=strange, actor=strange)
    (entry,) = journal.read(strange)
    assert entry == JournalEntry(strange, 1, then, strange, strange, strange, fact)


def _put_items(journal: Journal, stream: str, *boards: int) -> None:
    facts = [(stream, result(board)) for board in boards]
    batch = journal.prepare(
        facts,
        {stream: journal.head(stream)},
        command_id=f"{stream} {boards}",
        at=EVENING,
        side="control",
        actor="",
        makes_item=lambda side, fact: fact.board % 2 == 1,
    )
    journal.append_all([batch])


def _items(journal: Journal, stream: str) -> list[int | None]:
    return [entry.item for entry in journal.read(stream)]


def test_ids_of_items_rise_across_streams_from_above_the_versions_of_before(journal: Journal) -> None:
    put(journal, "monday", 0, *(result(board) for board in range(1, 8)))
    rebuild(journal)
    _put_items(journal, "tuesday", 1, 2, 3)
    _put_items(journal, "wednesday", 1)
    _put_items(journal, "tuesday", 5)
    first, nothing, second, last = _items(journal, "tuesday")
    (other,) = _items(journal, "wednesday")
    assert nothing is None
    assert first is not None
    assert second is not None
    assert other is not None
    assert last is not None
    assert 7 < first < second < other < last < 2**31
    assert _items(journal, "monday") == [None] * 7


def test_ids_of_items_are_unique_among_nodes(open_again: Callable[[], Journal]) -> None:
    first, second = open_again(), open_again()
    for board in (1, 3, 5):
        _put_items(first, "monday", board)
        _put_items(second, "tuesday", board)
    for stream in ("monday", "tuesday"):
        ids = [item for item in _items(first, stream) if item is not None]
        assert len(ids) == 3
        assert ids == sorted(ids)
    assert len({*_items(first, "monday"), *_items(first, "tuesday")}) == 6


def test_long_streams_are_read_in_pieces(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    put(journal, "monday", 0, *(result(board) for board in range(1, 8)))
    for chunk in (1, 2, 7, 8):
        monkeypatch.setattr(journal_module, "CHUNK", chunk)
        assert boards(journal, "monday") == [1, 2, 3, 4, 5, 6, 7]
        assert boards(journal, "monday", after=3) == [4, 5, 6, 7]


def test_a_fact_of_the_future_is_refused_where_it_stands(open_again: Callable[[], Journal]) -> None:
    with open_again() as journal:
        put(journal, "monday", 0, result(1), TableMoved("A", 2))
        older = Journal(journal.engine, Codec({"result entered": type(result(1))}, texts=CODEC._texts))
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
                for _ in range(1000):
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
            thread.join(30)
    with open_again() as journal:
        entries = list(journal.read("monday"))
    assert sorted(done) == list(range(8))
    assert [entry.version for entry in entries] == list(range(1, 41))
    assert sorted(entry.fact.board for entry in entries) == sorted(list(range(8)) * 5)


def test_a_failed_commit_leaves_nothing_and_the_next_one_works(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise RuntimeError("the disk is on fire")

    put(journal, "monday", 0, result(1))
    with monkeypatch.context() as patch:
        patch.setattr(journal, "_append_in_order", fail)
        with pytest.raises(RuntimeError, match="on fire"):
            put(journal, "monday", 1, result(2))
    assert boards(journal, "monday") == [1]
    put(journal, "monday", 1, result(3))
    assert boards(journal, "monday") == [1, 3]


def test_facts_appended_while_holding_are_durable_after_the_block(
    open_again: Callable[[], Journal],
) -> None:
    journal, other = open_again(), open_again()
    woken: list[dict[str, int]] = []
    with journal.woken("monday", lambda: woken.append(other.heads())):
        with journal.holding({"monday": True}):
            put(journal, "monday", 0, result(1))
            assert (other.heads(), woken) == ({}, [])
        assert {"monday": 1} in woken
    assert other.heads() == {"monday": 1}

    def fail() -> None:
        with journal.holding({"monday": True}):
            put(journal, "monday", 1, result(2))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert other.heads() == {"monday": 1}
    put(journal, "monday", 1, result(2))


def test_many_commands_are_found_with_one_look(journal: Journal) -> None:
    for number in range(3):
        put(journal, "monday", 2 * number, result(1), result(2), command_id=f"phone {number}")
    asked = ["phone 1", *(f"other {number}" for number in range(600)), "phone 2"]
    assert journal.find_all(asked) == {
        "phone 1": at("monday", 3, 4, again=True),
        "phone 2": at("monday", 5, 6, again=True),
    }
    assert journal.find_all([]) == {}


@pytest.mark.parametrize(
    "sql", ["DELETE FROM streams", "UPDATE streams SET version = 1", "UPDATE streams SET version = 3"]
)
def test_facts_are_appended_while_the_list_of_streams_is_damaged(journal: Journal, sql: str) -> None:
    """The list only repeats what the facts say, and appending puts it right."""
    put(journal, "monday", 0, result(1), result(2))
    strike(journal, sql)
    assert put(journal, "monday", 2, result(3)) == at("monday", 3, 3)
    assert boards(journal, "monday") == [1, 2, 3]
    journal.check()


def test_a_group_that_leaves_out_a_version_is_a_conflict(journal: Journal) -> None:
    group = [batch(journal, "monday", 0, 1), batch(journal, "monday", 2, 2)]
    appended, conflict = journal.append_all(group)
    assert appended == at("monday", 1, 1)
    assert isinstance(conflict, VersionConflict)
    assert (conflict.expected, conflict.found) == (2, 1)
    assert boards(journal, "monday") == [1]


def test_position_stays_the_same_until_somebody_appends(open_again: Callable[[], Journal]) -> None:
    journal, other = open_again(), open_again()
    position = journal.position()
    put(other, "monday", 0, result(1))
    if position is None:  # PostgreSQL does not count what others change
        assert journal.position() is None
        return
    theirs = journal.position()
    assert theirs is not None
    assert theirs != position
    assert journal.position() == theirs
    put(journal, "monday", 1, result(2))
    assert journal.position() == theirs.after_append()
    put(journal, "monday", 2, result(3))
    put(journal, "tuesday", 0, result(1))
    assert journal.position() == theirs.after_append().after_append().after_append()
    put(other, "wednesday", 0, result(1))
    assert journal.position() != theirs.after_append().after_append().after_append()


def test_position_after_a_reconnect_is_another_one(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine counts changes for each connection from its start."""
    before = journal.position()
    with monkeypatch.context() as patch:
        patch.setattr(journal.engine, "begin", lambda cursor, *given: cursor.execute("BEGIN STRANGELY"))
        with pytest.raises(JournalError):
            put(journal, "monday", 0, result(1))
    assert before is None or journal.position() != before
    put(journal, "monday", 0, result(1))
