"""A page with many followers: its current content and its last changes. Has no dependency on the journal or threads."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from overtrick.digits import parse_digits
from overtrick.web.sse_messages import Regions, StreamMessage, page_message

log = logging.getLogger(__name__)

PAUSE = 0.1
"""Minimum seconds between two renderings of a page."""
SHARE = 4
"""A slow page rests for this many times its rendering time, so that others get a turn."""
FOLLOWER_COST = 0.00005
"""Estimated seconds to write a change to one follower."""
HEAVY = 0.04
"""Seconds of work above which a page is rendered by the slow source."""
REMEMBERED = 32
"""The maximum number of changes kept for followers who fall behind; fewer if they are longer than the page."""


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
    epoch: str = ""
    """The epoch of the journal; versions of different epochs cannot be compared."""

    @property
    def mark(self) -> str:
        """Return the event id from which a stream continues."""
        place = f"{self.incarnation}.{self.version}" if self.incarnation else str(self.version)
        return f"{self.epoch}/{place}" if self.epoch else place


@dataclass(frozen=True, slots=True)
class _PageVersion:
    """A range of versions with the same content, and the change that ended it."""

    incarnation: int
    since: int
    until: int
    change: StreamMessage


@dataclass(slots=True, eq=False)
class LivePage:
    """A page with followers: its current content and its last changes."""

    render: Callable[[Any], Regions]
    rendering: RenderedPage
    since: int
    """The first version with the current content."""
    number: int = 0
    """The number of changes so far."""
    changes: deque[_PageVersion] = field(default_factory=deque)
    """The last versions with the changes that ended them, oldest first."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by the next message to followers; every message replaces it."""
    followers: int = 0
    pause: float | None = None
    """Minimum seconds between two renderings; None for the default."""
    is_heavy: bool = False
    """True if it is rendered by the slow source."""
    due: float = 0.0
    """The monotonic time from which it may be rendered again."""
    last_message: float = 0.0
    """The monotonic time of the last message to followers."""
    last_check: float = 0.0
    """The monotonic time at which it was last known to be current."""
    problem: Exception | None = None
    """The error that ended its streams."""
    _whole: StreamMessage | None = None
    _length: int = 0
    """Bytes of the whole page when it was last encoded, kept because encoding is slow."""

    @property
    def cost_per_follower(self) -> float:
        """Return the seconds of rendering per follower; pages with less are rendered first."""
        return self.rendering.cost / max(1, self.followers)

    @property
    def whole(self) -> StreamMessage:
        """Return the whole page as a message."""
        if self._whole is None:
            self._whole = page_message(self.rendering.mark, self.rendering.regions)
            self._length = len(self._whole.plain)
        return self._whole

    def update(self, rendering: RenderedPage, change: StreamMessage | None) -> None:
        """Replace the content, unless this rendering is older; `change` is the difference, None where nothing changed.

        In another epoch of the journal, followers get the whole page.
        """
        is_new_epoch = rendering.epoch != self.rendering.epoch
        if is_new_epoch:
            self.changes.clear()
            self.since = rendering.version
            self.number += 1
            self._whole = None
        elif (rendering.incarnation, rendering.version) < (
            self.rendering.incarnation,
            self.rendering.version,
        ):
            return
        elif change is not None:
            self.changes.append(
                _PageVersion(self.rendering.incarnation, self.since, self.rendering.version, change)
            )
            while len(self.changes) > REMEMBERED or (len(self.changes) > 1 and self._is_longer()):
                self.changes.popleft()
            self.since = rendering.version
            self.number += 1
            self._whole = None
        # Take the smaller cost of the last two: one slow rendering, such as the first, must not delay the next.
        usual = min(self.rendering.cost, rendering.cost)
        self.is_heavy = usual > (HEAVY / 4 if self.is_heavy else HEAVY)
        self.rendering = rendering
        self.last_check = time.monotonic()
        self.due = self.last_check + max(
            self.pause or PAUSE, SHARE * (usual + FOLLOWER_COST * self.followers)
        )
        if is_new_epoch or change is not None:
            self.wake_followers()

    def fail(self, problem: Exception) -> None:
        """End all streams of the page because it cannot be rendered; the next request gets the error."""
        log.info("A followed page cannot be rendered any more: %s", problem)
        self.problem = problem
        self.wake_followers()

    def wake_followers(self) -> None:
        """Wake all followers."""
        self.last_message = time.monotonic()
        self.changed.set()
        self.changed = asyncio.Event()

    def read_number(self, mark: str) -> int:
        """Return the change number of the page of a mark; -1 if the changes after it are no longer kept."""
        epoch, incarnation, version = _read_mark(mark)
        if epoch != self.rendering.epoch:
            return -1

        def is_in(own: int, since: int, until: int) -> bool:
            return since <= version <= until and incarnation in (0, own)

        if is_in(self.rendering.incarnation, self.since, self.rendering.version):
            return self.number
        for steps, earlier in enumerate(reversed(self.changes), start=1):
            if is_in(earlier.incarnation, earlier.since, earlier.until):
                return self.number - steps
        return -1

    def can_continue_from(self, mark: str) -> bool:
        """Return whether a follower with the page of this mark can continue here: no error, and no older version.

        A follower from another epoch of the journal can: it gets the whole page.
        """
        epoch, incarnation, version = _read_mark(mark)
        own = self.rendering.incarnation
        is_older = epoch == self.rendering.epoch and (own, self.rendering.version) < (
            incarnation or own,
            version,
        )
        return self.problem is None and not is_older

    def changes_after(self, number: int) -> list[StreamMessage]:
        """Return the changes after an earlier change number; the whole page if it is -1 or they are no longer kept."""
        behind = self.number - number
        if number < 0 or behind > len(self.changes):
            return [self.whole]
        return [state.change for state in list(self.changes)[-behind:]]

    def _is_longer(self) -> bool:
        """Return whether the kept changes are longer than the whole page."""
        return sum(len(state.change.plain) for state in self.changes) > (
            self._length or len(self.whole.plain)
        )


def _read_mark(mark: str) -> tuple[str, int, int]:
    """Parse a mark into epoch, incarnation (0 where left out) and version (-1 where invalid).

    >>> _read_mark("2.17"), _read_mark("17"), _read_mark("x.17"), _read_mark("00000002-1/2.17")
    (('', 2, 17), ('', 0, 17), ('', 0, -1), ('00000002-1', 2, 17))
    """
    epoch, _, place = mark.rpartition("/")
    before, _, after = place.rpartition(".")
    incarnation, version = parse_digits(before or "0", 12), parse_digits(after, 12)
    return (epoch, 0, -1) if incarnation is None or version is None else (epoch, incarnation, version)
