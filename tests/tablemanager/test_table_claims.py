"""Claims, and the players who answer them."""

from typing import Any

from tests.tablemanager.tables import AUCTION, E, Make, N, S, W, sent_to

from overtrick.bridge import Card, Played, Seat, Side
from overtrick.tablemanager.conversation import ConversationState
from overtrick.tablemanager.player import Instead, PlayerView
from overtrick.tablemanager.rules import TableRules


def claim_after(setting: Any, cards: int, claimant: Seat) -> None:
    table = setting.local.table
    while table.course is None or table.course.play is None or len(table.course.play.cards) < cards:
        setting.local.step()
    setting.local.say(claimant, f"{claimant.title} claims")
    setting.local.run()


def test_claim_accepted_by_both_defenders_ends_the_board(make_table: Make) -> None:
    rules = TableRules(trick_pause=0.0, claims=True)
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


def test_play_goes_on_after_a_rejected_claim(make_table: Make) -> None:
    setting = make_table(1, rules=TableRules(trick_pause=0.0, claims=True), calls=AUCTION).sit()
    claim_after(setting, 6, W)
    (record,) = setting.local.records
    assert len(record.cards) == 52
    assert record.claimed_by is None
    assert "< West's claim is rejected" in setting.transcript[E]
    assert "> South rejects West's claim" in setting.transcript[S]


def test_accepted_claim_keeps_the_tricks_that_the_others_have_won(make_table: Make) -> None:
    rules = TableRules(trick_pause=0.0, claims=True)
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
    # after a defender's claim, declarer keeps the tricks won so far
    setting = make_table(1, rules=rules, calls=AUCTION, **yes).sit()
    claim_after(setting, 4, W)
    (record,) = setting.local.records
    assert record.outcome == Played(record.contract, 1)


def test_card_during_a_claim_is_held_and_both_defenders_must_accept(make_table: Make) -> None:
    setting = make_table(1, rules=TableRules(trick_pause=0.0, claims=True), calls=AUCTION).sit()
    table = setting.local.table
    while table.course is None or table.course.play is None or len(table.course.play.cards) < 6:
        setting.local.step()
    # South has to play to the second trick
    heard = table.received(W, "West claims", 0.0)
    assert sent_to(heard, S)[0] == "West claims"
    played = table.course.play.cards
    card = next(iter(table.course.play.legal_cards()))
    table.received(S, f"South plays {card.rank.letter}{card.suit.letter}", 0.0)
    assert table.course.play.cards == played
    table.received(S, "South rejects West's claim", 0.0)
    assert table.course.play.cards == (*played, card)
    # declarer's claim needs both defenders
    heard = table.received(S, "South claims", 0.0)
    assert sent_to(heard, E)[0] == sent_to(heard, W)[0] == "South claims"
    assert not sent_to(table.received(E, "East accepts South's claim", 0.0), S)
    heard = table.received(W, "West accepts South's claim", 0.0)
    assert "South's claim is accepted" in sent_to(heard, S)


def test_ready_for_a_card_of_another_trick_is_ignored(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION).sit()
    table = setting.local.table
    while (
        table.course is None
        or table.course.play is None
        or table.chairs[E].conversation.state is not ConversationState.READY_CARD
    ):
        setting.local.step()
    table.received(E, "East ready for West's card to trick 2", 0.0)
    assert table.chairs[E].conversation.state is ConversationState.READY_CARD
    table.received(E, "East ready for West's card to trick 1", 0.0)
    assert table.chairs[E].conversation.state is not ConversationState.READY_CARD


def test_claim_is_rejected_at_a_table_without_claims(make_table: Make) -> None:
    setting = make_table(1, calls=AUCTION, choose_answer=lambda view, seat, hand: True).sit()
    claim_after(setting, 4, S)
    assert setting.local.records[0].claimed_by is None
    assert "ignored from South" in setting.notes
    assert "< South's claim is rejected: claims are off at this table" in setting.transcript[S]
    assert not any("claim" in line for seat in (N, E, W) for line in setting.transcript[seat])


def test_claim_that_is_not_allowed_is_rejected_with_a_reason(make_table: Make) -> None:
    setting = make_table(1, rules=TableRules(trick_pause=0.0, claims=True), calls=AUCTION).sit()
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


def test_claimant_plays_only_after_its_claim_is_decided(make_table: Make) -> None:
    asked = []

    def choose(view: PlayerView) -> Card | Instead:
        asked.append(len(view.course.play.cards))  # type: ignore[union-attr]
        return Instead.CLAIM if len(asked) == 1 else next(iter(view.left))

    setting = make_table(1, rules=TableRules(trick_pause=0.0, claims=True), calls=AUCTION)
    setting.local.players[S]._choose_card = choose
    setting.sit().local.run()
    (record,) = setting.local.records
    assert len(record.cards) == 52
    assert asked[:3] == [1, 1, 3]
    heard = setting.transcript[S]
    at = heard.index("> South claims")
    assert heard[at + 1 : at + 3] == ["< South's claim is rejected", "> North plays AS"]
