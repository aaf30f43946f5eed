"""Conversion of rows of settings to the settings of a section's terminals, and back.

A missing column keeps our own setting; an invalid value is left out and reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from overtrick.bridgemate.settings import in_file, rows_of
from overtrick.bws.rows import FreeRow
from overtrick.event.settings import SettingsII, SettingsIII, settings_problems
from overtrick.event.setup import Generation


@dataclass(frozen=True, slots=True)
class SectionSettings:
    """The settings of one section, for Bridgemate II (`second`) and 3 (`third`), and sentences about invalid values."""

    second: SettingsII | None
    third: SettingsIII | None
    sentences: tuple[str, ...] = ()


def settings_for(rows: Sequence[FreeRow], section: int) -> SectionSettings:
    """Return a section's settings from its row, or from the only row; missing columns have our defaults."""
    own = next((row for row in rows if row.section == section), None)
    row = own or (rows[0] if len(rows) == 1 else None)
    if row is None:
        return SectionSettings(None, None)
    shared = {
        setting.column.casefold(): rows[0].get(setting.column) for setting in in_file() if setting.is_common
    }
    values = {**row.values, **{name: value for name, value in shared.items() if value is not None}}
    sentences: list[str] = []
    values_ii = _valid_values(values, SettingsII(), sentences)
    values_iii = _valid_values(values, SettingsIII(), sentences)
    return SectionSettings(
        SettingsII(**values_ii) if values_ii else None,
        SettingsIII(**values_iii) if values_iii else None,
        tuple(sentences),
    )


def _valid_values(
    values: dict[str, Any], base: SettingsII | SettingsIII, sentences: list[str]
) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for setting in rows_of(base):
        name, choices = setting.column, setting.choices
        value = values.get(name.casefold())
        if setting.switch is not None:
            is_on = values.get(setting.switch.casefold())
            if is_on is not None:
                # With the switch on, a number that is missing or wrong is the first choice.
                settings[setting.name] = choices.in_file[0] if is_on and choices else setting.default
            value = (value or 0) if is_on else None
        if value is None:
            continue
        if choices is not None:
            highest = len(choices.in_file) - 1
            if isinstance(value, int) and 0 <= value <= highest:
                settings[setting.name] = choices.in_file[value]
            else:
                sentences.append(f"{name} is from 0 to {highest}, not {value}.")
            continue
        kind: Any = type(setting.default)
        parsed: Any = str(value).strip() if kind is str else kind(value)
        if problems := settings_problems(replace(base, **{setting.name: parsed}), ""):
            sentences.append(f"{name}: {problems[0].sentence}")
        else:
            settings[setting.name] = parsed
    return settings


def settings_values(second: SettingsII | None, third: SettingsIII | None) -> dict[str, Any]:
    """Return the columns of a section's settings, for the generations that are given."""
    values: dict[str, Any] = {}
    for setting in in_file():
        settings = second if setting.generation is Generation.II else third
        if settings is None:
            continue
        value, choices = getattr(settings, setting.name), setting.choices
        if setting.switch is not None:
            values[setting.switch] = value != setting.default
        if choices is None:
            values[setting.column] = value
        elif value in choices.in_file:
            values[setting.column] = choices.in_file.index(value)
        elif setting.switch is not None:
            values[setting.column] = 0
    return values


def settings_without_column(settings: SettingsII | SettingsIII) -> list[str]:
    """Return the settings that differ from the default and have no column or value in the file."""
    without_column = []
    for setting in rows_of(settings):
        value, choices = getattr(settings, setting.name), setting.choices
        is_known = setting.column and (choices is None or value in choices.in_file)
        if value != setting.default and not is_known:
            without_column.append(f"{setting.name} ({value.value if isinstance(value, Enum) else value})")
    return without_column
