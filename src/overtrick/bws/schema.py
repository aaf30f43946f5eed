"""The fourteen tables of a `.bws` file, as revision 53 of the developer's guide lays them out: data, not code.

Names, types, sizes, zero-length flags and defaults, without meaning. The columns of Settings are those of the table in
`bridgemate.settings`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from overtrick.bridgemate.settings import in_file

Default = int | bool | str | None


class FieldType(Enum):
    """The types of fields that the guide uses."""

    AUTONUMBER = "long integer, autonumber"
    LONG = "long integer"
    INTEGER = "integer"
    TEXT = "text"
    DATE = "date/time"
    YES_NO = "true/false"


@dataclass(frozen=True, slots=True)
class TableField:
    """One field of a table; a text has a size and may allow zero length."""

    name: str
    kind: FieldType
    size: int | None = None
    zero_length: bool = False
    default: Default = None


def _auto(name: str) -> TableField:
    return TableField(name, FieldType.AUTONUMBER)


def _long(name: str) -> TableField:
    return TableField(name, FieldType.LONG)


def _int(name: str, default: int | None = None) -> TableField:
    return TableField(name, FieldType.INTEGER, default=default)


def _text(name: str, size: int, *, zero_length: bool = True, default: str | None = None) -> TableField:
    return TableField(name, FieldType.TEXT, size, zero_length, default)


def _date(name: str) -> TableField:
    return TableField(name, FieldType.DATE)


def _flag(name: str, default: bool = False) -> TableField:
    return TableField(name, FieldType.YES_NO, default=default)


SEAT_WORDS = ("North", "East", "South", "West")
SUIT_WORDS = ("Spades", "Hearts", "Diamonds", "Clubs")

_RESULTS = (
    _auto("ID"),
    _int("Section"),
    _int("Table"),
    _int("Round"),
    _int("Board"),
    _int("PairNS"),
    _int("PairEW"),
    _int("Declarer"),
    _text("NS/EW", 2),
    _text("Contract", 10),
    _text("Result", 10),
    _text("LeadCard", 10),
    _text("Remarks", 255),
    _date("DateLog"),
    _date("TimeLog"),
    _flag("Processed"),
    _flag("ExternalUpdate"),
    _flag("Processed1"),
    _flag("Processed2"),
    _flag("Processed3"),
    _flag("Processed4"),
    _flag("Erased"),
    _int("SuspiciousContract", 0),
)

_RECORDED = (_auto("ID"), _int("Section"), _int("Table"), _int("Round"), _int("Board"), _int("Counter"))


def _settings() -> Iterator[TableField]:
    yield _int("Section")
    for setting in in_file():
        if setting.switch:
            yield _flag(setting.switch)
        name, default = setting.column, setting.default
        if setting.choices is not None:
            yield _int(name, setting.number_in_file)
        elif isinstance(default, bool):
            yield _flag(name, default)
        elif isinstance(default, int):
            yield _int(name, default)
        else:
            yield _text(name, 4, zero_length=False, default=str(default))


TABLES: dict[str, tuple[TableField, ...]] = {
    "Clients": (_auto("ID"), _text("Computer", 255, zero_length=False)),
    "Session": (
        _int("ID"),
        _text("Name", 40),
        _date("Date"),
        _date("Time"),
        _text("GUID", 80),
        _int("Status", 0),
        _flag("ShowInApp"),
        _flag("PairsMoveAcrossField"),
        _flag("EWReturnHome"),
    ),
    "Section": (
        _int("ID"),
        _text("Letter", 3, zero_length=False),
        _int("Tables"),
        _int("MissingPair", 0),
        _int("EWMoveBeforePlay", 0),
        _int("Session"),
        _int("ScoringType", 1),
        _int("Winners", 0),
    ),
    "Tables": (
        _int("Section"),
        _int("Table"),
        _int("ComputerID", 0),
        _int("Status", 0),
        _int("LogOnOff", 2),
        _int("UpdateFromRound", 0),
        _int("CurrentRound", 0),
        _int("CurrentBoard", 0),
        _int("Group", 0),
    ),
    "RoundData": (
        _int("Section"),
        _int("Table"),
        _int("Round"),
        _int("NSPair"),
        _int("EWPair"),
        _int("LowBoard"),
        _int("HighBoard"),
        _text("CustomBoards", 255),
    ),
    "ReceivedData": _RESULTS,
    "IntermediateData": _RESULTS,
    "PlayerNumbers": (
        _int("Section"),
        _int("Table"),
        _text("Direction", 2, zero_length=False),
        _text("Number", 16),
        _text("Name", 18),
        _int("Round", 0),
        _flag("Updated"),
        _date("TimeLog"),
        _flag("Processed"),
        _int("EntrySource", 0),
    ),
    "PlayerNames": (_long("ID"), _text("Name", 18), _text("strID", 18)),
    "Settings": tuple(_settings()),
    "BiddingData": (
        *_RECORDED,
        _text("Direction", 2),
        _text("Bid", 10),
        _date("DateLog"),
        _date("TimeLog"),
        _flag("Erased"),
    ),
    "PlayData": (
        *_RECORDED,
        _text("Direction", 2),
        _text("Card", 10),
        _date("DateLog"),
        _date("TimeLog"),
        _flag("Erased"),
    ),
    "HandRecord": (
        _int("Section"),
        _int("Board"),
        *(_text(seat + suit, 13) for seat in SEAT_WORDS for suit in SUIT_WORDS),
    ),
    "HandEvaluation": (
        _int("Section"),
        _int("Board"),
        *(_int(seat + strain) for seat in SEAT_WORDS for strain in (*SUIT_WORDS, "Notrump")),
        *(_int(f"{seat}Hcp") for seat in SEAT_WORDS),
    ),
}
"""Every table with its fields, in the guide's order."""

INDIVIDUAL_FIELDS = ("South", "West")
"""Columns that files of individuals add to rounds and results: the numbers of the other two players."""

BCS_FIELDS = ("OnlineEventGUID", "OnlineEventRoundDuration")
"""Columns that the vendor's control software adds by itself; the guide does not list them."""


def field(table: str, name: str) -> TableField:
    """Return one field, by name.

    >>> field("Section", "Letter")
    TableField(name='Letter', kind=<FieldType.TEXT: 'text'>, size=3, zero_length=False, default=None)
    """
    return next(column for column in TABLES[table] if column.name == name)
