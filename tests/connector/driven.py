"""Clients of the vendor in other languages: a driver calls their methods, a line each, and tells what they noticed."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from overtrick.bridge import Deal, Outcome, Seat
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.results import EnterResult, EraseResult, Origin, ResultEntry
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.host.lookup import JOURNAL
from tests.connector import samples
from tests.connector.evening import NOW
from tests.connector.running import control_side, done

GUID = samples.GUID
POLLED = {"Results": 12, "PlayerData": 10, "Participations": 11, "Handrecords": 13}
"""The queues that every client polls, with the number of their data type."""


class Server:
    """`overtrick serve` in a process of its own; its pipe is in its place, where clients look for temporary files."""

    def __init__(self, place: Path, port: int = 0) -> None:
        self.place = place
        self.journal = place / "data" / JOURNAL
        self.port = port
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "overtrick", "serve", "--data", str(self.place / "data")),
                *("--http-port", str(self.port), "--pipe-user", "peer"),
            ],
            stdout=subprocess.PIPE,
            stderr=(self.place / "log").open("a"),
            text=True,
            env=os.environ | {"TMPDIR": str(self.place)},
        )
        assert self.process.stdout is not None
        word, self.pipe, self.http = self.process.stdout.readline().split()
        assert word == "ready:"

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process.send_signal(how)
        self.process.wait(20)

    def complaints(self) -> list[str]:
        log = (self.place / "log").read_text()
        return [
            line for line in log.splitlines() if "WARNING" in line or "ERROR" in line or "Traceback" in line
        ]


@contextmanager
def served(port: int = 0) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="ot") as place:
        server = Server(Path(place), port)
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.stop()


class Caller(Protocol):
    """A client whose methods are called by name, with the wire's properties."""

    def __call__(self, *line: Any) -> Any:
        """Call a method and return its answer."""

    def ok(self, *line: Any) -> None:
        """Call a method that succeeds."""


class Driven:
    """A client that is driven; whatever it notices fails the test."""

    def __init__(self, command: list[str], place: Path, **environment: str) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment | {"TMPDIR": str(place)},
        )
        self.called: set[str] = set()

    def send(self, *line: Any) -> None:
        assert self.process.stdin is not None
        self.called.add(line[0])
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def answer(self) -> tuple[Any, list[str]]:
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        return answer["Answer"], answer["Noticed"]

    def __call__(self, *line: Any) -> Any:
        self.send(*line)
        answer, noticed = self.answer()
        assert noticed == [], line
        return answer

    def ok(self, *line: Any) -> None:
        answer = self(*line)
        assert answer["ErrorType"] == 0, (line, answer)
        assert answer["DataType"] in (1, 14), (line, answer)

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait(30)
        self.process.stdin.close()
        self.process.stdout.close()


@contextmanager
def driven(command: list[str], place: Path, **environment: str) -> Iterator[Driven]:
    client = Driven(command, place, **environment)
    try:
        yield client
    finally:
        client.end()


def send_everything(client: Driven, way: str = "") -> None:
    """Send every kind of data. `way` is the suffix of the client's method names."""
    client.ok("Ping" + way)
    client.ok("Initialize" + way, samples.init(Bridgemate2Settings=[samples.settings2(VerificationTime=0)]))
    client.ok("Continue" + way, samples.continue_())
    client.ok("UpdateMovement" + way, samples.section_update("B", 2))
    client.ok("UpdateScoringGroups" + way, [samples.scoring_group(1, ScoringMethod=30)])
    own = samples.result(TableNumber=2, PairNorthSouth=3, PairEastWest=4, DeclaringPair=3)
    client.ok("SendResults" + way, GUID, [own])
    client.ok("SendPlayerData" + way, GUID, [samples.player("50", "Zoë", "Łoś \u2028 李 🂡")])
    client.ok("SendParticipations" + way, GUID, [samples.participation("50")])
    client.ok("SendHandrecords" + way, GUID, [samples.handrecord(5)])
    client.ok("SendBridgemate2Settings" + way, GUID, [samples.settings2(VerificationTime=5)])
    client.ok("SendBridgemate3Settings" + way, GUID, [samples.settings3(BM3Language=2)])
    refused = client("SendResults" + way, GUID, [samples.result(99)])
    assert (refused["DataType"], refused["ErrorType"]) == (4, 4), refused


def play(journal: Path) -> None:
    """Play at table 1 of section A."""
    with control_side(journal) as control:
        for board, outcome in ((1, "3NTN="), (2, "4HxE-2"), (3, "Pass"), (4, "7NTxxS=")):
            done(control.do(EnterResult(GUID, ResultEntry("A", 1, 1, board, Outcome.parse(outcome), NOW))))
        done(control.do(EraseResult(GUID, "A", 1, 1, 3, Origin.DESK)))
        typed = Participation("A", 1, Seat.NORTH, "4711", "Grâce", "Hopper 🂡")
        done(control.do(PutParticipations(GUID, (typed,), Source.TERMINAL, must_be_known=False)))
        deal = Deal.parse("N:86.KT2.K85.Q9742 KJT932.97.942.86 54.8653.AQJT73.3 AQ7.AQJ4.6.AKJT5")
        done(control.do(PutHandRecords(GUID, (HandRecord(1, 9, deal),), HandSource.TERMINAL)))


def poll_and_accept(client: Caller, way: str = "") -> None:
    """Fetch what `play` did, once as new and once more as all."""
    results = client("PollForResults" + way, GUID, False)
    shown = [
        (each["BoardNumber"], each["Level"], each["Stake"], each["TotalTricks"], each["IsDeleted"])
        for each in results
    ]
    assert shown == [
        (1, 3, 0, 9, False),
        (2, 4, 1, 8, False),
        (4, 7, 2, 13, False),
        (3, 0, 0, 0, True),
    ]
    assert [each["PairEastWest"] for each in results[:3]] == [2, 2, 2]
    (player,) = client("PollForPlayerData" + way, GUID, False)
    assert (player["FirstName"], player["LastName"]) == ("Grâce", "Hopper 🂡")
    (seat,) = client("PollForParticipations" + way, GUID, False)
    assert (seat["Direction"], seat["PlayerNumber"]) == (1, "4711")
    (record,) = client("PollForHandrecords" + way, GUID, False)
    assert (record["BoardNumber"], record["SouthDiamonds"]) == (9, "AQJT73")
    for kind, number in POLLED.items():
        client.ok("AcceptQueueData" + way, GUID, number)
        assert client(f"PollFor{kind}{way}", GUID, False) == []
        assert len(client(f"PollFor{kind}{way}", GUID, True)) == (4 if kind == "Results" else 1)
