"""A lease on a role that one process of all nodes has, such as the control program of a journal.

The lease is a PostgreSQL advisory lock of a connection that is used for nothing else. The server ends a connection that
was silent for `LEASE_SECONDS` (idle_session_timeout), so the lock of a node that sleeps or is cut off becomes free.
That node stops relying on the lock `MARGIN` seconds earlier by its own clock, so two nodes never both act.
"""

import contextlib
import logging
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from overtrick.store.postgres import PostgresEngine

log = logging.getLogger(__name__)

LEASE_SECONDS = 10.0
"""Seconds after its last renewal until a lease is free for others."""

MARGIN = 3.0
"""The holder stops relying on the lease this many seconds before it is free; a statement may take that long."""

RENEW_EVERY = 2.0
"""Seconds between two renewals, or between two tries to get the lock."""

KEY = "hashtextextended('overtrick ' || current_schema() || ' ' || %(name)s, 0)"
TRY = f"SELECT pg_try_advisory_lock({KEY})"
IS_TAKEN = f"""
SELECT EXISTS (
    SELECT FROM pg_locks, (SELECT {KEY} AS key) AS wanted
    WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32) | objid::bigint = key
)
"""


class Lease:
    """The lease of one process: a thread tries to get the lock, renews it, and gets it again after a failure."""

    def __init__(self, engine: "PostgresEngine", name: str) -> None:
        self._engine = engine
        self._name = name
        self._connection: Any = None
        self._renewed = 0.0
        self._is_ended = threading.Event()
        self._try_lock()
        self._thread = threading.Thread(target=self._renew, name=f"overtrick-lease-{name}", daemon=True)
        self._thread.start()

    @property
    def is_held(self) -> bool:
        """Return whether no other process can have the role now."""
        return self._connection is not None and time.monotonic() - self._renewed < LEASE_SECONDS - MARGIN

    def _try_lock(self) -> None:
        """Get the lock if it is free; after a failure the thread tries again."""
        connection: Any = None
        try:
            now = time.monotonic()
            proxied = self._engine.connect()
            connection = proxied.driver_connection
            proxied.detach()
            connection.execute(f"SET idle_session_timeout = {round(LEASE_SECONDS * 1000)}")
            ((is_locked,),) = connection.execute(TRY, {"name": self._name}).fetchall()
        except self._engine.failures as error:
            log.debug("lease %s: %s", self._name, self._engine.explain(error))
            is_locked = False
        if is_locked:
            self._connection, self._renewed = connection, now
        elif connection is not None:
            with contextlib.suppress(*self._engine.failures):
                connection.close()

    def _renew(self) -> None:
        while not self._is_ended.wait(RENEW_EVERY):
            if self._connection is None:
                self._try_lock()
                continue
            now = time.monotonic()
            try:
                self._connection.execute("SELECT 1")
                self._renewed = now
            except self._engine.failures as error:
                log.warning("The lock %r was lost: %s", self._name, self._engine.explain(error))
                self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(*self._engine.failures):
                connection.close()

    def close(self) -> None:
        """Release the lease."""
        self._is_ended.set()
        self._thread.join(timeout=5)
        self._drop()


def is_taken(engine: "PostgresEngine", name: str) -> bool:
    """Return whether some process of any node has a role."""
    ((is_locked,),) = engine.rows(IS_TAKEN, {"name": name})
    return bool(is_locked)
