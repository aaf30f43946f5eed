"""The players of a `.bws` file: numbers entered at tables, loaded names, and look-up files.

Independent of the rules of seating.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from overtrick import jet
from overtrick.bridge import Seat
from overtrick.bws.contents import Contents
from overtrick.bws.id_map import IdMap, ReadProblem
from overtrick.bws.rows import PlayerNameRow, PlayerNumberRow, is_player_number, read_rows
from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.movement import TablePlan
from overtrick.event.seating import Participation, SessionPlayer
from overtrick.event.settings import NameSource, SettingsII

NAME_LENGTH = 18
"""The longest name that a file can store."""

LOOKUP_FILE = "BMPlayerDB.mdb"
"""The name of the look-up file that all sessions of a club may share."""

LOOKUP_TABLE = "PlayerNameDatabase"
"""The table of `BMPlayerDB.mdb`; its fields are those of the names in a `.bws`."""

_SEATS = {seat.value: seat for seat in Seat}


def seat_of(direction: str) -> Seat | None:
    """Return the seat of a direction, or None if the text is not a direction.

    >>> seat_of("n"), seat_of("NS")
    (<Seat.NORTH: 'N'>, None)
    """
    return _SEATS.get(direction.upper())


def number_of(row: PlayerNameRow) -> str:
    """Return the number of a loaded name: the text if there is one, else the ID."""
    return row.text_id or (str(row.id) if row.id else "")


def compares_text(contents: Contents) -> bool:
    """Return whether numbers are compared as text, so that 1 and 01 differ."""
    return bool(contents.settings and contents.settings[0].get("BM2TextBasedNumber"))


def key_of(number: str, as_text: bool) -> str:
    """Return the key by which numbers are compared.

    >>> key_of("0012", as_text=False), key_of("0012", as_text=True)
    ('12', '0012')
    """
    return number if as_text or not number.isascii() or not number.isdigit() else number.lstrip("0") or "0"


def names_by_number(contents: Contents) -> dict[str, str]:
    """Return the loaded names by the key of their number; the first of two equal keys counts."""
    as_text = compares_text(contents)
    names: dict[str, str] = {}
    for row in contents.player_names:
        for number in (row.text_id, str(row.id) if row.id else ""):
            if number:
                names.setdefault(key_of(number, as_text), row.name)
    return names


def players(
    contents: Contents,
    seated: Iterable[Participation],
    problems: list[ReadProblem],
    *,
    with_loaded_names: bool,
) -> tuple[SessionPlayer, ...]:
    """Return the players with a number: the seated ones and, if `with_loaded_names`, those whose names were loaded."""
    as_text = compares_text(contents)
    names = names_by_number(contents) if with_loaded_names else {}
    by_number: dict[str, SessionPlayer] = {}
    for chair in seated:
        if not chair.number:
            continue
        name = chair.last_name or names.get(key_of(chair.number, as_text), "")
        player = by_number.get(chair.number)
        if player is None or (name and not player.last_name):
            by_number[chair.number] = SessionPlayer(chair.number, last_name=name)
    loaded: set[str] = set()
    for row in contents.player_names if with_loaded_names else ():
        number = number_of(row)
        where = f"ID {row.id}" if row.id else f"strID {row.text_id!r}"
        if not is_player_number(number):
            problems.append(ReadProblem("PlayerNames", where, f"{row.name or 'A player'} has no number."))
        elif number in loaded:
            problems.append(ReadProblem("PlayerNames", where, "The number occurs twice; the first counts."))
        else:
            loaded.add(number)
            by_number.setdefault(number, SessionPlayer(number, last_name=row.name))
    return tuple(by_number.values())


def participations(
    contents: Contents,
    id_map: IdMap,
    sections: Mapping[str, tuple[TablePlan, ...]],
    problems: list[ReadProblem],
) -> tuple[Participation, ...]:
    """Return the seated players of these sections, one for each chair.

    Of two entries for a chair the last counts. A number that sits twice in a round counts for the first chair only.
    """
    lengths = {
        (letters, plan.table): len(plan.rounds) for letters, plans in sections.items() for plan in plans
    }
    chairs: dict[tuple[str, int, int, Seat], Participation] = {}
    chair_of: dict[tuple[int, str], tuple[str, int, int, Seat]] = {}
    for row in contents.player_numbers:
        letters = id_map.letters.get(row.section, "")
        if letters not in sections:
            continue
        where = f"section {row.section}, table {row.table}, {row.direction}"
        number = row.number if is_player_number(row.number) else ""
        if not number and not row.name:
            continue
        seat = seat_of(row.direction)
        if seat is None:
            problems.append(ReadProblem("PlayerNumbers", where, f"{row.direction!r} is not a direction."))
            continue
        length = lengths.get((letters, row.table))
        if length is None or not 0 <= row.round <= length:
            problems.append(
                ReadProblem("PlayerNumbers", where, f"There is no such table or round {row.round}.")
            )
            continue
        moves_before_play = id_map.sections[row.section].ew_moves
        round_number = row.round if moves_before_play else max(row.round, 1)
        chair = letters, row.table, round_number, seat
        if number and chair_of.setdefault((round_number, number), chair) != chair:
            problems.append(
                ReadProblem(
                    "PlayerNumbers",
                    where,
                    f"Number {number} sits at another table already; only the name stays.",
                )
            )
            number = ""
            if not row.name:
                continue
        chairs[chair] = Participation(letters, row.table, seat, number, last_name=row.name, round=row.round)
    return tuple(chairs.values())


def participation(row: PlayerNumberRow, letters: str) -> Participation | None:
    """Return the player of a chair row: a number, a name, or nobody; None if the direction is invalid."""
    seat = seat_of(row.direction)
    if seat is None:
        return None
    number = row.number if is_player_number(row.number) else ""
    return Participation(
        letters,
        row.table,
        seat,
        number,
        last_name=row.name,
        round=row.round,
        is_removal=not (number or row.name),
    )


FROM_SESSION = (NameSource.SESSION, NameSource.SESSION_THEN_LOOKUP_FILE)
"""The sources that include the names loaded into the `.bws` file."""

FROM_LOOKUP_FILE = (NameSource.LOOKUP_FILE, NameSource.SESSION_THEN_LOOKUP_FILE)
"""The sources that include the look-up file of the club."""


def name_source(session: Session, letters: str) -> NameSource:
    """Return the source of names for a section's numbers."""
    return session.settings.second.get(letters, SettingsII()).name_source


def numbers_without_names(session: Session) -> dict[str, NameSource]:
    """Return the seated numbers without a name, with the source of their names."""
    return {
        seated.number: source
        for seated in session.seating.chairs.values()
        if seated.number
        and not session.seating.player(seated).name
        and (source := name_source(session, seated.section)) is not NameSource.NONE
    }


def names_due(
    contents: Contents, numbers: Mapping[str, NameSource], lookup: Mapping[str, str]
) -> tuple[SessionPlayer, ...]:
    """Return the players with these numbers whose names are in the file, or in `lookup`, as their source says."""
    as_text = compares_text(contents)
    loaded = names_by_number(contents)
    named_players = []
    for number, source in numbers.items():
        key = key_of(number, as_text)
        name = loaded.get(key, "") if source in FROM_SESSION else ""
        if not name and source in FROM_LOOKUP_FILE:
            name = lookup.get(key, "")
        if name:
            named_players.append(SessionPlayer(number, last_name=name))
    return tuple(named_players)


# Files to look names up in ----------------------------------------------------------------------------------


def find_lookup_file(*folders: Path) -> Path | None:
    """Return the look-up file in the first of these folders that has one; case does not matter."""
    for folder in folders:
        files = sorted(folder.iterdir()) if folder.is_dir() else ()
        lookup_file = next((file for file in files if file.name.casefold() == LOOKUP_FILE.casefold()), None)
        if lookup_file is not None:
            return lookup_file
    return None


class NotALookupFile(BadInput):
    """A file in which no names can be looked up."""

    code = "not-a-lookup-file"


def read_lookup(path: str | Path) -> tuple[SessionPlayer, ...]:
    """Read all players of a `BMPlayerDB.mdb`."""
    with jet.open(path) as db:
        name = next((name for name in db.tables if name.casefold() == LOOKUP_TABLE.casefold()), None)
        if name is None:
            raise NotALookupFile(f"This Access file has no table {LOOKUP_TABLE}.", where=str(path))
        rows = read_rows(PlayerNameRow, [dict(row) for row in db[name].rows()])
    players: dict[str, SessionPlayer] = {}
    for row in rows:
        number = number_of(row)
        if is_player_number(number):
            players.setdefault(number, SessionPlayer(number, last_name=row.name))
    return tuple(players.values())


def names_of(people: Iterable[SessionPlayer], *, as_text: bool = False) -> dict[str, str]:
    """Return names by the key of their number (`key_of`); the first of two equal keys counts."""
    names: dict[str, str] = {}
    for player in people:
        names.setdefault(key_of(player.number, as_text), player.name)
    return names


def read_players_csv(path: str | Path) -> tuple[SessionPlayer, ...]:
    """Read players from a file of `firstname;lastname;playernumber` (or commas); quotes and header are optional."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"The file cannot be read: {error.strerror}.", where=str(path)) from error
    return parse_players(decode_text(text), where=str(path))


def decode_text(content: bytes) -> str:
    """Return the text of a file that is UTF-8 or else Windows-1252."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def parse_players(text: str, where: str = "players") -> tuple[SessionPlayer, ...]:
    r"""Parse lines of `firstname;lastname;playernumber` (see `read_players_csv`); raise BadInput for a repeated number.

    >>> parse_players('firstname;lastname;playernumber\n"Ely";"Culbertson";0012\n')
    (SessionPlayer(number='0012', first_name='Ely', last_name='Culbertson', country=''),)
    >>> parse_players("Ely,Culbertson,12")[0].name
    'Ely Culbertson'
    """
    lines = {line_number: line for line_number, line in enumerate(text.splitlines(), start=1) if line.strip()}
    if not lines:
        return ()
    first_line, header = next(iter(lines.items()))
    separator = ";" if header.count(";") > header.count(",") else ","
    players: dict[str, SessionPlayer] = {}
    for line_number, fields in zip(lines, csv.reader(lines.values(), delimiter=separator), strict=False):
        place = f"{where}, line {line_number}"
        if len(fields) < 3:
            raise BadInput(
                f"There are {len(fields)} fields; expected first name, last name and number.", where=place
            )
        first, last, number = (field.strip() for field in fields[:3])
        if line_number == first_line and not any(character.isdigit() for character in number):
            continue
        if not is_player_number(number):
            raise BadInput(f"{first} {last} has no number.", where=place)
        if number in players:
            raise BadInput(f"The number {number} occurs twice.", where=place)
        players[number] = SessionPlayer(number, first, last)
    return tuple(players.values())
