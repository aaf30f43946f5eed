"""Swiss sections that tests begin with, and their rounds scored and drawn."""

from random import Random

from overtrick.directing.swiss import (
    SwissSection,
    draw_command,
    opening_plan,
    opening_tables,
    swiss_of,
)
from overtrick.event import JournalState, Session
from overtrick.event.results import EnterResult
from overtrick.movements import Draw, DrawMethod, EarlierRounds, draw_round
from overtrick.movements.model import sets_of_boards
from tests.event.evenings import SESSION, do, entry, minimal

OUTCOMES = ("4SN=", "3NTS+1", "2HE-1", "Pass", "4HxW-2", "1NTN=", "6DS-1", "3CE+2")


def opened(
    pairs: int, rounds: int = 3, boards: int = 2, way: DrawMethod = DrawMethod.NUMBERS, lot: int = 0
) -> JournalState:
    """Return a state in which a Swiss section begins."""
    draw = draw_round(way, dict.fromkeys(range(1, pairs + 1), 0.0), EarlierRounds(), lot=lot)
    return minimal(
        section=opening_plan("A", 1, lot), tables=opening_tables(draw, sets_of_boards(rounds, boards))
    )


def session_of(journal_state: JournalState) -> Session:
    found = journal_state.session(SESSION)
    assert found is not None
    return found


def swiss_in(journal_state: JournalState) -> SwissSection:
    found = swiss_of(session_of(journal_state), "A")
    assert found is not None
    return found


def played(journal_state: JournalState, number: int, seed: int = 1) -> None:
    """Score a round at every table."""
    chance = Random(seed)
    for table, at in session_of(journal_state).movement.section("A").items():
        here = at.rounds[number - 1]
        for board in here.boards if here.ns and here.ew else ():
            do(journal_state, EnterResult(SESSION, entry(table, number, board, chance.choice(OUTCOMES))))


def drawn(journal_state: JournalState, text: str = "", lot: int = 0) -> list[object]:
    """Lay the next round, as drawn by number or as said; the facts."""
    swiss = swiss_in(journal_state)
    standing = dict.fromkeys(swiss.present, 0.0)
    draw = Draw.parse(text) if text else draw_round(DrawMethod.NUMBERS, standing, swiss.before)
    return do(journal_state, draw_command(session_of(journal_state), swiss, draw, lot))
