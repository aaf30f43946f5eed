"""The settings as peers see them, held to a record: properties, columns, conversions, rules and the desk's form.

All of these are built from one table, so a slip of a name or a number there would change a wire format without
failing any test that reads the same table. `settings.json` was recorded when each was still written out by hand.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from enum import Enum, IntEnum
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest

from overtrick.bws.check import check
from overtrick.bws.contents import Contents
from overtrick.bws.rows import FreeRow, read_row
from overtrick.bws.schema import TABLES
from overtrick.bws.settings import settings_for, settings_values, settings_without_column
from overtrick.connector.from_wire import settings as read_dtos
from overtrick.connector.wire.model import UnreadableDTO
from overtrick.connector.wire.reading import read_one
from overtrick.connector.wire.rules import problems
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, Bridgemate3SettingsDTO, SettingsDTO
from overtrick.control.rules import rules_of
from overtrick.event.settings import SettingsII, SettingsIII, ShowRanking
from overtrick.web.terminal_settings import FIELDS

CAPTURED = Path(__file__).with_name("settings.json")
GUID = "6D115AF1ABEB4462A299B1FE86274949"
NUMBERS = (-1, 0, 1, 2, 3, 4, 10, 11, 128, 2**31)
BASES: tuple[SettingsII | SettingsIII, ...] = (
    SettingsII(),
    SettingsII(ask_lead=True, ask_numbers=True, summary=True, ranking=ShowRanking.AT_END),
    SettingsII(show_results=False, summary=True, validate_lead=True, numbers_each_round=True),
    SettingsIII(),
)


def _plain(value: Any) -> Any:
    if isinstance(value, IntEnum):
        return int(value)
    return value.value if isinstance(value, Enum) else value


def _differences(one: Any, other: Any) -> dict[str, Any]:
    return {
        each.name: _plain(getattr(other, each.name))
        for each in fields(one)
        if getattr(one, each.name) != getattr(other, each.name)
    }


def _property(dto: type[SettingsDTO], name: str) -> list[Any]:
    """Return the choices of a property, its value when it is absent, and its spellings."""
    field = next(each for each in msgspec.structs.fields(dto) if each.name == name)
    kind = field.type
    choices: Any = None
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        choices = {member: int(value) for member, value in kind.__members__.items()}
    spellings = [name, dto.GUIDE_NAMES[name]] if name in dto.GUIDE_NAMES else [name]
    return [choices, _plain(field.default), spellings]


def _read(dto: type[SettingsDTO], **given: Any) -> Any:
    whole = {"SessionGuid": GUID, "SectionLetters": "A", **given}
    ((_, settings),) = read_dtos([read_one(dto, whole)])
    return settings


def _conversions(dto: type[SettingsDTO], name: str) -> dict[str, Any]:
    """Return the settings that each value of a property changes, or the sentence that refuses it."""
    usual = _read(dto)
    # A second property may decide whether this one counts.
    switch = {"BM2EnterHandRecord": True} if name == "BM2EnterHandRecordWhen" else {}
    found: dict[str, Any] = {}
    for value in (None, True, "", "1234", "Enabled", 2.5, *NUMBERS):
        try:
            if changes := _differences(usual, _read(dto, **{name: value}, **switch)):
                found[repr(value)] = changes
        except UnreadableDTO as error:
            found[repr(value)] = error.messages[0].removeprefix("The data ").removeprefix(f"{name} ")[:-1]
    return found


def _column(name: str) -> dict[str, Any]:
    """Return what each value of a column means, and what a check says of it."""
    found: dict[str, Any] = {}
    switch = {"BM2EnterHandRecord": True} if name == "BM2EnterHandRecordWhen" else {}
    for value in (True, "12", "1234", *NUMBERS):
        row = read_row(FreeRow, {"Section": 1, **switch, name: value})
        try:
            read = settings_for([row], 1)
            told: Any = [
                None if read.second is None else _differences(SettingsII(), read.second),
                None if read.third is None else _differences(SettingsIII(), read.third),
                *read.sentences,
            ]
        except ValueError as error:
            told = str(error)
        contents = Contents("file", settings=(row,))
        found[repr(value)] = [told, [violation.rule for violation in check(contents)]]
    return found


def _values(value: object) -> list[Any]:
    if isinstance(value, bool):
        return [False, True]
    if isinstance(value, Enum):
        return list(type(value))
    return list(range(5)) if isinstance(value, int) else ["0000", "9876"]


def _changed(base: Any) -> Iterator[tuple[str, Any]]:
    for each in fields(base):
        for value in _values(getattr(base, each.name)):
            yield f"{each.name}={_plain(value)}", replace(base, **{each.name: value})


def _written(settings: Any) -> list[Any]:
    is_second = isinstance(settings, SettingsII)
    values = settings_values(settings if is_second else None, None if is_second else settings)
    usual = settings_values(SettingsII() if is_second else None, None if is_second else SettingsIII())
    return [
        {name: value for name, value in values.items() if value != usual[name]},
        sorted(usual.keys() - values.keys()),
        settings_without_column(settings),
    ]


@cache
def captured() -> dict[str, Any]:
    """Return everything that a peer, a director or a player can notice of the settings."""
    dtos: dict[str, type[SettingsDTO]] = {
        "Bridgemate2SettingsDTO": Bridgemate2SettingsDTO,
        "Bridgemate3SettingsDTO": Bridgemate3SettingsDTO,
    }
    found: dict[str, Any] = {
        "properties": {
            name: {each: _property(dto, each) for each in sorted(dto.__struct_fields__)}
            for name, dto in dtos.items()
        },
        "read from the wire": {
            name: {"": {each: _plain(value) for each, value in asdict(_read(dto)).items()}}
            | {
                each: _conversions(dto, each)
                for each in sorted(dto.__struct_fields__)
                if each not in ("SessionGuid", "SectionLetters", "ValidationMessages")
            }
            for name, dto in dtos.items()
        },
        "refused on the wire": {
            **{
                f"{name}={value}": sorted(
                    problems(
                        read_one(
                            Bridgemate2SettingsDTO,
                            {"SessionGuid": GUID, "SectionLetters": "A", "BM2PINcode": "0000", name: value},
                        )
                    )
                )
                for name, value in (("BM2PINcode", "12"), ("BM2PINcode", None), ("SectionLetters", "AB"))
            },
            **{
                f"{name}={value}": sorted(
                    problems(
                        read_one(
                            Bridgemate3SettingsDTO,
                            {
                                "SessionGuid": GUID,
                                "SectionLetters": "A",
                                "BM3PINcode": "0000",
                                "BM3ScreenBrightness": 3,
                                name: value,
                            },
                        )
                    )
                )
                for name in sorted(Bridgemate3SettingsDTO.__struct_fields__)
                if get_type_hints(Bridgemate3SettingsDTO)[name] is int
                for value in (0, 8, 16, 121)
            },
        },
        "columns": [
            [each.name, each.kind.value, each.size, each.zero_length, each.default]
            for each in TABLES["Settings"]
        ],
        "read from a file": {each.name: _column(each.name) for each in TABLES["Settings"]},
        "written to a file": {
            kind.__name__: {"": _all_values(kind)} | {name: _written(each) for name, each in _changed(kind())}
            for kind in (SettingsII, SettingsIII)
        },
        "rules": {
            str(number): {
                "": {each: _plain(value) for each, value in asdict(rules_of(base)).items()},
                **{
                    name: changes
                    for name, each in sorted(_changed(base), key=lambda pair: pair[0])
                    if (changes := _differences(rules_of(base), rules_of(each)))
                },
            }
            for number, base in enumerate(BASES)
        },
        "form": {
            generation.value: {each.name: asdict(each) for each in shown}
            for generation, shown in FIELDS.items()
        },
    }
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


def _all_values(kind: type[SettingsII] | type[SettingsIII]) -> dict[str, Any]:
    settings = kind()
    if isinstance(settings, SettingsII):
        return settings_values(settings, None)
    return settings_values(None, settings)


RECORDED: dict[str, Any] = json.loads(CAPTURED.read_text())


@pytest.mark.parametrize("part", list(RECORDED))
def test_settings_equal_those_captured_before(part: str) -> None:
    assert captured()[part] == RECORDED[part]


def test_no_part_of_the_record_is_left_out() -> None:
    assert captured().keys() == RECORDED.keys()
