"""A page that many follow: as it is, and the last changes that made it so. Knows no journal and no thread."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from overtrick.digits import parse_digits
from overtrick.web.sse_messages import Piece, Regions, whole

log = logging.getLogger(__name__)

PAUSE = 0.1
"""Seconds between two makings of a page that changes all the time: each shows all that has come."""
SHARE = 4
"""A page that takes long to make is left alone for so many times as long, so that others have their turn."""
EACH = 0.00005
"""Seconds of work that writing a change to one follower takes."""
HEAVY = 0.04
"""Seconds of work from which on a page is made apart from the others."""
REMEMBERED = 32
"""Changes of a page that are kept for who comes back, where they are shorter than the page."""


@dataclass(frozen=True, slots=True)
class Look:
    """A page as it was made of a session or a team event at a version."""

    name: str
    """What it is a page of."""
    incarnation: int
    """Which of several with the same guid; 0 where there is only ever one."""
    version: int
    regions: Regions
    cost: float
    """Seconds of work that it took."""

    @property
    def mark(self) -> str:
        """What who has it says of it, for its stream to go on from it."""
        return f"{self.incarnation}.{self.version}" if self.incarnation else str(self.version)


@dataclass(frozen=True, slots=True)
class _State:
    """A page as it stood for some versions, and what made it the next."""

    incarnation: int
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
    before: deque[_State] = field(default_factory=deque)
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
    """When it was last known to be as what it shows."""
    problem: Exception | None = None
    _whole: Piece | None = None
    _length: int = 0
    """How long all of it was when it was last written; that takes long, and nobody has it done to compare."""

    @property
    def work_for_one(self) -> float:
        """Seconds of work for each who follows: what serves most with least is made first."""
        return self.look.cost / max(1, self.followers)

    @property
    def whole(self) -> Piece:
        """All of it."""
        if self._whole is None:
            self._whole = whole(self.look.mark, self.look.regions)
            self._length = len(self._whole.plain)
        return self._whole

    def take(self, look: Look, news: Piece | None) -> None:
        """It was made again, and news is what has changed on it; everyone who follows hears."""
        if (look.incarnation, look.version) < (self.look.incarnation, self.look.version):
            return
        if news is not None:
            self.before.append(_State(self.look.incarnation, self.since, self.look.version, news))
            while len(self.before) > REMEMBERED or (len(self.before) > 1 and self._is_longer()):
                self.before.popleft()
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

        def is_in(own: int, since: int, upto: int) -> bool:
            return since <= at <= upto and incarnation in (0, own)

        if is_in(self.look.incarnation, self.since, self.look.version):
            return self.number
        for back, state in enumerate(reversed(self.before), start=1):
            if is_in(state.incarnation, state.since, state.upto):
                return self.number - back
        return -1

    def goes_on_from(self, mark: str) -> bool:
        """Whether someone who has the page of this mark can go on with this: it is made again, and is no older."""
        incarnation, at = _read_mark(mark)
        own = self.look.incarnation
        return self.problem is None and (incarnation or own, at) <= (own, self.look.version)

    def news_after(self, number: int) -> list[Piece]:
        """What makes the page that someone has the newest: the changes since, or all of it where that is less."""
        behind = self.number - number
        if number < 0 or behind > len(self.before):
            return [self.whole]
        return [state.news for state in list(self.before)[-behind:]]

    def _is_longer(self) -> bool:
        """Whether the changes that are kept are longer than all of it, which is then sent instead."""
        return sum(len(state.news.plain) for state in self.before) > (self._length or len(self.whole.plain))


def _read_mark(mark: str) -> tuple[int, int]:
    """The incarnation and the version of a mark: 0 where the incarnation is left out, and -1 is no version.

    >>> _read_mark("2.17"), _read_mark("17"), _read_mark("x.17"), _read_mark("")
    ((2, 17), (0, 17), (0, -1), (0, -1))
    """
    before, _, after = mark.rpartition(".")
    incarnation, version = parse_digits(before or "0", 12), parse_digits(after, 12)
    return (0, -1) if incarnation is None or version is None else (incarnation, version)
