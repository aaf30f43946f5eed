"""The wait of other clients while one sends the largest accepted request to the Data Connector, or a hostile one.

    python -m bench.long_request

Two other clients use the same server: one polls, and one sends single results, which wait for the same writer as the
entries of phones. For each long request the command prints the longest waits of both; it exits with 1 if one is longer
than half a second. The first line has their waits without a long request, which show how busy the machine is.
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

from bench.connector import connector
from bench.server_process import server_process
from overtrick.connector.address import PATH
from overtrick.connector.pipe_framing import LONGEST
from overtrick.connector.wire.envelope import MOST_ITEMS, MOST_VALUES, request_bytes
from overtrick.connector.wire.numbers import WireCommand

BAR = 0.5
"""The longest wait of another client that is accepted, in seconds."""
PAUSE = 0.01
"""Seconds between two requests of the clients that wait."""
QUIET = 3.0
"""Seconds without a long request, to measure the load of the machine."""
TABLES, ROUNDS = 200, 10
GUID, OTHER = samples.GUID, samples.OTHER
NAME = 1_400
"""Characters of a name: with them the largest event has nearly as many bytes as a request may have."""


class Client:
    """A scoring program over HTTP, with its longest wait."""

    def __init__(self, address: str, club: str) -> None:
        self._connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=300)
        self.club = club
        self.longest = 0.0

    def ask(self, line: bytes) -> dict[str, Any]:
        started = perf_counter()
        self._connection.request("POST", PATH, line, {"Content-Type": "application/json"})
        answer: dict[str, Any] = json.loads(self._connection.getresponse().read())
        self.longest = max(self.longest, perf_counter() - started)
        return answer


def poll(client: Client, number: int) -> None:
    assert (
        client.ask(request_bytes(WireCommand.PollQueueForNewResults, GUID, club=client.club))["ErrorType"]
        == 0
    )


def enter(client: Client, number: int) -> None:
    results = json.dumps([samples.result(TotalTricks=number % 13)])
    answer = client.ask(request_bytes(WireCommand.PutResults, GUID, results, club=client.club))
    assert answer["ErrorType"] == 0, answer


@contextmanager
def polling_and_entering(address: str) -> Iterator[list[Client]]:
    """Run two clients that send requests continuously; yield them."""
    clients = [Client(address, "P"), Client(address, "E")]
    stop = threading.Event()

    def send_repeatedly(client: Client, ask: Callable[[Client, int], None]) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            ask(client, number)
            sleep(PAUSE)

    threads = [
        threading.Thread(target=send_repeatedly, args=arguments)
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
    """Return the largest event, of another session: seated tables, and players up to the limit of items."""
    section = samples.section("B", 2)
    section["Tables"] = [
        samples.table(1 + index, [(2 * index + 1, 2 * index + 2)] * ROUNDS, "B") for index in range(TABLES)
    ]
    seats = [
        samples.participation(str(index), 1 + index % 4, 1 + index // 4, SectionLetters="B")
        for index in range(4 * TABLES)
    ]
    other_items = TABLES * (1 + ROUNDS) + len(seats) + 10
    left_out = dict.fromkeys(("Handrecords", "Bridgemate2Settings", "Bridgemate3Settings"))
    event = samples.init(
        samples.session(samples.scoring_group(2, section)),
        PlayerData=[samples.player(str(index), name) for index in range(MOST_ITEMS - other_items)],
        Participations=seats,
        **left_out,
    )
    text = json.dumps(event, separators=(",", ":")).replace(GUID, OTHER)
    return request_bytes(WireCommand.InitializeEvent, "", text, "L")


def players(text: str) -> bytes:
    return request_bytes(WireCommand.PutPlayerData, OTHER, text, "L")


def full_array(item: str) -> bytes:
    """Return a request with an array of this item, as often as fits into a request."""
    return players("[" + item * ((LONGEST - 1_000) // len(json.dumps(item)[1:-1])) + "0]")


def long_requests() -> Iterator[tuple[str, bytes, bool]]:
    """Yield the name of each request, its bytes, and True if it is accepted."""
    yield "the largest event", event("A" * NAME), True
    yield "objects", full_array("{},"), False
    yield "numbers", full_array("0,"), False
    wrong_player = json.dumps(dict.fromkeys(samples.player("1"), 7))
    yield "wrong values", players("[" + ",".join([wrong_player] * MOST_ITEMS) + "]"), False
    wrong_event = json.dumps(samples.init(PlayerData=[json.loads(wrong_player)] * (MOST_ITEMS - 100)))
    yield "an event of wrong values", request_bytes(WireCommand.InitializeEvent, "", wrong_event, "L"), False
    yield "values", players("[" + "0," * (MOST_VALUES - 1) + "0]"), False
    yield "brackets", full_array("["), False
    yield "escapes", players("[" + json.dumps("\x01" * 1_300_000) + "]"), False
    yield "text", players(json.dumps([{"LastName": "x" * (LONGEST - 1_000)}])), False


def main() -> None:
    worst = 0.0
    with (
        tempfile.TemporaryDirectory(prefix="ot") as folder,
        server_process(connector(Path(folder), port=0)) as receive,
    ):
        (address,) = receive()
        left_out = dict.fromkeys(("Bridgemate2Settings", "Bridgemate3Settings"))
        own_event = samples.init(**left_out)
        sender = Client(address, "L")
        answer = sender.ask(request_bytes(WireCommand.InitializeEvent, "", json.dumps(own_event)))
        assert answer["ErrorType"] == 0, answer
        with polling_and_entering(address) as (polling, entering):
            sleep(QUIET)
            print(f"quiet: a poll {polling.longest:.3f} s, an entry {entering.longest:.3f} s")
            for name, line, is_accepted in long_requests():
                assert len(line) <= LONGEST, (name, len(line))
                polling.longest = entering.longest = sender.longest = 0.0
                answer = sender.ask(line)
                assert (answer["ErrorType"] == 0) is is_accepted, (name, str(answer)[:500])
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
