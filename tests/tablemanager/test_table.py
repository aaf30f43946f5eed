from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from overtrick.bridge import PASS, SEATS, Award, Bid, Call, Card, PassedOut, Played, Seat, Side, Strain
from overtrick.tablemanager.conversation import State
from overtrick.tablemanager.hearing import MAX_STRANGE
from overtrick.tablemanager.messages import Dialect
from overtrick.tablemanager.player import Instead, Player, View
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Alerts, HangUp, Question, Recorded, Rules, Ruling, Send, TableError

N, E, S, W = SEATS
Make = Callable[..., Any]
AUCTION = "1C Pass 1S Pass 4S Pass Pass Pass"
ALERTS = {0: "Alert. at least 3 cards in clubs, 12 to 21 total points."}

# The document's order, as each of the four sees it: North opens and is dummy, South declares, West leads.
CONNECTING = """\
> Connecting "{team}" as {seat} using protocol version 18
< {seat} ("{team}") seated
> {seat} ready for teams
< Teams: N/S: "Silent". E/W: "Bidders"
> {seat} ready to start
< Start of board
> {seat} ready for deal
< Board number 1. Dealer North. Neither vulnerable
> {seat} ready for cards
"""
BOARD = {
    N: """\
< North's cards: S A Q 7. H A Q J 4. D 6. C A K J T 5.
> North bids 1C Alert. at least 3 cards in clubs, 12 to 21 total points.
> North ready for East's bid
< East passes
> North ready for South's bid
< South bids 1S
> North ready for West's bid
< West passes
> North bids 4S
> North ready for East's bid
< East passes
> North ready for South's bid
< South passes
> North ready for West's bid
< West passes
> North ready for West's card to trick 1
< West plays 5S
> North ready for dummy's card to trick 1
< North plays AS
> North ready for East's card to trick 1
< East plays 8S
> North ready for South's card to trick 1
< South plays KS
> North ready for dummy's card to trick 2
< North plays QS
""",
    E: """\
< East's cards: S 8 6. H K T 2. D K 8 5. C Q 9 7 4 2.
> East ready for North's bid
< North bids 1C Alert. at least 3 cards in clubs, 12 to 21 total points.
> East passes
> East ready for South's bid
< South bids 1S
> East ready for West's bid
< West passes
> East ready for North's bid
< North bids 4S
> East passes
> East ready for South's bid
< South passes
> East ready for West's bid
< West passes
> East ready for West's card to trick 1
< West plays 5S
> East ready for dummy
< Dummy's cards: S A Q 7. H A Q J 4. D 6. C A K J T 5.
> East ready for North's card to trick 1
< North plays AS
> East plays 8S
> East ready for South's card to trick 1
< South plays KS
> East ready for North's card to trick 2
< North plays QS
> East plays 6S
""",
    S: """\
< South's cards: S K J T 9 3 2. H 9 7. D 9 4 2. C 8 6.
> South ready for North's bid
< North bids 1C
> South ready for East's bid
< East passes
> South bids 1S
> South ready for West's bid
< West passes
> South ready for North's bid
< North bids 4S
> South ready for East's bid
< East passes
> South passes
> South ready for West's bid
< West passes
> South ready for West's card to trick 1
< West plays 5S
> South ready for dummy
< Dummy's cards: S A Q 7. H A Q J 4. D 6. C A K J T 5.
> North plays AS
> South ready for East's card to trick 1
< East plays 8S
> South plays KS
< Dummy to lead
> North plays QS
> South ready for East's card to trick 2
< East plays 6S
> South plays JS
""",
    W: """\
< West's cards: S 5 4. H 8 6 5 3. D A Q J T 7 3. C 3.
> West ready for North's bid
< North bids 1C Alert. at least 3 cards in clubs, 12 to 21 total points.
> West ready for East's bid
< East passes
> West ready for South's bid
< South bids 1S
> West passes
> West ready for North's bid
< North bids 4S
> West ready for East's bid
< East passes
> West ready for South's bid
< South passes
> West passes
< West to lead
> West plays 5S
> West ready for dummy
< Dummy's cards: S A Q 7. H A Q J 4. D 6. C A K J T 5.
> West ready for North's card to trick 1
< North plays AS
> West ready for East's card to trick 1
< East plays 8S
> West ready for South's card to trick 1
< South plays KS
> West ready for North's card to trick 2
< North plays QS
""",
}
CLOSING = [
    "< Timing - N/S: this board  00:00,  total  0:00:00.  E/W: this board  00:00,  total  0:00:00",
    "< End of session",
]


def in_classic(text: str) -> str:
    text = text.replace('Teams: N/S: "Silent". E/W: "Bidders"', 'Teams : N/S : "Silent" E/W : "Bidders"')
    return text.replace("Neither vulnerable\n", "Neither vulnerable.\n").replace("'s cards: ", "'s cards : ")


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("seat", SEATS)
def test_the_documents_order_of_messages(make_table: Make, seat: Seat, dialect: Dialect) -> None:
    setting = make_table(1, calls=AUCTION, alerts=ALERTS, dialect=dialect).sit()
    setting.local.run()
    team = "Silent" if seat.side is Side.NS else "Bidders"
    expected = CONNECTING.format(team=team, seat=seat.title) + BOARD[seat]
    heard = setting.transcript[seat]
    if dialect is Dialect.CLASSIC:
        expected = in_classic(expected)
        assert heard[-1] == "< End of session"
        assert not any("Timing" in line for line in heard)
    else:
        assert heard[-2:] == CLOSING
    lines = expected.splitlines()
    assert heard[: len(lines)] == lines
    # 8 calls and 52 cards reach everyone: what was not sent was heard.
    own = [line for line in heard if line.startswith("> ") and (" plays " in line or line.endswith("S"))]
    assert sum(" plays " in line for line in heard) == 52
    assert sum("ready for dummy" in line and "card" not in line for line in heard) == (seat is not N)
    assert own


def test_the_record_of_the_board(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION, alerts=ALERTS).sit()
    (record,) = setting.local.run()
    assert setting.local.ended is not None
    assert setting.local.ended.reason is None
    assert str(record.contract) == "4SS"
    assert len(record.cards) == 52
    assert record.tails[0] == ALERTS[0]
    assert isinstance(record.outcome, Played)
    assert (record.ns, record.ew) == ("Silent", "Bidders")


def test_a_passed_out_board_is_recorded_and_the_next_one_starts(make_table: Make) -> None:
    setting = make_table(2, calls="Pass Pass Pass Pass").sit()
    # the document lets players say so before the next board was started
    setting.local.run()
    assert [record.outcome for record in setting.local.records] == [PassedOut(), PassedOut()]


def test_ready_for_deal_may_come_early_after_a_pass_out(make_table: Make) -> None:
    setting = make_table(2, calls="Pass Pass Pass Pass").sit()
    early: list[bool] = []
    while setting.local.step():
        if not early and setting.local.records and setting.local.table.chairs[N].talk is not None:
            early.append(True)
            for seat in SEATS:
                setting.local.say(seat, f"{seat.title} ready for deal")
    assert early
    assert len(setting.local.records) == 2
    assert setting.local.ended is not None


def test_ready_for_cards_may_come_before_ready_for_deal(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION).sit()
    kept: list[str] = []
    original = setting.local.say

    def say(seat: Seat, line: str) -> None:
        if seat is E and line == "East ready for deal":
            kept.append(line)
        else:
            original(seat, line)

    setting.local.say = say
    setting.local.run()
    # everyone else waits for the cards
    original(E, "East ready for cards")
    original(E, kept.pop())
    assert len(setting.local.run()) == 1


def test_many_boards_with_random_robots(make_table: Make) -> None:
    setting = make_table(8).sit()
    records = setting.local.run()
    assert [record.board.number for record in records] == list(range(1, 9))
    assert setting.local.ended is not None


# Seats


def test_four_connections_for_one_seat(make_table: Make) -> None:
    table = make_table(1).local.table
    outputs = []
    for link in range(4):
        outputs += table.opened(link, 0.0)
        outputs += table.received(link, 'Connecting "A" as North using protocol version 18', 0.0)
    lines = [output.line for output in outputs if isinstance(output, Send)]
    assert lines == ['North ("A") seated'] + 3 * ["Error: seat North is taken."]
    assert [output.link for output in outputs if isinstance(output, HangUp)] == [1, 2, 3]


def test_any_seat_players_sit_down_by_team(make_table: Make) -> None:
    table = make_table(1).local.table
    lines = []
    for link, name in enumerate(("A", "B", "A", "B")):
        table.opened(link, 0.0)
        for output in table.received(link, f'Connecting "{name}" as ANYPL using protocol version 18', 0.0):
            if isinstance(output, Send):
                lines.append(output.line)
    assert lines == [f'{seat} ("{name}") seated' for seat, name in zip(
        ("North", "East", "South", "West"), "ABAB", strict=True)]  # fmt: skip


def test_a_guest_who_says_nothing_is_sent_away(make_table: Make) -> None:
    table = make_table(1).local.table
    table.opened("guest", 0.0)
    assert table.deadline == 30.0
    assert HangUp("guest") in table.tick(30.0)


def test_a_player_lost_before_the_start_frees_the_seat(make_table: Make) -> None:
    table = make_table(1).local.table
    table.opened(1, 0.0)
    table.received(1, 'Connecting "A" as North using protocol version 18', 0.0)
    table.closed(1, 0.0)
    table.opened(2, 0.0)
    outputs = table.received(2, 'Connecting "B" as North using protocol version 18', 0.0)
    assert Send(2, 'North ("B") seated') in outputs


# What must be ignored or refused


def at_first_call(make_table: Make, **rules: Any) -> Any:
    """A table where North is to call and nobody has."""
    setting = make_table(1, rules=Rules(trick_pause=0.0, **rules), calls=AUCTION).sit()
    chair = setting.local.table.chairs[N]
    while not (chair.talk is not None and chair.talk.is_thinking):
        # hand over lines, but keep North's answer back
        seat, line = setting.local._lines.popleft()
        answers = setting.local.players[seat].receive(line)
        for answer in answers:
            if "bids" not in answer and "North ready for East" not in answer:
                setting.local.say(seat, answer)
    return setting


def sent_to(outputs: list[Any], seat: Seat) -> list[str]:
    return [output.line for output in outputs if isinstance(output, Send) and output.link is seat]


def test_a_message_under_another_name_is_ignored(make_table: Make) -> None:
    setting = at_first_call(make_table)
    table = setting.local.table
    outputs = table.received(E, "North bids 1C", 0.0)
    assert not [output for output in outputs if isinstance(output, Send)]
    assert table.course.auction.calls == ()


def test_an_illegal_bid_is_answered_and_ignored(make_table: Make) -> None:
    setting = at_first_call(make_table)
    table = setting.local.table
    for line in ("North doubles", "North bids 9S"):
        assert sent_to(table.received(N, line, 0.0), N) == ["Illegal bid"]
    assert table.course.auction.calls == ()
    table.received(N, "North bids 1C", 0.0)
    assert len(table.course.auction) == 1


def test_a_bid_out_of_turn_is_illegal_but_a_repeated_one_is_forgiven(make_table: Make) -> None:
    table = at_first_call(make_table).local.table
    assert sent_to(table.received(S, "South bids 1C", 0.0), S) == ["Illegal bid"]
    table.received(N, "North bids 1C", 0.0)
    assert sent_to(table.received(N, "North bids 1C", 0.0), N) == []
    assert table.chairs[N].offences == 0


@pytest.mark.parametrize("ruling", Ruling)
def test_after_too_many_illegal_bids_there_is_a_ruling(make_table: Make, ruling: Ruling) -> None:
    table = at_first_call(make_table, ruling=ruling).local.table
    outputs = []
    for _ in range(3):
        outputs += table.received(N, "North redoubles", 0.0)
    records = [output.record for output in outputs if isinstance(output, Recorded)]
    assert [record.outcome for record in records] == [Award(40, 60)]
    assert "illegal" in records[0].remarks[0]
    assert table.is_over


def test_an_adjusted_board_is_followed_by_the_next(make_table: Make) -> None:
    setting = make_table(2, rules=Rules(trick_pause=0.0)).sit()
    while not setting.local.table.chairs[E].talk or not setting.local.table.course:
        setting.local.step()
    for _ in range(200):
        if setting.local.records:
            break
        setting.local.step()
        table = setting.local.table
        outputs = table.received(E, "East plays 2C" if table.course.play else "East bids 0C", 0.0)
        # East's own player did not send it
        setting.local.do(output for output in outputs if "Illegal" not in str(output))
    setting.local.run()
    outcomes = [record.outcome for record in setting.local.records]
    assert outcomes[0] == Award(60, 40)
    assert len(outcomes) == 2
    assert setting.local.ended is not None


def test_a_player_who_is_told_that_its_call_was_illegal_gives_up(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION).sit()
    for _ in range(30):
        setting.local.step()
    with pytest.raises(TableError, match="last bid was illegal"):
        setting.local.players[N].receive("Illegal bid")


def test_an_illegal_card_is_answered(make_table: Make) -> None:
    setting = make_table(1, rules=Rules(trick_pause=0.0, tries=9), calls=AUCTION).sit()
    replies: list[str] = []

    def on_lead(view: View) -> Card:
        table = setting.local.table
        for line in ("West plays AS", "West plays", "West plays 4S", "West plays 5S"):
            replies.extend(sent_to(table.received(W, line, 0.0), W))
        return Card.S4

    setting.local.players[W]._choose_card = on_lead
    for _ in range(120):
        setting.local.step()
        if replies:
            break
    # not held, no card at all; the third is legal, the fourth out of turn
    assert replies == ["Illegal card", "Illegal card", "Illegal card"]


def test_declarers_card_for_dummy_is_taken_under_either_name(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION).sit()
    original = setting.local.say

    def say(seat: Seat, line: str) -> None:
        original(seat, line.replace("North plays", "South plays") if seat is S else line)

    setting.local.say = say
    (record,) = setting.local.run()
    assert len(record.cards) == 52
    assert not any("illegal" in note for note in setting.notes.split("\n"))


def test_garbage_is_ignored_until_there_is_too_much_of_it(make_table: Make) -> None:
    table = at_first_call(make_table).local.table
    outputs = []
    for number in range(MAX_STRANGE):
        outputs = table.received(E, f"\x00\xff{number}", 0.0)
    assert HangUp(E) in outputs
    assert table.chairs[E].talk is None
    assert not table.is_over


def test_a_line_without_end(make_table: Make) -> None:
    table = at_first_call(make_table).local.table
    assert HangUp(E) in table.overflowed(E, 0.0)
    assert table.chairs[E].talk is None


# Clocks


def test_a_silent_player_is_ruled_against(make_table: Make) -> None:
    table = at_first_call(make_table, timeout=60.0).local.table
    assert table.deadline == 60.0
    assert not [output for output in table.tick(59.0) if isinstance(output, Recorded)]
    records = [output.record for output in table.tick(60.0) if isinstance(output, Recorded)]
    assert records[0].outcome == Award(40, 60)
    assert records[0].remarks == ("North was silent: the player calls",)


def test_the_boards_clock(make_table: Make) -> None:
    table = at_first_call(make_table, timeout=None, board_timeout=40.0).local.table
    assert table.deadline == 40.0
    records = [output.record for output in table.tick(40.0) if isinstance(output, Recorded)]
    assert "used up the board's time" in records[0].remarks[0]
    assert records[0].ns_seconds == 40.0


def test_times_are_added_up_in_the_timing_line(make_table: Make) -> None:
    setting = make_table(2, rules=Rules(trick_pause=0.0, timeout=None), calls="Pass Pass Pass Pass").sit()
    seconds = {N: 61.0, E: 5.0, S: 0.5, W: 1.0}
    local = setting.local
    for seat in SEATS:
        choose = local.players[seat]._choose_call

        def think(view: View, choose: Any = choose) -> Any:
            local.now += seconds[view.seat]
            return choose(view)

        local.players[seat]._choose_call = think
    local.run()
    timing = [line for line in setting.transcript[N] if "Timing" in line]
    assert timing == [
        "< Timing - N/S: this board  01:01,  total  0:01:01.  E/W: this board  00:06,  total  0:00:06",
        "< Timing - N/S: this board  01:01,  total  0:02:03.  E/W: this board  00:06,  total  0:00:12",
    ]
    assert local.records[0].call_seconds == (61.0, 5.0, 0.5, 1.0)


def test_the_pause_after_a_trick(make_table: Make) -> None:
    setting = make_table(1, rules=Rules(trick_pause=1.0), calls=AUCTION).sit()
    setting.local.run()
    table = setting.local.table
    assert len(table.course.play.cards) == 4
    assert table.deadline == 1.0
    setting.local.do(table.tick(0.9))
    setting.local.run()
    assert len(table.course.play.cards) == 4
    setting.local.now = 1.0
    setting.local.do(table.tick(1.0))
    setting.local.run()
    assert len(table.course.play.cards) == 8


def lose_south(make_table: Make, address: str, rules: Rules) -> Any:
    """A table in the middle of a board that has lost South, who was at that address."""
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
        (Rules(), "10.0.0.5", 0.1, "seated"),
        (Rules(), "10.0.0.6", 0.1, "for 30 seconds more"),
        (Rules(), "", 29.0, "seat South is taken: it is kept for the address"),
        (Rules(), "10.0.0.6", 30.0, "seated"),
        (Rules(same_address=0.0), "10.0.0.6", 0.1, "seated"),
        # half of the time is left for those who have a new address
        (Rules(reconnect=20.0), "10.0.0.6", 9.0, "for 1 second more"),
        (Rules(reconnect=20.0), "10.0.0.6", 10.0, "seated"),
        (Rules(reconnect=None), "10.0.0.6", 10.0, "for 20 seconds more"),
    ],
)
def test_a_lost_seat_is_kept_for_its_address_for_a_while(
    make_table: Make, rules: Rules, other: str, seconds: float, answer: str
) -> None:
    table = lose_south(make_table, "10.0.0.5", rules)
    assert answer in ask_for_south(table, other, 100.0 + seconds)


def test_a_seat_that_was_taken_over_is_kept_for_its_new_address(make_table: Make) -> None:
    table = lose_south(make_table, "10.0.0.5", Rules(same_address=0.0))
    assert "seated" in ask_for_south(table, "10.0.0.6", 101.0)
    assert table.chairs[S].address == "10.0.0.6"


def test_before_the_start_a_lost_seat_is_anyones(make_table: Make) -> None:
    table = make_table(1).local.table
    table.opened(1, 0.0, address="10.0.0.5")
    table.received(1, 'Connecting "Silent" as South using protocol version 18', 0.0)
    table.closed(1, 0.0)
    assert "seated" in ask_for_south(table, "10.0.0.6", 0.1)


def test_a_player_who_does_not_come_back_ends_the_session(make_table: Make) -> None:
    table = at_first_call(make_table, reconnect=50.0, timeout=None).local.table
    table.closed(W, 10.0)
    assert table.deadline == 60.0
    table.tick(60.0)
    assert table.is_over


# Alerts by an operator


def test_marked_calls_wait_for_the_operator(make_table: Make) -> None:
    rules = Rules(trick_pause=0.0, alerts=Alerts.MARKED, timeout=60.0)
    setting = make_table(1, rules=rules, calls=AUCTION, alerts={0: "Alert."}).sit()
    setting.local.run()
    question = setting.local.table.question
    assert str(question) == "Board 1, N: 1C: is 1C by North to be alerted?"
    assert question in setting.local.outputs
    # the clocks stand still meanwhile
    assert setting.local.table.deadline is None
    setting.local.do(setting.local.table.answered({0: "at least 2 cards in clubs"}, 500.0))
    setting.local.now = 500.0
    assert len(setting.local.run()) == 1
    assert "< North bids 1C Alert. at least 2 cards in clubs." in setting.transcript[E]
    assert "< North bids 1C" in setting.transcript[S]


def test_every_call_that_is_not_on_the_list_waits(make_table: Make) -> None:
    rules = Rules(trick_pause=0.0, alerts=Alerts.EVERY)
    setting = make_table(1, rules=rules, calls="1C Pass 2D Pass 3NT Pass Pass Pass").sit()
    asked = []
    setting.local.run()
    while isinstance(question := setting.local.table.question, Question):
        asked.append(str(question.auction.calls[question.place or 0]))
        setting.local.do(setting.local.table.answered({}, 0.0))
        setting.local.run()
    assert asked == ["2D", "3NT"]
    assert len(setting.local.records) == 1


def test_the_pause_at_the_end_of_the_auction(make_table: Make) -> None:
    rules = Rules(trick_pause=0.0, alerts=Alerts.END)
    setting = make_table(1, rules=rules, calls=AUCTION).sit()
    setting.local.run()
    question = setting.local.table.question
    assert question is not None
    assert question.place is None
    assert not any("to lead" in line for line in setting.transcript[W])
    setting.local.do(setting.local.table.answered({2: "at least 4 cards in spades"}, 0.0))
    (record,) = setting.local.run()
    assert record.tails[2] == "Alert. at least 4 cards in spades."


def test_an_alert_outside_the_grammar_is_relayed_word_for_word(make_table: Make) -> None:
    odd = "Alert. 15-17 HCP (may be 5M)!"
    setting = make_table(1, calls=AUCTION, alerts={0: odd}).sit()
    setting.local.run()
    assert f"< North bids 1C {odd}" in setting.transcript[E]
    assert f"< North bids 1C {odd}" in setting.transcript[W]
    assert "< North bids 1C" in setting.transcript[S]


# Claims


def claim_after(setting: Any, cards: int, claimant: Seat) -> None:
    table = setting.local.table
    while table.course is None or table.course.play is None or len(table.course.play.cards) < cards:
        setting.local.step()
    setting.local.say(claimant, f"{claimant.title} claims")
    setting.local.run()


def test_a_claim_that_both_defenders_accept(make_table: Make) -> None:
    rules = Rules(trick_pause=0.0, claims=True)
    setting = make_table(1, rules=rules, calls=AUCTION, choose_answer=lambda view, seat, hand: True).sit()
    claim_after(setting, 4, S)
    (record,) = setting.local.records
    assert record.outcome == Played(record.contract, 13)
    assert record.claimed_by is S
    for seat in (E, W):
        heard = setting.transcript[seat]
        at = heard.index("< South claims")
        assert heard[at + 1].startswith("< South's cards: S J T 9 3 2. ")
        assert f"> {seat.title} accepts South's claim" in heard
        assert "< South's claim is accepted" in heard
    assert "< South claims" in setting.transcript[N]
    assert not any("accept" in line for line in setting.transcript[N])
    assert "< South's claim is accepted" in setting.transcript[S]
    assert setting.local.ended is not None


def test_a_claim_that_is_rejected_lets_the_play_go_on(make_table: Make) -> None:
    setting = make_table(1, rules=Rules(trick_pause=0.0, claims=True), calls=AUCTION).sit()
    claim_after(setting, 6, W)
    (record,) = setting.local.records
    assert len(record.cards) == 52
    assert record.claimed_by is None
    assert "< West's claim is rejected" in setting.transcript[E]
    assert "> South rejects West's claim" in setting.transcript[S]


def test_an_accepted_claim_leaves_the_others_what_they_have_won(make_table: Make) -> None:
    rules = Rules(trick_pause=0.0, claims=True)
    yes = {"choose_answer": lambda view, seat, hand: True}
    setting = make_table(1, rules=rules, calls=AUCTION, **yes).sit()
    table = setting.local.table
    while table.course is None or table.course.play is None or not table.course.play.tricks_won(Side.EW):
        setting.local.step()
    lost = table.course.play.tricks_won(Side.EW)
    setting.local.say(S, "South claims")
    setting.local.run()
    (record,) = setting.local.records
    assert record.claimed_by is S
    assert record.outcome == Played(record.contract, 13 - lost)
    # a defender's claim leaves declarer with what he has
    setting = make_table(1, rules=rules, calls=AUCTION, **yes).sit()
    claim_after(setting, 4, W)
    (record,) = setting.local.records
    assert record.outcome == Played(record.contract, 1)


def test_a_claim_waits_for_both_defenders_and_nobody_plays_meanwhile(make_table: Make) -> None:
    setting = make_table(1, rules=Rules(trick_pause=0.0, claims=True), calls=AUCTION).sit()
    table = setting.local.table
    while table.course is None or table.course.play is None or len(table.course.play.cards) < 6:
        setting.local.step()
    # South has heard East's card, and is to play to the second trick
    heard = table.received(W, "West claims", 0.0)
    assert sent_to(heard, S)[0] == "West claims"
    played = table.course.play.cards
    card = next(iter(table.course.play.legal_cards()))
    table.received(S, f"South plays {card.rank.letter}{card.suit.letter}", 0.0)
    assert table.course.play.cards == played
    table.received(S, "South rejects West's claim", 0.0)
    assert table.course.play.cards == (*played, card)
    # declarer's claim: one of two is not enough
    heard = table.received(S, "South claims", 0.0)
    assert sent_to(heard, E)[0] == sent_to(heard, W)[0] == "South claims"
    assert not sent_to(table.received(E, "East accepts South's claim", 0.0), S)
    heard = table.received(W, "West accepts South's claim", 0.0)
    assert "South's claim is accepted" in sent_to(heard, S)


def test_ready_for_a_card_of_another_trick_is_not_taken(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION).sit()
    table = setting.local.table
    while (
        table.course is None
        or table.course.play is None
        or table.chairs[E].talk.state is not State.READY_CARD
    ):
        setting.local.step()
    table.received(E, "East ready for West's card to trick 2", 0.0)
    assert table.chairs[E].talk.state is State.READY_CARD
    table.received(E, "East ready for West's card to trick 1", 0.0)
    assert table.chairs[E].talk.state is not State.READY_CARD


def test_claims_are_ignored_unless_switched_on(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION, choose_answer=lambda view, seat, hand: True).sit()
    claim_after(setting, 4, S)
    assert setting.local.records[0].claimed_by is None
    assert "ignored from South" in setting.notes
    assert "< South's claim is rejected: claims are off at this table" in setting.transcript[S]
    assert not any("claim" in line for seat in (N, E, W) for line in setting.transcript[seat])


def test_who_cannot_claim_is_told_why(make_table: Make) -> None:
    setting = make_table(1, rules=Rules(trick_pause=0.0, claims=True), calls=AUCTION).sit()
    table = setting.local.table

    def claim(seat: Seat) -> list[str]:
        return sent_to(table.received(seat, f"{seat.title} claims", 0.0), seat)

    assert claim(S) == ["South's claim is rejected: there are no tricks to claim"]
    while table.course is None or table.course.play is None or len(table.course.play.cards) < 6:
        setting.local.step()
    assert claim(N) == ["North's claim is rejected: dummy cannot claim"]
    assert claim(W) == []
    assert claim(S) == ["South's claim is rejected: another claim is being answered"]
    table.received(S, "South rejects West's claim", 0.0)
    assert claim(W) == ["West's claim is rejected: a player may claim once in a trick"]


def test_a_player_plays_no_card_while_its_claim_is_answered(make_table: Make) -> None:
    asked = []

    def choose(view: View) -> Card | Instead:
        asked.append(len(view.course.play.cards))  # type: ignore[union-attr]
        return Instead.CLAIM if len(asked) == 1 else next(iter(view.left))

    setting = make_table(1, rules=Rules(trick_pause=0.0, claims=True), calls=AUCTION)
    setting.local.players[S]._choose_card = choose
    setting.sit().local.run()
    (record,) = setting.local.records
    assert len(record.cards) == 52
    assert asked[:3] == [1, 1, 3]
    heard = setting.transcript[S]
    at = heard.index("> South claims")
    assert heard[at + 1 : at + 3] == ["< South's claim is rejected", "> North plays AS"]


# Players who come back


class Fickle(Legal):
    """Calls and plays differently each time."""

    def choose_call(self, view: View) -> Any:
        self.seed += 1
        return super().choose_call(view) if len(view.course.auction) else Bid(1, Strain.CLUBS)

    def choose_card(self, view: View) -> Card:
        self.seed += 1
        return super().choose_card(view)


def kill_at(setting: Any, seat: Seat, place: int) -> None:
    """Run, and have the player of a seat die after that many lines and come back as a new program."""
    local = setting.local
    heard = setting.transcript[seat]
    while len(heard) < place:
        if not local.step():
            raise AssertionError("stuck before the player died")
    if local.table.is_over:
        return  # all that was left to hear is that it is over
    robot = local.players[seat]
    local.do(local.table.closed(seat, local.now))
    local._lines = type(local._lines)((to, line) for to, line in local._lines if to is not seat)
    local.players[seat] = Player(robot.team, seat, robot._choose_call, robot._choose_card)
    local.sit(seat)
    local.run()


@pytest.mark.parametrize("seat", SEATS)
def test_a_player_killed_at_any_message_comes_back_and_finishes(make_table: Make, seat: Seat) -> None:
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


def test_a_player_who_comes_back_with_other_ideas_restarts_the_board_once(make_table: Make) -> None:
    restarts = 0
    for place in range(11, 60, 7):
        setting = make_table(1)
        robot = Fickle(place)
        setting.local.players[E]._choose_call = robot.choose_call
        setting.local.players[E]._choose_card = robot.choose_card
        setting.sit()
        kill_at(setting, E, place)
        assert setting.local.ended is not None
        (record,) = setting.local.records
        assert isinstance(record.outcome, Played | PassedOut)
        if record.remarks:
            restarts += 1
            assert "started again" in record.remarks[0]
            assert setting.transcript[N].count("< Start of board") == 2
    assert restarts


def opening(bid: Bid, view: View) -> Call:
    return PASS if len(view.course.auction) else bid


def test_who_differs_twice_is_ruled_against(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION).sit()
    local = setting.local
    for bid in ("1C", "1D"):
        while not any("North bids 1" in line for line in setting.transcript[N]):
            local.step()
        while local.step() and len(local.table.course.auction) < 4:
            pass
        setting.transcript[N].clear()
        local.do(local.table.closed(N, 0.0))
        local._lines = type(local._lines)((to, line) for to, line in local._lines if to is not N)
        other = Bid(1, Strain.DIAMONDS if bid == "1C" else Strain.HEARTS)
        local.players[N] = Player(
            "Silent",
            N,
            partial(opening, other),
            local.players[N]._choose_card,
        )
        local.sit(N)
    local.run()
    (record,) = local.records
    assert record.outcome == Award(40, 60)
    assert "twice" in record.remarks[-1]


def test_a_table_without_boards_ends_when_all_are_there(make_table: Make) -> None:
    setting = make_table([]).sit()
    setting.local.run()
    assert setting.local.ended is not None
