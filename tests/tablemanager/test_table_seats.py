"""Players that take a seat, lose their connection, and come back."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.tablemanager.tables import AUCTION, E, Make, N, S, W, at_first_call

from overtrick.bridge import SEATS, Award, Bid, Card, PassedOut, Played, Seat, Strain
from overtrick.tablemanager.player import Player, PlayerView
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import HangUp, Send, TableError, TableRules


def test_first_of_four_connections_for_one_seat_gets_it(make_table: Make) -> None:
    table = make_table(1).local.table
    outputs = []
    for link in range(4):
        outputs += table.opened(link, 0.0)
        outputs += table.received(link, 'Connecting "A" as North using protocol version 18', 0.0)
    lines = [output.line for output in outputs if isinstance(output, Send)]
    assert lines == ['North ("A") seated'] + 3 * ["Error: seat North is taken."]
    assert [output.link for output in outputs if isinstance(output, HangUp)] == [1, 2, 3]


def test_requests_for_any_seat_are_seated_by_team(make_table: Make) -> None:
    table = make_table(1).local.table
    lines = []
    for link, name in enumerate(("A", "B", "A", "B")):
        table.opened(link, 0.0)
        for output in table.received(link, f'Connecting "{name}" as ANYPL using protocol version 18', 0.0):
            if isinstance(output, Send):
                lines.append(output.line)
    assert lines == [f'{seat} ("{name}") seated' for seat, name in zip(
        ("North", "East", "South", "West"), "ABAB", strict=True)]  # fmt: skip


def test_silent_guest_is_disconnected(make_table: Make) -> None:
    table = make_table(1).local.table
    table.opened("guest", 0.0)
    assert table.deadline == 30.0
    assert HangUp("guest") in table.tick(30.0)


def test_seat_of_a_player_lost_before_the_start_is_free(make_table: Make) -> None:
    table = make_table(1).local.table
    table.opened(1, 0.0)
    table.received(1, 'Connecting "A" as North using protocol version 18', 0.0)
    table.closed(1, 0.0)
    table.opened(2, 0.0)
    outputs = table.received(2, 'Connecting "B" as North using protocol version 18', 0.0)
    assert Send(2, 'North ("B") seated') in outputs


def lose_south(make_table: Make, address: str, rules: TableRules) -> Any:
    """Return a table in the middle of a board that has lost South, connected from this address."""
    setting = make_table(1, rules=rules, calls=AUCTION)
    for seat in SEATS:
        setting.local.do(setting.local.table.opened(seat, 0.0, address=address if seat is S else "10.0.0.9"))
        setting.local.say(seat, setting.local.players[seat].hello())
    for _ in range(100):
        setting.local.step()
    table = setting.local.table
    assert table.begun
    table.closed(S, 100.0)
    return table


def ask_for_south(table: Any, address: str, now: float) -> str:
    link = object()
    table.opened(link, now, address=address)
    outputs = table.received(link, 'Connecting "Silent" as South using protocol version 18', now)
    (line,) = (output.line for output in outputs if isinstance(output, Send))
    return str(line)


@pytest.mark.parametrize(
    ("rules", "other", "seconds", "answer"),
    [
        (TableRules(), "10.0.0.5", 0.1, "seated"),
        (TableRules(), "10.0.0.6", 0.1, "for 30 seconds more"),
        (TableRules(), "", 29.0, "seat South is taken: it is kept for the address"),
        (TableRules(), "10.0.0.6", 30.0, "seated"),
        (TableRules(same_address=0.0), "10.0.0.6", 0.1, "seated"),
        # half of the time is left for a player with a new address
        (TableRules(reconnect=20.0), "10.0.0.6", 9.0, "for 1 second more"),
        (TableRules(reconnect=20.0), "10.0.0.6", 10.0, "seated"),
        (TableRules(reconnect=None), "10.0.0.6", 10.0, "for 20 seconds more"),
    ],
)
def test_lost_seat_is_kept_for_its_address_for_a_while(
    make_table: Make, rules: TableRules, other: str, seconds: float, answer: str
) -> None:
    table = lose_south(make_table, "10.0.0.5", rules)
    assert answer in ask_for_south(table, other, 100.0 + seconds)


def test_seat_taken_over_from_another_address_has_the_new_address(make_table: Make) -> None:
    table = lose_south(make_table, "10.0.0.5", TableRules(same_address=0.0))
    assert "seated" in ask_for_south(table, "10.0.0.6", 101.0)
    assert table.chairs[S].address == "10.0.0.6"


def test_seat_lost_before_the_start_is_free_for_any_address(make_table: Make) -> None:
    table = make_table(1).local.table
    table.opened(1, 0.0, address="10.0.0.5")
    table.received(1, 'Connecting "Silent" as South using protocol version 18', 0.0)
    table.closed(1, 0.0)
    assert "seated" in ask_for_south(table, "10.0.0.6", 0.1)


def test_session_ends_if_a_lost_player_does_not_come_back(make_table: Make) -> None:
    table = at_first_call(make_table, reconnect=50.0, timeout=None).local.table
    table.closed(W, 10.0)
    assert table.deadline == 60.0
    table.tick(60.0)
    assert table.is_over


class Inconsistent(Legal):
    """A robot that decides differently each time."""

    def choose_call(self, view: PlayerView) -> Any:
        self.seed += 1
        return super().choose_call(view) if len(view.course.auction) else Bid(1, Strain.CLUBS)

    def choose_card(self, view: PlayerView) -> Card:
        self.seed += 1
        return super().choose_card(view)


def kill_at(setting: Any, seat: Seat, place: int) -> None:
    """Kill the player of a seat after this many lines, connect a new program for it, and run to the end."""
    local = setting.local
    heard = setting.transcript[seat]
    while len(heard) < place:
        if not local.step():
            raise AssertionError("no more lines before the player was killed")
    if local.table.is_over:
        return  # only the end of the session was left
    robot = local.players[seat]
    local.do(local.table.closed(seat, local.now))
    local._lines = type(local._lines)((to, line) for to, line in local._lines if to is not seat)
    local.players[seat] = Player(robot.team, seat, robot._choose_call, robot._choose_card)
    local.sit(seat)
    local.run()


@pytest.mark.parametrize("seat", SEATS)
def test_player_killed_at_any_message_comes_back_and_finishes(make_table: Make, seat: Seat) -> None:
    undisturbed = make_table(1, calls=AUCTION).sit()
    (expected,) = undisturbed.local.run()
    # from the first message after all four were seated to the last before the end of the session
    for place in range(5, len(undisturbed.transcript[seat]) - 1):
        setting = make_table(1, calls=AUCTION).sit()
        kill_at(setting, seat, place)
        assert setting.local.ended is not None, place
        assert setting.local.ended.reason is None, place
        (record,) = setting.local.records
        assert (record.calls, record.cards) == (expected.calls, expected.cards), place
        assert record.remarks == (), place


def test_returning_player_that_decides_differently_is_bound_by_the_record(make_table: Make) -> None:
    differed = 0
    for place in range(11, 60, 7):
        setting = make_table(1)
        robot = Inconsistent(place)
        setting.local.players[E]._choose_call = robot.choose_call
        setting.local.players[E]._choose_card = robot.choose_card
        setting.sit()
        local, others = setting.local, {seat: setting.transcript[seat] for seat in (N, S, W)}
        while len(setting.transcript[E]) < place:
            assert local.step()
        course = local.table.course
        calls = course.auction.calls
        cards = course.play.cards if course.play is not None else ()
        kill_at(setting, E, place)
        assert local.ended is not None
        assert local.ended.reason is None, place
        (record,) = local.records
        assert isinstance(record.outcome, Played | PassedOut)
        assert record.calls[: len(calls)] == calls
        assert record.cards[: len(cards)] == cards
        for lines in others.values():
            assert lines.count("< Start of board") == 1
        if record.remarks:
            differed += 1
            assert len(record.remarks) == 1
            assert "East came back and differed from the record: East" in record.remarks[0]
            assert record.remarks[0].endswith("; the record stands")
    assert differed


def test_returning_program_that_ignores_the_record_gets_a_ruling(make_table: Make) -> None:
    setting = make_table(1, rules=TableRules(trick_pause=0.0, timeout=60.0), calls=AUCTION).sit()
    local = setting.local
    while local.table.course is None or len(local.table.course.auction) < 4:
        assert local.step()
    local.do(local.table.closed(N, 0.0))
    local._lines = type(local._lines)((to, line) for to, line in local._lines if to is not N)
    # It opens 7NT instead of 1C, and ignores the line with the recorded call.
    stubborn = Player("Silent", N, lambda view: Bid(7, Strain.NOTRUMP), local.players[N]._choose_card)
    heard: list[str] = []

    def receive(line: str) -> list[str]:
        heard.append(line)
        return [] if line == "North bids 1C" else Player.receive(stubborn, line)

    local.players[N] = SimpleNamespace(receive=receive, hello=stubborn.hello)
    local.sit(N)
    with pytest.raises(TableError, match="illegal call"):
        local.run()
    assert "North bids 1C" in heard
    local.players[N].receive = lambda line: []
    local.run()
    local.now = 61.0
    local.do(local.table.tick(61.0))
    local.run()
    (record,) = local.records
    assert record.outcome == Award(40, 60)
    assert "North bids 7NT instead of North bids 1C; the record stands" in record.remarks[0]
    assert "North was silent for 60 seconds" in record.remarks[1]


def test_table_without_boards_ends_once_all_four_are_seated(make_table: Make) -> None:
    setting = make_table([]).sit()
    setting.local.run()
    assert setting.local.ended is not None
