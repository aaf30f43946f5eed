"""Messages that a table ignores or refuses."""

import pytest
from tests.tablemanager.tables import AUCTION, E, Make, N, S, W, at_first_call, sent_to

from overtrick.bridge import Award, Card, Seat
from overtrick.tablemanager.player import PlayerView
from overtrick.tablemanager.rules import (
    BoardRecorded,
    HangUp,
    Send,
    TableError,
    TableRules,
    UnfinishedBoardRuling,
)
from overtrick.tablemanager.table import MAX_UNUSABLE


def test_message_in_the_name_of_another_seat_is_ignored(make_table: Make) -> None:
    setting = at_first_call(make_table)
    table = setting.local.table
    outputs = table.received(E, "North bids 1C", 0.0)
    assert not [output for output in outputs if isinstance(output, Send)]
    assert table.course.auction.calls == ()


def test_illegal_bid_is_answered_and_ignored(make_table: Make) -> None:
    setting = at_first_call(make_table)
    table = setting.local.table
    for line in ("North doubles", "North bids 9S"):
        assert sent_to(table.received(N, line, 0.0), N) == ["Illegal bid"]
    assert table.course.auction.calls == ()
    table.received(N, "North bids 1C", 0.0)
    assert len(table.course.auction) == 1


def test_bid_out_of_turn_is_illegal_and_a_repeated_bid_is_ignored(make_table: Make) -> None:
    table = at_first_call(make_table).local.table
    assert sent_to(table.received(S, "South bids 1C", 0.0), S) == ["Illegal bid"]
    table.received(N, "North bids 1C", 0.0)
    assert sent_to(table.received(N, "North bids 1C", 0.0), N) == []
    assert table.chairs[N].offences == 0


@pytest.mark.parametrize("ruling", UnfinishedBoardRuling)
def test_third_illegal_bid_leads_to_a_ruling(make_table: Make, ruling: UnfinishedBoardRuling) -> None:
    table = at_first_call(make_table, ruling=ruling).local.table
    outputs = []
    for _ in range(3):
        outputs += table.received(N, "North redoubles", 0.0)
    records = [output.record for output in outputs if isinstance(output, BoardRecorded)]
    assert [record.outcome for record in records] == [Award(40, 60)]
    assert "illegal" in records[0].remarks[0]
    assert table.is_over


def test_next_board_starts_after_an_adjusted_one(make_table: Make) -> None:
    setting = make_table(2, rules=TableRules(trick_pause=0.0)).sit()
    while not setting.local.table.chairs[E].conversation or not setting.local.table.course:
        setting.local.step()
    for _ in range(200):
        if setting.local.records:
            break
        setting.local.step()
        table = setting.local.table
        outputs = table.received(E, "East plays 2C" if table.course.play else "East bids 0C", 0.0)
        # East's own player must not get the answer: it did not send the line
        setting.local.do(output for output in outputs if "Illegal" not in str(output))
    setting.local.run()
    outcomes = [record.outcome for record in setting.local.records]
    assert outcomes[0] == Award(60, 40)
    assert len(outcomes) == 2
    assert setting.local.ended is not None


def test_our_player_gives_up_if_its_call_is_called_illegal(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION).sit()
    for _ in range(30):
        setting.local.step()
    with pytest.raises(TableError, match="last bid was illegal"):
        setting.local.players[N].receive("Illegal bid")


def test_illegal_card_is_answered(make_table: Make) -> None:
    setting = make_table(1, rules=TableRules(trick_pause=0.0, tries=9), calls=AUCTION).sit()
    replies: list[str] = []

    def on_lead(view: PlayerView) -> Card:
        table = setting.local.table
        for line in ("West plays AS", "West plays", "West plays 4S", "West plays 5S"):
            replies.extend(sent_to(table.received(W, line, 0.0), W))
        return Card.S4

    setting.local.players[W]._choose_card = on_lead
    for _ in range(120):
        setting.local.step()
        if replies:
            break
    # not in the hand; no card; the third is legal; the fourth is out of turn
    assert replies == ["Illegal card", "Illegal card", "Illegal card"]


def test_declarers_card_for_dummy_is_accepted_under_declarers_name(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION).sit()
    original = setting.local.say

    def say(seat: Seat, line: str) -> None:
        original(seat, line.replace("North plays", "South plays") if seat is S else line)

    setting.local.say = say
    (record,) = setting.local.run()
    assert len(record.cards) == 52
    assert not any("illegal" in note for note in setting.notes.split("\n"))


def test_player_is_disconnected_after_too_many_unusable_lines(make_table: Make) -> None:
    table = at_first_call(make_table).local.table
    outputs = []
    for number in range(MAX_UNUSABLE):
        outputs = table.received(E, f"\x00\xff{number}", 0.0)
    assert HangUp(E) in outputs
    assert table.chairs[E].conversation is None
    assert not table.is_over


def test_player_is_disconnected_after_a_line_that_is_too_long(make_table: Make) -> None:
    table = at_first_call(make_table).local.table
    assert HangUp(E) in table.overflowed(E, 0.0)
    assert table.chairs[E].conversation is None
