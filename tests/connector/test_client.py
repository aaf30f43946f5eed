"""Our own client against our own server, over both transports: a smoke test; the vendor's client is the real one."""

import asyncio
import json
import logging
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from overtrick.bridge import Outcome
from overtrick.connector.client import QUEUES, RESULTS, AsyncClient, Client, NoConnection, RequestRefused
from overtrick.connector.movement_dtos import event_dto, section_dto
from overtrick.connector.wire import event, movement, play, settings
from overtrick.connector.wire.envelope import json_text
from overtrick.connector.wire.model import UnknownProperty
from overtrick.connector.wire.numbers import ErrorType, Numbering
from overtrick.connector.wire.reading import misspelt, read_one
from overtrick.connector.wire.rules import problems
from overtrick.errors import BadInput
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.movements import MovementError, individual, mitchell
from tests.connector import samples
from tests.connector.evening import NOW
from tests.connector.running import Running, control_side, done, running
from tests.waiting import wait_for

GUID = samples.GUID


@pytest.fixture(scope="module")
def connector() -> Iterator[Running]:
    with running() as made:
        yield made


@pytest.fixture(params=["pipe", "http"])
def client(connector: Running, request: pytest.FixtureRequest) -> Iterator[Client]:
    over = request.param
    made = Client.over_pipe(connector.pipe) if over == "pipe" else Client.over_http(connector.http)
    with made:
        yield made


def opened() -> event.InitDTO:
    return read_one(event.InitDTO, samples.init(Bridgemate2Settings=None, Bridgemate3Settings=None))


def test_client_sends_every_command(client: Client, connector: Running) -> None:
    assert client.ping("hello €")
    client.initialize(opened())
    client.continue_event(read_one(event.ContinueDTO, samples.continue_(Commands=5)))
    update = read_one(movement.SectionUpdateDTO, samples.section_update("B", 2))
    assert len(client.update_movement(update).Tables or []) == 2
    client.update_scoring_groups(
        GUID, [read_one(movement.ScoringGroupDTO, samples.scoring_group(1, Name="Field"))]
    )
    client.put_results(GUID, [read_one(play.ResultDTO, samples.result())])
    client.put_players(GUID, [read_one(play.PlayerDataDTO, samples.player("99"))])
    client.put_participations(GUID, [read_one(play.ParticipationDTO, samples.participation("99"))])
    client.put_handrecords(GUID, [read_one(play.HandrecordDTO, samples.handrecord(3))])
    client.put_settings(
        GUID, [read_one(settings.Bridgemate2SettingsDTO, samples.settings2(VerificationTime=3))]
    )
    client.put_settings(GUID, [read_one(settings.Bridgemate3SettingsDTO, samples.settings3())])
    client.put_td_calls(GUID, [read_one(play.TdCallDTO, samples.td_call())])
    with control_side(connector.journal) as control:
        entry = ResultEntry("A", 1, 1, 2, Outcome.parse("3NTN="), NOW)
        done(control.do(EnterResult(GUID, entry)))
    found = client.poll(RESULTS, GUID)
    assert [item.BoardNumber for item in found.items] == [2]
    client.accept(RESULTS, GUID, found.last)
    assert client.poll(RESULTS, GUID).items == []
    assert len(client.poll(RESULTS, GUID, everything=True).items) == 1
    for kind in QUEUES.values():
        client.poll(kind, GUID, everything=True)
        client.accept(kind, GUID, 1)
    assert client.movement(GUID, "A").Letters == "A"
    assert [section.Letters for section in client.movements(GUID)] == ["A", "B"]
    answer = client.manage(6)
    assert answer is not None
    assert answer.ScoringFilePath == str(connector.journal)
    client.clear()
    assert client.poll(RESULTS, GUID, everything=True).items == []
    assert client.manage(1) is None
    client.disconnect()


def test_client_raises_the_error_type_of_a_refused_request(client: Client) -> None:
    with pytest.raises(RequestRefused) as caught:
        client.movements(samples.OTHER)
    assert caught.value.error is ErrorType.EntryUnknown
    assert str(caught.value) == f"EntryUnknown: There is no session {samples.OTHER}."


def test_async_client_returns_the_same_answers(connector: Running) -> None:
    async def run() -> list[bool]:
        async with AsyncClient(Client.over_http(connector.http)) as client:
            return await asyncio.gather(*(client.ping(str(number)) for number in range(20)))

    assert asyncio.run(run()) == [True] * 20


def test_importing_the_client_loads_the_standard_library_and_msgspec_only() -> None:
    program = (
        "import sys; before = set(sys.modules); import overtrick.connector;"
        "roots = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(*sorted(roots - set(sys.stdlib_module_names) - {'overtrick'}))"
    )
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    # typing_extensions is imported by msgspec; __mp_main__ is a name that multiprocessing gives the program.
    assert set(child.stdout.split()) - {"typing_extensions", "__mp_main__"} == {"msgspec"}, child.stderr


def test_async_client_has_every_method_of_the_client_and_no_other() -> None:
    def public(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    assert public(AsyncClient) == public(Client)
    with pytest.raises(AttributeError):
        AsyncClient(Client(Answering(b""))).put_reslts  # type: ignore[attr-defined] # noqa: B018


GUIDS = (f"{number:032X}" for number in range(1_000, 2_000))


@contextmanager
def evening_with_results(connector: Running, boards: int) -> Iterator[str]:
    """Open an event made from a movement, and enter a result for each board of its first round."""
    guid = next(GUIDS)
    section = section_dto(mitchell(3, boards), guid)
    with Client.over_pipe(connector.pipe) as client, control_side(connector.journal) as control:
        client.initialize(event_dto([section], name="Friday", starts=NOW))
        for board in range(1, boards + 1):
            done(control.do(EnterResult(guid, ResultEntry("A", 1, 1, board, Outcome.parse("3NTN="), NOW))))
    yield guid


def test_movement_becomes_an_event_in_one_call(connector: Running) -> None:
    made = event_dto([section_dto(mitchell(3, 2), GUID)], name="Friday", starts=NOW)
    assert problems(made) == []
    with evening_with_results(connector, 2) as guid, Client.over_pipe(connector.pipe) as client:
        section = client.movement(guid, "A")
    tables = section.Tables or []
    rounds = [
        (each.PairNS, each.PairEW, each.LowBoardNumber, each.HighBoardNumber)
        for each in tables[0].Rounds or []
    ]
    assert (len(tables), section.Winners) == (3, 2)
    assert rounds == [(1, 1, 1, 2), (1, 3, 3, 4), (1, 2, 5, 6)]


def test_individual_is_refused_as_a_section() -> None:
    with pytest.raises(MovementError, match="no movements of individuals"):
        section_dto(individual(8, 2), GUID)
    with pytest.raises(MovementError, match="guid of the session"):
        event_dto([], name="Friday", starts=NOW)


def test_items_of_a_loop_that_ends_early_are_offered_again(connector: Running) -> None:
    with evening_with_results(connector, 2) as guid, Client.over_http(connector.http) as client:
        for result in client.results(guid, accept=True):
            assert result.BoardNumber == 1
            break
        assert [result.BoardNumber for result in client.results(guid)] == [1, 2]
        assert [result.BoardNumber for result in client.results(guid, accept=True)] == [1, 2]
        assert list(client.results(guid)) == []
        for queue in (client.players, client.participations, client.hand_records, client.calls):
            assert list(queue(guid)) == []


def test_async_client_yields_results_until_the_loop_ends(connector: Running) -> None:
    with evening_with_results(connector, 2) as guid:

        async def run() -> list[int]:
            boards = []
            async with AsyncClient.over_http(connector.http) as client:
                async for result in client.results(guid, accept=True, every=0.01):
                    boards.append(result.BoardNumber)
                    if len(boards) == 2:
                        with control_side(connector.journal) as control:
                            entry = ResultEntry("A", 2, 1, 3, Outcome.parse("3NTN="), NOW)
                            done(control.do(EnterResult(guid, entry)))
                    if len(boards) == 3:
                        break
                assert [each.BoardNumber async for each in client.results(guid)] == [3], "it was not accepted"
                for queue in (client.players, client.participations, client.hand_records, client.calls):
                    assert [each async for each in queue(guid)] == []
            return boards

        assert asyncio.run(run()) == [1, 2, 3]


def test_polling_again_without_accepting_is_refused() -> None:
    with pytest.raises(BadInput, match="needs accept=True"):
        next(Client(Answering(b"")).results(GUID, every=1))


def test_debug_log_command_turns_the_log_on(connector: Running) -> None:
    logger = logging.getLogger("overtrick")
    before = logger.level
    with Client.over_pipe(connector.pipe) as client:
        client.initialize(msgspec.structs.replace(opened(), Commands=67))
        wait_for(lambda: logger.level == logging.DEBUG)
    logger.setLevel(before)


def test_four_clubs_and_the_pipe_see_only_their_own_events(connector: Running) -> None:
    """Four clubs and the pipe at the same time, each with an event of its own that nobody else sees."""

    def evening(club: int) -> list[int]:
        guid = f"{club:032X}"
        text = json_text(opened()).replace(GUID, guid)
        over = (
            Client.over_http(connector.http, club=f"club {club}")
            if club
            else Client.over_pipe(connector.pipe)
        )
        with over as client, control_side(connector.journal) as control:
            client.initialize(read_one(event.InitDTO, json.loads(text)))
            seen: list[int] = []
            for board in (1, 2, 3, 4):
                mine = samples.result(
                    board, SessionGuid=guid, TableNumber=2, PairNorthSouth=3, PairEastWest=4
                )
                client.put_results(guid, [read_one(play.ResultDTO, mine | {"DeclaringPair": 3})])
                entry = ResultEntry("A", 1, 1, board, Outcome.parse("3NTN="), NOW)
                done(control.do(EnterResult(guid, entry)))
                found = client.poll(RESULTS, guid)
                seen += [item.BoardNumber for item in found.items]
                client.accept(RESULTS, guid, found.last)
            if club:
                with pytest.raises(RequestRefused):
                    client.movements(f"{club % 4 + 1:032X}")
            return seen

    with ThreadPoolExecutor(5) as threads:
        assert list(threads.map(evening, range(5))) == [[1, 2, 3, 4]] * 5


def test_client_without_a_server_raises_no_connection(tmp_path: object) -> None:
    for client in (Client.over_pipe(f"{tmp_path}/none"), Client.over_http("http://127.0.0.1:9")):
        with client, pytest.raises(NoConnection):
            client.ping()
    with pytest.raises(NoConnection):
        Client.over_http("ftp://example.org")


def test_client_reads_data_types_in_the_guides_numbering() -> None:
    with (
        running(Numbering.GUIDE) as connector,
        Client.over_pipe(connector.pipe, numbering=Numbering.GUIDE) as client,
    ):
        assert client.manage(8) is not None
        client.initialize(opened())
        assert client.movements(GUID)


class Answering:
    """A channel that answers the same to everything."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.is_closed = False

    def exchange(self, line: bytes) -> bytes:
        return self.answer

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize("difference", [{"RequestCommand": 19}, {"SessionGuid": samples.OTHER}])
def test_answer_to_another_request_raises_no_connection(difference: dict[str, Any]) -> None:
    sound = {"RequestCommand": 10, "DataType": 0, "ErrorType": 0, "SessionGuid": GUID, "SerializedData": ""}
    results = [read_one(play.ResultDTO, samples.result())]
    Client(Answering(json.dumps(sound).encode())).put_results(GUID, results)
    channel = Answering(json.dumps(sound | difference).encode())
    with pytest.raises(NoConnection, match="answered another request"):
        Client(channel).put_results(GUID, results)
    assert channel.is_closed
    refusal = sound | {"DataType": 4, "ErrorType": 1, "SerializedData": '"Busy."'}
    with pytest.raises(RequestRefused, match="Busy"):
        Client(Answering(json.dumps(refusal | {"RequestCommand": 0}).encode())).put_results(GUID, results)
    with pytest.raises(NoConnection, match="answered another request"):
        Client(Answering(json.dumps(refusal | difference).encode())).put_results(GUID, results)


def test_a_misspelt_property_of_a_dto_is_an_error() -> None:
    with pytest.raises(UnknownProperty, match="ResultDTO has no property BoardNumbr"):
        play.ResultDTO(BoardNumbr=1)  # type: ignore[call-arg]
    assert play.ResultDTO(BoardNumber=1).BoardNumber == 1
    assert read_one(play.ResultDTO, {"BoardNumbr": 1}).BoardNumber == 0, "what a peer sends is left alone"
    wrong = list(misspelt(event.InitDTO, samples.init() | {"Weather": 1, "PlayerData": [{"Numbr": 1}]}))
    assert sorted(wrong) == [
        "PlayerData[0].Numbr is not a property of PlayerDataDTO.",
        "Weather is not a property of InitDTO.",
    ]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_https_connection_checks_the_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=localhost",
            ),
            *("-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
        timeout=30,
    )

    class Echo(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = {"RequestCommand": asked["Command"], "DataType": 1, "ErrorType": 0, "SessionGuid": ""}
            body = json.dumps(answer | {"SerializedData": asked["SerializedData"]}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told: object) -> None:
            pass

    server = HTTPServer(("localhost", 0), Echo)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    address = f"https://localhost:{server.server_port}"
    try:
        with (
            pytest.raises(NoConnection, match="CERTIFICATE_VERIFY_FAILED"),
            Client.over_http(address) as client,
        ):
            client.ping()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with Client.over_http(address) as client:
            assert client.ping()
    finally:
        server.shutdown()
        serving.join(30)
        server.server_close()


def test_only_http_and_https_addresses_are_accepted() -> None:
    with (
        pytest.raises(NoConnection, match="does not answer"),
        Client.over_http("https://127.0.0.1:9") as client,
    ):
        client.ping()
    with pytest.raises(NoConnection, match="is not an address"):
        Client.over_http("ftp://127.0.0.1")
