"""Files of PBN: `load` and `dump`. `overtrick.bridge.pbn` reads and writes their content without any I/O."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from overtrick.bridge.pbn import BadPbn, CannotWrite, Game, read_pbn, write_pbn
from overtrick.files import read_input, write_output

__all__ = ["BadPbn", "CannotWrite", "Game", "dump", "load"]


def load(path: str | PathLike[str]) -> tuple[Game, ...]:
    """Return the records of a file; raise BadPbn with the line, or BadInput if the file cannot be opened."""
    path = Path(path)
    return read_pbn(read_input(path), name=path.name)


def dump(games: Iterable[Game], path: str | PathLike[str]) -> None:
    """Write records to a file, in the place of one that is there, completely or not at all.

    Raise CannotWrite for a record that the format cannot express, or BadInput if the file cannot be written.
    """
    write_output(Path(path), write_pbn(games))
