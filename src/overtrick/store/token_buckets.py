"""Token buckets in a database: rate limits that all nodes of a journal share. Has no dependency on what is limited.

The server's clock is used, and one statement takes a token, so that several nodes at the same moment get no more tokens
than one node would. The table is unlogged: after a crash of the server every bucket is full again.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overtrick.store.postgres import PostgresEngine

CREATE = """
CREATE UNLOGGED TABLE token_buckets
    (name text PRIMARY KEY, tokens double precision NOT NULL, at timestamptz NOT NULL)
"""
FILLED = """
least(%(burst)s::float8, bucket.tokens + extract(epoch FROM clock_timestamp() - bucket.at) * %(per_second)s::float8)
"""
TAKE = f"""
WITH unused AS (
    DELETE FROM token_buckets WHERE at < clock_timestamp() - interval '1 day' AND name <> %(name)s
)
INSERT INTO token_buckets AS bucket VALUES (%(name)s, %(burst)s::float8 - 1, clock_timestamp())
ON CONFLICT (name) DO UPDATE SET tokens = {FILLED} - 1, at = clock_timestamp() WHERE {FILLED} >= 1
RETURNING true
"""
GIVE_BACK = "UPDATE token_buckets SET tokens = tokens + 1 WHERE name = %(name)s RETURNING true"
FILL = "DELETE FROM token_buckets WHERE name = %(name)s RETURNING true"


class TokenBuckets:
    """Buckets by their names; a bucket without a row is full. Methods raise JournalError if the server fails."""

    def __init__(self, engine: "PostgresEngine") -> None:
        self._engine = engine

    def take(self, name: str, burst: float, per_second: float) -> bool:
        """Take a token from a bucket of `burst` tokens that fills at this rate; return False if there is none."""
        parameters = {"name": name, "burst": burst, "per_second": per_second}
        return bool(self._engine.rows(TAKE, parameters))

    def give_back(self, name: str) -> None:
        """Put a token back into a bucket that has a row."""
        self._engine.rows(GIVE_BACK, {"name": name})

    def fill(self, name: str) -> None:
        """Fill a bucket."""
        self._engine.rows(FILL, {"name": name})
