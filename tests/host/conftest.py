"""The journals of the store's tests, for what runs on them: SQLite and a real PostgreSQL."""

from tests.store.conftest import database, journal, open_again, server, where

__all__ = ["database", "journal", "open_again", "server", "where"]
