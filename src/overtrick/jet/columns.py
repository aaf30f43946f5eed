"""Columns and indexes of a table: types, sizes and properties. Independent of pages."""

from dataclasses import dataclass, field
from enum import IntEnum

from overtrick.jet.errors import ValueRefused


class ColumnType(IntEnum):
    """The types of an Access 97 to 2003 column."""

    YES_NO = 1
    BYTE = 2
    INTEGER = 3
    LONG = 4
    MONEY = 5
    SINGLE = 6
    DOUBLE = 7
    DATE = 8
    BINARY = 9
    TEXT = 10
    OLE = 11
    MEMO = 12
    UNKNOWN_13 = 13
    UNKNOWN_14 = 14
    GUID = 15
    NUMERIC = 16
    UNKNOWN_17 = 17

    @property
    def is_long_value(self) -> bool:
        """True if values may live outside the row."""
        return self in (ColumnType.OLE, ColumnType.MEMO)

    @property
    def fixed_size(self) -> int | None:
        """The size of a value in bytes; None if the values of this type differ in size."""
        return _FIXED_SIZE.get(self)

    @property
    def word(self) -> str:
        """The name of the type in messages and listings.

        >>> ColumnType.YES_NO.word
        'yes/no'
        """
        return "yes/no" if self is ColumnType.YES_NO else self.name.lower()


_FIXED_SIZE = {
    ColumnType.YES_NO: 0,
    ColumnType.BYTE: 1,
    ColumnType.INTEGER: 2,
    ColumnType.LONG: 4,
    ColumnType.MONEY: 8,
    ColumnType.SINGLE: 4,
    ColumnType.DOUBLE: 8,
    ColumnType.DATE: 8,
    ColumnType.GUID: 16,
    ColumnType.NUMERIC: 17,
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: first the fields that a caller sets for a new column, then those that describe it in the file."""

    name: str
    type: ColumnType
    size: int = 0
    """Characters of a text column, bytes of a binary one."""
    autonumber: bool = False
    default: str | None = None
    """The default as Access stores it: an expression such as `0`, `True` or `"N"`."""
    required: bool = False
    allow_zero_length: bool = False
    precision: int = 18
    scale: int = 0
    properties: dict[str, object] = field(default_factory=dict, compare=False, repr=False)
    number: int = -1
    """The number in rows and null masks. The number of a dropped column is not used again."""
    fixed_offset: int | None = None
    """The offset of a fixed value, counted from the end of the row's column count; None for a variable one."""
    variable_index: int = 0
    sort_order: int = 0
    sort_version: int = 0
    code_page: int = 0
    flags: int = 0
    compressed: bool = False
    """True if Unicode text may be stored with one byte per character."""
    stored_size: int = 0
    """The size in bytes in the table definition."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueRefused(f"The name of a column is text, not {self.name!r}.")
        if not isinstance(self.type, ColumnType):
            types = ", ".join(kind.name for kind in ColumnType if not kind.name.startswith("UNKNOWN"))
            raise ValueRefused(
                f"{self.type!r} is not the type of a column; use a ColumnType: {types}.",
                where=f"column {self.name}",
            )
        if not isinstance(self.size, int) or not isinstance(self.default, str | None):
            raise ValueRefused(
                "The size of a column is a whole number, and its default is text, for example '0'.",
                where=f"column {self.name}",
            )

    @property
    def fixed_size(self) -> int:
        """The size in bytes of a value that is stored among the fixed ones."""
        size = self.type.fixed_size
        return self.stored_size if size is None else size


@dataclass(frozen=True, slots=True)
class Index:
    """An index: the names of its columns, in order."""

    name: str
    columns: tuple[str, ...]
    primary: bool = False
    """True for the table's key: unique, and with a value in every column."""
    unique: bool = False
    descending: tuple[str, ...] = ()
    """The columns that sort from the highest value to the lowest."""
    ignore_nulls: bool = False
    """True if rows whose key is all null are left out."""
    required: bool = False
    """True if every column of the key needs a value."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueRefused(f"The name of an index is text, not {self.name!r}.")
        columns = self.columns
        if isinstance(columns, str) or not all(isinstance(name, str) for name in columns):
            raise ValueRefused(
                f"The columns of an index are a tuple of names, not {columns!r}.",
                where=f"index {self.name}",
            )
        if not set(self.descending) <= set(columns):
            raise ValueRefused(
                f"The descending columns {self.descending!r} are not all among {columns!r}.",
                where=f"index {self.name}",
            )
