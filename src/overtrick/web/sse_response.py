"""A live stream as an HTTP response: the shared messages, written to one reader.

A slow reader delays nobody: nothing more is written until it has read what is buffered, and then it gets the newest
version, not every change that it missed.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from starlette.datastructures import Headers, QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from overtrick.web.sse_messages import GZIP_HEADER, StreamMessage

Follow = Callable[[str], AsyncGenerator[StreamMessage, None]]
"""A function that returns the messages for a reader whose page has this mark, a version."""


class EventStream(Response):
    """A response of server-sent events, gzipped if the browser accepts it. Ends when the reader disconnects."""

    media_type = "text/event-stream"

    def __init__(self, follow: Follow) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._follow = follow
        self._may: Callable[[], bool] = lambda: True

    def while_allowed(self, may: Callable[[], bool]) -> "EventStream":
        """Return this response, set to end when `may` returns False."""
        self._may = may
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream until it ends or the reader disconnects."""
        headers = Headers(scope=scope)
        is_gzipped = "gzip" in headers.get("accept-encoding", "")
        if is_gzipped:
            self.headers["content-encoding"] = "gzip"
            self.headers["vary"] = "accept-encoding"
        # A browser that reconnects sends the last id; otherwise the page's own version is in the query.
        mark = headers.get("last-event-id") or QueryParams(scope["query_string"]).get("after", "")
        async with aclosing(self._follow(mark)) as pieces:
            first = await anext(pieces)  # errors must be raised before the response starts
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
                return
            if is_gzipped:
                await send({"type": "http.response.body", "body": GZIP_HEADER, "more_body": True})
            writing = asyncio.create_task(_write(first, pieces, is_gzipped, send, self._may))
            leaving = asyncio.create_task(_wait_for_disconnect(receive))
            try:
                await asyncio.wait((writing, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                writing.cancel()
                leaving.cancel()
                await asyncio.gather(writing, leaving, return_exceptions=True)
        if not writing.cancelled():
            writing.result()
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _write(
    first: StreamMessage,
    pieces: AsyncGenerator[StreamMessage, None],
    is_gzipped: bool,
    send: Send,
    may: Callable[[], bool],
) -> None:
    piece: StreamMessage | None = first
    while piece is not None and may():
        body = piece.gzipped if is_gzipped else piece.plain
        await send({"type": "http.response.body", "body": body, "more_body": True})
        piece = await anext(pieces, None)


async def _wait_for_disconnect(receive: Receive) -> None:
    """Wait until the reader disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
