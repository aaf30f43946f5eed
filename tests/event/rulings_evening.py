"""An evening with every kind of ruling, as commands: three tables, six pairs, two boards a round."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from overtrick import movements
from overtrick.bridge import Outcome, Side
from overtrick.event import Command, OpenEvent, SessionTransaction
from overtrick.event.movement import SectionPlan, table_plans
from overtrick.event.results import CorrectResult, EnterResult, Origin, PutResults, ResultEntry
from overtrick.event.rulings import (
    AdjustmentUnit,
    AdjustScore,
    Appeal,
    BoardVersion,
    ChooseRules,
    ContestantStatus,
    FoulBoard,
    MoveResult,
    NoteRuling,
    SetContestantStatus,
    SetCorrectionPeriod,
    WithdrawAdjustment,
)
from overtrick.scoring import Unequal
from overtrick.scoring.rules import EBU
from tests.event.evenings import NOON, SESSION, plan

OUTCOMES = ("4SN=", "3NTE-1", "4SN-1", "1NTW+1", "2HS+2", "Pass", "60-40", "NP", "Cancelled", "Arbitral")


def commands() -> Iterator[Command]:
    """Yield the commands of the evening, in order."""
    own = replace(EBU, unequal=Unequal.FACTOR, sit_out_vps=Decimal("11.5"))
    tables = table_plans(movements.howell(3, 2), "A")
    rules = ChooseRules(SESSION, 1, own, boards_per_match=2)
    yield OpenEvent(SESSION, (plan(section=SectionPlan("A", 1, 1), tables=tables, history=(rules,)),))
    places = [
        (table.table, number, board)
        for table in tables
        for number, played in enumerate(table.rounds, start=1)
        for board in played.boards
    ]
    for count, place in enumerate(places):
        outcome = Outcome.parse(OUTCOMES[count % len(OUTCOMES)])
        yield EnterResult(SESSION, ResultEntry("A", *place, outcome, NOON))
    table, number, board = places[0]
    here = ("A", table, number, board)
    weighted = Outcome.parse("60 % of 4SN=, 40 % of 4SN-1")
    yield SessionTransaction(
        SESSION,
        (
            CorrectResult(SESSION, ResultEntry(*here, weighted, NOON), Origin.DESK),
            NoteRuling(SESSION, *here, "Misinformation", NOON, Appeal.PENDING, Outcome.parse("4SN=")),
        ),
    )
    split = ResultEntry("A", *places[2], Outcome.parse("4SN="), NOON, Side.EW)
    yield PutResults(SESSION, (split,), Origin.DESK)
    for pair, amount, unit, of_board in (
        (1, "-10", AdjustmentUnit.TOP_PERCENT, None),
        (2, "0.5", AdjustmentUnit.MATCHPOINTS, 1),
        (3, "-25", AdjustmentUnit.TOP_PERCENT, None),
    ):
        yield AdjustScore(SESSION, "A", pair, None, Decimal(amount), unit, "Slow play", NOON, of_board)
    yield WithdrawAdjustment(SESSION, 3, NOON)
    yield FoulBoard(SESSION, board, (BoardVersion("turned", (("A", table, number),)),), "Turned")
    yield SetContestantStatus(SESSION, "A", 6, None, ContestantStatus.UNRANKED, "Guests")
    table, number, board = places[4]
    yield MoveResult(SESSION, "A", table, number, board, Origin.DESK, NOON, board + 1, is_exchange=True)
    yield SetCorrectionPeriod(SESSION, NOON + timedelta(hours=1))
    yield ChooseRules(SESSION, 1, own, single_top=True)
