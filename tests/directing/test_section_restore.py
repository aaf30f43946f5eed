"""A section that is put back as it was before tables of it were removed."""

from dataclasses import replace

import pytest

from overtrick.bridge import Outcome, Seat, Side
from overtrick.directing.section_restore import restore_section
from overtrick.errors import BadInput
from overtrick.event import Command, JournalState, OpenEvent, Rejection, Session, decide
from overtrick.event.fact import Fact
from overtrick.event.movement import SetMovement, TablePlan
from overtrick.event.results import EnterResult, Origin, PutResults
from overtrick.event.rulings import Appeal, BoardVersion, FoulBoard, NoteRuling
from overtrick.event.seating import Participation, PutParticipations, Source
from tests.event.evenings import NOON, SESSION, entry, plan, rounds


class Evening:
    """A session of two tables with the history of its facts."""

    def __init__(self) -> None:
        self.journal_state = JournalState()
        self.history: list[tuple[str, Fact]] = []
        self.do(OpenEvent(SESSION, (plan(),)))

    def do(self, command: Command) -> None:
        decided = decide(self.journal_state, command)
        assert not isinstance(decided, Rejection), str(decided)
        name = str(len(self.history))
        for made in decided:
            self.journal_state.apply(made.stream, made.fact)
            if made.stream.startswith("session/"):
                self.history.append((name, made.fact))

    @property
    def session(self) -> Session:
        found = self.journal_state.session(SESSION)
        assert found is not None
        return found

    def outcomes(self) -> dict[tuple[str, int, int, int], tuple[Outcome | None, Outcome | None]]:
        return {
            place: (result.outcome, result.outcome_ew)
            for place, result in self.session.results.standing.items()
        }


@pytest.fixture
def evening() -> Evening:
    made = Evening()
    seat = Participation("A", 2, Seat.NORTH, "7", "Ada", "Lovelace")
    made.do(PutParticipations(SESSION, (seat,), Source.TERMINAL, must_be_known=False))
    made.do(EnterResult(SESSION, entry(1, 1, 1, "3NTN=")))
    made.do(EnterResult(SESSION, entry(1, 2, 5, "2SN=")))
    split = entry(2, 1, 1, "60-40")
    sides = replace(split, side=Side.NS), replace(split, side=Side.EW, outcome=Outcome.parse("40-40"))
    made.do(PutResults(SESSION, sides, Origin.DESK))
    return made


def remove_second_table(evening: Evening) -> None:
    """Keep round 1 of the first table, change its others, and remove the second table."""
    moved = TablePlan(1, rounds((1, 2, 1), (3, 2, 5), (1, 3, 9)))
    evening.do(SetMovement(SESSION, evening.session.plan("A"), (moved, TablePlan(2, ()))))


def test_movement_seats_and_results_are_back_after_one_command(evening: Evening) -> None:
    tables, outcomes = evening.session.movement.section("A"), evening.outcomes()
    remove_second_table(evening)
    assert len(evening.outcomes()) == 1
    assert list(evening.session.movement.removed) == [("A", 2)]
    evening.do(restore_section(evening.history, evening.session, "A"))
    assert evening.session.movement.section("A") == tables
    assert evening.outcomes() == outcomes
    assert evening.session.seating.chairs["A", 2, 1, Seat.NORTH].number == "7"
    assert not evening.session.movement.removed


def test_notes_and_deals_of_fouled_boards_are_back_with_their_results(evening: Evening) -> None:
    for table in (1, 2):
        evening.do(NoteRuling(SESSION, "A", table, 1, 1, "Slow", NOON, Appeal.PENDING, Outcome.parse("Pass")))
    turned = BoardVersion("turned", (("A", 1, 1), ("A", 2, 1)))
    evening.do(FoulBoard(SESSION, 1, (turned,), "Turned"))
    before = evening.session.rulings.copy()
    remove_second_table(evening)
    assert len(evening.session.rulings.notes) == len(evening.session.rulings.versions) == 1
    evening.do(restore_section(evening.history, evening.session, "A"))
    assert evening.session.rulings == before


def test_results_entered_since_stay_if_the_round_is_unchanged(evening: Evening) -> None:
    remove_second_table(evening)
    evening.do(EnterResult(SESSION, entry(1, 1, 2, "4SN=")))
    evening.do(EnterResult(SESSION, entry(1, 2, 5, "1NTN=")))
    evening.do(restore_section(evening.history, evening.session, "A"))
    found = evening.outcomes()
    assert found["A", 1, 1, 2] == (Outcome.parse("4SN="), None)
    assert found["A", 1, 2, 5] == (Outcome.parse("2SN="), None), "of the movement that is back"


def test_a_player_who_sits_elsewhere_meanwhile_stays_there(evening: Evening) -> None:
    remove_second_table(evening)
    seat = Participation("A", 1, Seat.EAST, "7", "Ada", "Lovelace")
    evening.do(PutParticipations(SESSION, (seat,), Source.DESK, must_be_known=False))
    evening.do(restore_section(evening.history, evening.session, "A"))
    assert list(evening.session.seating.chairs) == [("A", 1, 1, Seat.EAST)]


@pytest.mark.parametrize("section", ["A", "Z"])
def test_restore_without_a_removed_table_is_refused(evening: Evening, section: str) -> None:
    with pytest.raises(BadInput, match="nothing was changed"):
        restore_section(evening.history, evening.session, section)
