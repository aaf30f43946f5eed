"""Files of LIN: `load` and `dump`. `overtrick.bridge.lin` reads and writes their content without any I/O."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from overtrick.bridge.lin import BadLin, CannotWriteLin, read_lin, write_lin
from overtrick.bridge.record import Game
from overtrick.files import read_input, write_output

__all__ = ["BadLin", "CannotWriteLin", "Game", "dump", "load"]


def load(path: str | PathLike[str]) -> tuple[Game, ...]:
    """Return the records of a file; raise BadLin with the line, or BadInput if the file cannot be opened."""
    path = Path(path)
    return read_lin(read_input(path), name=path.name)


def dump(games: Iterable[Game], path: str | PathLike[str]) -> None:
    """Write records to a file, in the place of one that is there, completely or not at all.

    Results are written after an auction only.

    Raise CannotWriteLin for a record that the format cannot express, or BadInput if the file cannot be written.
    """
    write_output(Path(path), write_lin(games))
