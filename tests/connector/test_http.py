import asyncio
import json
import logging
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from overtrick.connector import dispatch, from_wire, handlers, http
from overtrick.connector.dispatch import ConnectorService
from overtrick.connector.http import connector_app
from overtrick.connector.request_context import Caller, ChangeRequest, WriteOutcome
from overtrick.connector.wire.envelope import request_bytes
from overtrick.connector.wire.numbers import ErrorType, WireCommand
from overtrick.connector.wire.play import PlayerDataDTO
from overtrick.errors import OvertrickError
from tests.connector import samples
from tests.connector.evening import Evening
from tests.waiting import wait_for_async


def nothing(change: ChangeRequest) -> WriteOutcome:
    raise OvertrickError("Nobody writes here.")


def ask(
    service: ConnectorService, method: str, path: str, body: bytes = b"", **headers: str
) -> httpx.Response:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(connector_app(service, longest=100_000))
        async with httpx.AsyncClient(transport=transport, base_url="http://connector") as client:
            return await client.request(method, path, content=body, headers=headers)

    return asyncio.run(run())


@pytest.fixture
def evening(tmp_path: object) -> Evening:
    made = Evening(tmp_path)  # type: ignore[arg-type]
    made.begin()
    return made


@pytest.fixture
def service(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> Iterator[ConnectorService]:
    monkeypatch.setattr(evening, "submit", nothing)
    made = ConnectorService(evening.dispatcher)
    yield made
    made.close()


def test_get_request_returns_the_greeting_that_clients_check(service: ConnectorService) -> None:
    answer = ask(service, "GET", "/")
    assert answer.status_code == 200
    assert "Bridgemate dataconnector service version" in answer.text


def test_request_is_answered_over_http(service: ConnectorService) -> None:
    for start in (b"", b"\xef\xbb\xbf"):
        answer = ask(
            service, "POST", "/dc-scoringprogram", start + request_bytes(WireCommand.Ping, payload='"hello"')
        )
        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["SerializedData"] == '"hello"'


@pytest.mark.parametrize("body", [b"", b"hello", b"[]", b"\xff\xfe", b'{"Command":10,"SerializedData":"[{"}'])
def test_invalid_request_bytes_are_answered_with_an_error(service: ConnectorService, body: bytes) -> None:
    answer = ask(service, "POST", "/dc-scoringprogram", body)
    assert answer.status_code == 200, "the vendor's clients would try again five times"
    assert answer.json()["ErrorType"] == ErrorType.Validation


def test_request_above_the_limit_is_refused_with_413(service: ConnectorService) -> None:
    answer = ask(service, "POST", "/dc-scoringprogram", b"x" * 100_001)
    assert answer.status_code == 413
    assert answer.json()["ErrorType"] == ErrorType.Validation


def test_requests_above_the_common_limit_are_refused_as_busy(
    service: ConnectorService, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        begun, going_on = asyncio.Event(), asyncio.Event()

        async def slowly() -> AsyncIterator[bytes]:
            yield PING[:10]
            yield b" " * 80_000
            begun.set()
            await going_on.wait()
            yield PING[10:]

        transport = httpx.ASGITransport(connector_app(service, longest=100_000, most=120_000))
        async with httpx.AsyncClient(transport=transport, base_url="http://connector") as client:
            slow = asyncio.create_task(client.post("/dc-scoringprogram", content=slowly()))
            await begun.wait()
            refused = await client.post("/dc-scoringprogram", content=b"x" * 50_000)
            assert refused.status_code == 503
            assert refused.json()["ErrorType"] == ErrorType.Busy
            small = await client.post("/dc-scoringprogram", content=PING)
            assert small.json()["ErrorType"] == 0
            going_on.set()
            assert (await slow).status_code == 200
            for _ in range(3):
                again = await client.post("/dc-scoringprogram", content=b"x" * 99_000)
                assert again.status_code == 200, "what was answered is not held any more"

    asyncio.run(run())
    assert "Too many large requests" in caplog.text


@pytest.mark.parametrize(
    ("where", "step"), [(dispatch, "parse_request"), (handlers, "rule_of"), (from_wire, "players")]
)
def test_long_request_does_not_delay_other_clients(
    service: ConnectorService, monkeypatch: pytest.MonkeyPatch, where: Any, step: str
) -> None:
    begun, going_on = threading.Event(), threading.Event()
    real = getattr(where, step)

    def waiting(sent: Any) -> Any:
        if sent in (long_body, PlayerDataDTO) or isinstance(sent, list):
            begun.set()
            assert going_on.wait(10)
        return real(sent)

    monkeypatch.setattr(where, step, waiting)
    players = [samples.player(str(number)) for number in range(5_000)]
    long_body = request_bytes(WireCommand.PutPlayerData, samples.GUID, json.dumps(players), club="C")
    results = [samples.result(1 + number % 4) for number in range(100)]
    others = [
        request_bytes(WireCommand.PollQueueForNewResults, samples.GUID, club="D"),
        request_bytes(WireCommand.PutResults, samples.GUID, json.dumps(results[:1]), club="D"),
        request_bytes(WireCommand.PutResults, samples.GUID, json.dumps(results), club="D"),
        request_bytes(WireCommand.GetAllMovements, samples.GUID, club="D"),
    ]

    async def run() -> None:
        transport = httpx.ASGITransport(connector_app(service))
        async with httpx.AsyncClient(transport=transport, base_url="http://connector") as client:

            async def told(body: bytes) -> Any:
                return (await asyncio.wait_for(client.post("/dc-scoringprogram", content=body), 30)).json()

            long = asyncio.create_task(told(long_body))
            assert await asyncio.to_thread(begun.wait, 10)
            for body in others:
                answer = await told(body)
                is_put = answer["RequestCommand"] == WireCommand.PutResults
                assert answer["ErrorType"] == (ErrorType.Exception if is_put else 0), answer
            here = asyncio.to_thread(service.answer_in_this_thread, others[0], Caller())
            assert b'"ErrorType":0' in (await asyncio.wait_for(here, 30)).text
            own = await told(request_bytes(WireCommand.PollQueueForNewResults, samples.GUID, club="C"))
            assert own["ErrorType"] == (0 if step == "parse_request" else ErrorType.Busy)
            assert not long.done()
            going_on.set()
            assert (await long)["SerializedData"] == '"Nobody writes here."'

    try:
        asyncio.run(run())
    finally:
        going_on.set()


def test_slow_upload_is_cut_off_when_memory_is_short(
    service: ConnectorService, monkeypatch: pytest.MonkeyPatch
) -> None:
    intake = http.BodyReader(100_000, 120_000, 0)
    monkeypatch.setattr(http, "BodyReader", lambda *limits: intake)

    async def run() -> None:
        begun = asyncio.Event()

        async def slowly() -> AsyncIterator[bytes]:
            yield b"x" * 80_000
            begun.set()
            await asyncio.Event().wait()

        transport = httpx.ASGITransport(connector_app(service))
        async with httpx.AsyncClient(transport=transport, base_url="http://connector") as client:
            slow = asyncio.create_task(client.post("/dc-scoringprogram", content=slowly()))
            await begun.wait()
            await asyncio.sleep(0.05)  # by now its pace is slow
            taken = await client.post("/dc-scoringprogram", content=PING + b" " * 90_000)
            assert taken.json()["ErrorType"] == 0
            cut_off = await asyncio.wait_for(slow, 30)
            assert (cut_off.status_code, cut_off.json()["ErrorType"]) == (408, ErrorType.TimeOut)
            assert "too slowly" in cut_off.json()["SerializedData"]
            assert intake._held == 0

    asyncio.run(run())


def test_upload_that_takes_too_long_is_refused_with_408(service: ConnectorService) -> None:
    async def half() -> AsyncIterator[bytes]:
        yield b'{"Command":4'
        await asyncio.Event().wait()

    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(connector_app(service, timeout=0.05))
        async with httpx.AsyncClient(transport=transport, base_url="http://connector") as client:
            sending = client.post("/dc-scoringprogram", content=half())
            return await asyncio.wait_for(sending, 30)

    answer = asyncio.run(run())
    assert answer.status_code == 408
    assert answer.json()["ErrorType"] == ErrorType.TimeOut


def test_web_pages_are_not_served(service: ConnectorService) -> None:
    ping = request_bytes(WireCommand.Ping)
    answer = ask(service, "POST", "/dc-scoringprogram", ping, Origin="http://evil.example")
    assert answer.status_code == 403


def test_other_paths_and_methods_are_refused(service: ConnectorService) -> None:
    assert ask(service, "GET", "/dc-scoringprogram").status_code == 405
    assert ask(service, "GET", "/elsewhere").status_code == 404


PING = request_bytes(WireCommand.Ping)
PUT = request_bytes(WireCommand.PutResults, samples.GUID, json.dumps([samples.result()]))


def test_failing_writer_is_answered_with_exception(service: ConnectorService) -> None:
    answer = ask(service, "POST", "/dc-scoringprogram", PUT).json()
    assert (answer["ErrorType"], answer["SerializedData"]) == (ErrorType.Exception, '"Nobody writes here."')


@pytest.mark.parametrize("step", ["judged", "looked up", "written", "marked"])
def test_client_that_leaves_during_its_request_frees_the_pipe(
    evening: Evening, service: ConnectorService, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    begun, going_on = threading.Event(), threading.Event()
    players = json.dumps([samples.player(str(number)) for number in range(5_000)])
    poll = request_bytes(WireCommand.PollQueueForNewResults, samples.GUID, club="C")
    where, name, body = {
        "judged": (
            handlers,
            "rule_of",
            request_bytes(WireCommand.PutPlayerData, samples.GUID, players, club="C"),
        ),
        "written": (
            evening,
            "submit",
            request_bytes(WireCommand.PutResults, samples.GUID, json.dumps([samples.result()]), club="C"),
        ),
        "looked up": (evening.journal, "heads", poll),
        "marked": (evening.journal.marks, "move", poll),
    }[step]
    real = getattr(where, name)

    def waiting(*sent: Any) -> Any:
        begun.set()
        assert going_on.wait(10)
        return real(*sent)

    evening.play(1, "3NTN=")
    monkeypatch.setattr(where, name, waiting)

    async def run() -> None:
        transport = httpx.ASGITransport(connector_app(service))
        async with httpx.AsyncClient(transport=transport, base_url="http://connector") as client:

            async def told(body: bytes) -> Any:
                return (await asyncio.wait_for(client.post("/dc-scoringprogram", content=body), 30)).json()

            slow = asyncio.create_task(told(body))
            assert await asyncio.to_thread(begun.wait, 10)
            if step != "looked up":
                answer = await told(request_bytes(WireCommand.GetAllMovements, samples.GUID, club="D"))
                assert answer["ErrorType"] == 0, "Too many requests at once"
            ping = request_bytes(WireCommand.Ping, club="C")
            assert (await told(ping))["ErrorType"] == ErrorType.Busy
            slow.cancel()
            await asyncio.gather(slow, return_exceptions=True)
            assert (await told(ping))["ErrorType"] == ErrorType.Busy, "the thread is still at it"
            going_on.set()

            async def has_room() -> bool:
                return bool((await told(ping))["ErrorType"] == 0)

            await wait_for_async(has_room)

    try:
        asyncio.run(run())
    finally:
        going_on.set()


def test_the_debug_log_shows_requests_and_answers(
    service: ConnectorService, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "overtrick.connector"):
        ask(service, "POST", "/dc-scoringprogram", request_bytes(WireCommand.Ping, payload='"hello"'))
        ask(service, "POST", "/dc-scoringprogram", b"x" * 5000)
    shown = [record.getMessage() for record in caplog.records if record.name.endswith("dispatch")]
    assert shown[0].startswith('request {"Command":4')
    assert shown[1].startswith('answer {"RequestCommand":4')
    assert shown[2].endswith("(5000 bytes)")
