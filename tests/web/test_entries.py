"""Entries of devices are checked alike over HTTP and where the control software gets them in its own process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from overtrick.bridge import Deal, Outcome, Seat
from overtrick.control.device_location import TablePlace
from overtrick.control.entries import write_entry
from overtrick.control.orders import StartOptions
from overtrick.event import Command, Rejection, Session
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.results import EnterResult, EraseResult, Origin, ResultEntry
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.settings import HandEntry, PutSettings, SettingsIII
from overtrick.event.tables import LogOn
from overtrick.host.control import ControlSoftware
from overtrick.host.lookup import JOURNAL
from overtrick.host.runtime import open_runtime
from tests.web.running import Running, evening

Answer = dict[str, Any]
Send = Callable[..., Answer]


def now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def sending(way: str, pages: Running, guid: str) -> Iterator[Send]:
    """Yield a way to send an entry of table A1; the answer has a version, or a reason and a sentence."""
    if way == "http":
        headers = {"x-table-code": pages.keys.table_code(guid, "A", 1)}
        with httpx.Client(base_url=f"{pages.address}/t/{guid}/A1", headers=headers, timeout=20) as client:

            def over_http(given: Any, sent: datetime) -> Answer:
                entries = {"sent": sent.isoformat(), "entries": [given]}
                answer: Answer = client.post("/entries", json=entries).json()["answers"][0]
                return answer

            yield over_http
        return
    with (
        open_runtime(pages.folder / JOURNAL) as runtime,
        ControlSoftware(runtime, StartOptions(), now=now, evaluates=False) as room,
    ):

        def to_control(given: Any, sent: datetime) -> Answer:
            answer = room.submit(guid, TablePlace("A", 1), sent, given)
            if isinstance(answer, Rejection):
                return {"reason": answer.reason.value, "sentence": str(answer)}
            return {"version": answer}

        yield to_control


@pytest.fixture(params=["http", "control"])
def send(request: pytest.FixtureRequest, pages: Running, guid: str) -> Iterator[Send]:
    """Both ways to send an entry of table A1."""
    with sending(request.param, pages, guid) as send:
        yield send


def entry(command: Command, incarnation: int = 1) -> dict[str, Any]:
    return write_entry("entry-0001", incarnation, command)


def result(guid: str, session: Session, **changes: Any) -> EnterResult:
    board = session.movement.tables["A", 1].rounds[2].boards[0]
    made = ResultEntry("A", 1, 3, board, Outcome.parse("3NTN="), now())
    return EnterResult(guid, replace(made, **changes), incarnation=1)


def other_table(guid: str, session: Session) -> dict[str, Any]:
    board = session.movement.tables["A", 2].rounds[2].boards[0]
    return entry(result(guid, session, table=2, board=board))


def of_the_desk(guid: str, session: Session) -> dict[str, Any]:
    return entry(replace(result(guid, session), origin=Origin.DESK))


def for_one_side(guid: str, session: Session) -> dict[str, Any]:
    return entry(result(guid, session, ns=1, ew=3))


def erased_by_the_desk(guid: str, session: Session) -> dict[str, Any]:
    place = next(place for place in session.results.standing if place[:2] == ("A", 1))
    return entry(EraseResult(guid, *place, Origin.DESK, 1))


def for_any_start(guid: str, session: Session) -> dict[str, Any]:
    return entry(result(guid, session), incarnation=0)


def command_for_any_start(guid: str, session: Session) -> dict[str, Any]:
    return entry(replace(result(guid, session), incarnation=None))


def removed_player(guid: str, session: Session) -> dict[str, Any]:
    gone = Participation("A", 1, Seat.NORTH, is_removal=True)
    return entry(PutParticipations(guid, (gone,), Source.TERMINAL))


def players_of_two_tables(guid: str, session: Session) -> dict[str, Any]:
    seats = tuple(Participation("A", table, Seat.NORTH, f"70{table}") for table in (1, 2))
    return entry(PutParticipations(guid, seats, Source.TERMINAL, must_be_known=False))


def entered_deal(guid: str, session: Session) -> dict[str, Any]:
    board = session.movement.tables["A", 1].rounds[2].boards[0]
    deal = Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    return entry(PutHandRecords(guid, (HandRecord(1, board, deal),), HandSource.TERMINAL))


def endless_device(guid: str, session: Session) -> dict[str, Any]:
    return entry(LogOn(guid, "A", 1, "x" * 5_000, now(), takes_over=True))


def time_without_a_zone(guid: str, session: Session) -> dict[str, Any]:
    return entry(result(guid, session, at=now().replace(tzinfo=None)))


@pytest.mark.parametrize(
    "made",
    [
        other_table,
        of_the_desk,
        for_one_side,
        erased_by_the_desk,
        for_any_start,
        command_for_any_start,
        removed_player,
        players_of_two_tables,
        entered_deal,
        endless_device,
        time_without_a_zone,
    ],
    ids=lambda made: made.__name__,
)
def test_an_entry_that_the_terminal_of_a_table_cannot_make_is_refused(
    send: Send, pages: Running, guid: str, made: Callable[[str, Session], dict[str, Any]]
) -> None:
    heads = pages.journal.heads()
    answer = send(made(guid, pages.session(guid)), now())
    assert answer.get("reason") in ("not-allowed", "stale"), answer
    assert answer["sentence"]
    assert pages.journal.heads() == heads


def test_entry_age_is_used_when_the_device_clock_is_wrong(send: Send, pages: Running, guid: str) -> None:
    wrong = now() + timedelta(days=400)
    command = result(guid, pages.session(guid), at=wrong - timedelta(minutes=10))
    assert "version" in send(entry(command), wrong)
    stands = pages.session(guid).results.standing["A", 1, 3, command.entry.board]
    assert timedelta(minutes=9) < now() - stands.at < timedelta(minutes=11)


def test_an_entry_sent_over_http_and_to_the_control_software_counts_once(
    send: Send, pages: Running, guid: str
) -> None:
    given = entry(result(guid, pages.session(guid)))
    first = send(given, now())
    head = pages.journal.head(f"session/{guid}/1")
    found = pages.journal.find(f"terminal-session/{guid}/1-A1-entry-0001")
    assert "version" in first
    assert found is not None
    assert "version" in send(given, now())
    assert pages.journal.head(f"session/{guid}/1") == head


@pytest.mark.parametrize("way", ["http", "control"])
def test_a_deal_that_is_sent_again_gets_the_same_answer(way: str, pages: Running) -> None:
    guid = evening(pages, rounds=3, has_deals=False)
    pages.do(PutSettings(guid, (("A", SettingsIII(enter_hand_record=HandEntry.AFTER_ROUND)),)))
    with sending(way, pages, guid) as send:
        given = entered_deal(guid, pages.session(guid))
        first = send(given, now())
        assert "version" in first
        assert send(given, now()) == first
