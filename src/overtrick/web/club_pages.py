"""The club's name, number and logo: the form at the desk, and the image in the header of every page."""

import asyncio
import hashlib

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.registry.club import LARGEST_LOGO, LONGEST_NAME, LONGEST_NUMBER
from overtrick.web.forms import read_line
from overtrick.web.login import LoginPages
from overtrick.web.session_projection import NotFound
from overtrick.web.site import Site

LOGO_TYPES = {"png": "image/png", "jpg": "image/jpeg"}


class ClubPages:
    """The form with the club's identity, and the logo."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.login_pages = LoginPages(site)

    def routes(self) -> list[Route]:
        """Return the routes; they must precede those of the desk, which would read `club` as a session."""
        return [
            Route("/club/logo", self.logo),
            Route("/desk/club", self.login_pages.guarded(self.form)),
            Route("/desk/club", self.save, methods=["POST"]),
        ]

    async def form(self, request: Request) -> Response:
        """Show the form."""
        return self.site.page(
            request,
            "desk_club.html",
            longest_name=LONGEST_NAME,
            longest_number=LONGEST_NUMBER,
            largest=LARGEST_LOGO // 1000,
        )

    async def save(self, request: Request) -> Response:
        """Save the form; a form without a file keeps the logo."""
        async with request.form(max_files=1, max_fields=10) as fields:
            form = {name: value for name, value in fields.items() if isinstance(value, str)}
            self.site.access.check_form(request, form.get("token", ""))
            file = fields.get("logo")
            # Read one byte more than is allowed, so that a larger file is refused and not cut.
            content = await file.read(LARGEST_LOGO + 1) if isinstance(file, UploadFile) else b""
        logo = b"" if form.get("remove") else content or None
        name, number = read_line(form, "name", LONGEST_NAME), read_line(form, "number", LONGEST_NUMBER)
        await asyncio.to_thread(self.site.clubs.save, name, number, logo)
        return RedirectResponse("/desk/club", 303)

    async def logo(self, request: Request) -> Response:
        """Send the logo; raise NotFound if there is none."""
        club = self.site.club
        if not club.logo:
            raise NotFound("The club has no logo.")
        tag = f'"{hashlib.blake2b(club.logo, digest_size=12).hexdigest()}"'
        headers = {"cache-control": "no-cache", "etag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(club.logo, media_type=LOGO_TYPES[club.logo_suffix], headers=headers)
