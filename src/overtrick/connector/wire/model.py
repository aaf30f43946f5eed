"""The base class and field types of all DTOs: null is absent, and values are not converted to other types.

Attributes are spelled as the properties are (`PairNS`, `BM2PINcode`), so that a reader can tell a DTO from our own
types. Has no dependency on the state or on transports.
"""

from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from overtrick.connector.wire.checks import tell
from overtrick.errors import OvertrickError

Int = Annotated[int, Field(strict=True, ge=-(2**31), le=2**31 - 1)]
"""A whole number in the range of .NET's int; a number in quotes, a fraction or a boolean is refused."""

LONGEST_TEXT = 65_536
"""Limit of one text, in characters; no name and no path is longer."""

Text = Annotated[str, Field(strict=True, max_length=LONGEST_TEXT)]
Bool = Annotated[bool, Field(strict=True)]


class WireOption(IntEnum):
    """A setting with numbered choices, sent by number or by name.

    An unknown number or name is refused.
    """

    @classmethod
    def read(cls, value: object) -> Self:
        """Return the choice for a JSON value, a number or a name."""
        if isinstance(value, str):
            folded = value.casefold()
            for name, member in cls.__members__.items():
                if name.rstrip("_").casefold() == folded:
                    return member
        elif isinstance(value, int) and not isinstance(value, bool):
            if value in cls._value2member_map_:
                return cls(value)
            numbers = ", ".join(f"{each.value} {each.name.rstrip('_')}" for each in cls)
            raise PydanticCustomError(
                "option", "is {value}, and has to be one of {numbers}", {"value": value, "numbers": numbers}
            )
        names = ", ".join(name.rstrip("_") for name in cls.__members__)
        raise PydanticCustomError("option", "should be a number or one of {names}", {"names": names})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.read, serialization=core_schema.plain_serializer_function_ser_schema(int)
        )


class UnknownProperty(OvertrickError, TypeError):
    """A DTO was made in Python with a property that it does not have."""

    code = "unknown-property"


if TYPE_CHECKING:
    _Spelt = BaseModel
else:

    class _SpeltMeta(type(BaseModel)):
        """The type of DTO classes: refuses misspelt properties where a DTO is made, not where one is read."""

        def __call__(cls, **properties):
            if unknown := sorted(properties.keys() - property_names(cls)):
                raise UnknownProperty(f"{cls.__name__} has no property {', '.join(unknown)}.")
            return super().__call__(**properties)

    class _Spelt(BaseModel, metaclass=_SpeltMeta):
        """A model whose constructor takes no misspelt properties."""


@cache
def property_names(kind: Any) -> frozenset[str]:
    """Return the names of a DTO's properties, in every spelling."""
    names = set(kind.model_fields)
    for field in kind.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            names |= {each for each in field.validation_alias.choices if isinstance(each, str)}
    return frozenset(names)


class WireModel(_Spelt):
    """The base class of Data Transfer Objects. Unknown properties are ignored; null is the same as absent."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, values: Any) -> Any:
        if type(values) is dict and None in values.values():
            return {name: value for name, value in values.items() if value is not None}
        return values

    ValidationMessages: list[Text] | None = None


class UnreadableDTO(ValueError):
    """A DTO with properties of the wrong type; `messages` has a sentence for each."""

    def __init__(self, messages: list[str]) -> None:
        super().__init__(tell(messages))
        self.messages = messages


_KINDS = {
    "int_type": "should be a whole number",
    "int_parsing": "should be a whole number",
    "int_from_float": "should be a whole number",
    "greater_than_equal": "is a number too small for the Data Connector",
    "less_than_equal": "is a number too large for the Data Connector",
    "string_type": "should be text",
    "string_too_long": f"has more than {LONGEST_TEXT} characters",
    "bool_type": "should be true or false",
    "list_type": "should be an array",
    "model_type": "should be an object",
    "model_attributes_type": "should be an object",
    "dict_type": "should be an object",
}


def messages(error: ValidationError, where: str = "") -> list[str]:
    """Return a sentence for each value of a wrong type, with the path of its property below `where`."""
    sentences = []
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        path = where
        for step in problem["loc"]:
            path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
        phrase = _KINDS.get(problem["type"], problem["msg"])
        sentences.append(f"{path or 'The data'} {phrase}.")
    return sentences
