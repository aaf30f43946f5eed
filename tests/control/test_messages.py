import re
from string import Formatter

import pytest

from overtrick.control import inputs, messages, screens
from overtrick.control.machine import Notice
from overtrick.event import Reason
from overtrick.event.calls import CallStatus
from overtrick.event.settings import Language, ResultEntryMethod, SettingsII, SettingsIII
from tests.control.random_evening import RandomEvening
from tests.control.room import OK, Room, board

ENGLISH = messages.catalogue(Language.ENGLISH)


def _figures(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", list(Language))
def test_every_key_is_in_every_language_with_the_same_figures(language: Language) -> None:
    catalogue = messages.catalogue(language)
    assert list(catalogue) == list(ENGLISH)
    for key, text in catalogue.items():
        assert text.strip() == text != ""
        assert _figures(text) == _figures(ENGLISH[key]), key


def test_a_language_is_a_language_of_its_own() -> None:
    for language in Language:
        if language is not Language.ENGLISH:
            same = [
                key
                for key, text in messages.catalogue(language).items()
                if text == ENGLISH[key] and len(re.sub(r"\{\w+\}", "", text)) > 11
            ]
            assert same == []


def test_every_screen_call_reason_and_seat_has_its_message() -> None:
    for screen in vars(screens).values():
        if isinstance(screen, type) and issubclass(screen, screens.Screen) and hasattr(screen, "key"):
            assert screen.key in ENGLISH
    for status in CallStatus:
        assert f"call.{status.value}" in ENGLISH
    for reason in Reason:
        assert f"conflict.{reason.value}" in ENGLISH
    for method in ResultEntryMethod:
        assert f"label.{method.value}" in ENGLISH


def test_every_notice_that_random_keys_bring_up_can_be_said() -> None:
    evening = RandomEvening(11)
    for _ in range(400):
        evening.step()
        shown = evening.terminal.display
        for said in (shown.screen, shown.notice):
            if said is not None:
                assert "{" not in messages.say(shown.language, said)
    assert evening.notices


def test_a_player_chooses_a_language_of_the_section() -> None:
    room = Room(SettingsIII(language=Language.POLISH))
    terminal = room.at_table()
    assert terminal.language is Language.POLISH
    assert re.match("Stół A1, runda 1", messages.say(terminal.language, terminal.display.screen))
    room.press(terminal, inputs.ChooseLanguage(Language.TURKISH))
    assert messages.say(terminal.language, terminal.display.screen) == "Masa A1, tur 1, bordlar 1-4"


def test_the_second_generation_speaks_english_until_someone_chooses() -> None:
    room = Room(SettingsII())
    terminal = room.at_table()
    room.press(terminal, OK, *board())
    assert terminal.language is Language.ENGLISH


def test_nothing_known_is_a_dash() -> None:
    assert "– was not taken" in messages.say(
        Language.ENGLISH, Notice("conflict", {"meant": "", "stands": "NP"})
    )
