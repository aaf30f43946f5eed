"""The boards of a round as a `.bws` file says them: a run, or a list of their own. Knows rows alone."""

from __future__ import annotations

from itertools import pairwise

from overtrick.bws.rows import RoundRow
from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.words import shortened

MOST_BOARDS = 1024
"""More boards than this in one round are a mistake: a run is spelled out in memory."""


def boards_of(row: RoundRow) -> tuple[int, ...]:
    """The boards of a round; own boards, where there are any, count and the run does not.

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
        raise BadInput(f"Boards {row.low} to {row.high} are no run of boards.")
    if row.high - row.low >= MOST_BOARDS:
        raise BadInput(f"Boards {row.low} to {row.high} are too many for one round.")
    return tuple(range(row.low, row.high + 1))


def parse_boards(text: str) -> tuple[int, ...]:
    """Board numbers with commas between them, in ascending order."""
    boards = []
    for word in text.split(","):
        board = parse_digits(word.strip())
        if board is None:
            raise BadInput(f"{shortened(text)} are not board numbers with commas between them.")
        boards.append(board)
    if boards[0] < 1 or any(later <= earlier for earlier, later in pairwise(boards)):
        raise BadInput(f"{shortened(text)} are not board numbers in ascending order.")
    return tuple(boards)


def board_values(boards: tuple[int, ...]) -> dict[str, int | str]:
    """The fields of a round's boards: lowest, highest, and a list of their own where they are no run.

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
        raise BadInput(f"The boards {low} to {high} with gaps need more than the 255 characters there are.")
    return {"LowBoard": low, "HighBoard": high, "CustomBoards": custom}
