"""What the terminal in the browser must not say twice: enumerations, blank values, texts; written from the Python ones.

The machine itself is written a second time, in `static/terminal`, because a key has to be answered without the network.
"""

import json
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache
from typing import Any

from overtrick.bridge import AWARDS, CARDS, SEATS, Doubling, Strain
from overtrick.bridge.card import SUITS_FROM_SPADES
from overtrick.control import memory, messages, screens
from overtrick.control.machine import Draft, Machine, Purpose, Stage
from overtrick.control.numbers import LONGEST
from overtrick.event import Reason, settings
from overtrick.event.calls import CallStatus
from overtrick.event.hands import HandRecord, HandSource
from overtrick.event.results import Origin, ResultEntry
from overtrick.event.seating import Participation, Source
from overtrick.event.settings import Language

ENUMERATIONS: tuple[type[Enum], ...] = (
    *(Stage, Purpose, Reason, CallStatus, HandSource, Origin, Source, Doubling),
    *(
        each
        for each in vars(settings).values()
        if isinstance(each, type) and issubclass(each, Enum) and each.__module__ == settings.__name__
    ),
)


def blank(kind: type) -> dict[str, Any]:
    """What a value of a class is where nothing is given; what must be given is not in it.

    >>> blank(HandRecord)
    {'tricks': None}
    """
    found = {}
    for each in fields(kind):
        if each.default is not MISSING:
            found[each.name] = memory.plain(each.default)
        elif each.default_factory is not MISSING:
            found[each.name] = memory.plain(each.default_factory())
    return found


@cache
def vocabulary_module() -> str:
    """The module `vocabulary.js` of the terminal."""
    screen_keys = {
        name: screen.key
        for name, screen in vars(screens).items()
        if isinstance(screen, type) and issubclass(screen, screens.Screen) and hasattr(screen, "key")
    }
    constants: dict[str, Any] = {
        **{kind.__name__: {each.name: each.value for each in kind} for kind in ENUMERATIONS},
        "BLANK": {
            "machine": blank(Machine),
            "draft": blank(Draft),
            "result_entry": blank(ResultEntry),
            "participation": blank(Participation),
            "hand_record": blank(HandRecord),
        },
        "COMMANDS": {name: blank(command) for name, command in memory.COMMANDS.items()},
        "SCREENS": screen_keys,
        "SEATS": [seat.value for seat in SEATS],
        "STRAINS": [
            {
                "letter": each.letter,
                "symbol": each.symbol,
                "suit": "" if each.suit is None else each.suit.letter,
            }
            for each in Strain
        ],
        "SUITS": [{"letter": suit.letter, "symbol": suit.symbol} for suit in SUITS_FROM_SPADES],
        "SIGNS": [doubling.sign for doubling in Doubling],
        "CARDS": [card.value for card in CARDS],
        "AWARDS": [str(award) for award in AWARDS],
        "LONGEST_NUMBER": LONGEST,
        "LANGUAGES": {language.value: name for language, name in messages.LANGUAGE_NAMES.items()},
    }
    lines = [
        "// Written from the Python enumerations and classes by overtrick.web.vocabulary; not kept as a file."
    ]
    lines += [f"export const {name} = {_json(value)};" for name, value in constants.items()]
    return "\n".join([*lines, ""])


@cache
def texts(language: Language) -> str:
    """Every text of a language, as JSON."""
    return _json(messages.catalogue(language))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
