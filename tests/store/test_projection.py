import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overtrick.errors import OvertrickError
from overtrick.event import session_stream
from overtrick.event.setup import SessionChanged, SessionOpened
from overtrick.store import Journal, JournalEntry, open_journal
from overtrick.store import projection as projection_module
from overtrick.store.codec import event_codec
from overtrick.store.errors import JournalUnavailable
from overtrick.store.projection import LoadedSession, Projection, SessionProjections
from tests.store.tiny import CODEC, boards, put, result

GUID, OTHER = "A" * 32, "B" * 32
STREAMS = ("monday", "tuesday", "wednesday")

Folded = dict[str, list[int]]
"""A state that shows when a fact is missing, comes twice or comes too early."""


def fold(state: Folded, entry: JournalEntry) -> None:
    state.setdefault(entry.stream, []).append(entry.fact.board)


def from_the_start(journal: Journal, streams: Iterable[str]) -> Folded:
    return {stream: found for stream in streams if (found := boards(journal, stream))}


@dataclass
class Failing:
    """A journal that cannot be read at some moments, and a fold that fails at some facts, by half."""

    journal: Journal
    facts_until_read_fails: int | None = None
    facts_until_fold_fails: int | None = None
    reads: list[str] = field(default_factory=list)

    @property
    def set_backs(self) -> int:
        return self.journal.set_backs

    def head(self, stream: str) -> int:
        return self.journal.head(stream)

    def read(self, stream: str, after: int = 0) -> Iterator[JournalEntry]:
        self.reads.append(stream)
        for entry in self.journal.read(stream, after):
            if self.facts_until_read_fails is not None:
                if self.facts_until_read_fails == 0:
                    self.facts_until_read_fails = None
                    raise OvertrickError("The journal cannot be read now.")
                self.facts_until_read_fails -= 1
            yield entry

    def apply(self, state: Folded, entry: JournalEntry) -> None:
        fold(state, entry)
        if self.facts_until_fold_fails is not None:
            if self.facts_until_fold_fails == 0:
                self.facts_until_fold_fails = None
                raise ValueError("applied by half")
            self.facts_until_fold_fails -= 1


def check_prefixes(projection: Projection[Folded], told: Folded) -> None:
    for stream, found in projection.state.items():
        assert found == list(range(1, len(found) + 1)), "a fact is missing, or comes twice"
        assert projection.version(stream) == len(found)
        assert told[stream][: len(found)] == found, "told after each change"


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.sampled_from((0, 1)), st.sampled_from(STREAMS), st.integers(1, 4)),
        st.tuples(
            st.just("read"),
            st.sets(st.sampled_from(STREAMS)),
            st.one_of(st.none(), st.integers(1, 5)),
            st.just(0),
        ),
        st.tuples(st.just("fail read"), st.integers(0, 5), st.none(), st.just(0)),
        st.tuples(st.just("fail fold"), st.integers(0, 5), st.none(), st.just(0)),
        st.tuples(st.just("restart"), st.none(), st.none(), st.just(0)),
    ),
    max_size=30,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_any_order_of_appends_reads_failures_and_restarts_gives_the_fold_from_the_start(
    steps: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("journal") / "club.overtrick"
    with open_journal(path, CODEC) as one, open_journal(path, CODEC) as two:
        writers = (one, two)
        failing = Failing(one)

        def start() -> tuple[Projection[Folded], Folded]:
            projection: Projection[Folded] = Projection(failing, dict, failing.apply)
            told: Folded = {}

            def tell(entries: Sequence[JournalEntry]) -> None:
                for entry in entries:
                    fold(told, entry)

            projection.subscribe(tell)
            return projection, told

        def caught_up(streams: Iterable[str], most: int | None) -> bool:
            try:
                return projection.catch_up(streams, most)
            except (OvertrickError, ValueError):
                return False

        projection, told = start()
        for step, first, second, count in steps:
            match step:
                case "append":
                    head = one.head(second)
                    put(writers[first], second, head, *(result(head + 1 + more) for more in range(count)))
                case "read":
                    if caught_up(sorted(first), second):
                        for stream in first:
                            assert projection.state.get(stream, []) == boards(one, stream)
                case "fail read":
                    failing.facts_until_read_fails = first
                case "fail fold":
                    failing.facts_until_fold_fails = first
                case "restart":
                    projection, told = start()
            check_prefixes(projection, told)
        while not caught_up(STREAMS, None):
            pass
        assert projection.state == told == from_the_start(one, STREAMS)


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Journal]:
    with open_journal(tmp_path / "club.overtrick", CODEC) as journal:
        yield journal


def test_a_stream_is_read_when_it_is_asked_for_and_not_before(tiny: Journal) -> None:
    for stream in STREAMS:
        put(tiny, stream, 0, result(1))
    failing = Failing(tiny)
    projection: Projection[Folded] = Projection(failing, dict, fold)
    assert failing.reads == []
    projection.catch_up(["tuesday"])
    assert (failing.reads, projection.state) == (["tuesday"], {"tuesday": [1]})
    assert projection.behind(tiny.heads()) == ["monday", "wednesday"]


def test_streams_may_be_chosen_by_the_state_that_those_before_have_made(tiny: Journal) -> None:
    put(tiny, "monday", 0, result(1))
    put(tiny, "tuesday", 0, result(1))
    projection: Projection[Folded] = Projection(tiny, dict, fold)

    def chosen() -> Iterator[str]:
        yield "monday"
        if "monday" in projection.state:
            yield "tuesday"

    assert projection.catch_up(chosen())
    assert projection.state == {"monday": [1], "tuesday": [1]}


def test_facts_that_are_not_committed_are_not_shown(tiny: Journal) -> None:
    projection: Projection[Folded] = Projection(tiny, dict, fold)
    with tiny.holding({"monday": True}):
        put(tiny, "monday", 0, result(1))
        reader = threading.Thread(target=projection.catch_up, args=(["monday"],))
        reader.start()
        reader.join(30)
        assert projection.state == {}
    projection.catch_up(["monday"])
    assert projection.state == {"monday": [1]}


def test_many_threads_that_catch_up_apply_every_fact_once(tiny: Journal) -> None:
    put(tiny, "monday", 0, *(result(board) for board in range(1, 201)))
    projection: Projection[Folded] = Projection(tiny, dict, fold)
    threads = [threading.Thread(target=projection.catch_up, args=(["monday"],)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(50)
    assert projection.state == {"monday": list(range(1, 201))}


def test_a_subscriber_hears_only_what_comes_after_it_subscribed(tiny: Journal) -> None:
    put(tiny, "monday", 0, result(1))
    projection: Projection[Folded] = Projection(tiny, dict, fold)
    projection.catch_up(["monday"])
    told: list[int] = []
    projection.subscribe(lambda entries: told.extend(entry.version for entry in entries))
    put(tiny, "monday", 1, result(2))
    projection.forget()
    projection.catch_up(["monday"])
    assert told == [2], "what is folded anew is no news"


def test_subscribers_are_not_called_for_facts_of_a_dropped_state(tiny: Journal) -> None:
    put(tiny, "monday", 0, result(1), result(2))
    failing = Failing(tiny, facts_until_fold_fails=1)
    projection: Projection[Folded] = Projection(failing, dict, failing.apply)
    told: list[int] = []
    projection.subscribe(lambda entries: told.extend(entry.version for entry in entries))
    with pytest.raises(ValueError, match="applied by half"):
        projection.catch_up(["monday"])
    assert (projection.state, projection.version("monday"), told) == ({}, 0, [])
    projection.catch_up(["monday"])
    assert (projection.state, told) == ({"monday": [1, 2]}, [1, 2])


# Sessions ---------------------------------------------------------------------------------------------------


def opened(guid: str, incarnation: int, name: str) -> SessionOpened:
    return SessionOpened(guid, guid, incarnation, name, date(2026, 2, 3))


@dataclass
class Sessions:
    """Sessions of a journal that have names."""

    journal: Journal
    count: int = 0

    def put(self, guid: str, incarnation: int, fact: Any) -> None:
        self.count += 1
        stream = session_stream(guid, incarnation)
        self.journal.append(
            stream,
            self.journal.head(stream),
            [fact],
            command_id=str(self.count),
            at=datetime(2026, 2, 3, 19, 30, tzinfo=UTC),
            side="control",
            actor="",
        )

    def open(self, guid: str, incarnation: int, name: str) -> None:
        self.put(guid, incarnation, opened(guid, incarnation, name))

    def rename(self, guid: str, incarnation: int, name: str) -> None:
        self.put(guid, incarnation, SessionChanged(name, date(2026, 2, 3), None, False, False, False))


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    with open_journal(tmp_path / "club.overtrick", event_codec()) as journal:
        yield Sessions(journal)


def names(journal: Any, told: Callable[[Any], None] | None = None) -> SessionProjections[list[str]]:
    return SessionProjections(
        journal, lambda stream: [], lambda state, entry: state.append(entry.fact.name), told
    )


def test_a_session_is_loaded_when_it_is_asked_for(sessions: Sessions) -> None:
    sessions.open(GUID, 1, "Monday")
    sessions.open(OTHER, 1, "Tuesday")
    failing = Failing(sessions.journal)
    projections = names(failing)
    assert projections.loaded(GUID) is None
    assert projections.find(GUID) == LoadedSession(session_stream(GUID, 1), 1, ["Monday"])
    assert failing.reads == [session_stream(GUID, 1)]
    assert projections.find("C" * 32) is None
    assert projections.find("no guid\0") is None


def test_an_old_incarnation_is_not_shown_and_its_late_facts_do_not_bring_it_back(sessions: Sessions) -> None:
    projections = names(sessions.journal)
    sessions.open(GUID, 1, "Monday")
    assert projections.find(GUID) == LoadedSession(session_stream(GUID, 1), 1, ["Monday"])
    sessions.open(GUID, 2, "Monday again")
    sessions.rename(GUID, 1, "too late")
    assert projections.find(GUID) == LoadedSession(session_stream(GUID, 2), 1, ["Monday again"])
    assert names(sessions.journal).find(GUID) == projections.find(GUID)


def test_a_forgotten_session_is_folded_anew(sessions: Sessions) -> None:
    told: list[str] = []
    projections = names(sessions.journal, lambda entries: told.extend(entry.fact.name for entry in entries))
    sessions.open(GUID, 1, "Monday")
    projections.find(GUID)
    assert told == [], "what was there before is no news"
    sessions.rename(GUID, 1, "Tuesday")
    assert projections.loaded(GUID) == LoadedSession(session_stream(GUID, 1), 1, ["Monday"])
    projections.find(GUID)
    assert told == ["Tuesday"]
    projections.forget(GUID)
    assert projections.loaded(GUID) is None
    assert projections.find(GUID) == LoadedSession(session_stream(GUID, 1), 2, ["Monday", "Tuesday"])
    assert told == ["Tuesday"]


def test_a_session_whose_first_load_fails_is_loaded_whole_by_the_next_question(sessions: Sessions) -> None:
    sessions.open(GUID, 1, "Monday")
    sessions.rename(GUID, 1, "Tuesday")
    projections = names(Failing(sessions.journal, facts_until_read_fails=1))
    with pytest.raises(OvertrickError):
        projections.find(GUID)
    assert projections.find(GUID) == LoadedSession(session_stream(GUID, 1), 2, ["Monday", "Tuesday"])


def test_a_session_is_dropped_after_a_while_without_questions(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(projection_module, "monotonic", lambda: now)
    for guid in (GUID, OTHER):
        sessions.open(guid, 1, "Monday")
    projections = names(sessions.journal)
    projections.find(GUID)
    now += projection_module.UNUSED
    projections.find(OTHER)
    assert projections.loaded(GUID) is not None
    now += 1
    projections.find(OTHER)
    assert projections.loaded(GUID) is None


def test_a_session_that_is_asked_for_while_the_journal_does_not_answer_is_not_dropped(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(projection_module, "monotonic", lambda: now)
    for guid in (GUID, OTHER):
        sessions.open(guid, 1, "Monday")
    projections = names(sessions.journal)
    projections.find(GUID)
    with monkeypatch.context() as outage:
        outage.setattr(sessions.journal, "head", unavailable)
        now += 2 * projection_module.UNUSED
        with pytest.raises(JournalUnavailable):
            projections.find(GUID)
    projections.find(OTHER)
    assert projections.loaded(GUID) is not None


def unavailable(stream: str) -> int:
    raise JournalUnavailable("The journal does not answer.")
