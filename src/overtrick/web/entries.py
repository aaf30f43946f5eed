"""Where the entries of players' devices arrive: read, held against their table, decided, and answered one by one."""

import asyncio
import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from overtrick.control import memory
from overtrick.errors import BadInput
from overtrick.event import Command, Reason, Session, session_stream
from overtrick.event.calls import CallDirector
from overtrick.event.hands import HandSource, PutHandRecords
from overtrick.event.recording import EnterContract
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin
from overtrick.event.seating import PutParticipations, Source
from overtrick.event.tables import LogOn
from overtrick.store import Appended
from overtrick.web.places import OwnPhone, TablePlace
from overtrick.web.site import Refused, Site

BATCH = 40
"""Entries that are taken at once."""
OLDEST = timedelta(days=1)
"""A device that says it has kept an entry for longer than this has a clock that cannot be right."""
LONGEST_DEVICE = 64
OF_INCARNATION = (EnterResult, CorrectResult, EraseResult, EnterContract)
"""Commands that say for which start of the session they are."""
_ID = re.compile(r"[A-Za-z0-9.-]{8,80}")


class NotOurs(BadInput):
    """An entry that this device cannot make."""

    code = "not-ours"


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
        identity = given.get("id") if isinstance(given, dict) else None
        if not isinstance(identity, str) or not _ID.fullmatch(identity):
            raise BadInput("An entry has no id; it was not taken.")
        try:
            incarnation, wanted = given.get("incarnation"), given.get("command")
            if not isinstance(wanted, dict):
                raise NotOurs("The entry says nothing; it was not taken.")
            command = self._timed(memory.read_command(wanted), ahead)
            at, started = await self._table(guid, place, command, incarnation, identity)
            stream = session_stream(guid, started)
            answer = await asyncio.to_thread(self._taken_before, stream, f"terminal-{at}-{identity}")
            if answer is None:
                answer = await self.site.do(command, f"terminal {at}", f"terminal-{stream}-{at}-{identity}")
        except Refused as refused:
            rejection = refused.rejection
            return {"id": identity, "reason": rejection.reason.value, "sentence": str(rejection)}
        except Stale as error:
            return {"id": identity, "reason": Reason.STALE.value, "sentence": str(error)}
        except BadInput as error:
            return {"id": identity, "reason": Reason.NOT_ALLOWED.value, "sentence": str(error)}
        spans = [span.last for span in answer.spans if span.stream.startswith("session/")]
        version = max(spans) if spans else await self.site.live.look(guid, lambda sight: sight.version)
        return {"id": identity, "version": version}

    def _taken_before(self, stream: str, command_id: str) -> Appended | None:
        """Return where an entry is that was taken when ids did not name the session, if it is in this stream.

        A phone that got no answer then may send it again now.
        """
        found = self.site.live.journal.find(command_id)
        return found if found and any(span.stream == stream for span in found.spans) else None

    async def _table(
        self, guid: str, place: TablePlace | OwnPhone, command: Command, incarnation: object, identity: str
    ) -> tuple[TablePlace, int]:
        """Return the table of an entry that this device can make, and the incarnation of the session it is for.

        A device makes entries of its own table alone.
        """
        at = _table_of(command, place)
        if command.session != guid or (isinstance(place, TablePlace) and at != place):
            raise NotOurs(f"That is not for {place.title}; it was not taken.")
        if not _is_fair(command, identity):
            raise NotOurs("A terminal cannot do that; it was not taken.")
        if isinstance(command, OF_INCARNATION) and isinstance(place, TablePlace):
            # The event holds these against its incarnation itself, so nobody has to look.
            if command.incarnation != incarnation or incarnation is None:
                raise Stale("The session has been started anew since; it was not taken.")
            return at, incarnation
        return at, await self.site.live.look(
            guid, lambda sight: _check(sight.view.session, place, at, command, incarnation)
        )

    def _timed(self, command: Command, ahead: timedelta) -> Command:
        """The command at the time it was made by our own clock: a device's may be wrong, its intervals are not."""
        now = self.site.now()

        def right(at: datetime) -> datetime:
            if at.tzinfo is None:
                raise NotOurs("The entry's time has no time zone; it was not taken.")
            try:
                ours = at - ahead
            except OverflowError as error:
                raise NotOurs("The entry's time is in no calendar; it was not taken.") from error
            return min(max(ours, now - OLDEST), now)

        if isinstance(command, EnterResult | CorrectResult):
            return replace(command, entry=replace(command.entry, at=right(command.entry.at)))
        at = getattr(command, "at", None)
        return command if at is None else replace(command, at=right(at))  # type: ignore[type-var]


class Stale(BadInput):
    """An entry for an earlier start of the session."""

    code = "stale-entry"


def _table_of(command: Command, place: TablePlace | OwnPhone) -> TablePlace:
    """The table that an entry is about; a hand record is of the device's own."""
    match command:
        case EnterResult() | CorrectResult():
            return TablePlace(command.entry.section, command.entry.table)
        case PutParticipations():
            tables = {TablePlace(each.section, each.table) for each in command.participations}
            if len(tables) != 1:
                raise NotOurs("An entry is for one table; it was not taken.")
            return tables.pop()
        case PutHandRecords():
            return place if isinstance(place, TablePlace) else TablePlace(place.section, 0)
    return TablePlace(command.section, command.table)  # type: ignore[attr-defined]


def _is_fair(command: Command, identity: str) -> bool:
    """Whether an entry is one that the machine of a terminal makes."""
    match command:
        case EnterResult() | CorrectResult():
            entry = command.entry
            return command.origin is Origin.TERMINAL and (entry.side, entry.ns, entry.ew) == (
                None,
                None,
                None,
            )
        case EraseResult():
            return command.origin is Origin.TERMINAL
        case PutParticipations():
            is_removal = any(each.is_removal for each in command.participations)
            return command.source is Source.TERMINAL and not is_removal
        case PutHandRecords():
            is_alone = len(command.records) == 1 and command.records[0].tricks is None
            return command.source is HandSource.TERMINAL and is_alone
        case CallDirector():
            return command.call == identity
        case LogOn():
            return 0 < len(command.terminal) <= LONGEST_DEVICE
    return True


def _check(
    session: Session, place: TablePlace | OwnPhone, at: TablePlace, command: Command, incarnation: object
) -> int:
    """Check what only the session can tell: its incarnation, which is returned, whose table it is, the known deals."""
    if not isinstance(command, LogOn) and incarnation != session.opened.incarnation:
        raise Stale("The session has been started anew since; it was not taken.")
    if isinstance(command, PutHandRecords):
        (record,) = command.records
        is_played = any(
            session.setup.sections[section].group == record.group
            and place.has_table(session, TablePlace(section, table))
            and any(record.board in here.boards for here in planned.rounds)
            for (section, table), planned in session.movement.tables.items()
        )
        if not is_played or (record.group, record.board) in session.hands.records:
            raise NotOurs("That board is not played there, or has a hand record already; it was not taken.")
    elif not place.has_table(session, at):
        raise NotOurs(f"That is not for {place.title}; it was not taken.")
    return session.opened.incarnation
