"""Pagination and search of the list of sessions, for the desk and the results."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request

from overtrick.digits import parse_digits
from overtrick.event.filing import Stage
from overtrick.store.sessions import SessionLine
from overtrick.web.site import Site

PAGE = 25
"""Sessions on one page."""

LONGEST = 100
"""The limit on a search text, in characters."""


@dataclass(frozen=True, slots=True)
class SessionPage:
    """One page of the list of sessions, with links to the pages before and after it."""

    lines: list[SessionLine]
    wanted: str
    """The search text, which their names or dates contain."""
    newer: str
    older: str
    """The queries of the pages with newer and older sessions; empty if there is none."""


async def listed_sessions(
    site: Site, request: Request, stages: frozenset[Stage], query: Mapping[str, str] | None = None
) -> SessionPage:
    """Return the page of the list that a request asks for with `find` and `page`; `query` is kept in its links."""
    text = request.query_params.get("find", "").strip()[:LONGEST]
    number = max(1, parse_digits(request.query_params.get("page", "")) or 1)
    lines = await site.live.sessions(text, first=(number - 1) * PAGE, most=PAGE + 1, stages=stages)
    link_query = {**(query or {}), **({"find": text} if text else {})}
    return SessionPage(
        lines[:PAGE],
        text,
        "?" + urlencode({**link_query, "page": number - 1}) if number > 1 else "",
        "?" + urlencode({**link_query, "page": number + 1}) if len(lines) > PAGE else "",
    )
