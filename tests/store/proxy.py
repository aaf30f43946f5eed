"""A way to a PostgreSQL server that can be cut: bytes go through it until a COMMIT passes."""

import contextlib
import selectors
import socket
import threading
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Self

COMMIT = b"COMMIT\0"


class Cut(Enum):
    """The moment at which the connection is cut."""

    NEVER = "never"
    BEFORE_COMMIT = "before the COMMIT reaches the server"
    AFTER_COMMIT = "before the answer to the COMMIT comes back"


class Proxy:
    """A Unix socket in a folder that leads to the one of a server."""

    def __init__(self, folder: Path, server: Path) -> None:
        self.folder = folder
        self.lead_to(server)
        self.cut = Cut.NEVER
        self.stays_cut = False
        self.flows = threading.Event()
        """Cleared, nothing goes through: neither an answer nor the end of a connection."""
        self.flows.set()
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / ".s.PGSQL.5432"))
        self._listening.listen()
        self._threads: list[threading.Thread] = []
        self._ends: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flows.set()
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)

    def lead_to(self, server: Path) -> None:
        """Lead new connections to another server, as when it takes the place of one that is lost."""
        self._server = str(server / ".s.PGSQL.5432")

    def reset(self) -> None:
        """Break every connection that goes through."""
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _start(self, work: object, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            if self.stays_cut and self.cut is Cut.NEVER:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self._server)
            except OSError:
                client.close()
                server.close()
                continue
            self._ends += [client, server]
            self._start(self._carry, client, server)

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        with client, server, selectors.DefaultSelector() as waiting, contextlib.suppress(OSError):
            waiting.register(client, selectors.EVENT_READ, server)
            waiting.register(server, selectors.EVENT_READ, client)
            while True:
                for key, _ in waiting.select():
                    self.flows.wait()
                    data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    if not data:
                        return
                    cut = self.cut
                    if key.fileobj is client and COMMIT in data and cut is not Cut.NEVER:
                        self.cut = Cut.NEVER
                        if cut is Cut.AFTER_COMMIT:
                            server.sendall(data)
                            server.recv(65536)  # the answer: it is durable, and nobody is told
                        return
                    key.data.sendall(data)
