from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bws.rows import FreeRow, read_row
from overtrick.bws.schema import TABLES
from overtrick.bws.settings import (
    ENTER_HANDS,
    ENTER_HANDS_WHEN,
    SECOND,
    THIRD,
    settings_for,
    settings_values,
    unsaid,
)
from overtrick.event.settings import RANGES, HandEntry, SettingsII, SettingsIII


def row(**values: Any) -> FreeRow:
    return read_row(FreeRow, values)


def test_every_field_of_the_guide_has_a_meaning() -> None:
    known = {"Section", ENTER_HANDS, ENTER_HANDS_WHEN, *SECOND, *THIRD}
    assert {field.name for field in TABLES["Settings"]} == known


def test_every_meaning_is_a_setting() -> None:
    for names, kind in ((SECOND, SettingsII), (THIRD, SettingsIII)):
        attributes = [attribute for attribute, _ in names.values()]
        assert len(set(attributes)) == len(attributes)
        assert set(attributes) <= {each.name for each in fields(kind)}


def test_the_guides_defaults_are_ours() -> None:
    defaults = {field.name: field.default for field in TABLES["Settings"] if field.default is not None}
    found = settings_for([row(Section=1, **defaults)], 1)
    assert (found.second, found.third, found.sentences) == (SettingsII(), SettingsIII(), ())


def any_settings(kind: type[SettingsII] | type[SettingsIII]) -> st.SearchStrategy[Any]:
    names = SECOND if kind is SettingsII else THIRD
    choices = dict(names.values())
    parts: dict[str, st.SearchStrategy[Any]] = {}
    for each in fields(kind):
        default = each.default
        if choices.get(each.name) is not None:
            parts[each.name] = st.sampled_from(list(choices[each.name] or ()))
        elif each.name == "enter_hand_record":
            parts[each.name] = st.sampled_from(list(HandEntry))
        elif each.name not in choices:
            continue
        elif isinstance(default, bool):
            parts[each.name] = st.booleans()
        elif each.name == "pin":
            parts[each.name] = st.from_regex(r"[0-9]{4}", fullmatch=True)
        else:
            parts[each.name] = st.integers(*RANGES[each.name])
    return st.builds(kind, **parts)


@given(any_settings(SettingsII), any_settings(SettingsIII))
def test_settings_come_back(second: SettingsII, third: SettingsIII) -> None:
    assert unsaid(second) == []
    assert unsaid(third) == []
    found = settings_for([row(Section=1, **settings_values(second, third))], 1)
    assert (found.second, found.third, found.sentences) == (second, third, ())


def test_an_absent_column_keeps_our_own_setting() -> None:
    own = SettingsII(ask_lead=True, pin="4321")
    found = settings_for([row(Section=1, ShowResults=False)], 1, second=own)
    assert found.second is not None
    assert (found.second.ask_lead, found.second.pin, found.second.show_results) == (True, "4321", False)
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
def test_a_value_without_sense_is_told_and_left_out(name: str, value: Any) -> None:
    found = settings_for([row(Section=1, **{name: value})], 1)
    assert (found.second, found.third) == (None, None)
    assert len(found.sentences) == 1
    assert found.sentences[0].startswith(name)


def test_when_hands_are_entered_takes_two_fields() -> None:
    found = settings_for([row(Section=1, BM2EnterHandRecord=True, BM2EnterHandRecordWhen=5)], 1)
    assert found.second is not None
    assert found.second.enter_hand_record is HandEntry.AFTER_ROUND
    assert found.sentences == ("BM2EnterHandRecordWhen is from 0 to 1, not 5.",)
    found = settings_for([row(Section=1, BM2EnterHandRecord=False, BM2EnterHandRecordWhen=1)], 1)
    assert found.second is not None
    assert found.second.enter_hand_record is HandEntry.NEVER


def test_what_the_file_cannot_say() -> None:
    assert unsaid(SettingsIII(keep_awake=True)) == ["keep_awake (True)"]
