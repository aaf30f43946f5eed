"""A page with many followers: its current content and its last changes. Has no dependency on the journal or threads."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from overtrick.digits import parse_digits
from overtrick.web.sse_messages import Regions, StreamMessage, whole

log = logging.getLogger(__name__)

PAUSE = 0.1
"""Minimum seconds between two renderings of a page."""
SHARE = 4
"""A slow page rests for this many times its rendering time, so that others get a turn."""
EACH = 0.00005
"""Estimated seconds to write a change to one follower."""
HEAVY = 0.04
"""Seconds of work above which a page is rendered by the slow source."""
REMEMBERED = 32
"""Changes kept for followers who reconnect, while they are shorter than the page."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A rendered page of a session or a team event at a version."""

    name: str
    """The name of the session or team event."""
    incarnation: int
    """The incarnation of the guid; 0 where there is only one."""
    version: int
    regions: Regions
    cost: float
    """Seconds of work to render it."""

    @property
    def mark(self) -> str:
        """Return the event id by which a stream continues from this version."""
        return f"{self.incarnation}.{self.version}" if self.incarnation else str(self.version)


@dataclass(frozen=True, slots=True)
class _State:
    """The versions for which a page did not change, and the change after them."""

    incarnation: int
    since: int
    upto: int
    news: StreamMessage


@dataclass(slots=True, eq=False)
class LivePage:
    """A page with followers: its current content and its last changes."""

    render: Callable[[Any], Regions]
    look: RenderedPage
    since: int
    """The first version with the current content."""
    number: int = 0
    """The number of changes so far."""
    before: deque[_State] = field(default_factory=deque)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    followers: int = 0
    pause: float | None = None
    """Minimum seconds between two renderings, if not the default."""
    is_heavy: bool = False
    """True if it is slow enough to be rendered apart from the others."""
    due: float = 0.0
    """The monotonic time from which it may be rendered again."""
    spoke: float = 0.0
    """The monotonic time of the last message to followers."""
    looked: float = 0.0
    """The monotonic time at which it was last known to be current."""
    problem: Exception | None = None
    _whole: StreamMessage | None = None
    _length: int = 0
    """The length of the whole page when it was last written, kept because writing it is slow."""

    @property
    def work_for_one(self) -> float:
        """Return the seconds of work per follower; pages with less are rendered first."""
        return self.look.cost / max(1, self.followers)

    @property
    def whole(self) -> StreamMessage:
        """Return the whole page as a message."""
        if self._whole is None:
            self._whole = whole(self.look.mark, self.look.regions)
            self._length = len(self._whole.plain)
        return self._whole

    def take(self, look: RenderedPage, news: StreamMessage | None) -> None:
        """Replace the content; `news` is the change message for followers, None where nothing changed."""
        if (look.incarnation, look.version) < (self.look.incarnation, self.look.version):
            return
        if news is not None:
            self.before.append(_State(self.look.incarnation, self.since, self.look.version, news))
            while len(self.before) > REMEMBERED or (len(self.before) > 1 and self._is_longer()):
                self.before.popleft()
            self.since = look.version
            self.number += 1
            self._whole = None
        # One slow rendering, such as the first, does not delay the next: take the smaller cost of the last two.
        usual = min(self.look.cost, look.cost)
        self.is_heavy = usual > (HEAVY / 4 if self.is_heavy else HEAVY)
        self.look = look
        self.looked = time.monotonic()
        self.due = self.looked + max(self.pause or PAUSE, SHARE * (usual + EACH * self.followers))
        if news is not None:
            self.speak()

    def fail(self, problem: Exception) -> None:
        """End all streams of the page because it cannot be rendered; the next request gets the error."""
        log.info("A page that was followed is no more: %s", problem)
        self.problem = problem
        self.speak()

    def speak(self) -> None:
        """Wake everyone who follows."""
        self.spoke = time.monotonic()
        self.changed.set()
        self.changed = asyncio.Event()

    def number_of(self, mark: str) -> int:
        """Return the number of the last change contained in the page of a mark; -1 if it is no longer known."""
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
        """Return whether a follower with the page of this mark can continue here: it is alive and not older."""
        incarnation, at = _read_mark(mark)
        own = self.look.incarnation
        return self.problem is None and (incarnation or own, at) <= (own, self.look.version)

    def news_after(self, number: int) -> list[StreamMessage]:
        """Return the messages that update a follower: the changes since, or the whole page if they are gone."""
        behind = self.number - number
        if number < 0 or behind > len(self.before):
            return [self.whole]
        return [state.news for state in list(self.before)[-behind:]]

    def _is_longer(self) -> bool:
        """Return whether the kept changes are longer than the whole page."""
        return sum(len(state.news.plain) for state in self.before) > (self._length or len(self.whole.plain))


def _read_mark(mark: str) -> tuple[int, int]:
    """Parse a mark into incarnation (0 where left out) and version (-1 where invalid).

    >>> _read_mark("2.17"), _read_mark("17"), _read_mark("x.17"), _read_mark("")
    ((2, 17), (0, 17), (0, -1), (0, -1))
    """
    before, _, after = mark.rpartition(".")
    incarnation, version = parse_digits(before or "0", 12), parse_digits(after, 12)
    return (0, -1) if incarnation is None or version is None else (incarnation, version)
