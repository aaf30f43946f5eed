"""Results of a scoring program as commands."""

from typing import Any

from overtrick.connector import from_wire
from overtrick.connector.wire.play import ResultDTO
from overtrick.connector.wire.reading import read_one
from overtrick.event import SessionTransaction
from overtrick.event.results import EraseResult, Origin, PutResults
from tests.connector import samples
from tests.connector.evening import NOW


def test_results_and_deletions_keep_their_order() -> None:
    changes: list[dict[str, Any]] = [{}, {"Level": -3}, {"IsDeleted": True}, {"BoardNumber": 2}]
    dtos = [read_one(ResultDTO, samples.result() | change) for change in changes]
    first, second, _, last = (from_wire.result_entry(dto, NOW) for dto in dtos)
    assert from_wire.results(samples.GUID, dtos, NOW) == SessionTransaction(
        samples.GUID,
        (
            PutResults(samples.GUID, (first, second)),
            EraseResult(samples.GUID, "A", 1, 1, 1, Origin.SCORING_PROGRAM),
            PutResults(samples.GUID, (last,)),
        ),
    )


def test_consecutive_deletions_become_one_command_each() -> None:
    dtos = [read_one(ResultDTO, samples.result(board, IsDeleted=True)) for board in (1, 2)]
    made = from_wire.results(samples.GUID, dtos, NOW)
    assert isinstance(made, SessionTransaction)
    assert [each.board for each in made.commands if isinstance(each, EraseResult)] == [1, 2]
