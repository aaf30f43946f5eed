"""The guide's own JSON examples, as printed, with the corrections that the design lists."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from overtrick.connector.wire.envelope import parse_request
from overtrick.connector.wire.event import (
    BCSManagementRequestDTO,
    BCSManagementResponseDTO,
    ContinueDTO,
    InitDTO,
)
from overtrick.connector.wire.movement import TableDTO
from overtrick.connector.wire.numbers import ErrorType, WireCommand
from overtrick.connector.wire.reading import MalformedRequest, read_one
from overtrick.connector.wire.rules import problems

GUIDE = Path(__file__).parent / "guide"


def printed(name: str) -> str:
    return (GUIDE / f"{name}.json").read_text()


def corrected(name: str) -> str:
    """The example without doubled braces, trailing commas and line breaks in strings, and with its last brace."""
    text = re.sub(r",(\s*[}\]])", r"\1", printed(name))
    text = re.sub(r"\{\s*\{", "{", text)
    # At the end of a page everything is closed, as if the example ended there; one table is not closed at all.
    text = re.sub(r"\}(?:\s*[\]}]){3,}\s*\{", "},{", text)
    text = re.sub(r"\],\s*\{", "]},{", text)
    text = re.sub(r'"\{\s*(\\"Command\\":\s*\d)\s*\}"', r'"{\1}"', text)
    if text.count("{") > text.count("}"):
        text += "}"
    return text


def numbered(name: str, command: WireCommand) -> str:
    """The corrected example with the number of the command table."""
    return re.sub(r'"Command":\s*\d+', f'"Command": {command:d}', corrected(name), count=1)


@pytest.mark.parametrize("name", ["initialize", "manage_6", "manage_8"])
def test_examples_as_printed_are_refused(name: str) -> None:
    with pytest.raises(MalformedRequest) as caught:
        parse_request(printed(name))
    assert caught.value.error is ErrorType.Validation


def test_example_of_initialize_is_accepted() -> None:
    request = parse_request(corrected("initialize"))
    assert request.command is WireCommand.InitializeEvent
    event = read_one(InitDTO, request.payload)
    assert problems(event) == []
    assert event.Sessions
    assert event.Sessions[0].ScoringGroups
    section = (event.Sessions[0].ScoringGroups[0].Sections or [])[0]
    pairs = [[(r.PairNS, r.PairEW) for r in table.Rounds or []] for table in section.Tables or []]
    assert pairs == [[(1, 2), (1, 3), (1, 4)], [(3, 4), (4, 2), (2, 3)]]


def test_example_of_continue_is_accepted() -> None:
    assert parse_request(printed("continue")).command is WireCommand.AcceptHandrecordQueueItems
    request = parse_request(numbered("continue", WireCommand.ContinueEvent))
    wanted = read_one(ContinueDTO, request.payload)
    assert problems(wanted) == []
    assert wanted.Commands == 5


@pytest.mark.parametrize(("name", "question"), [("manage_6", 6), ("manage_8", 8)])
def test_example_of_manage_is_accepted(name: str, question: int) -> None:
    request = parse_request(numbered(name, WireCommand.ManageBCS))
    wanted = read_one(BCSManagementRequestDTO, request.payload)
    assert problems(wanted) == []
    assert wanted.Command == question
    answer: Any = json.loads(corrected(f"{name}_answer"))
    read = read_one(BCSManagementResponseDTO, answer)
    assert read.IsRunning
    assert len(read.SessionInformation or []) == {"manage_6": 1, "manage_8": 4}[name]


def test_table_guid_with_dashes_is_refused_and_without_dashes_accepted() -> None:
    text = corrected("table")
    assert len(problems(read_one(TableDTO, json.loads(text)))) == 3
    guid = "4f24d8a2-2b6c-4a72-9e6a-8901a5a8b3c1"
    text = text.replace(guid, guid.replace("-", "").upper())
    assert problems(read_one(TableDTO, json.loads(text))) == []
