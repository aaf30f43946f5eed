"""The terminal of the browser against the terminal of Python: the same keys and news, step by step the same.

A longer run: python -m tests.web.test_terminal_port 500
"""

import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from overtrick.bridge import (
    BIDS,
    CARDS,
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
from overtrick.control import Snapshot, Terminal, memory, messages
from overtrick.control.inputs import Input
from overtrick.control.listing import scores, spelled
from overtrick.control.machine import Machine
from overtrick.control.numbers import find_name, is_possible
from overtrick.control.pins import hide_pin, is_pin, without_pin
from overtrick.control.rules import Rules
from overtrick.control.screens import Screen
from overtrick.control.snapshot import LobbyTable
from overtrick.event import Rejection
from overtrick.event.settings import Language, NumberRules, Perspective, Spelling
from overtrick.web.app import STATIC
from overtrick.web.vocabulary import texts, vocabulary_module
from tests.control.random_evening import RandomEvening

EVENINGS, STEPS = 40, 320
PORT = STATIC / "terminal"


def made_port(folder: Path) -> Path:
    """The browser's modules as a folder that Node runs."""
    shutil.copytree(PORT, folder, dirs_exist_ok=True)
    (folder / "vocabulary.js").write_text(vocabulary_module(), encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copy(Path(__file__).with_name("replay.mjs"), folder)
    return folder


@pytest.fixture
def port(tmp_path: Path, require_program: Callable[[str], str]) -> Callable[[str, object], Any]:
    """Run a script of the browser's modules in Node, on JSON, and read the JSON that it prints."""
    node, folder = require_program("node"), made_port(tmp_path / "port")

    def run(script: str, given: object) -> Any:
        (folder / "script.mjs").write_text(
            'import { readFileSync } from "node:fs";\n'
            'const given = JSON.parse(readFileSync(0, "utf8"));\n'
            f"{script}\n",
            encoding="utf-8",
        )
        return json.loads(_node(node, folder, "script.mjs", json.dumps(given)))

    return run


def _node(node: str, folder: Path, script: str, given: str, *arguments: object) -> str:
    done = subprocess.run(
        [node, script, *map(str, arguments)],
        input=given,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


# Random evenings ------------------------------------------------------------------------------------------------


def plain_screen(screen: Screen) -> dict[str, Any]:
    about = screen.about
    return {"screen": type(screen).__name__, "key": screen.key, "about": about, **memory._fields(screen)}


class Traced(Terminal):
    """A terminal that writes down what happens to it and what comes of it."""

    trace: "Trace"

    def press(self, key: Input, at: datetime) -> bool:
        works = super().press(key, at)
        given = {"kind": type(key).__name__, **memory._fields(key)}
        if "call" in given:
            given["call"] = str(key.call)  # type: ignore[attr-defined]
        self.trace.note(self, ["press", given, at.isoformat()], works)
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
        self.trace.note(self, ["update", place, memory.plain(tables)])


class Trace:
    """What happened at one terminal."""

    def __init__(self, snapshots: list[object], hides_pin: bool) -> None:
        self.steps: list[list[Any]] = []
        self.states: list[str] = []
        self.screens: set[str] = set()
        self._snapshots = snapshots
        self._sent: dict[int, tuple[Snapshot, Snapshot, int]] = {}
        self._hides_pin = hides_pin

    def sent(self, snapshot: Snapshot | None) -> tuple[Snapshot | None, int | None]:
        """The snapshot as a device gets it, and its place among all that were sent."""
        if snapshot is None:
            return None, None
        if id(snapshot) not in self._sent:
            hidden = without_pin(snapshot) if self._hides_pin else snapshot
            self._sent[id(snapshot)] = snapshot, hidden, len(self._snapshots)
            self._snapshots.append(memory.plain(hidden))
        return self._sent[id(snapshot)][1:]

    def note(self, terminal: Terminal, step: list[Any], works: bool | None = None) -> None:
        """A step, and how the terminal is after it."""
        shown = terminal.display
        self.screens.add(type(shown.screen).__name__)
        known = terminal.machine.snapshot
        kept = {
            each.name: memory.plain(getattr(terminal.machine, each.name))
            for each in fields(Machine)
            if each.name != "snapshot"
        }
        kept["snapshot"] = known and [known.version, known.terminal, known.section, known.table]
        state = {
            "works": works,
            "display": {
                "screen": plain_screen(shown.screen),
                "language": shown.language.value,
                "keys": sorted(key.__name__ for key in shown.keys),
                "notice": memory.plain(shown.notice),
                "call": memory.plain(shown.call),
                "unsent": shown.unsent,
            },
            "said": [
                messages.say(shown.language, each) if each else "" for each in (shown.screen, shown.notice)
            ],
            "unsent": [entry.id for entry in terminal.unsent()],
            "memory": kept,
        }
        self.steps.append(step)
        self.states.append(json.dumps(state, sort_keys=True, ensure_ascii=False, separators=(",", ":")))


class TracedEvening(RandomEvening):
    """A random evening whose terminal is traced."""

    trace: Trace

    def begin(self, snapshots: list[object]) -> None:
        self.trace = Trace(snapshots, hides_pin=self.seed % 2 == 0)
        self._trace()
        machine = self.terminal.machine
        start = ["new", machine.device, machine.session, memory.plain(machine.lobby), machine.run]
        self.trace.note(self.terminal, start)

    def _trace(self) -> None:
        traced = Traced.__new__(Traced)
        traced.machine, traced.trace = self.terminal.machine, self.trace
        self.terminal = traced

    def restart(self) -> None:
        super().restart()
        self._trace()
        self.trace.note(self.terminal, ["restart"])


def compare(node: str, folder: Path, seeds: Iterable[int], steps: int) -> tuple[int, set[str]]:
    """Play evenings in Python, replay them in Node; how many steps there were and which screens were shown."""
    snapshots: list[object] = []
    traces: list[Trace] = []
    for seed in seeds:
        evening = TracedEvening(seed)
        evening.begin(snapshots)
        evening.play(steps)
        traces.append(evening.trace)
    given = json.dumps(
        {
            "texts": {language.value: json.loads(texts(language)) for language in Language},
            "snapshots": snapshots,
            "evenings": [trace.steps for trace in traces],
        }
    )
    digests = iter(_node(node, folder, "replay.mjs", given).split())
    for place, trace in enumerate(traces):
        for step, state in enumerate(trace.states):
            if next(digests) != hashlib.sha1(state.encode()).hexdigest():
                there = json.loads(_node(node, folder, "replay.mjs", given, place, step))
                pytest.fail(
                    f"evening {place}, step {step}, {trace.steps[step]}:\n{_difference(json.loads(state), there)}"
                )
    assert next(digests, None) is None
    return sum(len(trace.steps) for trace in traces), set.union(*(trace.screens for trace in traces))


def _difference(here: Any, there: Any, path: str = "") -> str:
    if isinstance(here, dict) and isinstance(there, dict):
        names = sorted({*here, *there})
        found = (
            _difference(here.get(name, "nothing"), there.get(name, "nothing"), f"{path}.{name}")
            for name in names
        )
        return "\n".join(line for line in found if line)
    return "" if here == there else f"{path}: Python has {here}, the browser has {there}"


# Both terminals take every key of many evenings, about 20 seconds of a core.
@pytest.mark.timeout(180)
def test_the_browsers_terminal_is_the_terminal(tmp_path: Path, require_program: Callable[[str], str]) -> None:
    node, folder = require_program("node"), made_port(tmp_path / "port")
    steps, shown = compare(node, folder, range(EVENINGS), STEPS)
    assert steps > 20_000
    every = {kind.__name__ for kind in _subclasses(Screen) if hasattr(kind, "key")}
    assert shown == every


def _subclasses(kind: type[Screen]) -> Iterable[type[Screen]]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


# What it is made of -----------------------------------------------------------------------------------------------


def test_every_outcome_scores_the_same_on_every_board(port: Callable[[str, object], Any]) -> None:
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
    expected = [
        [[spelled(outcome, rule), scores(outcome, board, rule)] for outcome in outcomes]
        for rule in rules
        for board in boards
    ]
    found = port(
        'import { parseOutcome } from "./bridge.js"; import { scores, spelled } from "./listing.js";'
        "console.log(JSON.stringify(given.rules.flatMap((rules) => given.boards.map((board) => given.outcomes.map("
        "(text) => [spelled(parseOutcome(text), rules), scores(parseOutcome(text), board, rules)])))))",
        {"rules": memory.plain(rules), "boards": boards, "outcomes": [str(outcome) for outcome in outcomes]},
    )
    assert found == memory.plain(expected)


def test_numbers_and_names(port: Callable[[str, object], Any]) -> None:
    chance = random.Random(5)
    digits = ["".join(chance.choices("0123456789", k=chance.randint(1, 9))) for _ in range(3000)]
    odd = [
        "",
        " ",
        "7 ",
        "J000004",
        "j000004",
        "Z000004",
        "a b",
        "a\tb",
        "é",
        "١٢٣",
        "9" * 16,
        "9" * 17,
        "\u200b",
        "0",
        "0000000",
    ]
    names = {"7": "Ely Culbertson", "0012": "Jo", "x": "Y", "٣": "Z"}
    wanted = [*digits, *odd]
    expected = [
        [
            *(is_possible(number, rules) for rules in NumberRules),
            find_name(number, names),
            find_name(number, names, as_text=False),
        ]
        for number in wanted
    ]
    found = port(
        'import { findName, isPossible } from "./numbers.js"; const { wanted, rules, names } = given;'
        "console.log(JSON.stringify(wanted.map((number) => [...rules.map((each) => isPossible(number, each)),"
        " findName(number, names, true), findName(number, names, false)])))",
        {"wanted": wanted, "rules": [rules.value for rules in NumberRules], "names": names},
    )
    assert [found[place] for place in range(len(wanted))] == expected


def test_shares_and_points(port: Callable[[str, object], Any]) -> None:
    shares = [100 * won / of for of in range(1, 60) for won in range(of + 1)] + [
        step / 8 for step in range(801)
    ]
    found = port(
        'import { points, share } from "./listing.js";'
        "console.log(JSON.stringify(given.map((figure) => [share(figure), points(figure)])))",
        shares,
    )
    assert found == [[f"{figure:.1f}%", f"{figure:g}"] for figure in shares]


def test_a_deal_goes_there_and_back(port: Callable[[str, object], Any]) -> None:
    deals = [str(Deal.dealt_by(random.Random(seed))) for seed in range(20)]
    found = port(
        'import { parseDeal, writeDeal } from "./bridge.js";'
        "console.log(JSON.stringify(given.map((deal) => writeDeal(parseDeal(deal)))))",
        deals,
    )
    assert found == deals
    assert len(CARDS) == 52


def test_a_pin_is_known_without_being_there(port: Callable[[str, object], Any]) -> None:
    hidden = [hide_pin(pin, "6D115AF1ABEB4462A299B1FE86274949/A") for pin in ("0000", "1234", "9999")]
    assert not any(pin in kept.split("$")[2] for pin, kept in zip(("0000", "9999"), hidden[::2], strict=True))
    found = port(
        'import { isPin } from "./pins.js";'
        "const typed = ['1234', '12345', ''];"
        "console.log(JSON.stringify(given.map((kept) => typed.map((pin) => isPin(kept, pin)))))",
        [*hidden, "1234"],
    )
    assert found == [[is_pin(kept, "1234"), False, False] for kept in (*hidden, "1234")]


def test_every_language_has_its_own_name() -> None:
    assert set(messages.LANGUAGE_NAMES) == set(Language)
    assert len(set(messages.LANGUAGE_NAMES.values())) == len(Language)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        print(compare("node", made_port(Path(scratch)), range(int(sys.argv[1])), 1000))
