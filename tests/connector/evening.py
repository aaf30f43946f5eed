"""An evening without a network: the dispatcher on a real journal, driven by hand, and a control side that plays."""

import itertools
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from overtrick.bridge import Outcome
from overtrick.connector.dispatch import Dispatcher
from overtrick.connector.projection import ConnectorProjection, command_id
from overtrick.connector.queue import CONTROL, SCORING
from overtrick.connector.request_context import Caller, ChangeRequest, HostServices, WriteOutcome
from overtrick.connector.wire.envelope import Response, json_text, request_bytes
from overtrick.connector.wire.numbers import WireCommand
from overtrick.event import Command as EventCommand
from overtrick.event import Rejection
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.host.runtime import runtime_writer
from overtrick.host.writer import Submission
from overtrick.store import Appended, Journal, open_journal
from overtrick.store.codec import event_codec
from tests.connector import samples

NOW = datetime(2024, 6, 3, 20, 0, tzinfo=UTC)


class Evening:
    """A journal, a writer, and the dispatcher on them."""

    def __init__(self, folder: Path, **host: Any) -> None:
        self.folder = folder
        self._host = host
        self._ids = itertools.count(1)
        self.open()

    def open(self) -> None:
        self.journal: Journal = open_journal(self.folder / "evening.journal", event_codec())
        self.writer = runtime_writer(self.journal)
        self.projection = ConnectorProjection(self.journal, UTC)
        host = HostServices(
            now=lambda: NOW,
            new_id=self.new_id,
            write=lambda change: self.submit(change),
            scoring_file=lambda: str(self.folder / "evening.journal"),
            **self._host,
        )
        self.dispatcher = Dispatcher(self.projection, host)

    def restart(self) -> None:
        """Forget everything that is not in the journal."""
        self.journal.close()
        self.open()

    def new_id(self) -> str:
        return f"id{next(self._ids)}x{id(self.journal)}"

    def write(self, command: EventCommand, side: str, actor: str, digest: str = "0") -> Appended | Rejection:
        return self.writer.write(Submission(command, command_id(digest, self.new_id()), side, actor))

    def submit(self, change: ChangeRequest) -> WriteOutcome:
        """Write a change of the dispatcher; a test may put something else in its place."""
        return self.write(change.command, SCORING, change.actor, change.digest)

    def send(self, line: bytes, *, over_http: bool = False) -> Response:
        """A request as bytes, and its answer."""
        return self.dispatcher.answer(line, Caller(is_local=not over_http))

    def ask(
        self,
        command: WireCommand,
        data: Any = None,
        *,
        session: str = samples.GUID,
        club: str = "",
        licence: str = "",
        over_http: bool = False,
    ) -> Response:
        """A request as a client makes it, and its answer."""
        text = "" if data is None else json.dumps(data)
        return self.send(request_bytes(command, session, text, club, licence), over_http=over_http)

    def begin(self, **changes: Any) -> Response:
        """Open the guide's minimal event, with eight players."""
        made = samples.init(Bridgemate2Settings=None, Bridgemate3Settings=None) | changes
        response = self.ask(WireCommand.InitializeEvent, made, session="")
        assert not response.is_error, response.payload
        return response

    def control(self, command: EventCommand) -> Appended:
        """The control side does something, and must succeed."""
        done = self.write(command, CONTROL, "terminal A1")
        assert isinstance(done, Appended), str(done)
        return done

    def play(self, board: int, outcome: str, *, table: int = 1, number: int = 1) -> Appended:
        """A table enters a result."""
        entry = ResultEntry("A", table, number, board, Outcome.parse(outcome), NOW)
        return self.control(EnterResult(samples.GUID, entry))

    def poll(
        self, command: WireCommand = WireCommand.PollQueueForNewResults, **more: Any
    ) -> list[dict[str, Any]]:
        """The items that a poll answers."""
        response = self.ask(command, **more)
        assert not response.is_error, response.payload
        items: list[dict[str, Any]] = json.loads(response.payload)
        return items


def told(response: Response) -> str:
    """The sentence of a refusal."""
    assert response.is_error
    sentence: str = json.loads(response.payload)
    assert sentence.endswith(".")
    return sentence


Ask = Callable[..., Response]

__all__ = ["NOW", "Evening", "json_text", "told"]
