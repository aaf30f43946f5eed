"""DTOs from JSON: from a value that was read at once, or from long text, piece by piece.

Of long text nothing is kept but DTOs, and it ends early where too much is wrong: what was asked is refused anyway.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

import msgspec
from pydantic import TypeAdapter, ValidationError

from overtrick.connector.wire.checks import ENOUGH
from overtrick.connector.wire.model import Unreadable, Wire, readable
from overtrick.connector.wire.numbers import ErrorType
from overtrick.connector.wire.pieces import Cursor, NotJson, items_end, not_json
from overtrick.connector.wire.play import AnyResult, ResultDTO, ResultLine

DTO = TypeVar("DTO", bound=Wire)

MOST_DTOS = 250_000
"""DTOs inside one DTO, which are kept until the whole of it is read: the largest event has 100,000 players."""

MOST_PROPERTIES = 1_000
"""Properties of one DTO, known and unknown."""

BATCH = 1_000
"""DTOs that are read in one go."""

_MANY: dict[type[Wire], TypeAdapter[Any]] = {}
_RESULTS = msgspec.json.Decoder(list[ResultLine])


class Malformed(ValueError):
    """A request that cannot be understood, with the error type its sender is answered."""

    def __init__(self, error: ErrorType, sentence: str, number: int = 0, session: str = "") -> None:
        super().__init__(sentence)
        self.error = error
        self.sentence = sentence
        self.number = number
        self.session = session


@dataclass(frozen=True, slots=True)
class Long:
    """JSON text that is too long to be read at once."""

    text: bytes

    def starts_with(self, bracket: bytes) -> bool:
        """Whether it is an array, or an object."""
        return Cursor(self.text).peek() == bracket


def read_one(kind: type[DTO], payload: Any) -> DTO:
    """One DTO from parsed JSON or long text.

    Unreadable tells each property of a wrong type, Malformed a wrong shape.
    """
    if isinstance(payload, Long) and payload.starts_with(b"{"):
        return _Reader(payload.text).whole(kind)
    if not isinstance(payload, dict):
        raise Malformed(ErrorType.WrongDataType, f"The data should be one {kind.__name__}.")
    try:
        return kind.model_validate(payload)
    except ValidationError as error:
        raise readable(error) from None


def read_many(kind: type[DTO], payload: Any) -> list[DTO]:
    """An array of DTOs from parsed JSON."""
    if not isinstance(payload, list):
        raise Malformed(ErrorType.WrongDataType, f"The data should be an array of {kind.__name__}.")
    found: list[DTO] = []
    messages: list[str] = []
    for first in range(0, len(payload), BATCH):
        found += _read_batch(kind, payload[first : first + BATCH], messages, "", first)
        if len(messages) >= ENOUGH:
            break
    if messages:
        raise Unreadable(messages)
    return found


def read_batches(kind: type[DTO], payload: Any) -> Iterator[Sequence[DTO]]:
    """An array of DTOs: all at once, or from long text a batch at a time."""
    if isinstance(payload, Long) and payload.starts_with(b"["):
        yield from _Reader(payload.text).all(kind)
    else:
        yield read_many(kind, payload)


def read_lines(payload: Any) -> list[ResultLine]:
    """An array of results in which nothing is odd; a msgspec error or a UnicodeError where something is."""
    return _RESULTS.decode(payload)


def read_results(payload: Any) -> Iterable[Sequence[AnyResult]]:
    """An array of results, in batches: as lines where nothing was odd, else as other DTOs are."""
    if isinstance(payload, list) and payload and isinstance(payload[0], ResultLine):
        return (payload,)
    return read_batches(ResultDTO, payload)


def _read_batch(
    kind: type[DTO], items: list[Any], messages: list[str], path: str, first: int
) -> Sequence[DTO]:
    """DTOs from parsed JSON; what is wrong with them is added to the messages."""
    adapter = _MANY.get(kind)
    if adapter is None:
        adapter = _MANY[kind] = TypeAdapter(list[kind])  # type: ignore[valid-type]
    try:
        found: list[DTO] = adapter.validate_python(items)
    except ValidationError as error:
        messages += readable(error, path, first).messages
        return []
    return found


@cache
def _inner(kind: type[Wire]) -> dict[str, tuple[type[Wire], bool]]:
    """The properties that are DTOs themselves, and whether they are arrays of them."""
    found = {}
    for name, field in kind.model_fields.items():
        for choice in get_args(field.annotation):
            is_array = get_origin(choice) is list
            inner = get_args(choice)[0] if is_array else choice
            if isinstance(inner, type) and issubclass(inner, Wire):
                found[name] = inner, is_array
    return found


class _Reader(Cursor):
    """Reads DTOs from long text, from its beginning to its end."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._count = 0
        self._messages: list[str] = []
        self._arrays: list[list[Any]] = []
        """All that is being kept of what was read."""

    def whole(self, kind: type[DTO]) -> DTO:
        """The one DTO that the text is."""
        try:
            dto = self._one(kind, "")
            self.finish()
            if self._messages:
                raise Unreadable(self._messages)
        except ValueError as error:
            for array in reversed(self._arrays):
                _empty(array)
            raise _malformed(error) if isinstance(error, NotJson) else error from None
        return dto

    def all(self, kind: type[DTO]) -> Iterator[Sequence[DTO]]:
        """The DTOs of the array that the text is."""
        try:
            yield from self._several(kind, "")
            self.finish()
        except NotJson as error:
            raise _malformed(error) from None
        if self._messages:
            raise Unreadable(self._messages)

    def _several(self, kind: type[DTO], path: str) -> Iterator[Sequence[DTO]]:
        """The DTOs of an array, a batch at a time."""
        self.take(b"[")
        if self.peek() == b"]":
            self.at += 1
            return
        number, sign = 0, b","
        while sign == b",":
            opening, at = self.peek(), self.at
            end = items_end(self.text, at)
            if end > at:
                count, batch = self._piece(kind, at, end - 1, path, number)
                self.at = end
            elif (ending := self.end_of_value()) is not None:
                count, batch = self._piece(kind, at, ending, path, number)
                self.at = ending
                sign = self.take(b",]")
            elif _inner(kind) and opening == b"{":
                count, batch = 1, [self._one(kind, f"{path}[{number}]")]
                sign = self.take(b",]")
            else:
                raise _too_long(f"{path}[{number}]")
            number += count
            if not self._messages:
                yield batch

    def _piece(self, kind: type[DTO], at: int, end: int, path: str, first: int) -> tuple[int, Sequence[DTO]]:
        """How many items a piece of an array has, and their DTOs."""
        inside = b"[" + self.text[at:end] + b"]"
        if kind is ResultDTO:
            try:
                lines: Any = read_lines(inside)
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                pass  # all that is odd about them is to be told
            else:
                return len(lines), lines
        try:
            items: list[Any] = msgspec.json.decode(inside)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            raise not_json(error, at - 1) from None
        batch = _read_batch(kind, items, self._messages, path, first)
        self._stop_at_enough()
        return len(items), batch

    def _one(self, kind: type[DTO], path: str) -> DTO:
        """A DTO that is longer than a piece."""
        short: dict[str, Any] = {}
        long: dict[str, Any] = {}
        for name in self.names():
            where = f"{path}.{name}" if path else name
            short.pop(name, None)
            long.pop(name, None)
            inner, is_array = _inner(kind).get(name, (None, False))
            if (end := self.end_of_value()) is not None:
                short[name] = self.value(end)
            elif inner is not None and self.peek() == (b"[" if is_array else b"{"):
                long[name] = self._array(inner, where) if is_array else self._one(inner, where)
            else:
                raise _too_long(where)
            if len(short) > MOST_PROPERTIES:
                sentence = f"{path or 'The data'} has more than {MOST_PROPERTIES} properties."
                raise Malformed(ErrorType.Validation, sentence)
        try:
            dto = kind.model_validate(short)
        except ValidationError as error:
            self._messages += readable(error, path).messages
            self._stop_at_enough()
            return kind()
        for name, value in long.items():
            setattr(dto, name, value)
        return dto

    def _array(self, kind: type[DTO], path: str) -> list[DTO]:
        found: list[DTO] = []
        self._arrays.append(found)
        for batch in self._several(kind, path):
            found += batch
            self._count += len(batch)
            if self._count > MOST_DTOS:
                raise Malformed(ErrorType.Validation, f"There are more than {MOST_DTOS} DTOs in the data.")
        return found

    def _stop_at_enough(self) -> None:
        if len(self._messages) >= ENOUGH:
            raise Unreadable(self._messages)


def _too_long(where: str) -> Malformed:
    return Malformed(ErrorType.Validation, f"{where} is longer than anything that is taken here.")


def _malformed(error: NotJson) -> Malformed:
    return Malformed(ErrorType.Validation, f"SerializedData is not JSON: {error}.")


def let_go(dto: Wire) -> None:
    """Empty the arrays of a DTO that is not needed any more, a batch at a time.

    To let go of all that is in long ones at once is one call that nothing interrupts.
    """
    for name, (_, is_array) in _inner(type(dto)).items():
        inner = getattr(dto, name)
        if is_array and inner:
            _empty(inner)
        elif inner:
            let_go(inner)


@contextmanager
def letting_go(*dtos: Wire) -> Iterator[None]:
    """Let go of DTOs when the block ends: what is wanted of them is taken in it."""
    try:
        yield
    finally:
        for dto in dtos:
            let_go(dto)


def _empty(dtos: list[Any]) -> None:
    while dtos:
        for dto in dtos[-BATCH:]:
            let_go(dto)
        del dtos[-BATCH:]
