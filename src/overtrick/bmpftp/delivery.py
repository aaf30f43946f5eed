"""Crash-safe delivery of results: each is delivered once, wherever the program is stopped.

A batch goes through five steps, and this file owns their order:

1. *chosen*: the contents of the batch are stored durably;

2. the rows are written to a temporary file;

3. *written*: the batch is stored again, saying that the temporary file is complete;

4. the temporary file becomes `BMRData.txt`: this one step is the delivery;

5. the rows are marked as processed, and the stored batch is removed.

Recovery looks at the disk: until the batch is *written*, or while the temporary file still exists, nothing was
delivered, and the rows are simply unprocessed. Otherwise it was delivered, read or not, and only the marks are missing.
A row that has changed since it was chosen is not marked, so it is delivered again as it is now.
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
    """An unfinished batch that cannot be read; nothing is delivered until someone looks at it."""

    code = "bmpftp-batch"


class BatchStage(Enum):
    """The stages of a stored batch."""

    CHOSEN = "chosen"
    WRITTEN = "written"


class BatchRecovery(Enum):
    """The outcomes of recovering an unfinished batch."""

    NONE = "nothing was unfinished"
    NOT_DELIVERED = "it was not delivered, and is delivered anew"
    DELIVERED = "it was delivered, and is marked now"


@dataclass(frozen=True, slots=True)
class Batch:
    """The results that are being delivered, as the marks that their rows get."""

    stage: BatchStage
    marks: tuple[Update, ...]

    def encoded(self) -> bytes:
        """Return the batch as bytes."""
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
        """Decode a batch; raise BatchUnreadable if it is damaged."""
        kept = json.loads(content)
        marks = tuple(
            Update(each["table"], each["key"], each["values"], _decoded(each["expected"]))
            for each in kept["marks"]
        )
        return Batch(BatchStage(kept["stage"]), marks)


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


def settle(folder: Folder) -> BatchRecovery:
    """Complete or drop an unfinished batch; the caller holds the folder's lock."""
    if not folder.batch.exists():
        remove_durably(folder.making)
        return BatchRecovery.NONE
    try:
        batch = Batch.decode(read_file(folder.batch))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BatchUnreadable(
            "It says what was being delivered, and cannot be read; remove it when you know which results "
            "the scoring program has.",
            where=str(folder.batch),
        ) from None
    if batch.stage is BatchStage.CHOSEN or folder.making.exists():
        # The note goes first: without it the temporary file means nothing, and without that file it means delivered.
        remove_durably(folder.batch)
        remove_durably(folder.making)
        return BatchRecovery.NOT_DELIVERED
    _finish(folder, batch.marks)
    return BatchRecovery.DELIVERED


def deliver(folder: Folder, content: bytes, marks: Sequence[Update], *, replaces: bool = False) -> bool:
    """Deliver a batch, unless `BMRData.txt` exists and is not to be replaced; return whether it was delivered.

    The caller holds the folder's lock and has settled earlier batches.
    """
    if folder.results.exists() and not replaces:
        return False
    replace_durably(folder.batch, Batch(BatchStage.CHOSEN, tuple(marks)).encoded())
    replace_durably(folder.making, content)
    replace_durably(folder.batch, Batch(BatchStage.WRITTEN, tuple(marks)).encoded())
    rename_durably(folder.making, folder.results)
    _finish(folder, marks)
    return True


def _finish(folder: Folder, marks: Iterable[Update]) -> None:
    if folder.session.exists():
        with jet.open(folder.session, "r+") as db:
            carry_out(db, marks)
    remove_durably(folder.batch)
