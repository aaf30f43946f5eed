"""The settings form of a section's terminals: every setting with a sentence on its effect.

The sentences are those of the settings reference, with a note for a setting that has no effect here.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from overtrick.bridgemate.settings import SECOND, THIRD, Setting, SettingSupport
from overtrick.control.messages import LANGUAGE_NAMES
from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.settings import RANGES, Language, PutSettings, SettingsII, SettingsIII
from overtrick.event.setup import Generation
from overtrick.web.forms import Form, read_count


@dataclass(frozen=True, slots=True)
class SettingField:
    """A setting as a field of the form."""

    name: str
    title: str
    sentence: str
    kind: str
    """yes, choice, number or text."""
    choices: tuple[tuple[str, str], ...] = ()
    """Values and labels."""
    least: int = 0
    most: int = 0
    group: str = ""
    """The heading that it is under, one of `GROUPS`."""


@dataclass(frozen=True, slots=True)
class SettingsForm:
    """The settings of one generation for a section."""

    generation: Generation
    title: str
    fields: tuple[SettingField, ...]
    values: SettingsII | SettingsIII
    is_in_use: bool
    """True if the terminals of the section use them."""
    is_set: bool

    @property
    def groups(self) -> dict[str, list[SettingField]]:
        """Return the fields by their headings, in the order of `GROUPS`."""
        return {name: [field for field in self.fields if field.group == name] for name in GROUPS}


def _field(setting: Setting) -> SettingField:
    name, default = setting.name, setting.default
    title = name.replace("_", " ").capitalize().replace("Pin", "Director's PIN")
    sentence = setting.effect
    if setting.support is SettingSupport.ELSEWHERE:
        sentence = f"Does nothing at a terminal. {sentence}"
    elif setting.support is SettingSupport.NOT:
        sentence = f"Does nothing here. {sentence}"
    least, most = RANGES.get(name, (0, 0))
    kind = "text"
    choices: tuple[tuple[str, str], ...] = ()
    if isinstance(default, bool):
        kind = "yes"
    elif isinstance(default, Enum):
        kind = "choice"
        choices = tuple((str(member.value), _choice_words(member)) for member in type(default))
    elif isinstance(default, int):
        kind = "number"
    return SettingField(name, title, sentence, kind, choices, least, most, _group(setting))


def _choice_words(choice: Enum) -> str:
    return LANGUAGE_NAMES[choice] if isinstance(choice, Language) else str(choice.value)


ENTRY_GROUP, DISPLAY_GROUP, DIRECTOR_GROUP, HARDWARE_GROUP = GROUPS = (
    "What terminals ask",
    "What terminals show",
    "The director",
    "Hardware only",
)
"""The headings of the settings, in order."""

_DISPLAY_SETTINGS = frozenset(
    [
        "show_results",
        "show_own_result",
        "repeat_results",
        "maximum_results",
        "show_percentage",
        "perspective",
        "show_pair_numbers",
        "spelling",
        "show_remaining_boards",
        "show_next_seating",
        "score_recap",
        "auto_score_recap",
        "overview",
        "show_names",
        "ranking",
        "summary",
        "summary_points",
        "show_hands_while_recording",
        "view_hand_record",
        "language",
        "north_at_bottom",
        "two_score_columns",
        "view_results",
        "view_percentages",
    ]
)
_DIRECTOR_SETTINGS = frozenset(
    ["pin", "confirm_not_played", "director_calls", "reset_key", "auto_shutdown", "offline"]
)


def _group(setting: Setting) -> str:
    """Return the heading of a setting: the last one if the setting has no effect on a phone."""
    if setting.support is not SettingSupport.HONOURED:
        return HARDWARE_GROUP
    return (
        DISPLAY_GROUP
        if setting.name in _DISPLAY_SETTINGS
        else DIRECTOR_GROUP
        if setting.name in _DIRECTOR_SETTINGS
        else ENTRY_GROUP
    )


FIELDS = {Generation.II: tuple(map(_field, SECOND)), Generation.III: tuple(map(_field, THIRD))}
"""Every setting of both generations, in the order of the documents."""


def settings_forms(session: Session, section: str) -> tuple[SettingsForm, ...]:
    """Return the settings forms of a section, that of the third generation first."""
    second, third = session.settings.second.get(section), session.settings.third.get(section)
    plays_second = session.opened.generation in (Generation.PRO, Generation.II)
    is_second_used = second is not None and (third is None or plays_second)
    return (
        SettingsForm(
            Generation.III,
            "Phones and Bridgemate 3",
            FIELDS[Generation.III],
            third or SettingsIII(),
            not is_second_used,
            third is not None,
        ),
        SettingsForm(
            Generation.II,
            "Bridgemate II and Pro",
            FIELDS[Generation.II],
            second or SettingsII(),
            is_second_used,
            second is not None,
        ),
    )


def settings_command(session: Session, form: Form) -> PutSettings:
    """Return the command for the settings of one section, or of all; raise BadInput for an invalid value."""
    section = form.get("section", "")[:3]
    is_second = form.get("generation", "III") == "II"
    sections = sorted(session.setup.sections) if form.get("everywhere") else [section]
    by_section = session.settings.second if is_second else session.settings.third
    defaults = SettingsII() if is_second else SettingsIII()
    previous = by_section.get(section, defaults)
    changes: dict[str, Any] = {}
    for field in FIELDS[Generation.II if is_second else Generation.III]:
        if f"has-{field.name}" not in form:
            continue
        value, text = getattr(previous, field.name), form.get(field.name, "")
        if isinstance(value, bool):
            changes[field.name] = bool(text)
        elif isinstance(value, Enum):
            try:
                changes[field.name] = type(value)(text)
            except ValueError as error:
                raise BadInput(
                    f"{text[:30]!r} is not a choice for “{field.title}”. Nothing was changed."
                ) from error
        elif isinstance(value, int):
            changes[field.name] = read_count(
                form, field.name, field.least, field.most, f"for “{field.title}”"
            )
        else:
            changes[field.name] = text[:20]
    settings = replace(previous, **changes)
    return PutSettings(session.opened.session, tuple((letters, settings) for letters in sections))
