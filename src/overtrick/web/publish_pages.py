"""Publication of a session at the desk: one button that writes the static site and runs the club's upload."""

import asyncio
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.errors import BadInput
from overtrick.scoring.publication import LONGEST_FOLDER
from overtrick.web.forms import read_line
from overtrick.web.login import LoginPages, read_director_form
from overtrick.web.site import Site

LONGEST_ADDRESS = 200


@dataclass(frozen=True, slots=True)
class PublishOutcome:
    """The result of a publication."""

    folder: str
    files: int
    addresses: tuple[str, ...]
    """The addresses of the published sessions; empty if the site's address is unknown."""
    mail: str
    """The text of an e-mail that announces them."""
    command: str
    """The command that uploads the site; empty if there is none."""
    status: int | None
    """The command's exit status; None without a command."""
    output: str

    rewritten: tuple[str, ...] = ()
    """The titles of sessions whose pages were written again, because they named players who do not want it."""
    still_named: tuple[str, ...] = ()
    """The titles of sessions whose pages name such players and cannot be written again from this journal."""

    @property
    def is_uploaded(self) -> bool:
        """Return whether nothing is left to do: the command has succeeded, or there is none."""
        return not self.status


@dataclass(frozen=True, slots=True)
class PublishSetup:
    """The settings of publication."""

    folder: str = ""
    address: str = ""
    """The address of the folder in the web; empty if it is unknown."""
    command: str = ""
    is_changeable: bool = False
    """True if the desk may change folder and address: nobody has written them by hand."""
    problem: str = ""
    """The reason why nothing can be published; empty if everything is set up."""


class Publisher(Protocol):
    """Publication of sessions. Its methods block; those that change something raise BadInput if they fail."""

    def setup(self) -> PublishSetup:
        """Return the settings."""

    def set_up(self, name: str, address: str) -> None:
        """Publish into the folder with this name, at this address in the web."""

    def publish(self, session: str) -> PublishOutcome:
        """Publish a session."""


class PublishPages:
    """The page with the button, its outcome, and the form with the folder."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.login_pages = LoginPages(site)
        self._publishing = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return the routes; they must precede those of the desk, which would read `publish` as a tab."""
        return [
            Route("/desk/{session}/publish", self.login_pages.guarded(self.page)),
            Route("/desk/{session}/publish", self.publish, methods=["POST"]),
            Route("/desk/{session}/publish/folder", self.set_up, methods=["POST"]),
        ]

    @property
    def _publisher(self) -> Publisher:
        if self.site.publisher is None:
            raise BadInput("This program does not publish results.")
        return self.site.publisher

    async def page(self, request: Request) -> Response:
        """Show the page."""
        return await self._page(request)

    async def publish(self, request: Request) -> Response:
        """Publish the session and show the outcome; publishing again is harmless."""
        await read_director_form(self.site, request)
        session = request.path_params["session"]
        async with self._publishing:
            try:
                outcome = await asyncio.to_thread(self._publisher.publish, session)
            except BadInput as error:
                return await self._page(request, problem=str(error))
        return await self._page(request, outcome)

    async def set_up(self, request: Request) -> Response:
        """Save folder and address."""
        form = await read_director_form(self.site, request)
        folder, address = (
            read_line(form, "folder", LONGEST_FOLDER),
            read_line(form, "address", LONGEST_ADDRESS),
        )
        try:
            await asyncio.to_thread(self._publisher.set_up, folder, address)
        except BadInput as error:
            return await self._page(request, problem=str(error), folder=folder, address=address)
        return RedirectResponse(f"/desk/{request.path_params['session']}/publish", 303)

    async def _page(
        self,
        request: Request,
        outcome: PublishOutcome | None = None,
        problem: str = "",
        folder: str | None = None,
        address: str | None = None,
    ) -> Response:
        guid = request.path_params["session"]
        name = await self.site.live.read(guid, lambda projection: projection.name)
        setup = await asyncio.to_thread(self._publisher.setup)
        return self.site.page(
            request,
            "desk_publish.html",
            400 if problem else 200,
            guid=guid,
            name=name,
            outcome=outcome,
            problem=problem,
            setup=setup,
            folder=PurePath(setup.folder).name if folder is None else folder,
            address=setup.address if address is None else address,
            longest_folder=LONGEST_FOLDER,
            longest_address=LONGEST_ADDRESS,
        )
