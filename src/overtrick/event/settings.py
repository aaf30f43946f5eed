"""The settings of a section's terminals, for both generations of table units, under our own names.

The defaults are those of Bridgemate's `.bws` guide, and the choices of a setting are in the order in which table units
number them. Settings that mean nothing on a phone (brightness, volume) are stored for real table units.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Any

from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.rejection import Problem, Reason, Rejection, rejected
from overtrick.event.setup import SectionDropped

if TYPE_CHECKING:
    from overtrick.event.session import Session


class Perspective(Enum):
    """The side from which scores are shown."""

    NORTH_SOUTH = "north-south"
    DECLARER = "declarer"


class ResultEntryMethod(Enum):
    """The way in which tricks are entered."""

    RELATIVE = "relative"
    """Won or lost against the contract: +1, =, -2."""
    TOTAL = "total"
    AMERICAN = "american"


class Spelling(Enum):
    """The way in which a contract is shown."""

    SYMBOLS = "symbols"
    LETTERS = "letters"


class Overview(Enum):
    """The form in which earlier results of a board are shown, with the number of lines and score columns."""

    FREQUENCY_6_1 = "frequency, 6 lines, 1 column"
    FREQUENCY_6_2 = "frequency, 6 lines, 2 columns"
    FREQUENCY_4_1 = "frequency, 4 lines, 1 column"
    TRAVELLER_6_1 = "traveller, 6 lines, 1 column"
    TRAVELLER_6_2 = "traveller, 6 lines, 2 columns"
    TRAVELLER_4_1 = "traveller, 4 lines, 1 column"


class ShowNames(Enum):
    """The rounds in which names are shown."""

    NEVER = "never"
    EVERY_ROUND = "every round"
    FIRST_ROUND = "first round"


class ShowRanking(Enum):
    """The rounds in which the running ranking is shown."""

    NEVER = "never"
    EVERY_ROUND = "every round"
    AT_END = "at the end"
    ALWAYS = "always"


class SummaryPoints(Enum):
    """The points in the summary at the end of a round."""

    NONE = "none"
    MATCHPOINTS = "matchpoints"
    PERCENTAGE = "percentage"


class PairNumberEntry(Enum):
    """The rule for asking the declaring pair's number."""

    NEVER = "never"
    OPTIONAL = "optional"
    REQUIRED = "required"


class NumberRules(Enum):
    """The federation whose rules a player's number must follow."""

    NONE = "none"
    ACBL = "ACBL"
    FFB = "FFB"
    ABF = "ABF"
    JCBL = "JCBL"


class NameSource(Enum):
    """The source of the name for a number."""

    SESSION = "session"
    LOOKUP_FILE = "lookup file"
    NONE = "none"
    SESSION_THEN_LOOKUP_FILE = "session, then lookup file"


class HandEntry(Enum):
    """The time at which players may enter an unknown deal."""

    NEVER = "never"
    AFTER_BOARD = "after the board"
    AFTER_ROUND = "after the round"


class Language(Enum):
    """The eleven languages of a terminal, by their ISO code."""

    ENGLISH = "en"
    DUTCH = "nl"
    FRENCH = "fr"
    GERMAN = "de"
    ITALIAN = "it"
    DANISH = "da"
    SPANISH = "es"
    NORWEGIAN = "no"
    POLISH = "pl"
    SWEDISH = "sv"
    TURKISH = "tr"


class LeadEntry(Enum):
    """The rule for asking the lead, and for checking it against the deal."""

    NEVER = "never"
    UNCHECKED = "unchecked"
    CHECKED = "checked"
    CHECKED_WITH_EXCEPTIONS = "checked, exceptions allowed"


class NumberEntry(Enum):
    """The rounds in which players may enter their numbers."""

    NEVER = "never"
    FIRST_ROUND = "first round"
    EVERY_ROUND = "every round"


class ScoreRecap(Enum):
    """The time at which the scores of the round can be viewed."""

    NEVER = "never"
    END_OF_ROUND = "end of the round"
    ALWAYS = "always"


class ViewResults(Enum):
    """The results of the board that are shown after entering one."""

    NONE = "none"
    OWN = "own"
    ALL = "all"
    END_OF_ROUND = "end of the round"


@dataclass(frozen=True, slots=True)
class SettingsII:
    """The settings of a section for terminals of the second generation, and of Bridgemate Pro."""

    show_results: bool = True
    show_own_result: bool = True
    repeat_results: bool = False
    maximum_results: int = 0
    """0: no maximum."""
    show_percentage: bool = True
    group_sections: bool = False
    perspective: Perspective = Perspective.DECLARER
    result_entry: ResultEntryMethod = ResultEntryMethod.RELATIVE
    show_pair_numbers: bool = True
    send_contracts: bool = False
    """Contract and lead are sent before the result is known."""
    power_off_seconds: int = 20
    verification_seconds: int = 2
    spelling: Spelling = Spelling.LETTERS
    ask_lead: bool = False
    ask_numbers: bool = False
    numbers_required: bool = False
    verify_board_order: bool = True
    validate_recorded_play: bool = True
    auto_shutdown: bool = False
    pin: str = "0000"
    confirm_not_played: bool = False
    director_calls: bool = False
    show_remaining_boards: bool = True
    show_next_seating: bool = True
    score_recap: bool = False
    auto_score_recap: bool = False
    score_correction: bool = False
    auto_board_number: bool = True
    first_board_manually: bool = False
    validate_lead: bool = False
    overview: Overview = Overview.FREQUENCY_6_1
    show_names: ShowNames = ShowNames.NEVER
    ranking: ShowRanking = ShowRanking.NEVER
    summary: bool = False
    summary_points: SummaryPoints = SummaryPoints.MATCHPOINTS
    pair_number_entry: PairNumberEntry = PairNumberEntry.NEVER
    reset_key: bool = True
    record_bidding: bool = False
    record_play: bool = False
    validate_recording: bool = False
    show_hands_while_recording: bool = False
    number_rules: NumberRules = NumberRules.NONE
    numbers_each_round: bool = False
    preload_numbers: bool = False
    name_source: NameSource = NameSource.SESSION
    view_hand_record: bool = False
    enter_hand_record: HandEntry = HandEntry.NEVER
    numbers_as_text: bool = False


@dataclass(frozen=True, slots=True)
class SettingsIII:
    """The settings of a section for terminals of the third generation."""

    brightness: int = 6
    dim_after: int = 2
    """In units of five seconds, like the next two; 0: never."""
    off_after: int = 2
    sleep_after: int = 120
    volume: int = 2
    language: Language = Language.ENGLISH
    offline: bool = False
    keep_awake: bool = False
    pin: str = "0000"
    confirm_not_played: bool = False
    director_calls: bool = True
    result_entry: ResultEntryMethod = ResultEntryMethod.RELATIVE
    reentry: bool = True
    lead_entry: LeadEntry = LeadEntry.UNCHECKED
    north_at_bottom: bool = False
    number_entry: NumberEntry = NumberEntry.NEVER
    number_entry_during_play: bool = False
    numbers_required: bool = False
    confirm_starting_positions: bool = False
    ranking: ShowRanking = ShowRanking.EVERY_ROUND
    show_next_seating: bool = True
    score_recap: ScoreRecap = ScoreRecap.ALWAYS
    two_score_columns: bool = False
    view_results: ViewResults = ViewResults.ALL
    view_percentages: bool = True
    view_hand_record: bool = False
    enter_hand_record: HandEntry = HandEntry.NEVER
    summary: bool = False


RANGES: dict[str, tuple[int, int]] = {
    "maximum_results": (0, 127),
    "power_off_seconds": (0, 255),
    "verification_seconds": (1, 7),
    "brightness": (1, 7),
    "dim_after": (0, 15),
    "off_after": (0, 15),
    "sleep_after": (0, 120),
    "volume": (0, 7),
}
"""The smallest and largest value of each numeric setting."""


@fact("settings-ii-set")
class SettingsIISet(Fact):
    """A section's terminals of the second generation have these settings."""

    section: str
    settings: SettingsII


@fact("settings-iii-set")
class SettingsIIISet(Fact):
    """A section's terminals of the third generation have these settings."""

    section: str
    settings: SettingsIII


@dataclass(frozen=True, slots=True)
class PutSettings(Command):
    """Set the settings of sections, all or none."""

    session: str
    settings: tuple[tuple[str, SettingsII | SettingsIII], ...]


@dataclass(slots=True)
class Settings:
    """The settings of each section that has any, by generation."""

    second: dict[str, SettingsII] = field(default_factory=dict)
    third: dict[str, SettingsIII] = field(default_factory=dict)

    def copy(self) -> Settings:
        """Return a copy that can be changed independently."""
        return Settings(dict(self.second), dict(self.third))


def apply(settings: Settings, fact: Fact) -> None:
    """Apply one fact to the settings, in place."""
    match fact:
        case SettingsIISet():
            settings.second[fact.section] = fact.settings
        case SettingsIIISet():
            settings.third[fact.section] = fact.settings
        case SectionDropped():
            settings.second.pop(fact.section, None)
            settings.third.pop(fact.section, None)


def is_pin(text: str) -> bool:
    """Return whether this is a PIN: four digits."""
    return len(text) == 4 and text.isascii() and text.isdigit()


def settings_problems(settings: SettingsII | SettingsIII, where: str) -> list[Problem]:
    """Return the problems of values out of range and of an invalid PIN.

    >>> [problem.sentence for problem in settings_problems(SettingsIII(volume=9, pin="12a4"), "section A")]
    ['Volume is from 0 to 7, not 9.', 'A PIN is four digits.']
    """
    problems: list[Problem] = []
    for setting in fields(settings):
        value: Any = getattr(settings, setting.name)
        if setting.name in RANGES:
            least, most = RANGES[setting.name]
            if not least <= value <= most:
                name = setting.name.replace("_", " ").capitalize()
                problems.append(
                    Problem(Reason.NOT_ALLOWED, f"{name} is from {least} to {most}, not {value}.", where)
                )
    if not is_pin(settings.pin):
        problems.append(Problem(Reason.NOT_ALLOWED, "A PIN is four digits.", where))
    return problems


def put_settings(session: Session, command: PutSettings) -> tuple[Fact, ...] | Rejection:
    """Decide about settings; rejected for an unknown section or a value out of range."""
    problems: list[Problem] = []
    second: dict[str, SettingsII] = {}
    third: dict[str, SettingsIII] = {}
    for section, settings in command.settings:
        if section not in session.setup.sections:
            problems.append(Problem(Reason.UNKNOWN_PLACE, f"There is no section {section}."))
            continue
        problems += settings_problems(settings, f"section {section}")
        if isinstance(settings, SettingsII):
            second[section] = settings
        else:
            third[section] = settings
    stored = session.settings
    facts: list[Fact] = [
        *(SettingsIISet(section, ii) for section, ii in second.items() if stored.second.get(section) != ii),
        *(SettingsIIISet(section, iii) for section, iii in third.items() if stored.third.get(section) != iii),
    ]
    return rejected(problems) or tuple(facts)
