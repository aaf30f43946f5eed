"""The data that a terminal is given about its table."""

from decimal import Decimal

from overtrick.bridge import Side
from overtrick.control.snapshot import take_snapshot
from overtrick.event.movement import TablePlan
from overtrick.event.results import EnterResult
from overtrick.event.rulings import AdjustmentUnit, AdjustScore
from overtrick.event.settings import PutSettings, SettingsIII
from tests.event.evenings import NOON, SESSION, entry, rounds
from tests.views.test_views import Followed


def test_points_in_the_summary_and_the_final_score_include_the_penalty_on_a_board() -> None:
    evening = Followed(
        tables=(
            TablePlan(1, rounds((1, 2, 1), boards=2)),
            TablePlan(2, rounds((3, 4, 1), boards=2)),
        )
    )
    evening.do(PutSettings(SESSION, (("A", SettingsIII(summary=True)),)))
    for table, board, outcome in ((1, 1, "4SN="), (2, 1, "4SN-1"), (1, 2, "Pass"), (2, 2, "Pass")):
        evening.do(EnterResult(SESSION, entry(table, 1, board, outcome)))

    def shown() -> tuple[list[str], str, str]:
        snapshot = take_snapshot(evening.view, "A", 1, 1)
        assert snapshot is not None
        (final,) = (each for each in snapshot.finals if each.side is Side.NS)
        assert final.best is not None
        assert final.worst is not None
        own = [line.points for line in snapshot.summary if line.side is Side.NS]
        return own, f"{final.best.board} {final.best.points}", f"{final.worst.board} {final.worst.points}"

    assert shown() == (["100.0%", "50.0%"], "1 100%", "2 50%")
    penalty = Decimal(-75)
    evening.do(AdjustScore(SESSION, "A", 1, None, penalty, AdjustmentUnit.TOP_PERCENT, "Late", NOON, board=1))
    assert shown() == (["25.0%", "50.0%"], "2 50%", "1 25%")
