"""The journal and its marks, on SQLite or PostgreSQL."""

from pathlib import Path

from overtrick.store.codec import Codec
from overtrick.store.journal import Appended, Batch, Entry, Journal

__all__ = ["Appended", "Batch", "Codec", "Entry", "Journal", "open_journal"]


def open_journal(where: Path | str, codec: Codec, *, create: bool = True) -> Journal:
    """Open a journal, and make it when it is not there: a path is an SQLite file.

    What cannot be opened is refused with a sentence (see `overtrick.store.errors`) and left as it was.
    """
    from overtrick.store.sqlite import open_sqlite

    return Journal(open_sqlite(Path(where), create=create), codec)
