"""A cursor for PostgreSQL that sends several statements as one message, for the transactions of the writer.

Nodes that write to one session wait for each other while a transaction holds the session's lock. The throughput depends
on the number of messages, and of calls of the driver, between lock and COMMIT. The driver inserts the parameters into
the text, because PostgreSQL accepts several statements in one message only without separate parameters.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import psycopg

from overtrick.store.engine import Row, Statement


class ScriptCursor(psycopg.ClientCursor[Any]):
    """A cursor that may gather statements without results."""

    _gathered: list[str] | None = None

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        """Execute a statement, or gather it."""
        if self._gathered is None:
            return super().execute(query, params, **options)
        self._gathered.append(self._sql_text(query, params))
        return self

    def executemany(self, query: Any, params_seq: Iterable[Any], *, returning: bool = False) -> None:
        """Execute or gather a statement for each of the parameters."""
        for params in params_seq:
            self.execute(query, params)

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Gather the statements of the block, and execute them when the outermost such block ends without an error."""
        if self._gathered is not None:
            yield
            return
        gathered: list[str] = []
        self._gathered = gathered
        try:
            yield
        finally:
            self._gathered = None
        self.execute("; ".join(gathered))

    def query_all(self, statements: Iterable[Statement]) -> list[list[Row]]:
        """Execute statements as one message; return the rows of each that has a result."""
        self.execute("; ".join(self._sql_text(*statement) for statement in statements))
        results: list[list[Row]] = []
        while True:
            if self.pgresult is not None and self.pgresult.nfields:
                results.append(self.fetchall())
            if not self.nextset():
                return results

    def _sql_text(self, sql: str, parameters: Any) -> str:
        return sql if parameters is None else self.mogrify(sql, parameters)
