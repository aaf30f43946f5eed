"""Entries of players' devices as they come over HTTP: checked, decided, and answered one by one."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

from overtrick.control.entries import DeviceEntry, allow_entry, parse_entry
from overtrick.control.places import OwnPhone, TablePlace
from overtrick.errors import BadInput
from overtrick.event import House, Rejection
from overtrick.store import Appended
from overtrick.web.live import UnknownSession
from overtrick.web.site import Site

BATCH = 40
"""Entries that are taken at once."""


class Entries:
    """Takes entries in."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def take(
        self, guid: str, place: TablePlace | OwnPhone, sent: str, entries: list[Any]
    ) -> list[dict[str, Any]]:
        """Take entries in order; for each an answer with its id: the version that has it, or why not."""
        try:
            by_its_clock = datetime.fromisoformat(sent)
            if by_its_clock.tzinfo is None:
                raise ValueError("no time zone")
        except ValueError as error:
            raise BadInput("The entries do not say when they were sent; none was taken.") from error
        ahead = by_its_clock - self.site.now()
        return [await self._take_one(guid, place, given, ahead) for given in entries]

    async def _take_one(
        self, guid: str, place: TablePlace | OwnPhone, given: Any, ahead: timedelta
    ) -> dict[str, Any]:
        now = self.site.now()

        def parse(house: House) -> tuple[DeviceEntry | None, Rejection | None]:
            session = house.session(guid)
            if session is None:
                raise UnknownSession(f"There is no session {guid[:40]}.")
            entry = parse_entry(given, session, place, ahead=ahead, now=now)
            if isinstance(entry, Rejection):
                return None, entry
            return entry, allow_entry(entry, session, place)

        # Not with what pages are made of: an entry would wait until those that others look at are made.
        entry, refusal = await self.site.read(parse)
        answer = refusal if entry is None else await self._do(entry, refusal)
        assert answer is not None
        if isinstance(answer, Rejection):
            return {"id": given["id"], "reason": answer.reason.value, "sentence": str(answer)}
        spans = [span.last for span in answer.spans if span.stream.startswith("session/")]
        version = max(spans) if spans else await self.site.live.look(guid, lambda sight: sight.version)
        return {"id": given["id"], "version": version}

    async def _do(self, entry: DeviceEntry, refusal: Rejection | None) -> Appended | Rejection:
        """Carry an entry out, unless it was taken before or is refused."""
        before = await asyncio.to_thread(entry.find, self.site.live.journal, is_refused=refusal is not None)
        if before is not None:
            return before
        return refusal or await self.site.submit(entry.command, entry.actor, entry.command_id)
