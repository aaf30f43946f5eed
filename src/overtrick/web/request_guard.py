"""Middleware before every page: allowed hosts, limits on requests, and security headers.

Has no dependency on pages; `access_control` decides who may see them.
"""

import ipaddress
from collections import Counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from overtrick.web.problem_details import refusal

LARGEST = 64 * 1024
"""The limit on a request body, in bytes."""
LARGEST_FILE = 4 * 1024 * 1024
"""The limit on a request body with a file, in bytes."""
MOST_AT_ONCE = 1_000
"""The limit on concurrent requests of one address; an open live stream counts as one."""
HEALTH = "/healthz"
"""The page for load balancers."""
LONGEST_ADDRESS = 4_096
"""The limit on a path with its query, in characters."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
}


class TooLarge(Exception):
    """The request body is above the limit."""


class RequestGuard:
    """ASGI middleware that checks requests and adds security headers."""

    def __init__(
        self, app: ASGIApp, names: frozenset[str] = frozenset(), large: tuple[str, ...] = ()
    ) -> None:
        self._app = app
        self._names = names
        self._large = large
        """The ends of paths that accept a file."""
        self._open: Counter[str] = Counter()
        """The number of open requests of each address."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = scope["client"][0] if scope.get("client") else ""
        self._open[client] += 1
        try:
            await self._guard(scope, receive, send, has_too_many=self._open[client] > MOST_AT_ONCE)
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]

    async def _guard(self, scope: Scope, receive: Receive, send: Send, *, has_too_many: bool) -> None:
        headers = Headers(scope=scope)
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                response_headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    response_headers.setdefault(name, value)
                response_headers.setdefault("cache-control", "no-store")
            await send(message)

        async def refuse(status: int, sentence: str) -> None:
            close = {"connection": "close"}
            path = scope["path"]
            response = (
                refusal(path, status, sentence, headers=close)
                if "application/json" in headers.get("accept", "") or path.startswith("/api/")
                else PlainTextResponse(sentence, status, close)
            )
            await response(scope, receive, send_with_headers)

        # Load balancers send other host names, so the health check accepts any.
        if scope["path"] != HEALTH and not is_known_host(headers.get("host", ""), self._names):
            await refuse(421, "Unknown host name. Use the computer's address.")
            return
        if has_too_many:
            await refuse(503, "Too many requests at once from this address.")
            return
        if len(scope["path"]) + len(scope["query_string"]) > LONGEST_ADDRESS:
            await refuse(414, "The address is too long.")
            return
        limit = LARGEST_FILE if self._large and scope["path"].endswith(self._large) else LARGEST
        try:
            length = int(headers.get("content-length", "0"))
        except ValueError:
            length = -1
        if length < 0:
            await refuse(400, "The content length is not a number.")
            return
        if length > limit:
            await refuse(413, f"The request is larger than {limit} bytes. Nothing was changed.")
            return
        received = 0

        async def receive_within_limit() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise TooLarge
            return message

        try:
            await self._app(scope, receive_within_limit, send_with_headers)
        except TooLarge:
            if not started:
                await refuse(413, f"The request is larger than {limit} bytes. Nothing was changed.")


def is_known_host(host: str, names: frozenset[str] = frozenset()) -> bool:
    """Return whether a Host header is ours: an IP address, localhost, or one of `names` (prevents DNS rebinding).

    Otherwise a foreign site could point its own name at this computer's address and act as one of our pages.

    >>> [host for host in ("127.0.0.1:8080", "[::1]:1", "localhost", "evil.example", "") if is_known_host(host)]
    ['127.0.0.1:8080', '[::1]:1', 'localhost']
    >>> is_known_host("bridge.local:80", frozenset({"bridge.local"}))
    True
    """
    name = host.lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    else:
        name = name.partition(":")[0]
    if name == "localhost" or name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
