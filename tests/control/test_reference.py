from dataclasses import replace
from enum import Enum
from pathlib import Path

import pytest

from overtrick.bridgemate.settings import SECOND, THIRD, Setting, SettingSupport
from overtrick.control import reference
from overtrick.control.rules import rules_of
from overtrick.event.settings import RANGES, SettingsII, SettingsIII, ShowRanking, ViewResults

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "file"), [("settings", "reference/settings.md"), ("not-honoured", "not-honoured.md")]
)
def test_the_page_is_current(page: str, file: str) -> None:
    made = "\n".join(reference.PAGES[page]()) + "\n"
    assert (DOCS / file).read_text() == made, f"python -m overtrick.control.reference {page} > docs/{file}"


BASES: tuple[SettingsII | SettingsIII, ...] = (
    SettingsII(),
    SettingsII(ask_lead=True, ask_numbers=True, summary=True, ranking=ShowRanking.AT_END),
    SettingsII(summary=False, ranking=ShowRanking.AT_END),
    SettingsII(show_results=False),
    SettingsIII(),
    SettingsIII(view_results=ViewResults.ALL),
)


def _others(value: object, word: str) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, Enum):
        return [each for each in type(value) if each is not value]
    if isinstance(value, int):
        return [each for each in RANGES[word] if each != value]
    return ["9876"]


@pytest.mark.parametrize(
    ("kind", "setting"),
    [(kind, setting) for kind, table in ((SettingsII, SECOND), (SettingsIII, THIRD)) for setting in table],
    ids=lambda value: value.name if isinstance(value, Setting) else value.__name__,
)
def test_a_setting_that_does_something_changes_the_rules_and_no_other_does(
    kind: type, setting: Setting
) -> None:
    changes = any(
        rules_of(replace(base, **{setting.name: other})) != rules_of(base)  # type: ignore[arg-type]
        for base in BASES
        if isinstance(base, kind)
        for other in _others(getattr(base, setting.name), setting.name)
    )
    # Shutting down is the program's business and not a terminal's.
    assert changes is (setting.support is SettingSupport.HONOURED and setting.name != "auto_shutdown")
