"""Details of players besides their names: handicap, holding, club, year of birth and sex. No file access.

A list of players is a CSV text with a header. Players are looked up by number, or by name if the list or the result has
no number for them.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.scoring.points import to_fraction
from overtrick.scoring.report import ReportPlayer

MOST_HANDICAP = 100
"""The largest handicap of a player, plus or minus."""
MOST_HOLDING = Decimal(10) ** 9


@dataclass(frozen=True, slots=True)
class PlayerDetails:
    """A player of a list; unknown details are None or empty. Invalid ones raise BadInput."""

    number: str = ""
    name: str = ""
    handicap: Decimal | None = None
    holding: Decimal | None = None
    """The master points that the player holds."""
    club: str = ""
    born: int | None = None
    """The year of birth."""
    sex: str = ""
    """M, W or empty."""

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise BadInput(problem, where=self.name or self.number)

    def _problem(self) -> str:
        if not (self.number or self.name):
            return "Every player in the list needs a number or a name."
        if self.handicap is not None and not abs(self.handicap) <= MOST_HANDICAP:
            return f"A handicap is a number from -{MOST_HANDICAP} to {MOST_HANDICAP}, not {self.handicap}."
        if self.holding is not None and not 0 <= self.holding <= MOST_HOLDING:
            return f"Master points are a number from 0 on, not {self.holding}."
        if self.born is not None and not 1900 <= self.born <= 2999:
            return f"{self.born} is not a year of birth."
        if self.sex not in ("M", "W", ""):
            return f"Sex is M, W or empty, not {self.sex!r}."
        return ""


def name_key(name: str) -> str:
    """Return a name in the form that is compared: without case and extra spaces.

    >>> name_key("  Ann  BERG ")
    'ann berg'
    """
    return " ".join(name.casefold().split())


class PlayerList:
    """A list of players that is searched by number and name; a later player replaces one with the same number."""

    def __init__(self, players: Iterable[PlayerDetails] = ()) -> None:
        self._by_number: dict[str, PlayerDetails] = {}
        self._by_name: dict[str, list[PlayerDetails]] = {}
        for player in players:
            self._put(player)

    def _put(self, player: PlayerDetails) -> None:
        replaced = self._by_number.get(player.number) if player.number else None
        if replaced is not None:
            self._by_name[name_key(replaced.name)].remove(replaced)
        if player.number:
            self._by_number[player.number] = player
        self._by_name.setdefault(name_key(player.name), []).append(player)

    def __iter__(self) -> Iterator[PlayerDetails]:
        return (player for players in self._by_name.values() for player in players)

    def __bool__(self) -> bool:
        return any(self._by_name.values())

    def find(self, player: ReportPlayer) -> PlayerDetails | None:
        """Return the details of a player: by number, else by name if exactly one player of the list has it.

        >>> members = PlayerList([PlayerDetails("7", "Ann Berg")])
        >>> members.find(ReportPlayer("Ann Berg")) == members.find(ReportPlayer("A. Berg", "7")) is not None
        True
        >>> members.find(ReportPlayer("Ann Berg", "8"))
        """
        by_number = self._by_number.get(player.number) if player.number else None
        if by_number is not None:
            return by_number
        namesakes = self._by_name.get(name_key(player.name), []) if player.name.strip() else []
        # A namesake with another number is another person.
        namesakes = [namesake for namesake in namesakes if not (namesake.number and player.number)]
        return namesakes[-1] if len({namesake.number for namesake in namesakes}) == 1 else None

    def joined(self, other: "PlayerList") -> "PlayerList":
        """Return the two lists as one; details of `other` override ours."""
        return PlayerList((*self, *other))


COLUMNS = ("number", "name", "handicap", "holding", "club", "born", "sex")


def read_player_list(text: str) -> PlayerList:
    """Parse a list of players from CSV. Raise BadInput with the number of a line that is not valid.

    The header has any of the columns number, name, handicap, holding, club, born and sex, with number or name among
    them. Columns are separated by commas, semicolons or tabs.

    >>> [player.handicap for player in read_player_list("number;handicap\\n7;-2.5\\n")]
    [Decimal('-2.5')]
    """
    text = text.lstrip("\ufeff")
    header = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=header.count))
    try:
        names = [name.strip().lower() for name in next(rows, [])]
        unknown = [name for name in names if name not in COLUMNS]
        if unknown or not {"number", "name"} & set(names):
            raise BadInput(
                f"A list of players starts with a line that names its columns: {', '.join(COLUMNS)}; "
                "number or name is one of them."
            )
        return PlayerList(
            _player(rows.line_num, dict(zip(names, (cell.strip() for cell in row), strict=False)))
            for row in rows
            if any(cell.strip() for cell in row)
        )
    except csv.Error as error:
        raise BadInput(f"The list of players cannot be read: {error}.") from None


def _player(line: int, cells: dict[str, str]) -> PlayerDetails:
    try:
        return PlayerDetails(
            cells.get("number", ""),
            cells.get("name", ""),
            parse_figure(cells.get("handicap", "")),
            parse_figure(cells.get("holding", "")),
            cells.get("club", ""),
            parse_year(cells.get("born", "")),
            cells.get("sex", "").upper(),
        )
    except BadInput as error:
        raise BadInput(f"Line {line} of the list of players: {error}") from None


def parse_figure(text: str) -> Decimal | None:
    """Parse a number with a decimal point or comma; None for an empty text. Raise BadInput for anything else.

    >>> parse_figure("2,5"), parse_figure(" ")
    (Decimal('2.5'), None)
    """
    if not text.strip():
        return None
    try:
        number = Decimal(text.strip().replace(",", ".") if len(text) <= 20 else "NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if to_fraction(number) is None:
        raise BadInput(f"{text[:20]!r} is not a number.")
    return number


def parse_year(text: str) -> int | None:
    """Parse a year, alone or in a date (1980, 1980-05-17); None for an empty text. Raise BadInput for anything else."""
    if not text.strip():
        return None
    year = parse_digits(text.strip().partition("-")[0], 4)
    if year is None:
        raise BadInput(f"{text[:20]!r} is not a year of birth.")
    return year
