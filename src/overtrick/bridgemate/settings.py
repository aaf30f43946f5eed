"""The settings of Bridgemate table units: one row each, with its names, numbers, limits and effect. Pure: no I/O.

The Data Connector's properties, the columns of a `.bws` file, the desk's form and the reference pages are built from
these rows. Types, defaults and our own names are those of `event.settings`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum

from overtrick.event.settings import (
    RANGES,
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
from overtrick.event.setup import Generation


class SettingSupport(Enum):
    """The effect of a setting in Overtrick."""

    HONOURED = "does this"
    PASSED_ON = "is kept and passed on"
    ELSEWHERE = "is acted on elsewhere"
    NOT = "is kept, and not honoured"


class SettingChoices:
    """The numbered values of a setting, with the names that the numbers have in the Data Connector.

    Names and values are in the order of the numbers, which run from `first`; values beyond the names have no number.
    A file has the numbers from 0 to `most_in_file`.

    >>> points = SettingChoices("NoSummary Matchpoints Percentage", SummaryPoints, first=-1)
    >>> points.numbers, points.values[-1], len(points.in_file)
    ({'NoSummary': -1, 'Matchpoints': 0, 'Percentage': 1}, <SummaryPoints.NONE: 'none'>, 2)
    """

    def __init__(
        self, names: str, values: Iterable[object], *, first: int = 0, most_in_file: int | None = None
    ) -> None:
        self.numbers = {name: number for number, name in enumerate(names.split(), start=first)}
        self.values = dict(zip(self.numbers.values(), values, strict=False))
        most = max(self.values) if most_in_file is None else most_in_file
        self.in_file = tuple(self.values[number] for number in range(most + 1))


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of one generation of table units."""

    name: str
    """Its name in `event.settings`."""
    column: str
    """Its column in a `.bws` file; empty if it has none."""
    effect: str
    """Its effect at a terminal of Overtrick."""
    support: SettingSupport = SettingSupport.HONOURED
    choices: SettingChoices | None = None
    """The meaning of its numbers. Without choices the value is sent and written as it is."""
    wire: str | None = None
    """Its property in the Data Connector, if it is not named like the column; empty if there is none."""
    guide: str | None = None
    """The guide's spelling of that property, if shipped clients use another; both are read."""
    switch: str | None = None
    """A yes-or-no column and property that turns this setting on."""
    switch_guide: str | None = None
    """The guide's spelling of the switch."""
    limits: tuple[int, int] | None = None
    """The smallest and largest figure in a file, where the `.bws` guide allows fewer than `event.settings.RANGES`."""
    wire_limits: tuple[int, int] | None = None
    """The smallest and largest figure that the validators of shipped clients allow, if they check it."""
    is_common: bool = False
    """True if the first section's value counts for all sections of a file."""
    default: object = None
    generation: Generation = Generation.II

    @property
    def property_name(self) -> str:
        """Return its property in the Data Connector, or an empty text."""
        return self.column if self.wire is None else self.wire

    @property
    def wire_choices(self) -> SettingChoices | None:
        """Return the choices of its property: the third generation numbers yes and no, too."""
        if self.choices is None and self.generation is Generation.III and isinstance(self.default, bool):
            return ON_OFF
        return self.choices

    @property
    def number_in_file(self) -> int:
        """Return the number of the default in a file, for a setting with choices."""
        in_file = self.choices.in_file if self.choices else ()
        return in_file.index(self.default) if self.default in in_file else 0


YES_NO = (False, True)
ON_OFF = SettingChoices("Disabled Enabled", YES_NO)
_RESULT_ENTRY = SettingChoices("UpDownTricks NumberOfTricks AmericanStyle", ResultEntryMethod)
_LANGUAGES = "English Dutch French German Italian Danish Spanish Norwegian Polish Swedish Turkish"
_HARDWARE = "Only for table units: a phone has its own settings."
_RESULT_METHODS = "Results are tricks over and under, tricks won, or the level made."
_PIN = "The director's PIN."
_NO_PLAY = "Require the director's PIN to mark a board not played or a ruling pending."
_CALLS = "The director can be called."
_NEXT_SEATING = "After a round both pairs see where they go, across sections too."
_REQUIRED = "A player number is required."
_VIEW_HANDS = "After a board its hand record can be seen."
_ENTER_HANDS = "Players enter an unknown deal after the board or after the round."


def _rows(
    generation: Generation, kind: type[SettingsII] | type[SettingsIII], *rows: Setting
) -> tuple[Setting, ...]:
    defaults = {setting.name: setting.default for setting in fields(kind)}
    return tuple(
        replace(
            row,
            default=defaults[row.name],
            generation=generation,
            limits=row.limits or RANGES.get(row.name),
        )
        for row in rows
    )


SECOND = _rows(
    Generation.II,
    SettingsII,
    Setting("show_results", "ShowResults", "After a board its earlier results are shown."),
    Setting("show_own_result", "ShowOwnResult", "The table's own result is in that list too."),
    Setting("repeat_results", "RepeatResults", "Players can go through the list again."),
    Setting(
        "maximum_results",
        "MaximumResults",
        "The list has at most this many lines; 0 means all. The first section's value counts.",
        is_common=True,
    ),
    Setting("show_percentage", "ShowPercentage", "The percentage on the board is shown with the list."),
    Setting(
        "group_sections",
        "GroupSections",
        "Becomes one scoring group of all sections when a `.bws` is read; the Data Connector has scoring groups.",
        SettingSupport.ELSEWHERE,
        is_common=True,
    ),
    Setting(
        "perspective",
        "ScorePoints",
        "Scores are North-South's or declarer's; two columns show both sides.",
        choices=SettingChoices("FromNorthSouth FromDeclarer", Perspective),
    ),
    Setting("result_entry", "EnterResultsMethod", _RESULT_METHODS, choices=_RESULT_ENTRY),
    Setting("show_pair_numbers", "ShowPairNumbers", "The round shows the pairs' numbers."),
    Setting(
        "send_contracts",
        "IntermediateResults",
        "Contract and lead are sent before the result; another device can continue from there.",
    ),
    Setting("power_off_seconds", "AutopoweroffTime", _HARDWARE, SettingSupport.PASSED_ON, limits=(5, 60)),
    Setting(
        "verification_seconds",
        "VerificationTime",
        "The screen that asks the opponents shows how long to wait.",
    ),
    Setting(
        "spelling",
        "ShowContract",
        "Contracts are shown with symbols or with letters.",
        choices=SettingChoices("UseSymbols UseLetter", Spelling),
    ),
    Setting("ask_lead", "LeadCard", "Players enter the lead."),
    Setting(
        "ask_numbers",
        "MemberNumbers",
        "Players enter numbers that are not known, also rovers and those who sit out.",
        guide="MemberNumber",
    ),
    Setting("numbers_required", "MemberNumbersNoBlankEntry", _REQUIRED),
    Setting("verify_board_order", "BoardOrderVerification", "A board out of order has to be confirmed."),
    Setting(
        "validate_recorded_play",
        "HandRecordValidation",
        "Only for the recorder of Bridgemate Pro; Overtrick uses BM2ValidateRecording.",
        SettingSupport.NOT,
    ),
    Setting(
        "auto_shutdown",
        "AutoShutDownBPC",
        "The control software ends when every table has logged off. The first section's setting counts.",
        is_common=True,
    ),
    Setting("pin", "BM2PINcode", _PIN),
    Setting("confirm_not_played", "BM2ConfirmNP", _NO_PLAY),
    Setting("director_calls", "BM2TDCall", _CALLS),
    Setting(
        "show_remaining_boards", "BM2RemainingBoards", "The number of boards left in the round is shown."
    ),
    Setting("show_next_seating", "BM2NextSeatings", _NEXT_SEATING, guide="BM2NextSeating"),
    Setting("score_recap", "BM2ScoreRecap", "Players can view the scores of the round."),
    Setting(
        "auto_score_recap", "BM2AutoShowScoreRecap", "The scores are shown after the last board of a round."
    ),
    Setting(
        "score_correction",
        "BM2ScoreCorrection",
        "A result can be entered again from the list of the round's scores.",
    ),
    Setting("auto_board_number", "BM2AutoBoardNumber", "The number of the next board is filled in."),
    Setting(
        "first_board_manually",
        "BM2FirstBoardManually",
        "The players type the number of a round's first board.",
    ),
    Setting("validate_lead", "BM2ValidateLeadCard", "A lead that the leader does not hold is refused."),
    Setting(
        "overview",
        "BM2ResultsOverview",
        "The list shows frequencies or the traveller, 4 or 6 lines per page, with one or two score columns.",
        choices=SettingChoices(
            "FrequencyList6lines1column FrequencyList6lines2columns FrequencyList4lines1column "
            "Traveler6lines1column Traveler6lines2columns Traveler4lines1column",
            Overview,
        ),
    ),
    Setting(
        "show_names",
        "BM2ShowPlayerNames",
        "The round shows names never, always, or only in the first round.",
        choices=SettingChoices("DoNotShow ShowInAllRounds ShowInFirstRoundOnly", ShowNames),
    ),
    Setting(
        "ranking",
        "BM2Ranking",
        "The two pairs see their rank after each round or at the end.",
        choices=SettingChoices("DoNotShow ShowAllRounds ShowAfterLastRound", ShowRanking),
    ),
    Setting("summary", "BM2GameSummary", "At the end both pairs see all their boards; needs a ranking."),
    Setting(
        "summary_points",
        "BM2SummaryPoints",
        "The summary has matchpoints or percentages, or is not shown.",
        choices=SettingChoices("NoSummary Matchpoints Percentage", SummaryPoints, first=-1),
    ),
    Setting(
        "pair_number_entry",
        "BM2PairNumberEntry",
        "Players enter the number of the declaring pair. The opponents' number means the wrong direction.",
        choices=SettingChoices("NoEntry Optional Required", PairNumberEntry),
    ),
    Setting("reset_key", "BM2ResetFunctionKey", "The reset key works without the PIN."),
    Setting(
        "record_bidding", "BM2RecordBidding", "The auction is entered call by call; it decides the contract."
    ),
    Setting("record_play", "BM2RecordPlay", "The play is entered card by card, or up to a claim."),
    Setting("validate_recording", "BM2ValidateRecording", "A card that the player does not hold is refused."),
    Setting("show_hands_while_recording", "BM2ShowHands", "The hands are shown while a board is recorded."),
    Setting(
        "number_rules",
        "BM2NumberValidation",
        "Numbers follow the rules of the ACBL, the FFB, the ABF or the JCBL; JCBL's check digit is not verified.",
        wire="NumberValidation",
        choices=SettingChoices("NoValidation ACBL FFB ABF JCBL", NumberRules),
    ),
    Setting("numbers_each_round", "BM2NumberEntryEachRound", "Players enter their numbers in every round."),
    Setting(
        "preload_numbers",
        "BM2NumberEntryPreloadValues",
        "Known numbers are filled in; an empty entry keeps them.",
    ),
    Setting(
        "name_source",
        "BM2NameSource",
        "Names come from the session, the lookup file, both, or nowhere.",
        choices=SettingChoices(
            "PlayerNamesTable BMPlayerDB NoExternalSource PlayerNamesTableThenBMPlayerDB", NameSource
        ),
    ),
    Setting("view_hand_record", "BM2ViewHandRecord", _VIEW_HANDS),
    Setting(
        "enter_hand_record",
        "BM2EnterHandRecordWhen",
        _ENTER_HANDS,
        guide="BM2EnterHandrecordWhen",
        switch="BM2EnterHandRecord",
        switch_guide="BM2EnterHandrecord",
        choices=SettingChoices(
            "AtEndOfRound AtEndOfBoard DoNotEnter",
            (HandEntry.AFTER_ROUND, HandEntry.AFTER_BOARD, HandEntry.NEVER),
            most_in_file=1,
        ),
    ),
    Setting(
        "numbers_as_text",
        "BM2TextBasedNumber",
        "Player numbers are compared as text; otherwise 007 and 7 are the same.",
    ),
)
"""The settings of Bridgemate II and of Bridgemate Pro, in the order of the columns."""

THIRD = _rows(
    Generation.III,
    SettingsIII,
    Setting(
        "brightness",
        "BM3ScreenBrightness",
        _HARDWARE,
        SettingSupport.PASSED_ON,
        wire_limits=(1, 7),
    ),
    Setting(
        "dim_after",
        "BM3ScreenDimMode",
        _HARDWARE,
        SettingSupport.PASSED_ON,
        wire_limits=(0, 15),
    ),
    Setting("off_after", "BM3ScreenOffMode", _HARDWARE, SettingSupport.PASSED_ON),
    Setting(
        "sleep_after",
        "BM3SleepMode",
        _HARDWARE,
        SettingSupport.PASSED_ON,
        limits=(1, 120),
        wire_limits=(0, 120),
    ),
    Setting(
        "volume", "BM3AudioVolume", _HARDWARE, SettingSupport.PASSED_ON, limits=(1, 7), wire_limits=(0, 7)
    ),
    Setting(
        "language",
        "BM3Language",
        "The language of the section; a player can choose another.",
        choices=SettingChoices(_LANGUAGES, Language),
    ),
    # The guide has it here, shipped clients have it on the table.
    Setting(
        "offline",
        "BM3ConnectionMode",
        "Nothing is sent before the table's last board; then everything is.",
        choices=SettingChoices("Online Offline", YES_NO),
    ),
    Setting("keep_awake", "", _HARDWARE, SettingSupport.PASSED_ON),
    Setting("pin", "BM3PINcode", _PIN, guide="BM3PinCode"),
    Setting("confirm_not_played", "BM3ConfirmNP", _NO_PLAY),
    Setting("director_calls", "BM3TDCall", _CALLS),
    Setting("result_entry", "BM3ResultMethod", _RESULT_METHODS, choices=_RESULT_ENTRY),
    Setting("reentry", "BM3BoardResultReentry", "A result of the round can be entered again."),
    Setting(
        "lead_entry",
        "BM3LeadCardEntry",
        "The lead is not entered, accepted unchecked, checked, or checked with a second confirmation.",
        choices=SettingChoices(
            "Disabled EnabledNoValidation EnabledWithValidationMustComply EnabledWithValidationAllowNonCompliance",
            LeadEntry,
        ),
    ),
    Setting(
        "north_at_bottom",
        "BM3PlayerView",
        "North is drawn at the top or at the bottom of the screens with the players.",
        choices=SettingChoices("NorthOnTop NorthOnTheBottom", YES_NO),
    ),
    Setting(
        "number_entry",
        "BM3PlayerNumberEntry",
        "Players enter their numbers never, before play, or in every round.",
        choices=SettingChoices("Disabled FirstRoundOnly AllRounds", NumberEntry),
    ),
    Setting(
        "number_entry_during_play",
        "BM3PlayerNumberEntryDuringPlay",
        "A seat's player can change during the round.",
    ),
    Setting("numbers_required", "", _REQUIRED, wire="BM3PlayerNumberMandatory"),
    Setting(
        "confirm_starting_positions",
        "BM3StartingPositions",
        "Before play everyone confirms their seats.",
        choices=ON_OFF,
    ),
    Setting(
        "ranking",
        "BM3Ranking",
        "The two pairs see their rank after each round, at the end, or whenever they ask.",
        choices=SettingChoices("Disabled EndOfEachRound EndOfSession Always", ShowRanking),
    ),
    Setting("show_next_seating", "BM3NextSeatings", _NEXT_SEATING),
    Setting(
        "score_recap",
        "BM3ScoreRecap",
        "Players can view the scores of the round never, after the round, or always.",
        choices=SettingChoices("Disabled EnabledAtEndOfRoundOnly Always", ScoreRecap),
    ),
    Setting(
        "two_score_columns",
        "BM3ScoreColumn",
        "Scores in one column or in two.",
        wire="BM3ScoreColum",
        guide="BM3ScoreColumn",
        choices=SettingChoices("NorthSouthOnly NorthSouthAndEastWest", YES_NO),
    ),
    Setting(
        "view_results",
        "BM3ViewResults",
        "Players see no results, their own result after the board, all after the board, or all after the round.",
        guide="Bm3ViewResults",
        choices=SettingChoices(
            "Disabled OwnResultOnly OwnResultAndOtherResults AtEndOfRound", ViewResults, most_in_file=2
        ),
    ),
    Setting(
        "view_percentages",
        "BM3ViewPercentages",
        "The points on the board are percentages; otherwise matchpoints.",
        wire="BMViewPercentages",
        guide="BM3ViewPercentages",
    ),
    Setting("view_hand_record", "BM3ViewHandrecord", _VIEW_HANDS),
    Setting(
        "enter_hand_record",
        "BM3EnterHandrecord",
        _ENTER_HANDS,
        choices=SettingChoices("Disabled AtEndOfBoard AtEndOfRound", HandEntry),
    ),
    Setting(
        "summary",
        "",
        "At the end both pairs see all their boards, with percentages.",
        wire="BM3SessionSummary",
    ),
)
"""The settings of Bridgemate III, in the order of the columns."""


def rows_of(settings: SettingsII | SettingsIII) -> tuple[Setting, ...]:
    """Return the rows of the generation that these settings are for."""
    return SECOND if isinstance(settings, SettingsII) else THIRD


def in_file() -> Iterator[Setting]:
    """Yield the settings that have a column, in the order of the columns."""
    return (setting for setting in (*SECOND, *THIRD) if setting.column)
