"""No entry of a phone breaks the server, whatever stands where a value should be."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from overtrick.control.entries import COMMANDS, read_command
from overtrick.keys.limits import RateLimit
from tests.web.running import Running

NOW = datetime(2026, 1, 8, 20, 0, tzinfo=UTC).isoformat()
PLACE = {"section": "A", "table": 1}
SAMPLES: dict[str, dict[str, Any]] = {
    "call-director": {**PLACE, "call": "entry-0001", "at": NOW, "round": 1, "board": 1},
    "correct-result": {
        "entry": {**PLACE, "round": 3, "board": 9, "outcome": "3NTN=", "at": NOW, "lead": "SK"},
        "origin": "terminal",
        "was": "Pass",
        "incarnation": 1,
    },
    "enter-contract": {**PLACE, "round": 3, "board": 9, "contract": "3NTN", "at": NOW, "incarnation": 1},
    "enter-result": {
        "entry": {**PLACE, "round": 3, "board": 9, "outcome": "3NTN=", "at": NOW, "lead": "SK"},
        "origin": "terminal",
        "incarnation": 1,
    },
    "erase-result": {**PLACE, "round": 3, "board": 9, "origin": "terminal", "incarnation": 1},
    "log-off": {**PLACE, "at": NOW},
    "log-on": {**PLACE, "terminal": "phone-1", "at": NOW, "takes_over": True},
    "put-hand-records": {
        "records": [
            {
                "group": 1,
                "board": 9,
                "deal": "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
            }
        ],
        "source": "terminal",
    },
    "put-participations": {
        "participations": [
            {**PLACE, "seat": "N", "number": "7", "first_name": "a", "last_name": "b", "round": 0}
        ],
        "source": "terminal",
    },
    "record-call": {**PLACE, "round": 3, "board": 9, "counter": 1, "seat": "N", "call": "1C", "at": NOW},
    "record-card": {**PLACE, "round": 3, "board": 9, "counter": 1, "seat": "N", "card": "SK", "at": NOW},
    "reset-table": {**PLACE, "at": NOW},
    "swap-players": {**PLACE, "round": 3, "side": "NS"},
    "withdraw-call": {**PLACE, "call": "entry-0001", "at": NOW},
}
"""An entry of every kind; whether it would be taken is not what is tested here."""
VALUES: tuple[str, ...] = (
    *("null", "true", "0", "-1", "5", "1.5", "1e400", "9" * 19, "9" * 400, "-" + "9" * 4_400),
    *('""', '"x"', '"\\u0000"', '"' + "x" * 3_000 + '"', '"\\ud83d\\ude00"', '"9999-12-31T23:59:59+00:00"'),
    *("[]", "[[]]", "[5]", "{}", '{"section": 5}', '{"kind": {}}', "[" * 60 + "]" * 60),
)
"""JSON texts that are put in the place of each value."""
UNREADABLE = ("NaN", "Infinity", '"\\ud800"', '"\\ude00\\ud83d"', "[" * 20_000, "{", "1" * 50_000)
"""Texts with which the whole message is no JSON, or no text."""


def replaced(value: Any, mark: str) -> Iterator[Any]:
    """Yield copies of a value, in each of which one part, however deep, is the mark."""
    yield mark
    if isinstance(value, dict):
        for name, part in value.items():
            for other in replaced(part, mark):
                yield {**value, name: other}
            yield {each: kept for each, kept in value.items() if each != name}
    elif isinstance(value, list):
        for place, part in enumerate(value):
            for other in replaced(part, mark):
                yield [*value[:place], other, *value[place + 1 :]]


def sample(pages: Running, guid: str, kind: str) -> dict[str, Any]:
    """Return an entry as a phone makes it, about the first board of round 3."""
    board = pages.session(guid).movement.tables["A", 1].rounds[2].boards[0]
    command = json.loads(json.dumps(SAMPLES[kind]).replace('"board": 9', f'"board": {board}'))
    return {"id": "entry-0001", "incarnation": 1, "command": {"kind": kind, "session": guid, **command}}


def mutated(entry: dict[str, Any]) -> list[str]:
    """Return entries as JSON with a wrong value at every place, each with an id of its own."""
    made = {
        json.dumps({**other, "id": entry["id"]}).replace('"@@"', value)
        for other in replaced(entry, "@@")
        if isinstance(other, dict)
        for value in VALUES
    }
    return [text.replace(entry["id"], f"entry-{number:06}") for number, text in enumerate(sorted(made))]


@pytest.fixture
def phone(pages: Running, guid: str) -> Iterator[httpx.Client]:
    headers = {"x-table-code": pages.keys.table_code(guid, "A", 1), "accept": "application/json"}
    base = f"{pages.address}/t/{guid}/A1"
    with httpx.Client(base_url=base, headers=headers, timeout=30) as client:
        yield client


def sent(phone: httpx.Client, *entries: str) -> httpx.Response:
    return phone.post("/entries", content=f'{{"sent": "{NOW}", "entries": [{",".join(entries)}]}}')


def test_every_kind_of_entry_has_a_sample() -> None:
    assert SAMPLES.keys() == COMMANDS.keys()
    for kind, fields in SAMPLES.items():
        assert isinstance(read_command({"kind": kind, "session": "A" * 32, **fields}), COMMANDS[kind])


@pytest.mark.parametrize("value", ["5", "null", "[]", "{}", "true"])
def test_hand_record_with_a_non_text_deal_is_refused(
    pages: Running, guid: str, phone: httpx.Client, value: str
) -> None:
    entry = sample(pages, guid, "put-hand-records")
    entry["command"]["records"][0]["deal"] = "@@"
    answer = sent(phone, json.dumps(entry).replace('"@@"', value))
    assert answer.status_code == 200
    (one,) = answer.json()["answers"]
    assert one["reason"] == "not-allowed"
    assert "cannot be read" in one["sentence"]


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_wrong_value_anywhere_in_an_entry_is_answered(
    pages: Running, guid: str, phone: httpx.Client, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RateLimit, "take", lambda *_: True)
    broken = []
    entries = mutated(sample(pages, guid, kind))
    for some in (entries[start : start + 10] for start in range(0, len(entries), 10)):
        answer = sent(phone, *some)
        if answer.status_code == 200:
            answers = answer.json()["answers"]
            assert len(answers) == len(some)
            assert all("version" in each or each["sentence"] for each in answers)
            continue
        for one in some:
            answer = sent(phone, one)
            if answer.status_code not in (200, 400, 413) or "went wrong" in answer.text:
                broken.append(f"{answer.status_code} {one[:200]}")
    assert broken == []


@pytest.mark.parametrize("kind", ["enter-result", "put-participations"])
@pytest.mark.parametrize("value", UNREADABLE, ids=lambda value: value[:10])
def test_message_that_is_not_json_is_refused(
    guid: str, phone: httpx.Client, pages: Running, kind: str, value: str
) -> None:
    heads = pages.journal.heads()
    for other in replaced(sample(pages, guid, kind), "@@"):
        text = json.dumps(other)
        if '"@@"' not in text:
            continue
        answer = sent(phone, text.replace('"@@"', value))
        assert answer.status_code in (400, 413), answer.text
        assert answer.json()["sentence"]
    assert pages.journal.heads() == heads


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value[:10])
@pytest.mark.parametrize("field", ["sent", "entries", "id"])
def test_invalid_envelope_is_refused(phone: httpx.Client, field: str, value: str) -> None:
    fields = {"sent": f'"{NOW}"', "entries": "[]"}
    if field == "id":
        fields["entries"] = f'[{{"id": {value}, "incarnation": 1, "command": {{}}}}]'
    else:
        fields[field] = value
    body = ",".join(f'"{name}": {text}' for name, text in fields.items())
    answer = phone.post("/entries", content=f"{{{body}}}")
    assert answer.status_code in (200, 400), answer.text
    if answer.status_code == 400:
        assert answer.json()["sentence"]
