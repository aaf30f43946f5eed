"""The place of a pair's own phone: the pair's next table, and the rounds that it sits out before."""

from overtrick.bridge import Side
from overtrick.control.device_location import OwnPhone
from overtrick.event.movement import TablePlan
from overtrick.event.results import EnterResult
from tests.event.evenings import SESSION, entry, rounds
from tests.views.test_views import Followed


def test_pair_is_told_the_rounds_that_it_sits_out_before_its_next_table() -> None:
    evening = Followed(
        tables=(
            TablePlan(1, rounds((1, 2, 1), (1, 3, 2), (2, 3, 3), boards=1)),
            TablePlan(2, rounds((3, 0, 2), (0, 2, 3), (1, 0, 1), boards=1)),
        )
    )

    def due(pair: int, side: Side) -> tuple[int, list[int]] | None:
        found = OwnPhone("A", side, pair).to_play(evening.view.session)
        return None if found is None else (found["round"], found["sits_out"])

    assert due(3, Side.NS) == (2, [1])
    assert due(2, Side.EW) == (1, [])
    evening.do(EnterResult(SESSION, entry(1, 1, 1, "Pass")))
    assert due(2, Side.EW) == (3, [2])
    evening.do(EnterResult(SESSION, entry(1, 2, 2, "Pass")))
    assert due(3, Side.NS) == (3, [])
    assert due(1, Side.NS) is None
