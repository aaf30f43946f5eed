"""A Swiss section from its first round to its last, in commands and facts alone."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.bridge import Seat
from overtrick.connector import to_wire
from overtrick.connector.wire.rules import problems
from overtrick.directing.late_pairs import movement_command
from overtrick.directing.swiss import draw_command, length_command, swiss_of
from overtrick.event import JournalState
from overtrick.event.movement import EMPTY, Round, SectionPlan, SetMovement, TablePlan, table_plans
from overtrick.event.results import EnterResult, ResultErased
from overtrick.event.seating import Participation, PutParticipations, Source, line_up
from overtrick.event.setup import Lot, SectionFormat
from overtrick.movements import Draw, DrawMethod, choose, draw_round, mitchell, objections, round_robin
from overtrick.web.session_setup import contestants
from tests.directing.swiss_sections import drawn, opened, played, session_of, swiss_in
from tests.event.evenings import SESSION, do, entry, minimal


def names(journal_state: JournalState, number: int) -> dict[int, str]:
    """Return the first seat of each pair in a round."""
    session = session_of(journal_state)
    present = line_up(session, "A", number)
    found = {}
    for (table, seat), player in present.items():
        if seat in (Seat.NORTH, Seat.EAST):
            at = session.movement.round("A", table, number)
            assert at is not None
            found[at.number(seat)] = player.name
    return found


@settings(max_examples=25, deadline=None)
@given(
    pairs=st.integers(4, 13),
    seed=st.integers(0, 999),
    first=st.sampled_from((DrawMethod.NUMBERS, DrawMethod.HALVES, DrawMethod.LOT)),
)
def test_swiss_evening_is_drawn_and_played_to_its_end(pairs: int, seed: int, first: DrawMethod) -> None:
    rounds = min(4, pairs - 1)
    journal_state = opened(pairs, rounds, way=first, lot=seed)
    chance = Random(seed)
    for number in range(1, rounds + 1):
        swiss = swiss_in(journal_state)
        assert (swiss.last, swiss.planned, swiss.number) == (number, rounds, number)
        assert swiss.is_redraw
        played(journal_state, number, seed)
        swiss = swiss_in(journal_state)
        assert swiss.is_due is (number < rounds)
        waiting = {at.is_waiting for at in session_of(journal_state).movement.section("A").values()}
        assert waiting == {number < rounds}
        if number == rounds:
            assert not swiss.can_draw
            break
        before = len(session_of(journal_state).results.standing)
        standing = {pair: chance.uniform(30, 70) for pair in swiss.present}
        draw = draw_round(DrawMethod.STANDING, standing, swiss.before, repeats=True)
        facts = do(journal_state, draw_command(session_of(journal_state), swiss, draw))
        assert not any(isinstance(fact, ResultErased) for fact in facts)
        assert len(session_of(journal_state).results.standing) == before
        # The same once more changes nothing.
        assert do(journal_state, draw_command(session_of(journal_state), swiss_in(journal_state), draw)) == []
    swiss = swiss_in(journal_state)
    for number, matches in enumerate(swiss.drawn.matches, start=1):
        assert sorted(pair for match in matches for pair in match if pair) == list(range(1, pairs + 1))
        boards = {
            at.rounds[number - 1].boards
            for at in session_of(journal_state).movement.section("A").values()
            if at.rounds[number - 1].ew
        }
        assert boards == {(2 * number - 1, 2 * number)}
    assert max(swiss.drawn.sat_out.values(), default=0) <= 1


def test_a_round_that_has_begun_is_not_drawn_again() -> None:
    journal_state = opened(8)
    do(journal_state, EnterResult(SESSION, entry(2, 1, 1, "4SN=")))
    swiss = swiss_in(journal_state)
    assert (swiss.number, swiss.is_redraw, swiss.is_due) == (2, False, False)
    assert sum(len(each.boards) for each in swiss.unscored) == 7


def test_nothing_is_missing_of_a_round_that_could_be_drawn_again() -> None:
    journal_state = opened(8)
    assert swiss_in(journal_state).missing
    assert swiss_in(journal_state).unscored == ()


def test_players_of_a_round_drawn_again_move_with_their_pair() -> None:
    journal_state = opened(9, way=DrawMethod.HALVES)
    seats = []
    for table, at in session_of(journal_state).movement.section("A").items():
        for seat in Seat:
            if pair := at.rounds[0].number(seat):
                partner = "" if seat in (Seat.NORTH, Seat.EAST) else "'s partner"
                seats.append(Participation("A", table, seat, last_name=f"Pair {pair}{partner}"))
    do(journal_state, PutParticipations(SESSION, tuple(seats), Source.DESK))
    whole = {pair: f"Pair {pair}" for pair in range(1, 10)}
    assert names(journal_state, 1) == whole
    drawn(journal_state, "9-8 7-6 5-4 3-2 1", lot=7)
    assert names(journal_state, 1) == whole
    assert len(session_of(journal_state).seating.chairs) == len(seats)
    section = session_of(journal_state).setup.sections["A"]
    assert (section.name, section.lots) == ("Swiss, round 1 by lot 7", (Lot(1, 7),))
    played(journal_state, 1)
    drawn(journal_state)
    assert names(journal_state, 2) == whole
    assert swiss_in(journal_state).lots == {1: 7}
    # One that does not play has no chair, and the others have theirs.
    drawn(journal_state, "1-4 2-5 3-6 7-8")
    assert names(journal_state, 2) == {pair: name for pair, name in whole.items() if pair != 9}


def test_a_late_pair_sat_out_before_it_came() -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    before = dict(session_of(journal_state).results.standing)
    facts = drawn(journal_state, "1-3 2-4 5-9 6-7 8")
    assert not any(isinstance(fact, ResultErased) for fact in facts)
    session = session_of(journal_state)
    assert session.results.standing == before
    assert session.movement.tables["A", 5].rounds[:2] == (Round(9, 0), Round(8, 0))
    assert contestants(session, "A") == 9
    swiss = swiss_in(journal_state)
    assert swiss.drawn.sat_out == {9: 1, 8: 1}
    assert swiss.present == list(range(1, 10))
    # And another, beside whom nobody sits out any more.
    played(journal_state, 2)
    drawn(journal_state, "1-2 3-4 5-6 7-8 9-10")
    assert session_of(journal_state).movement.tables["A", 6].rounds == (Round(10, 0), Round(10, 0), EMPTY)
    assert session_of(journal_state).movement.tables["A", 5].rounds[2].ew == 10


def test_a_pair_that_goes_home_leaves_a_table_empty_and_may_come_back() -> None:
    journal_state = opened(6, rounds=4)
    played(journal_state, 1)
    drawn(journal_state, "1-3 2-5")
    session = session_of(journal_state)
    assert session.movement.tables["A", 3].rounds[1:] == (EMPTY,) * 3
    assert swiss_in(journal_state).present == [1, 2, 3, 5]
    assert swiss_in(journal_state).everyone == [1, 2, 3, 4, 5, 6]
    played(journal_state, 2)
    drawn(journal_state, "1-4 2-6 3-5")
    assert swiss_in(journal_state).present == [1, 2, 3, 4, 5, 6]


def test_rounds_are_added_and_removed() -> None:
    journal_state = opened(6, rounds=3)
    do(journal_state, length_command(session_of(journal_state), swiss_in(journal_state), 5))
    swiss = swiss_in(journal_state)
    assert swiss.boards == ((1, 2), (3, 4), (5, 6), (7, 8), (9, 10))
    do(journal_state, length_command(session_of(journal_state), swiss, 1))
    swiss = swiss_in(journal_state)
    assert (swiss.planned, swiss.can_draw) == (1, True)
    assert not any(at.is_waiting for at in session_of(journal_state).movement.tables.values())
    played(journal_state, 1)
    assert not swiss_in(journal_state).can_draw
    do(journal_state, length_command(session_of(journal_state), swiss_in(journal_state), 2))
    assert swiss_in(journal_state).is_due
    assert all(at.is_waiting for at in session_of(journal_state).movement.tables.values())
    assert len(session_of(journal_state).results.standing) == 6


def test_another_movement_ends_the_drawing() -> None:
    journal_state = opened(8)
    do(journal_state, movement_command(session_of(journal_state), "A", choose(8, 24)[0]))
    assert swiss_of(session_of(journal_state), "A") is None
    assert not any(at.is_waiting for at in session_of(journal_state).movement.tables.values())
    section = session_of(journal_state).setup.sections["A"]
    assert (section.name, section.format, section.lots) == ("", SectionFormat.MOVEMENT, ())


@pytest.mark.parametrize(
    ("section", "tables"),
    [
        (SectionPlan("A", 1, winners=2), table_plans(mitchell(4, 3), "A")),
        (SectionPlan("A", 1, winners=1), table_plans(round_robin(6, 3), "A")),
        (SectionPlan("A", 1, winners=1), table_plans(mitchell(4, 3, arrow_switches=1), "A")),
    ],
)
def test_other_movements_are_not_swiss(section: SectionPlan, tables: tuple[TablePlan, ...]) -> None:
    journal_state = minimal(section=section, tables=tables)
    assert swiss_of(session_of(journal_state), "A") is None
    assert swiss_of(session_of(journal_state), "B") is None


def test_missing_pair_is_left_out_of_the_section() -> None:
    journal_state = opened(8)
    known = session_of(journal_state).setup.sections["A"]
    do(journal_state, SetMovement(SESSION, SectionPlan("A", 1, 1, name=known.name, missing_pair=4)))
    swiss = swiss_in(journal_state)
    assert 4 not in swiss.present
    assert swiss.drawn.matches[0][1] == (3, 0)
    assert objections(Draw.parse("1-5 2-6 7-8 3"), swiss.drawn)


def test_section_of_64_tables_is_drawn() -> None:
    journal_state = opened(128, rounds=6, boards=4)
    for table in range(1, 65):
        do(journal_state, EnterResult(SESSION, entry(table, 1, 1, "Pass")))
    drawn(journal_state)
    assert swiss_in(journal_state).last == 2
    assert len(swiss_in(journal_state).unscored) == 64


def test_swiss_movement_is_valid_for_the_data_connector() -> None:
    journal_state = opened(9)
    for number in (1, 2, 3):
        assert problems(to_wire.movement(to_wire.snapshot_section(session_of(journal_state), "A"))) == []
        played(journal_state, number)
        if number < 3:
            drawn(journal_state, "1-3 2-5 6-7" if number == 1 else "")


def test_a_section_is_swiss_by_its_format_and_not_by_its_name() -> None:
    journal_state = opened(6, rounds=1)
    known = session_of(journal_state).setup.sections["A"]
    do(journal_state, SetMovement(SESSION, SectionPlan("A", 1, 1, name="Friday", id=known.id)))
    assert swiss_in(journal_state).planned == 1
    fixed = minimal(
        section=SectionPlan("A", 1, winners=1, name="Swiss, round 1 by lot 9"),
        tables=table_plans(round_robin(6, 3), "A"),
    )
    assert swiss_of(session_of(fixed), "A") is None


def test_a_section_with_a_name_of_its_own_keeps_it_and_is_swiss_when_its_last_round_is_drawn() -> None:
    tables = tuple(
        TablePlan(table, (Round(2 * table - 1, 2 * table, (1, 2)), EMPTY), is_waiting=True)
        for table in (1, 2)
    )
    journal_state = minimal(section=SectionPlan("A", 1, winners=1, name="Swiss on Friday"), tables=tables)
    assert session_of(journal_state).setup.sections["A"].format is SectionFormat.MOVEMENT
    played(journal_state, 1)
    drawn(journal_state, "1-3 2-4", lot=5)
    section = session_of(journal_state).setup.sections["A"]
    assert (section.name, section.lots) == ("Swiss on Friday", (Lot(2, 5),))
    assert (swiss_in(journal_state).is_redraw, swiss_in(journal_state).lots) == (True, {2: 5})
