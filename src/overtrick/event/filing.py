"""The filing of a session: in the director's list, in the archive, or in the bin.

Nothing is erased: a session in the bin keeps all its facts, and can be restored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.rejection import Reason, Rejection, reject
from overtrick.event.setup import Status

if TYPE_CHECKING:
    from overtrick.event.session import Session


class Filing(Enum):
    """The place where a session is kept."""

    LISTED = "listed"
    ARCHIVED = "archived"
    """Out of the director's list; its results stay public."""
    BINNED = "in the bin"
    """Nobody sees it, and it accepts no command, until it is restored."""


class Stage(Enum):
    """The stage in the life of a session, as lists show it."""

    PLANNED = "planned"
    RUNNING = "running"
    FINISHED = "finished"
    ARCHIVED = "archived"
    BINNED = "in the bin"

    @classmethod
    def of(cls, status: Status, filing: Filing) -> Stage:
        """Return the stage of a session. An archived session that is opened again is running.

        >>> Stage.of(Status.FINISHED, Filing.ARCHIVED), Stage.of(Status.STARTED, Filing.ARCHIVED)
        (<Stage.ARCHIVED: 'archived'>, <Stage.RUNNING: 'running'>)
        """
        if filing is Filing.BINNED:
            return cls.BINNED
        if status is Status.FINISHED:
            return cls.ARCHIVED if filing is Filing.ARCHIVED else cls.FINISHED
        return cls.PLANNED if status is Status.NOT_STARTED else cls.RUNNING


NOT_BINNED = frozenset(Stage) - {Stage.BINNED}
"""The stages of sessions that are not in the bin."""
PLAYED = NOT_BINNED - {Stage.PLANNED}
"""The stages of sessions whose results are public."""
CURRENT = NOT_BINNED - {Stage.ARCHIVED}
"""The stages of sessions in the director's list."""


@fact("session-filed")
class SessionFiled(Fact):
    """The session was archived, moved to the bin, or put back in the list."""

    filing: Filing


@dataclass(frozen=True, slots=True)
class FileSession(Command):
    """Archive a session, move it to the bin, or put it back in the list."""

    session: str
    filing: Filing
    is_from_program: bool = False
    """True if a scoring program opened the session."""


@dataclass(slots=True)
class SessionFiling:
    """The place where the session is kept."""

    place: Filing = Filing.LISTED

    @property
    def is_binned(self) -> bool:
        """Return whether the session is in the bin."""
        return self.place is Filing.BINNED

    def copy(self) -> SessionFiling:
        """Return a copy that can be changed independently."""
        return replace(self)


def apply(filing: SessionFiling, fact: Fact) -> None:
    """Apply one fact to the filing, in place."""
    if isinstance(fact, SessionFiled):
        filing.place = fact.filing


def file_session(session: Session, command: FileSession) -> tuple[Fact, ...] | Rejection:
    """Decide where a session is kept.

    A session that has not ended cannot be archived, nor moved to the bin if it comes from a scoring program.
    """
    if command.filing is session.filing.place:
        return ()
    is_over = session.setup.status is Status.FINISHED
    if command.filing is Filing.ARCHIVED and not is_over:
        return reject(Reason.NOT_ALLOWED, "Only a session that has ended can be archived. End it first.")
    if command.filing is Filing.BINNED and command.is_from_program and not is_over:
        return reject(
            Reason.NOT_ALLOWED,
            "A scoring program runs this session. End it there and here; then you can move it to the bin.",
        )
    return (SessionFiled(command.filing),)
