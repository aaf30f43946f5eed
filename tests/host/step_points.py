"""Points before and after each step of a program: a test kills it at one, or lets others act there.

A step is what other programs can see, or what the program sees of them: taking a lock on an Access file, writing a
page of it, appending to the journal and reading from it, and the files that say who is running.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from unittest.mock import patch

from overtrick.host.instance_lock import InstanceLock
from overtrick.jet.page_file import PageFile
from overtrick.store.journal import CommandBatch, Journal

Action = Callable[[], None]


class Killed(BaseException):
    """The program was killed at this point."""


def has_read_rows(names: Sequence[str]) -> bool:
    """Return whether a program that passed these points since its start has read the rows of its Access file.

    It reads the definitions of the tables first.
    """
    return names.count("after reading the file") > 1


class Steps:
    """The points of one program under test, while this is entered.

    Whatever runs inside `running()` is the program. Everything else, such as an action at a point, is not counted.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        """The points that the program has passed since `begin`."""
        self.on_write: Action = lambda: None
        """Called when the program has let go of a file that it held alone."""
        self._planned: dict[int, list[Action]] = {}
        self._kill_at: int | None = None
        self._is_running = False
        self._is_dead = False
        self._held = 0
        """The number of locks and transactions that the program holds; no one else can act meanwhile."""
        self._descriptors: set[int] = set()
        """The files that the program has open."""
        self._patches = ExitStack()

    def begin(self, actions: Sequence[tuple[int, Action]] = (), kill_at: int | None = None) -> None:
        """Count from 0 again; do these actions at their points, and kill the program at one of them."""
        self.names = []
        self._planned = {}
        for at, action in actions:
            self._planned.setdefault(at, []).append(action)
        self._kill_at = kill_at
        self._is_dead = False

    def left_over(self) -> list[Action]:
        """Return the actions whose points did not come, in order, and forget them."""
        left = [action for _, actions in sorted(self._planned.items()) for action in actions]
        self._planned = {}
        return left

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what happens in this block as the program's."""
        self._is_running = True
        try:
            yield
        finally:
            self._is_running = False

    def die(self) -> None:
        """Let the program do nothing any more that others could see, for it was killed."""
        self._is_dead = True

    def bury(self) -> None:
        """Close what a killed program has left open, as the system does: its locks go with it."""
        for descriptor in list(self._descriptors):
            os.close(descriptor)

    def point(self, name: str) -> None:
        """Pass a point: do what is planned here, or raise Killed."""
        if not self._is_running:
            return
        if self._is_dead:
            raise Killed(name)
        number = len(self.names)
        self.names.append(name)
        if not self._held:
            due = sorted(at for at in self._planned if at <= number)
            for at in due:
                for action in self._planned.pop(at):
                    self._aside(action)
        if self._kill_at is not None and number >= self._kill_at:
            self.die()
            raise Killed(name)

    def _aside(self, action: Action) -> None:
        """Do something that is not the program's."""
        self._is_running = False
        try:
            action()
        finally:
            self._is_running = True

    # Where the points are -----------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self._wrap_locks()
        self._wrap_pages()
        self._wrap_journal()
        self._wrap_presence()
        self._wrap_descriptors()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._patches.close()

    def _replace(self, owner: object, name: str, replacement: object) -> None:
        self._patches.enter_context(patch.object(owner, name, replacement))

    @contextmanager
    def _holding(
        self, name: str, inner: AbstractContextManager[Any], when_done: Action = lambda: None
    ) -> Iterator[Any]:
        if not self._is_running:
            with inner as value:
                yield value
            return
        self.point(f"before {name}")
        self._held += 1
        try:
            with inner as value:
                yield value
        finally:
            self._held -= 1
        self._aside(when_done)
        self.point(f"after {name}")

    def _wrap_locks(self) -> None:
        original = PageFile.locked

        def locked(file: PageFile, *, alone: bool) -> AbstractContextManager[None]:
            inner = original(file, alone=alone)
            if alone:
                return self._holding("writing to the file", inner, lambda: self.on_write())
            return self._holding("reading the file", inner)

        self._replace(PageFile, "locked", locked)

    def _wrap_pages(self) -> None:
        original = PageFile.write

        def write(file: PageFile, writes: Any, page_count: int) -> None:
            pages = list(writes)
            if self._is_running:
                file.on_write = lambda number, _: self.point(f"before page {number}")
            original(file, pages, page_count)

        self._replace(PageFile, "write", write)

    def _wrap_journal(self) -> None:
        append_all, transaction, read = Journal.append_all, Journal._transaction, Journal.read

        def wrapped_append(journal: Journal, batches: Sequence[CommandBatch]) -> Any:
            self.point("before an append to the journal")
            answer = append_all(journal, batches)
            self.point("after an append to the journal")
            return answer

        def wrapped_transaction(
            journal: Journal, *arguments: Any, **more: Any
        ) -> AbstractContextManager[Any]:
            return self._holding("a transaction of the journal", transaction(journal, *arguments, **more))

        def wrapped_read(journal: Journal, stream: str, after: int = 0) -> Any:
            self.point("before reading the journal")
            return read(journal, stream, after)

        self._replace(Journal, "append_all", wrapped_append)
        self._replace(Journal, "_transaction", wrapped_transaction)
        self._replace(Journal, "read", wrapped_read)

    def _wrap_presence(self) -> None:
        unlink = Path.unlink

        def wrapped_unlink(path: Path, missing_ok: bool = False) -> None:
            if self._is_running and self._is_dead:
                return  # who is killed does not clean up
            self.point(f"before deleting {path.suffix}")
            unlink(path, missing_ok)

        self._replace(Path, "unlink", wrapped_unlink)
        for name in ("announce", "note_known", "handled_meanwhile"):
            if hasattr(InstanceLock, name):
                self._replace(InstanceLock, name, self._between(name, getattr(InstanceLock, name)))

    def _wrap_descriptors(self) -> None:
        os_open, os_close = os.open, os.close

        def wrapped_open(*arguments: Any, **more: Any) -> int:
            descriptor = os_open(*arguments, **more)
            if self._is_running:
                self._descriptors.add(descriptor)
            return descriptor

        def wrapped_close(descriptor: int) -> None:
            self._descriptors.discard(descriptor)
            os_close(descriptor)

        self._replace(os, "open", wrapped_open)
        self._replace(os, "close", wrapped_close)

    def _between(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            self.point(f"before {name}")
            answer = original(*arguments)
            self.point(f"after {name}")
            return answer

        return wrapped
