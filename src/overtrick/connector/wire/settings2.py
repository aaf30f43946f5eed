"""The settings of the Bridgemate II for one section. Both spellings are read where the guide has another."""

from typing import Annotated, Any

from pydantic import AliasChoices, Field, model_validator

from overtrick.connector.wire.model import Bool, Int, Option, Text, Wire


class ScorePerspective(Option):
    """Whose side plus and minus are seen from."""

    FromNorthSouth = 0
    FromDeclarer = 1


class ResultEntry(Option):
    """How the tricks of a result are entered."""

    UpDownTricks = 0
    NumberOfTricks = 1
    AmericanStyle = 2


class ContractShown(Option):
    """How a denomination is shown."""

    UseSymbols = 0
    UseLetter = 1


class ResultsOverview(Option):
    """How earlier results are laid out."""

    FrequencyList6lines1column = 0
    FrequencyList6lines2columns = 1
    FrequencyList4lines1column = 2
    Traveler6lines1column = 3
    Traveler6lines2columns = 4
    Traveler4lines1column = 5


class NamesShown(Option):
    """When players' names are shown."""

    DoNotShow = 0
    ShowInAllRounds = 1
    ShowInFirstRoundOnly = 2


class RankingShown(Option):
    """When the ranking is shown."""

    DoNotShow = 0
    ShowAllRounds = 1
    ShowAfterLastRound = 2


class SummaryPoints(Option):
    """What the summary of a session shows; shipped clients number it from -1."""

    NoSummary = -1
    Matchpoints = 0
    Percentage = 1


class PairNumberEntry(Option):
    """Whether the declaring pair is entered."""

    NoEntry = 0
    Optional = 1
    Required = 2


class NumberCheck(Option):
    """Whose rule a player's number has to follow."""

    NoValidation = 0
    ACBL = 1
    FFB = 2
    ABF = 3
    JCBL = 4


class NameSource(Option):
    """Where names for numbers come from."""

    PlayerNamesTable = 0
    BMPlayerDB = 1
    NoExternalSource = 2
    PlayerNamesTableThenBMPlayerDB = 3


class HandrecordEntry(Option):
    """When players may enter the cards."""

    AtEndOfRound = 0
    AtEndOfBoard = 1
    DoNotEnter = 2


class AutoBoardNumber(Option):
    """The guide's three choices for what shipped clients send as two booleans."""

    NoAutoBoardNumber = 0
    AutoBoardNumber = 1
    FirstBoardManually = 2


class ScoreRecap(Option):
    """The guide's diagram has three choices for what its text and shipped clients have as two booleans."""

    NoScoreRecap = 0
    UseScoreRecap = 1
    AutomaticScoreRecap = 2


def either(name: str, guide: str) -> Any:
    """A property that the guide spells otherwise than clients do."""
    return Field(validation_alias=AliasChoices(name, guide))


class Bridgemate2SettingsDTO(Wire):
    """All settings of the Bridgemate II for one section."""

    SessionGuid: Text | None = None
    SectionLetters: Text | None = None
    ShowResults: Bool = False
    ShowOwnResult: Bool = False
    RepeatResults: Bool = False
    ShowPercentage: Bool = False
    GroupSections: Bool = False
    ScorePoints: ScorePerspective = ScorePerspective.FromNorthSouth
    EnterResultsMethod: ResultEntry = ResultEntry.UpDownTricks
    ShowPairNumbers: Bool = False
    IntermediateResults: Bool = False
    AutopoweroffTime: Int = 0
    VerificationTime: Int = 0
    ShowContract: ContractShown = ContractShown.UseSymbols
    LeadCard: Bool = False
    MaximumResults: Int = 0
    MemberNumbers: Annotated[Bool, either("MemberNumbers", "MemberNumber")] = False
    MemberNumbersNoBlankEntry: Bool = False
    BoardOrderVerification: Bool = False
    HandRecordValidation: Bool = False
    AutoShutDownBPC: Bool = False
    BM2PINcode: Text | None = None
    BM2ConfirmNP: Bool = False
    BM2RemainingBoards: Bool = False
    BM2NextSeatings: Annotated[Bool, either("BM2NextSeatings", "BM2NextSeating")] = False
    BM2ScoreRecap: Bool = False
    BM2AutoShowScoreRecap: Bool = False
    BM2ScoreCorrection: Bool = False
    BM2AutoBoardNumber: Bool = False
    BM2FirstBoardManually: Bool = False
    BM2ValidateLeadCard: Bool = False
    BM2ResultsOverview: ResultsOverview = ResultsOverview.FrequencyList6lines1column
    BM2ShowPlayerNames: NamesShown = NamesShown.DoNotShow
    BM2Ranking: RankingShown = RankingShown.DoNotShow
    BM2GameSummary: Bool = False
    BM2SummaryPoints: SummaryPoints = SummaryPoints.Matchpoints
    BM2PairNumberEntry: PairNumberEntry = PairNumberEntry.NoEntry
    BM2ResetFunctionKey: Bool = False
    BM2RecordBidding: Bool = False
    BM2RecordPlay: Bool = False
    BM2ValidateRecording: Bool = False
    BM2ShowHands: Bool = False
    NumberValidation: NumberCheck = NumberCheck.NoValidation
    BM2NumberEntryEachRound: Bool = False
    BM2NumberEntryPreloadValues: Bool = False
    BM2NameSource: NameSource = NameSource.PlayerNamesTable
    BM2ViewHandRecord: Bool = False
    BM2EnterHandRecord: Annotated[Bool, either("BM2EnterHandRecord", "BM2EnterHandrecord")] = False
    BM2EnterHandRecordWhen: Annotated[
        HandrecordEntry, either("BM2EnterHandRecordWhen", "BM2EnterHandrecordWhen")
    ] = HandrecordEntry.AtEndOfRound
    BM2TextBasedNumber: Bool = False
    BM2TDCall: Bool = False

    @model_validator(mode="before")
    @classmethod
    def _three_choices_as_two_booleans(cls, given: Any) -> Any:
        if type(given) is not dict:
            return given
        for name, choices, first, second in (
            ("BM2AutoBoardNumber", AutoBoardNumber, "BM2AutoBoardNumber", "BM2FirstBoardManually"),
            ("BM2ScoreRecap", ScoreRecap, "BM2ScoreRecap", "BM2AutoShowScoreRecap"),
        ):
            value = given.get(name)
            if isinstance(value, int | str) and not isinstance(value, bool):
                choice = choices.read(value)
                given = given | {first: choice > 0, second: given.get(second) or choice == 2}
        return given
