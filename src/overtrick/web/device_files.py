"""The files that a player's device caches: the service worker for offline use, the texts and the vocabulary."""

import hashlib
import json
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from overtrick.event.settings import Language
from overtrick.web.session_projection import NotFound
from overtrick.web.vocabulary import texts, vocabulary_module

STATIC = Path(__file__).parent / "static"


def routes() -> list[Route]:
    """Return the routes of these files."""
    return [
        Route("/t/sw.js", _worker),
        Route("/t/parts.json", _parts),
        Route("/t/texts/{language}.json", _texts),
        Route("/static/terminal/vocabulary.js", _vocabulary),
    ]


async def _worker(request: Request) -> Response:
    """Return the service worker, which answers while the device is offline."""
    return _cached_response(request, (STATIC / "sw.js").read_text(encoding="utf-8"), "text/javascript")


async def _parts(request: Request) -> Response:
    """Return the list of files that the device caches."""
    return _cached_response(request, json.dumps(cached_files()), "application/json")


async def _texts(request: Request) -> Response:
    """Return all texts of a language; raise NotFound if there is no such language."""
    try:
        language = Language(request.path_params["language"])
    except ValueError:
        raise NotFound("There is no such language.") from None
    return _cached_response(request, texts(language), "application/json")


async def _vocabulary(request: Request) -> Response:
    """Return the module with the enumerations and blank values of the terminal."""
    return _cached_response(request, vocabulary_module(), "text/javascript")


def _cached_response(request: Request, text: str, media_type: str) -> Response:
    """Return a response with an ETag, which browsers cache and revalidate; 304 if theirs is current."""
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:20]}"'
    headers = {"cache-control": "no-cache", "etag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(text, media_type=media_type, headers=headers)


@cache
def cached_files() -> list[str]:
    """Return the addresses of all files that the terminal page loads, in every language."""
    modules = sorted(f"/static/terminal/{file.name}" for file in (STATIC / "terminal").glob("*.js"))
    return [
        "/static/base.css",
        "/static/style.css",
        "/static/dark.css",
        "/static/terminal.css",
        "/static/icon.svg",
        *modules,
        "/static/terminal/vocabulary.js",
        *(f"/t/texts/{language.value}.json" for language in Language),
    ]
