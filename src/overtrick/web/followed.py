"""A page that many follow: as it is, and the last changes that made it so. Knows no journal and no thread."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from overtrick.web.pieces import Piece, Regions, whole

log = logging.getLogger(__name__)

PAUSE = 0.1
"""Seconds between two makings of a page that changes all the time: each shows all that has come."""
SHARE = 4
"""A page that takes long to make is left alone for so many times as long, so that others have their turn."""
EACH = 0.00005
"""Seconds of work that writing a change to one follower takes."""
HEAVY = 0.04
"""Seconds of work from which on a page is made apart from the others."""
REMEMBERED = 8
"""Changes of a page that are kept for who comes back."""


@dataclass(frozen=True, slots=True)
class Look:
    """A page as it was made of a session at a version."""

    name: str
    """The session's."""
    stream: str
    version: int
    regions: Regions
    cost: float
    """Seconds of work that it took."""

    @property
    def mark(self) -> str:
        """What who has it says of it."""
        return f"{self.stream.rpartition('/')[2]}.{self.version}"


@dataclass(frozen=True, slots=True)
class _State:
    """A page as it stood for some versions, and what made it the next."""

    stream: str
    since: int
    upto: int
    news: Piece


@dataclass(slots=True, eq=False)
class FollowedPage:
    """A page that somebody follows: as it is, and the last changes that made it so."""

    render: Callable[[Any], Regions]
    look: Look
    since: int
    """The version from which on it has been as it is."""
    number: int = 0
    """How often it has changed."""
    before: deque[_State] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    followers: int = 0
    pause: float | None = None
    """Seconds between two makings, where it has its own."""
    is_heavy: bool = False
    """Whether it takes so long that others would wait for it."""
    due: float = 0.0
    """When it may be made again."""
    spoke: float = 0.0
    """When its followers last heard something."""
    looked: float = 0.0
    """When it was last known to be as the session is."""
    problem: Exception | None = None
    _whole: Piece | None = None

    @property
    def work_for_one(self) -> float:
        """Seconds of work for each who follows: what serves most with least is made first."""
        return self.look.cost / max(1, self.followers)

    @property
    def whole(self) -> Piece:
        """All of it."""
        if self._whole is None:
            self._whole = whole(self.look.mark, self.look.regions)
        return self._whole

    def take(self, look: Look, news: Piece | None) -> None:
        """It was made again, and news is what has changed on it; everyone who follows hears."""
        if look.stream == self.look.stream and look.version < self.look.version:
            return
        if news is not None:
            self.before.append(_State(self.look.stream, self.since, self.look.version, news))
            self.since = look.version
            self.number += 1
            self._whole = None
        # The first making, or one after much has changed, may take long for once, and nobody waits longer for the next.
        usual = min(self.look.cost, look.cost)
        self.is_heavy = usual > (HEAVY / 4 if self.is_heavy else HEAVY)
        self.look = look
        self.looked = time.monotonic()
        self.due = self.looked + max(self.pause or PAUSE, SHARE * (usual + EACH * self.followers))
        if news is not None:
            self.speak()

    def fail(self, problem: Exception) -> None:
        """It cannot be made any more; who follows it is let go, and hears why when they ask again."""
        log.info("A page that was followed is no more: %s", problem)
        self.problem = problem
        self.speak()

    def speak(self) -> None:
        """Wake everyone who follows."""
        self.spoke = time.monotonic()
        self.changed.set()
        self.changed = asyncio.Event()

    def number_of(self, mark: str) -> int:
        """Which change someone has seen last who has the page of this mark; -1 for one that is not known any more."""
        incarnation, at = _read_mark(mark)

        def is_in(stream: str, since: int, upto: int) -> bool:
            return since <= at <= upto and incarnation in ("", stream.rpartition("/")[2])

        if is_in(self.look.stream, self.since, self.look.version):
            return self.number
        for back, state in enumerate(reversed(self.before), start=1):
            if is_in(state.stream, state.since, state.upto):
                return self.number - back
        return -1

    def is_older(self, mark: str) -> bool:
        """Whether someone who has the page of this mark has a newer one than this."""
        incarnation, at = _read_mark(mark)
        own = self.look.stream.rpartition("/")[2]
        return at > self.look.version and incarnation in ("", own)

    def news_after(self, number: int) -> list[Piece]:
        """What makes the page that someone has the newest: the changes since, or all of it where that is less."""
        behind = self.number - number
        if number < 0 or behind > len(self.before):
            return [self.whole]
        pieces = [state.news for state in list(self.before)[-behind:]]
        if behind > 1 and sum(len(piece.plain) for piece in pieces) > len(self.whole.plain):
            return [self.whole]
        return pieces


def _read_mark(mark: str) -> tuple[str, int]:
    """The incarnation and the version of a mark; an incarnation may be left out, and -1 is no version."""
    incarnation, _, version = mark.rpartition(".")
    is_number = version.isascii() and version.isdigit() and len(version) <= 12
    return incarnation, int(version) if is_number else -1
