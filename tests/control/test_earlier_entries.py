"""Entries that the page of Overtrick 0.1 had waiting on phones: today's server has to understand them.

`entries_0.1.json` has one of each kind and set of fields, as that page sent it in recorded evenings.
"""

import json
from pathlib import Path

from overtrick.control.entries import read_command, write_command

ENTRIES = json.loads(Path(__file__).with_name("entries_0.1.json").read_text())


def test_entries_of_the_page_of_0_1_are_understood() -> None:
    assert {entry["command"]["kind"] for entry in ENTRIES} >= {
        *("log-on", "enter-result", "correct-result", "erase-result", "call-director", "put-participations"),
        *("record-call", "record-card", "enter-contract", "swap-players", "put-hand-records"),
    }
    for entry in ENTRIES:
        command = read_command(entry["command"])
        written = write_command(command)
        assert {name: written[name] for name in entry["command"]} == entry["command"]
