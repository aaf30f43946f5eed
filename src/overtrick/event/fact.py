"""The base class of facts, and the registry of their kinds. A fact has happened and never changes.

The journal stores `kind` and `schema`, so they must not change; the name of the class may.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar, dataclass_transform


class Fact:
    """Something that has happened in an event."""

    __slots__ = ()
    kind: ClassVar[str]
    schema: ClassVar[int]


FACTS: dict[str, type[Fact]] = {}
"""Every kind of fact, by its stable name."""

AnyFact = TypeVar("AnyFact", bound=Fact)


@dataclass_transform(frozen_default=True)
def fact(kind: str, schema: int = 1) -> Callable[[type[AnyFact]], type[AnyFact]]:
    """Return a decorator that makes a class a frozen, slotted fact and adds it to `FACTS`.

    It raises ValueError if another class has this kind.
    """

    def register(cls: type[AnyFact]) -> type[AnyFact]:
        fact_class = dataclass(frozen=True, slots=True)(cls)
        fact_class.kind, fact_class.schema = kind, schema
        if kind in FACTS:
            raise ValueError(f"two facts of the kind {kind}")
        FACTS[kind] = fact_class
        return fact_class

    return register
