import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from overtrick.connector import projection as projection_module
from overtrick.connector.projection import ConnectorProjection
from overtrick.connector.queue import SessionQueues
from overtrick.connector.wire.numbers import ErrorType, QueueKind, WireCommand
from overtrick.event.seating import PutPlayers, SessionPlayer
from overtrick.event.state import session_stream
from tests.connector import samples
from tests.connector.evening import Evening

HERE, THERE = samples.GUID, samples.OTHER


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    """Two events, each of a club of its own, and many players in the second."""
    made = Evening(tmp_path)
    opened = made.ask(WireCommand.InitializeEvent, event("A", HERE, 1), session="", club="H", over_http=True)
    assert not opened.is_error, opened.payload
    opened = made.ask(WireCommand.InitializeEvent, event("B", THERE, 2), session="", club="T", over_http=True)
    assert not opened.is_error, opened.payload
    yield made
    made.journal.close()


def event(letters: str, guid: str, group: int) -> Any:
    made = samples.init(samples.session(samples.scoring_group(group, samples.section(letters, group))))
    bare = dict.fromkeys(("Participations", "Handrecords", "Bridgemate2Settings", "Bridgemate3Settings"))
    return json.loads(json.dumps(made | bare).replace(HERE, guid))


def fill(evening: Evening, count: int = 40) -> None:
    players = tuple(SessionPlayer(str(number), "Ada", "Lovelace") for number in range(100, 100 + count))
    evening.control(PutPlayers(THERE, players))


@pytest.fixture
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection_module, "PIECE", 7)


def names(projection: ConnectorProjection, session: str) -> list[str]:
    stream = projection.state.stream(session)
    assert stream is not None
    return [item.key[0] for item in projection.queue(stream).new(QueueKind.PLAYERS, 0, "")]


@pytest.mark.usefixtures("_small_pieces")
def test_state_read_in_pieces_equals_state_read_at_once(evening: Evening) -> None:
    fill(evening)
    whole, pieces = ConnectorProjection(evening.journal), ConnectorProjection(evening.journal)
    whole.catch_up()
    pauses = 0
    for _ in pieces.catch_up_in_pieces():
        pauses += 1
        for session in pieces.state.incarnations:
            opened = pieces.state.session(session)
            assert opened is not None
            assert opened.opened.event in pieces.state.events, "a session comes after its event"
    facts = sum(evening.journal.heads().values())
    assert pauses == facts // 7
    assert pieces.state == whole.state
    assert names(pieces, THERE) == names(whole, THERE) == [str(number) for number in range(100, 140)]


@pytest.mark.usefixtures("_small_pieces")
def test_two_catch_ups_in_pieces_can_interleave(evening: Evening) -> None:
    projection = ConnectorProjection(evening.journal)
    projection.catch_up()
    fill(evening)
    first, second = projection.catch_up_in_pieces([THERE]), projection.catch_up_in_pieces()
    next(first)
    next(second)
    assert len(names(projection, THERE)) == 14
    next(first)
    assert list(second) == [None, None]
    assert list(first) == []
    assert names(projection, THERE) == [str(number) for number in range(100, 140)]


def test_session_without_requests_is_not_loaded(evening: Evening) -> None:
    projection = ConnectorProjection(evening.journal)
    assert list(projection.catch_up_in_pieces([HERE])) == []
    assert (list(projection.state.incarnations), list(projection.state.events)) == ([HERE], [HERE])
    assert projection.state.session(THERE) is not None


def test_unused_session_is_evicted_and_loaded_again(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(evening)
    projection = ConnectorProjection(evening.journal)
    monkeypatch.setattr(projection_module, "UNUSED", 0.0)
    for session in (THERE, HERE, HERE):
        assert list(projection.catch_up_in_pieces([session])) == []
    assert list(projection.state.incarnations) == [HERE]
    assert len(names(projection, THERE)) == 40


@pytest.mark.usefixtures("_small_pieces")
def test_session_in_use_is_not_evicted_by_another_request(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    projection = ConnectorProjection(evening.journal)
    fill(evening)
    reading = projection.catch_up_in_pieces([THERE])
    next(reading)
    folded = projection.state.sessions[session_stream(THERE, 1)]
    with monkeypatch.context() as later:
        later.setattr(projection_module, "UNUSED", 0.0)
        list(projection.catch_up_in_pieces([HERE]))
    list(reading)
    assert projection.state.sessions[session_stream(THERE, 1)] is folded
    assert len(names(projection, THERE)) == 40


def test_request_loads_only_its_own_session(evening: Evening) -> None:
    projection = ConnectorProjection(evening.journal)
    projection.catch_up()
    fill(evening)
    for sessions in ([HERE], []):
        assert list(projection.catch_up_in_pieces(sessions)) == []
        assert names(projection, THERE) == []
    projection.catch_up()
    assert len(names(projection, THERE)) == 40


def test_journal_with_missing_facts_does_not_block_requests(evening: Evening) -> None:
    stream = session_stream(THERE, 1)
    with evening.journal.writing() as cursor:
        cursor.execute(f"DELETE FROM journal WHERE stream = '{stream}' AND version > 3")
    projection = ConnectorProjection(evening.journal)
    projection.catch_up()
    assert projection.state.session(THERE) is not None


@pytest.mark.usefixtures("_small_pieces")
def test_poll_does_not_wait_for_the_facts_of_another_club(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def poll(session: str, club: str) -> int:
        response = evening.ask(
            WireCommand.PollQueueForNewPlayerData, session=session, club=club, over_http=True
        )
        assert not response.is_error
        return len(json.loads(response.payload))

    answers: list[int] = []

    def between_two_pieces(seconds: float) -> None:
        if not answers:
            answers.append(poll(HERE, "H"))
            assert len(names(evening.projection, THERE)) == 7, "only a piece of theirs has been read"

    evening.projection.catch_up()
    fill(evening)
    monkeypatch.setattr("time.sleep", between_two_pieces)
    assert poll(THERE, "T") == 40
    assert answers == [0]


def test_last_change_is_the_newest_change_of_the_client(evening: Evening) -> None:
    """The order in which sessions were read does not matter."""

    def put(session: str, letters: str, tricks: int) -> ErrorType:
        made = samples.result(SessionGuid=session, SectionLetters=letters, TotalTricks=tricks)
        return evening.ask(WireCommand.PutResults, [made], session=session).error

    def poll(session: str) -> None:
        assert not evening.ask(WireCommand.PollQueueForNewResults, session=session).is_error

    for _ in range(2):
        assert put(HERE, "A", 9) is ErrorType.Nothing
        assert put(THERE, "B", 9) is ErrorType.Nothing
        poll(THERE)
        poll(HERE)
        assert put(THERE, "B", 9) is ErrorType.Nothing, "the same bytes, the same answer"
        assert put(HERE, "A", 9) is ErrorType.NoUpdates, "the same bytes later are no resending"
        assert put(HERE, "A", 10) is ErrorType.Nothing
        poll(THERE)
        assert put(HERE, "A", 10) is ErrorType.Nothing, "the same bytes, the same answer"
        evening.restart()
        assert put(HERE, "A", 10) is ErrorType.Nothing, "after a restart too"
        assert put(THERE, "B", 8) is ErrorType.Nothing


def test_item_is_delivered_after_its_fact_failed_to_apply_once(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    projection = ConnectorProjection(evening.journal)
    projection.catch_up()
    fill(evening, 3)
    with monkeypatch.context() as broken:

        def fail(*given: object) -> None:
            raise MemoryError

        broken.setattr(SessionQueues, "apply", fail)
        with pytest.raises(MemoryError):
            projection.catch_up()
    projection.catch_up()
    assert names(projection, THERE) == ["100", "101", "102"]
