"""What is seen after a board and after a round, setting by setting."""

from dataclasses import replace

from overtrick.bridge import Seat, Side, Strain
from overtrick.control import inputs, screens
from overtrick.event import SessionPlan
from overtrick.event.movement import ReplaceRounds, Round, SectionPlan, SetWaiting, TablePlan
from overtrick.event.results import EnterResult
from overtrick.event.settings import (
    HandEntry,
    Overview,
    Perspective,
    ScoreRecap,
    SettingsII,
    SettingsIII,
    ShowRanking,
    Spelling,
    SummaryPoints,
    ViewResults,
)
from tests.control.room import BACK, BARE, BARE_II, DEAL, HAND_RECORD, OK, SHORT, Room, board, kind
from tests.event.evenings import SESSION, entry, plan, rounds

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


def test_the_first_on_a_board_are_not_told_that_they_have_nothing() -> None:
    for shares in (True, False):
        room = Room(replace(BARE, view_results=ViewResults.ALL, view_percentages=shares))
        terminal = room.at_table()
        screen = room.press(terminal, OK, *board())
        assert isinstance(screen, screens.ResultsScreen)
        assert screen.points is None


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
    assert [line[2] for line in screen.lines] == ["–", "–"], "nobody can be compared yet"
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


def test_swiss_who_waits_is_told_where_the_round_that_was_drawn_is_played() -> None:
    planned = plan(
        tables=(TablePlan(1, rounds((1, 2, 1), boards=1)), TablePlan(2, rounds((3, 4, 1), boards=1)))
    )
    room = Room(replace(BARE, show_next_seating=True), planned=planned)
    room.do(SetWaiting(SESSION, "A", 1, True))
    terminal = room.at_table()
    assert kind(room.press(terminal, OK, *board())) == "Waiting"
    room.do(ReplaceRounds(SESSION, "A", 2, 2, (Round(4, 1, (2,)),)))
    room.tell(terminal)
    assert kind(terminal.display.screen) == "Waiting"
    room.do(ReplaceRounds(SESSION, "A", 1, 2, (Round(2, 3, (2,)),)))
    room.tell(terminal)
    screen = terminal.display.screen
    assert isinstance(screen, screens.NextScreen)
    assert [(place.side.value, place.table, place.next_side.value) for place in screen.places] == [
        ("NS", "A2", "EW"),
        ("EW", "A1", "NS"),
    ]
    assert kind(room.press(terminal, OK)) == "Round"


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
