"""The rows of a `.bws` file as typed values, for files of every version.

A missing or empty column has its default value; unknown columns are ignored. Independent of `overtrick.event`.
"""

# ruff: noqa: RUF009  (a column is declared beside its default, as a dataclass field is)
from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any, TypeVar

Values = Mapping[str, Any]
"""A row as the file has it: column names and values."""


def column(name: str, default: Any = MISSING, factory: Any = MISSING) -> Any:
    """Declare a dataclass field that is stored in this column of the file."""
    if factory is not MISSING:
        return field(default_factory=factory, metadata={"column": name})
    return field(default=default, metadata={"column": name})


def is_player_number(text: str) -> bool:
    """Return whether this is a player's number; a visitor who has none enters nothing, or zeros.

    >>> is_player_number("0123"), is_player_number("000"), is_player_number("")
    (True, False, False)
    """
    return bool(text.strip("0 "))


@dataclass(frozen=True, slots=True)
class ClientRow:
    """A computer that may handle tables."""

    id: int = column("ID", 0)
    computer: str = column("Computer", "")


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session, which may be one of several in a file."""

    id: int = column("ID", 0)
    name: str = column("Name", "")
    day: datetime | None = column("Date", None)
    starts: datetime | None = column("Time", None)
    guid: str = column("GUID", "")
    status: int = column("Status", 0)
    shown_in_app: bool = column("ShowInApp", False)
    across_field: bool = column("PairsMoveAcrossField", False)
    ew_return_home: bool = column("EWReturnHome", False)


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section; `winners` is 0 if the file does not say (see `has_two_winners`)."""

    id: int = column("ID", 0)
    letter: str = column("Letter", "")
    tables: int = column("Tables", 0)
    missing_pair: int = column("MissingPair", 0)
    ew_moves: int = column("EWMoveBeforePlay", 0)
    session: int = column("Session", 0)
    scoring_type: int = column("ScoringType", 1)
    winners: int = column("Winners", 0)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table, with its pending instruction."""

    section: int = column("Section", 0)
    table: int = column("Table", 0)
    computer: int = column("ComputerID", 0)
    status: int = column("Status", 0)
    log_on_off: int = column("LogOnOff", 2)
    instruction: int = column("UpdateFromRound", 0)
    group: int = column("Group", 0)
    current_round: int = column("CurrentRound", 0)
    current_board: int = column("CurrentBoard", 0)


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One round at one table."""

    section: int = column("Section", 0)
    table: int = column("Table", 0)
    round: int = column("Round", 0)
    ns: int = column("NSPair", 0)
    ew: int = column("EWPair", 0)
    low: int = column("LowBoard", 0)
    high: int = column("HighBoard", 0)
    custom: str = column("CustomBoards", "")
    south: int = column("South", 0)
    west: int = column("West", 0)


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A result, or a contract that has no result yet."""

    id: int = column("ID", 0)
    section: int = column("Section", 0)
    table: int = column("Table", 0)
    round: int = column("Round", 0)
    board: int = column("Board", 0)
    ns: int = column("PairNS", 0)
    ew: int = column("PairEW", 0)
    declarer: int = column("Declarer", 0)
    direction: str = column("NS/EW", "")
    contract: str = column("Contract", "")
    result: str = column("Result", "")
    lead: str = column("LeadCard", "")
    remarks: str = column("Remarks", "")
    day: datetime | None = column("DateLog", None)
    at: datetime | None = column("TimeLog", None)
    processed: bool = column("Processed", False)
    external_update: bool = column("ExternalUpdate", False)
    processed1: bool = column("Processed1", False)
    processed2: bool = column("Processed2", False)
    processed3: bool = column("Processed3", False)
    processed4: bool = column("Processed4", False)
    erased: bool = column("Erased", False)
    suspicious: int = column("SuspiciousContract", 0)
    custom: Mapping[str, bool] = column("custom_", factory=dict)
    """The yes/no fields whose names start with `custom_`: Processed flags that programs have added."""

    @property
    def place(self) -> tuple[int, int, int, int]:
        """Return section, table, round and board."""
        return self.section, self.table, self.round, self.board

    def flag(self, name: str) -> bool:
        """Return whether the Processed flag in this column is set; False if there is no such column."""
        if name.startswith("custom_"):
            return bool(self.custom.get(name))
        return name.casefold().startswith("processed") and bool(getattr(self, name.casefold(), False))


@dataclass(frozen=True, slots=True)
class PlayerNumberRow:
    """The player in a seat; round 0 is the start of the session."""

    section: int = column("Section", 0)
    table: int = column("Table", 0)
    direction: str = column("Direction", "")
    number: str = column("Number", "")
    name: str = column("Name", "")
    round: int = column("Round", 0)
    updated: bool = column("Updated", False)
    at: datetime | None = column("TimeLog", None)
    processed: bool = column("Processed", False)
    entry_source: int = column("EntrySource", 0)


@dataclass(frozen=True, slots=True)
class PlayerNameRow:
    """A player's name, with the player's number as an integer (`id`) and as text (`text_id`)."""

    id: int = column("ID", 0)
    name: str = column("Name", "")
    text_id: str = column("strID", "")


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """A recorded call or card, or its erasure."""

    id: int = column("ID", 0)
    section: int = column("Section", 0)
    table: int = column("Table", 0)
    round: int = column("Round", 0)
    board: int = column("Board", 0)
    counter: int = column("Counter", 0)
    direction: str = column("Direction", "")
    day: datetime | None = column("DateLog", None)
    at: datetime | None = column("TimeLog", None)
    erased: bool = column("Erased", False)


@dataclass(frozen=True, slots=True)
class CallRow(RecordedRow):
    """A recorded call."""

    call: str = column("Bid", "")


@dataclass(frozen=True, slots=True)
class CardRow(RecordedRow):
    """A recorded card."""

    card: str = column("Card", "")


@dataclass(frozen=True, slots=True)
class FreeRow:
    """A row that keeps all its values by column name: settings, hand records and their evaluations."""

    section: int = column("Section", 0)
    board: int = column("Board", 0)
    values: Mapping[str, Any] = column("*", factory=dict)
    """Every value of the row, by the column's name in lower case."""

    def get(self, name: str) -> Any:
        """Return the value of a column; None if it is missing or empty. The case of the name does not matter."""
        return self.values.get(name.casefold())


AnyRow = TypeVar("AnyRow")


def read_row(kind: type[AnyRow], values: Values) -> AnyRow:
    """Read a typed row from the columns that exist.

    >>> read_row(SectionRow, {"ID": 1, "Letter": "A", "Tables": 12, "MissingPair": None})
    SectionRow(id=1, letter='A', tables=12, missing_pair=0, ew_moves=0, session=0, scoring_type=1, winners=0)
    """
    attributes: dict[str, Any] = {}
    readers, custom, free = _readers(kind, tuple(values))  # type: ignore[arg-type]
    for attribute, name, read in readers:
        value = values[name]
        if value is not None:
            attributes[attribute] = read(value)
    if custom is not None:
        attributes[custom[0]] = {name: values[name] for name in custom[1] if isinstance(values[name], bool)}
    if free is not None:
        attributes[free] = {name.casefold(): value for name, value in values.items() if value is not None}
    return kind(**attributes)


def read_rows(kind: type[AnyRow], rows: Iterable[Values]) -> tuple[AnyRow, ...]:
    """Read typed rows, in the order of the file."""
    return tuple(read_row(kind, row) for row in rows)


def row_values(row: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the values of a typed row by column; columns in `names` that the row type lacks are left out.

    >>> row_values(SectionRow(1, "A", 12), ["ID", "Letter", "Tables", "Colour"])
    {'ID': 1, 'Letter': 'A', 'Tables': 12}
    """
    stored = {attribute.metadata["column"]: getattr(row, attribute.name) for attribute in fields(row)}
    return {name: stored[name] for name in names if name in stored}


_FieldReader = tuple[str, str, Callable[[Any], Any]]


@lru_cache(maxsize=256)
def _readers(
    kind: Hashable, names: tuple[str, ...]
) -> tuple[tuple[_FieldReader, ...], tuple[str, tuple[str, ...]] | None, str | None]:
    """Return the readers for rows with these columns. The case of a column's name does not matter.

    First a reader for each typed field: attribute, column and converter. Then, for a type with custom Processed flags,
    their attribute and columns. Last, for a type that keeps all values, the attribute that holds them.
    """
    readers: dict[str, Callable[[Any], Any]] = {
        "int": _to_int,
        "str": _to_text,
        "bool": bool,
        "datetime | None": _to_datetime,
    }
    actual_names = {name.casefold(): name for name in reversed(names)}
    typed_readers: list[_FieldReader] = []
    custom = free = None
    for attribute in fields(kind):  # type: ignore[arg-type]
        column = attribute.metadata["column"].casefold()
        if column == "*":
            free = attribute.name
        elif column == "custom_":
            custom = attribute.name, tuple(name for name in names if name.startswith("custom_"))
        elif column in actual_names:
            typed_readers.append((attribute.name, actual_names[column], readers[str(attribute.type)]))
    return tuple(typed_readers), custom, free


def _to_int(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return 0


def _to_text(value: Any) -> str:
    # A file of another program may have a number in a text field.
    return str(value).strip()


def _to_datetime(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value
    return datetime.combine(value, time()) if isinstance(value, date) else None


TEAMS = 4
"""The scoring type of team games."""

NO_DAY = date(1899, 12, 30)
"""The date that Access stores with a time of day."""


def log_datetime(day: datetime | None, at: datetime | None, default_day: date) -> datetime:
    """Combine DateLog and TimeLog. Without a date the day is `default_day`, without a time it is midnight.

    >>> log_datetime(datetime(2005, 9, 5), datetime(1899, 12, 30, 19, 58, 44), date(2020, 1, 1)).isoformat()
    '2005-09-05T19:58:44'
    """
    return datetime.combine(day.date() if day else default_day, at.time() if at else time())


def log_fields(at: datetime) -> dict[str, datetime]:
    """Return the two log fields: the date without a time, and the time without a date."""
    return {
        "DateLog": datetime.combine(at.date(), time()),
        "TimeLog": datetime.combine(NO_DAY, at.time().replace(microsecond=0)),
    }


def is_same_value(one: Any, other: Any) -> bool:
    """Return whether two values of a field are equal.

    None, empty text, False and 0 count as equal. Spaces around a text do not count.

    >>> is_same_value(None, ""), is_same_value("4 S", "4 S "), is_same_value(0, None), is_same_value("1", "2")
    (True, True, True, False)
    """
    return (one or None) == (other or None) or str(one or "").strip() == str(other or "").strip()


def repeats_numbers(rounds: Iterable[RoundRow]) -> bool:
    """Return whether a North-South and an East-West pair have the same number in one round."""
    sides: defaultdict[int, tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    for row in rounds:
        sides[row.round][0].add(row.ns)
        sides[row.round][1].add(row.ew)
    return any((ns & ew) - {0} for ns, ew in sides.values())


def has_two_winners(section: SectionRow, rounds: Iterable[RoundRow]) -> bool:
    """Return whether a section has two winners.

    If the file does not say, it has two if numbers repeat (`repeats_numbers`) or no pair changes direction.
    """
    if section.winners:
        return section.winners == 2
    own = [row for row in rounds if row.section == section.id]
    ns, ew = {row.ns for row in own}, {row.ew for row in own}
    return not (ns & ew) - {0} or repeats_numbers(own)
