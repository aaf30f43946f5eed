"""Encoding of facts as (kind, schema, body) of a journal row, and back. Has no dependency on engines or bridge.

A journal never holds a fact that cannot be read: every field is written, and the encoded fact is decoded and compared
before it is returned. Each kind has one msgspec decoder, because a replay reads a hundred thousand facts. msgspec also
encodes them; only values that are stored as their text are converted before.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import msgspec

from overtrick.errors import OvertrickError
from overtrick.store.errors import BadFact, DamagedJournal, UnknownFact
from overtrick.store.schema_upgrades import SCHEMA_UPGRADES, SchemaUpgrade, missing_upgrades, upgrade_body

_encode = msgspec.json.Encoder().encode

Convert = Callable[[Any], Any]
"""Converts a value to what msgspec encodes."""


@runtime_checkable
class StoredAsText(Protocol):
    """A value that is stored as its text: `T.parse(str(value)) == value`."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the value with this text."""


class EncodedFact(NamedTuple):
    """A fact as the columns of a journal row."""

    kind: str
    schema: int
    body: str


class Codec:
    """Encoder and decoder of the facts of a registry (kind to class); `texts` are the types stored as text.

    Raises TypeError for a class that is not a proper fact, lacks an upgrade, or has a field that cannot be stored.
    """

    def __init__(
        self,
        registry: Mapping[str, type],
        *,
        texts: tuple[type[StoredAsText], ...] = (),
        upgrades: Mapping[tuple[str, int], SchemaUpgrade] = SCHEMA_UPGRADES,
    ) -> None:
        self.registry = dict(registry)
        self._texts = texts
        self._upgrades = upgrades
        self._decoders: dict[tuple[str, int], Callable[[str], Any]] = {}
        self._writers: dict[type, tuple[str, int, Convert, Callable[[str], Any]]] = {}
        """By class of facts: kind, schema, conversion before encoding, and decoder."""
        for kind, fact_type in self.registry.items():
            self._register(kind, fact_type)

    def _register(self, kind: str, fact_type: type) -> None:
        if not is_dataclass(fact_type) or getattr(fact_type, "kind", None) != kind:
            raise TypeError(f"{fact_type.__name__} is not a dataclass of kind {kind!r}.")
        schema = getattr(fact_type, "schema", None)
        if not isinstance(schema, int) or schema < 1:
            raise TypeError(f"{fact_type.__name__} has no schema number.")
        if missing := missing_upgrades(kind, schema, self._upgrades):
            raise TypeError(f"Nothing upgrades schema {missing[0]} of {kind!r}, which is at {schema}.")
        info = msgspec.inspect.type_info(fact_type)
        for unsupported in _custom_types(info):
            if not issubclass(unsupported, self._texts):
                raise TypeError(
                    f"{fact_type.__name__} has a field of {unsupported.__name__}, which has no text."
                )
        decode = msgspec.json.Decoder(fact_type, dec_hook=_parse).decode
        self._decoders[kind, schema] = decode
        self._writers[fact_type] = kind, schema, _convert(info) or _unchanged, decode

    def encode(self, fact: Any) -> EncodedFact:
        """Return the row of a fact; raise BadFact if it could not be read back as it is."""
        writer = self._writers.get(type(fact))
        if writer is None:
            raise BadFact(f"{type(fact).__name__} is not registered as a fact; it was not written.")
        kind, schema, convert, decode = writer
        try:
            body = _encode(convert(fact)).decode()
            if decode(body) == fact:
                return EncodedFact(kind, schema, body)
        except (msgspec.MsgspecError, AttributeError, TypeError, ValueError, RecursionError) as error:
            raise BadFact(f"A fact {kind!r} could not be read back ({error}); it was not written.") from error
        raise BadFact(f"A fact {kind!r} reads back as another one; it was not written.")

    def decode(self, kind: str, schema: int, body: str) -> Any:
        """Return the fact of a row, upgraded to the present schema.

        Raises UnknownFact for a kind or schema that is not known here, DamagedJournal if the body cannot be read.
        """
        decoder = self._decoders.get((kind, schema))
        if decoder is None:
            return self._decode_older(kind, schema, body)
        try:
            return decoder(body)
        except (msgspec.MsgspecError, ValueError) as error:
            raise DamagedJournal(f"A fact {kind!r} cannot be read: {error}.") from error

    def _decode_older(self, kind: str, schema: int, body: str) -> Any:
        fact_type = self.registry.get(kind)
        if fact_type is None:
            raise UnknownFact(f"The journal holds a fact {kind!r}, which this Overtrick does not know.")
        current_schema: int = fact_type.schema  # type: ignore[attr-defined]
        if not 1 <= schema < current_schema:
            raise UnknownFact(
                f"The journal holds a fact {kind!r} of schema {schema}; this Overtrick knows {current_schema}."
            )
        try:
            newer = json.dumps(upgrade_body(kind, schema, json.loads(body), current_schema, self._upgrades))
            return self._decoders[kind, current_schema](newer)
        except (msgspec.MsgspecError, ValueError, KeyError, TypeError) as error:
            raise DamagedJournal(f"A fact {kind!r} of schema {schema} cannot be read: {error}.") from error

    def verify(self, kind: str, schema: int, body: str) -> None:
        """Raise UnknownFact or DamagedJournal for a bad row. The fields of an older schema are not compared."""
        fact = self.decode(kind, schema, body)
        if schema == fact.schema and json.loads(body) != json.loads(self.encode(fact).body):
            raise DamagedJournal(f"A fact {kind!r} has other fields than it should.")


def _convert(info: Any) -> Convert | None:
    """Return the conversion of values of a type before encoding; None if msgspec encodes them unchanged."""
    match info:
        case msgspec.inspect.CustomType():
            return str
        case msgspec.inspect.DataclassType(fields=fields):
            return _convert_fields({field.name: _convert(field.type) for field in fields})
        case msgspec.inspect.UnionType(types=types):
            # msgspec tells members of a union apart by their JSON type, so at most one of them is stored as text.
            return next((_unless_none(convert) for part in types if (convert := _convert(part))), None)
        case msgspec.inspect.VarTupleType(item_type=item):
            return _convert_each(convert) if (convert := _convert(item)) else None
        case msgspec.inspect.TupleType(item_types=types):
            items = [_convert(part) for part in types]
            return _convert_items([part or _unchanged for part in items]) if any(items) else None
        case msgspec.inspect.FrozenSetType(item_type=item):
            convert = _convert(item) or _unchanged
            # A set has no order of its own, and the same fact must be the same text.
            return lambda value: sorted(map(convert, value), key=json.dumps)
    return None


def _unless_none(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _convert_each(convert: Convert) -> Convert:
    return lambda value: [convert(item) for item in value]


def _convert_items(converts: Sequence[Convert]) -> Convert:
    return lambda value: [convert(item) for convert, item in zip(converts, value, strict=True)]


def _convert_fields(converts: Mapping[str, Convert | None]) -> Convert | None:
    """Return the conversion of a dataclass from those of its fields."""
    conversions = {name: convert for name, convert in converts.items() if convert is not None}
    if not conversions:
        return None
    encoded_type = msgspec.defstruct("Encoded", [(name, Any) for name in converts], gc=False)
    get = attrgetter(*converts) if len(converts) > 1 else lambda value: (getattr(value, *converts),)

    def convert(value: Any) -> Any:
        encoded = encoded_type(*get(value))
        for name, convert in conversions.items():
            setattr(encoded, name, convert(getattr(encoded, name)))
        return encoded

    return convert


def _unchanged(value: Any) -> Any:
    return value


def _parse(kind: type[StoredAsText], text: Any) -> StoredAsText:
    """Parse a value of a custom type for msgspec; `_register` allows only types stored as text."""
    if not isinstance(text, str):
        raise ValueError(f"{kind.__name__} is written as text, not as {text!r}")
    try:
        return kind.parse(text)
    except OvertrickError as error:
        raise ValueError(str(error)) from error  # msgspec then says in which field it was


def _custom_types(info: Any, seen: set[type] | None = None) -> set[type]:
    """Return the types in a fact that msgspec has no support for."""
    seen = set() if seen is None else seen
    custom: set[type] = set()
    match info:
        case msgspec.inspect.CustomType(cls=cls):
            custom.add(cls)
        case msgspec.inspect.DataclassType(cls=cls, fields=inside) if cls not in seen:
            seen.add(cls)
            for field in inside:
                custom |= _custom_types(field.type, seen)
        case msgspec.inspect.UnionType(types=types):
            for part in types:
                custom |= _custom_types(part, seen)
        case msgspec.inspect.TupleType(item_types=types):
            for part in types:
                custom |= _custom_types(part, seen)
        case msgspec.inspect.VarTupleType(item_type=part) | msgspec.inspect.FrozenSetType(item_type=part):
            custom |= _custom_types(part, seen)
    return custom


@cache
def event_codec() -> Codec:
    """Return the codec of the facts of `overtrick.event`; it is built once."""
    from overtrick.bridge import Deal, Outcome
    from overtrick.event import FACTS

    return Codec(FACTS, texts=(Outcome, Deal))
