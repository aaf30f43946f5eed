"""The journal and its marks, on SQLite or PostgreSQL."""

from pathlib import Path

from overtrick.errors import BadInput
from overtrick.store.address import POSTGRES, is_address, without_password
from overtrick.store.codec import Codec, event_codec
from overtrick.store.journal import Appended, CommandBatch, Journal, JournalEntry, StreamSpan, StreamSummary
from overtrick.store.subscription import follow

__all__ = [
    "Appended",
    "Codec",
    "CommandBatch",
    "Journal",
    "JournalEntry",
    "StreamSpan",
    "StreamSummary",
    "event_codec",
    "follow",
    "open_journal",
]


def open_journal(where: Path | str, codec: Codec, *, create: bool = True) -> Journal:
    """Open the journal in an SQLite file (a path) or in a database (an address that begins with `postgresql:`).

    With `create`, a journal that does not exist is created. Raises JournalError, or BadInput for another kind of
    address; the file or database is then unchanged.
    """
    if isinstance(where, str) and where.startswith(POSTGRES):
        from overtrick.store.postgres import open_postgres

        return Journal(open_postgres(where, create=create), codec)
    if is_address(where):
        raise BadInput(
            "Only a file can be the journal here, not an address."
            if isinstance(where, Path)
            else "A journal is a file or an address that begins with postgresql:",
            where=without_password(str(where)),
        )
    from overtrick.store.sqlite import open_sqlite

    return Journal(open_sqlite(Path(where), create=create), codec)
