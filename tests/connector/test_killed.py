"""SIGKILL between any request and its reply: nothing acknowledged is lost, nothing is done or told twice."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from overtrick.bridge import Outcome
from overtrick.connector.wire.envelope import request_bytes
from overtrick.connector.wire.numbers import WireCommand
from overtrick.event.results import EnterResult, ResultEntry, ResultRecorded
from overtrick.host.lookup import JOURNAL
from overtrick.host.runtime import Runtime
from tests.connector import samples
from tests.connector.evening import NOW
from tests.connector.running import control_side, done

KILLS = int(os.environ.get("OVERTRICK_KILLS", "100"))
ROUNDS = 1 + KILLS // 20
GUID = samples.GUID
STREAM = f"session/{GUID}/1"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")


class Gone(Exception):
    """The server went before it answered."""


class Zygote:
    """The process that forks servers."""

    def __init__(self, folder: Path, pipe: str) -> None:
        self.pipe = pipe
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.connector.killed", str(folder), pipe],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        self.pid = 0

    def go(self, word: str = "go") -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        ready, number = self.process.stdout.readline().split()
        assert ready == "ready"
        self.pid = int(number)

    def kill(self) -> None:
        assert self.process.stdout is not None
        os.kill(self.pid, signal.SIGKILL)
        self.see_it_gone()

    def see_it_gone(self) -> None:
        assert self.process.stdout is not None
        self.pid = 0
        assert self.process.stdout.readline() == "gone\n"

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if self.pid:
            self.kill()
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


@contextmanager
def connected(pipe: str) -> "Iterator[Line]":
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(10)
    client.connect(pipe)
    with client, client.makefile("rb") as file:
        yield Line(client, file)


@dataclass
class Line:
    """A connection to the pipe."""

    client: socket.socket
    file: Any


def exchange(line: Line, request: bytes) -> dict[str, Any]:
    try:
        line.client.sendall(request + b"\n")
        answer = line.file.readline()
    except OSError as error:
        raise Gone from error
    if not answer.endswith(b"\n"):
        raise Gone
    read: dict[str, Any] = json.loads(answer)
    return read


def event() -> bytes:
    """Twenty tables, each with its own two pairs: odd tables are the control side's, even ones the program's."""
    section = samples.section()
    section["Tables"] = [
        samples.table(number, [(2 * number - 1, 2 * number)] * ROUNDS) for number in range(1, 21)
    ]
    made = samples.init(
        samples.session(samples.scoring_group(1, section)),
        PlayerData=None,
        Participations=None,
        Handrecords=None,
        Bridgemate2Settings=None,
        Bridgemate3Settings=None,
    )
    return request_bytes(WireCommand.InitializeEvent, payload=json.dumps(made))


class Evening:
    """The completed requests, and the state that has to follow from them."""

    def __init__(self, chance: random.Random, control: Runtime) -> None:
        self.chance = chance
        self.control = control
        places = [
            (table, number, 4 * number - 3 + at)
            for number in range(1, ROUNDS + 1)
            for at in range(4)
            for table in range(1, 21)
        ]
        self.control_places = [place for place in places if place[0] % 2]
        self.program_places = [place for place in places if not place[0] % 2]
        self.entered: list[tuple[int, int, int]] = []
        self.accepted = 0
        self.polled = 0
        self.last_id = 0
        self.put: list[tuple[int, int, int]] = []
        self.pending: tuple[str, bytes, Any] | None = None
        self.unanswered = 0

    def enter(self) -> None:
        """The control side enters a result, whether the server runs or not."""
        table, number, board = place = self.control_places.pop(0)
        entry = ResultEntry("A", table, number, board, Outcome.parse("3NTN="), NOW)
        done(self.control.do(EnterResult(GUID, entry)))
        self.entered.append(place)

    def next_request(self, *kinds: str) -> tuple[str, bytes, Any]:
        kind = self.chance.choice(kinds)
        if kind == "put":
            table, number, board = place = self.program_places.pop(0)
            result = samples.result(
                board,
                TableNumber=table,
                RoundNumber=number,
                PairNorthSouth=2 * table - 1,
                PairEastWest=2 * table,
                DeclaringPair=2 * table,
                DeclarerDirection=2,
            )
            return kind, request_bytes(WireCommand.PutResults, GUID, json.dumps([result])), place
        if kind == "poll":
            return kind, request_bytes(WireCommand.PollQueueForNewResults, GUID), None
        line = request_bytes(WireCommand.AcceptResultQueueItems, GUID, str(self.last_id))
        return kind, line, self.polled

    def learn(self, kind: str, note: Any, answer: dict[str, Any]) -> None:
        """Hold an answer against what has to be so."""
        assert answer["ErrorType"] == 0, answer
        if kind == "put":
            self.put.append(note)
        elif kind == "accept":
            self.accepted = max(self.accepted, note)
        else:
            items = json.loads(answer["SerializedData"])
            found = [(item["TableNumber"], item["RoundNumber"], item["BoardNumber"]) for item in items]
            assert found == self.entered[self.accepted :], "each exactly once, until it is accepted"
            if items:
                self.polled, self.last_id = len(self.entered), answer["LastQueueItemId"]

    def note_what_was_durable(self) -> None:
        """Count the results that were recorded and not acknowledged."""
        assert self.pending is not None
        kind, _, note = self.pending
        if kind == "put":
            with self.control.read(GUID) as session:
                assert session is not None
                self.unanswered += ("A", *note) in session.results.standing

    def step(self, file: Line) -> None:
        """One whole exchange; what was not answered before is sent again first."""
        if self.pending is None:
            self.pending = self.next_request("put", "poll", "accept")
        kind, line, note = self.pending
        answer = exchange(file, line)
        self.pending = None
        self.learn(kind, note, answer)


# Two hundred servers are started, used, killed and compared, one after the other.
@pytest.mark.timeout(180)
def test_server_killed_at_any_moment_loses_no_acknowledged_change() -> None:
    chance = random.Random(5079)
    with tempfile.TemporaryDirectory(prefix="ot") as place:
        folder, pipe = Path(place) / "data", str(Path(place) / "pipe")
        zygote = Zygote(folder, pipe)
        try:
            zygote.go()
            with connected(pipe) as file:
                assert exchange(file, event())["ErrorType"] == 0
            with control_side(folder / JOURNAL) as control:
                evening = Evening(chance, control)
                answered = _kill_again_and_again(zygote, evening, chance)
                zygote.kill()
                _hold_against_the_journal(evening, control)
        finally:
            zygote.close()
    print(f"{answered} of {KILLS} answered; {evening.unanswered} results durable and not acknowledged")
    assert evening.unanswered >= KILLS // 4, "kills have to fall between commit and reply"
    assert KILLS < 100 or 0 < answered < KILLS * 3 // 4, "and before the commit, and after the reply"


def _kill_soon(zygote: Zygote, luck: float) -> None:
    """Kill at once, or after a moment in which the reply may go out."""
    time.sleep(max(0.0, 0.008 * luck - 0.002))
    zygote.kill()


def _put_until_it_dies(zygote: Zygote, evening: Evening) -> None:
    """The result is durable and its reply is not sent; what was durable already commits nothing, and is answered."""
    with connected(zygote.pipe) as file, suppress(Gone):
        for _ in range(3):
            evening.pending = evening.pending or evening.next_request("put")
            evening.step(file)
    evening.note_what_was_durable()
    zygote.see_it_gone()


def _kill_again_and_again(zygote: Zygote, evening: Evening, chance: random.Random) -> int:
    answered = 0
    for number in range(KILLS):
        evening.enter()
        if number % 4 == 3:
            _put_until_it_dies(zygote, evening)
            zygote.go()
            continue
        with connected(zygote.pipe) as file:
            if evening.pending is not None or chance.random() < 0.5:
                evening.step(file)
            killer = threading.Thread(target=_kill_soon, args=(zygote, chance.random()))
            killer.start()
            try:
                evening.step(file)
                answered += 1
            except Gone:
                evening.note_what_was_durable()
            killer.join(30)
        zygote.go("commit" if number % 4 == 2 else "go")
    with connected(zygote.pipe) as file:
        if evening.pending is not None:
            evening.step(file)
        evening.pending = ("poll", request_bytes(WireCommand.PollQueueForNewResults, GUID), None)
        evening.step(file)
        everything = exchange(file, request_bytes(WireCommand.PollQueueForAllResults, GUID))
        assert len(json.loads(everything["SerializedData"])) == len(evening.entered)
    return answered


def _hold_against_the_journal(evening: Evening, control: Runtime) -> None:
    recorded: dict[str, list[tuple[int, int, int]]] = {"scoring": [], "control": []}
    for entry in control.journal.read(STREAM):
        if isinstance(entry.fact, ResultRecorded):
            recorded[entry.side].append((entry.fact.table, entry.fact.round, entry.fact.board))
    assert recorded["control"] == evening.entered
    assert recorded["scoring"] == evening.put, "what was acknowledged is there, once"
    assert control.journal.heads().keys() == {"clearings", f"event/{GUID}", STREAM}, (
        "the event was opened once"
    )
    assert control.journal.head("clearings") == 1
