"""The page that a load balancer asks whether this node can serve: is the journal reachable, how far are we behind."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from overtrick.store.errors import JournalError
from overtrick.web.request_guard import HEALTH
from overtrick.web.site import Site

PATIENCE = 3.0
"""Seconds that the journal has to answer."""


class HealthPage:
    """The health check, for everyone: it tells no name and no address."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def routes(self) -> list[Route]:
        """Its place."""
        return [Route(HEALTH, self.check)]

    async def check(self, request: Request) -> Response:
        """Answer 200 with the facts that pages are behind the journal, or 503 where the journal does not answer."""
        try:
            async with asyncio.timeout(PATIENCE):
                behind = await self.site.live.behind()
        except (JournalError, TimeoutError):
            return JSONResponse({"journal": "does not answer"}, 503, {"cache-control": "no-store"})
        return JSONResponse({"journal": "reachable", "behind": behind}, 200, {"cache-control": "no-store"})
