from overtrick.bridge import Seat, Side
from overtrick.event import JournalState, Reason
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.seating import (
    Participation,
    PlayerSet,
    PutParticipations,
    PutPlayers,
    Seated,
    SessionPlayer,
    Source,
    SwapPlayers,
    Unseated,
    line_up,
)
from overtrick.event.session import Session
from overtrick.event.setup import GameKind
from tests.event.evenings import SESSION, do, minimal, refuse, rounds

ANN, BOB = SessionPlayer("007", "Ann", "Ace"), SessionPlayer("8", "Bob", "Bid")


def state(journal_state: JournalState) -> Session:
    session = journal_state.session(SESSION)
    assert session is not None
    return session


def seat(
    journal_state: JournalState,
    table: int,
    where: Seat,
    number: str = "",
    name: str = "",
    number_of_round: int = 0,
) -> list[object]:
    given = Participation("A", table, where, number=number, last_name=name, round=number_of_round)
    return do(journal_state, PutParticipations(SESSION, (given,), must_be_known=False))


def known() -> JournalState:
    journal_state = minimal()
    do(journal_state, PutPlayers(SESSION, (ANN, BOB)))
    return journal_state


def test_players_are_added_and_renamed() -> None:
    journal_state = known()
    assert do(journal_state, PutPlayers(SESSION, (ANN,))) == []
    assert do(journal_state, PutPlayers(SESSION, (SessionPlayer("8", "Rob", "Bid"),))) == [
        PlayerSet("8", "Rob", "Bid", "")
    ]
    refuse(journal_state, PutPlayers(SESSION, (ANN, ANN)))
    refuse(journal_state, PutPlayers(SESSION, (SessionPlayer(""),)))


def test_a_number_must_be_known_and_brings_its_name() -> None:
    journal_state = known()
    stranger = Participation("A", 1, Seat.NORTH, number="9")
    assert refuse(journal_state, PutParticipations(SESSION, (stranger,))).reason is Reason.UNKNOWN_ENTRY
    (made,) = do(
        journal_state, PutParticipations(SESSION, (Participation("A", 1, Seat.NORTH, number="007"),))
    )
    assert isinstance(made, Seated)
    assert (made.player, made.round) == (ANN, 1)


def test_rounds_0_and_1_are_the_same_chair() -> None:
    journal_state = known()
    seat(journal_state, 1, Seat.NORTH, "007", number_of_round=0)
    assert seat(journal_state, 1, Seat.NORTH, "007", number_of_round=1) == []


def test_player_in_two_seats_is_refused_unless_one_is_freed() -> None:
    journal_state = known()
    seat(journal_state, 1, Seat.NORTH, "007")
    twice = Participation("A", 2, Seat.EAST, number="007")
    at_table = PutParticipations(SESSION, (twice,), Source.TERMINAL)
    assert refuse(journal_state, at_table).reason is Reason.NOT_ALLOWED
    both = (twice, Participation("A", 1, Seat.NORTH, number="007"))
    assert refuse(journal_state, PutParticipations(SESSION, both)).reason is Reason.NOT_ALLOWED
    change = (twice, Participation("A", 1, Seat.NORTH, is_removal=True))
    made = do(journal_state, PutParticipations(SESSION, change))
    assert {type(fact) for fact in made} == {Seated, Unseated}


def test_unknown_places_are_refused() -> None:
    journal_state = known()
    for given in (
        Participation("B", 1, Seat.NORTH),
        Participation("A", 9, Seat.NORTH),
        Participation("A", 1, Seat.NORTH, round=9),
    ):
        assert refuse(journal_state, PutParticipations(SESSION, (given,))).reason is Reason.UNKNOWN_PLACE


def test_later_rounds_follow_from_the_movement() -> None:
    journal_state = known()
    seat(journal_state, 2, Seat.NORTH, name="North of 3")
    seat(journal_state, 2, Seat.WEST, name="West of 4")
    # Pair 3 is East-West at table 1 in round 2; pair 4 is North-South at table 2.
    later = line_up(state(journal_state), "A", 2)
    assert later[1, Seat.EAST].last_name == "North of 3"
    assert later[2, Seat.SOUTH].last_name == "West of 4"
    assert len(later) == 2


def test_a_later_entry_counts_from_its_round_on() -> None:
    journal_state = known()
    seat(journal_state, 1, Seat.NORTH, name="First")
    seat(journal_state, 1, Seat.NORTH, name="Substitute", number_of_round=3)
    session = state(journal_state)
    names = [line_up(session, "A", number)[1, Seat.NORTH].last_name for number in (1, 2, 3)]
    assert names == ["First", "First", "Substitute"]


def test_renamed_player_has_the_new_name_in_every_seat() -> None:
    journal_state = known()
    seat(journal_state, 1, Seat.NORTH, "007")
    do(journal_state, PutPlayers(SESSION, (SessionPlayer("007", "Anna", "Ace"),)))
    assert line_up(state(journal_state), "A", 3)[1, Seat.NORTH].name == "Anna Ace"


def test_partners_swap_from_a_round_on() -> None:
    journal_state = known()
    seat(journal_state, 1, Seat.NORTH, "007")
    seat(journal_state, 1, Seat.SOUTH, "8")
    do(journal_state, SwapPlayers(SESSION, "A", 1, 2, Side.NS))
    session = state(journal_state)
    assert line_up(session, "A", 1)[1, Seat.NORTH] == ANN
    assert line_up(session, "A", 3)[1, Seat.NORTH] == BOB
    assert line_up(session, "A", 3)[1, Seat.SOUTH] == ANN
    assert refuse(journal_state, SwapPlayers(SESSION, "A", 1, 9, Side.NS)).reason is Reason.UNKNOWN_PLACE


def test_east_west_registers_at_home_and_moves_before_play() -> None:
    tables = tuple(TablePlan(number, rounds((number, number + 10, 1))) for number in (1, 2, 3))
    journal_state = minimal(section=SectionPlan("A", 1, 1, ew_moves=1), tables=tables)
    seat(journal_state, 3, Seat.EAST, name="Wraps")
    seat(journal_state, 1, Seat.EAST, name="Moves up")
    seat(journal_state, 1, Seat.NORTH, name="Stays")
    present = {place: player.last_name for place, player in line_up(state(journal_state), "A", 1).items()}
    assert present == {(1, Seat.EAST): "Wraps", (2, Seat.EAST): "Moves up", (1, Seat.NORTH): "Stays"}


def test_players_of_an_individual_follow_their_own_numbers() -> None:
    tables = (TablePlan(1, (Round(1, 2, (1,), south=3, west=4), Round(3, 1, (2,), south=2, west=4))),)
    journal_state = minimal(section=SectionPlan("A", 1, 1, game=GameKind.INDIVIDUAL), tables=tables)
    for where in Seat:
        seat(journal_state, 1, where, name=where.name)
    later = {place[1]: player.last_name for place, player in line_up(state(journal_state), "A", 2).items()}
    assert later == {Seat.NORTH: "SOUTH", Seat.EAST: "NORTH", Seat.SOUTH: "EAST", Seat.WEST: "WEST"}


def test_number_entered_again_at_a_table_keeps_the_name_of_its_player() -> None:
    journal_state = minimal()
    seat(journal_state, 1, Seat.NORTH, "12", "Ely Culbertson")
    again = Participation("A", 1, Seat.NORTH, "12", round=2)
    (made,) = do(journal_state, PutParticipations(SESSION, (again,), Source.TERMINAL, must_be_known=False))
    assert isinstance(made, Seated)
    assert (made.round, made.player) == (2, SessionPlayer("12", last_name="Ely Culbertson"))
    first = Participation("A", 1, Seat.NORTH, "12")
    assert do(journal_state, PutParticipations(SESSION, (first,), Source.TERMINAL, must_be_known=False)) == []


def test_name_in_two_seats_is_refused_at_the_desk() -> None:
    def name(table: int, seat: Seat, first: str, last: str, number: str = "") -> PutParticipations:
        entry = Participation("A", table, seat, number, first, last)
        return PutParticipations(SESSION, (entry,), Source.DESK, must_be_known=False, unique_names=True)

    journal_state = minimal()
    do(journal_state, name(1, Seat.NORTH, "Ann", "Lee"))
    refusal = str(refuse(journal_state, name(2, Seat.EAST, "ann", "LEE")))
    assert "ann LEE is already at table A1, North" in refusal
    do(journal_state, name(2, Seat.EAST, "Ann B.", "Lee"))
    do(journal_state, name(1, Seat.NORTH, "Ann", "Lee"))  # unchanged
    # Namesakes are told apart by their numbers, if both have one.
    do(journal_state, name(1, Seat.NORTH, "Ann", "Lee", "12"))
    refuse(journal_state, name(2, Seat.EAST, "Ann", "Lee"))
    do(journal_state, name(2, Seat.EAST, "Ann", "Lee", "13"))
    # A couple may be entered by its last name.
    do(journal_state, name(2, Seat.NORTH, "", "Moon"))
    do(journal_state, name(2, Seat.SOUTH, "", "Moon"))


def test_name_in_two_seats_of_an_individual_is_accepted() -> None:
    journal_state = minimal(section=SectionPlan("A", 1, winners=1, game=GameKind.INDIVIDUAL))
    for table in (1, 2):
        entry = Participation("A", table, Seat.NORTH, "", "Ann", "Lee")
        do(
            journal_state,
            PutParticipations(SESSION, (entry,), Source.DESK, must_be_known=False, unique_names=True),
        )
