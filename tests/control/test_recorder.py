import random
from dataclasses import replace

from overtrick.bridge import CARDS, PASS, Card, Deal, Seat, parse_call
from overtrick.control import Terminal, inputs, screens
from overtrick.event.hands import HandRecord, PutHandRecords
from overtrick.event.settings import SettingsII
from tests.control.room import BACK, OK, Room
from tests.event.evenings import SESSION

RECORDER = SettingsII(show_results=False, show_next_seating=False, record_bidding=True, record_play=True)
DEAL = Deal.dealt_by(random.Random(1))
PLACE = "A", 1, 1, 1


def calls(*texts: str) -> tuple[inputs.MakeCall, ...]:
    return tuple(inputs.MakeCall(parse_call(text)) for text in texts)


def at_the_play(room: Room) -> Terminal:
    terminal = room.at_table()
    room.press(terminal, OK, *calls("1NT", "Pass", "3NT", "Pass", "Pass", "Pass"))
    return terminal


def test_an_auction_makes_the_contract_and_every_call_is_sent() -> None:
    room = Room(replace(RECORDER, record_play=False))
    terminal = room.at_table()
    room.press(terminal, OK, *calls("1H", "X"))
    screen = terminal.display.screen
    assert isinstance(screen, screens.AuctionScreen)
    assert (screen.calls, screen.turn) == (("1H", "X"), Seat.SOUTH)
    room.press(terminal, *calls("1C"))
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "illegal-call"
    room.press(terminal, *calls("2S"), BACK, *calls("4H", "X", "Pass", "Pass", "Pass"))
    assert isinstance(terminal.display.screen, screens.ResultScreen)
    room.press(terminal, inputs.Result(-1), OK)
    assert room.results == {PLACE: "4HxN-1"}
    kept = {
        counter: (fact.seat.value, fact.call)
        for (_, counter), fact in room.view.session.recording.calls.items()
    }
    assert kept[3] == ("S", "4H")
    assert len(kept) == 7


def test_four_passes() -> None:
    room = Room(RECORDER)
    terminal = room.at_table()
    room.press(terminal, OK, *[inputs.MakeCall(PASS)] * 4, OK)
    assert room.results == {PLACE: "Pass"}


def test_fifty_two_cards_make_the_result() -> None:
    room = Room(replace(RECORDER, validate_recording=True, ask_lead=True))
    room.do(PutHandRecords(SESSION, (HandRecord(1, 1, DEAL),)))
    terminal = at_the_play(room)
    while isinstance(screen := terminal.display.screen, screens.PlayScreen):
        assert screen.turn is not None
        assert screen.deal == ""
        for card in DEAL[screen.turn]:
            if card.value not in screen.cards:
                room.press(terminal, inputs.PlayCard(card))
                if terminal.display.notice is None:
                    break
    assert isinstance(terminal.display.screen, screens.VerifyScreen)
    room.press(terminal, OK)
    cards = room.view.session.recording.cards
    assert len(cards) == 52
    assert all(Card(fact.card) in DEAL[fact.seat] for fact in cards.values())
    result = room.view.session.results.standing[PLACE]
    assert str(result.outcome).startswith("3NTN")
    assert result.lead is not None
    assert result.lead.value == cards[PLACE, 1].card


def test_a_card_is_taken_back_and_a_claim_ends_the_play() -> None:
    room = Room(RECORDER)
    terminal = at_the_play(room)
    room.press(terminal, inputs.PlayCard(CARDS[0]), inputs.PlayCard(CARDS[0]))
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "illegal-card"
    room.press(terminal, inputs.PlayCard(CARDS[1]), BACK)
    assert list(room.view.session.recording.cards) == [(PLACE, 1)]
    room.press(terminal, inputs.Result(1), OK)
    assert room.results == {PLACE: "3NTN+1"}


def test_cards_are_held_against_the_hands_only_where_set_and_the_hands_shown_only_where_set() -> None:
    wrong = next(iter(DEAL[Seat.NORTH]))
    for validated in (True, False):
        room = Room(replace(RECORDER, validate_recording=validated, show_hands_while_recording=validated))
        room.do(PutHandRecords(SESSION, (HandRecord(1, 1, DEAL),)))
        terminal = at_the_play(room)
        screen = room.press(terminal, inputs.PlayCard(wrong))
        assert isinstance(screen, screens.PlayScreen)
        assert screen.cards == (() if validated else (wrong.value,))
        assert screen.deal == (str(DEAL) if validated else "")
