"""Connections to PostgreSQL with a limit on silence, and a circuit breaker for a server that does not answer.

PostgreSQL's own limits (`statement_timeout` and others) work while the network does. This module detects a network that
drops everything: a connection without a byte from the server for some seconds is closed. From then on calls fail at
once, until a thread that keeps trying gets an answer. A server that another one has replaced counts as one that does
not answer.
"""

import logging
import threading
import time
from collections.abc import Generator
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

log = logging.getLogger(__name__)

SILENCE_LIMIT = 4.0
"""Seconds without a byte from the server after which a connection is given up."""

RETRY_INTERVAL = 0.5
"""Seconds between two tries to reach a server that does not answer."""


SERVER = """
SELECT system_identifier::text,
    CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
FROM pg_control_system()
"""
"""SQL of the identity of a server, which its replicas share, and its timeline; that of a replica is empty."""


class ServerReachability:
    """A circuit breaker: records whether the server answers, and retries in a thread while it does not.

    It also rejects a replaced server. A promoted replica starts a higher timeline, so a primary on a lower timeline
    than before is the old server: it lacks the facts of the new one, and would take writes that the new one lacks.
    """

    def __init__(self) -> None:
        self._identity = ""
        self.timeline = ""
        """The timeline of the last primary; empty before the first connection to one."""
        self._is_lost = False
        self.is_silent = False
        """True if not even connections that are open get an answer."""
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._retry_thread: threading.Thread | None = None

    def connect(self, parameters: dict[str, Any]) -> "LimitedConnection":
        """Connect, or fail at once while the server is known not to answer."""
        if self._is_lost:
            raise psycopg.OperationalError("the server does not answer")
        try:
            connection = self._connect(parameters)
        except psycopg.OperationalError:
            self._mark_lost(parameters)
            raise
        connection.watch(self, parameters)
        return connection

    def _connect(self, parameters: dict[str, Any]) -> "LimitedConnection":
        """Connect; raise OperationalError for no answer, and for a server that was replaced."""
        connection = LimitedConnection.connect(**parameters)
        try:
            connection.autocommit = True
            ((identity, timeline),) = connection.execute(SERVER).fetchall()
            if identity == self._identity and timeline and timeline < self.timeline:
                log.error(
                    "The database server %s has been replaced: it is on timeline %s, and another one is on %s. It is "
                    "not used. Stop it, or make it a replica of the other.",
                    connection.info.host,
                    timeline,
                    self.timeline,
                )
                raise psycopg.OperationalError("the server has been replaced by another one")
            if timeline:
                self._identity, self.timeline = identity, timeline
        except BaseException:
            connection.close()
            raise
        return connection

    def report_silence(self, parameters: dict[str, Any]) -> None:
        """Make calls on all connections fail until the server answers again."""
        self.is_silent = True
        self._mark_lost(parameters)

    def _mark_lost(self, parameters: dict[str, Any]) -> None:
        """Make new connections fail until the server answers again."""
        with self._lock:
            if self._is_lost or self._ended.is_set():
                return
            self._is_lost = True
            log.warning("The journal's database does not answer.")
            self._retry_thread = threading.Thread(
                target=self._retry, args=(parameters,), name="overtrick-reach", daemon=True
            )
            self._retry_thread.start()

    def _retry(self, parameters: dict[str, Any]) -> None:
        while not self._ended.is_set():
            try:
                self._connect(parameters).close()
            except psycopg.Error:
                self._ended.wait(RETRY_INTERVAL)
                continue
            self._is_lost = self.is_silent = False
            log.warning("The journal's database answers again.")
            return

    def close(self) -> None:
        """Stop trying."""
        self._ended.set()


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that is closed when nothing comes from the server for too long."""

    silence: float | None = SILENCE_LIMIT
    """Seconds that the server may be silent; None lifts the limit until the open transaction ends."""
    _reachability: ServerReachability | None = None
    _parameters: dict[str, Any]

    def watch(self, reachability: ServerReachability, parameters: dict[str, Any]) -> None:
        """Report to `reachability` when the server falls silent, and fail at once while it is."""
        self._reachability, self._parameters = reachability, parameters

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
        """Run psycopg's wait with the limit on silence."""
        if self._reachability is not None and self._reachability.is_silent:
            self.pgconn.finish()
            raise psycopg.OperationalError("the server does not answer")
        if self.silence is None and self.pgconn.transaction_status == TransactionStatus.IDLE:
            del self.silence  # the transaction has ended: the limit of the class applies again
        limited = gen if self.silence is None else self._limited(gen, self.silence)
        return super().wait(limited, *arguments, **options)

    def _limited(self, gen: Any, silence: float) -> Generator[Any, Any, Any]:
        until = time.monotonic() + silence
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                now = time.monotonic()
                if ready:
                    until = now + silence
                elif now > until:
                    break
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value
        self.pgconn.finish()
        if self._reachability is not None:
            self._reachability.report_silence(self._parameters)
        raise psycopg.OperationalError(f"nothing came from the server for {silence:g} seconds")
