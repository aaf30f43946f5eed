"""The file that the Data Connector names when a scoring program asks for it, to copy as a backup."""

import tempfile
from functools import cache
from pathlib import Path
from secrets import token_hex

from overtrick.files import replacing
from overtrick.store import Journal
from overtrick.store.portable import export_journal
from overtrick.store.sqlite import SqliteEngine


@cache
def _exports() -> Path:
    """Return a temporary folder that only this user can read; it is made once in a process."""
    return Path(tempfile.mkdtemp(prefix="overtrick-"))


def scoring_file(journal: Journal) -> str:
    """Return the absolute path of one file that holds everything acknowledged so far.

    That is the journal itself. If other readers keep its write-ahead log from being written back, it is a fresh copy
    beside it. For a journal in PostgreSQL it is an export in the temporary folder.
    """
    engine = journal.engine
    if not isinstance(engine, SqliteEngine):
        target = _exports() / "journal.jsonl"
        with replacing(target) as unfinished, unfinished.open("w", encoding="utf-8") as file:
            export_journal(journal, file)
        return str(target)
    if engine.write_log_back():
        return engine.address
    target = Path(f"{engine.address}.copy")
    unfinished = Path(f"{target}.{token_hex(4)}")
    try:
        journal.backup(unfinished)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return str(target)
