"""What the keys of screens and notices say, in the eleven languages. The catalogues are files beside this one."""

import json
from functools import cache
from importlib import resources

from overtrick.control.machine import Notice
from overtrick.control.screens import Screen
from overtrick.event.settings import Language

LANGUAGE_NAMES: dict[Language, str] = {
    Language.ENGLISH: "English",
    Language.DUTCH: "Nederlands",
    Language.FRENCH: "Français",
    Language.GERMAN: "Deutsch",
    Language.ITALIAN: "Italiano",
    Language.DANISH: "Dansk",
    Language.SPANISH: "Español",
    Language.NORWEGIAN: "Norsk",
    Language.POLISH: "Polski",
    Language.SWEDISH: "Svenska",
    Language.TURKISH: "Türkçe",
}
"""The languages as those who speak them call them."""


@cache
def catalogue(language: Language) -> dict[str, str]:
    """Every message of a language, by its key."""
    file = resources.files("overtrick.control") / "languages" / f"{language.value}.json"
    messages: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return messages


def say(language: Language, message: str | Notice | Screen) -> str:
    """A key, a notice or the head of a screen as a sentence.

    >>> say(Language.FRENCH, Notice("no-such-table", {"table": "B9"}))
    "La table B9 n'existe pas"
    >>> say(Language.SWEDISH, Notice("enter-number", {"seat": "N"})), say(Language.DUTCH, "label.pass")
    ('Medlemsnummer för Nord', 'Rondpas')
    """
    messages = catalogue(language)
    if isinstance(message, str):
        return messages[message]
    figures = {name: figure or "–" for name, figure in message.about.items()}
    if "seat" in figures:
        figures["seat"] = messages[f"label.seat.{figures['seat']}"]
    return messages[message.key].format(**figures)
