"""A table of the tricks that each seat can win in each strain. Pure: independent of the solver."""

from collections.abc import Mapping
from dataclasses import dataclass

from overtrick.bridge.card import Strain
from overtrick.bridge.seat import SEATS, Seat
from overtrick.errors import BadInput

_SEAT_ORDER = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
_STRAIN_ORDER = (Strain.NOTRUMP, Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS)
_HEXADECIMAL = "0123456789abcd"


@dataclass(frozen=True, slots=True)
class Tricks:
    """The number of tricks that each seat wins as declarer in each strain with best play: twenty figures, 0 to 13.

    `str` writes PBN's DoubleDummyTricks: North, South, East, West, for each notrump, spades, hearts, diamonds, clubs,
    one hexadecimal digit a figure. Raises BadInput for other figures.

    >>> tricks = Tricks.parse("65562655627777b7777b")
    >>> tricks[Seat.NORTH, Strain.NOTRUMP], tricks[Seat.WEST, Strain.CLUBS]
    (6, 11)
    """

    figures: tuple[int, ...]
    """Clockwise from North, and for each seat from clubs up to notrump."""

    def __post_init__(self) -> None:
        if len(self.figures) != 20:
            raise BadInput(f"A table of tricks has 20 figures, not {len(self.figures)}.")
        for figure in self.figures:
            if not 0 <= figure <= 13:
                raise BadInput(f"Nobody can win {figure} tricks: there are 13.")

    @classmethod
    def of(cls, figures: Mapping[tuple[Seat, Strain], int]) -> "Tricks":
        """Return the table of all twenty figures; raise BadInput if one is missing."""
        absent = [(seat, strain) for seat in SEATS for strain in Strain if (seat, strain) not in figures]
        if absent:
            seat, strain = absent[0]
            raise BadInput(f"The table of tricks has no figure for {strain.letter} by {seat.title}.")
        return cls(tuple(figures[seat, strain] for seat in SEATS for strain in Strain))

    @classmethod
    def parse(cls, text: str) -> "Tricks":
        """Parse the text that `str` writes, in any case; raise BadInput for anything else."""
        word = text.strip().lower()
        if len(word) != 20 or any(letter not in _HEXADECIMAL for letter in word):
            raise BadInput(f"{text!r} is not a table of tricks. Write 20 characters, each 0 to 9 or a to d.")
        places = ((seat, strain) for seat in _SEAT_ORDER for strain in _STRAIN_ORDER)
        return cls.of({place: _HEXADECIMAL.index(letter) for place, letter in zip(places, word, strict=True)})

    def __getitem__(self, place: tuple[Seat, Strain]) -> int:
        seat, strain = place
        return self.figures[5 * seat.index + strain]

    def __str__(self) -> str:
        return "".join(_HEXADECIMAL[self[seat, strain]] for seat in _SEAT_ORDER for strain in _STRAIN_ORDER)
