"""The choices of a director for a movement: the fields of the forms, and the movements that are offered for them.

Has no dependency on requests.
"""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.event.setup import GameKind
from overtrick.movements import (
    Choice,
    Movement,
    MovementError,
    MovementOptions,
    choose,
    choose_individuals,
    choose_own,
    choose_teams,
)
from overtrick.web.forms import Form, read_count

MOST_OFFERS = 8
MOST_BOARDS_A_ROUND = 9
MOST_COPIES = 9
FIELDS = ("per_round", "switched", "absent", "copies")
"""The names of the fields in forms."""

_ABSENT = re.compile(r"(N-?S|E-?W)?\s*([0-9]{1,3})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OfferedMovements:
    """The movements that a club can be offered: those of the catalogue for these options, and its own."""

    options: MovementOptions
    own: tuple[Movement, ...] = ()
    typed: tuple[tuple[str, str], ...] = ()
    """The options as they were typed, without empty fields."""

    @property
    def key(self) -> str:
        """Return a text that differs if other movements are offered; empty without options and own movements."""
        names = [(movement.name, movement.boards_per_round, movement.rounds) for movement in self.own]
        return f"-{zlib.crc32(repr((self.options, names)).encode()):08x}" if self.typed or names else ""

    @property
    def query(self) -> str:
        """Return the options for an address, beginning with `&`; empty without options."""
        return "".join(f"&{urlencode([pair])}" for pair in self.typed)

    def offers(self, game: GameKind, count: int, boards: int) -> list[Choice]:
        """Return the movements for a number of contestants and boards, own ones first; raise BadInput if impossible."""
        # An even number of pairs has no missing pair.
        options = self.options if count % 2 else replace(self.options, missing_pair=None)
        try:
            match game:
                case GameKind.INDIVIDUAL:
                    offered = choose_individuals(count, boards)
                case GameKind.TEAMS:
                    offered = choose_teams(count, boards)
                case _:
                    offered = choose(count, boards, options=options)
        except MovementError as error:
            raise BadInput(str(error)) from error
        return (
            choose_own((movement for movement in self.own if game_of(movement) is game), count, boards)
            + offered[:MOST_OFFERS]
        )


def game_of(movement: Movement) -> GameKind:
    """Return the game that a movement is for."""
    if movement.is_individual:
        return GameKind.INDIVIDUAL
    return GameKind.TEAMS if movement.is_teams else GameKind.PAIRS


def read_offered(form: Form, game: GameKind, own: Iterable[Movement] = ()) -> OfferedMovements:
    """Return the movements to offer for the options in a form; only pairs have options. Raise BadInput."""
    typed = tuple((name, form[name].strip()) for name in FIELDS if form.get(name, "").strip())
    if game is not GameKind.PAIRS:
        return OfferedMovements(MovementOptions(), tuple(own))
    options = MovementOptions(
        read_count(form, "per_round", 1, MOST_BOARDS_A_ROUND, "boards a round")
        if form.get("per_round")
        else None,
        _parse_switched_rounds(form.get("switched", "").strip()[:100]),
        _parse_missing_pair(form.get("absent", "").strip()[:20]),
        read_count(form, "copies", 1, MOST_COPIES, "copies") if form.get("copies") else 1,
    )
    return OfferedMovements(options, tuple(own), tuple(pair for pair in typed if pair != ("copies", "1")))


def _parse_switched_rounds(text: str) -> tuple[int, ...] | None:
    """Return the rounds of a text such as "3, 6" or "7-8"; empty for "0" or "none"; None if nothing is typed.

    >>> _parse_switched_rounds("7-8, 3"), _parse_switched_rounds("none"), _parse_switched_rounds("")
    ((3, 7, 8), (), None)
    """
    if not text:
        return None
    if text.casefold() in ("0", "none", "no"):
        return ()
    rounds: set[int] = set()
    for part in text.replace(",", " ").split():
        low, dash, high = part.partition("-")
        first, last = parse_digits(low, 2), parse_digits(high if dash else low, 2)
        if not first or not last or first > last:
            raise BadInput("Enter the rounds with an arrow switch like 7-8 or 3, 6; 0 for none.")
        rounds |= set(range(first, last + 1))
    return tuple(sorted(rounds))


def _parse_missing_pair(text: str) -> int | None:
    """Return the missing pair of a text such as "N-S 3", "EW 7" (negative) or "12"; None if nothing is typed.

    >>> _parse_missing_pair("N-S 3"), _parse_missing_pair("ew7"), _parse_missing_pair("12"), _parse_missing_pair("")
    (3, -7, 12, None)
    """
    if not text:
        return None
    match = _ABSENT.fullmatch(text)
    number = int(match[2]) if match else 0
    if match is None or not number:
        raise BadInput("Enter the missing pair like N-S 3, E-W 7 or 12.")
    return -number if (match[1] or "").upper().startswith("E") else number
