"""A pasted list of names: a line for each pair or player, with the seats of a section. No dependency on requests."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from overtrick.bridge import Seat, Side
from overtrick.event import Session
from overtrick.event.seating import SessionPlayer
from overtrick.event.setup import GameKind
from overtrick.registry.member_lists import split_name
from overtrick.web.forms import seat_key
from overtrick.web.view_models import first_seats, latecomers

MOST_LINES = 1_000
LONGEST_LINE = 300

_SEPARATOR = re.compile(r"\s*[&/+]\s*|\s+(?:-|–|—|and)\s+", re.IGNORECASE)
"""The separators of two players of a line. A hyphen without spaces is part of a name."""
_SPACES = re.compile(r"[^\S\t]+")
_SIDES = {"NS": Side.NS, "EW": Side.EW}
_PAIR = re.compile(
    r"(?:pair\s+)?(?:(?P<side>N[-/]?S|E[-/]?W)\s*)?(?P<pair>\d{1,3})\s*(?P<after>N[-/]?S|E[-/]?W)?(?P<end>\s*[.):]|\s)\s*",
    re.IGNORECASE,
)
"""A number at the start of a line; it is a pair's if a side or a mark such as a full stop is beside it."""
_NUMBER = re.compile(r"[A-Za-z]{0,2}\d[\d-]{0,17}")
_NUMBER_LAST = re.compile(r"(.+?)[\s,(#]+([A-Za-z]{0,2}\d[\d-]{0,17})\)?")
_NUMBER_FIRST = re.compile(r"#?([A-Za-z]{0,2}\d[\d-]{0,17})[\s,]+(.+)")


@dataclass(frozen=True, slots=True)
class ListedNames:
    """A line of a list: the players, and the pair if the line names one."""

    line: int
    players: tuple[SessionPlayer, ...]
    pair: int | None = None
    side: Side | None = None


def parse_names(text: str) -> list[ListedNames]:
    r"""Parse a list; lines with neither a name nor the numbers of two players are skipped.

    >>> [(line.pair, [f"{who.name} {who.number}".strip() for who in line.players]) for line in parse_names(
    ...     "Ann Berg & Bo Ek\n3. Cy Fisk - Di Gran-Hall\nEd Ott 12 / 13 Flo Pym\nBerg, Ann\n4\tAnn Berg\tBo Ek")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [(None, ['Ann Berg', 'Bo Ek']), (3, ['Cy Fisk', 'Di Gran-Hall']), (None, ['Ed Ott 12', 'Flo Pym 13']),
     (None, ['Ann Berg']), (4, ['Ann Berg', 'Bo Ek'])]
    """
    lines = []
    for number, line in enumerate(text.splitlines()[:MOST_LINES], start=1):
        # One space for several: the patterns take quadratic time in spaces.
        listed = _parse_line(_SPACES.sub(" ", line[:LONGEST_LINE]).strip())
        if listed.players:
            lines.append(replace(listed, line=number))
    return lines


def _parse_line(text: str) -> ListedNames:
    match = _PAIR.match(text)
    if match and (match["side"] or match["after"] or match["end"].strip()):
        side = (
            _SIDES[re.sub("[-/]", "", match["side"] or match["after"]).upper()]
            if match["side"] or match["after"]
            else None
        )
        return ListedNames(0, _parse_players(text[match.end() :], has_pair=True)[1], int(match["pair"]), side)
    pair, players = _parse_players(text)
    return ListedNames(0, players, pair)


def _parse_players(text: str, *, has_pair: bool = False) -> tuple[int | None, tuple[SessionPlayer, ...]]:
    """Return the players of a line, at most two, and the pair's number if the line begins with it.

    With `has_pair` the pair is known, and a number in front is the player's.
    """
    numbers = re.split(r"[\s&/+,;]+", text.strip())
    if all(_NUMBER.fullmatch(number) for number in numbers):
        # Other numbers may be anything, such as pages or tables.
        are_players = len(numbers) == 2 and min(map(len, numbers)) > 2
        return None, tuple(map(SessionPlayer, numbers)) if are_players else ()
    if not any(letter.isalpha() for letter in text):
        return None, ()
    if "\t" in text or ";" in text:
        return _parse_cells([cell.strip() for cell in re.split("[\t;]", text)], last_first=False)
    parts = [part for part in _SEPARATOR.split(text) if part]
    if len(parts) > 1:
        first = _NUMBER_FIRST.fullmatch(parts[0])
        others = [_parse_player(part) for part in parts[1:2]]
        # A number in front of the first player only is the pair's.
        if not has_pair and first and first[1].isdigit() and len(first[1]) <= 3 and not others[0].number:
            return int(first[1]), (_parse_player(first[2]), *others)
        return None, (_parse_player(parts[0]), *others)
    if "," in text:
        return _parse_cells([cell.strip() for cell in text.split(",")], last_first=True)
    return None, (_parse_player(text),) if text else ()


def _parse_cells(cells: list[str], *, last_first: bool) -> tuple[int | None, tuple[SessionPlayer, ...]]:
    """Return the players of the cells of a line; a number belongs to the name beside it."""
    cells = [cell for cell in cells if cell]
    names = [cell for cell in cells if not _NUMBER.fullmatch(cell)]
    if not names:
        return None, ()
    pair_cell = next((cell for cell in names if len(_SEPARATOR.split(cell)) > 1), None)
    pair = None
    number_count = len(cells) - len(names)
    # First and last names have a cell each.
    is_split = len(names) in (2, 4) and all(" " not in name for name in names)
    player_count = 2 if pair_cell else len(names) // 2 if is_split else len(names)
    if _NUMBER.fullmatch(cells[0]) and number_count != player_count and cells[0].isdigit():
        pair, cells = int(cells[0][:3]), cells[1:]
    if pair_cell is not None:
        return pair, _parse_players(pair_cell)[1]
    is_number_first = bool(_NUMBER.fullmatch(cells[0]))
    players: list[tuple[str, str]] = []
    number, words = "", []
    for cell in cells:
        if _NUMBER.fullmatch(cell):
            if is_number_first or not players:
                number = cell
            else:
                players[-1] = players[-1][0], cell
            continue
        words.append(cell)
        if len(words) == (2 if is_split else 1):
            name = ", ".join(words) if is_split and last_first else " ".join(words)
            players.append((name, number))
            number, words = "", []
    return pair, tuple(
        replace(_parse_player(name), number=number) if number else _parse_player(name)
        for name, number in players[:2]
    )


def _parse_player(text: str) -> SessionPlayer:
    """Return a player from a name with or without a number.

    >>> _parse_player("Ann Berg (123)") == _parse_player("123 Ann Berg") == _parse_player("Berg, Ann 123")
    True
    """
    number = ""
    if match := _NUMBER_LAST.fullmatch(text):
        text, number = match[1], match[2]
    elif match := _NUMBER_FIRST.fullmatch(text):
        number, text = match[1], match[2]
    first, last = split_name("".join(letter for letter in text if letter.isprintable()))
    return SessionPlayer(number[:20], first[:60], last[:60])


# Seats --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SeatedLine:
    """A line of a list with the pair that it is for; `problem` is empty unless it cannot be seated."""

    listed: ListedNames
    title: str = ""
    seats: tuple[tuple[str, Seat, SessionPlayer], ...] = ()
    """For each player the key of the seat (`forms.seat_key`), the seat and the player."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    pair: int
    table: int
    round: int
    seats: tuple[Seat, ...]

    @property
    def side(self) -> Side:
        return self.seats[0].side


def _places(session: Session, section: str, *, by_table: bool) -> list[_Place]:
    """Return the places of a section's pairs, or of its players in an individual, in the order of a list."""
    tables = [(table, 0, chairs) for table, chairs in first_seats(session, section).items()]
    tables += [(late.table, late.round, list(late.chairs)) for late in latecomers(session, section)]
    is_individual = session.setup.sections[section].game is GameKind.INDIVIDUAL
    places = []
    for table, number, chairs in tables:
        groups: dict[object, list[Seat]] = {}
        pairs: dict[object, int] = {}
        for chair in chairs:
            key = chair.seat if is_individual else chair.seat.side
            groups.setdefault(key, []).append(chair.seat)
            pairs[key] = chair.pair
        places += [_Place(pairs[key], table, number, tuple(seats)) for key, seats in groups.items()]
    if by_table:
        return sorted(places, key=lambda place: (place.round, place.table, place.seats[0].index))
    has_two_winners = session.winners(section) == 2
    return sorted(
        places, key=lambda place: (has_two_winners and place.side is Side.EW, place.pair, place.table)
    )


def seat_names(
    session: Session, section: str, lines: Sequence[ListedNames], *, by_table: bool = False
) -> list[SeatedLine]:
    """Return the lines with their seats: a line with a pair's number at that pair, the others at free pairs in order.

    In a game of pairs, lines of one player each are partners two by two.
    """
    is_individual = session.setup.sections[section].game is GameKind.INDIVIDUAL
    if not is_individual and all(len(listed.players) == 1 for listed in lines):
        firsts, seconds = lines[::2], [*lines[1::2], None]
        lines = [
            replace(first, players=(*first.players, *(second.players if second else ())))
            for first, second in zip(firsts, seconds, strict=False)
        ]
    has_two_winners = session.winners(section) == 2
    places = _places(session, section, by_table=by_table)
    named = {(listed.pair, listed.side) for listed in lines if listed.pair is not None}
    free = [place for place in places if not {(place.pair, None), (place.pair, place.side)} & named]
    taken: set[_Place] = set()
    seated = []
    for listed in lines:
        if listed.pair is None:
            place = free.pop(0) if free else None
            problem = "" if place else "There is no pair left for this line."
        else:
            place = next(
                (
                    other
                    for other in places
                    if other.pair == listed.pair and listed.side in (None, other.side) and other not in taken
                ),
                None,
            )
            problem = "" if place else f"There is no pair {listed.pair} without a name."
        if place is None:
            seated.append(SeatedLine(listed, problem=problem))
            continue
        taken.add(place)
        side = f"{'N-S' if place.side is Side.NS else 'E-W'} " if has_two_winners else ""
        seats = tuple(
            (seat_key(section, place.table, place.round, seat), seat, player)
            for seat, player in zip(place.seats, listed.players, strict=False)
        )
        seated.append(SeatedLine(listed, f"{side}{place.pair}", seats))
    return seated
