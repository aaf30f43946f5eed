"""Conversion of parsed JSON to DTOs, with a sentence for each property of a wrong type. Pure: no I/O.

msgspec converts JSON that already has the form of the DTOs, and stops at the first difference. Then `_read` goes
through the properties: it converts what peers may write differently (null for absent, the name of a choice, the guide's
spelling of a property) and collects every problem.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from overtrick.connector.wire.checks import MOST_PROBLEMS
from overtrick.connector.wire.model import LONGEST_TEXT, UnreadableDTO, WireModel, WireOption, property_names
from overtrick.connector.wire.numbers import ErrorType

DTO = TypeVar("DTO", bound=WireModel)
T = TypeVar("T")


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
    if (dto := _convert(kind, payload, kind)) is not None:
        return dto
    converted: dict[str, Any] = {}
    _refuse(_read(kind, payload, "", converted))
    return msgspec.convert(converted, kind)


def read_many(kind: type[DTO], payload: Any) -> list[DTO]:
    """Return an array of DTOs; raises as `read_one` does."""
    if not isinstance(payload, list):
        raise MalformedRequest(ErrorType.WrongDataType, f"The data should be an array of {kind.__name__}.")
    if (dtos := _convert(kind, payload, list[kind])) is not None:  # type: ignore[valid-type]
        return dtos
    converted: list[Any] = []
    _refuse(_read_array(kind, payload, "", converted))
    return msgspec.convert(converted, list[kind])  # type: ignore[valid-type]


def misspelt(kind: type[WireModel], payload: Any, path: str = "") -> Iterator[str]:
    """Yield a sentence for each property that a DTO, or one inside it, does not have; servers ignore these."""
    if isinstance(payload, list):
        for index, item in enumerate(payload):
            yield from misspelt(kind, item, f"{path}[{index}]")
    elif isinstance(payload, dict):
        inner = {
            each_property.name: each_property.inner
            for each_property in _properties(kind)
            if each_property.inner
        }
        for name, value in payload.items():
            place = f"{path}.{name}" if path else name
            if name not in property_names(kind):
                yield f"{place} is not a property of {kind.__name__}."
            elif name in inner:
                yield from misspelt(inner[name], value, place)


def sentence(path: str, phrase: object) -> str:
    """Return the sentence for a value of a wrong type."""
    return f"{path or 'The data'} {phrase}."


def _refuse(problems: Iterator[str]) -> None:
    """Raise UnreadableDTO if there are problems, with the first ones."""
    if first_problems := list(islice(problems, MOST_PROBLEMS)):
        raise UnreadableDTO(first_problems)


def _convert(kind: type[WireModel], payload: Any, into: type[T]) -> T | None:
    """Return the payload as msgspec converts it, or None if it has to be read property by property."""
    if _is_spelt_in_two_ways(kind):
        return None  # msgspec would ignore the guide's spelling
    try:
        return msgspec.convert(payload, into)
    except msgspec.ValidationError:
        return None


class _Property(NamedTuple):
    """A property: its spellings, and either the function that reads its value or the DTO inside of it."""

    name: str
    spellings: tuple[str, ...]
    read: Callable[[Any], Any] | None
    inner: type[WireModel] | None = None
    is_array: bool = False


def _read(kind: type[WireModel], payload: Any, path: str, converted: dict[str, Any]) -> Iterator[str]:
    """Put the properties of one DTO into `converted`, and yield a sentence for each of a wrong type."""
    if not isinstance(payload, dict):
        yield sentence(path, "should be an object")
        return
    try:
        payload = kind.prepare(payload)
    except ValueError as error:
        yield sentence(path, error)
    for each_property in _properties(kind):
        spelling = next((name for name in each_property.spellings if payload.get(name) is not None), None)
        if spelling is None:
            continue
        value, place = payload[spelling], f"{path}.{spelling}" if path else spelling
        if each_property.inner is None:
            assert each_property.read is not None
            try:
                converted[each_property.name] = each_property.read(value)
            except ValueError as error:
                yield sentence(place, error)
        elif not each_property.is_array:
            inner_values: dict[str, Any] = {}
            converted[each_property.name] = inner_values
            yield from _read(each_property.inner, value, place, inner_values)
        elif not isinstance(value, list):
            yield sentence(place, "should be an array")
        elif _convert(each_property.inner, value, list[each_property.inner]) is not None:  # type: ignore[name-defined]
            converted[each_property.name] = value
        else:
            items: list[Any] = []
            converted[each_property.name] = items
            yield from _read_array(each_property.inner, value, place, items)


def _read_array(kind: type[WireModel], items: list[Any], path: str, converted: list[Any]) -> Iterator[str]:
    for index, item in enumerate(items):
        item_values: dict[str, Any] = {}
        converted.append(item_values)
        yield from _read(kind, item, f"{path}[{index}]", item_values)


@cache
def _properties(kind: type[WireModel]) -> tuple[_Property, ...]:
    """Return the properties of a DTO, arrays last: their problems follow those of the DTO itself."""
    hints = get_type_hints(kind)
    properties = []
    for name in kind.__struct_fields__:
        spellings = (name, kind.GUIDE_NAMES[name]) if name in kind.GUIDE_NAMES else (name,)
        choice = next(each for each in (*get_args(hints[name]), hints[name]) if each is not type(None))
        is_array = get_origin(choice) is list
        inner = get_args(choice)[0] if is_array else choice
        if isinstance(inner, type) and issubclass(inner, WireModel):
            properties.append(_Property(name, spellings, None, inner, is_array))
        else:
            properties.append(_Property(name, spellings, _texts if is_array else _reader(choice)))
    return tuple(sorted(properties, key=lambda each: each.is_array))


@cache
def _is_spelt_in_two_ways(kind: type[WireModel]) -> bool:
    inner_kinds = (each_property.inner for each_property in _properties(kind) if each_property.inner)
    return bool(kind.GUIDE_NAMES) or any(_is_spelt_in_two_ways(inner) for inner in inner_kinds)


# Values -----------------------------------------------------------------------------------------------------


def _reader(kind: Any) -> Callable[[Any], Any]:
    return kind.read if issubclass(kind, WireOption) else {int: _int, str: _text, bool: _bool}[kind]


def _int(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("should be a whole number")
    if not -(2**31) <= value < 2**31:
        raise ValueError(f"is a number too {'small' if value < 0 else 'large'} for the Data Connector")
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("should be true or false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("should be text")
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"has more than {LONGEST_TEXT} characters")
    return value


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise ValueError("should be an array")
    return [_text(text) for text in value]
