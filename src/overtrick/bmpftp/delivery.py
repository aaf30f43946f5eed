"""Crash-safe delivery of results: each is delivered exactly once, even if the program is killed at any point.

This file owns the order of the five steps of a batch:

1. *chosen*: the list of rows is stored durably (`BMRData.batch`);

2. the rows are written to a temporary file (`BMRData.tmp`);

3. *written*: the batch is stored again, to record that the temporary file is complete;

4. the temporary file is renamed to `BMRData.txt`: this single step is the delivery;

5. the rows are marked as processed in the `.bws` file, and the stored batch is removed.

Recovery decides by the files on disk. If the batch is only *chosen*, or the temporary file still exists, the delivery
has not happened: both files are removed, and the rows are still unprocessed. Otherwise it has happened, whether the
scoring program has read it or not, and only step 5 is left. A row that was changed after step 1 is not marked, so its
new contents are delivered later.
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
    """An unfinished batch that cannot be read; nothing is delivered until a person has removed it."""

    code = "bmpftp-batch"


class BatchStage(Enum):
    """The stages of a stored batch."""

    CHOSEN = "chosen"
    WRITTEN = "written"


class BatchRecovery(Enum):
    """The outcomes of recovering an unfinished batch, as sentences."""

    NONE = "There was no unfinished delivery."
    NOT_DELIVERED = (
        "The last delivery was interrupted before it was complete. Its results will be delivered again."
    )
    DELIVERED = (
        "The last delivery was interrupted after it was complete. Its results are now marked as delivered."
    )


@dataclass(frozen=True, slots=True)
class DeliveryBatch:
    """The results of a delivery, as the updates that mark their rows as processed."""

    stage: BatchStage
    marks: tuple[Update, ...]

    def encode(self) -> bytes:
        """Return the batch as JSON bytes."""
        marks = [
            {
                "table": mark.table,
                "key": dict(mark.key),
                "values": dict(mark.values),
                "expected": _encode_values(mark.expected),
            }
            for mark in self.marks
        ]
        return json.dumps({"stage": self.stage.value, "marks": marks}, indent=1).encode()

    @staticmethod
    def decode(content: bytes) -> DeliveryBatch:
        """Decode a batch; raise ValueError, KeyError, TypeError or AttributeError if it is damaged."""
        stored = json.loads(content)
        marks = tuple(
            Update(mark["table"], mark["key"], mark["values"], _decode_values(mark["expected"]))
            for mark in stored["marks"]
        )
        return DeliveryBatch(BatchStage(stored["stage"]), marks)


def _encode_values(expected: Any) -> dict[str, Any]:
    return {
        name: {"at": value.isoformat()} if isinstance(value, datetime) else value
        for name, value in expected.items()
    }


def _decode_values(expected: dict[str, Any]) -> dict[str, Any]:
    return {
        name: datetime.fromisoformat(value["at"]) if isinstance(value, dict) else value
        for name, value in expected.items()
    }


def recover_batch(folder: Folder) -> BatchRecovery:
    """Complete or drop an unfinished batch; the caller holds the folder's lock."""
    if not folder.batch.exists():
        remove_durably(folder.temporary)
        return BatchRecovery.NONE
    try:
        batch = DeliveryBatch.decode(read_file(folder.batch))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BatchUnreadable(
            "This record of an unfinished delivery is damaged. Check which results the scoring program has, then "
            "remove this file.",
            where=str(folder.batch),
        ) from None
    if batch.stage is BatchStage.CHOSEN or folder.temporary.exists():
        # Remove the batch first: a *written* batch without a temporary file would mean that it was delivered.
        remove_durably(folder.batch)
        remove_durably(folder.temporary)
        return BatchRecovery.NOT_DELIVERED
    _finish(folder, batch.marks)
    return BatchRecovery.DELIVERED


def deliver(folder: Folder, content: bytes, marks: Sequence[Update], *, replaces: bool = False) -> bool:
    """Deliver a batch; return False, and do nothing, if `BMRData.txt` exists and `replaces` is False.

    The caller holds the folder's lock and has recovered earlier batches with `recover_batch`.
    """
    if folder.results.exists() and not replaces:
        return False
    replace_durably(folder.batch, DeliveryBatch(BatchStage.CHOSEN, tuple(marks)).encode())
    replace_durably(folder.temporary, content)
    replace_durably(folder.batch, DeliveryBatch(BatchStage.WRITTEN, tuple(marks)).encode())
    rename_durably(folder.temporary, folder.results)
    _finish(folder, marks)
    return True


def _finish(folder: Folder, marks: Iterable[Update]) -> None:
    if folder.session.exists():
        with jet.open(folder.session, "r+") as db:
            carry_out(db, marks)
    remove_durably(folder.batch)
