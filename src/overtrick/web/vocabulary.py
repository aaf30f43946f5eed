"""The enumerations, commands, default values and texts that the terminal in the browser shares with the server.

They are defined in Python and served as a JavaScript module and as JSON; the terminal itself is in `static/terminal`.
"""

import json
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache
from typing import Any

from overtrick.bridge import AWARDS, CARDS, SEATS, Doubling, Strain
from overtrick.bridge.card import SUITS_FROM_SPADES
from overtrick.control import entries, messages
from overtrick.event import Reason, settings
from overtrick.event.calls import CallStatus
from overtrick.event.hands import HandRecord, HandSource
from overtrick.event.results import Origin, ResultEntry
from overtrick.event.seating import Participation, Source
from overtrick.event.settings import Language

ENUMERATIONS: tuple[type[Enum], ...] = (
    *(Reason, CallStatus, HandSource, Origin, Source, Doubling),
    *(
        value
        for value in vars(settings).values()
        if isinstance(value, type) and issubclass(value, Enum) and value.__module__ == settings.__name__
    ),
)


def blank(kind: type) -> dict[str, Any]:
    """Return the optional fields of a class with their defaults, as JSON values.

    >>> blank(HandRecord)
    {'tricks': None}
    """
    defaults = {}
    for attribute in fields(kind):
        if attribute.default is not MISSING:
            defaults[attribute.name] = entries.as_json_types(attribute.default)
        elif attribute.default_factory is not MISSING:
            defaults[attribute.name] = entries.as_json_types(attribute.default_factory())
    return defaults


@cache
def vocabulary_module() -> str:
    """Return the source of the terminal's module `vocabulary.js`."""
    constants: dict[str, Any] = {
        **{kind.__name__: {member.name: member.value for member in kind} for kind in ENUMERATIONS},
        "BLANK": {
            "result_entry": blank(ResultEntry),
            "participation": blank(Participation),
            "hand_record": blank(HandRecord),
        },
        "COMMANDS": {name: blank(command) for name, command in entries.COMMANDS.items()},
        "SEATS": [seat.value for seat in SEATS],
        "STRAINS": [
            {
                "letter": strain.letter,
                "symbol": strain.symbol,
                "suit": "" if strain.suit is None else strain.suit.letter,
            }
            for strain in Strain
        ],
        "SUITS": [{"letter": suit.letter, "symbol": suit.symbol} for suit in SUITS_FROM_SPADES],
        "SIGNS": [doubling.sign for doubling in Doubling],
        "CARDS": [card.value for card in CARDS],
        "AWARDS": [str(award) for award in AWARDS],
        "LANGUAGES": {language.value: name for language, name in messages.LANGUAGE_NAMES.items()},
    }
    lines = [
        "// Written from the Python enumerations and classes by overtrick.web.vocabulary; not kept as a file."
    ]
    lines += [f"export const {name} = {_json(value)};" for name, value in constants.items()]
    return "\n".join([*lines, ""])


@cache
def texts(language: Language) -> str:
    """Return all texts of a language as JSON."""
    return _json(messages.catalogue(language))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
