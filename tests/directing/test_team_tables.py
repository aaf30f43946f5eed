"""A round of a team event laid on tables: a command, and nothing that is not drawn."""

from datetime import date

import pytest

from overtrick.directing.team_tables import TeamTableLayout, plan_team_tables
from overtrick.errors import BadInput
from overtrick.event.teams import Room
from tests.event import team_events
from tests.event.evenings import do


def test_each_match_has_two_tables_with_the_teams_in_each_others_places() -> None:
    journal_state = team_events.teams(4)
    team_events.put(journal_state, team_events.drawn(1, (101, 104), (102, 103)))
    event = team_events.event(journal_state)
    laid = plan_team_tables(
        journal_state, event, event.divisions[1], 1, 1, (1, 2), session="1" * 32, day=date(2026, 3, 2)
    )
    assert [(match.home, room, at, table) for match, room, at, table in laid.tables] == [
        (101, Room.OPEN, "A", 1),
        (101, Room.CLOSED, "A", 2),
        (102, Room.OPEN, "A", 3),
        (102, Room.CLOSED, "A", 4),
    ]
    do(journal_state, laid.command)
    session = journal_state.session("1" * 32)
    assert session is not None
    rounds = [at.rounds[0] for at in session.movement.section("A").values()]
    assert [(played.team_ns, played.team_ew) for played in rounds] == [(1, 4), (4, 1), (2, 3), (3, 2)]
    assert event.seated["1" * 32, "A"].round == 1


@pytest.mark.parametrize(("round_", "segment", "said"), [(3, 1, "is not drawn"), (2, 3, "has 2 segments")])
def test_undrawn_round_cannot_be_put_on_tables(round_: int, segment: int, said: str) -> None:
    journal_state = team_events.teams(2)
    team_events.put(
        journal_state, team_events.drawn(1, (101, 102)), team_events.drawn(2, (102, 101), segments=2)
    )
    event = team_events.event(journal_state)
    day = date(2026, 3, 2)
    with pytest.raises(BadInput, match=said):
        plan_team_tables(
            journal_state, event, event.divisions[1], round_, segment, (1, 2), session="1" * 32, day=day
        )


def test_every_round_of_a_long_event_gets_letters_that_a_section_can_have() -> None:
    journal_state = team_events.teams(2)
    event = team_events.event(journal_state)
    rounds = 79
    team_events.put(
        journal_state, *(team_events.drawn(number, (101, 102)) for number in range(1, rounds + 1))
    )
    letters = []

    def lay(number: int) -> TeamTableLayout:
        session, day = f"{number:032X}", date(2026, 3, 2)
        return plan_team_tables(
            journal_state, event, event.divisions[1], number, 1, (1, 2), session=session, day=day
        )

    for number in range(1, rounds):
        laid = lay(number)
        do(journal_state, laid.command)
        letters.append(laid.section)
    assert (letters[0], letters[25:28], letters[-1]) == ("A", ["Z", "AA", "BB"], "ZZZ")
    with pytest.raises(BadInput, match="The event has no section letters left; nothing was changed"):
        lay(rounds)
