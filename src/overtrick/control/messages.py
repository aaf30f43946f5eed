"""The texts of the terminal in its eleven languages, read from the JSON catalogues beside this module."""

import json
from functools import cache
from importlib import resources

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
"""The name of each language in that language."""


@cache
def catalogue(language: Language) -> dict[str, str]:
    """Return every message of a language, by its key."""
    file = resources.files("overtrick.control") / "languages" / f"{language.value}.json"
    messages: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return messages
