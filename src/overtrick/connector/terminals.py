"""The settings of table units, from the wire's properties to the house's words."""

from overtrick.connector.wire import settings2 as two
from overtrick.connector.wire import settings3 as three
from overtrick.connector.wire.movement import Bm3ConnectionMode
from overtrick.connector.wire.settings2 import Bridgemate2SettingsDTO
from overtrick.connector.wire.settings3 import Bridgemate3SettingsDTO
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

PERSPECTIVES = (Perspective.NORTH_SOUTH, Perspective.DECLARER)
ENTRY_METHODS = (ResultEntryMethod.RELATIVE, ResultEntryMethod.TOTAL, ResultEntryMethod.AMERICAN)
SPELLINGS = (Spelling.SYMBOLS, Spelling.LETTERS)
OVERVIEWS = tuple(Overview)
NAMES_SHOWN = (ShowNames.NEVER, ShowNames.EVERY_ROUND, ShowNames.FIRST_ROUND)
RANKINGS = (ShowRanking.NEVER, ShowRanking.EVERY_ROUND, ShowRanking.AT_END, ShowRanking.ALWAYS)
PAIR_NUMBERS = (PairNumberEntry.NEVER, PairNumberEntry.OPTIONAL, PairNumberEntry.REQUIRED)
NUMBER_RULES = (NumberRules.NONE, NumberRules.ACBL, NumberRules.FFB, NumberRules.ABF, NumberRules.JCBL)
NAME_SOURCES = (
    NameSource.SESSION,
    NameSource.LOOKUP_FILE,
    NameSource.NONE,
    NameSource.SESSION_THEN_LOOKUP_FILE,
)
SUMMARIES = {
    two.SummaryPoints.NoSummary: SummaryPoints.NONE,
    two.SummaryPoints.Matchpoints: SummaryPoints.MATCHPOINTS,
    two.SummaryPoints.Percentage: SummaryPoints.PERCENTAGE,
}
HAND_ENTRIES_II = (HandEntry.AFTER_ROUND, HandEntry.AFTER_BOARD, HandEntry.NEVER)
HAND_ENTRIES_III = (HandEntry.NEVER, HandEntry.AFTER_BOARD, HandEntry.AFTER_ROUND)
LANGUAGES = tuple(Language)
LEADS = (LeadEntry.NEVER, LeadEntry.UNCHECKED, LeadEntry.CHECKED, LeadEntry.CHECKED_WITH_EXCEPTIONS)
NUMBER_ENTRIES = (NumberEntry.NEVER, NumberEntry.FIRST_ROUND, NumberEntry.EVERY_ROUND)
RECAPS = (ScoreRecap.NEVER, ScoreRecap.END_OF_ROUND, ScoreRecap.ALWAYS)
RESULTS_SHOWN = (ViewResults.NONE, ViewResults.OWN, ViewResults.ALL, ViewResults.END_OF_ROUND)


VERIFICATION_SECONDS = SettingsII().verification_seconds
"""For a VerificationTime of 0: nobody set it, and the vendor's validators let it pass."""


def settings_ii(dto: Bridgemate2SettingsDTO) -> SettingsII:
    """The settings of a Bridgemate II."""
    return SettingsII(
        show_results=dto.ShowResults,
        show_own_result=dto.ShowOwnResult,
        repeat_results=dto.RepeatResults,
        maximum_results=dto.MaximumResults,
        show_percentage=dto.ShowPercentage,
        group_sections=dto.GroupSections,
        perspective=PERSPECTIVES[dto.ScorePoints],
        result_entry=ENTRY_METHODS[dto.EnterResultsMethod],
        show_pair_numbers=dto.ShowPairNumbers,
        send_contracts=dto.IntermediateResults,
        power_off_seconds=dto.AutopoweroffTime,
        verification_seconds=dto.VerificationTime or VERIFICATION_SECONDS,
        spelling=SPELLINGS[dto.ShowContract],
        ask_lead=dto.LeadCard,
        ask_numbers=dto.MemberNumbers,
        numbers_required=dto.MemberNumbersNoBlankEntry,
        verify_board_order=dto.BoardOrderVerification,
        validate_recorded_play=dto.HandRecordValidation,
        auto_shutdown=dto.AutoShutDownBPC,
        pin=dto.BM2PINcode or "0000",
        confirm_not_played=dto.BM2ConfirmNP,
        director_calls=dto.BM2TDCall,
        show_remaining_boards=dto.BM2RemainingBoards,
        show_next_seating=dto.BM2NextSeatings,
        score_recap=dto.BM2ScoreRecap,
        auto_score_recap=dto.BM2AutoShowScoreRecap,
        score_correction=dto.BM2ScoreCorrection,
        auto_board_number=dto.BM2AutoBoardNumber,
        first_board_manually=dto.BM2FirstBoardManually,
        validate_lead=dto.BM2ValidateLeadCard,
        overview=OVERVIEWS[dto.BM2ResultsOverview],
        show_names=NAMES_SHOWN[dto.BM2ShowPlayerNames],
        ranking=RANKINGS[dto.BM2Ranking],
        summary=dto.BM2GameSummary,
        summary_points=SUMMARIES[dto.BM2SummaryPoints],
        pair_number_entry=PAIR_NUMBERS[dto.BM2PairNumberEntry],
        reset_key=dto.BM2ResetFunctionKey,
        record_bidding=dto.BM2RecordBidding,
        record_play=dto.BM2RecordPlay,
        validate_recording=dto.BM2ValidateRecording,
        show_hands_while_recording=dto.BM2ShowHands,
        number_rules=NUMBER_RULES[dto.NumberValidation],
        numbers_each_round=dto.BM2NumberEntryEachRound,
        preload_numbers=dto.BM2NumberEntryPreloadValues,
        name_source=NAME_SOURCES[dto.BM2NameSource],
        numbers_as_text=dto.BM2TextBasedNumber,
        view_hand_record=dto.BM2ViewHandRecord,
        enter_hand_record=(
            HAND_ENTRIES_II[dto.BM2EnterHandRecordWhen] if dto.BM2EnterHandRecord else HandEntry.NEVER
        ),
    )


def settings_iii(dto: Bridgemate3SettingsDTO) -> SettingsIII:
    """The settings of a Bridgemate III."""
    on = three.OnOff.Enabled
    return SettingsIII(
        brightness=dto.BM3ScreenBrightness,
        dim_after=dto.BM3ScreenDimMode,
        off_after=dto.BM3ScreenOffMode,
        sleep_after=dto.BM3SleepMode,
        volume=dto.BM3AudioVolume,
        language=LANGUAGES[dto.BM3Language],
        offline=dto.BM3ConnectionMode is Bm3ConnectionMode.Offline,
        pin=dto.BM3PINcode or "0000",
        confirm_not_played=dto.BM3ConfirmNP is on,
        director_calls=dto.BM3TDCall is on,
        result_entry=ENTRY_METHODS[dto.BM3ResultMethod],
        reentry=dto.BM3BoardResultReentry is on,
        lead_entry=LEADS[dto.BM3LeadCardEntry],
        north_at_bottom=dto.BM3PlayerView is three.PlayerView.NorthOnTheBottom,
        number_entry=NUMBER_ENTRIES[dto.BM3PlayerNumberEntry],
        number_entry_during_play=dto.BM3PlayerNumberEntryDuringPlay is on,
        numbers_required=dto.BM3PlayerNumberMandatory is on,
        confirm_starting_positions=dto.BM3StartingPositions is on,
        ranking=RANKINGS[dto.BM3Ranking],
        show_next_seating=dto.BM3NextSeatings is on,
        score_recap=RECAPS[dto.BM3ScoreRecap],
        two_score_columns=dto.BM3ScoreColum is three.ScoreColumn.NorthSouthAndEastWest,
        view_results=RESULTS_SHOWN[dto.BM3ViewResults],
        view_percentages=dto.BMViewPercentages is on,
        view_hand_record=dto.BM3ViewHandrecord is on,
        enter_hand_record=HAND_ENTRIES_III[dto.BM3EnterHandrecord],
        summary=dto.BM3SessionSummary is on,
    )
