"""A value in a small JSON document beside the journal: a file of its folder or a row of its database.

Every node of a club sees the same value. Has no dependency on what the value is.
"""

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Generic, TypeVar

from overtrick.errors import BadInput, OvertrickError
from overtrick.store.documents import Documents

T = TypeVar("T")


class JsonDocument(ABC, Generic[T]):
    """A document with one value. Thread-safe; a change is durable when its method returns."""

    name: ClassVar[str]
    """The name of the document."""
    title: ClassVar[str]
    """The subject of sentences about it, in the plural."""
    damaged: ClassVar[type[OvertrickError]]
    """The error that is raised if it cannot be read or written."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._lock = threading.Lock()
        self._seen: Hashable | None = None
        self._value = self.parse({})

    @abstractmethod
    def parse(self, values: dict[str, Any]) -> T:
        """Return the value of a document; the default for an empty one."""

    @abstractmethod
    def dump(self, value: T) -> dict[str, Any]:
        """Return a value as `parse` reads it."""

    def value(self) -> T:
        """Return the value; read again if another process has changed it."""
        try:
            stamp = self._documents.stamp(self.name)
            if stamp != self._seen:
                values = {} if stamp is None else json.loads(self._documents.read(self.name))
                if stamp is not None and values["format"] != 1:
                    raise ValueError("they were written by a newer Overtrick")
                self._value, self._seen = self.parse(values), stamp
        except (OSError, ValueError, TypeError, KeyError, AttributeError, OvertrickError) as error:
            raise self.damaged(
                f"{self.title} cannot be read ({error}); they were not changed.",
                where=self._documents.place(self.name),
            ) from error
        return self._value

    def change(self, change: Callable[[T], T]) -> None:
        """Replace the value by what `change` returns for it; raise BadInput if another process changed it meanwhile."""
        with self._lock:
            text = json.dumps({"format": 1, **self.dump(change(self.value()))}, ensure_ascii=False, indent=1)
            try:
                is_written = self._documents.write(self.name, text.encode(), self._seen)
            except OSError as error:
                raise self.damaged(
                    f"{self.title} cannot be written ({error.strerror or error}); they were not changed.",
                    where=self._documents.place(self.name),
                ) from error
            if not is_written:
                raise BadInput(
                    f"Another desk was faster. {self.title} were not changed here: look at them and try again."
                )
