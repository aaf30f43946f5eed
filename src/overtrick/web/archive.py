"""The list of results: the sessions of today first, then all others by month, divided into pages."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from urllib.parse import urlencode

from overtrick.store.sessions import SessionLine
from overtrick.web.session_list import PAGE


@dataclass(frozen=True, slots=True)
class Month:
    """A month of the archive."""

    value: str
    """Year and month, such as 2026-01."""
    count: int

    @property
    def title(self) -> str:
        """Return the month in words.

        >>> Month("2026-01", 3).title
        'January 2026'
        """
        return f"{date.fromisoformat(f'{self.value}-01'):%B %Y}"


@dataclass(frozen=True, slots=True)
class Archive:
    """One page of the list of results."""

    today: tuple[SessionLine, ...]
    """The sessions of today; they are on the first page only."""
    by_month: tuple[tuple[Month, tuple[SessionLine, ...]], ...]
    """The other sessions of this page. The count of a month includes its sessions on other pages."""
    months: tuple[Month, ...]
    """All months, the newest first."""
    wanted: str
    """The text of the search; empty if there is none."""
    month: str
    """The chosen month; empty for all."""
    newer: str
    """The query string of the page with newer sessions; empty on the first page."""
    older: str
    """The query string of the page with older sessions; empty on the last page."""


def archive(
    lines: Sequence[SessionLine], today: date, wanted: str = "", month: str = "", number: int = 1
) -> Archive:
    """Return page `number` of the sessions in `lines`, optionally of one month only, the newest day first.

    `lines` are the sessions that the search for `wanted` has returned.
    """
    ordered = sorted(lines, key=lambda line: (line.day, line.changed), reverse=True)
    counts = Counter(line.day.isoformat()[:7] for line in ordered)
    months = tuple(Month(value, counts[value]) for value in sorted(counts, reverse=True))
    is_unfiltered = not wanted and not month
    today_lines = tuple(line for line in ordered if line.day == today) if is_unfiltered else ()
    others = [line for line in ordered if line not in today_lines and month in ("", line.day.isoformat()[:7])]
    first = (number - 1) * PAGE
    page_lines = others[first : first + PAGE]
    grouped = groupby(page_lines, key=lambda line: line.day.isoformat()[:7])
    query = {name: value for name, value in (("find", wanted), ("month", month)) if value}
    return Archive(
        today_lines if number == 1 else (),
        tuple((Month(value, counts[value]), tuple(group)) for value, group in grouped),
        months,
        wanted,
        month,
        "?" + urlencode(query | {"page": number - 1}) if number > 1 else "",
        "?" + urlencode(query | {"page": number + 1}) if first + PAGE < len(others) else "",
    )
