"""Access control: tells whether a request comes from the director, a program or anyone. Independent of pages."""

import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from overtrick.errors import OvertrickError
from overtrick.keys import KeyRing, RateLimit
from overtrick.keys.key_store import PASS_LASTS

COOKIE = "overtrick_desk"


class NotAllowed(OvertrickError):
    """Error for a request that the caller may not make; nothing was changed."""

    code = "not-allowed"


class TooManyAttempts(OvertrickError):
    """Error for too many attempts; nothing was changed."""

    code = "too-often"


class AccessControl:
    """The checks of passwords, PINs and origins, with their rate limits."""

    def __init__(self, keys: KeyRing) -> None:
        self.keys = keys
        self.passwords = RateLimit(burst=8, per_second=1 / 15)
        """Tries of the director's password, for each address."""
        self.all_passwords = RateLimit(burst=40, per_second=1)
        """Tries of the password from all addresses but this computer's own."""
        self.codes = RateLimit(burst=8, per_second=1 / 15)
        """Wrong codes of tables and pairs, for each address."""
        self.tokens = RateLimit(burst=8, per_second=1 / 15)
        """Wrong tokens of programs, for each address."""
        self.place_pins = RateLimit(burst=5, per_second=1 / 60)
        """Wrong PINs of the director, for each place with a code."""
        self.session_pins = RateLimit(burst=20, per_second=1 / 30)
        """Wrong PINs at all places of a session: four digits must outlast an evening."""
        self.requests = RateLimit(burst=200, per_second=50)
        """Requests of programs and changes of results, for each address."""

    def director_pass(self, request: Request) -> str | None:
        """Return the pass in the request's cookie; None where it is missing or invalid."""
        shown = request.cookies.get(COOKIE, "")
        return shown if shown and self.keys.is_pass(shown) else None

    def is_trusted(self, request: Request) -> bool:
        """Return whether the request needs no login: from this computer itself, while no password is set."""
        return not self.keys.has_password and is_here(request)

    def may_see_results(self, request: Request) -> bool:
        """Return whether the caller may see rankings and published boards."""
        return self.keys.results_public or self.is_director(request)

    def is_director(self, request: Request) -> bool:
        """Return whether the request comes from the director."""
        return self.director_pass(request) is not None or self.is_trusted(request)

    def try_password(self, request: Request, password: str) -> bool:
        """Return whether this is the password; too many tries are refused without looking.

        Strangers who use up the tries of all addresses do not lock out the director at this computer.
        """
        who = address(request)
        if not self.passwords.take(who) or not (is_here(request) or self.all_passwords.take("")):
            raise NotAllowed("Too many attempts. Try again in a minute.")
        is_right = self.keys.is_password(password)
        if is_right:
            self.passwords.forgive(who)
        return is_right

    def try_pin(self, place: str, session: str, pin: str, right: str) -> bool:
        """Return whether this is the director's PIN; after too many wrong ones at a place it is not looked at."""
        if self.place_pins.is_spent(place) or self.session_pins.is_spent(session):
            raise TooManyAttempts("Too many wrong PINs. Try again in a minute.")
        if hmac.compare_digest(pin.encode(), right.encode()):
            self.place_pins.forgive(place)
            return True
        self.place_pins.take(place)
        self.session_pins.take(session)
        return False

    def check_form(self, request: Request, token: str) -> str:
        """Return the director's pass; raise NotAllowed where the form is not from a page of this browser (CSRF)."""
        shown = self.director_pass(request)
        if shown is None:
            raise NotAllowed("You are no longer logged in as the director. Nothing was changed.")
        if not is_same_origin(request) or not self.keys.is_form_token(shown, token):
            raise NotAllowed("This request did not come from the director's desk. Nothing was changed.")
        return shown

    def give_pass(self, request: Request, response: Response) -> str:
        """Create a pass, set it as a cookie and return it."""
        shown = self.keys.new_pass()
        self.set_cookie(request, response, shown)
        return shown

    @staticmethod
    def set_cookie(request: Request, response: Response, shown: str) -> None:
        """Set the pass as a cookie that is strict about its site and hidden from scripts."""
        response.set_cookie(
            COOKIE,
            shown,
            max_age=PASS_LASTS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )


def address(request: Request) -> str:
    """Return the client's IP address, or an empty text."""
    return request.client.host if request.client else ""


def is_here(request: Request) -> bool:
    """Return whether a request comes from this computer itself, and not through a proxy on it."""
    if any(name in request.headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via")):
        return False
    try:
        return ipaddress.ip_address(address(request)).is_loopback
    except ValueError:
        return False


def is_same_origin(request: Request) -> bool:
    """Return whether the Origin headers allow this request; a program sends none and is allowed."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
