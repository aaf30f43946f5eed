"""Record evenings of the Python terminal for tests/terminal/recording.test.mjs: what was pressed, what came of it.

Run it with: python -m tests.terminal.record. The file starts with the values that the evenings share; every further
line is one evening: [name, snapshots, steps]. A snapshot holds the fields that differ from the one before. A step is
[digest, operation, works, display, ...entries]: the digest of the whole state after it, the terminal's method with its
arguments, whether the key worked, the fields of the display that changed, and the entries that were made. Keys pressed,
tables, screens, lists of keys and the fields of snapshots are indexes of the shared values.
"""

import base64
import gzip
import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from overtrick.bridge import (
    BIDS,
    SEATS,
    Award,
    Contract,
    Deal,
    Doubling,
    NotPlayed,
    Outcome,
    PassedOut,
    Played,
    Undecided,
)
from overtrick.control import Snapshot, Terminal, memory, messages, screens
from overtrick.control.inputs import Input
from overtrick.control.listing import scores, spelled
from overtrick.control.machine import Machine
from overtrick.control.numbers import find_name, is_possible
from overtrick.control.pins import hide_pin, is_pin, without_pin
from overtrick.control.rules import Rules
from overtrick.control.screens import Screen
from overtrick.control.snapshot import LobbyTable
from overtrick.event import Rejection
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.results import EnterResult
from overtrick.event.settings import (
    RANGES,
    Language,
    NumberRules,
    Perspective,
    SettingsII,
    SettingsIII,
    Spelling,
)
from overtrick.event.setup import Game
from overtrick.web.vocabulary import texts
from tests.control import random_evening
from tests.control.random_evening import RandomEvening
from tests.event.evenings import NOON, SESSION, entry, plan, rounds

HERE = Path(__file__).parent
RANDOM_EVENINGS = 400
STEPS = 60
LONG = 240
"""Keys of every eighth random evening, which gets to the end of a session."""
CHOICE_STEPS = 60

MORE_PLANS = (
    plan(
        section=SectionPlan("A", 1, game=Game.INDIVIDUAL),
        tables=(
            TablePlan(1, (Round(1, 2, (1, 2), 3, 4), Round(5, 3, (3, 4), 2, 1))),
            TablePlan(2, (Round(5, 6, (1, 2), 7, 8), Round(1, 4, (3, 4), 6, 8))),
        ),
    ),
    plan(
        section=SectionPlan("A", 1, winners=2, game=Game.TEAMS),
        tables=(
            TablePlan(1, rounds((1, 2, 1), (1, 3, 3), boards=2)),
            TablePlan(2, rounds((2, 1, 1), (3, 1, 3), boards=2)),
            TablePlan(3, rounds((3, 4, 5), (2, 4, 5), boards=2)),
        ),
        ew_return_home=True,
    ),
    plan(
        section=SectionPlan("A", 1, winners=2, ew_moves=1, missing_pair=4),
        tables=tuple(TablePlan(table, rounds((table, 3 + table, 1), boards=1)) for table in (1, 2, 3)),
    ),
    # one board each: many evenings get to their end
    plan(
        tables=(
            TablePlan(1, rounds((1, 2, 1), (1, 3, 2), boards=1)),
            TablePlan(2, rounds((3, 4, 1), (4, 2, 2), boards=1)),
        )
    ),
    # many tables: the lists of results have pages
    plan(
        section=SectionPlan("A", 1, winners=2),
        tables=tuple(
            TablePlan(table, (Round(table, 20 + table, (1, 2)), Round(table, 21 + table % 9, (3,))))
            for table in range(1, 10)
        ),
    ),
)
OTHERS = ("4SN=", "Pass", "3NTE-1", "4SN+1", "60-40", "2HxW-2", "6DS=", "NP", "1CE+3")
"""Results of the other tables where there are many."""


class Values:
    """Values that are written once and referred to by their index."""

    def __init__(self) -> None:
        self.all: list[Any] = []
        self._places: dict[str, int] = {}

    def place(self, value: Any) -> int:
        text = canonical(value)
        if text not in self._places:
            self._places[text] = len(self.all)
            self.all.append(value)
        return self._places[text]


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(text: str) -> str:
    """Four characters: a step that differs is missed once in sixteen million times."""
    return base64.urlsafe_b64encode(hashlib.sha1(text.encode()).digest()[:3]).decode()


def plain_screen(screen: Screen) -> dict[str, Any]:
    return {
        "screen": type(screen).__name__,
        "key": screen.key,
        "about": screen.about,
        **memory._fields(screen),
    }


def seconds(at: datetime) -> int:
    return int((at - NOON).total_seconds())


class Traced(Terminal):
    """A terminal that writes down what happens to it and what comes of it."""

    trace: "Trace"

    def press(self, key: Input, at: datetime) -> bool:
        works = super().press(key, at)
        given = {"kind": type(key).__name__, **memory._fields(key)}
        if "call" in given:
            given["call"] = str(key.call)  # type: ignore[attr-defined]
        self.trace.note(self, ["press", self.trace.values.place(given), seconds(at)], works)
        return works

    def acknowledge(self, entry_id: str, version: int) -> None:
        super().acknowledge(entry_id, version)
        self.trace.note(self, ["acknowledge", entry_id, version])

    def refuse(self, entry_id: str, rejection: Rejection) -> None:
        super().refuse(entry_id, rejection)
        self.trace.note(self, ["refuse", entry_id, rejection.reason.value, str(rejection)])

    def update(self, snapshot: Snapshot | None, tables: tuple[LobbyTable, ...] | None = None) -> None:
        hidden, place = self.trace.sent(snapshot)
        super().update(hidden, tables)
        self.trace.note(self, ["update", place, self.trace.values.place(memory.plain(tables))])


class Trace:
    """What happened at one terminal."""

    def __init__(self, values: Values, hides_pin: bool) -> None:
        self.values = values
        self.steps: list[list[Any]] = []
        self.snapshots: list[dict[str, int]] = []
        self.screens: set[str] = set()
        self._sent: dict[int, tuple[Snapshot, Snapshot, int]] = {}
        self._last: dict[str, int] = {}
        self._hides_pin = hides_pin
        self._entries: set[str] = set()
        self._seen: dict[str, Any] = {}

    def sent(self, snapshot: Snapshot | None) -> tuple[Snapshot | None, int | None]:
        """The snapshot as a device gets it, and its place among all that were sent in this evening."""
        if snapshot is None:
            return None, None
        if id(snapshot) not in self._sent:
            hidden = without_pin(snapshot) if self._hides_pin else snapshot
            self._sent[id(snapshot)] = snapshot, hidden, len(self.snapshots)
            made = {name: self.values.place(value) for name, value in memory.plain(hidden).items()}
            self.snapshots.append(
                {name: place for name, place in made.items() if self._last.get(name) != place}
            )
            self._last = made
        return self._sent[id(snapshot)][1:]

    def note(self, terminal: Terminal, step: list[Any], works: bool | None = None) -> None:
        """Record a step, and how the terminal is after it."""
        shown = terminal.display
        self.screens.add(type(shown.screen).__name__)
        known = terminal.machine.snapshot
        kept = {
            each.name: memory.plain(getattr(terminal.machine, each.name))
            for each in fields(Machine)
            if each.name != "snapshot"
        }
        kept["snapshot"] = known and [known.version, known.terminal, known.section, known.table]
        display = {
            "screen": plain_screen(shown.screen),
            "language": shown.language.value,
            "keys": sorted(key.__name__ for key in shown.keys),
            "notice": memory.plain(shown.notice),
            "call": memory.plain(shown.call),
            "unsent": shown.unsent,
        }
        state = {
            "works": works,
            "display": display,
            "said": [
                messages.say(shown.language, each) if each else "" for each in (shown.screen, shown.notice)
            ],
            "unsent": [entry.id for entry in terminal.unsent()],
            "memory": kept,
        }
        made = [memory.plain(entry) for entry in terminal.machine.outbox if entry.id not in self._entries]
        self._entries |= {entry["id"] for entry in made}
        seen = {
            name: self.values.place(value) if name in ("screen", "keys") else value
            for name, value in display.items()
        }
        changed = {name: value for name, value in seen.items() if self._seen.get(name, ...) != value}
        self._seen = seen
        self.steps.append([digest(canonical(state)), step, works, changed, *made])


class TracedEvening(RandomEvening):
    """A random evening whose terminal is traced, and is off the network for a while in one of three."""

    trace: Trace
    away = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.tables) < 9:
            return
        self.tables = [1, 2]
        for table in range(3, 10):
            for board in (1, 2):
                outcome = OTHERS[(table * board) % len(OTHERS)]
                assert self.room.try_to(EnterResult(SESSION, entry(table, 1, board, outcome))) is None

    def begin(self, values: Values) -> None:
        self.trace = Trace(values, hides_pin=self.seed % 10 == 0)
        self._trace()
        machine = self.terminal.machine
        tables = values.place(memory.plain(machine.lobby))
        self.trace.note(self.terminal, ["new", machine.device, machine.session, tables, machine.run])

    def deliver(self) -> None:
        if self.away:
            self.away -= 1
            return
        if self.seed % 3 == 0 and self.chance.random() < 0.1:
            self.away = self.chance.randint(3, 20)
        super().deliver()

    def _trace(self) -> None:
        traced = Traced.__new__(Traced)
        traced.machine, traced.trace = self.terminal.machine, self.trace
        self.terminal = traced

    def restart(self) -> None:
        super().restart()
        self._trace()
        self.trace.note(self.terminal, ["restart"])

    def play(self, steps: int) -> None:
        for _ in range(steps):
            self.step()
        self.away = 0
        self.deliver()


def choices() -> Iterator[tuple[str, SettingsII | SettingsIII]]:
    """Every setting of either generation at every choice that it has, the others as they come."""
    for kind in (SettingsII, SettingsIII):
        for each in fields(kind):
            default = getattr(kind(), each.name)
            if isinstance(default, bool):
                values: list[Any] = [True, False]
            elif isinstance(default, Enum):
                values = list(type(default))
            elif isinstance(default, int):
                values = [*RANGES[each.name]]
            else:
                values = ["0000", "1234"]
            for value in values:
                about = f"{kind.__name__}.{each.name}={getattr(value, 'value', value)}"
                yield about, kind(**{each.name: value})


def evenings(values: Values) -> Iterator[tuple[str, TracedEvening]]:
    random_evening.PLANS = (*random_evening.PLANS, *MORE_PLANS)
    drawn = random_evening.random_settings
    for seed in range(RANDOM_EVENINGS):
        evening = TracedEvening(seed)
        evening.begin(values)
        evening.play(LONG if seed % 8 == 0 else STEPS)
        yield f"seed {seed}", evening
    for place, (about, settings) in enumerate(choices()):

        def given(
            chance: random.Random, wanted: SettingsII | SettingsIII = settings
        ) -> SettingsII | SettingsIII:
            return wanted

        random_evening.random_settings = given
        try:
            evening = TracedEvening(RANDOM_EVENINGS + place)
        finally:
            random_evening.random_settings = drawn
        evening.begin(values)
        evening.play(CHOICE_STEPS)
        yield about, evening


def record_evenings() -> None:
    values, lines, steps, seen = Values(), [], 0, set()
    for about, evening in evenings(values):
        trace = evening.trace
        lines.append(
            json.dumps([about, trace.snapshots, trace.steps], ensure_ascii=False, separators=(",", ":"))
        )
        steps += len(trace.steps)
        seen |= trace.screens
    first = {
        "start": NOON.isoformat(),
        "screens": sorted(seen),
        "texts": {language.value: json.loads(texts(language)) for language in Language},
        "values": values.all,
    }
    text = "\n".join([json.dumps(first, ensure_ascii=False, separators=(",", ":")), *lines, ""])
    write("evenings.jsonl.gz", text)
    every = {name for name, kind in vars(screens).items() if is_screen(kind)}
    assert seen == every, every - seen
    print(f"{len(lines)} evenings, {steps} steps, {len(values.all)} values, {len(seen)} screens")


def is_screen(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Screen) and hasattr(kind, "key")


def write(name: str, text: str) -> None:
    packed = gzip.compress(text.encode(), 9, mtime=0)
    (HERE / name).write_bytes(packed)
    print(name, len(text), len(packed))


# What the terminal is made of ---------------------------------------------------------------------------------


def recorded_scores() -> dict[str, Any]:
    outcomes: list[Outcome] = [
        PassedOut(),
        NotPlayed(),
        Undecided(),
        *(Award(ns, ew) for ns in (40, 50, 60) for ew in (40, 60)),
    ]
    for bid in BIDS:
        for doubling in Doubling:
            for seat in SEATS[:2]:
                outcomes += [
                    Played(Contract(bid.level, bid.strain, doubling, seat), tricks) for tricks in range(14)
                ]
    rules = [
        Rules(),
        Rules(two_columns=True, spelling=Spelling.LETTERS),
        Rules(perspective=Perspective.DECLARER),
    ]
    boards = (1, 2, 3, 4, 16, 37)
    return {
        "rules": rules,
        "boards": boards,
        "outcomes": outcomes,
        "spelled": [[spelled(outcome, rule) for outcome in outcomes] for rule in rules],
        "scores": [
            [[scores(outcome, board, rule) for outcome in outcomes] for board in boards] for rule in rules
        ],
    }


def recorded_numbers() -> dict[str, Any]:
    chance = random.Random(5)
    digits = ["".join(chance.choices("0123456789", k=chance.randint(1, 9))) for _ in range(3000)]
    odd = [
        *("", " ", "7 ", "J000004", "j000004", "Z000004", "a b", "a\tb", "é", "١٢٣"),
        *("9" * 16, "9" * 17, "\u200b", "0", "0000000", "7", "07", "0012", "12", "x", "٣"),
    ]
    names = {"7": "Ann North", "0012": "Bob", "x": "Y", "٣": "Z"}
    return {
        "rules": list(NumberRules),
        "names": names,
        "numbers": {
            number: [
                *(is_possible(number, rules) for rules in NumberRules),
                find_name(number, names),
                find_name(number, names, as_text=False),
            ]
            for number in (*digits, *odd)
        },
    }


def recorded_shares() -> list[Any]:
    shares = [100 * won / of for of in range(1, 60) for won in range(of + 1)]
    shares += [step / 8 for step in range(801)]
    return [[figure, f"{figure:.1f}%", f"{figure:g}"] for figure in sorted(set(shares))]


def recorded_pins() -> list[Any]:
    pins = ("0000", "1234", "9999")
    hidden = [hide_pin(pin, "6D115AF1ABEB4462A299B1FE86274949/A") for pin in pins]
    return [
        [kept, typed, is_pin(kept, typed)] for kept in (*hidden, "1234") for typed in ("1234", "12345", "")
    ]


def record_parts() -> None:
    parts = {
        "scores": recorded_scores(),
        "numbers": recorded_numbers(),
        "shares": recorded_shares(),
        "pins": recorded_pins(),
        "deals": [Deal.dealt_by(random.Random(seed)) for seed in range(20)],
    }
    write("parts.json.gz", json.dumps(memory.plain(parts), ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    record_parts()
    record_evenings()
