"""A client for the Data Connector, ours or the vendor's, over the pipe or over HTTP, blocking or with asyncio.

`Client` and `AsyncClient` send through a `Channel`; `RequestCodec` encodes their requests. Does not use the journal:
importing it loads the standard library and msgspec only.
"""

import asyncio
import contextlib
import functools
import http.client
import json
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar
from urllib.parse import urlsplit

from overtrick.connector.address import PATH, PORT, pipe_path
from overtrick.connector.wire.envelope import (
    Response,
    json_text,
    parse_response,
    request_bytes,
)
from overtrick.connector.wire.event import (
    AddSessionDTO,
    BCSManagementRequestDTO,
    BCSManagementResponseDTO,
    ContinueDTO,
    InitDTO,
)
from overtrick.connector.wire.model import WireModel
from overtrick.connector.wire.movement import ScoringGroupDTO, SectionDTO
from overtrick.connector.wire.numbers import ErrorType, Numbering, QueueKind, WireCommand
from overtrick.connector.wire.play import (
    HandrecordDTO,
    ParticipationDTO,
    PlayerDataDTO,
    ResultDTO,
    TdCallDTO,
)
from overtrick.connector.wire.reading import read_many, read_one
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, SettingsDTO
from overtrick.errors import BadInput, OvertrickError

LONGEST_ANSWER = 64 * 1024 * 1024
"""The limit of an answer, in bytes. The answer to a poll for everything may be longer than any request."""

TIMEOUT = 100.0
"""Seconds to wait for one answer, as the vendor's clients do."""

Item = TypeVar("Item", bound=WireModel)
T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Queue(Generic[Item]):
    """A queue of the Data Connector, with the type of its items."""

    kind: QueueKind
    dto: type[Item]


RESULTS = Queue(QueueKind.RESULTS, ResultDTO)
PLAYERS = Queue(QueueKind.PLAYERS, PlayerDataDTO)
PARTICIPATIONS = Queue(QueueKind.PARTICIPATIONS, ParticipationDTO)
HAND_RECORDS = Queue(QueueKind.HAND_RECORDS, HandrecordDTO)
TD_CALLS = Queue(QueueKind.CALLS, TdCallDTO)
QUEUES: dict[str, Queue[Any]] = {
    queue.kind.mark: queue for queue in (RESULTS, PLAYERS, PARTICIPATIONS, HAND_RECORDS, TD_CALLS)
}
"""The queues by name: `results`, `players`, `participations`, `hand-records`, `calls`."""

_QUEUES_BY_NUMBER = (QueueKind.RESULTS, QueueKind.PLAYERS, QueueKind.PARTICIPATIONS, QueueKind.HAND_RECORDS)
"""The queues in the order of their command numbers, which are consecutive for each kind of command."""


class NoConnection(OvertrickError):
    """A failure to reach the Data Connector, or to get an answer that belongs to the request."""

    code = "no-connection"


class RequestRefused(OvertrickError):
    """The refusal of a request by the Data Connector; `error` is the error type in its answer."""

    code = "refused"

    def __init__(self, response: Response) -> None:
        try:
            sentence = json.loads(response.payload)
        except ValueError:
            sentence = response.payload
        super().__init__(f"{response.error.name}: {sentence}")
        self.error: ErrorType = response.error
        self.response = response


@dataclass(frozen=True, slots=True)
class PollResult(Generic[Item]):
    """The items that a poll returned, and the id to accept."""

    items: list[Item]
    last: int


def poll_command(kind: QueueKind, *, everything: bool) -> WireCommand:
    """Return the command that polls a queue, for new items or for everything."""
    if kind is QueueKind.CALLS:
        return WireCommand.PollQueueForAllTdCalls if everything else WireCommand.PollQueueForNewTdCalls
    return WireCommand((23 if everything else 19) + _QUEUES_BY_NUMBER.index(kind))


def accept_command(kind: QueueKind) -> WireCommand:
    """Return the command that accepts polled items."""
    return (
        WireCommand.AcceptTdCallQueueItems
        if kind is QueueKind.CALLS
        else WireCommand(27 + _QUEUES_BY_NUMBER.index(kind))
    )


@dataclass(frozen=True, slots=True)
class RequestCodec:
    """The encoder of requests and decoder of responses; the club and its licence key go with every request."""

    club: str = ""
    licence: str = ""
    numbering: Numbering = Numbering.SHIPPED

    def line(self, command: WireCommand, data: Any = None, session: str = "") -> bytes:
        """Return a request as one line of JSON, without the line end."""
        text = "" if data is None else json_text(data)
        return request_bytes(command, session, text, self.club, self.licence)

    def read(self, line: bytes, command: WireCommand, session: str) -> Response:
        """Return the response to a request.

        Raises RequestRefused if it is an error, and NoConnection if it cannot be read or answers another request.
        """
        try:
            response = parse_response(line, self.numbering)
        except ValueError as error:
            raise NoConnection(f"The answer of the Data Connector cannot be read: {error}.") from error
        # A request that could not be parsed is refused with command 0.
        commands = (command, 0) if response.is_error else (command,)
        if response.command not in commands or response.session not in ("", session):
            raise NoConnection(
                f"The Data Connector answered another request: command {int(response.command)} for session "
                f"'{response.session}', but {command.name} ({int(command)}) for '{session}' was sent."
            )
        if response.is_error:
            raise RequestRefused(response)
        return response


# Channels ---------------------------------------------------------------------------------------------------


class Channel(Protocol):
    """A transport that sends a request and returns its answer."""

    def exchange(self, line: bytes) -> bytes:
        """Send a request and return its answer; raise NoConnection if there is none."""

    def close(self) -> None:
        """Close the connection."""


class PipeChannel:
    """The named pipe. It connects with the first request, and again after the connection was lost."""

    def __init__(self, path: str | None = None, timeout: float = TIMEOUT) -> None:
        self.path = path or pipe_path()
        self._timeout = timeout
        self._pipe: Any = None
        self._lock = threading.Lock()

    def exchange(self, line: bytes) -> bytes:
        """Send a request and return its answer; raise NoConnection if there is none."""
        with self._lock:
            try:
                if self._pipe is None:
                    self._pipe = self._connect()
                self._pipe.write(line + b"\n")
                self._pipe.flush()
                answer: bytes = self._pipe.readline(LONGEST_ANSWER + 1)
            except OSError as error:
                self.close()
                raise NoConnection(
                    f"The pipe {self.path} does not answer: {error.strerror or error}."
                ) from error
            if not answer.endswith(b"\n"):
                self.close()
                raise NoConnection(f"The pipe {self.path} was closed before it answered.")
            return answer

    def _connect(self) -> Any:
        if sys.platform == "win32":
            return open(self.path, "r+b", buffering=0)  # noqa: PTH123
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(self._timeout)
        try:
            connection.connect(self.path)
            return connection.makefile("rwb")
        finally:
            # The file object keeps the socket open. If connecting failed, this closes the socket at once.
            connection.close()

    def close(self) -> None:
        """Close the connection."""
        if self._pipe is not None:
            with contextlib.suppress(OSError):
                self._pipe.close()
            self._pipe = None


class HttpChannel:
    """HTTP over one connection that is kept open."""

    def __init__(self, address: str = f"http://127.0.0.1:{PORT}", timeout: float = TIMEOUT) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise NoConnection(f"{address} is not an address such as http://127.0.0.1:{PORT}.")
        self.address = address
        is_https = parts.scheme == "https"
        connection_type = http.client.HTTPSConnection if is_https else http.client.HTTPConnection
        port = parts.port or (443 if is_https else PORT)
        self._connection = connection_type(parts.hostname, port, timeout=timeout)
        self._lock = threading.Lock()

    def exchange(self, line: bytes) -> bytes:
        """Send a request and return its answer; raise NoConnection if there is none."""
        with self._lock:
            for is_last in (False, True):
                try:
                    return self._post(line)
                except (http.client.HTTPException, OSError) as error:
                    self._connection.close()
                    # The server may have closed the idle connection, which shows only now: retry once.
                    if is_last or not isinstance(error, http.client.RemoteDisconnected):
                        raise NoConnection(f"{self.address} does not answer: {error}.") from error
            raise AssertionError

    def _post(self, line: bytes) -> bytes:
        headers = {"Content-Type": "application/json; charset=utf-8"}
        self._connection.request("POST", PATH, line, headers)
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise NoConnection(f"{self.address} answered with status {answer.status}.")
        return body

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


# Clients ----------------------------------------------------------------------------------------------------


class Client:
    """A scoring program's connection to a Data Connector. Methods raise RequestRefused or NoConnection."""

    def __init__(self, channel: Channel, requests: RequestCodec | None = None) -> None:
        self._channel = channel
        self._requests = requests or RequestCodec()

    @classmethod
    def over_pipe(
        cls,
        path: str | None = None,
        *,
        club: str = "",
        licence: str = "",
        numbering: Numbering = Numbering.SHIPPED,
    ) -> Self:
        """Return a client on the named pipe of this user, or on another path."""
        return cls(PipeChannel(path), RequestCodec(club, licence, numbering))

    @classmethod
    def over_http(
        cls,
        address: str = f"http://127.0.0.1:{PORT}",
        *,
        club: str = "",
        licence: str = "",
        numbering: Numbering = Numbering.SHIPPED,
    ) -> Self:
        """Return a client over HTTP."""
        return cls(HttpChannel(address), RequestCodec(club, licence, numbering))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def send(self, command: WireCommand, data: Any = None, session: str = "") -> Response:
        """Send any request and return its response."""
        answer = self._channel.exchange(self._requests.line(command, data, session))
        try:
            return self._requests.read(answer, command, session)
        except NoConnection:
            self.close()  # the next answer on this connection may also belong to another request
            raise

    def ping(self, text: str = "ping") -> bool:
        """Send a text and return whether it comes back."""
        return bool(json.loads(self.send(WireCommand.Ping, text).payload) == text)

    def disconnect(self) -> None:
        """Send Disconnect, which frees the pipe for the next client, and close the connection."""
        with contextlib.suppress(NoConnection):
            self.send(WireCommand.Disconnect)
        self.close()

    def initialize(self, event: InitDTO) -> None:
        """Open an event."""
        self.send(WireCommand.InitializeEvent, event)

    def continue_event(self, event: ContinueDTO) -> None:
        """Continue an event that was opened before."""
        self.send(WireCommand.ContinueEvent, event)

    def add_session(self, session: AddSessionDTO) -> None:
        """Add a session to an event."""
        self.send(WireCommand.AddSession, session, session.EventGuid or "")

    def update_movement(self, section: SectionDTO) -> SectionDTO:
        """Change a section and return it with the rounds that changed."""
        answer = self.send(WireCommand.UpdateMovement, section, section.SessionGuid or "")
        return read_one(SectionDTO, json.loads(answer.payload))

    def update_scoring_groups(self, session: str, groups: Sequence[ScoringGroupDTO]) -> None:
        """Change scoring groups."""
        self.send(WireCommand.UpdateScoringGroups, groups, session)

    def put_results(self, session: str, results: Sequence[ResultDTO]) -> None:
        """Send results."""
        self.send(WireCommand.PutResults, results, session)

    def put_players(self, session: str, players: Sequence[PlayerDataDTO]) -> None:
        """Send players."""
        self.send(WireCommand.PutPlayerData, players, session)

    def put_participations(self, session: str, participations: Sequence[ParticipationDTO]) -> None:
        """Send the seats of players."""
        self.send(WireCommand.PutParticipations, participations, session)

    def put_handrecords(self, session: str, records: Sequence[HandrecordDTO]) -> None:
        """Send hand records."""
        self.send(WireCommand.PutHandrecords, records, session)

    def put_settings(self, session: str, settings: Sequence[SettingsDTO]) -> None:
        """Send settings of table units, all of one generation."""
        is_bridgemate2 = bool(settings) and isinstance(settings[0], Bridgemate2SettingsDTO)
        command = WireCommand.PutBridgemate2Settings if is_bridgemate2 else WireCommand.PutBridgemate3Settings
        self.send(command, settings, session)

    def put_td_calls(self, session: str, calls: Sequence[TdCallDTO]) -> None:
        """Send calls for the director."""
        self.send(WireCommand.PutTdCalls, calls, session)

    def poll(self, queue: Queue[Item], session: str, *, everything: bool = False) -> PollResult[Item]:
        """Return the new items of a queue, or with `everything` all items that are current."""
        response = self.send(poll_command(queue.kind, everything=everything), None, session)
        return PollResult(read_many(queue.dto, json.loads(response.payload)), response.last_item)

    def accept(self, queue: Queue[Any], session: str, last: int) -> None:
        """Accept all items up to this id."""
        self.send(accept_command(queue.kind), last, session)

    def items(
        self, queue: Queue[Item], session: str, *, accept: bool = False, every: float | None = None
    ) -> Iterator[Item]:
        """Yield the new items of a queue.

        With `accept`, accept the items of a poll when the next item is asked for after the last of them: those of a
        loop that ends early are offered again. With `every`, poll again after so many seconds, without end; this needs
        `accept`, because items that are not accepted remain new.
        """
        _check_repetition(accept, every)
        while True:
            found = self.poll(queue, session)
            yield from found.items
            if accept and found.items:
                self.accept(queue, session, found.last)
            if every is None:
                return
            time.sleep(every)

    def results(
        self, session: str, *, accept: bool = False, every: float | None = None
    ) -> Iterator[ResultDTO]:
        """Yield the new results; see `items`."""
        return self.items(RESULTS, session, accept=accept, every=every)

    def players(
        self, session: str, *, accept: bool = False, every: float | None = None
    ) -> Iterator[PlayerDataDTO]:
        """Yield the new players; see `items`."""
        return self.items(PLAYERS, session, accept=accept, every=every)

    def participations(
        self, session: str, *, accept: bool = False, every: float | None = None
    ) -> Iterator[ParticipationDTO]:
        """Yield the new seats of players; see `items`."""
        return self.items(PARTICIPATIONS, session, accept=accept, every=every)

    def hand_records(
        self, session: str, *, accept: bool = False, every: float | None = None
    ) -> Iterator[HandrecordDTO]:
        """Yield the new hand records; see `items`."""
        return self.items(HAND_RECORDS, session, accept=accept, every=every)

    def calls(self, session: str, *, accept: bool = False, every: float | None = None) -> Iterator[TdCallDTO]:
        """Yield the new calls for the director; see `items`."""
        return self.items(TD_CALLS, session, accept=accept, every=every)

    def movement(self, session: str, section: str) -> SectionDTO:
        """Return the movement of a section."""
        request = SectionDTO(SessionGuid=session, Letters=section)
        return read_one(SectionDTO, json.loads(self.send(WireCommand.GetMovement, request, session).payload))

    def movements(self, session: str) -> list[SectionDTO]:
        """Return the movements of every section."""
        return read_many(
            SectionDTO, json.loads(self.send(WireCommand.GetAllMovements, None, session).payload)
        )

    def manage(self, command: int) -> BCSManagementResponseDTO | None:
        """Send a management command and return the answer; None for command 1, which shuts down."""
        response = self.send(WireCommand.ManageBCS, BCSManagementRequestDTO(Command=command))
        if command == 1:
            return None
        return read_one(BCSManagementResponseDTO, json.loads(response.payload))

    def clear(self) -> None:
        """Clear the queues."""
        self.send(WireCommand.ClearData)


def _check_repetition(accept: bool, every: float | None) -> None:
    if every is not None and not accept:
        raise BadInput("Polling again needs accept=True: items that are not accepted remain new.")


def _coroutine(
    method: Callable[Concatenate[Client, P], T],
) -> "Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]":
    """Return a method of Client as a coroutine that runs it in a thread."""

    async def call_in_thread(self: "AsyncClient", /, *arguments: P.args, **options: P.kwargs) -> T:
        async with self._request_lock:
            return await asyncio.to_thread(method, self._client, *arguments, **options)

    functools.update_wrapper(call_in_thread, method)
    return call_in_thread


class AsyncClient:
    """A `Client` for asyncio programs: it has the same methods, as coroutines that run in a thread.

    One request is sent at a time; the others wait for it.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._request_lock = asyncio.Lock()

    @classmethod
    def over_pipe(
        cls,
        path: str | None = None,
        *,
        club: str = "",
        licence: str = "",
        numbering: Numbering = Numbering.SHIPPED,
    ) -> Self:
        """Return a client on the named pipe of this user, or on another path."""
        return cls(Client.over_pipe(path, club=club, licence=licence, numbering=numbering))

    @classmethod
    def over_http(
        cls,
        address: str = f"http://127.0.0.1:{PORT}",
        *,
        club: str = "",
        licence: str = "",
        numbering: Numbering = Numbering.SHIPPED,
    ) -> Self:
        """Return a client over HTTP."""
        return cls(Client.over_http(address, club=club, licence=licence, numbering=numbering))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._client.close)

    close = _coroutine(Client.close)
    send = _coroutine(Client.send)
    ping = _coroutine(Client.ping)
    disconnect = _coroutine(Client.disconnect)
    initialize = _coroutine(Client.initialize)
    continue_event = _coroutine(Client.continue_event)
    add_session = _coroutine(Client.add_session)
    update_movement = _coroutine(Client.update_movement)
    update_scoring_groups = _coroutine(Client.update_scoring_groups)
    put_results = _coroutine(Client.put_results)
    put_players = _coroutine(Client.put_players)
    put_participations = _coroutine(Client.put_participations)
    put_handrecords = _coroutine(Client.put_handrecords)
    put_settings = _coroutine(Client.put_settings)
    put_td_calls = _coroutine(Client.put_td_calls)
    accept = _coroutine(Client.accept)
    movement = _coroutine(Client.movement)
    movements = _coroutine(Client.movements)
    manage = _coroutine(Client.manage)
    clear = _coroutine(Client.clear)

    async def poll(self, queue: Queue[Item], session: str, *, everything: bool = False) -> PollResult[Item]:
        """Return the new items of a queue, or with `everything` all items that are current."""
        async with self._request_lock:
            return await asyncio.to_thread(self._client.poll, queue, session, everything=everything)

    async def items(
        self, queue: Queue[Item], session: str, *, accept: bool = False, every: float | None = None
    ) -> AsyncIterator[Item]:
        """Yield the new items of a queue, as `Client.items` does."""
        _check_repetition(accept, every)
        while True:
            found = await self.poll(queue, session)
            for item in found.items:
                yield item
            if accept and found.items:
                await self.accept(queue, session, found.last)
            if every is None:
                return
            await asyncio.sleep(every)

    def results(
        self, session: str, *, accept: bool = False, every: float | None = None
    ) -> AsyncIterator[ResultDTO]:
        """Yield the new results; see `items`."""
        return self.items(RESULTS, session, accept=accept, every=every)

    def players(
        self, session: str, *, accept: bool = False, every: float | None = None
    ) -> AsyncIterator[PlayerDataDTO]:
        """Yield the new players; see `items`."""
        return self.items(PLAYERS, session, accept=accept, every=every)

    def participations(
        self, session: str, *, accept: bool = False, every: float | None = None
    ) -> AsyncIterator[ParticipationDTO]:
        """Yield the new seats of players; see `items`."""
        return self.items(PARTICIPATIONS, session, accept=accept, every=every)

    def hand_records(
        self, session: str, *, accept: bool = False, every: float | None = None
    ) -> AsyncIterator[HandrecordDTO]:
        """Yield the new hand records; see `items`."""
        return self.items(HAND_RECORDS, session, accept=accept, every=every)

    def calls(
        self, session: str, *, accept: bool = False, every: float | None = None
    ) -> AsyncIterator[TdCallDTO]:
        """Yield the new calls for the director; see `items`."""
        return self.items(TD_CALLS, session, accept=accept, every=every)
