"""Who asks: the director, a program, or anyone. Knows the keys, and no page."""

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
    """It is not for whoever asked; nothing was changed."""

    code = "not-allowed"


class TooOften(OvertrickError):
    """It was tried too often; nothing was changed."""

    code = "too-often"


class Doorkeeper:
    """Lets in whoever may."""

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
        """The pass of the director's browser; None where it is someone else's."""
        shown = request.cookies.get(COOKIE, "")
        return shown if shown and self.keys.is_pass(shown) else None

    def is_trusted(self, request: Request) -> bool:
        """Whether the director need not say who they are: on this computer itself, while there is no password."""
        return not self.keys.has_password and is_here(request)

    def may_see_results(self, request: Request) -> bool:
        """Whether whoever asks may see rankings and what has been published."""
        return self.keys.results_public or self.is_director(request)

    def is_director(self, request: Request) -> bool:
        """Whether the director asks."""
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
            raise TooOften("Too many wrong PINs. Try again in a minute.")
        if hmac.compare_digest(pin.encode(), right.encode()):
            self.place_pins.forgive(place)
            return True
        self.place_pins.take(place)
        self.session_pins.take(session)
        return False

    def check_form(self, request: Request, token: str) -> str:
        """The director's pass, when this form was made by a page of ours for this very browser."""
        shown = self.director_pass(request)
        if shown is None:
            raise NotAllowed("You are no longer logged in as the director. Nothing was changed.")
        if not is_same_origin(request) or not self.keys.is_form_token(shown, token):
            raise NotAllowed("This request did not come from the director's desk. Nothing was changed.")
        return shown

    def give_pass(self, request: Request, response: Response) -> str:
        """Let this browser be the director's."""
        shown = self.keys.new_pass()
        self.set_cookie(request, response, shown)
        return shown

    @staticmethod
    def set_cookie(request: Request, response: Response, shown: str) -> None:
        """Have the browser keep a pass, for our pages alone and out of reach of scripts."""
        response.set_cookie(
            COOKIE,
            shown,
            max_age=PASS_LASTS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )


def address(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""


def is_here(request: Request) -> bool:
    """Whether a request comes from this computer itself, and not through a proxy on it."""
    if any(name in request.headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via")):
        return False
    try:
        return ipaddress.ip_address(address(request)).is_loopback
    except ValueError:
        return False


def is_same_origin(request: Request) -> bool:
    """Whether a browser says that one of our own pages sends this; a program need not say."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
