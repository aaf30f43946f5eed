"""The flow of screens from board to result, setting by setting."""

from dataclasses import replace

import pytest

from overtrick.bridge import Card, Doubling, Seat, Strain
from overtrick.control import inputs, screens
from overtrick.event.settings import (
    LeadEntry,
    PairNumberEntry,
    ResultEntryMethod,
    SettingsII,
    SettingsIII,
    Spelling,
)
from tests.control.room import BACK, BARE, BARE_II, DEAL, HAND_RECORD, OK, Room, board, kind

# Boards ---------------------------------------------------------------------------------------------------------


def test_the_round_shows_pairs_names_and_boards() -> None:
    room = Room(replace(BARE_II, show_pair_numbers=False))
    screen = room.at_table().display.screen
    assert isinstance(screen, screens.RoundScreen)
    assert (screen.ns, screen.ew, screen.boards, screen.players) == (None, None, (1, 2, 3, 4), ())


def test_board_numbers_by_themselves_by_hand_and_the_first_by_hand() -> None:
    for settings, first, second in (
        (BARE_II, "Contract", "Contract"),
        (replace(BARE_II, auto_board_number=False), "Board", "Board"),
        (replace(BARE_II, first_board_manually=True), "Board", "Contract"),
    ):
        room = Room(settings)
        terminal = room.at_table()
        assert kind(room.press(terminal, OK)) == first
        if first == "Board":
            room.press(terminal, inputs.Board(1))
        assert kind(room.press(terminal, *board())) == second


def test_the_order_of_boards_is_verified() -> None:
    for verify in (True, False):
        room = Room(replace(BARE_II, auto_board_number=False, verify_board_order=verify))
        terminal = room.at_table()
        room.press(terminal, OK, inputs.Board(3))
        assert kind(terminal.display.screen) == ("Board" if verify else "Contract")
        if verify:
            assert terminal.display.notice is not None
            assert terminal.display.notice.about == {"board": "3", "expected": "1"}
            room.press(terminal, OK)
        room.press(terminal, *board(), inputs.Board(3))
        assert terminal.display.notice is not None
        assert terminal.display.notice.key == "board-has-result"
        room.press(terminal, inputs.Board(9))
        assert terminal.display.notice is not None
        assert terminal.display.notice.key == "board-not-in-round"
        assert list(room.results) == [("A", 1, 1, 3)]


def test_remaining_boards() -> None:
    for shown in (True, False):
        room = Room(replace(BARE_II, show_remaining_boards=shown))
        terminal = room.at_table()
        room.press(terminal, OK, *board())
        screen = terminal.display.screen
        assert isinstance(screen, screens.ContractScreen)
        assert screen.remaining == (3 if shown else None)


@pytest.mark.parametrize(
    ("method", "entered", "expected"),
    [
        (ResultEntryMethod.RELATIVE, 1, "4SxN+1"),
        (ResultEntryMethod.RELATIVE, -10, "4SxN-10"),
        (ResultEntryMethod.RELATIVE, 4, None),
        (ResultEntryMethod.RELATIVE, -11, None),
        (ResultEntryMethod.TOTAL, 11, "4SxN+1"),
        (ResultEntryMethod.TOTAL, 0, "4SxN-10"),
        (ResultEntryMethod.TOTAL, 14, None),
        (ResultEntryMethod.TOTAL, -1, None),
        (ResultEntryMethod.AMERICAN, 5, "4SxN+1"),
        (ResultEntryMethod.AMERICAN, 4, "4SxN="),
        (ResultEntryMethod.AMERICAN, -2, "4SxN-2"),
        (ResultEntryMethod.AMERICAN, 3, None),
        (ResultEntryMethod.AMERICAN, 0, None),
        (ResultEntryMethod.AMERICAN, 8, None),
    ],
)
@pytest.mark.parametrize("settings", [BARE, BARE_II])
def test_results_by_three_methods(
    settings: SettingsII | SettingsIII, method: ResultEntryMethod, entered: int, expected: str | None
) -> None:
    room = Room(replace(settings, result_entry=method))
    terminal = room.at_table()
    room.press(
        terminal,
        OK,
        inputs.Bid(4, Strain.SPADES),
        inputs.Double(Doubling.DOUBLED),
        inputs.Declarer(Seat.NORTH),
        inputs.Result(entered),
    )
    if expected is None:
        assert kind(terminal.display.screen) == "Result"
        assert terminal.display.notice is not None
        assert terminal.display.notice.key == "impossible-result"
    else:
        assert kind(terminal.display.screen) == "Verify"
        room.press(terminal, OK)
        assert room.results == {("A", 1, 1, 1): expected}


def test_opponents_who_say_no_enter_it_again() -> None:
    room = Room(replace(BARE_II, spelling=Spelling.SYMBOLS, verification_seconds=5))
    terminal = room.at_table()
    room.press(terminal, OK, *board()[:-1])
    screen = terminal.display.screen
    assert isinstance(screen, screens.VerifyScreen)
    assert (screen.result, screen.scores, screen.seconds) == ("4♠ N =", ("420",), 5)
    assert kind(room.press(terminal, BACK)) == "Contract"
    room.press(terminal, inputs.PassOut(), OK)
    assert room.results == {("A", 1, 1, 1): "Pass"}


@pytest.mark.parametrize(
    ("settings", "asked", "strict", "excepted"),
    [
        (BARE_II, False, False, False),
        (replace(BARE_II, ask_lead=True), True, False, False),
        (replace(BARE_II, ask_lead=True, validate_lead=True), True, True, False),
        (replace(BARE, lead_entry=LeadEntry.UNCHECKED), True, False, False),
        (replace(BARE, lead_entry=LeadEntry.CHECKED), True, True, False),
        (replace(BARE, lead_entry=LeadEntry.CHECKED_WITH_EXCEPTIONS), True, True, True),
    ],
)
def test_leads(settings: SettingsII | SettingsIII, asked: bool, strict: bool, excepted: bool) -> None:
    room = Room(settings)
    room.do(HAND_RECORD)
    terminal = room.at_table()
    room.press(terminal, OK, inputs.Bid(3, Strain.NOTRUMP), inputs.Declarer(Seat.SOUTH))
    assert kind(terminal.display.screen) == ("Lead" if asked else "Result")
    if not asked:
        return
    wrong = next(iter(DEAL[Seat.NORTH]))
    right = next(iter(DEAL[Seat.WEST]))
    room.press(terminal, inputs.Lead(wrong))
    assert kind(terminal.display.screen) == ("Lead" if strict else "Result")
    if strict and excepted:
        assert kind(room.press(terminal, OK)) == "Result"
    elif strict:
        assert kind(room.press(terminal, OK)) == "Lead"
        assert kind(room.press(terminal, inputs.Lead(right))) == "Result"
    room.press(terminal, inputs.Result(0), OK)
    lead = room.view.session.results.standing["A", 1, 1, 1].lead
    assert lead is (wrong if excepted or not strict else right)


def test_the_pair_number_tells_who_sits_the_wrong_way_round() -> None:
    room = Room(replace(BARE_II, pair_number_entry=PairNumberEntry.REQUIRED))
    terminal = room.at_table()
    room.press(terminal, OK, inputs.Bid(4, Strain.HEARTS), inputs.Declarer(Seat.NORTH))
    assert kind(room.press(terminal, OK)) == "Pair", "it is required"
    assert kind(room.press(terminal, inputs.PairNumber(3))) == "Pair", "pair 3 is elsewhere"
    room.press(terminal, inputs.PairNumber(2), inputs.Result(0))
    screen = terminal.display.screen
    assert isinstance(screen, screens.VerifyScreen)
    assert screen.is_wrong_direction
    room.press(terminal, OK)
    assert room.view.session.results.standing["A", 1, 1, 1].is_wrong_direction


def test_the_pair_number_may_be_optional() -> None:
    room = Room(replace(BARE_II, pair_number_entry=PairNumberEntry.OPTIONAL))
    terminal = room.at_table()
    assert (
        kind(room.press(terminal, OK, inputs.Bid(4, Strain.HEARTS), inputs.Declarer(Seat.NORTH), OK))
        == "Result"
    )


def test_the_contract_is_sent_before_the_result_and_another_device_goes_on_there() -> None:
    room = Room(replace(BARE_II, send_contracts=True, ask_lead=True))
    terminal = room.at_table()
    room.press(terminal, OK, inputs.Bid(6, Strain.CLUBS), inputs.Declarer(Seat.WEST), inputs.Lead(Card.HA))
    begun = room.view.session.recording.contracts["A", 1, 1, 1]
    assert (begun.contract, begun.lead) == ("6CW", Card.HA)
    other = room.terminal("tablet")
    room.press(other, inputs.Choose("A", 1), OK, OK)
    screen = other.display.screen
    assert isinstance(screen, screens.ResultScreen)
    assert (screen.contract, screen.lead) == ("6C W", "HA")
    room.press(other, inputs.Result(-1), OK)
    assert room.results == {("A", 1, 1, 1): "6CW-1"}


def test_not_played_needs_the_director_where_set() -> None:
    for settings in (BARE, BARE_II):
        room = Room(replace(settings, confirm_not_played=True, pin="4711"))
        terminal = room.at_table()
        assert kind(room.press(terminal, OK, inputs.NoPlay(), inputs.Pin("0000"))) == "Pin"
        assert kind(room.press(terminal, BACK)) == "Contract"
        room.press(terminal, inputs.NoPlay(), inputs.Pin("4711"), OK)
        assert room.results == {("A", 1, 1, 1): "NP"}
        room = Room(settings)
        terminal = room.at_table()
        room.press(terminal, OK, inputs.NoPlay(), OK)
        assert room.results == {("A", 1, 1, 1): "NP"}
