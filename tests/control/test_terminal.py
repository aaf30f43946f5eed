"""The flow of screens at a table, setting by setting."""

import random
from dataclasses import replace

import pytest

from overtrick.bridge import Award, Card, Deal, Doubling, NotPlayed, Outcome, Seat, Side, Strain, Undecided
from overtrick.control import Terminal, inputs, memory, screens
from overtrick.errors import BadInput
from overtrick.event import Reason, SessionPlan
from overtrick.event.calls import AnswerCall, CallStatus
from overtrick.event.hands import HandRecord, PutHandRecords
from overtrick.event.movement import ReplaceRounds, Round, SectionPlan, SetWaiting, TablePlan
from overtrick.event.rejection import reject
from overtrick.event.results import EnterResult, EraseResult, Origin
from overtrick.event.seating import Player, PutPlayers
from overtrick.event.settings import (
    HandEntry,
    LeadEntry,
    NumberEntry,
    NumberRules,
    Overview,
    PairNumberEntry,
    Perspective,
    PutSettings,
    ResultEntryMethod,
    ScoreRecap,
    SettingsII,
    SettingsIII,
    ShowNames,
    ShowRanking,
    Spelling,
    SummaryPoints,
    ViewResults,
)
from overtrick.event.tables import ResetTable
from tests.control.room import BACK, OK, Room, board
from tests.event.evenings import SESSION, entry, plan, rounds

BARE = SettingsIII(
    lead_entry=LeadEntry.NEVER,
    ranking=ShowRanking.NEVER,
    show_next_seating=False,
    view_results=ViewResults.NONE,
    score_recap=ScoreRecap.NEVER,
)
"""The third generation without anything between the boards."""
BARE_II = SettingsII(show_results=False, show_next_seating=False)
SHORT = plan(
    tables=(
        TablePlan(1, rounds((1, 2, 1), (1, 3, 3), boards=2)),
        TablePlan(2, rounds((3, 4, 1), (4, 2, 3), boards=2)),
    )
)
DEAL = Deal.dealt_by(random.Random(1))
HAND_RECORD = PutHandRecords(SESSION, (HandRecord(1, 1, DEAL),))


def kind(screen: screens.Screen) -> str:
    return type(screen).__name__.removesuffix("Screen")


# Logging on -----------------------------------------------------------------------------------------------------


def test_a_table_in_use_asks_first_and_the_other_terminal_hears_of_it() -> None:
    room = Room(BARE)
    first = room.at_table()
    second = room.terminal("tablet")
    assert kind(room.press(second, inputs.Choose("A", 1))) == "TakeOver"
    assert kind(room.press(second, BACK)) == "LogOn"
    assert kind(room.press(second, inputs.Choose("A", 1), OK)) == "Round"
    room.deliver(first)
    assert first.display.notice is not None
    assert first.display.notice.key == "replaced"
    assert kind(first.display.screen) == "LogOn"


def test_a_table_taken_meanwhile_asks_after_all() -> None:
    room = Room(BARE)
    late = room.terminal("tablet")
    room.at_table()
    room.press(late, inputs.Choose("A", 1))
    assert kind(late.display.screen) == "TakeOver"


def test_there_is_no_such_table() -> None:
    room = Room(BARE)
    terminal = room.terminal()
    room.press(terminal, inputs.Choose("B", 9))
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "no-such-table"


# Players --------------------------------------------------------------------------------------------------------


def test_starting_positions_are_confirmed_where_set() -> None:
    room = Room(replace(BARE, confirm_starting_positions=True, north_at_bottom=True))
    terminal = room.at_table()
    screen = terminal.display.screen
    assert isinstance(screen, screens.StartingPositionsScreen)
    assert (screen.ns, screen.ew, screen.north_at_bottom) == (1, 2, True)
    assert kind(room.press(terminal, OK)) == "Round"


def test_numbers_are_asked_seat_by_seat_and_names_are_shown() -> None:
    room = Room(replace(BARE_II, ask_numbers=True, show_names=ShowNames.EVERY_ROUND))
    room.do(PutPlayers(SESSION, (Player("11", "Ely", "Culbertson"), Player("12", "Jo", "Culbertson"))))
    terminal = room.at_table()
    seats = []
    for number in ("11", "12", "", "14"):
        screen = terminal.display.screen
        assert isinstance(screen, screens.NumberScreen)
        seats.append(screen.seat.value)
        room.press(terminal, inputs.Number(number))
    assert seats == ["N", "S", "E", "W"]
    screen = terminal.display.screen
    assert isinstance(screen, screens.PlayersScreen)
    assert [player.name for player in screen.players] == ["Ely Culbertson", "Jo Culbertson", "", ""]
    screen = room.press(terminal, OK)
    assert isinstance(screen, screens.RoundScreen)
    names = {player.seat.value: (player.number, player.name) for player in screen.players}
    assert names == {
        "N": ("11", "Ely Culbertson"),
        "S": ("12", "Jo Culbertson"),
        "E": ("", ""),
        "W": ("14", ""),
    }


@pytest.mark.parametrize(
    ("changes", "number", "notice"),
    [
        ({"numbers_required": True}, "", "number-required"),
        ({"number_rules": NumberRules.ACBL}, "1234567", "number-impossible"),
        ({"number_rules": NumberRules.FFB}, "490715", "number-impossible"),
        ({"number_rules": NumberRules.ABF}, "620245", "number-impossible"),
        ({"number_rules": NumberRules.JCBL}, "abc", "number-impossible"),
    ],
)
def test_a_number_that_cannot_be_is_not_taken(changes: dict[str, object], number: str, notice: str) -> None:
    room = Room(replace(BARE_II, ask_numbers=True, **changes))  # type: ignore[arg-type]
    terminal = room.at_table()
    screen = room.press(terminal, inputs.Number(number))
    assert isinstance(screen, screens.NumberScreen)
    assert screen.seat is Seat.NORTH
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == notice


def test_the_same_number_twice_is_not_taken() -> None:
    room = Room(replace(BARE, number_entry=NumberEntry.FIRST_ROUND))
    terminal = room.at_table()
    room.press(terminal, inputs.Number("7"), inputs.Number("7"))
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "number-twice"


def test_a_pair_that_sits_the_first_round_out_and_a_rover_give_their_numbers() -> None:
    planned = plan(
        section=SectionPlan("A", 1, winners=2),
        tables=(
            TablePlan(1, (Round(1, 0, (1, 2)), Round(1, 2, (1, 2)))),
            TablePlan(2, (Round(3, 0), Round(0, 0))),
        ),
    )
    room = Room(replace(BARE_II, ask_numbers=True), planned=planned)
    sitting_out, rover = room.at_table("A", 1, "one"), room.at_table("A", 2, "two")
    screen = room.press(sitting_out, inputs.Number("1"), inputs.Number("2"), OK)
    assert isinstance(screen, screens.RoundScreen)
    assert screen.round == 2, "the sit-out is skipped"
    assert kind(room.press(rover, inputs.Number("3"), inputs.Number("4"), OK)) == "End"
    chairs = {
        (table, seat.value): seated.number
        for (_, table, _, seat), seated in room.view.session.seating.chairs.items()
    }
    assert chairs == {(1, "N"): "1", (1, "S"): "2", (2, "N"): "3", (2, "S"): "4"}


def test_east_west_give_their_numbers_at_home_and_play_elsewhere() -> None:
    planned = plan(
        section=SectionPlan("A", 1, winners=2, ew_moves=1),
        tables=(TablePlan(1, rounds((1, 2, 1))), TablePlan(2, rounds((2, 1, 1)))),
    )
    room = Room(replace(BARE_II, ask_numbers=True, show_names=ShowNames.EVERY_ROUND), planned=planned)
    one, two = room.at_table("A", 1, "one"), room.at_table("A", 2, "two")
    room.press(one, *(inputs.Number(number) for number in ("1", "2", "3", "4")), OK)
    room.press(two, *(inputs.Number(number) for number in ("5", "6", "7", "8")), OK)
    room.tell(one)
    screen = one.display.screen
    assert isinstance(screen, screens.RoundScreen)
    assert {player.seat.value: player.number for player in screen.players} == {
        "N": "1",
        "S": "2",
        "E": "7",
        "W": "8",
    }


def test_numbers_in_every_round_with_known_ones_ready() -> None:
    room = Room(
        replace(BARE_II, ask_numbers=True, numbers_each_round=True, preload_numbers=True), planned=SHORT
    )
    terminal = room.at_table()
    room.press(terminal, *(inputs.Number(number) for number in ("1", "2", "3", "4")), OK, OK)
    room.press(terminal, *board(), *board(), OK)
    screen = terminal.display.screen
    assert isinstance(screen, screens.NumberScreen)
    assert screen.preloaded == "1"
    room.press(terminal, inputs.Number(), inputs.Number("9"))
    screen = terminal.display.screen
    assert isinstance(screen, screens.NumberScreen)
    assert screen.preloaded == ""
    assert [player.number for player in screen.typed] == ["1", "9"]


def test_a_player_changes_during_the_round_only_where_allowed() -> None:
    for allowed in (True, False):
        room = Room(replace(BARE, number_entry=NumberEntry.FIRST_ROUND, number_entry_during_play=allowed))
        terminal = room.at_table()
        room.press(terminal, BACK, OK, *board())
        room.press(terminal, inputs.ChangePlayer(Seat.EAST))
        assert kind(terminal.display.screen) == ("Number" if allowed else "Contract")
        if allowed:
            assert kind(room.press(terminal, inputs.Number("88"), OK)) == "Contract"
            assert room.view.session.seating.chairs["A", 1, 1, Seat.EAST].number == "88"


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


# After a board --------------------------------------------------------------------------------------------------


def _results_of_board_1(settings: SettingsII | SettingsIII) -> screens.ResultsScreen:
    room = Room(settings)
    room.do(EnterResult(SESSION, entry(2, 1, 1, "3NTE-1")))
    terminal = room.at_table()
    room.press(terminal, OK, *board())
    screen = terminal.display.screen
    assert isinstance(screen, screens.ResultsScreen)
    return screen


def test_results_as_frequencies_or_traveller_from_either_side() -> None:
    base = replace(BARE_II, show_results=True)
    screen = _results_of_board_1(base)
    assert screen.is_frequency
    assert [(line.result, line.scores, line.count, line.is_own) for line in screen.lines] == [
        ("4S N =", ("420",), 1, True),
        ("3NT E -1", ("-50",), 1, False),
    ]
    assert screen.points == ("100.0%", "0.0%")
    screen = _results_of_board_1(
        replace(
            base, overview=Overview.TRAVELLER_6_2, perspective=Perspective.NORTH_SOUTH, show_percentage=False
        )
    )
    assert [(line.ns, line.ew, line.scores) for line in screen.lines] == [
        ("A1", "A2", ("420", "")),
        ("A3", "A4", ("50", "")),
    ]
    assert screen.points is None
    screen = _results_of_board_1(replace(base, overview=Overview.TRAVELLER_4_1, show_own_result=False))
    assert [line.ns for line in screen.lines] == ["A3"]
    screen = _results_of_board_1(replace(base, maximum_results=1))
    assert len(screen.lines) == 1


def test_results_of_the_third_generation() -> None:
    assert [line.ns for line in _results_of_board_1(replace(BARE, view_results=ViewResults.ALL)).lines] == [
        "A1",
        "A3",
    ]
    own = _results_of_board_1(replace(BARE, view_results=ViewResults.OWN, view_percentages=False))
    assert [line.ns for line in own.lines] == ["A1"]
    assert own.points == ("2", "0") or own.points == ("1", "0")


def test_long_lists_have_pages_and_can_be_seen_again_where_set() -> None:
    tables = tuple(TablePlan(number, rounds((number, 20 + number, 1), boards=1)) for number in range(1, 10))
    planned = plan(tables=tables, section=SectionPlan("A", 1, winners=2))
    for repeat in (True, False):
        room = Room(
            replace(BARE_II, show_results=True, overview=Overview.TRAVELLER_4_1, repeat_results=repeat),
            planned=planned,
        )
        for number in range(2, 10):
            room.do(EnterResult(SESSION, entry(number, 1, 1, "Pass")))
        terminal = room.at_table()
        room.press(terminal, OK, *board(), inputs.More(), inputs.More(), inputs.More())
        screen = terminal.display.screen
        assert isinstance(screen, screens.ResultsScreen)
        assert (screen.page, screen.pages, len(screen.lines)) == (2, 3, 1)
        assert terminal.press(inputs.Repeat(), room.at) is repeat
        assert terminal.machine.page == (0 if repeat else 2)


def test_results_at_the_end_of_the_round() -> None:
    room = Room(replace(BARE, view_results=ViewResults.END_OF_ROUND), planned=SHORT)
    terminal = room.at_table()
    assert kind(room.press(terminal, OK, *board())) == "Contract"
    shown = []
    screen = room.press(terminal, *board())
    while isinstance(screen, screens.ResultsScreen):
        shown.append(screen.board)
        screen = room.press(terminal, OK)
    assert shown == [1, 2]


def test_the_hand_record_is_seen_after_the_board() -> None:
    for settings in (replace(BARE, view_results=ViewResults.ALL), replace(BARE_II, show_results=True)):
        for allowed in (True, False):
            room = Room(replace(settings, view_hand_record=allowed))
            room.do(HAND_RECORD)
            terminal = room.at_table()
            assert (terminal.machine.known.deals or {}) == {}, (
                "nobody holds a deal that is still to be played"
            )
            room.press(terminal, OK, *board())
            assert terminal.press(inputs.ShowHand(), room.at) is allowed
            if allowed:
                screen = terminal.display.screen
                assert screen == screens.HandScreen(1, str(DEAL))
                assert kind(room.press(terminal, OK)) == "Results"


def test_a_deal_is_entered_hand_by_hand() -> None:
    hands = [tuple(DEAL[seat]) for seat in (Seat.NORTH, Seat.EAST, Seat.SOUTH)]
    for when, keys in ((HandEntry.AFTER_BOARD, board()), (HandEntry.AFTER_ROUND, (*board(), *board()))):
        room = Room(replace(BARE, enter_hand_record=when), planned=SHORT)
        terminal = room.at_table()
        room.press(terminal, OK, *keys)
        assert terminal.display.screen == screens.EnterHandScreen(1, Seat.NORTH)
        room.press(terminal, inputs.Cards(hands[0][:12]))
        assert terminal.display.notice is not None
        assert terminal.display.notice.key == "not-thirteen"
        room.press(terminal, inputs.Cards(hands[0]), inputs.Cards(hands[0]))
        assert terminal.display.notice is not None
        assert terminal.display.notice.key == "card-twice"
        room.press(terminal, inputs.Cards(hands[1]), inputs.Cards(hands[2]))
        assert room.view.session.hands.records[1, 1].deal == DEAL
    room = Room(replace(BARE, enter_hand_record=HandEntry.AFTER_BOARD))
    room.do(HAND_RECORD)
    terminal = room.at_table()
    assert kind(room.press(terminal, OK, *board())) == "Contract", "the deal is known"


# After a round --------------------------------------------------------------------------------------------------


def test_the_end_of_a_round_recap_ranking_and_seating() -> None:
    room = Room(
        SettingsII(
            show_results=False,
            auto_score_recap=True,
            ranking=ShowRanking.EVERY_ROUND,
            spelling=Spelling.LETTERS,
        ),
        planned=SHORT,
    )
    terminal = room.at_table()
    screen = room.press(terminal, OK, *board(), *board(3, Strain.NOTRUMP, Seat.EAST, -1))
    assert screen == screens.RecapScreen(1, ((1, "4S N =", ("420",)), (2, "3NT E -1", ("-50",))), False)
    screen = room.press(terminal, OK)
    assert isinstance(screen, screens.RankingScreen)
    assert [line[0] for line in screen.lines] == ["NS", "EW"]
    screen = room.press(terminal, OK)
    assert isinstance(screen, screens.NextScreen)
    assert [(place.side, place.table, place.next_side) for place in screen.places] == [
        (Side.NS, "A1", Side.NS),
        (Side.EW, "A2", Side.EW),
    ]
    screen = room.press(terminal, OK)
    assert isinstance(screen, screens.RoundScreen)
    assert (screen.round, screen.ew) == (2, 3)


def test_the_third_generations_recap_and_ranking() -> None:
    for recap, ranking in (
        (ScoreRecap.END_OF_ROUND, ShowRanking.AT_END),
        (ScoreRecap.ALWAYS, ShowRanking.ALWAYS),
    ):
        room = Room(replace(BARE, score_recap=recap, ranking=ranking, summary=True), planned=SHORT)
        terminal = room.at_table()
        always = recap is ScoreRecap.ALWAYS
        assert terminal.press(inputs.ShowScores(), room.at) is always
        if always:
            assert kind(terminal.display.screen) == "Recap"
            room.press(terminal, OK, BACK, BACK)
        shown = []
        for _ in range(40):
            if inputs.Bid in terminal.display.keys:
                room.press(terminal, *board())
            else:
                shown.append(kind(terminal.display.screen))
                if shown[-1] == "End":
                    break
                room.press(terminal, OK)
        if always:
            assert shown == ["Round", "Ranking", "Round", "Ranking", "Summary", "End"]
        else:
            assert shown == ["Round", "Recap", "Round", "Recap", "Ranking", "Summary", "End"]


def test_a_result_is_corrected_from_the_recap_where_set() -> None:
    for settings, allowed in (
        (replace(BARE_II, score_recap=True, score_correction=True), True),
        (replace(BARE_II, score_recap=True), False),
        (replace(BARE, score_recap=ScoreRecap.ALWAYS), True),
        (replace(BARE, score_recap=ScoreRecap.ALWAYS, reentry=False), False),
    ):
        room = Room(settings)
        terminal = room.at_table()
        room.press(terminal, OK, *board(), inputs.ShowScores())
        assert terminal.press(inputs.Correct(1), room.at) is allowed
        if allowed:
            room.press(terminal, *board(2, Strain.HEARTS, Seat.EAST, -1))
            assert room.results == {("A", 1, 1, 1): "2HE-1"}
            assert kind(terminal.display.screen) == "Contract"


def test_swiss_the_table_waits_for_its_next_round() -> None:
    planned = plan(
        tables=(TablePlan(1, rounds((1, 2, 1), boards=1)), TablePlan(2, rounds((3, 4, 1), boards=1)))
    )
    room = Room(replace(BARE, ranking=ShowRanking.EVERY_ROUND), planned=planned)
    room.do(SetWaiting(SESSION, "A", 1, True))
    terminal = room.at_table()
    assert kind(room.press(terminal, OK, *board(), OK)) == "Waiting"
    room.do(ReplaceRounds(SESSION, "A", 1, 2, (Round(1, 3, (2,)),), is_waiting=False))
    room.tell(terminal)
    screen = terminal.display.screen
    assert isinstance(screen, screens.RoundScreen)
    assert screen.round == 2
    assert kind(room.press(terminal, OK, *board(), OK)) == "End"


def test_the_summary_of_both_pairs_and_logging_off() -> None:
    settings = replace(
        BARE_II, ranking=ShowRanking.AT_END, summary=True, summary_points=SummaryPoints.PERCENTAGE
    )
    room = Room(settings, planned=SHORT)
    for number, number_board in ((1, 1), (1, 2), (2, 3), (2, 4)):
        room.do(EnterResult(SESSION, entry(2, number, number_board, "Pass")))
    terminal = room.at_table()
    room.press(terminal, OK, *board(), *board(), OK, *board())
    assert kind(room.press(terminal, *board())) == "Ranking"
    screen = room.press(terminal, OK)
    assert isinstance(screen, screens.SummaryScreen)
    own = [line for line in screen.lines if line[0] == "NS"]
    assert [(line[1], line[2], line[3]) for line in own] == [
        (number, "4SN=", "100.0%") for number in (1, 2, 3, 4)
    ]
    assert [line[1] for line in screen.lines if line[0] == "EW"] == [1, 2, 3, 4]
    assert kind(room.press(terminal, OK)) == "End"
    assert kind(room.press(terminal, OK)) == "LogOn"
    assert not room.view.session.tables.logged_on


def _teams() -> SessionPlan:
    return plan(
        section=SectionPlan("A", 1, winners=2),
        tables=(
            TablePlan(1, rounds((1, 2, 1), (1, 3, 3), boards=2)),
            TablePlan(2, rounds((2, 1, 1), (3, 1, 3), boards=2)),
            TablePlan(3, rounds((3, 3, 5), (2, 2, 5), boards=2)),
        ),
        ew_return_home=True,
    )


def test_east_west_of_a_team_comes_home_for_its_next_table() -> None:
    room = Room(replace(BARE, show_next_seating=True), planned=_teams())
    terminal = room.at_table()
    screen = room.press(terminal, OK, *board(), *board())
    assert isinstance(screen, screens.NextScreen)
    assert [(place.side, place.table) for place in screen.places] == [(Side.NS, "A1"), (Side.EW, "A2")]


# The director ---------------------------------------------------------------------------------------------------


def test_the_menu_is_behind_the_pin() -> None:
    room = Room(replace(BARE, pin="1234"))
    terminal = room.at_table()
    room.press(terminal, inputs.Director(), inputs.Pin("0000"))
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "wrong-pin"
    assert kind(room.press(terminal, inputs.Pin("1234"))) == "Menu"
    assert kind(room.press(terminal, BACK)) == "Round"


def test_awards_erasing_and_directions() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    room.press(terminal, OK, *board(), inputs.Director(), inputs.Pin("0000"))
    room.press(
        terminal,
        inputs.Assign(1, 2, Award(60, 40)),
        inputs.Assign(1, 3, Undecided()),
        inputs.Assign(1, 4, NotPlayed()),
    )
    assert list(room.results.values()) == ["4SN=", "60-40", "Arbitral", "NP"]
    room.press(terminal, inputs.WrongDirection(1, 1))
    assert room.view.session.results.standing["A", 1, 1, 1].is_wrong_direction
    for key, notice in (
        (inputs.Assign(1, 2, Outcome.parse("4SN=")), "no-such-award"),
        (inputs.Assign(2, 5, Award(50, 50)), "no-such-board"),
        (inputs.WrongDirection(1, 2), "no-such-award"),
        (inputs.Erase(1, 9), "no-such-board"),
    ):
        room.press(terminal, key)
        assert terminal.display.notice is not None
        assert terminal.display.notice.key == notice
    room.press(terminal, inputs.Erase(1, 2))
    assert ("A", 1, 1, 2) not in room.results
    screen = room.press(terminal, BACK, OK)
    assert isinstance(screen, screens.ContractScreen)
    assert screen.board == 2


def test_status_view_swap_and_change() -> None:
    room = Room(replace(BARE, number_entry=NumberEntry.FIRST_ROUND))
    terminal = room.at_table()
    room.press(terminal, *(inputs.Number(number) for number in ("1", "2", "3", "4")), OK)
    room.press(terminal, inputs.Director(), inputs.Pin("0000"))
    assert room.press(terminal, inputs.Status()) == screens.StatusScreen("A1", 1, 0, 0, ())
    assert kind(room.press(terminal, OK, inputs.ViewBoard(1))) == "ViewBoard"
    room.press(terminal, OK, inputs.Swap(Side.NS))
    chairs = room.view.session.seating.chairs
    assert chairs["A", 1, 1, Seat.NORTH].number == "2"
    room.press(
        terminal, inputs.ChangePlayers(), *(inputs.Number(number) for number in ("5", "6", "7", "8")), OK
    )
    assert [
        chairs["A", 1, 1, seat].number for seat in (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
    ] == list("5678")


def test_the_reset_key_without_the_pin_where_set() -> None:
    for allowed in (True, False):
        room = Room(replace(BARE_II, reset_key=allowed))
        terminal = room.at_table()
        room.press(terminal, OK, *board())
        assert terminal.press(inputs.Reset(), room.at) is allowed
        room.deliver(terminal)
        assert (kind(terminal.display.screen) == "LogOn") is allowed
        if allowed:
            screen = room.press(terminal, inputs.Choose("A", 1), OK)
            assert isinstance(screen, screens.ContractScreen)
            assert screen.board == 2


def test_the_scoring_program_resets_a_terminal() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    room.press(terminal, OK)
    room.do(ResetTable(SESSION, "A", 1, room.at))
    room.tell(terminal)
    assert kind(terminal.display.screen) == "LogOn"


def test_the_life_of_a_call() -> None:
    room = Room(replace(BARE, director_calls=False))
    assert not room.at_table().press(inputs.CallDirector(), room.at)
    room = Room(BARE)
    terminal = room.at_table()
    assert terminal.press(inputs.CallDirector(), room.at)
    assert terminal.display.call is CallStatus.LAUNCHED, "even before it has been sent"
    room.deliver(terminal)
    room.press(terminal, inputs.CallDirector())
    (call,) = room.view.session.calls.calls
    seen = []
    for status in (CallStatus.IN_PROGRESS, CallStatus.DEFERRED, CallStatus.RESOLVED):
        room.do(AnswerCall(SESSION, call, status, room.at))
        room.tell(terminal)
        seen.append(terminal.display.call)
    assert seen == [CallStatus.IN_PROGRESS, CallStatus.DEFERRED, None]


# Without the network --------------------------------------------------------------------------------------------


def offline(room: Room, terminal: Terminal, *keys: inputs.Input) -> None:
    for key in keys:
        assert terminal.press(key, room.at), (key, terminal.display.screen)


def test_a_terminal_off_the_network_goes_on_and_sends_everything_once() -> None:
    room = Room(BARE, planned=SHORT)
    terminal = room.at_table()
    offline(room, terminal, OK, *board(), *board(), OK, *board())
    assert room.results == {}
    assert terminal.display.unsent == 3
    first = terminal.unsent()[0]
    assert room.try_to(first.command) is None
    room.taken[first.id] = room.version
    terminal = memory.read(memory.write(terminal))
    room.deliver(terminal)
    assert len(room.results) == 3
    assert terminal.unsent() == ()
    before = dict(room.results)
    room.deliver(terminal)
    assert room.results == before
    screen = terminal.display.screen
    assert isinstance(screen, screens.ContractScreen)
    assert screen.board == 4


def test_the_director_changed_it_meanwhile() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    offline(room, terminal, OK, *board())
    room.do(EnterResult(SESSION, entry(1, 1, 1, "3NTE="), Origin.DESK))
    room.deliver(terminal)
    screen = terminal.display.screen
    assert isinstance(screen, screens.ConflictScreen)
    assert (screen.meant, screen.stands, screen.reason) == ("4SN=", "3NTE=", "stale")
    assert room.results == {("A", 1, 1, 1): "3NTE="}
    assert not terminal.press(inputs.Bid(1, Strain.CLUBS), room.at), "first it has to be seen"
    room.press(terminal, OK)
    assert kind(terminal.display.screen) == "Contract"
    room.press(terminal, inputs.Director(), inputs.Pin("0000"), inputs.Status())
    status = terminal.display.screen
    assert isinstance(status, screens.StatusScreen)
    assert len(status.refused) == 1


def test_an_erased_board_comes_back() -> None:
    room = Room(BARE, planned=SHORT)
    terminal = room.at_table()
    room.press(terminal, OK, *board())
    room.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    room.tell(terminal)
    room.press(terminal, *board())
    screen = terminal.display.screen
    assert isinstance(screen, screens.ContractScreen)
    assert screen.board == 1


def test_a_board_that_was_erased_in_an_earlier_round_comes_last() -> None:
    planned = plan(tables=(TablePlan(1, rounds((1, 2, 1), (1, 3, 2), (1, 4, 3), boards=1)),))
    room = Room(BARE, planned=planned)
    terminal = room.at_table()
    room.press(terminal, OK, *board(), OK)
    room.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    seen = []
    for _ in range(3):
        room.tell(terminal)
        if isinstance(terminal.display.screen, screens.RoundScreen):
            room.press(terminal, OK)
        screen = terminal.display.screen
        assert isinstance(screen, screens.ContractScreen)
        seen.append(screen.board)
        room.press(terminal, *board())
    assert seen == [2, 3, 1], "first the rounds that are still to be played"
    assert kind(terminal.display.screen) == "End"


def test_a_movement_that_changes_takes_the_half_entered_board_along() -> None:
    room = Room(BARE, planned=SHORT)
    terminal = room.at_table()
    room.press(terminal, OK, inputs.Bid(4, Strain.SPADES))
    room.do(ReplaceRounds(SESSION, "A", 1, 1, (Round(1, 2, (7,)),)))
    room.tell(terminal)
    assert kind(terminal.display.screen) == "Round"
    assert terminal.display.notice is not None
    assert terminal.display.notice.key == "movement-changed"


def test_an_older_snapshot_changes_nothing() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    old = terminal.machine.snapshot
    room.press(terminal, OK, *board())
    terminal.update(old)
    assert terminal.machine.snapshot is not old
    assert terminal.machine.open_boards() == (2, 3, 4)
    screen = terminal.display.screen
    assert isinstance(screen, screens.ContractScreen)
    assert screen.board == 2


def test_the_offline_setting_sends_nothing_before_the_last_board() -> None:
    room = Room(replace(BARE, offline=True), planned=SHORT)
    terminal = room.at_table()
    room.press(terminal, OK, *board(), *board(), OK, *board())
    assert room.results == {}
    room.press(terminal, *board())
    assert len(room.results) == 4


def test_what_a_device_had_not_sent_when_another_took_its_table_counts() -> None:
    room = Room(BARE)
    terminal = room.at_table()
    offline(room, terminal, OK, *board())
    other = room.terminal("tablet")
    room.press(other, inputs.Choose("A", 1), OK)
    assert room.view.session.tables.logged_on["A", 1].terminal == "tablet"
    assert room.results == {}
    room.deliver(terminal)
    assert list(room.results.values()) == ["4SN="]
    assert kind(terminal.display.screen) == "LogOn", "the first device has been replaced"


def test_a_round_that_the_director_ends_still_shows_where_to_go() -> None:
    for where in ("desk", "menu"):
        room = Room(replace(BARE, show_next_seating=True), planned=SHORT)
        terminal = room.at_table()
        room.press(terminal, OK, *board())
        if where == "desk":
            room.do(EnterResult(SESSION, entry(1, 1, 2, "NP"), Origin.DESK))
            room.tell(terminal)
        else:
            keys = inputs.Director(), inputs.Pin("0000"), inputs.Assign(1, 2, Award(50, 50)), BACK
            room.press(terminal, *keys)
        assert kind(terminal.display.screen) == "Next"
        assert kind(room.press(terminal, OK)) == "Round"


def test_a_memory_that_cannot_be_read_is_said() -> None:
    room = Room(BARE)
    text = memory.write(room.at_table())
    for broken in ("", "{}", "[]", text[:-5], text.replace('"stage":"round"', '"stage":"moon"')):
        with pytest.raises(BadInput):
            memory.read(broken)


def test_what_a_terminal_remembers_is_what_it_would_work_out_anew() -> None:
    """At every moment it is as one that was read back, which remembers nothing yet."""
    room = Room(BARE, planned=SHORT)
    terminal = room.at_table()

    def is_as_new() -> None:
        anew = memory.read(memory.write(terminal))
        assert anew.machine == terminal.machine
        assert anew.machine.results() == terminal.machine.results()
        assert anew.machine.open_boards() == terminal.machine.open_boards()
        assert anew.machine.round_to_play() == terminal.machine.round_to_play()
        assert anew.display == terminal.display

    def press(*keys: inputs.Input) -> None:
        for key in keys:
            assert terminal.press(key, room.at)
            is_as_new()

    is_as_new()
    press(OK, *board())
    assert terminal.machine.open_boards() == (2,)
    (sent,) = terminal.unsent()
    room.do(sent.command)
    terminal.acknowledge(sent.id, room.version)
    is_as_new()
    room.tell(terminal)
    is_as_new()
    press(*board())
    (refused,) = terminal.unsent()
    terminal.refuse(refused.id, reject(Reason.NOT_ALLOWED, "No."))
    is_as_new()
    assert terminal.machine.open_boards(1) == (2,)
    room.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    room.tell(terminal)
    is_as_new()
    assert terminal.machine.open_boards(1) == (1, 2)
    press(OK)
    assert inputs.CallDirector in terminal.display.keys
    room.do(PutSettings(SESSION, (("A", replace(BARE, director_calls=False)),)))
    room.tell(terminal)
    is_as_new()
    assert inputs.CallDirector not in terminal.display.keys
