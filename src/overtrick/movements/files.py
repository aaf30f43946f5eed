"""Movements as text: JSON and CSV, both ways, and ACBLscore's `.MOV` files. Pure: the content is passed in.

CSV has a header, and a line for each table in each round; columns may be in any order, separated by commas, semicolons
or tabs. Lines that begin with # may name the movement (`# name: Club night`) and say the number of winners.
"""

import csv
import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, Literal

from overtrick.digits import parse_digits
from overtrick.movements.model import (
    Movement,
    MovementError,
    Promises,
    Station,
    implied_winners,
    ranges,
    require,
    resized,
    sets_of_boards,
)
from overtrick.movements.validation import observed
from overtrick.words import printable

FORMAT = "overtrick-movement"
MOST_CHARACTERS = 2_000_000
MOST_STATIONS = 10_000
MOST_ROUNDS = 99
HIGHEST = 9_999
"""The highest number of a table, a pair or a board."""
MOST_BOARDS_AT_A_TABLE = 60

NUMBERS = ("south", "west", "team_ns", "team_ew", "mate_table", "mate_round")
"""The columns that only individuals and teams need."""
COLUMNS = ("round", "table", "ns", "ew", "boards", *NUMBERS)

# An ACBLscore movement file: two bytes of signature, the kind (1: Howell, one field; 0: Mitchell), the tables, sets and
# rounds, a text of 600 characters, empty bytes, and the numbers 1 to 36. Then for each table, round by round, three
# bytes: the pair N-S, the pair E-W, and the set of boards. Known from the four files of criptik/angular-dupscore, in
# which the numbers of sets and rounds are equal; so the rounds are computed from the length.
MOV_SIGNATURE = b"\x5d\x8d"
MOV_TEXT = slice(6, 6 + 600)
MOV_NUMBERS = slice(0x29F, 0x29F + 36)
MOV_START = 0x2C3


def parse_movement(content: str | bytes, name: str = "", boards_per_round: int | None = None) -> Movement:
    """Return the movement of a JSON or CSV text, or of the bytes of a `.MOV` file; see `Movement.load`."""
    if isinstance(content, bytes):
        if content.startswith(MOV_SIGNATURE):
            return _parse_mov(content, name, boards_per_round)
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise MovementError("The movement is neither text in UTF-8 nor an ACBLscore .MOV file.") from None
    if len(content) > MOST_CHARACTERS:
        raise MovementError(f"The text of a movement has at most {MOST_CHARACTERS} characters.")
    if content.lstrip().startswith("{"):
        movement = _parse_json(content, name)
    else:
        movement = _parse_csv(content, name)
    return movement if boards_per_round is None else resized(movement, boards_per_round)


def write_movement(movement: Movement, format: Literal["json", "csv"]) -> str:
    """Return a movement as text; see `Movement.dump`."""
    if format == "json":
        return _write_json(movement)
    if format == "csv":
        return _write_csv(movement)
    raise MovementError(f"A movement is written as json or csv, not as {format!r}.")


# JSON -------------------------------------------------------------------------------------------------------


def _write_json(movement: Movement) -> str:
    defaults = Promises()
    promises = {
        field.name: getattr(movement.promises, field.name)
        for field in fields(Promises)
        if getattr(movement.promises, field.name) != getattr(defaults, field.name)
    }
    header = {
        "format": FORMAT,
        "name": movement.name,
        "winners": movement.winners,
        "tables": movement.tables,
        "rounds": movement.rounds,
        "boards_per_round": movement.boards_per_round,
        "promises": promises,
    }
    # A line for each station, so that people can read and compare the text.
    lines = ",\n".join(f"    {json.dumps(_station_values(station))}" for station in movement.stations)
    return f'{json.dumps(header, ensure_ascii=False, indent=2)[:-2]},\n  "stations": [\n{lines}\n  ]\n}}\n'


def _station_values(station: Station) -> dict[str, Any]:
    values = asdict(station)
    first_keys = ("round", "table", "ns", "ew", "boards")
    return {key: values[key] for key in first_keys} | {
        key: value for key, value in values.items() if value and key not in first_keys
    }


def _parse_json(text: str, name: str) -> Movement:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MovementError(f"The movement is not JSON: {error}.") from None
    stations = document.get("stations")
    if not isinstance(stations, list):
        raise MovementError('The movement has no list "stations".')
    _check_size(len(stations))
    parsed = tuple(_json_station(number, values) for number, values in enumerate(stations, start=1))
    winners = document.get("winners")
    if winners is not None and winners not in (1, 2):
        raise MovementError('"winners" must be 1 or 2.')
    title = document.get("name")
    movement = _movement(parsed, title if isinstance(title, str) and title else name, winners)
    sizes = {
        "tables": movement.tables,
        "rounds": movement.rounds,
        "boards_per_round": movement.boards_per_round,
    }
    for key in sizes.keys() & document.keys():
        if type(document[key]) is not int:
            raise MovementError(f'"{key}" must be a whole number.')
        require(document[key], 1, f'"{key}"', MOST_ROUNDS if key == "rounds" else HIGHEST)
        sizes[key] = document[key]
    movement = replace(
        movement,
        tables=sizes["tables"],
        rounds=sizes["rounds"],
        boards_per_round=sizes["boards_per_round"],
    )
    promises = document.get("promises")
    return movement if promises is None else replace(movement, promises=_promises(promises))


def _promises(values: object) -> Promises:
    if not isinstance(values, dict):
        raise MovementError('"promises" must be an object.')
    kinds = {field.name: type(getattr(Promises(), field.name)) for field in fields(Promises)}
    promises = Promises()
    for key, value in values.items():
        valid_forms = (
            key == "opponents_at_most" and value is None,
            key != "shared" and type(value) is kinds.get(key),
            key == "shared"
            and isinstance(value, list)
            and all(
                isinstance(group, list) and all(type(table) is int for table in group) for group in value
            ),
        )
        if not any(valid_forms):
            raise MovementError(f'The promise "{key}" is unknown, or has a wrong value.')
        if key == "shared":
            value = tuple(tuple(group) for group in value)
        promises = replace(promises, **{key: value})
    return promises


def _json_station(number: int, values: object) -> Station:
    where = f"station {number}"
    if not isinstance(values, dict):
        raise MovementError(f"{where.capitalize()} must be an object.")
    boards = values.get("boards", [])
    mates = values.get("mates")
    if not isinstance(boards, list) or not (mates is None or (isinstance(mates, list) and len(mates) == 2)):
        raise MovementError(
            f"{where.capitalize()} needs a list of boards, and two numbers as mates if it has any."
        )

    def whole_number(value: object, what: str) -> int:
        if type(value) is not int:
            raise MovementError(f"{what} of {where} must be a whole number.")
        return value

    cells = {
        key: whole_number(values.get(key, 0), key) for key in COLUMNS if key not in ("boards", *NUMBERS[4:])
    }
    mate = tuple(whole_number(value, "mates") for value in mates) if mates else (0, 0)
    return _station(
        where,
        cells | {"mate_table": mate[0], "mate_round": mate[1]},
        [whole_number(board, "boards") for board in boards],
    )


# CSV --------------------------------------------------------------------------------------------------------


def _write_csv(movement: Movement) -> str:
    used = [
        column for column in NUMBERS if any(_csv_values(station)[column] for station in movement.stations)
    ]
    columns = (*COLUMNS[:5], *used)
    lines = [f"# name: {movement.name}", f"# winners: {movement.winners}", ",".join(columns)]
    for station in movement.stations:
        values = _csv_values(station)
        lines.append(",".join(str(values[column]) for column in columns))
    return "\n".join(lines) + "\n"


def _csv_values(station: Station) -> dict[str, int | str]:
    mate_table, mate_round = station.mates or (0, 0)
    return {
        "round": station.round,
        "table": station.table,
        "ns": station.ns,
        "ew": station.ew,
        "boards": ranges(station.boards).replace(", ", " "),
        "south": station.south,
        "west": station.west,
        "team_ns": station.team_ns,
        "team_ew": station.team_ew,
        "mate_table": mate_table,
        "mate_round": mate_round,
    }


def _parse_csv(text: str, name: str) -> Movement:
    remarks: dict[str, str] = {}
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        if line.lstrip().startswith("#"):
            key, _, value = line.lstrip(" #").partition(":")
            remarks[key.strip().lower()] = value.strip()
        elif line.strip():
            rows.append((number, line))
    if not rows:
        raise MovementError("The movement is empty.")
    _check_size(len(rows))
    header = rows[0][1]
    separator = max(";\t,", key=header.count)

    def cells(number: int, line: str) -> list[str]:
        try:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
        except csv.Error as error:
            raise MovementError(f"Line {number}: {error}.") from None

    columns = [cell.lower().replace("-", "").replace(" ", "_") for cell in cells(*rows[0])]
    missing = [column for column in COLUMNS[:5] if column not in columns]
    if missing:
        raise MovementError(
            f"The first line must name the columns round, table, ns, ew and boards; {missing[0]!r} is missing."
        )
    stations = []
    for number, line in rows[1:]:
        row = dict(zip(columns, cells(number, line), strict=False))
        stations.append(_csv_station(number, row))
    winners = remarks.get("winners")
    if winners not in (None, "1", "2"):
        raise MovementError("The number of winners must be 1 or 2.")
    return _movement(tuple(stations), remarks.get("name") or name, int(winners) if winners else None)


def _csv_station(line: int, row: Mapping[str, str]) -> Station:
    where = f"line {line}"
    numbers: dict[str, int] = {}
    for column in COLUMNS:
        if column != "boards":
            text = row.get(column, "")
            number = parse_digits(text or "0", 4)
            if number is None:
                raise MovementError(f"Line {line}: {text[:20]!r} is not a number ({column}).")
            numbers[column] = number
    return _station(where, numbers, _boards(line, row.get("boards", "")))


def _boards(line: int, text: str) -> list[int]:
    """Return the boards of a text such as "1-3 7"."""
    boards: list[int] = []
    for part in text.replace(",", " ").replace("+", " ").split():
        low, dash, high = part.partition("-")
        first, last = parse_digits(low, 4), parse_digits(high if dash else low, 4)
        if first is None or last is None or not 0 <= last - first < MOST_BOARDS_AT_A_TABLE:
            raise MovementError(f"Line {line}: {part[:20]!r} is not a board or a range such as 1-3.")
        boards += range(first, last + 1)
    return boards


# ACBLscore --------------------------------------------------------------------------------------------------


def _parse_mov(content: bytes, name: str, boards_per_round: int | None) -> Movement:
    tables, body = content[3] if len(content) > 3 else 0, content[MOV_START:]
    rounds = len(body) // (3 * tables) if tables else 0
    if not rounds or len(body) != 3 * tables * rounds or rounds not in content[4:6]:
        raise MovementError(
            "The .MOV file is damaged: its length does not fit its number of tables and rounds."
        )
    if content[MOV_NUMBERS] != bytes(range(1, 37)):
        raise MovementError(
            "The .MOV file has other numbers than 1 to 36 in its table of numbers, which is not supported."
        )
    _check_size(tables * rounds)
    triples = [tuple(body[place : place + 3]) for place in range(0, len(body), 3)]
    size = boards_per_round or max(1, min(9, round(24 / rounds)))
    sets = sets_of_boards(max(number for _, _, number in triples), size)
    stations = []
    for place, (ns, ew, number) in enumerate(triples):
        boards = sets[number - 1] if number and ns and ew else ()
        stations.append(Station(place // rounds + 1, place % rounds + 1, ns, ew, boards))
    text = " ".join(content[MOV_TEXT].decode("cp437").split())
    is_mitchell = content[2] == 0
    return _movement(tuple(stations), name or text[:60], 2 if is_mitchell else 1)


# All of them ------------------------------------------------------------------------------------------------


def _check_size(stations: int) -> None:
    if stations > MOST_STATIONS:
        raise MovementError(f"A movement has at most {MOST_STATIONS} tables and rounds in all.")


def _station(where: str, numbers: Mapping[str, int], boards: list[int]) -> Station:
    for key, value in numbers.items():
        highest = MOST_ROUNDS if key == "round" else HIGHEST
        require(value, 1 if key in ("round", "table") else 0, f"{key} of {where}", highest)
    if len(boards) > MOST_BOARDS_AT_A_TABLE or not all(1 <= board <= HIGHEST for board in boards):
        raise MovementError(
            f"{where.capitalize()} can have at most {MOST_BOARDS_AT_A_TABLE} boards, numbered 1 to {HIGHEST}."
        )
    mates = (numbers["mate_table"], numbers["mate_round"]) if numbers["mate_table"] else None
    return Station(
        numbers["table"],
        numbers["round"],
        numbers["ns"],
        numbers["ew"],
        tuple(sorted(boards)),
        numbers["south"],
        numbers["west"],
        numbers["team_ns"],
        numbers["team_ew"],
        mates,
    )


def _movement(stations: tuple[Station, ...], name: str, winners: int | None) -> Movement:
    """Return the movement of these stations, with the promises that they keep."""
    if not stations:
        raise MovementError("The movement has no tables.")
    movement = Movement(
        name=printable(name)[:60] or "own movement",
        winners=winners or _winners(stations),
        tables=max(station.table for station in stations),
        rounds=max(station.round for station in stations),
        boards_per_round=max(len(station.boards) for station in stations),
        stations=stations,
        promises=Promises(),
    )
    return replace(movement, promises=observed(movement))


def _winners(stations: tuple[Station, ...]) -> int:
    if any(station.south or station.west or station.team_ns or station.team_ew for station in stations):
        return 1
    return implied_winners((station.round, station.ns, station.ew) for station in stations)
