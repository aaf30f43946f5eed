"""Answers to refused requests of programs: problem details (RFC 9457) under /api/v1, one sentence elsewhere.

Has no dependency on pages or on FastAPI.
"""

from collections.abc import Mapping, Sequence

from starlette.responses import JSONResponse, Response

V1 = "/api/v1"
MEDIA_TYPE = "application/problem+json"

PROBLEMS = {
    400: ("bad-input", "Bad request"),
    401: ("unauthorised", "Missing or unknown token"),
    403: ("not-allowed", "Not allowed"),
    404: ("not-found", "Not found"),
    405: ("method-not-allowed", "Method not allowed"),
    409: ("refused", "Refused by the rules of the event"),
    410: ("session-in-bin", "In the bin"),
    413: ("too-large", "Request too large"),
    414: ("too-long", "Address too long"),
    421: ("unknown-host", "Unknown host name"),
    422: ("invalid-fields", "Invalid fields"),
    429: ("too-often", "Too many requests"),
    500: ("broken", "Server error"),
    503: ("unavailable", "Not available now"),
}
"""The code and the title of every status; an error with a code of its own has that one instead."""


def refusal(
    path: str,
    status: int,
    sentence: str,
    code: str = "",
    *,
    problems: Sequence[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the answer to a refused request for this path.

    >>> refusal("/api/v1/sessions", 429, "Too many requests.").headers["content-type"]
    'application/problem+json'
    >>> refusal("/api/sessions", 429, "Too many requests.").body
    b'{"sentence":"Too many requests."}'
    """
    if not path.startswith(f"{V1}/"):
        return JSONResponse({"sentence": sentence}, status, headers)
    usual, title = PROBLEMS.get(status, ("error", "Error"))
    body = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": sentence,
        "code": code or usual,
        "problems": list(problems),
    }
    return JSONResponse(body, status, headers, MEDIA_TYPE)
