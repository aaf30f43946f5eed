"""The writer, on a tiny game: a session takes each board once."""

import asyncio
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from overtrick.event import FACTS, Command, OpenEvent, Rejection, Transaction
from overtrick.event.results import EnterResult
from overtrick.host import writer as writer_module
from overtrick.host.runtime import runtime_writer
from overtrick.host.writer import Submission, Writer, WriterLoop
from overtrick.store import Appended, Journal, JournalEntry, StreamSpan, open_journal
from overtrick.store.codec import event_codec
from overtrick.store.errors import BadFact, JournalUnavailable, StreamLocked, VersionConflict
from overtrick.store.journal import CommandBatch
from overtrick.store.limited_connection import LimitedConnection
from tests.event.evenings import SESSION, entry, plan
from tests.store.tiny import CODEC, EVENING, boards, put, result
from tests.waiting import wait_for, wait_for_async

Answer = Appended | str


class Enter(NamedTuple):
    """Enter a board in a session."""

    session: str
    board: int


class Placed(NamedTuple):
    stream: str
    fact: Any


@dataclass
class Evening:
    boards: dict[str, list[int]] = field(default_factory=dict)
    folds: int = 0


def play(evening: Evening, command: Enter) -> list[Placed] | str:
    """Facts for one session, and for board 1013 also for the event; a board comes once, and 77 in one session."""
    if command.board in evening.boards.get(command.session, ()):
        return f"Board {command.board} is there."
    if command.board == 77 and any(77 in there for there in evening.boards.values()):
        return "Board 77 is elsewhere."
    if command.board == 0:
        return []
    if command.board < 0:
        raise ZeroDivisionError("a rule is broken")
    fact = result(command.board, table="four" if command.board == 1099 else 4)
    also = [Placed("event", result(1013))] if command.board == 1013 else []
    return [Placed(command.session, fact), *also]


def apply(evening: Evening, stream: str, fact: Any) -> None:
    if fact.board == 1066:
        raise LookupError("1066 cannot be applied")
    evening.boards.setdefault(stream, []).append(fact.board)


def streams_of(evening: Evening, command: Enter) -> dict[str, bool]:
    """Its session; for board 77 all. That board 1013 goes to the event too, only the decision tells."""
    everywhere = ("monday", "tuesday", "event") if command.board == 77 else ()
    return {command.session: True, **dict.fromkeys(everywhere, True)}


def make_writer(journal: Journal) -> Writer[Evening, Enter, str]:
    return Writer(
        journal,
        start=lambda load: Evening(),
        decide=play,
        streams=streams_of,
        apply=apply,
        clock=lambda: EVENING,
    )


def enter(session: str, board: int, command_id: str = "") -> Submission[Enter]:
    return Submission(Enter(session, board), command_id or f"enter {session} {board}", "control", "A4")


def at(stream: str, version: int, *, again: bool = False) -> Appended:
    return Appended((StreamSpan(stream, version, version),), again)


def test_a_command_becomes_facts_or_a_refusal(journal: Journal) -> None:
    writer = make_writer(journal)
    assert writer.write(enter("monday", 1)) == at("monday", 1)
    assert writer.write(enter("monday", 1, "another id")) == "Board 1 is there."
    assert writer.write(enter("monday", 0)) == Appended(())
    assert writer.write(enter("monday", 1013)) == Appended(
        (StreamSpan("monday", 2, 2), StreamSpan("event", 1, 1))
    )
    (first, _) = journal.read("monday")
    assert (first.at, first.side, first.actor, first.command_id) == (
        EVENING,
        "control",
        "A4",
        "enter monday 1",
    )


def test_the_same_command_gets_the_first_answer(journal: Journal) -> None:
    writer = make_writer(journal)
    writer.write(enter("monday", 1))
    assert writer.write(enter("monday", 1)) == at("monday", 1, again=True)
    assert make_writer(journal).write(enter("monday", 1)) == at("monday", 1, again=True)
    assert boards(journal, "monday") == [1]


def test_a_group_is_decided_in_order_with_one_commit(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = make_writer(journal)
    commits = race(monkeypatch, journal, lambda call: None)
    answers = writer.write_all(
        [
            enter("monday", 1),
            enter("monday", 1, "b"),
            enter("tuesday", 1),
            enter("monday", 2),
            enter("monday", 0),
        ]
    )
    assert answers == [at("monday", 1), "Board 1 is there.", at("tuesday", 1), at("monday", 2), Appended(())]
    assert commits == [3]


def test_a_command_twice_in_a_group_counts_once(journal: Journal) -> None:
    group = [enter("monday", 1), enter("monday", 1), enter("monday", 2), enter("monday", 1)]
    again = at("monday", 1, again=True)
    assert make_writer(journal).write_all(group) == [at("monday", 1), again, at("monday", 2), again]


def test_error_of_one_command_does_not_fail_its_group(journal: Journal) -> None:
    writer = make_writer(journal)
    first, broken, bad, last = writer.write_all(
        [enter("monday", 1), enter("monday", -1), enter("monday", 1099), enter("monday", 2)]
    )
    assert (first, last) == (at("monday", 1), at("monday", 2))
    assert isinstance(broken, ZeroDivisionError)
    assert isinstance(bad, BadFact)
    with pytest.raises(ZeroDivisionError):
        writer.write(enter("monday", -1))


def test_a_fact_that_cannot_be_applied_fails_its_command(journal: Journal) -> None:
    writer = make_writer(journal)
    first, poison, last = writer.write_all([enter("monday", 1), enter("monday", 1066), enter("monday", 2)])
    assert (first, last) == (at("monday", 1), at("monday", 2))
    assert isinstance(poison, LookupError)
    assert boards(journal, "monday") == [1, 2]
    assert writer.write(enter("monday", 2, "b")) == "Board 2 is there."


def test_facts_of_another_node_are_read_before_deciding(open_again: Callable[[], Journal]) -> None:
    ours, theirs = make_writer(open_again()), make_writer(open_again())
    ours.write(enter("monday", 1))
    theirs.write(enter("monday", 2))
    theirs.write(enter("tuesday", 5))
    assert ours.write(enter("monday", 2, "b")) == "Board 2 is there."
    assert ours.write(enter("tuesday", 6)) == at("tuesday", 2)


def test_streams_are_read_only_if_another_writer_may_have_appended(
    open_again: Callable[[], Journal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With PostgreSQL, which does not count what others change, a writer reads when it locks."""
    journal, other = open_again(), open_again()
    writer, looks, heads = make_writer(journal), list[str](), journal.heads
    locks_and_reads = journal.position() is None

    def look(names: object = None) -> dict[str, int]:
        looks.append("look")
        return heads()

    def looked(times: int) -> bool:
        """At PostgreSQL only for the first fold, and to read without a lock."""
        return len(looks) == (2 if locks_and_reads else times)

    monkeypatch.setattr(journal, "heads", look)
    writer.write(enter("monday", 1))
    writer.write_all([enter("monday", 2), enter("tuesday", 1), enter("monday", 0)])
    writer.write(enter("monday", 1, "refused"))
    with writer.reading():
        assert looked(1)
    put(other, "monday", 2, result(3))
    assert writer.write(enter("monday", 3, "b")) == "Board 3 is there."
    assert looked(2)
    put(journal, "monday", 3, result(4))  # past this writer, in its own process
    assert writer.write(enter("monday", 4, "b")) == "Board 4 is there."
    assert looked(3)
    writer.write_all([enter("monday", 5), enter("monday", 5), enter("monday", 6)])
    assert writer.write(enter("monday", 6, "b")) == "Board 6 is there."
    assert looked(3)


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_command_sent_again_gets_the_first_answer_whatever_would_be_decided_now(
    journal: Journal, is_alone: bool
) -> None:
    first = make_writer(journal)
    sent = [enter("monday", board, f"id {board}") for board in (1, 2, 3, 4)]
    said = first.write_all(sent)
    first.write(enter("tuesday", 9))
    boards_now = {"id 1": 1, "id 2": 0, "id 3": -1, "id 4": 7}  # refused, no change, an error, and facts
    again = [enter("monday", boards_now[one.command_id], one.command_id) for one in sent]
    writer = make_writer(journal)
    answers = [writer.write(one) for one in again] if is_alone else writer.write_all(again)
    assert answers == [Appended(one.spans, again=True) for one in said if isinstance(one, Appended)]
    assert boards(journal, "monday") == [1, 2, 3, 4]
    assert writer.write(enter("monday", 4, "b")) == "Board 4 is there."


@pytest.mark.parametrize("seed", range(5))
def test_commands_one_by_one_are_decided_on_what_the_journal_says(
    open_again: Callable[[], Journal], seed: int
) -> None:
    """Answers and state equal those of the journal, with other writers and repeated commands."""
    chance = random.Random(seed)
    journal, theirs = open_again(), make_writer(open_again())
    writer = make_writer(journal)

    def any_command(name: str) -> Submission[Enter]:
        board = chance.choice([0, 1, 2, 3, 4, 5, 77, 1013])
        return enter(chance.choice(["monday", "tuesday"]), board, f"{name} {chance.randrange(30)}")

    for _ in range(60):
        if chance.random() < 0.3:
            theirs.write(any_command("theirs"))
        command = any_command("ours")
        now = {stream: boards(journal, stream) for stream in journal.heads()}
        before, decided = journal.find(command.command_id), play(Evening(now), command.command)
        answer = writer.write(command)
        if before is not None or isinstance(decided, str):
            assert answer == (before or decided)
        else:
            assert isinstance(answer, Appended)
            assert sum(span.last - span.first + 1 for span in answer.spans) == len(decided)
        with writer.reading() as evening:
            assert evening.boards == {stream: boards(journal, stream) for stream in journal.heads()}


def race(monkeypatch: pytest.MonkeyPatch, journal: Journal, theirs: Callable[[int], object]) -> list[int]:
    """Let another node write just before each of our appends."""
    append_all, calls = journal.append_all, list[int]()

    def late(group: Any) -> Any:
        calls.append(len(group))
        theirs(len(calls))
        return append_all(group)

    monkeypatch.setattr(journal, "append_all", late)
    return calls


def test_fact_of_another_node_between_read_and_lock_is_seen(
    open_again: Callable[[], Journal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another node takes board 2 just before we lock the session: we decide on what it wrote."""
    journal, other = open_again(), open_again()
    writer, theirs = make_writer(journal), make_writer(other)
    writer.write(enter("monday", 9))
    state, holding = writer._state, journal.holding

    def late(streams: dict[str, bool], *arguments: Any, **options: Any) -> AbstractContextManager[Any]:
        theirs.write(enter("monday", 2, "theirs"))
        return holding(streams, *arguments, **options)

    monkeypatch.setattr(journal, "holding", late)
    answers = writer.write_all([enter("monday", 1), enter("monday", 2), enter("tuesday", 3)])
    assert answers == [at("monday", 3), "Board 2 is there.", at("tuesday", 1)]
    assert boards(journal, "monday") == [9, 2, 1]
    assert writer._state is state, "nothing was folded anew"


def test_commands_whose_facts_met_a_locked_row_are_decided_again(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The facts of the first attempt were in the writer's state, though not in the journal."""
    writer = make_writer(journal)
    append_all, failures = Journal.append_all, [StreamLocked("A row is locked. Nothing was written.")]

    def fail_once(self: Journal, batches: Sequence[CommandBatch]) -> object:
        if failures:
            raise failures.pop()
        return append_all(self, batches)

    monkeypatch.setattr(Journal, "append_all", fail_once)
    answers = writer.write_all([enter("monday", 1), enter("monday", 2), enter("monday", 3)])
    assert answers == [at("monday", 1), at("monday", 2), at("monday", 3)]
    assert failures == []
    assert boards(journal, "monday") == [1, 2, 3]


def test_a_group_is_written_with_two_messages_to_the_server(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes on one session wait for each other for so long: lock and read, then append and commit."""
    with open_journal(database, CODEC) as ours, open_journal(database, CODEC) as theirs:
        monkeypatch.setattr(ours.engine, "announce", lambda streams: None)
        writer, node = make_writer(ours), make_writer(theirs)
        writer.write_all([enter("monday", 1), enter("tuesday", 1)])
        node.write_all([enter("monday", 2), enter("tuesday", 2)])
        wait, messages, ours_thread = LimitedConnection.wait, 0, threading.get_ident()

        def count(connection: LimitedConnection, *arguments: Any, **options: Any) -> Any:
            nonlocal messages
            # The other node notifies and both look for news in threads of their own.
            messages += threading.get_ident() == ours_thread
            return wait(connection, *arguments, **options)

        monkeypatch.setattr(LimitedConnection, "wait", count)
        group = [enter("monday", 3), enter("monday", 2, "refused"), enter("tuesday", 3), enter("monday", 4)]
        assert writer.write_all(group) == [
            at("monday", 3),
            "Board 2 is there.",
            at("tuesday", 3),
            at("monday", 4),
        ]
        assert messages == 2


def test_commands_that_come_while_another_node_has_the_lock_share_a_commit(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_journal(database, CODEC) as asleep, open_journal(database, CODEC) as ours:
        writer = make_writer(ours)
        writer.write_all([enter("monday", 1), enter("tuesday", 1)])
        groups, append_all, begin = list[int](), ours.append_all, ours.engine.begin
        begins = threading.Event()

        def note(batches: Sequence[CommandBatch]) -> Any:
            groups.append(len(batches))
            return append_all(batches)

        def tell(*arguments: Any) -> Any:
            begins.set()
            return begin(*arguments)

        async def evening() -> None:
            async with WriterLoop(writer) as writing:
                with asleep.holding({"monday": True}):
                    first = asyncio.create_task(writing.submit(enter("monday", 2)))
                    assert await asyncio.to_thread(begins.wait, 30)
                    late = [
                        enter("monday", 3),
                        enter("monday", 1, "refused"),
                        enter("monday", 2),
                        enter("tuesday", 2),
                    ]
                    others = [asyncio.create_task(writing.submit(each)) for each in late]
                    await wait_for_async(lambda: writing._inbox.qsize() == 4)
                assert await first == at("monday", 2)
                assert await asyncio.gather(*others) == [
                    at("monday", 3),
                    "Board 1 is there.",
                    at("monday", 2, again=True),
                    at("tuesday", 2),
                ]

        monkeypatch.setattr(ours, "append_all", note)
        monkeypatch.setattr(ours.engine, "begin", tell)
        asyncio.run(asyncio.wait_for(evening(), 50))
        assert groups[0] == 2, "those that need other streams, and the same command, come in another round"


def test_a_session_that_another_node_keeps_locked_holds_up_no_other(database: str) -> None:
    with (
        open_journal(database, CODEC) as asleep,
        open_journal(f"{database}%20-clock_timeout%3D300", CODEC) as ours,
    ):
        writer = make_writer(ours)
        writer.write_all([enter("monday", 1), enter("tuesday", 1)])
        with asleep.holding({"monday": True}):
            group = [enter("monday", 2), enter("tuesday", 2), enter("monday", 3), enter("tuesday", 3)]
            first, second, third, fourth = writer.write_all(group)
        assert (second, fourth) == (at("tuesday", 2), at("tuesday", 3))
        assert isinstance(first, StreamLocked)
        assert isinstance(third, StreamLocked)
        assert writer.write_all(group)[0::2] == [at("monday", 2), at("monday", 3)]


def test_another_node_waits_until_we_have_written_what_we_decided(
    open_again: Callable[[], Journal], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, other = open_again(), open_again()
    writer = make_writer(journal)
    late = threading.Thread(target=make_writer(other).write, args=(enter("monday", 2, "theirs"),))

    def theirs(call: int) -> None:
        late.start()
        late.join(0.2)
        assert late.is_alive()

    calls = race(monkeypatch, journal, theirs)
    assert writer.write_all([enter("monday", 1), enter("tuesday", 1)]) == [at("monday", 1), at("tuesday", 1)]
    late.join(30)
    assert calls == [2]
    assert boards(journal, "monday") == [1, 2]


def test_a_decision_that_needs_another_stream_is_taken_again_with_it_locked(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Board 1013 is written to the event too, which nobody could know before it was decided."""
    held, holding = list[set[str]](), journal.holding

    def note(streams: dict[str, bool], *arguments: Any, **options: Any) -> AbstractContextManager[Any]:
        held.append(set(streams))
        return holding(streams, *arguments, **options)

    monkeypatch.setattr(journal, "holding", note)
    commits = race(monkeypatch, journal, lambda call: None)
    answers = make_writer(journal).write_all(
        [enter("monday", 1), enter("monday", 1013), enter("monday", 2), enter("monday", 1013, "b")]
    )
    assert answers == [
        at("monday", 1),
        Appended((StreamSpan("monday", 2, 2), StreamSpan("event", 1, 1))),
        at("monday", 3),
        "Board 1013 is there.",
    ]
    assert held == [{"monday"}, {"monday", "event"}]
    assert commits == [1, 2]


def test_command_that_always_needs_more_streams_fails(journal: Journal) -> None:
    streams = iter(range(10_000))
    writer: Writer[Evening, Enter, str] = Writer(
        journal,
        start=lambda load: Evening(),
        decide=play,
        streams=lambda evening, command: {f"stream {next(streams)}": True},
        apply=apply,
    )
    told, refused = writer.write_all([enter("monday", 1), enter("monday", 2)])
    assert isinstance(told, JournalUnavailable)
    assert isinstance(refused, JournalUnavailable)
    assert boards(journal, "monday") == []


def test_the_same_command_on_two_nodes_counts_once(
    open_again: Callable[[], Journal], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, other = open_again(), open_again()
    writer, holding = make_writer(journal), journal.holding

    def late(streams: dict[str, bool], *arguments: Any, **options: Any) -> AbstractContextManager[Any]:
        make_writer(other).write(enter("monday", 1))
        return holding(streams, *arguments, **options)

    monkeypatch.setattr(journal, "holding", late)
    assert writer.write_all([enter("monday", 1), enter("monday", 2)]) == [
        at("monday", 1, again=True),
        at("monday", 2),
    ]
    assert boards(journal, "monday") == [1, 2]


def test_two_busy_nodes_write_all_their_commands(open_again: Callable[[], Journal]) -> None:
    """Both write to one session all the time, so nearly every group meets the other's."""
    answers: dict[str, list[Answer | Exception]] = {"north": [], "south": []}

    def score(node: str) -> None:
        writer = make_writer(open_again())
        for turn in range(0, 90, 3):
            boards = range(turn, turn + 3)
            answers[node] += writer.write_all(
                [
                    enter("monday", board + (1 if node == "north" else 501), f"{node} {board}")
                    for board in boards
                ]
            )

    open_again()
    nodes = [threading.Thread(target=score, args=(node,)) for node in answers]
    for node in nodes:
        node.start()
    for node in nodes:
        node.join(30)
    assert {type(answer) for told in answers.values() for answer in told} == {Appended}
    kept = boards(open_again(), "monday")
    assert sorted(kept) == [*range(1, 91), *range(501, 591)]
    # Each node's own order is kept.
    assert [board for board in kept if board < 500] == list(range(1, 91))


def test_failed_commit_is_an_error_and_leaves_no_state(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = make_writer(journal)
    writer.write(enter("monday", 1))

    def fail(group: object) -> None:
        raise JournalUnavailable("The disk is full; nothing was written.")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "append_all", fail)
        told = writer.write_all(
            [enter("monday", 2), enter("monday", 2, "b"), enter("monday", 1), enter("monday", 3)]
        )
    # The second was refused because of the first, which is not so: it must not be told that.
    assert [type(answer) for answer in told] == [
        JournalUnavailable,
        JournalUnavailable,
        Appended,
        JournalUnavailable,
    ]
    assert writer.write(enter("monday", 3)) == at("monday", 2)
    assert writer.write(enter("monday", 2, "b")) == at("monday", 3)


def test_a_lone_command_that_fails_drops_the_state(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = make_writer(journal)
    writer.write(enter("monday", 1))

    def fail(group: object) -> None:
        raise JournalUnavailable("The disk is full; nothing was written.")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "append_all", fail)
        with pytest.raises(JournalUnavailable):
            writer.write(enter("monday", 2))
    assert writer._state is None
    assert writer.write(enter("monday", 2)) == at("monday", 2)


@pytest.mark.parametrize("boards_entered", [[2], [2, 3, 4]])
def test_a_writer_that_is_interrupted_drops_the_state(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, boards_entered: list[int]
) -> None:
    writer = make_writer(journal)
    writer.write(enter("monday", 1))

    def interrupt(group: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(journal, "append_all", interrupt)
        with pytest.raises(KeyboardInterrupt):
            writer.write_all([enter("monday", board) for board in boards_entered])
    with writer.reading() as evening:
        assert evening.boards == {"monday": [1]}
    assert writer.write(enter("monday", 2)) == at("monday", 2)


def test_unreadable_journal_is_reported_to_all_senders(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(names: object = None) -> None:
        raise JournalUnavailable("gone")

    writer = make_writer(journal)
    monkeypatch.setattr(journal, "heads", fail)
    told = writer.write_all([enter("monday", 1), enter("monday", 2)])
    assert [type(answer) for answer in told] == [JournalUnavailable] * 2


def test_a_state_that_failed_half_way_is_not_used(journal: Journal) -> None:
    """The next reader or writer starts from the journal again."""
    failing = [True]

    def apply_by_half(evening: Evening, stream: str, fact: Any) -> None:
        apply(evening, stream, fact)
        if failing and fact.board == 2:
            failing.clear()
            raise LookupError("half way")

    put(journal, "monday", 0, result(1), result(2), result(3))
    writer = Writer(
        journal,
        start=lambda load: Evening(),
        decide=play,
        streams=streams_of,
        apply=apply_by_half,
        clock=lambda: EVENING,
    )
    with pytest.raises(LookupError), writer.reading():
        pass
    with writer.reading() as evening:
        assert evening.boards == {"monday": [1, 2, 3]}


def test_a_fact_that_is_durable_and_fails_half_way_is_read_again(journal: Journal) -> None:
    failing: list[int] = []

    def apply_by_half(evening: Evening, stream: str, fact: Any) -> None:
        apply(evening, stream, fact)
        if failing:
            failing.clear()
            raise LookupError("half way")

    writer = Writer(
        journal,
        start=lambda load: Evening(),
        decide=play,
        streams=streams_of,
        apply=apply_by_half,
        clock=lambda: EVENING,
    )
    writer.write(enter("monday", 1))
    failing.append(2)
    assert writer.write(enter("monday", 2)) == at("monday", 2)
    with writer.reading() as evening:
        assert evening.boards == {"monday": [1, 2]}


def test_many_tasks_share_commits(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = race(monkeypatch, journal, lambda call: None)

    async def evening() -> list[Answer]:
        async with WriterLoop(make_writer(journal)) as writing:
            return await asyncio.gather(*(writing.submit(enter("monday", board)) for board in range(1, 201)))

    answers = asyncio.run(evening())
    assert answers == [at("monday", board) for board in range(1, 201)]
    assert boards(journal, "monday") == list(range(1, 201))
    assert len(commits) < 20


def test_threads_share_commits(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = race(monkeypatch, journal, lambda call: None)
    writer = make_writer(journal)
    with ThreadPoolExecutor(8) as pool:
        with writer.reading():  # nobody writes meanwhile
            sent = [pool.submit(writer.write, enter("monday", board)) for board in range(1, 9)]
            wait_for(lambda: len(writer._inbox) == 8)
        answers = [each.result() for each in sent]
    assert sorted(answers, key=str) == [at("monday", version) for version in range(1, 9)]
    assert sorted(boards(journal, "monday")) == list(range(1, 9))
    assert len(commits) == 1


def test_commands_of_other_threads_are_written_after_an_interrupt(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = make_writer(journal)
    append_all, interrupted = journal.append_all, list[int]()

    def interrupt_once(group: Sequence[CommandBatch]) -> list[Appended | VersionConflict]:
        if not interrupted:
            interrupted.append(len(group))
            raise KeyboardInterrupt
        return append_all(group)

    monkeypatch.setattr(journal, "append_all", interrupt_once)
    with ThreadPoolExecutor(4) as pool:
        with writer.reading():
            sent = [pool.submit(writer.write, enter("monday", board)) for board in range(1, 5)]
            wait_for(lambda: len(writer._inbox) == 4)
        failures = [each.exception() for each in sent]
    assert [type(failure) for failure in failures if failure is not None] == [KeyboardInterrupt]
    assert interrupted == [4]
    assert sorted(boards(journal, "monday")) == [
        board for board, failure in enumerate(failures, start=1) if failure is None
    ]


def test_full_queue_makes_senders_wait_and_loses_no_command(journal: Journal) -> None:
    async def evening() -> None:
        async with WriterLoop(make_writer(journal), waiting=2) as writing:
            sending = [asyncio.create_task(writing.submit(enter("monday", board))) for board in range(1, 31)]
            await asyncio.sleep(0)
        # The block has ended while most still waited for a place.
        answers = await asyncio.gather(*sending)
        assert answers == [at("monday", board) for board in range(1, 31)]
        with pytest.raises(JournalUnavailable, match="being closed"):
            await writing.submit(enter("monday", 31))

    asyncio.run(asyncio.wait_for(evening(), 30))


def test_errors_go_to_their_sender_alone(journal: Journal) -> None:
    async def evening() -> list[Any]:
        async with WriterLoop(make_writer(journal)) as writing:
            sent = [enter("monday", 1), enter("monday", -1), enter("monday", 1, "b")]
            return await asyncio.gather(*(writing.submit(each) for each in sent), return_exceptions=True)

    first, broken, refused = asyncio.run(evening())
    assert first == at("monday", 1)
    assert isinstance(broken, ZeroDivisionError)
    assert refused == "Board 1 is there."


def test_cancelled_submission_is_still_written(journal: Journal) -> None:
    async def evening() -> None:
        async with WriterLoop(make_writer(journal)) as writing:
            given_up = asyncio.create_task(writing.submit(enter("monday", 1)))
            await asyncio.sleep(0)
            given_up.cancel()
            assert await writing.submit(enter("monday", 2)) == at("monday", 2)

    asyncio.run(evening())
    assert boards(journal, "monday") == [1, 2]


def test_a_real_event_is_written_and_folded_again(tmp_path: Path) -> None:
    opening = Submission(OpenEvent(SESSION, (plan(),)), "open", "scoring", "club")
    scored = Submission(EnterResult(SESSION, entry(1, 1, 1, "4SN=")), "score", "control", "A1")
    strange = Submission(EnterResult(SESSION, entry(9, 1, 1, "4SN=")), "strange", "control", "A9")
    with open_journal(tmp_path / "club.overtrick", event_codec()) as journal:
        writer = runtime_writer(journal)
        opened, result, refused = writer.write_all([opening, scored, strange])
        assert isinstance(opened, Appended)
        assert {span.stream for span in opened.spans} == {f"event/{SESSION}", f"session/{SESSION}/1"}
        assert isinstance(result, Appended)
        assert isinstance(refused, Rejection)
        again = runtime_writer(journal)
        assert again.write(opening) == Appended(opened.spans, again=True)
        with again.reading() as folded, writer.reading() as moved:
            assert folded.session(SESSION) is not None
            assert folded == moved
        assert {type(each.fact) for each in journal.read(f"session/{SESSION}/1")} <= set(FACTS.values())
        journal.check()


OTHER = "F" * 32


def test_only_the_session_of_a_command_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_journal(tmp_path / "club.overtrick", event_codec()) as journal:
        for guid in (SESSION, OTHER):
            assert isinstance(runtime_writer(journal).write(opening(guid)), Appended)
        read, streams = journal.read, list[str]()

        def note(stream: str, after: int = 0) -> Iterator[JournalEntry]:
            streams.append(stream)
            return read(stream, after)

        monkeypatch.setattr(journal, "read", note)
        scored = Submission(EnterResult(OTHER, entry(1, 1, 1, "4SN=")), "score", "control", "A1")
        assert isinstance(runtime_writer(journal).write(scored), Appended)
        assert streams == [f"event/{OTHER}", f"session/{OTHER}/1"]


def test_a_session_that_another_node_opened_again_is_seen(tmp_path: Path) -> None:
    with open_journal(tmp_path / "club.overtrick", event_codec()) as journal:
        writer, node = runtime_writer(journal), runtime_writer(journal)
        assert isinstance(writer.write(opening(SESSION)), Appended)
        assert isinstance(node.write(opening(SESSION, "again")), Appended)
        scored = Submission(EnterResult(SESSION, entry(1, 1, 1, "4SN=")), "score", "control", "A1")
        answer = writer.write(scored)
        assert isinstance(answer, Appended)
        assert [span.stream for span in answer.spans] == [f"session/{SESSION}/2"]


def test_unused_session_is_dropped_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_journal(tmp_path / "club.overtrick", event_codec()) as journal:
        writer, node = runtime_writer(journal), runtime_writer(journal)
        for guid in (SESSION, OTHER):
            assert isinstance(writer.write(opening(guid)), Appended)
        monkeypatch.setattr(writer_module, "UNUSED", 0.0)
        for board, guid in ((1, SESSION), (2, OTHER), (3, OTHER)):
            scored = Submission(EnterResult(guid, entry(1, 1, board, "4SN=")), f"{board}", "control", "A1")
            assert isinstance(node.write(scored), Appended)
            with writer.reading() as state:
                assert state.session(OTHER) is not None
        with writer.reading() as state:
            assert list(state.incarnations) == [OTHER]
            assert state.session(SESSION) is not None
        scored = Submission(EnterResult(SESSION, entry(1, 1, 2, "4SN=")), "more", "control", "A1")
        assert isinstance(writer.write(scored), Appended)


def test_lone_writer_drops_unused_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_journal(tmp_path / "club.overtrick", event_codec()) as journal:
        writer = runtime_writer(journal)
        for guid in (SESSION, OTHER):
            assert isinstance(writer.write(opening(guid)), Appended)
        monkeypatch.setattr(writer_module, "UNUSED", 0.0)
        for board in (1, 2, 3):
            scored = Submission(EnterResult(OTHER, entry(1, 1, board, "4SN=")), f"{board}", "control", "A1")
            assert isinstance(writer.write(scored), Appended)
        with writer.reading() as state:
            assert list(state.incarnations) == [OTHER]


def test_session_of_a_command_that_waits_is_not_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_journal(tmp_path / "club.overtrick", event_codec()) as journal:
        writer = runtime_writer(journal)
        for guid in (SESSION, OTHER):
            assert isinstance(writer.write(opening(guid)), Appended)
        state = writer._state
        assert state is not None
        folded, waiting = state.session(SESSION), EnterResult(SESSION, entry(1, 1, 1, "4SN="))
        monkeypatch.setattr(writer_module, "UNUSED", 0.0)
        monkeypatch.setattr(writer_module, "GROUP", 1)
        state.requested.clear()
        scored = EnterResult(OTHER, entry(1, 1, 1, "4SN="))
        writer.write_all(
            [Submission(scored, "a", "control", "A1"), Submission(waiting, "b", "control", "A1")]
        )
        assert state.sessions[f"session/{SESSION}/1"] is folded
        state.requested.clear()
        writer.write_all([Submission(replace(scored, entry=entry(1, 1, 2, "4SN=")), "c", "control", "A1")])
        assert f"session/{SESSION}/1" not in state.sessions, "no command waits for it"


def test_transaction_loads_sessions_that_were_not_read_before(tmp_path: Path) -> None:
    with open_journal(tmp_path / "club.overtrick", event_codec()) as journal:
        for guid in (SESSION, OTHER):
            assert isinstance(runtime_writer(journal).write(opening(guid)), Appended)
        both = Transaction(tuple(EnterResult(guid, entry(1, 1, 1, "4SN=")) for guid in (SESSION, OTHER)))
        answer = runtime_writer(journal).write(Submission(both, "both", "control", "desk"))
        assert isinstance(answer, Appended)
        assert [span.stream for span in answer.spans] == [f"session/{guid}/1" for guid in (SESSION, OTHER)]


def opening(guid: str, name: str = "open") -> Submission[Command]:
    made = OpenEvent(guid, (replace(plan(), session=guid),))
    return Submission(made, f"{name} {guid}", "scoring", "club")


def test_waiting_task_gets_the_error_when_the_writer_fails(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = make_writer(journal)

    def fail(*given: object) -> None:
        raise RuntimeError("a mistake of ours")

    async def evening() -> None:
        async with WriterLoop(writer) as writing:
            with monkeypatch.context() as patch:
                patch.setattr(writer, "write_all", fail)
                with pytest.raises(RuntimeError, match="a mistake of ours"):
                    await writing.submit(enter("monday", 1))
            assert await writing.submit(enter("monday", 1)) == at("monday", 1)

    asyncio.run(asyncio.wait_for(evening(), 30))
