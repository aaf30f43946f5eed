from overtrick.event import Reason
from overtrick.event.results import EnterResult
from tests.event.evenings import SESSION, do, entry, minimal, refuse


def test_a_result_is_for_a_board_of_that_round_at_that_table() -> None:
    house = minimal()
    assert len(do(house, EnterResult(SESSION, entry(1, 1, 2, "4SxN+1")))) == 1
    assert refuse(house, EnterResult(SESSION, entry(1, 1, 5, "4SxN+1"))).reason is Reason.UNKNOWN_PLACE
