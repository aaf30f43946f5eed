"""The rules of a terminal: the settings of either generation, converted to one form. Pure: no I/O.

Code that depends on a setting reads `TerminalRules`, so that the effect of a setting is decided in one place.
"""

from dataclasses import dataclass, fields
from typing import Any

from overtrick.event.settings import (
    HandEntry,
    Language,
    LeadEntry,
    NameSource,
    NumberEntry,
    NumberRules,
    Overview,
    PairNumberEntry,
    Perspective,
    ResultEntryMethod,
    ScoreRecap,
    SettingsII,
    SettingsIII,
    ShowNames,
    ShowRanking,
    Spelling,
    SummaryPoints,
    ViewResults,
)

_LINES: dict[Overview, int] = {
    overview: 4 if overview in (Overview.FREQUENCY_4_1, Overview.TRAVELLER_4_1) else 6
    for overview in Overview
}
_FREQUENCIES = (Overview.FREQUENCY_6_1, Overview.FREQUENCY_6_2, Overview.FREQUENCY_4_1)


@dataclass(frozen=True, slots=True)
class TerminalRules:
    """The rules of a terminal: what it asks, what it shows, and what players may do."""

    pin: str = "0000"
    confirm_not_played: bool = False
    director_calls: bool = False
    language: Language = Language.ENGLISH
    is_offline: bool = False
    """True if nothing is sent before the last board has been played."""

    # before play
    confirm_starting_positions: bool = False
    number_entry: NumberEntry = NumberEntry.NEVER
    numbers_during_play: bool = False
    numbers_required: bool = False
    number_rules: NumberRules = NumberRules.NONE
    preload_numbers: bool = False
    name_source: NameSource = NameSource.SESSION
    numbers_as_text: bool = True
    show_names: ShowNames = ShowNames.EVERY_ROUND
    show_pair_numbers: bool = True
    north_at_bottom: bool = False

    # a board
    auto_board_number: bool = True
    first_board_manually: bool = False
    verify_board_order: bool = True
    pair_number_entry: PairNumberEntry = PairNumberEntry.NEVER
    lead_entry: LeadEntry = LeadEntry.NEVER
    result_entry: ResultEntryMethod = ResultEntryMethod.RELATIVE
    send_contracts: bool = False
    record_bidding: bool = False
    record_play: bool = False
    validate_recording: bool = False
    show_hands_while_recording: bool = False
    verification_seconds: int = 2
    spelling: Spelling = Spelling.SYMBOLS

    # after a board
    view_results: ViewResults = ViewResults.ALL
    show_own_result: bool = True
    show_percentage: bool = True
    show_points: bool = False
    """True if points replace percentages that are switched off or not available."""
    repeat_results: bool = False
    maximum_results: int = 0
    is_frequency: bool = False
    lines: int = 6
    two_columns: bool = False
    perspective: Perspective = Perspective.NORTH_SOUTH
    show_remaining_boards: bool = True
    view_hand_record: bool = False
    enter_hand_record: HandEntry = HandEntry.NEVER
    correction: bool = False
    score_recap: ScoreRecap = ScoreRecap.NEVER

    # after a round
    auto_score_recap: bool = False
    ranking: ShowRanking = ShowRanking.NEVER
    show_next_seating: bool = True
    summary: SummaryPoints = SummaryPoints.NONE
    reset_key: bool = True

    @property
    def checks_lead(self) -> bool:
        """Return whether a lead is checked against the deal."""
        return self.lead_entry in (LeadEntry.CHECKED, LeadEntry.CHECKED_WITH_EXCEPTIONS)

    @property
    def needs_deals(self) -> bool:
        """Return whether a terminal needs the deals."""
        return self.checks_lead or self.view_hand_record or self.needs_deals_ahead

    @property
    def needs_deals_ahead(self) -> bool:
        """Return whether a terminal needs the deals before the boards are played."""
        is_recording = self.record_bidding or self.record_play
        shows_hands = is_recording and self.show_hands_while_recording
        return self.checks_lead or shows_hands or (self.record_play and self.validate_recording)


def rules_of(settings: SettingsII | SettingsIII | None) -> TerminalRules:
    """Return the rules that follow from settings; None means the defaults of the Bridgemate III.

    A rule has the value of the setting with the same name, unless the generation expresses it differently.

    >>> rules_of(SettingsII(ask_lead=True, validate_lead=True)).lead_entry
    <LeadEntry.CHECKED: 'checked'>
    >>> rules_of(None) == rules_of(SettingsIII())
    True
    """
    settings = settings or SettingsIII()
    same_rules = {name: getattr(settings, name) for name in _SAME_NAMES[type(settings)]}
    return TerminalRules(
        **same_rules
        | (_rules_of_second(settings) if isinstance(settings, SettingsII) else _rules_of_third(settings))
    )


_SAME_NAMES = {
    kind: {rule.name for rule in fields(TerminalRules)} & {setting.name for setting in fields(kind)}
    for kind in (SettingsII, SettingsIII)
}


def _rules_of_second(settings: SettingsII) -> dict[str, Any]:
    if not settings.ask_lead:
        lead = LeadEntry.NEVER
    else:
        lead = LeadEntry.CHECKED if settings.validate_lead else LeadEntry.UNCHECKED
    if not settings.ask_numbers:
        numbers = NumberEntry.NEVER
    else:
        numbers = NumberEntry.EVERY_ROUND if settings.numbers_each_round else NumberEntry.FIRST_ROUND
    # The `.bws` guide: the summary needs the ranking.
    with_summary = settings.summary and settings.ranking is not ShowRanking.NEVER
    return {
        "number_entry": numbers,
        "lead_entry": lead,
        # Bridgemate II has no setting that shows only the table's own result.
        "view_results": ViewResults.ALL if settings.show_results else ViewResults.NONE,
        "is_frequency": settings.overview in _FREQUENCIES,
        "lines": _LINES[settings.overview],
        "two_columns": settings.overview in (Overview.FREQUENCY_6_2, Overview.TRAVELLER_6_2),
        "correction": settings.score_correction,
        "score_recap": ScoreRecap.ALWAYS if settings.score_recap else ScoreRecap.NEVER,
        "summary": settings.summary_points if with_summary else SummaryPoints.NONE,
    }


def _rules_of_third(settings: SettingsIII) -> dict[str, Any]:
    return {
        "is_offline": settings.offline,
        "numbers_during_play": settings.number_entry_during_play,
        # The Data Connector's guide: matchpoints if percentages are switched off.
        "show_percentage": settings.view_percentages,
        "show_points": True,
        "two_columns": settings.two_score_columns,
        "correction": settings.reentry,
        "summary": SummaryPoints.PERCENTAGE if settings.summary else SummaryPoints.NONE,
    }
