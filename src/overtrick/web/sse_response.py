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
        self._is_allowed: Callable[[], bool] = lambda: True

    def while_allowed(self, is_allowed: Callable[[], bool]) -> "EventStream":
        """Return this response, set to end when `is_allowed` returns False."""
        self._is_allowed = is_allowed
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
        async with aclosing(self._follow(mark)) as messages:
            first = await anext(messages)  # errors must be raised before the response starts
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
                return
            if is_gzipped:
                await send({"type": "http.response.body", "body": GZIP_HEADER, "more_body": True})
            write_task = asyncio.create_task(_write(first, messages, is_gzipped, send, self._is_allowed))
            disconnect_task = asyncio.create_task(_wait_for_disconnect(receive))
            try:
                await asyncio.wait((write_task, disconnect_task), return_when=asyncio.FIRST_COMPLETED)
            finally:
                write_task.cancel()
                disconnect_task.cancel()
                await asyncio.gather(write_task, disconnect_task, return_exceptions=True)
        if not write_task.cancelled():
            write_task.result()
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _write(
    first: StreamMessage,
    messages: AsyncGenerator[StreamMessage, None],
    is_gzipped: bool,
    send: Send,
    is_allowed: Callable[[], bool],
) -> None:
    message: StreamMessage | None = first
    while message is not None and is_allowed():
        body = message.gzipped if is_gzipped else message.plain
        await send({"type": "http.response.body", "body": body, "more_body": True})
        message = await anext(messages, None)


async def _wait_for_disconnect(receive: Receive) -> None:
    """Wait until the reader disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
