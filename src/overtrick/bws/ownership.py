"""The owner of every column of a `.bws` file, and the effect of a change by the other program: a table of rules.

The control software renders its columns from the journal in every pass (`control_rows`) and never writes a column that
is the scoring program's. A flag belongs to both: the scoring program sets it, the control software clears it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from overtrick.bws import schema

REST = "*"
"""The columns of a table that no other rule names."""


class Owner(Enum):
    """The program that writes a column."""

    SCORING = "scoring program"
    CONTROL = "control software"
    FLAG = "flag: set by the scoring program, cleared by the control software"
    SHARED = "control software; the scoring program with a flag"


@dataclass(frozen=True, slots=True)
class Ownership:
    """The owner of some columns of a table, and the effect of a change without a flag."""

    table: str
    columns: tuple[str, ...]
    owner: Owner
    if_changed: str
    """The effect of a change by the other program that no flag announces."""


DELETED = {
    "Clients": "Our computer's record is added again.",
    "Session": "Nothing; results go on. Its state is written when the record is back.",
    "Section": "Nothing is removed. What happens meanwhile is written when the record is back.",
    "Tables": "Nothing is removed (only instruction 999 does). State and log-on are put back with the record.",
    "RoundData": "Nothing until an instruction asks for the rounds.",
    "ReceivedData": "The row is written again.",
    "IntermediateData": "The row is written again.",
    "PlayerNumbers": "The row is written again where somebody sits.",
    "PlayerNames": "Names that were found stay.",
    "Settings": "Our own settings stay until instruction 997.",
    "BiddingData": "The row is added again, behind the others.",
    "PlayData": "The row is added again, behind the others.",
    "HandRecord": "A deal that players entered is written again.",
    "HandEvaluation": "The row is written again.",
}
"""The effect of rows that the scoring program deletes without a flag, by table."""

_LEFT_ALONE = (
    "Left alone: it may be the first step of a correction. A later result of the table overwrites it."
)
_PUT_BACK = "Put back at the next pass."
_NOT_READ = "Nothing until a flag asks for it."

OWNERSHIP = (
    Ownership("Clients", (REST,), Owner.SCORING, "Each table belongs to the computer that the file names."),
    Ownership("Session", ("Status",), Owner.CONTROL, _PUT_BACK),
    Ownership("Session", ("GUID", "Date"), Owner.SCORING, "We fill them in where they are empty."),
    Ownership("Session", (REST,), Owner.SCORING, _NOT_READ),
    Ownership("Section", (REST,), Owner.SCORING, _NOT_READ),
    Ownership("Tables", ("UpdateFromRound",), Owner.FLAG, "It is the instruction."),
    Ownership("Tables", ("Status", "LogOnOff"), Owner.CONTROL, _PUT_BACK),
    Ownership(
        "Tables", ("CurrentRound", "CurrentBoard"), Owner.CONTROL, "Put back where boards are recorded."
    ),
    Ownership("Tables", ("ComputerID",), Owner.SCORING, "The table goes to that computer."),
    Ownership("Tables", (REST,), Owner.SCORING, _NOT_READ),
    Ownership("RoundData", (REST,), Owner.SCORING, _NOT_READ),
    Ownership("ReceivedData", ("ExternalUpdate",), Owner.FLAG, "It is the correction."),
    Ownership(
        "ReceivedData",
        ("Processed", "Processed1", "Processed2", "Processed3", "Processed4"),
        Owner.SCORING,
        "Left alone. Reset, with every custom_ flag, when a result of ours changes the row.",
    ),
    Ownership(
        "ReceivedData",
        ("Remarks",),
        Owner.SHARED,
        "Left alone. A remark that says what happened changes with the result; any other stays.",
    ),
    Ownership("ReceivedData", (REST,), Owner.SHARED, _LEFT_ALONE),
    Ownership(
        "IntermediateData",
        ("ExternalUpdate", "Processed", "Processed1", "Processed2", "Processed3", "Processed4"),
        Owner.SCORING,
        "Left alone. Reset when another contract is entered.",
    ),
    Ownership("IntermediateData", (REST,), Owner.CONTROL, _LEFT_ALONE),
    Ownership("PlayerNumbers", ("Updated",), Owner.FLAG, "It is the request to read the name."),
    Ownership(
        "PlayerNumbers", ("Processed",), Owner.SCORING, "Left alone. Reset when another number is entered."
    ),
    Ownership("PlayerNumbers", ("EntrySource",), Owner.SCORING, "Left alone."),
    Ownership("PlayerNumbers", (REST,), Owner.SHARED, _LEFT_ALONE),
    Ownership("PlayerNames", (REST,), Owner.SCORING, "Numbers without a name are looked up in it."),
    Ownership("Settings", (REST,), Owner.SCORING, _NOT_READ),
    Ownership("BiddingData", (REST,), Owner.CONTROL, "A row that says something else counts as missing."),
    Ownership("PlayData", (REST,), Owner.CONTROL, "A row that says something else counts as missing."),
    Ownership(
        "HandRecord",
        (REST,),
        Owner.SHARED,
        "Left alone until instruction 996; only a deal that players entered before is overwritten by a newer one.",
    ),
    Ownership("HandEvaluation", (REST,), Owner.CONTROL, _PUT_BACK),
)
"""The rules; the first that names a column counts, and `REST` names all columns that are left."""


def ownership_page() -> Iterator[str]:
    """Yield the lines of the tables in docs/reference/bws-ownership.md."""
    for table, deleted in DELETED.items():
        yield f"## {table}"
        yield ""
        yield f"Rows deleted without a flag: {deleted}"
        yield ""
        yield "| columns | written by | changed without a flag |"
        yield "|---|---|---|"
        named = {name for rule in OWNERSHIP if rule.table == table for name in rule.columns}
        for rule in (rule for rule in OWNERSHIP if rule.table == table):
            if rule.columns == (REST,):
                rest = [field.name for field in schema.TABLES[table] if field.name not in named]
                short = "all others" if len(named) > 1 else "all"
                columns = ", ".join(f"`{name}`" for name in rest) if len(rest) <= 14 else short
            else:
                columns = ", ".join(f"`{name}`" for name in rule.columns)
            yield f"| {columns} | {rule.owner.value} | {rule.if_changed} |"
        yield ""
