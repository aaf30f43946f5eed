"""Login, logout, the password, and whether results are public."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.web.access_control import COOKIE, NotAllowed, TooManyAttempts, is_same_origin
from overtrick.web.forms import form_id
from overtrick.web.site import Site

Page = Callable[[Request], Awaitable[Response]]

ALREADY_DONE = "This was already saved."


class LoginPages:
    """The pages for login, logout and access settings."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def routes(self) -> list[Route]:
        """Return the routes for login and access settings."""
        return [
            Route("/desk/login", self.login, methods=["GET", "POST"]),
            Route("/desk/logout", self.logout, methods=["POST"]),
            Route("/desk/password", self.password, methods=["GET", "POST"]),
        ]

    def guarded(self, page: Page) -> Page:
        """Wrap a page so that only the director sees it; redirect others to the login page.

        While no password is set, the wrapped page raises NotAllowed for others.
        """

        async def guarded_page(request: Request) -> Response:
            if self.site.access.is_director(request):
                return await page(request)
            if not self.site.keys.has_password:
                raise NotAllowed(self.site.access.no_password_yet)
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"/desk/login?{urlencode({'next': request.url.path + query})}", 303)

        return guarded_page

    async def login(self, request: Request) -> Response:
        """Show the login page, or log in with its password and redirect to `next`."""
        target = local_path(request.query_params.get("next", ""))
        if request.method == "GET":
            return self.site.page(request, "login.html", next=target, problem="")
        if not is_same_origin(request):
            raise NotAllowed("This request did not come from the login page.")
        form = await read_form(request)
        if not self.site.keys.has_password:
            raise NotAllowed(self.site.access.no_password_yet)
        try:
            is_right = await asyncio.to_thread(
                self.site.access.try_password, request, form.get("password", "")
            )
        except TooManyAttempts as error:
            return self.site.locked_out(request, "login.html", error, next=target)
        if not is_right:
            return self.site.page(request, "login.html", 403, next=target, problem="Wrong password.")
        response = RedirectResponse(target, 303)
        self.site.access.give_pass(request, response)
        return response

    async def logout(self, request: Request) -> Response:
        """End this browser's pass and delete its cookie."""
        form = await read_form(request)
        director_pass = self.site.access.check_form(request, form.get("token", ""))
        await asyncio.to_thread(self.site.keys.end_pass, director_pass)
        response = RedirectResponse("/", 303)
        response.delete_cookie(COOKIE)
        return response

    async def password(self, request: Request) -> Response:
        """Show the access settings, or save the password or whether results are public."""
        if not self.site.access.is_director(request):
            return RedirectResponse("/desk/login?next=/desk/password", 303)
        keys = self.site.keys
        settings = {"has_password": keys.has_password, "results_public": keys.results_public}
        if request.method == "GET":
            return self.site.page(request, "password.html", problem="", **settings)
        form = await read_form(request)
        self.site.access.check_form(request, form.get("token", ""))
        if form.get("do") == "public":
            keys.set_results_public(bool(form.get("public")))
            return RedirectResponse("/desk/password", 303)
        if keys.has_password:
            try:
                is_right = await asyncio.to_thread(
                    self.site.access.try_password, request, form.get("old", "")
                )
            except TooManyAttempts as error:
                return self.site.locked_out(request, "password.html", error, **settings)
            if not is_right:
                problem = "The old password is wrong. Nothing was changed."
                return self.site.page(request, "password.html", 403, problem=problem, **settings)
        if form.get("new", "") != form.get("again", ""):
            problem = "The two new passwords differ. Nothing was changed."
            return self.site.page(request, "password.html", 400, problem=problem, **settings)
        await asyncio.to_thread(keys.set_password, form.get("new", ""))
        response = RedirectResponse("/desk", 303)
        self.site.access.give_pass(request, response)
        return response


MOST_FIELDS = 200
"""The usual limit on the fields of a form."""


async def read_form(request: Request, most: int = MOST_FIELDS) -> dict[str, str]:
    """Return the text fields of a form, at most `most`, without files."""
    async with request.form(max_files=0, max_fields=most) as fields:
        return {name: value for name, value in fields.items() if isinstance(value, str)}


async def read_director_form(site: Site, request: Request, most: int = MOST_FIELDS) -> dict[str, str]:
    """Return a director's form, with a command id under `command` so that it counts once if sent again.

    Raise NotAllowed if it is not from the director's browser.
    """
    form = await read_form(request, most)
    site.access.check_form(request, form.get("token", ""))
    return {**form, "command": f"web-{form_id(form, request.url.path)}"}


def local_path(path: str, otherwise: str = "/desk") -> str:
    """Return a path if it stays on this site, else `otherwise` (prevents open redirects).

    >>> [local_path(path) for path in ("/desk/x?a=1", "//evil.example", "https://evil.example", "/\\\\evil", "")]
    ['/desk/x?a=1', '/desk', '/desk', '/desk', '/desk']
    """
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_ours else otherwise
