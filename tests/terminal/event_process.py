"""The event behind the tests of tests/terminal/*.test.mjs: a program that decides about the entries of terminals.

It reads one request a line and writes one answer a line, both JSON. The sessions are those of `overtrick.event`, the
entries of devices are parsed as the server parses them, and a snapshot is what a device gets.
"""

import json
import sys
import traceback
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, get_type_hints

import msgspec

from overtrick.bridge import Deal, Outcome
from overtrick.control import LobbyTable, take_snapshot
from overtrick.control.device_location import TablePlace
from overtrick.control.entries import allow_entry, as_json_types, confirm_or_refuse, for_device, parse_entry
from overtrick.control.snapshot import table_rules
from overtrick.event import Command, JournalState, OpenEvent, Reason, Rejection, decide
from overtrick.event.calls import AnswerCall, CallStatus
from overtrick.event.hands import PutHandRecords
from overtrick.event.held_entries import HoldEntry
from overtrick.event.movement import DropTable, ReplaceRounds, SectionPlan, SetMovement, SetWaiting, TablePlan
from overtrick.event.results import EnterResult, EraseResult, PutResults
from overtrick.event.seating import PutPlayers
from overtrick.event.settings import RANGES, Language, PutSettings, SettingsII, SettingsIII
from overtrick.event.setup import SetStatus
from overtrick.event.tables import LogOn, ResetTable
from overtrick.keys import KeyRing
from overtrick.views import SessionView
from overtrick.web.vocabulary import texts
from tests.event.evenings import SESSION, plan

GENERATIONS: dict[str, type[SettingsII | SettingsIII]] = {"II": SettingsII, "III": SettingsIII}
COMMANDS: dict[str, type[Command]] = {
    kind.__name__: kind
    for kind in (
        *(AnswerCall, DropTable, EnterResult, EraseResult, LogOn, PutHandRecords, PutPlayers, PutResults),
        *(ReplaceRounds, ResetTable, SetMovement, SetStatus, SetWaiting),
    )
}
"""Commands of the director, the scoring program or another device in these tests."""


def read_value(wanted: type, value: Any) -> Any:
    """Read the values that have no JSON form of their own."""
    if wanted in (Outcome, Deal):
        return wanted.parse(value)
    raise TypeError(f"{wanted.__name__} cannot be read from {type(value).__name__}")


def read_settings(values: dict[str, Any]) -> SettingsII | SettingsIII:
    """Read settings from their generation and what differs from the defaults."""
    rest = dict(values)
    return msgspec.convert(rest, GENERATIONS[rest.pop("generation")])


def write_place(place: tuple[Any, ...]) -> str:
    """Return a place as text: A/1/2/3."""
    return "/".join(str(getattr(each, "value", each)) for each in place)


def place_of(command: dict[str, Any]) -> TablePlace:
    """Return the table whose device sends a command. Any table where a board is played can enter its deal."""
    about = command.get("entry") or (command.get("participations") or [command])[0]
    return TablePlace(about.get("section", "A"), about.get("table", 1))


GRANTED = "granted"


class Granting(KeyRing):
    """A key ring with one permission, which is valid for every place."""

    def __init__(self) -> None:
        """Read no file."""

    def session_pin(self, session: str) -> str:
        """Return a PIN of a session for which none was set."""
        return ""

    def is_permission(self, scope: str, shown: str) -> bool:
        """Return whether this is the permission of `check_pin`."""
        return shown == GRANTED


class TestedEvent:
    """One session and its view."""

    def __init__(self, settings: list[dict[str, Any]], planned: dict[str, Any]) -> None:
        self.journal_state = JournalState()
        self.view = SessionView()
        self.version = 0
        self.taken: dict[str, dict[str, Any]] = {}
        self._snapshot: tuple[tuple[Any, ...], Any] = ((), None)
        given = dict(planned)
        if "section" in given:
            given["section"] = msgspec.convert(given["section"], SectionPlan)
        if "tables" in given:
            given["tables"] = msgspec.convert(given["tables"], tuple[TablePlan, ...])
        opened = plan(**given)
        self.sections = [section.section for section, _ in opened.sections]
        self.must(OpenEvent(SESSION, (opened,)))
        for each in settings:
            self.put_settings(each)

    def put_settings(self, settings: dict[str, Any]) -> None:
        """Give every section the same settings."""
        made = read_settings(settings)
        self.must(PutSettings(SESSION, tuple((section, made) for section in self.sections)))

    def carry_out(self, command: Command) -> Rejection | None:
        """Carry out a command, or return why not."""
        decided = decide(self.journal_state, command)
        if isinstance(decided, Rejection):
            return decided
        stream = self.journal_state.stream(SESSION)
        for made in decided:
            self.journal_state.apply(made.stream, made.fact)
            if made.stream == (stream or self.journal_state.stream(SESSION)):
                self.view.apply(made.fact)
                self.version += 1
        return None

    def must(self, command: Command) -> None:
        """Carry out a command that has to succeed."""
        refused = self.carry_out(command)
        assert refused is None, str(refused)

    def take(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Decide about an entry of a device; a repeated id gets the same answer."""
        if entry["id"] not in self.taken:
            place, now = place_of(entry["command"]), datetime.now(UTC)
            parsed = parse_entry(entry, self.view.session, place, ahead=timedelta(0), now=now)
            wanted: Command | Rejection = (
                parsed
                if isinstance(parsed, Rejection)
                else allow_entry(parsed, self.view.session, place, keys=Granting(), now=now)
            )
            refused = wanted if isinstance(wanted, Rejection) else self.carry_out(wanted)
            answer: dict[str, Any] = {"id": entry["id"]}
            if refused is None:
                answer |= {"version": self.version, "is_held": isinstance(wanted, HoldEntry)}
            else:
                answer |= {"reason": refused.reason.value, "sentence": str(refused)}
            self.taken[entry["id"]] = answer
        return self.taken[entry["id"]]

    def check_pin(self, section: str, pin: str) -> dict[str, str]:
        """Return the server's answer to a PIN."""
        is_right = table_rules(self.view.session, section).pin == pin
        return {"permission": GRANTED} if is_right else {"answer": "wrong"}

    def settle_held(self, is_confirmed: bool) -> str:
        """Confirm or refuse everything that waits for the director; return the sentence of a refusal."""
        session = self.view.session
        for place in session.held.places():
            refused = self.carry_out(confirm_or_refuse(session, place, is_confirmed=is_confirmed))
            if refused is not None:
                return str(refused)
        return ""

    def news(self, choice: list[Any] | None) -> dict[str, Any]:
        """Return the news for a device that has chosen a table."""
        key = (self.version, choice)
        if choice is not None and key != self._snapshot[0]:
            section, table = choice
            found = take_snapshot(self.view, section, table, self.version)
            self._snapshot = key, as_json_types(found and for_device(self.view.session, found))
        return {
            "snapshot": None if choice is None else self._snapshot[1],
            "tables": self.tables(),
            "version": self.version,
        }

    def tables(self) -> list[Any]:
        """Return every table with the device that is logged on there."""
        session = self.view.session
        on = session.tables.logged_on
        made: list[Any] = as_json_types(
            [
                LobbyTable(*table, on[table].terminal if table in on else "")
                for table in sorted(session.movement.tables)
            ]
        )
        return made

    def state(self) -> dict[str, Any]:
        """Return the state of the session, for assertions."""
        session = self.view.session
        recording = session.recording
        return {
            "results": {
                write_place(place): {
                    "outcome": str(fact.outcome),
                    "lead": fact.lead.value if fact.lead else "",
                    "is_wrong_direction": fact.is_wrong_direction,
                }
                for place, fact in session.results.standing.items()
            },
            "chairs": {write_place(place): seated.number for place, seated in session.seating.chairs.items()},
            "logged_on": {write_place(place): on.terminal for place, on in session.tables.logged_on.items()},
            "contracts": {
                write_place(place): [begun.contract, begun.lead.value if begun.lead else ""]
                for place, begun in recording.contracts.items()
            },
            "recorded_calls": {
                write_place((*place, counter)): [fact.seat.value, fact.call]
                for (place, counter), fact in recording.calls.items()
            },
            "recorded_cards": {
                write_place((*place, counter)): [fact.seat.value, fact.card]
                for (place, counter), fact in recording.cards.items()
            },
            "calls": list(session.calls.calls),
            "open_calls": [call.call for call in session.calls.calls.values() if call.is_open],
            "held": {write_place(place): len(session.held.at(place)) for place in session.held.places()},
            "deals": {
                write_place(place): str(record.deal) for place, record in session.hands.records.items()
            },
        }


EVENTS: list[TestedEvent] = []


def choices(kind: type[SettingsII | SettingsIII]) -> dict[str, Any]:
    """Return every setting of a generation with its possible values, or its least and largest."""
    found: dict[str, Any] = {}
    for each in fields(kind):
        default = getattr(kind(), each.name)
        if isinstance(default, bool):
            found[each.name] = {"values": [False, True]}
        elif isinstance(default, Enum):
            found[each.name] = {"values": [value.value for value in type(default)]}
        elif isinstance(default, int):
            found[each.name] = {"range": RANGES[each.name]}
        else:
            found[each.name] = {"values": ["0000", "1234"]}
    return found


def defaults(kind: type[SettingsII | SettingsIII]) -> dict[str, Any]:
    """Return the default settings of a generation."""
    made: dict[str, Any] = as_json_types(kind())
    return made


def answer(request: dict[str, Any]) -> Any:
    """Carry out a request; return its answer."""
    match request["do"]:
        case "describe":
            return {
                "session": SESSION,
                "choices": {name: choices(kind) for name, kind in GENERATIONS.items()},
                "defaults": {name: defaults(kind) for name, kind in GENERATIONS.items()},
                "texts": {language.value: json.loads(texts(language)) for language in Language},
                "reasons": [reason.value for reason in Reason],
                "call_statuses": [status.value for status in CallStatus],
            }
        case "open":
            EVENTS.append(TestedEvent(request["settings"], request["plan"]))
            return {"event": len(EVENTS) - 1, "tables": EVENTS[-1].tables()}
    event = EVENTS[request["event"]]
    match request["do"]:
        case "deliver":
            answers = [event.take(entry) for entry in request["entries"]]
            return {"answers": answers, **event.news(request["choice"])}
        case "pin":
            return event.check_pin(request["section"], request["pin"])
        case "settle":
            return event.settle_held(request["is_confirmed"])
        case "settings":
            return event.put_settings(request["settings"])
        case "command":
            kind = COMMANDS[request["kind"]]
            values = {"session": SESSION, **request["values"]}
            if "at" in get_type_hints(kind):
                values.setdefault("at", datetime.fromisoformat(request["at"]))
            refused = event.carry_out(msgspec.convert(values, kind, dec_hook=read_value))
            return None if refused is None else refused.reason.value
        case "state":
            return event.state()
    raise ValueError(f"unknown request: {request['do']}")


def main() -> None:
    for line in sys.stdin:
        try:
            made = {"answer": answer(json.loads(line))}
        except Exception:
            made = {"error": traceback.format_exc()}
        print(json.dumps(made, ensure_ascii=False, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
