"""Files of deals in any format that is read: PBN, LIN and DUP, told apart by their content. Pure: no I/O."""

import re
from collections.abc import Iterable

from overtrick.bridge.deal import Deal
from overtrick.bridge.dup import is_dup, read_dup
from overtrick.bridge.lin import read_lin
from overtrick.bridge.pbn import read_pbn
from overtrick.bridge.record import Game
from overtrick.errors import BadInput

_LIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*[A-Za-z]{2}\|")


def read_deal_file(content: bytes, *, name: str | None = None) -> tuple[Game, ...]:
    """Return the records of a PBN, LIN or DUP file, recognised by its content.

    Raise BadPbn, BadLin or BadDup for a file that cannot be read.

    >>> [game.board for game in read_deal_file(b'[Board "7"]')]
    [7]
    """
    if is_dup(content):
        return read_dup(content, name=name)
    if is_lin(content):
        return read_lin(content, name=name)
    return read_pbn(content, name=name)


def is_lin(content: bytes) -> bool:
    """Return whether content, or its beginning, is LIN."""
    return _LIN.match(content) is not None


def deals_by_board(games: Iterable[Game]) -> dict[int, Deal]:
    """Return the deal of each board that has a number and a whole deal.

    Raise BadInput where a board has two different deals: nobody can know which was played.
    """
    deals: dict[int, Deal] = {}
    for game in games:
        board, deal = game.board, game.deal
        if board is not None and deal is not None and deals.setdefault(board, deal) != deal:
            raise BadInput(f"Board {board} has two different deals in the file.")
    return deals
