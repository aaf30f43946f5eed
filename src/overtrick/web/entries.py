"""Entries of players' devices that arrive over HTTP: checked, submitted and answered one by one."""

import asyncio
import logging
from datetime import datetime, timedelta
from typing import Any

from overtrick.control.device_location import OwnPhone, TablePlace
from overtrick.control.entries import DeviceEntry, allow_entry, parse_entry
from overtrick.errors import BadInput
from overtrick.event import Command, JournalState, Rejection
from overtrick.event.held_entries import HoldEntry
from overtrick.event.state import IN_BIN
from overtrick.store import Appended
from overtrick.store.errors import JournalUnavailable
from overtrick.web.session_projection import NotFound, SessionInBin
from overtrick.web.site import Site

ANSWER_TIMEOUT = 4.5
"""Seconds after which a device is told to send its entries again; an entry sent twice is saved once."""
BATCH = 40
"""The maximum number of entries in one request."""


log = logging.getLogger(__name__)


class EntryService:
    """The service that checks and saves the entries of players' devices."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def save(
        self, guid: str, place: TablePlace | OwnPhone, device_time: str, entries: list[Any]
    ) -> list[dict[str, Any]]:
        """Save entries in order; return an answer for each: its id, and its version or the reason for a refusal.

        `device_time` is the ISO time of the device's clock, with a time zone. Raise BadInput if it is not, and
        JournalUnavailable if the journal does not answer in time; some entries may then be saved.
        """
        try:
            device_clock = datetime.fromisoformat(device_time)
            if device_clock.tzinfo is None:
                raise ValueError("no time zone")
        except ValueError as error:
            raise BadInput("The entries do not say when they were sent. None was saved.") from error
        ahead = device_clock - self.site.now()
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT):
                return await self._save_all(guid, place, entries, ahead)
        except (TimeoutError, JournalUnavailable) as error:
            log.warning(
                "entries of %s are to be sent again: %s", place, error or "the journal does not answer"
            )
            raise JournalUnavailable(
                "The server cannot save entries now. They are kept on this device and will be sent again."
            ) from None

    async def _save_all(
        self, guid: str, place: TablePlace | OwnPhone, entries: list[Any], ahead: timedelta
    ) -> list[dict[str, Any]]:
        return [await self._save_one(guid, place, content, ahead) for content in entries]

    async def _save_one(
        self, guid: str, place: TablePlace | OwnPhone, content: Any, ahead: timedelta
    ) -> dict[str, Any]:
        now = self.site.now()

        def parse(journal_state: JournalState) -> tuple[DeviceEntry | None, Command | Rejection]:
            session = journal_state.session(guid)
            if session is None:
                raise NotFound(f"There is no session {guid[:40]}.")
            if session.filing.is_binned:
                # The device keeps its entries, and sends them if the session is restored.
                raise SessionInBin(IN_BIN)
            entry = parse_entry(content, session, place, ahead=ahead, now=now)
            if isinstance(entry, Rejection):
                return None, entry
            return entry, allow_entry(entry, session, place, keys=self.site.keys, now=now)

        # Do not read from the page projection: an entry would wait until the render thread is free.
        entry, command = await self.site.read(parse)
        answer = await self._submit_or_find(entry, command)
        if isinstance(answer, Rejection):
            return {"id": content["id"], "reason": answer.reason.value, "sentence": str(answer)}
        spans = [span.last for span in answer.spans if span.stream.startswith("session/")]
        version = (
            max(spans) if spans else await self.site.live.read(guid, lambda projection: projection.version)
        )
        hold_mark = {"is_held": True} if isinstance(command, HoldEntry) else {}
        return {"id": content["id"], "version": version, **hold_mark}

    async def _submit_or_find(
        self, entry: DeviceEntry | None, command: Command | Rejection
    ) -> Appended | Rejection:
        """Submit an entry, or return its place in the journal if it was saved before, or its rejection."""
        is_refused = isinstance(command, Rejection)
        if entry is not None:
            saved = await asyncio.to_thread(entry.find, self.site.live.journal, is_refused=is_refused)
            if saved is not None:
                return saved
        if entry is None or isinstance(command, Rejection):
            assert isinstance(command, Rejection)
            return command
        return await self.site.submit(command, entry.actor, entry.command_id)
