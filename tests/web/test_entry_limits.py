"""The boards that a table's code and a pair's own code may touch, and the comparisons that they show."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from overtrick.bridge import Deal, Outcome, Seat, Side
from overtrick.control import take_snapshot
from overtrick.control.device_location import OwnPhone, TablePlace, own_phones
from overtrick.control.entries import write_entry
from overtrick.event import Command, Session
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.recording import EnterContract, RecordCall, RecordCard
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.seating import Participation, PutParticipations, Source, SwapPlayers
from overtrick.event.settings import HandEntry, NumberEntry, PutSettings, SettingsIII
from overtrick.views import SessionView
from tests.web.running import Running, evening
from tests.web.test_entries import Send, now, sending

PASS = Outcome.parse("Pass")
DEAL = Deal.parse("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")


@pytest.fixture(params=["http", "control"])
def send(request: pytest.FixtureRequest, pages: Running, guid: str) -> Iterator[Send]:
    """Both ways to send an entry of table A1."""
    with sending(request.param, pages, guid) as send:
        yield send


def boards(session: Session, number: int, table: int = 1) -> tuple[int, ...]:
    return session.movement.tables["A", table].rounds[number - 1].boards


def result(guid: str, number: int, board: int, table: int = 1) -> EnterResult:
    return EnterResult(guid, ResultEntry("A", table, number, board, PASS, now()), incarnation=1)


def commands_of_round(guid: str, session: Session, number: int) -> list[Command]:
    """Return every command of a device that names a round, for a round of table A1."""
    board = boards(session, number)[0]
    place = "A", 1, number, board
    seats = (Participation("A", 1, Seat.NORTH, "77", round=number),)
    return [
        result(guid, number, board),
        EraseResult(guid, *place, Origin.TERMINAL, 1),
        EnterContract(guid, *place, "4SN", now(), None, 1),
        RecordCall(guid, *place, 1, Seat.NORTH, "1S", now()),
        RecordCard(guid, *place, 1, Seat.NORTH, "SA", now()),
        PutParticipations(guid, seats, Source.TERMINAL, must_be_known=False),
        SwapPlayers(guid, "A", 1, number, Side.NS),
    ]


def test_round_after_the_first_with_an_open_board_is_refused(send: Send, pages: Running, guid: str) -> None:
    session, heads = pages.session(guid), pages.journal.heads()
    for count, command in enumerate(commands_of_round(guid, session, 4)):
        answer = send(write_entry(f"future-{count:04}", 1, command), now())
        assert answer.get("reason") == "not-allowed", command
        assert "round 3" in answer["sentence"]
    assert pages.journal.heads() == heads


def test_next_round_is_taken_when_the_last_board_of_the_round_before_has_its_result(
    send: Send, pages: Running, guid: str
) -> None:
    session = pages.session(guid)
    *first, last = boards(session, 3)
    after = write_entry("after-0001", 1, result(guid, 4, boards(session, 4)[0]))
    for board in first:
        assert "version" in send(write_entry(f"result-{board:04}", 1, result(guid, 3, board)), now())
    assert send(after, now())["reason"] == "not-allowed"
    assert "version" in send(write_entry(f"result-{last:04}", 1, result(guid, 3, last)), now())
    assert "version" in send(after, now())


def test_board_erased_by_the_director_holds_up_no_later_round(send: Send, pages: Running, guid: str) -> None:
    """A phone without the network may have queued the rounds after it."""
    session = pages.session(guid)
    for number in (1, 2):
        for board in boards(session, number):
            pages.do(EraseResult(guid, "A", 1, number, board, Origin.DESK, 1))
    assert "version" in send(write_entry("result-0001", 1, result(guid, 3, boards(session, 3)[0])), now())


def test_deal_of_a_board_without_a_result_is_refused(pages: Running) -> None:
    guid = evening(pages, rounds=0, has_deals=False)
    pages.do(PutSettings(guid, (("A", SettingsIII(enter_hand_record=HandEntry.AFTER_BOARD)),)))
    board = boards(pages.session(guid), 1)[0]
    deal = PutHandRecords(guid, (HandRecord(1, board, DEAL),), HandSource.TERMINAL)
    with sending("http", pages, guid) as send:
        assert send(write_entry("deal-0001", 1, deal), now())["reason"] == "not-allowed"
        assert "version" in send(write_entry("result-0001", 1, result(guid, 1, board)), now())
        assert "version" in send(write_entry("deal-0002", 1, deal), now())


def test_deal_is_refused_where_the_settings_ask_for_none(pages: Running) -> None:
    guid = evening(pages, rounds=1, has_deals=False)
    pages.do(PutSettings(guid, (("A", SettingsIII(enter_hand_record=HandEntry.NEVER)),)))
    board = boards(pages.session(guid), 1)[0]
    deal = PutHandRecords(guid, (HandRecord(1, board, DEAL),), HandSource.TERMINAL)
    with sending("http", pages, guid) as send:
        assert send(write_entry("deal-0001", 1, deal), now())["reason"] == "not-allowed"


@pytest.mark.parametrize("origin", [Origin.DESK, Origin.SCORING_PROGRAM])
def test_result_that_others_entered_ahead_opens_no_later_round(
    send: Send, pages: Running, guid: str, origin: Origin
) -> None:
    """An award in a later round must not let the table enter that round, and so read what others did there."""
    ahead, *_, last = boards(pages.session(guid), 4)
    award = ResultEntry("A", 1, 4, last, Outcome.parse("60-40"), now())
    pages.do(PutResults(guid, (award,), origin))
    answer = send(write_entry("ahead-0001", 1, result(guid, 4, ahead)), now())
    assert answer.get("reason") == "not-allowed"
    assert "round 3" in answer["sentence"]
    assert "version" in send(
        write_entry("now-00001", 1, result(guid, 3, boards(pages.session(guid), 3)[0])), now()
    )


def test_recording_of_an_earlier_round_needs_the_director(send: Send, pages: Running, guid: str) -> None:
    """A call or card of a round that is over would change what was recorded of it."""
    session = pages.session(guid)
    for number, is_held in ((1, True), (2, False), (3, False)):
        place = "A", 1, number, boards(session, number)[0]
        for command in (
            RecordCall(guid, *place, 1, Seat.NORTH, "1S", now()),
            RecordCard(guid, *place, 1, Seat.NORTH, "SA", now()),
        ):
            assert "version" in send(write_entry(f"{type(command).__name__}-{number:04}", 1, command), now())
        assert len(pages.session(guid).held.at(place)) == (2 if is_held else 0)


# A pair's own phone -----------------------------------------------------------------------------------------------


def own_phone(session: Session) -> tuple[OwnPhone, TablePlace, int, int]:
    """Return a phone, a table that its pair sits at in one round, that round, and an earlier one of others there."""
    for phone in own_phones(session):
        rounds = phone.rounds(session)
        for number, at, _ in rounds:
            others = {other for other, table, _ in rounds if table == at}
            if number == 2 and 1 not in others:
                return phone, at, number, 1
    raise AssertionError("every pair stays where it is")


def test_own_phone_cannot_enter_boards_of_rounds_of_other_pairs(pages: Running, guid: str) -> None:
    pages.do(PutSettings(guid, (("A", SettingsIII(reentry=True, number_entry=NumberEntry.EVERY_ROUND)),)))
    session = pages.session(guid)
    phone, at, mine, theirs = own_phone(session)
    headers = {"x-table-code": phone.code(pages.keys, guid)}
    heads = pages.journal.heads()

    def post(identity: str, command: Command) -> dict[str, Any]:
        body = {"sent": now().isoformat(), "entries": [write_entry(identity, 1, command)]}
        address = f"{pages.address}/t/{guid}/{phone}/entries"
        answer: dict[str, Any] = httpx.post(address, json=body, headers=headers).json()["answers"][0]
        return answer

    def about(number: int) -> list[Command]:
        board = boards(session, number, at.table)[0]
        seats = (Participation("A", at.table, Seat.NORTH, "77", round=number),)
        return [
            RecordCall(guid, "A", at.table, number, board, 1, Seat.NORTH, "1S", now()),
            EnterContract(guid, "A", at.table, number, board, "4SN", now(), None, 1),
            PutParticipations(guid, seats, Source.TERMINAL, must_be_known=False),
            EraseResult(guid, "A", at.table, number, board, Origin.TERMINAL, 1),
            result(guid, number, board, at.table),
        ]

    for count, command in enumerate(about(theirs)):
        answer = post(f"theirs-{count:04}", command)
        assert answer.get("reason") == "not-allowed", command
    assert pages.journal.heads() == heads
    assert "version" in post("mine-0001", about(mine)[0])


def test_own_phone_does_not_see_held_entries_of_boards_still_to_play(pages: Running, guid: str) -> None:
    pages.do(PutSettings(guid, (("A", SettingsIII(reentry=False, confirm_not_played=True)),)))
    session = pages.session(guid)
    phone, at, mine, theirs = next(
        (phone, at, number, other)
        for phone in own_phones(session)
        for number, at, _ in phone.rounds(session)
        for other in range(1, number)
        if number == 3
        and not phone.may_enter_round(session, at, other)
        and not set(boards(session, other, at.table)) <= phone.played_boards(session)
    )
    unplayed = next(
        each for each in boards(session, theirs, at.table) if each not in phone.played_boards(session)
    )
    own = boards(session, mine, at.table)[0]
    secret, not_played = Outcome.parse("7NTxxN="), Outcome.parse("NP")
    table_phone = {"x-table-code": at.code(pages.keys, guid)}
    for identity, command in (
        (
            "waits-theirs",
            CorrectResult(
                guid,
                ResultEntry("A", at.table, theirs, unplayed, secret, now()),
                Origin.TERMINAL,
                incarnation=1,
            ),
        ),
        (
            "waits-mine",
            EnterResult(guid, ResultEntry("A", at.table, mine, own, not_played, now()), incarnation=1),
        ),
    ):
        body = {"sent": now().isoformat(), "entries": [write_entry(identity, 1, command)]}
        answer = httpx.post(f"{pages.address}/t/{guid}/{at}/entries", json=body, headers=table_phone)
        assert answer.json()["answers"][0]["is_held"]
    headers = {"x-table-code": phone.code(pages.keys, guid)}
    seen = httpx.get(f"{pages.address}/t/{guid}/{phone}/table.json?at={at}", headers=headers).json()
    outcomes = {(each["round"], each["board"]): each["outcome"] for each in seen["snapshot"]["results"]}
    assert outcomes[theirs, unplayed] == ""
    assert outcomes[mine, own] == "NP"


# Comparisons ------------------------------------------------------------------------------------------------------


def test_comparisons_are_shown_only_for_rounds_that_have_begun_at_the_table(
    pages: Running, guid: str
) -> None:
    """The desk may enter a later round in advance, and that must not show what other tables did on its boards."""
    session = pages.session(guid)
    ahead = boards(session, 4)[0]
    entry = ResultEntry("A", 1, 4, ahead, Outcome.parse("NP"), now())
    pages.do(PutResults(guid, (entry,), Origin.DESK))
    view = SessionView()
    for fact in pages.journal.read(f"session/{guid}/1"):
        view.apply(fact.fact)
    snapshot = take_snapshot(view, "A", 1, 1)
    assert snapshot is not None
    assert {line.board for line in snapshot.compared} == {*boards(session, 1), *boards(session, 2)}
