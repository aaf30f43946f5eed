from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from overtrick.bws.check import check
from overtrick.bws.contents import contents_of, open_contents
from overtrick.bws.schema import TABLES
from overtrick.event.setup import Generation
from tests.bws.files import Rows, contents, find, mitchell, result
from tests.bws.readings import DEAL

Change = Callable[[Rows], Any]


def rules(rows: Rows, generation: Generation = Generation.III) -> list[str]:
    return [str(violation) for violation in check(contents(rows), generation)]


def test_good_file_has_no_violation() -> None:
    rows = mitchell()
    rows["ReceivedData"] = [
        result(1, 1, 1, 1, 1, 1, LeadCard="C10", Contract="3 NT xx", Result="-9"),
        result(2, 1, 1, 2, 1, 1, Contract="PASS", Result=""),
        result(3, 2, 1, 3, 2, 2, Contract="", Result="", Remarks="50%-40%"),
        result(4, 2, 1, 4, 2, 2, Contract="8 S", Erased=True),
    ]
    rows["HandRecord"] = [{"Section": 1, "Board": 1, **DEAL}]
    rows["Settings"] = [{"Section": 1, "BM2PINcode": "0000", "AutopoweroffTime": 20, "BM3Language": 10}]
    assert rules(rows) == []


def test_real_file_has_no_violation_and_one_warning(club_evening: Path) -> None:
    found = check(open_contents(club_evening))
    assert [(str(violation), violation.is_warning) for violation in found] == [
        ("ReceivedData, ID 213: Pair 7 does not sit E, and there is no remark about it.", True)
    ]


def row_of(table: str, **values: Any) -> Callable[..., Change]:
    def change(**fields: Any) -> Change:
        return lambda rows: find(rows[table], **values).update(fields)

    return change


def add(table: str, **fields: Any) -> Change:
    return lambda rows: rows[table].append(fields)


section = row_of("Section")
table1 = row_of("Tables", Table=1)
round11 = row_of("RoundData", Table=1, Round=1)
session = row_of("Session")
north = row_of("PlayerNumbers", Table=1, Direction="N")


def scored(**fields: Any) -> Change:
    return lambda rows: rows["ReceivedData"].append(result(1, 1, 1, 1, 1, 1, **fields))


def hands(**fields: Any) -> Change:
    return lambda rows: rows["HandRecord"].append({"Section": 1, "Board": 1, **DEAL, **fields})


BREACHES: list[tuple[Change, str]] = [
    (add("Clients", ID=1, Computer="SECOND"), "Clients, ID 1: The ID must be unique."),
    (add("Clients", ID=2, Computer=None), "Clients, ID 2: The computer has no name."),
    (session(Status=3), "Session, ID 1: Status is 0, 1 or 2, not 3."),
    (session(GUID="monday"), "Session, ID 1: 'monday' is not in the format of a GUID."),
    (add("Session", ID=1, Name="Again"), "Session, ID 1: The ID must be unique."),
    (
        add("Session", ID=2, GUID="6F9619FF8B86D011B42D00C04FC964FF"),
        "Session, GUID 6F9619FF8B86D011B42D00C04FC964FF: The GUID must be unique.",
    ),
    (section(Letter="AB"), "Section, ID 1: Letters are A to Z, AA to ZZ or AAA to ZZZ, not 'AB'."),
    (section(Tables=4), "Section, ID 1: Tables is 4, but there are 3 tables."),
    (section(Session=7), "Section, ID 1: There is no session 7."),
    (section(ScoringType=5), "Section, ID 1: ScoringType is 1 to 4, not 5."),
    (section(Winners=3), "Section, ID 1: Winners is 0, 1 or 2, not 3."),
    (
        section(MissingPair=2),
        "Section, ID 1: Where North-South and East-West have the same numbers MissingPair is 0",
    ),
    (section(MissingPair=77), "Section, ID 1: No round names the missing pair 77."),
    (section(Winners=0), "Section, ID 1: Winners should be set to 1 or 2."),
    (
        section(Winners=1),
        "Section, ID 1: With one winner no number can sit North-South and East-West in one round.",
    ),
    (table1(ComputerID=9), "Tables, section 1, table 1: There is no client 9."),
    (table1(ComputerID=0), "Tables, section 1, table 1: The table is assigned to no computer."),
    (table1(Status=2), "Tables, section 1, table 1: Status is 0 or 1, not 2."),
    (table1(LogOnOff=0), "Tables, section 1, table 1: LogOnOff is 1 or 2, not 0."),
    (
        table1(UpdateFromRound=700),
        "Tables, section 1, table 1: The value 700 of UpdateFromRound has no meaning.",
    ),
    (table1(Group=128), "Tables, table A1: Group 128 is too high: the highest is 127."),
    (table1(Section=4), "Tables, section 4, table 1: There is no section 4."),
    (
        add("Tables", Section=1, Table=1, ComputerID=1),
        "Tables, section 1, table 1: The table has two records.",
    ),
    (add("Tables", Section=1, Table=8, ComputerID=1), "Tables, section 1, table 8: The table has no rounds."),
    (
        add("Tables", Section=1, Table=5000, ComputerID=1),
        "Tables, table A5000: Table number 5000 is too high: a Bridgemate III allows at most 4095.",
    ),
    (
        add("RoundData", Section=1, Table=9, Round=1),
        "RoundData, section 1, table 9, round 1: Section 1 has no table 9.",
    ),
    (
        add("RoundData", Section=1, Table=1, Round=5),
        "RoundData, section 1, table 1: Rounds must be complete: round 4 is missing.",
    ),
    (
        add("RoundData", Section=1, Table=1, Round=1),
        "RoundData, section 1, table 1, round 1: The round has two records.",
    ),
    (
        round11(HighBoard=0),
        "RoundData, section 1, table 1, round 1: Boards 1 to 0 are not a range of boards.",
    ),
    (
        round11(CustomBoards="1,3,2"),
        "RoundData, section 1, table 1, round 1: '1,3,2' are not board numbers in ascending order.",
    ),
    (
        round11(CustomBoards="1,2", LowBoard=0, HighBoard=0),
        "RoundData, section 1, table 1, round 1: LowBoard and HighBoard must be above zero even with custom",
    ),
    (
        round11(CustomBoards="2,3"),
        "RoundData, section 1, table 1, round 1: LowBoard and HighBoard should be 2 and 3",
    ),
    (
        round11(LowBoard=0, HighBoard=0),
        "RoundData, section 1, table 1, round 1: Two pairs meet without boards.",
    ),
    (
        round11(NSPair=0, EWPair=0),
        "RoundData, section 1, table 1, round 1: Nobody plays, so LowBoard and HighBoard must be 0.",
    ),
    (
        round11(NSPair=2),
        "RoundData, section 1, table 2, round 1: Pair 2 NS sits at section 1, table 1 in this round too.",
    ),
    (
        round11(HighBoard=128),
        "Tables, table A1: Board 128 is too high: a Bridgemate III allows at most 127.",
    ),
    (
        round11(HighBoard=60),
        "Tables, table A1: 60 boards in a round are too many: a Bridgemate III allows at most 54.",
    ),
    (round11(NSPair=4096), "Tables, table A1: Pair 4096 is too high: a Bridgemate III allows at most 4095."),
    (scored(Section=3), "ReceivedData, ID 1: There is no section 3, table 1, round 1."),
    (scored(Board=9), "ReceivedData, ID 1: Board 9 is not played in this round."),
    (scored(PairEW=3), "ReceivedData, ID 1: Pairs 1 and 1 meet there, not 1 and 3."),
    (scored(Declarer=8), "ReceivedData, ID 1: Declarer 8 is neither of the two pairs."),
    (scored(Declarer=0), "ReceivedData, ID 1: Declarer 0 is neither of the two pairs."),
    (scored(direction="X"), "ReceivedData, ID 1: NS/EW is NS, EW, N, S, E or W, not 'X'."),
    (scored(Contract="4S"), "ReceivedData, ID 1: '4S' is not a contract such as 1 H, 4 S x or 3 NT xx."),
    (scored(Result="+7"), "ReceivedData, ID 1: '+7' is not a result: -1 to -13, = or +1 to +6."),
    (scored(Contract="7 NT", Result="+1"), "ReceivedData, ID 1: 7 NT cannot have the result +1."),
    (scored(Contract="PASS"), "ReceivedData, ID 1: A board that was passed out has no result."),
    (scored(Contract=""), "ReceivedData, ID 1: Without a contract there is no result."),
    (
        scored(Contract="", Result="", Remarks="60-40"),
        "ReceivedData, ID 1: A result without a contract must have a remark such as Not played, not '60-40'.",
    ),
    (scored(LeadCard="CT"), "ReceivedData, ID 1: 'CT' is not a lead card such as S2, DA or C10."),
    (scored(SuspiciousContract=3), "ReceivedData, ID 1: SuspiciousContract is 0, 1 or 2, not 3."),
    (
        lambda rows: rows["ReceivedData"].extend(result(id, 1, 1, 1, 1, 1) for id in (1, 2)),
        "ReceivedData, ID 2: Row 1 has a result for the same board too; the later one counts.",
    ),
    (
        lambda rows: rows["IntermediateData"].append(result(1, 1, 1, 1, 1, 1)),
        "IntermediateData, ID 1: A board that is still being played has no result.",
    ),
    (
        add("BiddingData", ID=1, Section=1, Table=1, Round=1, Board=1, Counter=0, Direction="N", Bid="1N"),
        "BiddingData, ID 1: '1N' is not a bid",
    ),
    (
        add("PlayData", ID=1, Section=1, Table=1, Round=1, Board=1, Counter=1, Direction="NS", Card="S10"),
        "PlayData, ID 1: 'S10' is not a card",
    ),
    (hands(Section=4), "HandRecord, section 4, board 1: There is no section 4."),
    (hands(WestHearts="T987"), "HandRecord, section 1, board 1: There are 51 cards and not 52."),
    (hands(WestHearts="T987"), "HandRecord, section 1, board 1: West has 12 cards and not 13."),
    (hands(WestHearts="T987"), "HandRecord, section 1, board 1: There are 12 hearts and not 13."),
    (
        hands(WestHearts="10987"),
        "HandRecord, section 1, board 1: WestHearts is '10987': the ten is T and not 10.",
    ),
    (hands(WestHearts="T987A"), "HandRecord, section 1, board 1: The A of hearts is there twice."),
    (hands(WestHearts="T987Z"), "HandRecord, section 1, board 1: WestHearts is 'T987Z': 'Z' is not a card."),
    (
        lambda rows: rows["HandRecord"].extend({"Section": 1, "Board": 1, **DEAL} for _ in range(2)),
        "HandRecord, section 1, board 1: A board of a section has one record.",
    ),
    (
        add("HandEvaluation", Section=1, Board=1, NorthClubs=14),
        "HandEvaluation, section 1, board 1: NorthClubs is from 0 to 13, not 14.",
    ),
    (
        lambda rows: rows.update(
            HandRecord=[{"Section": 1, "Board": 1, **DEAL}],
            HandEvaluation=[{"Section": 1, "Board": 1, "NorthHcp": 40}],
        ),
        "HandEvaluation, section 1, board 1: North has 16 high card points, not 40.",
    ),
    (north(Direction="NS"), "PlayerNumbers, section 1, table 1, NS: Direction is N, S, E or W, not 'NS'."),
    (north(Table=9), "PlayerNumbers, section 1, table 1: A table has four records; N missing."),
    (
        north(Direction="S"),
        "PlayerNumbers, section 1, table 1, S, round 0: The direction has two records in this round.",
    ),
    (
        add("PlayerNames", ID=None, Name="Nobody"),
        "PlayerNames, strID '': A name must be accompanied by a number.",
    ),
    (
        add("PlayerNames", ID=1, Name="Nineteen characters"),
        "PlayerNames, ID 1: A name has at most 18 characters.",
    ),
    (
        lambda rows: rows["PlayerNames"].extend([{"ID": 1, "Name": "A"}, {"strID": "01", "Name": "B"}]),
        "PlayerNames, number 1: The number occurs twice.",
    ),
    (
        add("Settings", Section=1, BM2PINcode="12"),
        "Settings, section 1: BM2PINcode is always four digits, not '12'.",
    ),
    (
        add("Settings", Section=1, AutopoweroffTime=4),
        "Settings, section 1: AutopoweroffTime is from 5 to 60, not 4.",
    ),
    (add("Settings", Section=1, BM3Language=11), "Settings, section 1: BM3Language is from 0 to 10, not 11."),
    (
        add("Settings", Section=1, BM2GameSummary=True, BM2Ranking=0),
        "Settings, section 1: BM2GameSummary requires BM2Ranking 1 or 2.",
    ),
]


@pytest.mark.parametrize(("change", "rule"), BREACHES, ids=[rule[:60] for _, rule in BREACHES])
def test_every_violation_is_reported(change: Change, rule: str) -> None:
    rows = mitchell()
    change(rows)
    assert any(found.startswith(rule) for found in rules(rows)), rules(rows)


def test_a_pair_that_changes_direction_where_two_win() -> None:
    rows = mitchell()
    for row in rows["RoundData"]:
        row["EWPair"] += 10
    find(rows["RoundData"], Table=1, Round=3).update(NSPair=12, EWPair=1)
    assert any(
        "With two winners every pair keeps its direction, but pair 1, 12" in rule for rule in rules(rows)
    )


def test_pairs_across_the_field_are_unique_over_all_sections() -> None:
    rows, second = mitchell(), mitchell(section=2, letter="B")
    for table in ("Section", "Tables", "RoundData", "PlayerNumbers"):
        rows[table] += second[table]
    assert rules(rows) == []
    rows["Session"][0]["PairsMoveAcrossField"] = True
    assert (
        "RoundData, section 2, table 1, round 1: Pair 1 NS sits at section 1, table 1 in this round too."
        in rules(rows)
    )


def test_a_match_is_at_two_tables() -> None:
    rows = mitchell()
    rows["Section"][0]["ScoringType"] = 4
    assert sum("the two tables of a match must have a group number" in rule for rule in rules(rows)) == 3
    for row in rows["Tables"]:
        row["Group"] = 1
    assert "Tables, group 1: A match has two tables, but 3 have this group." in rules(rows)


def test_limits_are_those_of_the_generation() -> None:
    rows = mitchell()
    find(rows["RoundData"], Table=1, Round=1).update(LowBoard=60, HighBoard=64)
    assert rules(rows) == []
    assert rules(rows, Generation.PRO) == [
        "Tables, table A1: Board 64 is too high: a Bridgemate Pro allows at most 63."
    ]


def test_fields_of_others_come_last_and_start_with_custom() -> None:
    rows = mitchell()
    names = [field.name for field in TABLES["ReceivedData"]]
    good = contents_of(rows, {"ReceivedData": [*names, "custom_VueGraph"]})
    assert check(good) == ()
    inside = contents_of(rows, {"ReceivedData": [*names[:3], "custom_VueGraph", *names[3:]]})
    assert [str(violation) for violation in check(inside)] == [
        "ReceivedData: Added fields must come after the existing ones."
    ]
    own = contents_of(rows, {"ReceivedData": [*names, "Mine"]})
    assert [violation.is_warning for violation in check(own)] == [True]


def test_older_file_with_fewer_fields_has_no_violation() -> None:
    rows = mitchell()
    for table in ("Session", "Settings", "PlayerNames", "HandRecord", "HandEvaluation", "IntermediateData"):
        del rows[table]
    for row in rows["Section"]:
        for name in ("Session", "ScoringType", "Winners"):
            del row[name]
    columns = {"Section": ["ID", "Letter", "Tables", "MissingPair", "EWMoveBeforePlay"]}
    assert check(contents_of(rows, columns)) == ()


def test_board_passed_out_without_declarer_is_a_warning() -> None:
    rows = mitchell()
    passed = {"Contract": "PASS", "Result": "", "Declarer": 0, "direction": ""}
    rows["ReceivedData"] = [result(1, 1, 1, 1, 1, 1, **passed)]
    (found,) = check(contents(rows))
    assert (str(found), found.is_warning) == (
        "ReceivedData, ID 1: Declarer 0 is neither of the two pairs.",
        True,
    )


def test_fields_that_the_vendors_control_software_adds_are_known() -> None:
    names = [field.name for field in TABLES["Session"]]
    added = contents_of(mitchell(), {"Session": [*names, "OnlineEventGUID", "OnlineEventRoundDuration"]})
    assert check(added) == ()
