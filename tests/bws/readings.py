"""Helpers that read an event from rows of a test."""

from datetime import date
from typing import Any

from overtrick.bws.event_from_file import EventFromFile, read_event
from overtrick.event import Session
from tests.bws.files import Rows, contents

TODAY = date(2026, 11, 15)
DEAL = {
    "NorthSpades": "AT2",
    "NorthHearts": "KQ3",
    "NorthDiamonds": "A432",
    "NorthClubs": "K43",
    "EastSpades": "KQJ",
    "EastHearts": "A42",
    "EastDiamonds": "K765",
    "EastClubs": "A52",
    "SouthSpades": "9876543",
    "SouthHearts": "J5",
    "SouthDiamonds": "Q8",
    "SouthClubs": "Q6",
    "WestHearts": "T9876",
    "WestDiamonds": "JT9",
    "WestClubs": "JT987",
}


def read(rows: Rows, **options: Any) -> EventFromFile:
    return read_event(contents(rows), today=TODAY, **options)


def session_of(reading: EventFromFile) -> Session:
    session = reading.journal_state().session(reading.event.sessions[0].session)
    assert session is not None
    return session


def sentences(reading: EventFromFile) -> list[str]:
    return [str(problem) for problem in reading.problems]
