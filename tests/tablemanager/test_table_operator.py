"""Calls that wait for the operator's answer."""

from tests.tablemanager.tables import AUCTION, E, Make, N, S, W

from overtrick.tablemanager.rules import Alerts, Question, TableRules


def test_call_marked_alert_waits_for_the_operator(make_table: Make) -> None:
    rules = TableRules(trick_pause=0.0, alerts=Alerts.MARKED, timeout=60.0)
    setting = make_table(1, rules=rules, calls=AUCTION, alerts={0: "Alert."}).sit()
    setting.local.run()
    question = setting.local.table.question
    assert str(question) == "Board 1, N: 1C: should 1C by North be alerted?"
    assert question in setting.local.outputs
    # the clocks stand still meanwhile
    assert setting.local.table.deadline is None
    setting.local.do(setting.local.table.answered({0: "at least 2 cards in clubs"}, 500.0))
    setting.local.now = 500.0
    assert len(setting.local.run()) == 1
    assert "< North bids 1C Alert. at least 2 cards in clubs." in setting.transcript[E]
    assert "< North bids 1C" in setting.transcript[S]


def test_call_that_is_not_on_the_list_waits_for_the_operator(make_table: Make) -> None:
    rules = TableRules(trick_pause=0.0, alerts=Alerts.EVERY)
    setting = make_table(1, rules=rules, calls="1C Pass 2D Pass 3NT Pass Pass Pass").sit()
    asked = []
    setting.local.run()
    while isinstance(question := setting.local.table.question, Question):
        asked.append(str(question.auction.calls[question.place or 0]))
        setting.local.do(setting.local.table.answered({}, 0.0))
        setting.local.run()
    assert asked == ["2D", "3NT"]
    assert len(setting.local.records) == 1


def test_opening_lead_waits_for_the_operator_at_the_end_of_the_auction(make_table: Make) -> None:
    rules = TableRules(trick_pause=0.0, alerts=Alerts.END)
    setting = make_table(1, rules=rules, calls=AUCTION).sit()
    setting.local.run()
    question = setting.local.table.question
    assert question is not None
    assert question.place is None
    assert not any("to lead" in line for line in setting.transcript[W])
    setting.local.do(setting.local.table.answered({2: "at least 4 cards in spades"}, 0.0))
    (record,) = setting.local.run()
    assert record.tails[2] == "Alert. at least 4 cards in spades."


def test_alerts_given_at_the_end_of_the_auction_reach_the_opponents_before_the_lead(make_table: Make) -> None:
    rules = TableRules(trick_pause=0.0, alerts=Alerts.END)
    setting = make_table(1, rules=rules, calls=AUCTION).sit()
    setting.local.run()
    setting.local.do(setting.local.table.answered({2: "at least 4 cards in spades"}, 0.0))
    setting.local.run()
    alerted_call = "< South bids 1S Alert. at least 4 cards in spades."
    for seat in (E, W):
        lines = setting.transcript[seat]
        assert lines.count(alerted_call) == 1
        assert setting.local.players[seat].view.tails[2] == "Alert. at least 4 cards in spades."
    lines = setting.transcript[W]
    assert lines.index(alerted_call) < lines.index("< West to lead")
    for seat in (N, S):
        assert not any("Alert" in line for line in setting.transcript[seat])
    assert len(setting.local.records) == 1


def test_alert_outside_the_grammar_is_relayed_word_for_word(make_table: Make) -> None:
    odd = "Alert. 15-17 HCP (may be 5M)!"
    setting = make_table(1, calls=AUCTION, alerts={0: odd}).sit()
    setting.local.run()
    assert f"< North bids 1C {odd}" in setting.transcript[E]
    assert f"< North bids 1C {odd}" in setting.transcript[W]
    assert "< North bids 1C" in setting.transcript[S]


def test_characters_outside_the_protocol_are_replaced_in_a_relayed_alert(make_table: Make) -> None:
    odd = "Alert. 4\u2660 \tcaf\u00e9".encode().decode("latin-1")
    setting = make_table(1, calls=AUCTION).sit()
    local = setting.local
    say = local.say
    # A program that sends other characters than the protocol allows.
    local.say = lambda seat, line: say(seat, f"{line} {odd}" if line == "North bids 1C" else line)
    (record,) = local.run()
    for seat in (E, W):
        assert "< North bids 1C Alert. 4? ?cafe" in setting.transcript[seat]
    assert record.tails[0] == odd, "the record has the alert unchanged"


def test_player_without_alerts_sends_the_call_alone(make_table: Make) -> None:
    setting = make_table(
        1, calls=AUCTION, alerts={0: "Alert. at least 3 cards in clubs."}, sends_alerts=False
    )
    setting.sit().local.run()
    assert "> North bids 1C" in setting.transcript[N]
    assert "< North bids 1C" in setting.transcript[E]
