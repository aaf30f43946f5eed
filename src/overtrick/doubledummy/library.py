"""The solver's shared library, loaded once in a process; only `solver` and `cards` use it."""

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from overtrick.bridge.card import SUITS_FROM_SPADES, Card
from overtrick.errors import OvertrickError


class SolverFailed(OvertrickError):
    """A failure of the solver; `SolverBatch.solved` has the deals that were solved before."""

    code = "solver-failed"


@cache
def load_library() -> ModuleType:
    """Return the functions and structures of the solver, limited to one thread; raise SolverFailed if it is missing.

    The limit is set once, because the solver then allocates all its memory again. Only `endplay._dds` is loaded, which
    needs nothing but ctypes: `import endplay` loads numpy and matplotlib too, a second of CPU time for every worker.
    """
    package = find_spec("endplay")
    folders = package.submodule_search_locations if package is not None else None
    if not folders:
        raise SolverFailed("The double dummy solver is not installed: endplay is missing.")
    spec = spec_from_file_location("endplay._dds", Path(folders[0]) / "_dds" / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    library = module_from_spec(spec)
    spec.loader.exec_module(library)
    library.SetMaxThreads(1)
    return library


def suit_bits(cards: Iterable[Card]) -> list[int]:
    """Return a bit for every card in each suit, spades first as the solver wants: bit 2 is the two, bit 14 the ace."""
    bits = [0, 0, 0, 0]
    for card in cards:
        bits[SUITS_FROM_SPADES.index(card.suit)] |= 1 << card.rank
    return bits
