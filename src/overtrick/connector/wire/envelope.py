"""Requests and responses, and the two layers of JSON in them: `SerializedData` of an envelope is JSON again.

Shipped clients put a string there, the guide's examples the object itself; a string is written, both are read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from overtrick.connector.wire.model import Unreadable, Wire, readable
from overtrick.connector.wire.numbers import COMMAND_NAMES, Command, DataType, ErrorType, Numbering
from overtrick.connector.wire.play import AnyResult, ResultDTO, ResultLine

DTO = TypeVar("DTO", bound=Wire)

_COMMANDS = frozenset(int(command) for command in Command)
_ERRORS = frozenset(int(error) for error in ErrorType)


class Malformed(ValueError):
    """A request that cannot be understood, with the error type its sender is answered."""

    def __init__(self, error: ErrorType, sentence: str, number: int = 0, session: str = "") -> None:
        super().__init__(sentence)
        self.error = error
        self.sentence = sentence
        self.number = number
        self.session = session


@dataclass(frozen=True, slots=True)
class Request:
    """What a scoring program asks. `payload` is the inner JSON, parsed; `is_empty` when there was none.

    A Ping's is left as it came, since it goes back as it came.
    """

    command: Command
    session: str = ""
    payload: Any = None
    is_empty: bool = True
    club: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Response:
    """What a scoring program is answered. `payload` is JSON text already; empty is no data."""

    command: int
    data_type: DataType
    payload: str = ""
    error: ErrorType = ErrorType.Nothing
    session: str = ""
    last_item: int = 0

    @property
    def is_error(self) -> bool:
        """Whether the request was not done."""
        return self.data_type is DataType.Error

    def to_bytes(self, numbering: Numbering = Numbering.SHIPPED) -> bytes:
        """One line of JSON, without its end."""
        return msgspec.json.encode(
            {
                "RequestCommand": int(self.command),
                "DataType": self.data_type.number(numbering),
                "LastQueueItemId": self.last_item,
                "ErrorType": int(self.error),
                "SessionGuid": self.session,
                "SerializedData": self.payload,
            }
        )


def refusal(command: int, error: ErrorType, sentence: str, session: str = "") -> Response:
    """An error response: its data is always a JSON string."""
    return Response(command, DataType.Error, json_text(sentence), error, session)


def json_text(value: Any) -> str:
    """A value, a DTO or a list of them as JSON text.

    >>> json_text("1NT by North")
    '"1NT by North"'
    """
    if isinstance(value, Wire):
        return value.model_dump_json()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ",".join(json_text(item) for item in value) + "]"
    return to_json(value).decode()


def parse_json(text: str | bytes) -> Any:
    """The value of JSON text; ValueError for what is not JSON, too deep, or not a number."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _text(envelope: dict[str, Any], name: str, number: int) -> str:
    value = envelope.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Malformed(ErrorType.Validation, f"{name} should be text.", number)
    return value


def parse_request(line: str | bytes) -> Request:
    """Read a request, or raise Malformed with what its sender should hear.

    >>> parse_request('{"Command": 27, "SerializedData": "12"}').payload
    12
    """
    try:
        envelope = parse_json(line)
    except ValueError as error:
        raise Malformed(ErrorType.Validation, f"The request is not JSON: {error}.") from None
    if not isinstance(envelope, dict):
        raise Malformed(ErrorType.Validation, "The request should be a JSON object with a Command.")
    given = envelope.get("Command")
    command: Command | None = None
    number = 0
    if isinstance(given, str):
        command = COMMAND_NAMES.get(given.casefold())
    elif isinstance(given, int) and not isinstance(given, bool):
        number = given if 0 <= given < 2**31 else 0
        command = Command(given) if given in _COMMANDS else None
    elif given is not None:
        raise Malformed(ErrorType.Validation, "Command should be a number or a name.")
    if command is None:
        wanted = "without a Command" if given is None else f"{given}"
        raise Malformed(ErrorType.NotImplemented, f"The request {wanted} is not served here.", number)
    session = _text(envelope, "SessionGuid", command)
    payload = envelope.get("SerializedData")
    is_empty = payload is None or (isinstance(payload, str) and not payload.strip())
    if is_empty:
        payload = None
    elif isinstance(payload, str) and command is not Command.Ping:
        try:
            payload = parse_json(payload)
        except ValueError as error:
            raise Malformed(
                ErrorType.Validation, f"SerializedData is not JSON: {error}.", command, session
            ) from None
        is_empty = payload is None
    return Request(
        command=command,
        session=session,
        payload=payload,
        is_empty=is_empty,
        club=_text(envelope, "ClubId", command),
        licence=_text(envelope, "LicenceKey", command),
    )


def request_bytes(
    command: Command, session: str = "", payload: str = "", club: str = "", licence: str = ""
) -> bytes:
    """A request as the vendor's clients write it: one line of JSON, without its end."""
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
    """Read a response; ValueError when it is none."""
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


_MANY: dict[type[Wire], TypeAdapter[Any]] = {}


def read_one(kind: type[DTO], payload: Any) -> DTO:
    """One DTO from parsed JSON; Unreadable tells each property of a wrong type, Malformed a wrong shape."""
    if not isinstance(payload, dict):
        raise Malformed(ErrorType.WrongDataType, f"The data should be one {kind.__name__}.")
    try:
        return kind.model_validate(payload)
    except ValidationError as error:
        raise readable(error) from None


def read_many(kind: type[DTO], payload: Any) -> list[DTO]:
    """An array of DTOs from parsed JSON."""
    if not isinstance(payload, list):
        raise Malformed(ErrorType.WrongDataType, f"The data should be an array of {kind.__name__}.")
    adapter = _MANY.get(kind)
    if adapter is None:
        adapter = _MANY[kind] = TypeAdapter(list[kind])  # type: ignore[valid-type]
    try:
        found: list[DTO] = adapter.validate_python(payload)
    except ValidationError as error:
        raise readable(error) from None
    return found


def read_results(payload: Any) -> Sequence[AnyResult]:
    """An array of results from parsed JSON: all at once where nothing is odd, else as other DTOs are."""
    try:
        return msgspec.convert(payload, list[ResultLine])
    except msgspec.ValidationError:
        return read_many(ResultDTO, payload)


__all__ = [
    "Malformed",
    "Request",
    "Response",
    "Unreadable",
    "json_text",
    "parse_json",
    "parse_request",
    "parse_response",
    "read_many",
    "read_one",
    "read_results",
    "refusal",
    "request_bytes",
]
