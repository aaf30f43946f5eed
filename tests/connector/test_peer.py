"""The vendor's own client against `overtrick serve`: every method it has, and results and calls both ways."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bridgemate_dataconnector import DataConnectorClient
from bridgemate_dataconnector import dto as vendor
from bridgemate_dataconnector.dto import DataConnectorResponseData as Data
from bridgemate_dataconnector.dto import ErrorType

from overtrick.cli import main
from overtrick.connector.client import Client
from overtrick.event.calls import AnswerCall, CallDirector, CallStatus
from overtrick.host.lookup import JOURNAL
from overtrick.host.runtime import Runtime
from tests.connector import samples
from tests.connector.driven import play, poll_and_accept
from tests.connector.evening import NOW
from tests.connector.running import control_side, done

GUID = samples.GUID


@dataclass
class Served:
    """A server in a process of its own."""

    process: "subprocess.Popen[str]"
    journal: Path
    http: str
    pipe: str


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with tempfile.TemporaryDirectory(prefix="ot") as place:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "overtrick", "serve", "--data", f"{place}/data"),
                *("--http-port", "0", "--pipe-user", "peer", "--debug"),
            ],
            stdout=subprocess.PIPE,
            stderr=(Path(place) / "log").open("w"),
            text=True,
            env=os.environ | {"TMPDIR": place},
        )
        assert process.stdout is not None
        word, pipe, http = process.stdout.readline().split()
        assert word == "ready:"
        yield Served(process, Path(place) / "data" / JOURNAL, http, pipe)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        log = (Path(place) / "log").read_text()
        assert 'request {"Command":' in log, "the debug log shows requests"
        assert "Traceback" not in log
        assert not Path(pipe).exists()
        process.stdout.close()


@pytest.fixture
def client(served: Served) -> DataConnectorClient:
    return DataConnectorClient("CLUB001", "key", served.http)


@pytest.fixture
def control(served: Served) -> Iterator[Runtime]:
    with control_side(served.journal) as runtime:
        yield runtime


def ok(response: vendor.ScoringProgramResponse) -> None:
    assert response.error_type is ErrorType.None_, response.serialized_data
    assert response.data_type is not Data.Error


def refused(response: vendor.ScoringProgramResponse, error: ErrorType) -> None:
    assert response.data_type is Data.Error
    assert response.error_type is error, response.serialized_data
    assert isinstance(json.loads(response.serialized_data or ""), str)


def initialize(client: DataConnectorClient) -> None:
    made = samples.init(Bridgemate2Settings=[samples.settings2(VerificationTime=2)])
    ok(client.initialize(vendor.InitDTO.from_dict(made)))


def test_vendor_client_calls_every_method(client: DataConnectorClient) -> None:
    ok(client.connect())
    ok(client.ping())
    initialize(client)
    ok(client.continue_event(vendor.ContinueDTO.from_dict(samples.continue_())))
    section = samples.section_update("B", 2)
    changed = client.update_movement(vendor.SectionUpdateDTO.from_dict(section))
    ok(changed)
    assert changed.data_type is Data.Movement
    read = vendor.SectionDTO.from_dict(json.loads(changed.serialized_data or ""))
    assert [len(table.rounds or []) for table in read.tables or []] == [3, 3]
    groups = [vendor.ScoringGroupDTO.from_dict(samples.scoring_group(1, ScoringMethod=30))]
    ok(client.update_scoring_groups(groups))
    ok(client.send_results(GUID, [vendor.ResultDTO.from_dict(samples.result())]))
    ok(client.send_player_data(GUID, [vendor.PlayerDataDTO.from_dict(samples.player("50"))]))
    ok(client.send_participations(GUID, [vendor.ParticipationDTO.from_dict(samples.participation("50"))]))
    ok(client.send_handrecords(GUID, [vendor.HandrecordDTO.from_dict(samples.handrecord(5))]))
    ok(client.send_td_calls(GUID, [vendor.TdCallDTO.from_dict(samples.td_call())]))
    second = [vendor.Bridgemate2SettingsDTO.from_dict(samples.settings2(VerificationTime=5))]
    ok(client.send_bridgemate2_settings(GUID, second))
    third = [vendor.Bridgemate3SettingsDTO.from_dict(samples.settings3(BM3Language=2))]
    ok(client.send_bridgemate3_settings(GUID, third))
    for everything in (False, True):
        assert client.poll_for_results(GUID, everything) == []
        assert client.poll_for_player_data(GUID, everything) == []
        assert client.poll_for_participations(GUID, everything) == []
        assert client.poll_for_handrecords(GUID, everything) == []
        assert client.poll_for_td_calls(GUID, everything) == []
    for kind in (Data.Results, Data.PlayerData, Data.Participations, Data.Handrecords, Data.TdCalls):
        ok(client.accept_queue_data(GUID, kind))


def test_steps_of_the_vendors_sample_succeed(client: DataConnectorClient) -> None:
    ok(client.connect())
    ok(client.ping())
    made = vendor.InitDTO.from_dict(samples.init(Commands=7, Bridgemate2Settings=None))
    ok(client.initialize(made))
    ok(client.send_player_data(GUID, made.player_data or []))
    result = samples.result(Level=1, Denomination=1, TotalTricks=7, LeadCardRank=14, LeadCardSuit=1)
    ok(client.send_results(GUID, [vendor.ResultDTO.from_dict(result)]))
    assert client.poll_for_results(GUID) == []


def test_vendor_client_reads_refusals(client: DataConnectorClient) -> None:
    initialize(client)
    results = [vendor.ResultDTO.from_dict(samples.result(99))]
    refused(client.send_results(GUID, results), ErrorType.Movement)
    refused(client.send_results(GUID, []), ErrorType.NoData)
    wrong = [vendor.ResultDTO.from_dict(samples.result(Stake=9))]
    refused(client.send_results(GUID, wrong), ErrorType.Validation)
    request = vendor.ScoringProgramRequest()
    request.command = vendor.ScoringProgramDataConnectorCommands.TestData
    refused(client.send_request(request), ErrorType.NotImplemented)
    seats = [vendor.ParticipationDTO.from_dict(samples.participation("77"))]
    refused(client.send_participations(GUID, seats), ErrorType.EntryUnknown)


class ByName:
    """Call the client as `driven` calls the vendor's clients in other languages, so that its expectations stay true."""

    def __init__(self, client: DataConnectorClient) -> None:
        self.client = client

    def __call__(self, method: str, session: str, is_all: bool) -> list[dict[str, Any]]:
        return [dto.to_dict() for dto in self._method(method)(session, is_all)]

    def ok(self, method: str, session: str, kind: int) -> None:
        ok(self._method(method)(session, Data(kind)))

    def _method(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self.client, re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower())
        return method


def test_results_of_tables_are_polled_and_accepted(
    client: DataConnectorClient, control: Runtime, served: Served
) -> None:
    initialize(client)
    play(served.journal)
    poll_and_accept(ByName(client))

    done(control.do(CallDirector(GUID, "c1", "A", 2, NOW, 1)))
    (call,) = client.poll_for_td_calls(GUID)
    assert (call.table_number, call.status) == (2, vendor.TdCallDTO.TdCallStatus_Launched)
    ok(client.accept_queue_data(GUID, Data.TdCalls))
    call.status = vendor.TdCallDTO.TdCallStatus_InProgress
    ok(client.send_td_calls(GUID, [call]))
    with control.read(GUID) as session:
        assert session is not None
        assert session.calls.calls["c1"].status is CallStatus.IN_PROGRESS
    done(control.do(AnswerCall(GUID, "c1", CallStatus.RESOLVED, NOW)))
    assert [each.status for each in client.poll_for_td_calls(GUID)] == [3]


def test_pipe_and_http_share_one_state(client: DataConnectorClient, served: Served) -> None:
    initialize(client)
    with Client.over_pipe(served.pipe) as local:
        answer = local.manage(6)
        assert answer is not None
        assert answer.ScoringFilePath == str(served.journal)
        assert answer.EventGuid == GUID
        assert [section.Letters for section in local.movements(GUID)] == ["A"]


@pytest.fixture
def run(
    served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run `overtrick connector …`; its exit status, output and error output."""
    monkeypatch.setattr(tempfile, "tempdir", str(Path(served.pipe).parent))

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["overtrick", "connector", *words])
        with pytest.raises(SystemExit) as left:
            main()
        shown = capsys.readouterr()
        return int(left.value.code or 0), shown.out, shown.err

    return run


def test_command_line_client_gets_answers(
    served: Served, tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    file = tmp_path / "event.json"
    file.write_text(json.dumps(samples.init(Bridgemate2Settings=None)))
    over_pipe = ("--pipe-user", "peer")
    assert run("ping", *over_pipe)[1].startswith("answered in ")
    assert run("init", str(file), "--http", served.http, "--club", "CLUB001") == (0, "opened\n", "")
    assert json.loads(run("movement", GUID, "A", *over_pipe)[1])[0]["Letters"] == "A"
    assert json.loads(run("movement", GUID, *over_pipe)[1])[0]["Letters"] == "A"
    assert run("poll", GUID, "calls", "--all", *over_pipe) == (0, "[]\n", "0 items, the last is 0\n")
    assert run("accept", GUID, "results", "7", *over_pipe) == (0, "accepted\n", "")
    assert json.loads(run("manage", "sessions", *over_pipe)[1])["IsRunning"]
    assert run("manage", "stop", *over_pipe)[1] == "told to stop\n"
    assert run("movement", GUID, "ZZ", *over_pipe) == (
        1,
        "",
        "overtrick: Movement: There is no section ZZ.\n",
    )
    file.write_text('{"Commands": "x"}')
    status, _, told = run("init", str(file), "--http", served.http)
    assert status == 2
    assert "Commands should be a whole number." in told
    assert run("init", "/nowhere.json")[0] == 2
    assert run("ping", "--http", "http://127.0.0.1:9")[0] == 1
