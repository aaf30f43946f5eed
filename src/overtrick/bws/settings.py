"""Rows of settings, and the settings of a section's terminals that they say, in both directions.

A column that is absent keeps our own setting; a value that makes no sense is left out with a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any

from overtrick.bws.rows import FreeRow
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
    settings_problems,
)

_ENTRY = (ResultEntryMethod.RELATIVE, ResultEntryMethod.TOTAL, ResultEntryMethod.AMERICAN)
_RANKING_II = (ShowRanking.NEVER, ShowRanking.EVERY_ROUND, ShowRanking.AT_END)

Choices = Sequence[object] | None
"""What the values 0, 1, 2 … of a field mean; None where the value is the setting."""

SECOND: dict[str, tuple[str, Choices]] = {
    "ShowResults": ("show_results", None),
    "ShowOwnResult": ("show_own_result", None),
    "RepeatResults": ("repeat_results", None),
    "MaximumResults": ("maximum_results", None),
    "ShowPercentage": ("show_percentage", None),
    "GroupSections": ("group_sections", None),
    "ScorePoints": ("perspective", (Perspective.NORTH_SOUTH, Perspective.DECLARER)),
    "EnterResultsMethod": ("result_entry", _ENTRY),
    "ShowPairNumbers": ("show_pair_numbers", None),
    "IntermediateResults": ("send_contracts", None),
    "AutopoweroffTime": ("power_off_seconds", None),
    "VerificationTime": ("verification_seconds", None),
    "ShowContract": ("spelling", (Spelling.SYMBOLS, Spelling.LETTERS)),
    "LeadCard": ("ask_lead", None),
    "MemberNumbers": ("ask_numbers", None),
    "MemberNumbersNoBlankEntry": ("numbers_required", None),
    "BoardOrderVerification": ("verify_board_order", None),
    "HandRecordValidation": ("validate_recorded_play", None),
    "AutoShutDownBPC": ("auto_shutdown", None),
    "BM2PINcode": ("pin", None),
    "BM2ConfirmNP": ("confirm_not_played", None),
    "BM2TDCall": ("director_calls", None),
    "BM2RemainingBoards": ("show_remaining_boards", None),
    "BM2NextSeatings": ("show_next_seating", None),
    "BM2ScoreRecap": ("score_recap", None),
    "BM2AutoShowScoreRecap": ("auto_score_recap", None),
    "BM2ScoreCorrection": ("score_correction", None),
    "BM2AutoBoardNumber": ("auto_board_number", None),
    "BM2FirstBoardManually": ("first_board_manually", None),
    "BM2ValidateLeadCard": ("validate_lead", None),
    "BM2ResultsOverview": ("overview", tuple(Overview)),
    "BM2ShowPlayerNames": ("show_names", (ShowNames.NEVER, ShowNames.EVERY_ROUND, ShowNames.FIRST_ROUND)),
    "BM2Ranking": ("ranking", _RANKING_II),
    "BM2GameSummary": ("summary", None),
    "BM2SummaryPoints": ("summary_points", (SummaryPoints.MATCHPOINTS, SummaryPoints.PERCENTAGE)),
    "BM2PairNumberEntry": ("pair_number_entry", tuple(PairNumberEntry)),
    "BM2ResetFunctionKey": ("reset_key", None),
    "BM2RecordBidding": ("record_bidding", None),
    "BM2RecordPlay": ("record_play", None),
    "BM2ValidateRecording": ("validate_recording", None),
    "BM2ShowHands": ("show_hands_while_recording", None),
    "BM2NumberValidation": ("number_rules", tuple(NumberRules)),
    "BM2NumberEntryEachRound": ("numbers_each_round", None),
    "BM2NumberEntryPreloadValues": ("preload_numbers", None),
    "BM2NameSource": (
        "name_source",
        (
            NameSource.SESSION,
            NameSource.LOOKUP_FILE,
            NameSource.NONE,
            NameSource.SESSION_THEN_LOOKUP_FILE,
        ),
    ),
    "BM2ViewHandRecord": ("view_hand_record", None),
    "BM2TextBasedNumber": ("numbers_as_text", None),
}
"""The fields of terminals of the second generation and of Bridgemate Pro; how hands are entered takes two fields."""

THIRD: dict[str, tuple[str, Choices]] = {
    "BM3ScreenBrightness": ("brightness", None),
    "BM3ScreenDimMode": ("dim_after", None),
    "BM3ScreenOffMode": ("off_after", None),
    "BM3SleepMode": ("sleep_after", None),
    "BM3AudioVolume": ("volume", None),
    "BM3Language": ("language", tuple(Language)),
    "BM3ConnectionMode": ("offline", (False, True)),
    "BM3PINcode": ("pin", None),
    "BM3ConfirmNP": ("confirm_not_played", None),
    "BM3TDCall": ("director_calls", None),
    "BM3ResultMethod": ("result_entry", _ENTRY),
    "BM3BoardResultReentry": ("reentry", None),
    "BM3LeadCardEntry": ("lead_entry", tuple(LeadEntry)),
    "BM3PlayerView": ("north_at_bottom", (False, True)),
    "BM3PlayerNumberEntry": ("number_entry", tuple(NumberEntry)),
    "BM3PlayerNumberEntryDuringPlay": ("number_entry_during_play", None),
    "BM3StartingPositions": ("confirm_starting_positions", (False, True)),
    "BM3Ranking": ("ranking", (*_RANKING_II, ShowRanking.ALWAYS)),
    "BM3NextSeatings": ("show_next_seating", None),
    "BM3ScoreRecap": ("score_recap", tuple(ScoreRecap)),
    "BM3ScoreColumn": ("two_score_columns", (False, True)),
    "BM3ViewResults": ("view_results", (ViewResults.NONE, ViewResults.OWN, ViewResults.ALL)),
    "BM3ViewPercentages": ("view_percentages", None),
    "BM3ViewHandrecord": ("view_hand_record", None),
    "BM3EnterHandrecord": (
        "enter_hand_record",
        (HandEntry.NEVER, HandEntry.AFTER_BOARD, HandEntry.AFTER_ROUND),
    ),
}
"""The fields of terminals of the third generation."""

ENTER_HANDS, ENTER_HANDS_WHEN = "BM2EnterHandRecord", "BM2EnterHandRecordWhen"
_WHEN = (HandEntry.AFTER_ROUND, HandEntry.AFTER_BOARD)

GLOBAL = ("AutoShutDownBPC", "GroupSections", "MaximumResults")
"""Of these only the first record's values count, for all sections."""


@dataclass(frozen=True, slots=True)
class SettingsFound:
    """What the rows say for one section, and what of it made no sense."""

    second: SettingsII | None
    third: SettingsIII | None
    sentences: tuple[str, ...] = ()


def settings_for(
    rows: Sequence[FreeRow],
    section: int,
    second: SettingsII | None = None,
    third: SettingsIII | None = None,
) -> SettingsFound:
    """The settings of a section on top of our own: its record's, or those of the only record."""
    own = next((row for row in rows if row.section == section), None)
    row = own or (rows[0] if len(rows) == 1 else None)
    if row is None:
        return SettingsFound(None, None)
    shared = {name.casefold(): rows[0].get(name) for name in GLOBAL}
    values = {**row.values, **{name: value for name, value in shared.items() if value is not None}}
    sentences: list[str] = []
    base_second, base_third = second or SettingsII(), third or SettingsIII()
    found_second = _read(values, SECOND, base_second, sentences)
    found_third = _read(values, THIRD, base_third, sentences)
    hands = _hand_entry(values, sentences)
    if hands is not None:
        found_second = {**found_second, "enter_hand_record": hands}
    return SettingsFound(
        replace(base_second, **found_second) if found_second else None,
        replace(base_third, **found_third) if found_third else None,
        tuple(sentences),
    )


def _read(
    values: dict[str, Any],
    names: dict[str, tuple[str, Choices]],
    base: SettingsII | SettingsIII,
    sentences: list[str],
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (attribute, choices) in names.items():
        value = values.get(name.casefold())
        if value is None:
            continue
        if choices is not None:
            if not isinstance(value, int) or not 0 <= value < len(choices):
                sentences.append(f"{name} is from 0 to {len(choices) - 1}, not {value}.")
                continue
            found[attribute] = choices[value]
            continue
        wanted = type(getattr(base, attribute))
        read: Any = str(value).strip() if wanted is str else wanted(value)
        trial = replace(base, **{attribute: read})
        if problems := settings_problems(trial, ""):
            sentences.append(f"{name}: {problems[0].sentence}")
            continue
        found[attribute] = read
    return found


def _hand_entry(values: dict[str, Any], sentences: list[str]) -> HandEntry | None:
    entered = values.get(ENTER_HANDS.casefold())
    if entered is None:
        return None
    if not entered:
        return HandEntry.NEVER
    when = values.get(ENTER_HANDS_WHEN.casefold()) or 0
    if when not in (0, 1):
        sentences.append(f"{ENTER_HANDS_WHEN} is from 0 to 1, not {when}.")
        when = 0
    return _WHEN[when]


def settings_values(second: SettingsII | None, third: SettingsIII | None) -> dict[str, Any]:
    """The fields of a section's settings: those of a generation that is given, and no others."""
    values: dict[str, Any] = {}
    for settings, names in ((second, SECOND), (third, THIRD)):
        if settings is None:
            continue
        for name, (attribute, choices) in names.items():
            value = getattr(settings, attribute)
            if choices is None:
                values[name] = value
            elif value in choices:
                values[name] = choices.index(value)
    if second is not None:
        entry = second.enter_hand_record
        values[ENTER_HANDS] = entry is not HandEntry.NEVER
        values[ENTER_HANDS_WHEN] = _WHEN.index(entry) if entry in _WHEN else 0
    return values


def unsaid(settings: SettingsII | SettingsIII) -> list[str]:
    """The settings that differ from the default and that the file has no value for."""
    names = SECOND if isinstance(settings, SettingsII) else THIRD
    known = dict(names.values())
    found = []
    for each in fields(settings):
        value = getattr(settings, each.name)
        if value == each.default or each.name == "enter_hand_record":
            continue
        choices = known.get(each.name)
        if each.name not in known or (choices is not None and value not in choices):
            found.append(f"{each.name} ({value.value if isinstance(value, Enum) else value})")
    return found
