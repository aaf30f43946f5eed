"""Access control: the director's cookie, passwords, PINs, origins and rate limits. Has no dependency on pages."""

import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from overtrick.errors import OvertrickError
from overtrick.keys import KeyRing, RateLimit, SharedRateLimit
from overtrick.keys.key_store import PASS_SECONDS
from overtrick.store.token_buckets import TokenBuckets

COOKIE = "overtrick_desk"


class NotAllowed(OvertrickError):
    """Error for a request that the caller may not make; nothing was changed."""

    code = "not-allowed"


class TooManyAttempts(OvertrickError):
    """Error for too many attempts; nothing was changed."""

    code = "too-often"


RETRY_AFTER = {"retry-after": "15"}
"""The header of an answer to too many attempts: most limits allow another one after this many seconds."""


class AccessControl:
    """The checks of passwords, PINs and origins, with their rate limits.

    All nodes of a journal share the limits on passwords, PINs and codes. Only passwords that are typed on the computer
    of a node have a limit there.
    """

    def __init__(self, keys: KeyRing, buckets: TokenBuckets | None = None, *, start_key: str = "") -> None:
        self.keys = keys
        self._start_key = start_key
        self.passwords = SharedRateLimit("password", RateLimit(burst=8, per_second=1 / 15), buckets)
        """Tries of the director's password, for each address except this computer's."""
        self.own_passwords = RateLimit(burst=8, per_second=1 / 15)
        """Tries from this computer; not shared, because 127.0.0.1 is another computer at each node."""
        self.all_passwords = SharedRateLimit("all-passwords", RateLimit(burst=40, per_second=1), buckets)
        """Tries of the password from all addresses together, except this computer's."""
        self.codes = SharedRateLimit("code", RateLimit(burst=8, per_second=1 / 15), buckets)
        """Wrong codes of tables and pairs, for each address."""
        self.tokens = RateLimit(burst=8, per_second=1 / 15)
        """Wrong tokens of programs, for each address."""
        self.place_pins = SharedRateLimit("place-pin", RateLimit(burst=5, per_second=1 / 60), buckets)
        """Wrong director PINs, for each table or own phone."""
        self.session_pins = SharedRateLimit("session-pin", RateLimit(burst=20, per_second=1 / 30), buckets)
        """Wrong director PINs in a whole session: few enough that four digits are not guessed in one evening."""
        self.requests = RateLimit(burst=200, per_second=50)
        """API requests and requests with entries of devices, for each address."""

    def director_pass(self, request: Request) -> str | None:
        """Return the pass in the request's cookie; None where it is missing or invalid."""
        cookie = request.cookies.get(COOKIE, "")
        return cookie if cookie and self.keys.is_pass(cookie) else None

    def is_trusted(self, request: Request) -> bool:
        """Return whether the request needs no login: from this computer itself, while no password is set.

        With a key of the first visit, nobody is trusted: another user of this computer could take the desk.
        """
        return not self._start_key and not self.keys.has_password and is_local(request)

    def is_first_visit(self, request: Request, key: str) -> bool:
        """Return whether the request may set the first password: it is local and has the key.

        The name in the address is checked because the name of another site may lead here (DNS rebinding).
        """
        host = request.url.hostname or ""
        is_own_name = host == "localhost" or is_loopback(host)
        is_key = bool(self._start_key) and hmac.compare_digest(key.encode(), self._start_key.encode())
        return is_key and is_own_name and is_local(request) and not self.keys.has_password

    @property
    def no_password_yet(self) -> str:
        """Return the sentence for others while there is no password."""
        if self._start_key:
            return "The desk has no password yet. Open it on its computer, at the address that Overtrick showed there."
        return "The desk has no password yet; set one on the computer that runs it."

    def may_see_results(self, request: Request) -> bool:
        """Return whether the caller may see rankings and published boards."""
        return self.keys.results_public or self.is_director(request)

    def is_director(self, request: Request) -> bool:
        """Return whether the request comes from the director."""
        return self.director_pass(request) is not None or self.is_trusted(request)

    def try_password(self, request: Request, password: str) -> bool:
        """Return whether this is the password; raise TooManyAttempts after too many tries. Waits for the database.

        Tries from this computer do not count against the limit of all addresses, so that others cannot lock it out.
        """
        caller, is_local_caller = address(request), is_local(request)
        tries = self.own_passwords if is_local_caller else self.passwords
        if not tries.take(caller) or not (is_local_caller or self.all_passwords.take("")):
            raise TooManyAttempts("Too many attempts. Try again in a minute.")
        is_right = self.keys.is_password(password)
        if is_right:
            tries.reset(caller)
        return is_right

    def try_pin(self, place: str, session: str, pin: str, correct_pin: str) -> bool:
        """Return whether this is the director's PIN; raise TooManyAttempts after too many wrong ones.

        Waits for the database. A try is counted before the PIN is compared, so that parallel tries cannot exceed the
        limit.
        """
        if not self.place_pins.take(place):
            raise TooManyAttempts("Too many wrong PINs. Try again in a minute.")
        if not self.session_pins.take(session):
            self.place_pins.give_back(place)
            raise TooManyAttempts("Too many wrong PINs. Try again in a minute.")
        is_right = hmac.compare_digest(pin.encode(), correct_pin.encode())
        if is_right:
            self.place_pins.reset(place)
            self.session_pins.give_back(session)
        return is_right

    def check_form(self, request: Request, token: str) -> str:
        """Return the director's pass; raise NotAllowed without one or if the form is from another site (CSRF)."""
        director_pass = self.director_pass(request)
        if director_pass is None:
            raise NotAllowed("You are no longer logged in as the director. Nothing was changed.")
        if not is_same_origin(request) or not self.keys.is_form_token(director_pass, token):
            raise NotAllowed("This request did not come from the director's desk. Nothing was changed.")
        return director_pass

    def give_pass(self, request: Request, response: Response) -> str:
        """Create a pass, set it as a cookie and return it."""
        new_pass = self.keys.new_pass()
        self.set_cookie(request, response, new_pass)
        return new_pass

    @staticmethod
    def set_cookie(request: Request, response: Response, director_pass: str) -> None:
        """Set the pass as a cookie that is SameSite=Strict, HttpOnly and, over https, Secure."""
        response.set_cookie(
            COOKIE,
            director_pass,
            max_age=PASS_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )


def address(request: Request) -> str:
    """Return the client's IP address; empty if unknown."""
    return request.client.host if request.client else ""


def is_local(request: Request) -> bool:
    """Return whether a request comes from this computer and has no proxy headers."""
    if any(name in request.headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via")):
        return False
    return is_loopback(address(request))


def is_loopback(host: str) -> bool:
    """Return whether this is an IP address of the computer itself.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "192.0.2.1", "pages.example")]
    [True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_same_origin(request: Request) -> bool:
    """Return whether Sec-Fetch-Site and Origin allow this request; one without them, as of a program, is allowed."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
