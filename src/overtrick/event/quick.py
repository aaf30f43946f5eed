"""Frozen values that are made by the thousand, at a third of the cost. Knows nothing of what they are.

A frozen dataclass sets each of its fields through `object.__setattr__`, which takes longer than all the rest of
making it. While it is made, the value is therefore of a twin class that is not frozen and has the same slots.
"""

from dataclasses import MISSING, fields
from typing import TypeVar

T = TypeVar("T")


def quickly_made(cls: type[T]) -> type[T]:
    """Give a frozen dataclass with slots a faster `__init__`; all else about it stays as it is.

    >>> from dataclasses import dataclass
    >>> @quickly_made
    ... @dataclass(frozen=True, slots=True)
    ... class Board:
    ...     number: int
    ...     sets: int = 1
    >>> Board(7)
    Board(number=7, sets=1)
    >>> Board(7).number = 8
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: cannot assign to field 'number'
    """
    own = fields(cls)  # type: ignore[arg-type]
    if hasattr(cls, "__post_init__") or any(
        not field.init or field.kw_only or field.default_factory is not MISSING for field in own
    ):
        raise TypeError(f"{cls.__name__} has fields that are more than given values")
    names = [field.name for field in own]
    lines = [
        f"def __init__(self, {', '.join(names)}):",
        " become(self, '__class__', twin)",
        *(f" self.{name} = {name}" for name in names),
        " self.__class__ = cls",
    ]
    twin = type(cls.__name__, cls.__bases__, {"__slots__": tuple(names)})
    known = {"become": object.__setattr__, "twin": twin, "cls": cls}
    exec("\n".join(lines), known)
    quick: object = known["__init__"]
    slow = cls.__init__
    for what in ("__defaults__", "__annotations__", "__qualname__", "__module__"):
        setattr(quick, what, getattr(slow, what))
    cls.__init__ = quick  # type: ignore[assignment]
    return cls
