"""Rules of the project that no linter knows."""

import re
from pathlib import Path

from overtrick.bridgemate.settings import SECOND, THIRD

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "overtrick"
INNER = ("bridge", "scoring", "event", "views", "directing")

# Names on wires and in files, as documents 000 and 001 have them. Words that are also plain bridge words or tags of
# PBN (Section, Table, Round, Board, Contract, Declarer, Result, Date, Name) cannot be told apart and are not listed.
WIRE_NAMES = re.findall(
    r"\w+",
    """
SessionGuid EventGuid ClubId LicenceKey SectionLetters ScoringGroupNumber ScoringMethod GameType
EWMoveBeforePlay MissingPair IsCombiSection NorthSouthPairSectionLetters EastWestPairSectionLetters IsDeleted
TableNumber RoundNumber PairNS PairEW LowBoardNumber HighBoardNumber TeamNS TeamEW MatesTableSectionLetters
MatesTableTableNumber BoardNumber ScoringDirection PairNorthSouth PairEastWest DeclaringPair DeclarerDirection
TotalTricks LeadCardRank LeadCardSuit PlayerNumber FirstName LastName CountryCode IsPlayerSwap
HasHandEvaluationData SerializedData DataType ErrorType AlternativeDataFolder ShowInApp EWReturnHome
PairsMoveAccrossField PairsMoveAcrossField NSPair EWPair LowBoard HighBoard CustomBoards ReceivedData
IntermediateData PlayerNumbers PlayerNames RoundData BiddingData PlayData ComputerID
LogOnOff CurrentBoard CurrentRound UpdateFromRound DateLog TimeLog Processed ExternalUpdate
SuspiciousContract EntrySource strID ScoringType NorthHcp
""",
)
SETTING_NAMES = [
    name
    for row in (*SECOND, *THIRD)
    for name in (row.column, row.property_name, row.guide, row.switch)
    if name
]


def test_no_name_of_a_wire_or_a_column_is_in_the_inner_packages() -> None:
    pattern = re.compile(r"\b(" + "|".join(WIRE_NAMES + SETTING_NAMES) + r"|BM[23]\w+)\b")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {name}"
        for package in INNER
        for path in sorted((SOURCE / package).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        for name in pattern.findall(line)
    ]
    assert found == []


def test_packages_without_input_or_output_import_nothing_that_has_it() -> None:
    pattern = re.compile(
        r"^\s*(?:from|import) (os|socket|sqlite3|subprocess|time|asyncio|threading|urllib|http)\b", re.M
    )
    pure = ("bridge", "movements", "scoring", "event", "views", "directing", "bridgemate", "control")
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for package in pure
        for path in sorted((SOURCE / package).rglob("*.py"))
        for name in pattern.findall(path.read_text())
    ]
    assert found == []
