"""The boards of a round as a `.bws` file stores them: a range, or an explicit list. Depends on rows alone."""

from __future__ import annotations

from itertools import pairwise

from overtrick.bws.rows import RoundRow
from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.words import shortened

MOST_BOARDS = 1024
"""The most boards in one round. More are a mistake; the limit also bounds the range that is expanded in memory."""


def boards_of(row: RoundRow) -> tuple[int, ...]:
    """Return the boards of a round; an explicit list takes precedence over the range. Raises BadInput.

    >>> boards_of(RoundRow(low=5, high=7)), boards_of(RoundRow(low=1, high=10, custom="1,2,5,6,7,10"))
    ((5, 6, 7), (1, 2, 5, 6, 7, 10))
    >>> boards_of(RoundRow())
    ()
    """
    if row.custom:
        return parse_boards(row.custom)
    if row.low == 0 and row.high == 0:
        return ()
    if not 1 <= row.low <= row.high:
        raise BadInput(f"Boards {row.low} to {row.high} are not a range of boards.")
    if row.high - row.low >= MOST_BOARDS:
        raise BadInput(f"Boards {row.low} to {row.high} are too many for one round.")
    return tuple(range(row.low, row.high + 1))


def parse_boards(text: str) -> tuple[int, ...]:
    """Parse board numbers separated by commas, in ascending order; raise BadInput for anything else."""
    boards = []
    for word in text.split(","):
        board = parse_digits(word.strip())
        if board is None:
            raise BadInput(f"{shortened(text)} are not board numbers separated by commas.")
        boards.append(board)
    if boards[0] < 1 or any(later <= earlier for earlier, later in pairwise(boards)):
        raise BadInput(f"{shortened(text)} are not board numbers in ascending order.")
    return tuple(boards)


def board_values(boards: tuple[int, ...]) -> dict[str, int | str]:
    """Return the fields of a round's boards: lowest, highest, and an explicit list if they are not a range.

    >>> board_values((5, 6, 7))
    {'LowBoard': 5, 'HighBoard': 7, 'CustomBoards': ''}
    >>> board_values((1, 4, 5))
    {'LowBoard': 1, 'HighBoard': 5, 'CustomBoards': '1,4,5'}
    """
    if not boards:
        return {"LowBoard": 0, "HighBoard": 0, "CustomBoards": ""}
    low, high = boards[0], boards[-1]
    custom = "" if boards == tuple(range(low, high + 1)) else ",".join(str(board) for board in boards)
    if len(custom) > 255:
        raise BadInput(f"The boards {low} to {high} with gaps need more than 255 characters.")
    return {"LowBoard": low, "HighBoard": high, "CustomBoards": custom}
