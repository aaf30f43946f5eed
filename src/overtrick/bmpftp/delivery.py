"""Delivering results: each once, whatever dies between two steps.

A batch goes through five steps, and this file owns their order:

1. *chosen*: what is in it is written down, durably;
2. the rows are written to a temporary file;
3. *written*: it is written down that the temporary file is whole;
4. the temporary file becomes `BMRData.txt`: this one step is the delivery;
5. the rows are marked as processed, and what was written down is removed.

Whoever finds an unfinished batch looks at the disk: until the batch is *written*, or while the temporary file is
still there, nothing was delivered, and the rows are simply unprocessed. Otherwise it was delivered, read or not, and
only the marks are missing. A row that has changed since it was chosen is not marked, so it is delivered again as it
is now.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from overtrick import jet
from overtrick.bmpftp.folder import (
    Folder,
    read_file,
    remove_durably,
    rename_durably,
    replace_durably,
)
from overtrick.bws.edits import Update, carry_out
from overtrick.errors import OvertrickError


class BatchUnreadable(OvertrickError):
    """What was written down about an unfinished batch cannot be read; nothing is delivered until it is looked at."""

    code = "bmpftp-batch"


class Stage(Enum):
    """How far a batch has come."""

    CHOSEN = "chosen"
    WRITTEN = "written"


class Settled(Enum):
    """What became of a batch that was found unfinished."""

    NONE = "nothing was unfinished"
    NOT_DELIVERED = "it was not delivered, and is delivered anew"
    DELIVERED = "it was delivered, and is marked now"


@dataclass(frozen=True, slots=True)
class Batch:
    """What is being delivered: the marks that its rows get."""

    stage: Stage
    marks: tuple[Update, ...]

    def encoded(self) -> bytes:
        """The bytes that are kept of it."""
        marks = [
            {
                "table": mark.table,
                "key": dict(mark.key),
                "values": dict(mark.values),
                "expected": _encoded(mark.expected),
            }
            for mark in self.marks
        ]
        return json.dumps({"stage": self.stage.value, "marks": marks}, indent=1).encode()

    @staticmethod
    def decode(content: bytes) -> Batch:
        """The batch that these bytes are kept of."""
        kept = json.loads(content)
        marks = tuple(
            Update(each["table"], each["key"], each["values"], _decoded(each["expected"]))
            for each in kept["marks"]
        )
        return Batch(Stage(kept["stage"]), marks)


def _encoded(expected: Any) -> dict[str, Any]:
    return {
        name: {"at": value.isoformat()} if isinstance(value, datetime) else value
        for name, value in expected.items()
    }


def _decoded(expected: dict[str, Any]) -> dict[str, Any]:
    return {
        name: datetime.fromisoformat(value["at"]) if isinstance(value, dict) else value
        for name, value in expected.items()
    }


def settle(folder: Folder) -> Settled:
    """Bring an unfinished batch to its end; the folder must be held alone."""
    if not folder.batch.exists():
        remove_durably(folder.making)
        return Settled.NONE
    try:
        batch = Batch.decode(read_file(folder.batch))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BatchUnreadable(
            "It says what was being delivered, and cannot be read; remove it when you know which results "
            "the scoring program has.",
            where=str(folder.batch),
        ) from None
    if batch.stage is Stage.CHOSEN or folder.making.exists():
        # The note goes first: without it the temporary file means nothing, and without that file it means delivered.
        remove_durably(folder.batch)
        remove_durably(folder.making)
        return Settled.NOT_DELIVERED
    _finish(folder, batch.marks)
    return Settled.DELIVERED


def deliver(folder: Folder, content: bytes, marks: Sequence[Update], *, replaces: bool = False) -> bool:
    """Deliver a batch, unless `BMRData.txt` is there and is not to be replaced; whether it was.

    The folder must be held alone, and earlier batches settled.
    """
    if folder.results.exists() and not replaces:
        return False
    replace_durably(folder.batch, Batch(Stage.CHOSEN, tuple(marks)).encoded())
    replace_durably(folder.making, content)
    replace_durably(folder.batch, Batch(Stage.WRITTEN, tuple(marks)).encoded())
    rename_durably(folder.making, folder.results)
    _finish(folder, marks)
    return True


def _finish(folder: Folder, marks: Iterable[Update]) -> None:
    if folder.session.exists():
        with jet.open(folder.session, "r+") as db:
            carry_out(db, marks)
    remove_durably(folder.batch)
