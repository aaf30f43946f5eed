"""Sound DTOs as clients send them, for tests to use and to break."""

from typing import Any

GUID = "6D115AF1ABEB4462A299B1FE86274949"
OTHER = "0123456789ABCDEF0123456789ABCDEF"

Json = dict[str, Any]


def round_(
    number: int, ns: int, ew: int, *, low: int = 0, section: str = "A", table: int = 1, **more: Any
) -> Json:
    is_played = ns and ew
    return {
        "SessionGuid": GUID,
        "SectionLetters": section,
        "TableNumber": table,
        "RoundNumber": number,
        "LowBoardNumber": low if is_played else 0,
        "HighBoardNumber": low + 3 if is_played else 0,
        "PairNS": ns,
        "PairEW": ew,
        "TeamNS": 0,
        "TeamEW": 0,
        "MatesTableSectionLetters": None,
        "MatesTableTableNumber": 0,
        "MatesTableRoundNumber": 0,
        "Updated": False,
    } | more


def table(number: int, pairs: list[tuple[int, int]], section: str = "A") -> Json:
    return {
        "SessionGuid": GUID,
        "SectionLetters": section,
        "TableNumber": number,
        "Rounds": [
            round_(at, ns, ew, low=4 * at - 3, section=section, table=number)
            for at, (ns, ew) in enumerate(pairs, start=1)
        ],
    }


def section(letters: str = "A", group: int = 1, **more: Any) -> Json:
    """Four pairs that all meet each other, as in the guide's example."""
    return {
        "SessionGuid": GUID,
        "ScoringGroupNumber": group,
        "Letters": letters,
        "Name": None,
        "Winners": 1,
        "GameType": 10,
        "EWMoveBeforePlay": 0,
        "MissingPair": 0,
        "IsCombiSection": False,
        "NorthSouthPairSectionLetters": None,
        "EastWestPairSectionLetters": None,
        "Tables": [
            table(1, [(1, 2), (1, 3), (1, 4)], letters),
            table(2, [(3, 4), (4, 2), (2, 3)], letters),
        ],
    } | more


def section_update(letters: str = "A", group: int = 1, **more: Any) -> Json:
    return section(letters, group) | {"ScoringGroupScoringMethod": 10, "IsDeleted": False} | more


def scoring_group(number: int = 1, *sections: Json, **more: Any) -> Json:
    return {
        "SessionGuid": GUID,
        "Sections": list(sections) or [section(group=number)],
        "ScoringGroupNumber": number,
        "ScoringMethod": 10,
        "Name": None,
        "IsDeleted": False,
    } | more


def session(*groups: Json, **more: Any) -> Json:
    return {
        "ScoringGroups": list(groups) or [scoring_group()],
        "EventGuid": GUID,
        "SessionGuid": GUID,
        "Name": "Friday evening",
        "Year": 2024,
        "Month": 6,
        "Day": 3,
        "Hour": 19,
        "Minute": 30,
        "ShowInApp": True,
        "EWReturnHome": False,
        "PairsMoveAccrossField": False,
    } | more


def player(number: str, first: str = "Ada", last: str = "Lovelace") -> Json:
    return {
        "SessionGuid": GUID,
        "PlayerNumber": number,
        "FirstName": first,
        "LastName": last,
        "CountryCode": "NL",
    }


def participation(number: str | None, seat: int = 1, table: int = 1, **more: Any) -> Json:
    return {
        "SessionGuid": GUID,
        "SectionLetters": "A",
        "TableNumber": table,
        "Direction": seat,
        "RoundNumber": 0,
        "PlayerNumber": number,
        "FirstName": None,
        "LastName": None,
        "CountryCode": None,
        "IsPlayerSwap": False,
        "IsRemoval": False,
    } | more


def handrecord(board: int = 1, **more: Any) -> Json:
    suits = ("Clubs", "Diamonds", "Hearts", "Spades")
    holdings = ("AKQ", "JT9", "876", "5432")
    made: Json = {"SessionGuid": GUID, "ScoringGroupNumber": 1, "SectionLetters": "A", "BoardNumber": board}
    for at, seat in enumerate(("North", "East", "South", "West")):
        for index, suit in enumerate(suits):
            made[seat + suit] = holdings[(at + index) % 4]
    return made | {"HasHandEvaluationData": False} | more


def other_handrecord(board: int = 1, **more: Any) -> Json:
    """The same board with the cards of North and South exchanged."""
    made = handrecord(board, **more)
    swapped = {"North": "South", "South": "North"}
    for seat, other in swapped.items():
        for suit in ("Clubs", "Diamonds", "Hearts", "Spades"):
            made[seat + suit] = handrecord(board)[other + suit]
    return made


def result(board: int = 1, **more: Any) -> Json:
    return {
        "SessionGuid": GUID,
        "SectionLetters": "A",
        "TableNumber": 1,
        "RoundNumber": 1,
        "BoardNumber": board,
        "ScoringDirection": 3,
        "IsDeleted": False,
        "PairNorthSouth": 1,
        "PairEastWest": 2,
        "DeclaringPair": 1,
        "DeclarerDirection": 1,
        "Level": 3,
        "Denomination": 5,
        "Stake": 0,
        "TotalTricks": 9,
        "LeadCardRank": 0,
        "LeadCardSuit": 0,
    } | more


def td_call(**more: Any) -> Json:
    return {
        "SessionGuid": GUID,
        "SectionLetters": "A",
        "TableNumber": 1,
        "RoundNumber": 1,
        "Hour": 20,
        "Minute": 15,
        "Status": 1,
    } | more


def settings2(letters: str = "A", **more: Any) -> Json:
    return {"SessionGuid": GUID, "SectionLetters": letters, "BM2PINcode": "0000", "BM2Ranking": 1} | more


def settings3(letters: str = "A", **more: Any) -> Json:
    return {
        "SessionGuid": GUID,
        "SectionLetters": letters,
        "BM3PINcode": "1234",
        "BM3ScreenBrightness": 4,
        "BM3ScreenDimMode": 2,
        "BM3SleepMode": 60,
        "BM3AudioVolume": 3,
    } | more


def init(*sessions: Json, **more: Any) -> Json:
    return {
        "Commands": 135,
        "EventGuid": GUID,
        "AlternativeDataFolder": None,
        "Sessions": list(sessions) or [session()],
        "PlayerData": [player(str(number)) for number in range(1, 9)],
        "Participations": [
            participation(str(4 * (at - 1) + seat), seat, at) for at in (1, 2) for seat in (1, 2, 3, 4)
        ],
        "Handrecords": [handrecord(board) for board in (1, 2)],
        "Bridgemate2Settings": [settings2()],
        "Bridgemate3Settings": [settings3()],
    } | more


def continue_(**more: Any) -> Json:
    return {"EventGuid": GUID, "Commands": 5, "AlternativeDataFolder": None} | more


def combi_session() -> Json:
    return session(
        scoring_group(
            1,
            section("A"),
            section("B"),
            section(
                "C", IsCombiSection=True, NorthSouthPairSectionLetters="A", EastWestPairSectionLetters="B"
            ),
        )
    )
