"""Conversion of parsed JSON to DTOs, with a sentence for each property of a wrong type. Pure: no I/O."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, TypeVar, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from overtrick.connector.wire.checks import ENOUGH
from overtrick.connector.wire.model import UnreadableDTO, WireModel, messages, property_names
from overtrick.connector.wire.numbers import ErrorType

DTO = TypeVar("DTO", bound=WireModel)


class MalformedRequest(ValueError):
    """A request that cannot be parsed, with the error type of the answer."""

    def __init__(self, error: ErrorType, sentence: str, number: int = 0, session: str = "") -> None:
        super().__init__(sentence)
        self.error = error
        self.sentence = sentence
        self.number = number
        self.session = session


def read_one(kind: type[DTO], payload: Any) -> DTO:
    """Return one DTO; raise UnreadableDTO for properties of a wrong type, MalformedRequest for a wrong shape."""
    if not isinstance(payload, dict):
        raise MalformedRequest(ErrorType.WrongDataType, f"The data should be one {kind.__name__}.")
    try:
        return kind.model_validate(payload)
    except ValidationError:
        # Pydantic's error would list everything in one call, however much; this looks for the first problems only.
        raise UnreadableDTO(list(islice(_type_problems(kind, payload, ""), ENOUGH))) from None


def read_many(kind: type[DTO], payload: Any) -> list[DTO]:
    """Return an array of DTOs; raises as `read_one` does."""
    if not isinstance(payload, list):
        raise MalformedRequest(ErrorType.WrongDataType, f"The data should be an array of {kind.__name__}.")
    try:
        return _adapter(kind).validate_python(payload)
    except ValidationError:
        raise UnreadableDTO(list(islice(_array_problems(kind, payload, ""), ENOUGH))) from None


def misspelt(kind: type[WireModel], payload: Any, path: str = "") -> Iterator[str]:
    """Yield a sentence for each property that a DTO, or one inside it, does not have; servers ignore these."""
    if isinstance(payload, list):
        for at, item in enumerate(payload):
            yield from misspelt(kind, item, f"{path}[{at}]")
    elif isinstance(payload, dict):
        for name, value in payload.items():
            place = f"{path}.{name}" if path else name
            if name not in property_names(kind):
                yield f"{place} is not a property of {kind.__name__}."
            elif name in _arrays(kind):
                yield from misspelt(_arrays(kind)[name], value, place)


@cache
def _adapter(kind: type[DTO]) -> TypeAdapter[list[DTO]]:
    return TypeAdapter(list[kind])  # type: ignore[valid-type]


def _array_problems(kind: type[WireModel], items: list[Any], path: str) -> Iterator[str]:
    for at, item in enumerate(items):
        yield from _type_problems(kind, item, f"{path}[{at}]")


def _type_problems(kind: type[WireModel], payload: Any, path: str) -> Iterator[str]:
    """Yield a sentence for each property of a wrong type, one DTO after the other."""
    arrays = _arrays(kind) if isinstance(payload, dict) else {}
    longer = {name for name in arrays if isinstance(payload.get(name), list)}
    rest = {name: payload[name] for name in payload if name not in longer} if longer else payload
    try:
        kind.model_validate(rest)
    except ValidationError as error:
        yield from messages(error, path)
    for name in longer:
        yield from _array_problems(arrays[name], payload[name], f"{path}.{name}" if path else name)


@cache
def _arrays(kind: type[WireModel]) -> dict[str, type[WireModel]]:
    """Return the properties that are arrays of DTOs, with the type of those."""
    return {
        name: inner
        for name, field in kind.model_fields.items()
        for choice in get_args(field.annotation)
        if get_origin(choice) is list
        for inner in get_args(choice)
        if isinstance(inner, type) and issubclass(inner, WireModel)
    }
