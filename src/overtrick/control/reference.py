"""What every setting of documents 000 and 001 does here: the list that the reference pages are made from.

`python -m overtrick.control.reference settings` prints docs/reference/settings.md, and `… not-honoured` prints
docs/not-honoured.md; a test holds both to this list.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Standing(Enum):
    """What becomes of a setting."""

    HONOURED = "does this"
    PASSED_ON = "is kept and passed on"
    ELSEWHERE = "is acted on elsewhere"
    NOT = "is kept, and not honoured"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its name in the documents, our word for it, and what it does."""

    name: str
    word: str
    effect: str
    standing: Standing = Standing.HONOURED


_HARDWARE = "For the hardware alone: a phone has settings of its own."
_PRO_RECORDER = "For Bridgemate Pro's recorder alone: BM2ValidateRecording counts here."

SECOND: tuple[Setting, ...] = (
    Setting("ShowResults", "show_results", "After a board its earlier results are shown."),
    Setting("ShowOwnResult", "show_own_result", "One's own result is in that list too."),
    Setting("RepeatResults", "repeat_results", "The list can be seen again from its first page."),
    Setting(
        "MaximumResults",
        "maximum_results",
        "So many lines at most; 0 is all. The first section's figure counts.",
    ),
    Setting("ShowPercentage", "show_percentage", "The percentage on the board is shown with the list."),
    Setting(
        "GroupSections",
        "group_sections",
        "Becomes one scoring group of all sections when a `.bws` is read; the Data Connector has scoring groups.",
        Standing.ELSEWHERE,
    ),
    Setting(
        "ScorePoints", "perspective", "Scores are North-South's or declarer's; two columns show both sides."
    ),
    Setting(
        "EnterResultsMethod",
        "result_entry",
        "Results are tricks over and under, tricks won, or the level made.",
    ),
    Setting("ShowPairNumbers", "show_pair_numbers", "The round shows the pairs' numbers."),
    Setting(
        "IntermediateResults",
        "send_contracts",
        "Contract and lead are sent before the result; another device goes on from there.",
    ),
    Setting("AutopoweroffTime", "power_off_seconds", _HARDWARE, Standing.PASSED_ON),
    Setting(
        "VerificationTime",
        "verification_seconds",
        "The screen that asks the opponents says how long to wait.",
    ),
    Setting("ShowContract", "spelling", "Contracts are shown with symbols or with letters."),
    Setting("LeadCard", "ask_lead", "The lead is asked for."),
    Setting(
        "MemberNumbers",
        "ask_numbers",
        "Players are asked for numbers that are not known, sit-outs and rovers too.",
    ),
    Setting("MemberNumbersNoBlankEntry", "numbers_required", "A number cannot be left out."),
    Setting("BoardOrderVerification", "verify_board_order", "A board out of order has to be confirmed."),
    Setting("HandRecordValidation", "validate_recorded_play", _PRO_RECORDER, Standing.NOT),
    Setting(
        "AutoShutDownBPC",
        "auto_shutdown",
        "The control software ends when every table has logged off. The first section's setting counts.",
    ),
    Setting("BM2PINcode", "pin", "The director's PIN."),
    Setting("BM2ConfirmNP", "confirm_not_played", "Not played needs the director's PIN."),
    Setting("BM2TDCall", "director_calls", "The director can be called."),
    Setting("BM2RemainingBoards", "show_remaining_boards", "Shows how many boards of the round are left."),
    Setting(
        "BM2NextSeatings",
        "show_next_seating",
        "After a round both pairs see where they go, across sections too.",
    ),
    Setting("BM2ScoreRecap", "score_recap", "The scores of the round can be looked at."),
    Setting("BM2AutoShowScoreRecap", "auto_score_recap", "They are shown after the last board of a round."),
    Setting(
        "BM2ScoreCorrection", "score_correction", "A result of the round can be entered again from there."
    ),
    Setting("BM2AutoBoardNumber", "auto_board_number", "The next board comes by itself."),
    Setting(
        "BM2FirstBoardManually", "first_board_manually", "The first board of a round is typed all the same."
    ),
    Setting("BM2ValidateLeadCard", "validate_lead", "A lead that the leader does not hold is not taken."),
    Setting(
        "BM2ResultsOverview",
        "overview",
        "Frequencies or traveller, 4 or 6 lines a page, one or two score columns.",
    ),
    Setting("BM2ShowPlayerNames", "show_names", "The round shows names: never, always, in the first round."),
    Setting("BM2Ranking", "ranking", "The two pairs see their rank after each round or at the end."),
    Setting("BM2GameSummary", "summary", "At the end both pairs see all their boards; needs a ranking."),
    Setting(
        "BM2SummaryPoints",
        "summary_points",
        "The summary has matchpoints or percentages; none shows no summary.",
    ),
    Setting(
        "BM2PairNumberEntry",
        "pair_number_entry",
        "The declaring pair is asked for; the other one's number means wrong direction.",
    ),
    Setting("BM2ResetFunctionKey", "reset_key", "The reset key works without the PIN."),
    Setting(
        "BM2RecordBidding", "record_bidding", "The auction is entered call by call, and makes the contract."
    ),
    Setting("BM2RecordPlay", "record_play", "The play is entered card by card, or up to a claim."),
    Setting(
        "BM2ValidateRecording", "validate_recording", "A card that the player does not hold is not taken."
    ),
    Setting("BM2ShowHands", "show_hands_while_recording", "The hands are shown while a board is recorded."),
    Setting(
        "BM2NumberValidation",
        "number_rules",
        "Numbers follow the rules of the ACBL, the FFB, the ABF or the JCBL; JCBL's check digit is not verified.",
    ),
    Setting("BM2NumberEntryEachRound", "numbers_each_round", "Numbers are asked for in every round."),
    Setting(
        "BM2NumberEntryPreloadValues",
        "preload_numbers",
        "Known numbers are ready, and an empty entry keeps them.",
    ),
    Setting(
        "BM2NameSource", "name_source", "Names come from the session, the lookup file, both, or nowhere."
    ),
    Setting(
        "BM2TextBasedNumber", "numbers_as_text", "Names are looked up by text; else 007 and 7 are one number."
    ),
    Setting("BM2ViewHandRecord", "view_hand_record", "After a board its hand record can be seen."),
    Setting(
        "BM2EnterHandRecord, BM2EnterHandRecordWhen",
        "enter_hand_record",
        "A deal that is not known is asked for after the board or the round.",
    ),
)

THIRD: tuple[Setting, ...] = (
    Setting("BM3ScreenBrightness", "brightness", _HARDWARE, Standing.PASSED_ON),
    Setting("BM3ScreenDimMode", "dim_after", _HARDWARE, Standing.PASSED_ON),
    Setting("BM3ScreenOffMode", "off_after", _HARDWARE, Standing.PASSED_ON),
    Setting("BM3SleepMode", "sleep_after", _HARDWARE, Standing.PASSED_ON),
    Setting("BM3AudioVolume", "volume", _HARDWARE, Standing.PASSED_ON),
    Setting("BM3Language", "language", "The language of the section; a player can choose another."),
    Setting(
        "BM3ConnectionMode", "offline", "Nothing is sent before the table's last board; then everything is."
    ),
    Setting("(shipped clients)", "keep_awake", _HARDWARE, Standing.PASSED_ON),
    Setting("BM3PINcode", "pin", "The director's PIN."),
    Setting("BM3ConfirmNP", "confirm_not_played", "Not played needs the director's PIN."),
    Setting("BM3TDCall", "director_calls", "The director can be called."),
    Setting(
        "BM3ResultMethod", "result_entry", "Results are tricks over and under, tricks won, or the level made."
    ),
    Setting("BM3BoardResultReentry", "reentry", "A result of the round can be entered again."),
    Setting(
        "BM3LeadCardEntry",
        "lead_entry",
        "The lead is not asked for, taken as it is, checked, or checked with a second yes.",
    ),
    Setting("BM3PlayerView", "north_at_bottom", "The screens with the players say where North is drawn."),
    Setting(
        "BM3PlayerNumberEntry", "number_entry", "Numbers are asked for never, before play, or in every round."
    ),
    Setting(
        "BM3PlayerNumberEntryDuringPlay",
        "number_entry_during_play",
        "A seat's player can change during the round.",
    ),
    Setting("(shipped clients)", "numbers_required", "A number cannot be left out."),
    Setting(
        "BM3StartingPositions", "confirm_starting_positions", "Before play everyone confirms their seats."
    ),
    Setting(
        "BM3Ranking",
        "ranking",
        "The two pairs see their rank after each round, at the end, or whenever they ask.",
    ),
    Setting(
        "BM3NextSeatings",
        "show_next_seating",
        "After a round both pairs see where they go, across sections too.",
    ),
    Setting(
        "BM3ScoreRecap", "score_recap", "The scores of the round can be looked at: never, after it, always."
    ),
    Setting("BM3ScoreColumn", "two_score_columns", "Scores in one column or in two."),
    Setting(
        "BM3ViewResults",
        "view_results",
        "After a board: nothing, one's own result, all, or all after the round.",
    ),
    Setting(
        "BM3ViewPercentages", "view_percentages", "The points on the board are percentages; else matchpoints."
    ),
    Setting("BM3ViewHandrecord", "view_hand_record", "After a board its hand record can be seen."),
    Setting(
        "BM3EnterHandrecord",
        "enter_hand_record",
        "A deal that is not known is asked for after the board or the round.",
    ),
    Setting("(shipped clients)", "summary", "At the end both pairs see all their boards, with percentages."),
)


def settings_page() -> Iterator[str]:
    """The lines of docs/reference/settings.md."""
    yield "# Settings of the terminals"
    yield ""
    yield "What each setting of the `.bws` guide (document 001) and of the Data Connector's guide"
    yield "(document 000) does at a terminal of Overtrick. Settings belong to a section; AutoShutDownBPC and"
    yield "MaximumResults are the first section's for all. Terminals follow the settings of the generation"
    yield "that plays, and those of the third where none is named."
    yield ""
    yield "This page is made from the code: `python -m overtrick.control.reference settings`."
    for title, table in (("Bridgemate Pro and II", SECOND), ("Bridgemate III", THIRD)):
        yield ""
        yield f"## {title}"
        yield ""
        yield "| setting | our word | here |"
        yield "|---|---|---|"
        for setting in table:
            does = setting.effect
            if setting.standing is not Standing.HONOURED:
                does = f"*{setting.standing.value}*: {does}"
            yield f"| {setting.name} | `{setting.word}` | {does} |"


def not_honoured_page() -> Iterator[str]:
    """The lines of docs/not-honoured.md."""
    yield "# What is accepted and not honoured"
    yield ""
    yield "Settings that are read, kept and passed on, and that change nothing at a terminal of Overtrick."
    yield "What the Data Connector only reads is listed on [its own page](reference/connector.md)."
    yield ""
    yield "This page is made from the code: `python -m overtrick.control.reference not-honoured`."
    for title, wanted in (
        ("Not honoured", Standing.NOT),
        ("For hardware alone", Standing.PASSED_ON),
    ):
        yield ""
        yield f"## {title}"
        yield ""
        yield "| setting | why |"
        yield "|---|---|"
        for setting in (*SECOND, *THIRD):
            if setting.standing is wanted:
                name = setting.word.replace("_", " ") if setting.name.startswith("(") else setting.name
                yield f"| {name} | {setting.effect} |"
    yield ""
    yield "Of JCBL's numbers only the digits are checked: their check digit is not published."


PAGES = {"settings": settings_page, "not-honoured": not_honoured_page}

if __name__ == "__main__":
    print("\n".join(PAGES[sys.argv[1]]()))
