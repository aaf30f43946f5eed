"""Small `.bws` contents to start from: raw rows by table, to be changed before they are read."""

from datetime import datetime
from typing import Any

from overtrick.bws.contents import Contents, contents_of
from overtrick.bws.rows import log_fields

Rows = dict[str, list[dict[str, Any]]]
AT = datetime(2026, 3, 2, 19, 45, 30)
GUID = "6F9619FF8B86D011B42D00C04FC964FF"


def mitchell(tables: int = 3, boards: int = 2, section: int = 1, letter: str = "A", winners: int = 2) -> Rows:
    """A plain Mitchell over as many rounds as tables: both directions are numbered from 1."""
    return {
        "Clients": [{"ID": 1, "Computer": "CLUB"}],
        "Session": [
            {
                "ID": 1,
                "Name": "Monday",
                "Date": datetime(2026, 3, 2),
                "Time": datetime(1899, 12, 30, 19, 30),
                "GUID": "{6f9619ff-8b86-d011-b42d-00c04fc964ff}",
                "Status": 0,
                "ShowInApp": True,
                "PairsMoveAcrossField": False,
                "EWReturnHome": False,
            }
        ],
        "Section": [
            {
                "ID": section,
                "Letter": letter,
                "Tables": tables,
                "MissingPair": 0,
                "EWMoveBeforePlay": 0,
                "Session": 1,
                "ScoringType": 1,
                "Winners": winners,
            }
        ],
        "Tables": [
            {
                "Section": section,
                "Table": table,
                "ComputerID": 1,
                "Status": 0,
                "LogOnOff": 2,
                "UpdateFromRound": 0,
                "CurrentRound": 0,
                "CurrentBoard": 0,
                "Group": 0,
            }
            for table in range(1, tables + 1)
        ],
        "RoundData": [
            {
                "Section": section,
                "Table": table,
                "Round": number,
                "NSPair": table,
                "EWPair": (table - number) % tables + 1,
                "LowBoard": ((table + number - 2) % tables) * boards + 1,
                "HighBoard": ((table + number - 2) % tables + 1) * boards,
                "CustomBoards": "",
            }
            for table in range(1, tables + 1)
            for number in range(1, tables + 1)
        ],
        "ReceivedData": [],
        "IntermediateData": [],
        "PlayerNumbers": [
            {
                "Section": section,
                "Table": table,
                "Direction": direction,
                "Number": "",
                "Name": "",
                "Round": 0,
                "Updated": False,
                "TimeLog": None,
                "Processed": False,
                "EntrySource": 0,
            }
            for table in range(1, tables + 1)
            for direction in "NSEW"
        ],
        "PlayerNames": [],
        "Settings": [],
        "BiddingData": [],
        "PlayData": [],
        "HandRecord": [],
        "HandEvaluation": [],
    }


def result(id: int, table: int, number: int, board: int, ns: int, ew: int, **fields: Any) -> dict[str, Any]:
    """A row of results; NS/EW is given as `direction`."""
    direction = fields.pop("direction", "N")
    return {
        "ID": id,
        "Section": 1,
        "Table": table,
        "Round": number,
        "Board": board,
        "PairNS": ns,
        "PairEW": ew,
        "Declarer": ns if direction in ("N", "S", "NS") else ew,
        "NS/EW": direction,
        "Contract": "4 S",
        "Result": "=",
        "LeadCard": "",
        "Remarks": "",
        **log_fields(AT),
        "Processed": False,
        "ExternalUpdate": False,
        "Processed1": False,
        "Processed2": False,
        "Processed3": False,
        "Processed4": False,
        "Erased": False,
        "SuspiciousContract": 0,
        **fields,
    }


def contents(rows: Rows) -> Contents:
    return contents_of(rows, name="monday")


def find(rows: list[dict[str, Any]], **values: Any) -> dict[str, Any]:
    """The one row with these values."""
    [found] = [row for row in rows if all(row[name] == value for name, value in values.items())]
    return found
