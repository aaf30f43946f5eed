"""The base class and field types of all DTOs: null is absent, and values are not converted to other types.

Attributes are spelled as the properties are (`PairNS`, `BM2PINcode`), so that a reader can tell a DTO from our own
types. Has no dependency on the state or on transports.
"""

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import msgspec

from overtrick.connector.wire.checks import problems_text
from overtrick.errors import OvertrickError

Int = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
"""A whole number in the range of .NET's int; a number in quotes, a fraction or a boolean is refused."""

LONGEST_TEXT = 65_536
"""Limit of one text, in characters; no name and no path is longer."""

Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]


class WireOption(IntEnum):
    """A setting with numbered choices, sent by number or by name.

    An unknown number or name is refused.
    """

    @classmethod
    def read(cls, value: object) -> Self:
        """Return the choice for a JSON value, a number or a name; raise ValueError with what is wrong."""
        if isinstance(value, str):
            folded = value.casefold()
            for name, member in cls.__members__.items():
                if name.rstrip("_").casefold() == folded:
                    return member
        elif isinstance(value, int) and not isinstance(value, bool):
            if value in cls._value2member_map_:
                return cls(value)
            numbers = ", ".join(f"{choice.value} {choice.name.rstrip('_')}" for choice in cls)
            raise ValueError(f"is {value}, and has to be one of {numbers}")
        names = ", ".join(name.rstrip("_") for name in cls.__members__)
        raise ValueError(f"should be a number or one of {names}")


class UnknownProperty(OvertrickError, TypeError):
    """A DTO was made in Python with a property that it does not have."""

    code = "unknown-property"


if TYPE_CHECKING:
    _CheckedModel = msgspec.Struct
else:

    class _CheckedModelType(msgspec.StructMeta):
        """The type of DTO classes: names misspelt properties where a DTO is made."""

        def __call__(self, *values, **properties):
            try:
                return super().__call__(*values, **properties)
            except TypeError:
                if unknown := sorted(properties.keys() - set(self.__struct_fields__)):
                    raise UnknownProperty(f"{self.__name__} has no property {', '.join(unknown)}.") from None
                raise

    class _CheckedModel(msgspec.Struct, metaclass=_CheckedModelType):
        """A struct whose constructor names misspelt properties."""


class WireModel(_CheckedModel, kw_only=True):
    """The base class of Data Transfer Objects. `reading` makes them of JSON, with the tolerance that peers need."""

    GUIDE_NAMES: ClassVar[Mapping[str, str]] = {}
    """Properties that the guide spells differently, with the guide's name."""

    ValidationMessages: list[Text] | None = None

    @classmethod
    def prepare(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Return the properties of a JSON object as this class has them; raise ValueError for a wrong choice."""
        return values


class UnreadableDTO(ValueError):
    """A DTO with properties of the wrong type; `messages` has a sentence for each."""

    def __init__(self, messages: list[str]) -> None:
        super().__init__(problems_text(messages))
        self.messages = messages


@cache
def property_names(kind: type[WireModel]) -> frozenset[str]:
    """Return the names of a DTO's properties, in every spelling."""
    return frozenset(kind.__struct_fields__) | frozenset(kind.GUIDE_NAMES.values())
