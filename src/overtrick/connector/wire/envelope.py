"""Envelopes of requests and responses. `SerializedData` inside them is JSON again: two layers. Pure: no I/O.

Shipped clients put a string there, the guide's examples the object itself. Both are read, and a string is written.
"""

from typing import Any

import msgspec

from overtrick.connector.wire.numbers import COMMAND_NAMES, DataType, ErrorType, Numbering, WireCommand
from overtrick.connector.wire.reading import MalformedRequest

MOST_ITEMS = 10_000
"""Limit of DTOs in one request. The writer should take half a second at most: results of phones wait meanwhile."""

MOST_VALUES = 20 * MOST_ITEMS
"""Limit of values in one request: a DTO has about ten."""

LONGEST_NAME = 200
"""Characters of an unknown command's name that a sentence repeats."""

LONGEST_QUESTION = 65_536
"""Limit of the data of a command that only reads, in characters."""

COMMANDS_WITH_LONG_DATA = frozenset(
    {
        WireCommand.InitializeEvent,
        WireCommand.AddSession,
        WireCommand.UpdateMovement,
        WireCommand.UpdateScoringGroups,
        WireCommand.PutResults,
        WireCommand.PutPlayerData,
        WireCommand.PutParticipations,
        WireCommand.PutHandrecords,
        WireCommand.PutBridgemate2Settings,
        WireCommand.PutBridgemate3Settings,
        WireCommand.PutTdCalls,
    }
)
"""Commands whose data may be longer than `LONGEST_QUESTION`."""

_COMMANDS = {int(command): command for command in WireCommand}
_ERRORS = frozenset(int(error) for error in ErrorType)


class _Envelope(msgspec.Struct, gc=False):
    """A request in its usual shape; `SerializedData` is sliced out and not decoded yet."""

    Command: int
    SessionGuid: str | None = None
    ClubId: str | None = None
    LicenceKey: str | None = None
    SerializedData: msgspec.Raw = msgspec.Raw(b"null")


_ENVELOPE = msgspec.json.Decoder(_Envelope)
_TEXT = msgspec.json.Decoder(str)


class _Reply(msgspec.Struct, gc=False):
    """A response as it is encoded."""

    RequestCommand: int
    DataType: int
    LastQueueItemId: int
    ErrorType: int
    SessionGuid: str
    SerializedData: str


class Request(msgspec.Struct, frozen=True):
    """A request of a scoring program. `payload` is the inner JSON, parsed; `is_empty` if there was none.

    The payload of a Ping is not parsed, because it is sent back unchanged.
    """

    command: WireCommand
    session: str = ""
    payload: Any = None
    is_empty: bool = True
    club: str = ""
    licence: str = ""


class Response(msgspec.Struct, frozen=True):
    """The response to a request. `payload` is JSON text; empty means no data."""

    command: int
    data_type: DataType
    payload: str = ""
    error: ErrorType = ErrorType.Nothing
    session: str = ""
    last_item: int = 0

    @property
    def is_error(self) -> bool:
        """Return whether the request failed."""
        return self.data_type is DataType.Error

    def to_bytes(self, numbering: Numbering = Numbering.SHIPPED) -> bytes:
        """Return one line of JSON, without its end."""
        return msgspec.json.encode(
            _Reply(
                int(self.command),
                self.data_type.number(numbering),
                self.last_item,
                int(self.error),
                self.session,
                self.payload,
            )
        )


def refusal(command: int, error: ErrorType, sentence: str, session: str = "") -> Response:
    """Return an error response; its data is always a JSON string."""
    return Response(command, DataType.Error, json_text(sentence), error, session)


def json_text(value: Any) -> str:
    """Return a value, a DTO or a list of them as JSON text.

    >>> json_text("1NT by North")
    '"1NT by North"'
    """
    return msgspec.json.encode(value).decode()


def parse_json(text: str | bytes) -> Any:
    """Return the value of JSON text; raise ValueError if it is not valid JSON or is nested too deeply."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _text(envelope: dict[str, Any], name: str, number: int) -> str:
    value = envelope.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise MalformedRequest(ErrorType.Validation, f"{name} should be text.", number)
    return value


def parse_request(line: str | bytes) -> Request:
    """Return a parsed request; raise MalformedRequest with the sentence for its sender.

    >>> parse_request('{"Command": 27, "SerializedData": "12"}').payload
    12
    """
    try:
        envelope = _ENVELOPE.decode(line)
        serialized: Any = envelope.SerializedData
        if memoryview(serialized)[0] == _QUOTE:  # a JSON string: its text is the inner JSON
            serialized = _TEXT.decode(serialized)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _parse_unusual_request(line)
    command = _COMMANDS.get(envelope.Command)
    if command is None:
        return _parse_unusual_request(line)
    session = envelope.SessionGuid or ""
    payload = _payload(command, session, serialized)
    return Request(
        command, session, payload, payload is None, envelope.ClubId or "", envelope.LicenceKey or ""
    )


_QUOTE = ord('"')


def _payload(command: WireCommand, session: str, serialized: str | msgspec.Raw) -> Any:
    """Return the parsed data of an envelope; None where there is none."""
    if isinstance(serialized, str) and (not serialized or serialized.isspace()):
        return None
    text = serialized if isinstance(serialized, str) else bytes(serialized)
    try:
        if command not in COMMANDS_WITH_LONG_DATA and len(text) > LONGEST_QUESTION:
            raise ValueError(f"The data of {command.name} has at most {LONGEST_QUESTION} characters.")
        if command is WireCommand.Ping and isinstance(serialized, str):
            return serialized
        _count_items(text)
    except ValueError as error:
        raise MalformedRequest(ErrorType.Validation, str(error), command, session) from None
    try:
        return parse_json(text)
    except ValueError as error:
        raise MalformedRequest(
            ErrorType.Validation, f"SerializedData is not JSON: {error}.", command, session
        ) from None


def _count_items(text: str | bytes) -> None:
    """Raise ValueError for too many items or values, before anything is decoded.

    It counts braces and commas, also those inside of texts.
    """
    items, values = (
        (text.count("{"), text.count(",")) if isinstance(text, str) else (text.count(b"{"), text.count(b","))
    )
    if items > MOST_ITEMS:
        raise ValueError(f"A request has at most {MOST_ITEMS} items, and this has {items}.")
    if values > MOST_VALUES:
        raise ValueError(f"A request has at most {MOST_VALUES} values, and this has {values}.")


def _parse_unusual_request(line: str | bytes) -> Request:
    """Return a request that is not in its usual shape; raise MalformedRequest with what is wrong."""
    try:
        _count_items(line)
    except ValueError as error:
        raise MalformedRequest(ErrorType.Validation, str(error)) from None
    try:
        envelope = parse_json(line)
    except ValueError as error:
        raise MalformedRequest(
            ErrorType.Validation,
            f"The request is not JSON: {error}. The pipe takes one request per line, without line breaks in it.",
        ) from None
    if not isinstance(envelope, dict):
        raise MalformedRequest(ErrorType.Validation, "The request should be a JSON object with a Command.")
    value = envelope.get("Command")
    command: WireCommand | None = None
    number = 0
    if isinstance(value, str):
        command = COMMAND_NAMES.get(value.casefold())
    elif isinstance(value, int) and not isinstance(value, bool):
        number = value if 0 <= value < 2**31 else 0
        command = _COMMANDS.get(value)
    elif value is not None:
        raise MalformedRequest(ErrorType.Validation, "Command should be a number or a name.")
    if command is None:
        name = "without a Command" if value is None else f"{value}"[:LONGEST_NAME]
        raise MalformedRequest(ErrorType.NotImplemented, f"The request {name} is not served here.", number)
    session = _text(envelope, "SessionGuid", command)
    payload = envelope.get("SerializedData")
    if isinstance(payload, str):
        payload = _payload(command, session, payload)
    return Request(
        command=command,
        session=session,
        payload=payload,
        is_empty=payload is None,
        club=_text(envelope, "ClubId", command),
        licence=_text(envelope, "LicenceKey", command),
    )


def request_bytes(
    command: WireCommand, session: str = "", payload: str = "", club: str = "", licence: str = ""
) -> bytes:
    """Return a request as the vendor's clients write it: one line of JSON, without its end."""
    return msgspec.json.encode(
        {
            "Command": int(command),
            "ClubId": club,
            "LicenceKey": licence,
            "SessionGuid": session,
            "SerializedData": payload,
        }
    )


def parse_response(line: str | bytes, numbering: Numbering = Numbering.SHIPPED) -> Response:
    """Return a parsed response; raise ValueError if the line is not a response."""
    envelope = parse_json(line)
    if not isinstance(envelope, dict):
        raise ValueError("The response is not a JSON object.")
    numbers = {name: envelope.get(name) or 0 for name in ("RequestCommand", "DataType", "LastQueueItemId")}
    error = envelope.get("ErrorType") or 0
    if not all(isinstance(number, int) for number in numbers.values()) or error not in _ERRORS:
        raise ValueError("The response has no proper numbers.")
    payload = envelope.get("SerializedData")
    return Response(
        command=numbers["RequestCommand"],
        data_type=DataType.of(numbers["DataType"], numbering),
        payload=payload if isinstance(payload, str) else "" if payload is None else json_text(payload),
        error=ErrorType(error),
        session=envelope.get("SessionGuid") or "",
        last_item=numbers["LastQueueItemId"],
    )
