"""Polling of a running `.bws`: the results that are new since the last read.

Reading an unchanged file costs next to nothing. Nothing is written, except flags if a flag is named.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

from overtrick import jet
from overtrick.bws.contents import Contents, read_contents
from overtrick.bws.edits import carry_out
from overtrick.bws.listings import ListingRow, differences
from overtrick.bws.scoring_news import CUSTOM_PREFIX, add_custom_flag, new_results


class ResultPoller:
    """A poller of the results of one file. With the name of a flag, it sets the flag of what it has read, and the first
    read returns only rows without it.
    """

    def __init__(self, path: Path, flag: str = "", *, today: Callable[[], date] = date.today) -> None:
        self._path = path
        self._flag = flag
        self._today = today
        self._seen: Contents | None = None

    def follow(self, interval: float, max_reads: int = 0) -> Iterator[tuple[str, ListingRow]]:
        """Yield changes as they happen; stop after this many reads, or never with 0."""
        with jet.open(self._path, "r+" if self._flag else "r") as db:
            if self._flag.startswith(CUSTOM_PREFIX):
                carry_out(db, add_custom_flag(self._flag))
            count = 0
            while True:
                if self._seen is None or db.changed():
                    yield from self.read_changes(db)
                count += 1
                if max_reads and count >= max_reads:
                    return
                time.sleep(interval)

    def read_changes(self, db: jet.Database) -> Iterator[tuple[str, ListingRow]]:
        """Return the changes since the last read."""
        db.refresh()
        contents = read_contents(db)
        previous = self._seen or self._flagged_results(contents)
        self._seen = contents
        yield from differences(previous, contents, self._today())
        if self._flag:
            carry_out(db, new_results(contents, today=self._today(), flag=self._flag).marks)

    def _flagged_results(self, contents: Contents) -> Contents:
        """Return the contents before the first read: the results that carry our flag, or none."""
        flagged = tuple(row for row in contents.results if self._flag and row.flag(self._flag))
        return replace(contents, results=flagged)
