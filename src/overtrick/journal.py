"""Journals for programs: `open_runtime` reads and writes one, `follow` yields facts as they are appended."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from os import PathLike
from typing import TypeVar, overload

from overtrick import store
from overtrick.errors import BadInput
from overtrick.event.fact import Fact
from overtrick.host.lookup import choose_session, open_named_journal
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.store import JournalEntry
from overtrick.store.projection import newest_stream
from overtrick.store.sessions import SessionList

__all__ = ["JournalEntry", "Runtime", "follow", "follow_entries", "open_runtime"]

F = TypeVar("F", bound=Fact)


@overload
def follow(
    where: str | PathLike[str], kind: type[F], *, session: str | None = None, after: int = 0
) -> AsyncGenerator[F, None]: ...
@overload
def follow(
    where: str | PathLike[str], kind: None = None, *, session: str | None = None, after: int = 0
) -> AsyncGenerator[Fact, None]: ...
async def follow(
    where: str | PathLike[str], kind: type[Fact] | None = None, *, session: str | None = None, after: int = 0
) -> AsyncGenerator[Fact, None]:
    """Yield the facts of a session, of one kind or of all, and then each new one as it is appended, without end.

    The arguments are those of `follow_entries`. `aclosing` closes the journal as soon as a loop ends early.
    """
    async with aclosing(follow_entries(where, kind, session=session, after=after)) as entries:
        async for entry in entries:
            yield entry.fact


async def follow_entries(
    where: str | PathLike[str], kind: type[Fact] | None = None, *, session: str | None = None, after: int = 0
) -> AsyncGenerator[JournalEntry, None]:
    """Yield the entries of a session's facts above version `after`, and then each new one, without end.

    Without `kind` the facts of all kinds are yielded. An entry has `.fact`, `.version`, `.at` and `.actor`.
    `where` is the file of a journal, its folder, or the address of a PostgreSQL database; `session` is a guid or a
    name, and may be left out if there is one session. At most a thousand facts are held in memory. After a new start of
    the session, its facts are yielded from the first. Raise BadInput if there is no such session.
    """
    journal = await asyncio.to_thread(open_named_journal, str(where))
    try:
        names = {line.session: line.name for line in await asyncio.to_thread(SessionList(journal).lines)}
        guid = choose_session(names, session, journal.name)

        def stream() -> str:
            heads = newest_stream(journal.heads([f"session/{guid}/"]))
            if not heads:
                raise BadInput("The session is no longer in the journal.", where=journal.name)
            return next(iter(heads))

        async with aclosing(store.follow(journal, stream, after)) as entries:
            async for entry in entries:
                if kind is None or isinstance(entry.fact, kind):
                    yield entry
    finally:
        journal.close()
