"""The wait of others while one client of the Data Connector sends the most that is taken, or something hostile.

    python -m bench.long_request

One server; a client that polls, and one that sends a result at a time, which goes to the same writer as the entry of
a phone does, and has the same wait. For each long request the longest waits of both are told, and it fails when one is
longer than half a second. A machine that is busy with something else makes everything longer: how long the two wait
while nobody sends anything long is told first.
"""

import http.client
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from tests.connector import samples

from bench.apart import apart
from bench.connector import connector
from overtrick.connector.address import PATH
from overtrick.connector.pipe_framing import LONGEST
from overtrick.connector.wire.envelope import MOST_ITEMS, MOST_VALUES, request_bytes
from overtrick.connector.wire.numbers import WireCommand

BAR = 0.5
"""Seconds that others may wait."""
PAUSE = 0.01
"""Seconds between two questions of those that wait."""
QUIET = 3.0
"""Seconds of quiet, to see what the machine is like."""
TABLES, ROUNDS = 200, 10
GUID, OTHER = samples.GUID, samples.OTHER
NAME = 1_400
"""Characters of a name, with which the largest event fills nearly all of the bytes that are taken."""


class Client:
    """A scoring program over HTTP, with its longest wait."""

    def __init__(self, address: str, club: str) -> None:
        self._connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=300)
        self.club = club
        self.longest = 0.0

    def ask(self, line: bytes) -> dict[str, Any]:
        began = perf_counter()
        self._connection.request("POST", PATH, line, {"Content-Type": "application/json"})
        answer: dict[str, Any] = json.loads(self._connection.getresponse().read())
        self.longest = max(self.longest, perf_counter() - began)
        return answer


def poll(client: Client, turn: int) -> None:
    assert (
        client.ask(request_bytes(WireCommand.PollQueueForNewResults, GUID, club=client.club))["ErrorType"]
        == 0
    )


def enter(client: Client, turn: int) -> None:
    results = json.dumps([samples.result(TotalTricks=turn % 13)])
    answer = client.ask(request_bytes(WireCommand.PutResults, GUID, results, club=client.club))
    assert answer["ErrorType"] == 0, answer


@contextmanager
def asking(address: str) -> Iterator[list[Client]]:
    """Run two clients that send requests continuously; yield them."""
    clients = [Client(address, "P"), Client(address, "E")]
    stop = threading.Event()

    def work(client: Client, ask: Callable[[Client, int], None]) -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            ask(client, turn)
            sleep(PAUSE)

    threads = [
        threading.Thread(target=work, args=arguments)
        for arguments in zip(clients, (poll, enter), strict=True)
    ]
    for thread in threads:
        thread.start()
    try:
        yield clients
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def event(name: str) -> bytes:
    """Return the event with the most items, of another session: seated tables, and many more players."""
    section = samples.section("B", 2)
    section["Tables"] = [
        samples.table(1 + at, [(2 * at + 1, 2 * at + 2)] * ROUNDS, "B") for at in range(TABLES)
    ]
    seats = [
        samples.participation(str(at), 1 + at % 4, 1 + at // 4, SectionLetters="B")
        for at in range(4 * TABLES)
    ]
    others = TABLES * (1 + ROUNDS) + len(seats) + 10
    bare = dict.fromkeys(("Handrecords", "Bridgemate2Settings", "Bridgemate3Settings"))
    made = samples.init(
        samples.session(samples.scoring_group(2, section)),
        PlayerData=[samples.player(str(at), name) for at in range(MOST_ITEMS - others)],
        Participations=seats,
        **bare,
    )
    text = json.dumps(made, separators=(",", ":")).replace(GUID, OTHER)
    return request_bytes(WireCommand.InitializeEvent, "", text, "L")


def players(text: str) -> bytes:
    return request_bytes(WireCommand.PutPlayerData, OTHER, text, "L")


def filled(piece: str) -> bytes:
    """Return an array with as many of these items as are accepted."""
    return players("[" + piece * ((LONGEST - 1_000) // len(json.dumps(piece)[1:-1])) + "0]")


def long_requests() -> Iterator[tuple[str, bytes, bool]]:
    """Yield each request, and whether it is accepted."""
    yield "the largest event", event("A" * NAME), True
    yield "objects", filled("{},"), False
    yield "numbers", filled("0,"), False
    wrong = json.dumps(dict.fromkeys(samples.player("1"), 7))
    yield "wrong values", players("[" + ",".join([wrong] * MOST_ITEMS) + "]"), False
    many = json.dumps(samples.init(PlayerData=[json.loads(wrong)] * (MOST_ITEMS - 100)))
    yield "an event of wrong values", request_bytes(WireCommand.InitializeEvent, "", many, "L"), False
    yield "values", players("[" + "0," * (MOST_VALUES - 1) + "0]"), False
    yield "brackets", filled("["), False
    yield "escapes", players("[" + json.dumps("\x01" * 1_300_000) + "]"), False
    yield "text", players(json.dumps([{"LastName": "x" * (LONGEST - 1_000)}])), False


def main() -> None:
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="ot") as place, apart(connector(Path(place), port=0)) as heard:
        (address,) = heard()
        bare = dict.fromkeys(("Bridgemate2Settings", "Bridgemate3Settings"))
        own = samples.init(**bare)
        sender = Client(address, "L")
        answer = sender.ask(request_bytes(WireCommand.InitializeEvent, "", json.dumps(own)))
        assert answer["ErrorType"] == 0, answer
        with asking(address) as (polling, entering):
            sleep(QUIET)
            print(f"quiet: a poll {polling.longest:.3f} s, an entry {entering.longest:.3f} s")
            for name, line, is_taken in long_requests():
                assert len(line) <= LONGEST, (name, len(line))
                polling.longest = entering.longest = sender.longest = 0.0
                answer = sender.ask(line)
                assert (answer["ErrorType"] == 0) is is_taken, (name, str(answer)[:500])
                sleep(PAUSE * 5)
                worst = max(worst, polling.longest, entering.longest)
                print(
                    f"{name}: {len(line) / 2**20:.1f} MiB in {sender.longest:.2f} s; meanwhile at most "
                    f"a poll {polling.longest:.3f} s, an entry {entering.longest:.3f} s",
                    flush=True,
                )
    sys.exit(worst > BAR)


if __name__ == "__main__":
    main()
