from dataclasses import fields
from enum import Enum

import pytest

from overtrick.bridgemate.settings import SECOND, THIRD, Setting
from overtrick.event.settings import RANGES, SettingsII, SettingsIII

ROWS = [*SECOND, *THIRD]


@pytest.mark.parametrize(("kind", "rows"), [(SettingsII, SECOND), (SettingsIII, THIRD)])
def test_the_table_has_every_setting_of_the_model_once_in_its_order(
    kind: type, rows: tuple[Setting, ...]
) -> None:
    assert [setting.name for setting in rows] == [each.name for each in fields(kind)]


def test_no_column_and_no_property_is_there_twice() -> None:
    columns = [name for row in ROWS for name in (row.column, row.switch) if name]
    properties = [name for row in ROWS for name in (row.property_name, row.switch) if name]
    assert len(set(columns)) == len(columns)
    assert len(set(properties)) == len(properties)


@pytest.mark.parametrize("setting", ROWS, ids=lambda row: f"{row.generation.value}-{row.name}")
def test_the_choices_of_a_setting_are_of_its_type_and_the_default_is_one_of_them(setting: Setting) -> None:
    if isinstance(setting.default, Enum):
        assert setting.choices is not None
    if setting.choices is not None:
        values = list(setting.choices.values.values())
        assert setting.default in values
        assert {type(value) for value in values} == {type(setting.default)}
        assert len(set(values)) == len(values)
        assert 0 in setting.choices.values


@pytest.mark.parametrize("setting", ROWS, ids=lambda row: f"{row.generation.value}-{row.name}")
def test_a_figure_has_limits_and_its_default_and_the_model_allow_them(setting: Setting) -> None:
    is_figure = type(setting.default) is int
    assert (setting.limits is not None) is is_figure
    for limits in (setting.limits, setting.wire_limits):
        if limits is not None:
            assert isinstance(setting.default, int)
            assert limits[0] <= setting.default <= limits[1]
            assert RANGES[setting.name][0] <= limits[0] <= limits[1] <= RANGES[setting.name][1]
