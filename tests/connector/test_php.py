"""The vendor's PHP client against `overtrick serve`, over HTTP."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from overtrick.event.calls import CallDirector
from tests.connector import samples
from tests.connector.driven import Driven, Server, driven, play, poll_and_accept, send_everything, served
from tests.connector.evening import NOW
from tests.connector.running import control_side, done

GUID = samples.GUID
DRIVER = Path(__file__).parent / "php" / "driver.php"
CALLS = 21


@pytest.fixture
def php() -> str:
    """Return the folder of the vendor's client, before a server is started in vain."""
    folder = os.environ.get("BRIDGEMATE_PHP")
    if folder is None:
        pytest.skip(
            "the vendor's PHP client is not here: composer require bridgemate/dataconnector-client, "
            "and let BRIDGEMATE_PHP name its folder"
        )
    return folder


@pytest.fixture
def server(php: str) -> Iterator[Server]:
    with served() as server:
        yield server
        assert server.complaints() == []


@pytest.fixture
def client(require_program: Callable[[str], str], php: str, server: Server) -> Iterator[Driven]:
    with driven([require_program("php"), str(DRIVER), php, server.http, "CLUB001"], server.place) as client:
        yield client


def test_php_client_calls_every_method(client: Driven, server: Server) -> None:
    client.ok("Connect")
    send_everything(client)
    play(server.journal)
    poll_and_accept(client)
    with control_side(server.journal) as control:
        done(control.do(CallDirector(GUID, "c1", "A", 2, NOW, 1)))
    (call,) = client("PollForTdCalls", GUID, False)
    assert (call["TableNumber"], call["Status"]) == (2, 1)
    client.ok("AcceptQueueData", GUID, CALLS)
    assert client("PollForTdCalls", GUID, False) == []
    client.ok("SendTdCalls", GUID, [call | {"Status": 2}])
    methods = {name[0].upper() + name[1:] for name in client("methods")}
    offline = {
        "__construct",
        "GetBaseAddress",
        "DiscoverLocalBaseAddress",
        "GetLastQueueItemId",
        "SendRequest",
    }
    assert methods - client.called - offline == {"ContinueEvent"}, "which is called Continue here"


def test_php_client_continues_after_a_restart_of_the_server(client: Driven, server: Server) -> None:
    client.ok("Initialize", samples.init())
    play(server.journal)
    assert len(client("PollForResults", GUID, False)) == 4
    server.port = int(server.http.rpartition(":")[2])
    server.stop()
    assert client("Ping")["ErrorType"] == 10
    server.start()
    client.ok("Connect")
    client.ok("Continue", samples.continue_())
    poll_and_accept(client)
