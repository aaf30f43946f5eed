"""The document's order of messages, and the record of a board."""

import pytest
from tests.tablemanager.tables import AUCTION, E, Make, N, S, W

from overtrick.bridge import SEATS, PassedOut, Played, Seat, Side
from overtrick.tablemanager.messages import Dialect

ALERTS = {0: "Alert. at least 3 cards in clubs, 12 to 21 total points."}

# The transcript of each player: North opens and is dummy, South declares, West leads.
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
def test_board_follows_the_documents_order_of_messages(
    make_table: Make, seat: Seat, dialect: Dialect
) -> None:
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
    # A player sends or receives all 52 cards.
    own = [line for line in heard if line.startswith("> ") and (" plays " in line or line.endswith("S"))]
    assert sum(" plays " in line for line in heard) == 52
    assert sum("ready for dummy" in line and "card" not in line for line in heard) == (seat is not N)
    assert own


def test_record_has_contract_cards_alerts_and_teams(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION, alerts=ALERTS).sit()
    (record,) = setting.local.run()
    assert setting.local.ended is not None
    assert setting.local.ended.reason is None
    assert str(record.contract) == "4SS"
    assert len(record.cards) == 52
    assert record.tails[0] == ALERTS[0]
    assert isinstance(record.outcome, Played)
    assert (record.ns, record.ew) == ("Silent", "Bidders")


def test_passed_out_board_is_recorded_and_the_next_one_starts(make_table: Make) -> None:
    setting = make_table(2, calls="Pass Pass Pass Pass").sit()
    setting.local.run()
    assert [record.outcome for record in setting.local.records] == [PassedOut(), PassedOut()]


def test_early_ready_for_deal_after_a_pass_out_is_accepted(make_table: Make) -> None:
    setting = make_table(2, calls="Pass Pass Pass Pass").sit()
    early: list[bool] = []
    while setting.local.step():
        if not early and setting.local.records and setting.local.table.chairs[N].conversation is not None:
            early.append(True)
            for seat in SEATS:
                setting.local.say(seat, f"{seat.title} ready for deal")
    assert early
    assert len(setting.local.records) == 2
    assert setting.local.ended is not None


def test_ready_for_cards_before_ready_for_deal_is_accepted(make_table: Make) -> None:
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
    # the other three wait for the cards
    original(E, "East ready for cards")
    original(E, kept.pop())
    assert len(setting.local.run()) == 1


def test_random_robots_play_eight_boards(make_table: Make) -> None:
    setting = make_table(8).sit()
    records = setting.local.run()
    assert [record.board.number for record in records] == list(range(1, 9))
    assert setting.local.ended is not None
