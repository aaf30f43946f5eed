"""The settings of the Bridgemate III for one section. Both spellings are read where the guide has another."""

from typing import Annotated

from overtrick.connector.wire.model import Int, Option, Text, Wire
from overtrick.connector.wire.movement import Bm3ConnectionMode
from overtrick.connector.wire.settings2 import ResultEntry, either


class OnOff(Option):
    """A setting that is off or on."""

    Disabled = 0
    Enabled = 1


class Language(Option):
    """What language the terminal speaks."""

    English = 0
    Dutch = 1
    French = 2
    German = 3
    Italian = 4
    Danish = 5
    Spanish = 6
    Norwegian = 7
    Polish = 8
    Swedish = 9
    Turkish = 10


class LeadCardEntry(Option):
    """Whether the lead is entered, and compared with the cards."""

    Disabled = 0
    EnabledNoValidation = 1
    EnabledWithValidationMustComply = 2
    EnabledWithValidationAllowNonCompliance = 3


class Registration(Option):
    """When players make themselves known."""

    Disabled = 0
    FirstRoundOnly = 1
    AllRounds = 2


class PlayerView(Option):
    """Which way round the table is drawn."""

    NorthOnTop = 0
    NorthOnTheBottom = 1


class RankingDisplay(Option):
    """When the ranking can be seen."""

    Disabled = 0
    EndOfEachRound = 1
    EndOfSession = 2
    Always = 3


class Recap(Option):
    """When the scores of the round can be seen."""

    Disabled = 0
    EnabledAtEndOfRoundOnly = 1
    Always = 2


class ViewResults(Option):
    """Which results on a board can be seen."""

    Disabled = 0
    OwnResultOnly = 1
    OwnResultAndOtherResults = 2
    AtEndOfRound = 3


class ScoreColumn(Option):
    """For whom scores are shown."""

    NorthSouthOnly = 0
    NorthSouthAndEastWest = 1


class CardsEntry(Option):
    """When players may enter the cards."""

    Disabled = 0
    AtEndOfBoard = 1
    AtEndOfRound = 2


class Bridgemate3SettingsDTO(Wire):
    """All settings of the Bridgemate III for one section."""

    SessionGuid: Text | None = None
    SectionLetters: Text | None = None
    BM3ScreenBrightness: Int = 0
    BM3ScreenDimMode: Int = 0
    BM3ScreenOffMode: Int = 0
    BM3SleepMode: Int = 0
    BM3AudioVolume: Int = 0
    BM3ConnectionMode: Bm3ConnectionMode = Bm3ConnectionMode.Online
    """The guide has it here, shipped clients have it on the table."""
    BM3Language: Language = Language.English
    BM3PINcode: Annotated[Text | None, either("BM3PINcode", "BM3PinCode")] = None
    BM3ConfirmNP: OnOff = OnOff.Disabled
    BM3TDCall: OnOff = OnOff.Disabled
    BM3ResultMethod: ResultEntry = ResultEntry.UpDownTricks
    BM3BoardResultReentry: OnOff = OnOff.Disabled
    BM3LeadCardEntry: LeadCardEntry = LeadCardEntry.Disabled
    BM3PlayerNumberEntry: Registration = Registration.Disabled
    BM3PlayerNumberEntryDuringPlay: OnOff = OnOff.Disabled
    BM3PlayerNumberMandatory: OnOff = OnOff.Disabled
    BM3StartingPositions: OnOff = OnOff.Disabled
    BM3PlayerView: PlayerView = PlayerView.NorthOnTop
    BM3Ranking: RankingDisplay = RankingDisplay.Disabled
    BM3NextSeatings: OnOff = OnOff.Disabled
    BM3ScoreRecap: Recap = Recap.Disabled
    BM3ViewResults: Annotated[ViewResults, either("BM3ViewResults", "Bm3ViewResults")] = ViewResults.Disabled
    BM3SessionSummary: OnOff = OnOff.Disabled
    BM3ScoreColum: Annotated[ScoreColumn, either("BM3ScoreColum", "BM3ScoreColumn")] = (
        ScoreColumn.NorthSouthOnly
    )
    BMViewPercentages: Annotated[OnOff, either("BMViewPercentages", "BM3ViewPercentages")] = OnOff.Disabled
    BM3ViewHandrecord: OnOff = OnOff.Disabled
    BM3EnterHandrecord: CardsEntry = CardsEntry.Disabled
