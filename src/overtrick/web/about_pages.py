"""The page about the running program: addresses, health, version and data; letting phones connect; stopping.

Also the first visit, which sets the password. Has no dependency on how the program was assembled: see RunningProgram.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.errors import BadInput
from overtrick.event.filing import Stage
from overtrick.keys import WeakPassword
from overtrick.web.access_control import NotAllowed, is_same_origin
from overtrick.web.health import facts_behind
from overtrick.web.login import LoginPages, read_director_form, read_form
from overtrick.web.session_list import listed_sessions
from overtrick.web.site import Site

NOT_STOPPED_HERE = "This program cannot be stopped here. Stop it where it was started."
NOT_OPENED_HERE = "This program lets phones connect only if it is started with --listen=0.0.0.0."


@dataclass(frozen=True, slots=True)
class Service:
    """A service of the program besides its pages, such as the Data Connector's pipe."""

    name: str
    address: str
    problem: str = ""
    """The reason why it is not served; empty if it is."""


class PhoneAccess(Protocol):
    """The pages' server for other devices, which can be opened and closed while the program runs."""

    @property
    def is_wanted(self) -> bool | None:
        """Return the director's answer; None before the first one."""

    @property
    def address(self) -> str:
        """Return the address for other devices; empty while they cannot connect."""

    @property
    def problem(self) -> str:
        """Return the reason why other devices cannot connect although they should; empty without one."""

    async def want(self, is_wanted: bool) -> None:
        """Save the answer, and open or close the server."""


class RunningProgram(Protocol):
    """The program that serves the pages."""

    @property
    def place(self) -> str:
        """Return the folder of the data, or the address of its database without a password."""

    @property
    def services(self) -> Sequence[Service]:
        """Return the services besides the pages."""

    @property
    def phones(self) -> PhoneAccess | None:
        """Return the access of other devices; None if it cannot be changed while the program runs."""

    def stop(self) -> None:
        """End the program soon, after the last page is loaded."""


class AboutPages:
    """The page about the program, and the first visit."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def routes(self) -> list[Route]:
        """Return the routes; they must precede those of sessions, which would read `about` as a guid."""
        guarded = LoginPages(self.site).guarded
        return [
            Route("/desk/start", self.start, methods=["GET", "POST"]),
            Route("/desk/about", guarded(self.about)),
            Route("/desk/about/phones", self.set_phones, methods=["POST"]),
            Route("/desk/about/stop", guarded(self.stop_question)),
            Route("/desk/about/stop", self.stop, methods=["POST"]),
        ]

    async def start(self, request: Request) -> Response:
        """Show the form for the first password, or set it; the address at the start of the program has the key.

        Redirect to the desk once there is a password.
        """
        if self.site.keys.has_password:
            return RedirectResponse("/desk", 303)
        form = await read_form(request) if request.method == "POST" else {}
        key = form.get("key", request.query_params.get("key", ""))
        if not self.site.access.is_first_visit(request, key):
            raise NotAllowed(self.site.access.no_password_yet)
        if request.method == "GET":
            return self.site.page(request, "start.html", key=key, problem="")
        if not is_same_origin(request):
            raise NotAllowed("This request did not come from the page of the first visit.")
        problem = ""
        if form.get("new", "") != form.get("again", ""):
            problem = "The two passwords differ. Nothing was saved."
        else:
            try:
                await asyncio.to_thread(self.site.keys.set_password, form.get("new", ""))
            except WeakPassword as weak:
                problem = weak.sentence
        if problem:
            return self.site.page(request, "start.html", 400, key=key, problem=problem)
        response = RedirectResponse("/desk", 303)
        self.site.access.give_pass(request, response)
        return response

    async def about(self, request: Request) -> Response:
        """Show addresses, health, version and the place of the data."""
        program = self.site.program
        behind = await facts_behind(self.site)
        return self.site.page(
            request,
            "desk_about.html",
            program=program,
            phones=program.phones if program is not None else None,
            own=f"{request.url.scheme}://{request.headers.get('host', '')}",
            reachable=self.site.address_for(request) if self.site.is_reachable(request) else "",
            behind=behind,
        )

    async def set_phones(self, request: Request) -> Response:
        """Save the director's answer whether phones on this network may connect."""
        form = await read_director_form(self.site, request)
        phones = self.site.program.phones if self.site.program is not None else None
        if phones is None:
            raise BadInput(NOT_OPENED_HERE)
        await phones.want(form.get("phones") == "yes")
        return RedirectResponse("/desk" if form.get("back") == "/desk" else "/desk/about", 303)

    async def stop_question(self, request: Request) -> Response:
        """Ask whether to stop the program, with the sessions that are running."""
        running = await listed_sessions(self.site, request, frozenset({Stage.RUNNING}), {})
        return self.site.page(request, "stop.html", running=running.lines)

    async def stop(self, request: Request) -> Response:
        """Stop the program."""
        await read_director_form(self.site, request)
        if self.site.program is None:
            raise BadInput(NOT_STOPPED_HERE)
        page = self.site.page(request, "stopped.html", place=self.site.program.place)
        self.site.program.stop()
        return page
