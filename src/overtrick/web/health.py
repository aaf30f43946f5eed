"""The health check for load balancers: the state of the journal, and the number of facts that pages are behind."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from overtrick.store.errors import JournalError
from overtrick.web.request_guard import HEALTH
from overtrick.web.site import Site

JOURNAL_TIMEOUT = 3.0
"""Seconds to wait for the journal's answer."""


async def facts_behind(site: Site) -> int | None:
    """Return the number of facts that pages are behind; None if the journal does not answer."""
    try:
        async with asyncio.timeout(JOURNAL_TIMEOUT):
            return await site.live.behind()
    except (JournalError, TimeoutError):
        return None


class HealthPage:
    """The health check page. It is public and contains no names or addresses."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def routes(self) -> list[Route]:
        """Return the health check route."""
        return [Route(HEALTH, self.check)]

    async def check(self, request: Request) -> Response:
        """Answer 200 with the number of facts that pages are behind, or 503 where the journal does not answer."""
        behind = await facts_behind(self.site)
        if behind is None:
            return JSONResponse({"journal": "does not answer"}, 503, {"cache-control": "no-store"})
        return JSONResponse({"journal": "reachable", "behind": behind}, 200, {"cache-control": "no-store"})
