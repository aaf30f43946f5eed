"""The vendor's .NET client against `overtrick serve`: over the pipe, where .NET looks for it, and over HTTP."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from overtrick.connector.wire.numbers import ErrorType
from tests.connector import samples
from tests.connector.driven import Driven, Server, driven, play, poll_and_accept, send_everything, served

GUID = samples.GUID
PIPE = "BridgeSystems.Bridgemate.DataConnectorService.ScoringProgram.peer"
HTTP_PORT = 5079
"""The client has no other."""
OFFLINE = {"Dispose", "LogMethodEntry"}
QUIET = {
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
    "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
    "DOTNET_NOLOGO": "1",
    "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
}

Connect = Callable[..., AbstractContextManager[Driven]]

pytestmark = pytest.mark.timeout(240)  # the first test fetches the vendor's client and compiles the driver


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the command that runs the driver."""
    dotnet = shutil.which("dotnet")
    if dotnet is None:
        pytest.skip("dotnet is not installed: https://dotnet.microsoft.com/download, version 3.1 or later")
    folder = tmp_path_factory.mktemp("dotnet")
    shutil.copytree(Path(__file__).parent / "dotnet", folder / "driver")

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [dotnet, *words, "-nologo", "-nodeReuse:false"],
            cwd=folder / "driver",
            env=QUIET | {"HOME": str(folder)} | os.environ,
            capture_output=True,
            text=True,
            timeout=110,
        )

    if run("restore").returncode != 0:
        pytest.skip(
            "the vendor's .NET client could not be fetched from NuGet: let BRIDGEMATE_CLIENT name a folder "
            "with its assemblies"
        )
    built = run("build", "--no-restore", "-p:UseSharedCompilation=false", "-o", str(folder / "out"))
    assert built.returncode == 0, built.stdout
    return [dotnet, str(folder / "out" / "driver.dll")]


@pytest.fixture
def server(driver: list[str]) -> Iterator[Server]:
    with served() as server:
        yield server


@pytest.fixture
def over_pipe(driver: list[str], server: Server) -> Connect:
    return lambda: driven([*driver, "pipe"], server.place, **QUIET)


def connected(client: Driven, way: str = "") -> bool:
    answer: dict[str, object] = client("Connect" + way, PIPE)
    return answer["Item1"] == 1


@pytest.mark.parametrize("transport", ["pipe", "http"])
def test_dotnet_client_calls_every_method(driver: list[str], transport: str) -> None:
    if transport == "http":
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", HTTP_PORT)) == 0:
                pytest.skip(f"port {HTTP_PORT}, the only one that the client knows, is taken")
    serving = served(HTTP_PORT if transport == "http" else 0)
    with serving as server, driven([*driver, transport, "CLUB001"], server.place, **QUIET) as client:
        for way in ("", "Async"):
            if transport == "http":
                client.ok("Connect" + way)
            else:
                assert connected(client, way)
                assert connected(client, way)
            assert client("IsActive")
            send_everything(client, way)
            play(server.journal)
            poll_and_accept(client, way)

            assert client("GetMovement" + way, GUID, "A")["Tables"][1]["Rounds"][2]["PairNS"] == 2
            assert [each["Letters"] for each in client("GetAllMovements" + way, GUID)] == ["A", "B"]
            later = json.dumps(samples.session(samples.scoring_group(7, samples.section("C", 7))))
            added = json.loads(later.replace(GUID, samples.OTHER)) | {"EventGuid": GUID}
            client.ok("AddSession" + way, {"EventGuid": GUID, "Session": added})
            assert client("DoesSessionExist" + way, samples.OTHER)
            assert not client("DoesSessionExist" + way, "F" * 32)
            for command, data_type in ((2, 17), (4, 19), (8, 18), (22, 17), (1, 1)):
                asked = client("IssueManagementCommand" + way, {"Command": command})
                assert (asked["DataType"], asked["ErrorType"]) == (data_type, 0), asked
            assert client("ClearData" + way)
            assert client("PollForResults" + way, GUID, True) == []
            assert client("Disconnect" + way)["DataType"] == 1
        assert set(client("methods")) - client.called == OFFLINE
        server.stop()
        assert server.complaints() == []


@pytest.mark.parametrize(("how", "way"), [(signal.SIGTERM, ""), (signal.SIGKILL, "Async")])
def test_dotnet_client_continues_after_a_restart_of_the_server(
    over_pipe: Connect, server: Server, how: signal.Signals, way: str
) -> None:
    with over_pipe() as client:
        assert connected(client, way)
        client.ok("Initialize" + way, samples.init())
        play(server.journal)
        assert len(client("PollForResults" + way, GUID, False)) == 4
        server.stop(how)
        assert client("Ping" + way)["DataType"] == 4
        assert not client("IsActive")
        server.start()
        assert connected(client, way)
        client.ok("Continue" + way, samples.continue_())
        poll_and_accept(client, way)
    server.stop()
    assert server.complaints() == []


def test_the_second_of_two_clients_is_answered_busy_until_the_first_has_gone(
    over_pipe: Connect, server: Server
) -> None:
    with over_pipe() as first, over_pipe() as second, over_pipe() as third:
        assert connected(first)
        first.ok("Ping")
        assert connected(second)
        second.send("Ping")
        answer, _ = second.answer()
        assert (answer["DataType"], answer["ErrorType"]) == (4, ErrorType.Busy)
        first.ok("Initialize", samples.init())
        first.ok("SendResults", GUID, [samples.result()])
        assert first("Disconnect")["DataType"] == 1
        assert connected(third)
        third.ok("SendResults", GUID, [samples.result(2)])
    server.stop()
    (complaint,) = server.complaints()
    assert "a second client was answered Busy" in complaint


def test_client_killed_while_sending_changes_nothing(over_pipe: Connect, server: Server) -> None:
    players = [samples.player(str(number), "x" * 50) for number in range(100, 20_000)]
    with over_pipe() as dying, over_pipe() as client:
        assert connected(dying)
        dying.ok("Initialize", samples.init())
        server.process.send_signal(signal.SIGSTOP)
        dying.send("SendPlayerData", GUID, players)
        time.sleep(1)  # more than a pipe holds is on its way, and nobody reads it
        dying.process.kill()
        server.process.send_signal(signal.SIGCONT)
        assert connected(client)
        unknown = client("SendParticipations", GUID, [samples.participation("100")])
        assert unknown["ErrorType"] == 6
        client.ok("SendPlayerData", GUID, players)
        client.ok("SendParticipations", GUID, [samples.participation("100")])
