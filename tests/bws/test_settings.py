from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridgemate.settings import rows_of
from overtrick.bws.rows import FreeRow, read_row
from overtrick.bws.schema import TABLES
from overtrick.bws.settings import settings_for, settings_values, settings_without_column
from overtrick.event.settings import RANGES, HandEntry, SettingsII, SettingsIII


def row(**values: Any) -> FreeRow:
    return read_row(FreeRow, values)


def test_the_guides_defaults_are_ours() -> None:
    defaults = {field.name: field.default for field in TABLES["Settings"] if field.default is not None}
    found = settings_for([row(Section=1, **defaults)], 1)
    assert (found.second, found.third, found.sentences) == (SettingsII(), SettingsIII(), ())


def any_settings(kind: type[SettingsII] | type[SettingsIII]) -> st.SearchStrategy[Any]:
    parts: dict[str, st.SearchStrategy[Any]] = {}
    for setting in rows_of(kind()):
        if not setting.column:
            continue
        if setting.name == "enter_hand_record":
            parts[setting.name] = st.sampled_from(list(HandEntry))
        elif setting.choices is not None:
            parts[setting.name] = st.sampled_from(setting.choices.in_file)
        elif isinstance(setting.default, bool):
            parts[setting.name] = st.booleans()
        elif setting.name == "pin":
            parts[setting.name] = st.from_regex(r"[0-9]{4}", fullmatch=True)
        else:
            parts[setting.name] = st.integers(*RANGES[setting.name])
    return st.builds(kind, **parts)


@given(any_settings(SettingsII), any_settings(SettingsIII))
def test_settings_are_read_back(second: SettingsII, third: SettingsIII) -> None:
    assert settings_without_column(second) == []
    assert settings_without_column(third) == []
    found = settings_for([row(Section=1, **settings_values(second, third))], 1)
    assert (found.second, found.third, found.sentences) == (second, third, ())


def test_an_absent_column_has_the_default() -> None:
    found = settings_for([row(Section=1, ShowResults=False)], 1)
    assert found.second == SettingsII(show_results=False)
    assert found.third is None


def test_global_settings_are_the_first_records() -> None:
    rows = [
        row(Section=1, GroupSections=True, MaximumResults=9),
        row(Section=2, GroupSections=False, LeadCard=True),
    ]
    found = settings_for(rows, 2)
    assert found.second is not None
    assert (found.second.group_sections, found.second.maximum_results, found.second.ask_lead) == (
        True,
        9,
        True,
    )


def test_a_section_without_a_record_among_several_has_none() -> None:
    rows = [row(Section=1, LeadCard=True), row(Section=2, LeadCard=True)]
    assert settings_for(rows, 3).second is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("BM2PINcode", "12"), ("VerificationTime", 99), ("BM3Language", 11), ("BM2ResultsOverview", -1)],
)
def test_invalid_value_is_reported_and_left_out(name: str, value: Any) -> None:
    found = settings_for([row(Section=1, **{name: value})], 1)
    assert (found.second, found.third) == (None, None)
    assert len(found.sentences) == 1
    assert found.sentences[0].startswith(name)


def test_hand_entry_setting_uses_two_fields() -> None:
    found = settings_for([row(Section=1, BM2EnterHandRecord=True, BM2EnterHandRecordWhen=5)], 1)
    assert found.second is not None
    assert found.second.enter_hand_record is HandEntry.AFTER_ROUND
    assert found.sentences == ("BM2EnterHandRecordWhen is from 0 to 1, not 5.",)
    found = settings_for([row(Section=1, BM2EnterHandRecord=False, BM2EnterHandRecordWhen=1)], 1)
    assert found.second is not None
    assert found.second.enter_hand_record is HandEntry.NEVER


def test_settings_without_a_column_are_listed() -> None:
    assert settings_without_column(SettingsIII(keep_awake=True)) == ["keep_awake (True)"]
