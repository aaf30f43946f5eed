"""Publication of a session at the desk: one button that writes the static site and runs the club's upload."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from overtrick.errors import BadInput
from overtrick.registry.club import Club
from overtrick.scoring.report import Report
from overtrick.views import SessionView
from overtrick.web.login import LoginPages, read_director_form
from overtrick.web.site import Site
from overtrick.web.view_models import prepare_public_report, public_groups


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

    @property
    def is_uploaded(self) -> bool:
        """Return whether nothing is left to do: the command has succeeded, or there is none."""
        return not self.status


Publish = Callable[[Sequence[tuple[str, Report]], Club], PublishOutcome]
"""A function that publishes reports, each with its key; it raises BadInput if that is not set up or fails."""

Reports = Callable[[], list[tuple[str, Report]]]


def public_reports(view: SessionView, club: Club, hidden: Collection[str]) -> Reports:
    """Return a function that makes the public reports of a session, one for each scoring, with their keys.

    `hidden` has the keys of players who are not named.
    """
    guid = view.session.opened.session
    prepared = [
        (f"{guid}/{group}" if group else guid, group, prepare_public_report(view, group, hidden))
        for group in public_groups(view.session)
    ]

    def make() -> list[tuple[str, Report]]:
        reports = []
        for key, group, make_report in prepared:
            report = replace(make_report(), club=club.name, club_number=club.number)
            title = f"{report.title}, group {group}" if group else report.title
            reports.append((key, replace(report, title=title)))
        return reports

    return make


class PublishPages:
    """The page with the button, and its outcome."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.login_pages = LoginPages(site)
        self._publishing = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return the routes; they must precede those of the desk, which would read `publish` as a tab."""
        return [
            Route("/desk/{session}/publish", self.login_pages.guarded(self.page)),
            Route("/desk/{session}/publish", self.publish, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """Show the page."""
        return await self._page(request, None)

    async def publish(self, request: Request) -> Response:
        """Publish the session and show the outcome; publishing again is harmless."""
        await read_director_form(self.site, request)
        publish = self.site.publish
        if publish is None:
            raise BadInput("This program does not publish results.")
        guid, club = request.path_params["session"], self.site.club
        hidden = self.site.privacy.privacy().hidden
        make = await self.site.live.look(
            guid, lambda projection: public_reports(projection.view, club, hidden)
        )
        async with self._publishing:
            try:
                outcome = await asyncio.to_thread(lambda: publish(make(), club))
            except BadInput as error:
                return await self._page(request, None, str(error))
        return await self._page(request, outcome)

    async def _page(self, request: Request, outcome: PublishOutcome | None, problem: str = "") -> Response:
        guid = request.path_params["session"]
        name = await self.site.live.look(guid, lambda projection: projection.name)
        status = 400 if problem else 200
        context = {"guid": guid, "name": name, "outcome": outcome, "problem": problem}
        return self.site.page(request, "desk_publish.html", status, **context)
