"""The short way to write a simple fact: compiled for its type, with a look at nothing but types. Knows no journal.

A fact whose fields are all simple, and of exactly the types that they should be, comes back from JSON as it
went, so it need not be read back to know that. Where a fact is not so, the short way answers None, and
whoever asked takes the long one, which also says what is wrong.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from typing import Any, Protocol, Self, runtime_checkable

import msgspec
from msgspec import inspect


@runtime_checkable
class Text(Protocol):
    """A value that is stored as its text: `T.parse(str(value)) == value`."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The value that the text stands for."""


EXACTLY: dict[type, str] = {
    inspect.StrType: "type({0}) is str",
    inspect.IntType: "type({0}) is int",
    inspect.BoolType: "type({0}) is bool",
    inspect.NoneType: "{0} is None",
    # Other zones have more than one way to say a time.
    inspect.DateTimeType: "type({0}) is datetime and {0}.tzinfo is UTC",
    inspect.DateType: "type({0}) is date",
    inspect.TimeType: "type({0}) is time and {0}.tzinfo is None",
}
"""What has to be so of a value for it to come back as it went."""

KNOWN_TEXTS = 16_384
"""Values whose texts are remembered; there are 5,892 outcomes."""

_encode = msgspec.json.Encoder().encode


class Texts:
    """The texts of values of one type that are the same objects again and again."""

    def __init__(self, wanted: type[Text]) -> None:
        self._wanted = wanted
        self._known: dict[int, str] = {}
        """The texts, by the `id` of the value."""
        self._kept: list[Text] = []
        """The values: as long as they are here, nothing else has their `id`."""
        self.known = self._known.get

    def find(self, value: Any) -> str | None:
        """The text of a value that is not known yet, if it says all of it."""
        if not isinstance(value, self._wanted):
            return None
        text = str(value)
        same = self._wanted.parse(text)
        # The one that everybody gets for this text will be here again.
        if same is value and len(self._kept) < KNOWN_TEXTS:
            self._kept.append(value)
            self._known[id(value)] = text
        return text if same == value else None


def straight_writer(fact_type: type, texts: Mapping[type, Texts]) -> Callable[[Any], str | None] | None:
    """What writes a fact of this type, or answers None; nothing where its fields are not all simple."""
    info = inspect.type_info(fact_type)
    assert isinstance(info, inspect.DataclassType)
    names: dict[str, Any] = {"UTC": UTC, "date": date, "datetime": datetime, "time": time}
    names["encode"] = _encode
    names["Wire"] = msgspec.defstruct("Wire", [(field.name, Any) for field in info.fields], gc=False)
    lines, conditions = [], ["True"]
    for number, field in enumerate(info.fields):
        value = f"value{number}"
        lines.append(f"{value} = fact.{field.name}")
        kinds = field.type.types if isinstance(field.type, inspect.UnionType) else (field.type,)
        if any(isinstance(kind, inspect.CustomType) for kind in kinds):
            written = _text_in(value, kinds, names, texts)
            if written is None:
                return None
            lines.append(written)
            continue
        checks = [_check(value, kind, names) for kind in kinds]
        if None in checks:
            return None
        conditions.append(f"({' or '.join(map(str, checks))})")
    values = ", ".join(f"value{number}" for number in range(len(info.fields)))
    lines.append(f"return encode(Wire({values})).decode() if {' and '.join(conditions)} else None")
    # Compiled, as dataclasses are: going through the fields one by one takes four times as long.
    exec("def write(fact):\n " + "\n ".join(lines), names)
    write: Callable[[Any], str | None] = names["write"]
    return write


def _check(value: str, kind: Any, names: dict[str, Any]) -> str | None:
    """The condition under which a value of this kind comes back as it went; None where that is not so simple."""
    if isinstance(kind, inspect.EnumType):
        return f"type({value}) is {_name(kind.cls, names)}"
    if type(kind) in EXACTLY and kind == type(kind)():
        return EXACTLY[type(kind)].format(value)
    return None


def _text_in(
    value: str, kinds: tuple[Any, ...], names: dict[str, Any], texts: Mapping[type, Texts]
) -> str | None:
    """The statements that put a text, or None where the field allows it, in the place of a value."""
    text, *others = sorted(kinds, key=lambda kind: not isinstance(kind, inspect.CustomType))
    known_texts = texts.get(text.cls)
    if known_texts is None or [type(other) for other in others] not in ([], [inspect.NoneType]):
        return None
    known, find = _name(known_texts.known, names), _name(known_texts.find, names)
    found = f"{value} = {known}(id({value})) or {find}({value})"
    present = f"if {value} is not None:" if others else "if True:"
    return f"{present}\n  {found}\n  if {value} is None: return None"


def _name(thing: Any, names: dict[str, Any]) -> str:
    """A name for something that the compiled writer uses."""
    name = f"name{len(names)}"
    names[name] = thing
    return name
