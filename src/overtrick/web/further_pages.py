"""The further rankings of a session at the desk: handicaps, strata, filters and the details of its players."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.event import Session
from overtrick.event.further_rankings import FurtherRankingsSet
from overtrick.scoring.report import ReportPlayer
from overtrick.web import series_forms
from overtrick.web.login import LoginPages, read_director_form
from overtrick.web.session_projection import SessionProjection
from overtrick.web.site import Site


class FurtherRankingPages:
    """The page of a session's further rankings, and its forms."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.login_pages = LoginPages(site)

    def routes(self) -> list[Route]:
        """Return the routes; they must precede those of the desk, which would read `rankings` as a tab."""
        return [
            Route("/desk/{session}/rankings", self.login_pages.guarded(self.page)),
            Route("/desk/{session}/act/rankings", self.choose, methods=["POST"]),
            Route("/desk/{session}/act/details", self.put_details, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """Show the chosen further rankings and the details of the players."""
        guid = request.path_params["session"]

        def read(projection: SessionProjection) -> tuple[str, FurtherRankingsSet, str]:
            view = projection.view
            details_list = view.session.further.players()
            players = {
                (player.number, player.name): ReportPlayer(player.name, player.number)
                for seated in view.players().values()
                for player in seated
            }
            for details in details_list:  # add players with details but without a seat
                players.setdefault((details.number, details.name), ReportPlayer(details.name, details.number))
            listed = sorted(players.values(), key=lambda player: (player.name.casefold(), player.number))
            return (
                projection.name,
                view.session.further.chosen,
                series_forms.details_text(listed, details_list),
            )

        name, chosen, players = await self.site.live.read(guid, read)
        return self.site.page(
            request,
            "desk_rankings.html",
            guid=guid,
            name=name,
            chosen=chosen,
            players=players,
            words=series_forms,
        )

    async def choose(self, request: Request) -> Response:
        """Save the further rankings that a form chooses."""
        form = await read_director_form(self.site, request)
        if not await self.site.was_done(form["command"]):
            command = series_forms.further_command(await self._session(request), form)
            await self.site.do(command, command_id=form["command"])
        return self._back(request)

    async def put_details(self, request: Request) -> Response:
        """Save the player details in a form."""
        form = await read_director_form(self.site, request)
        if not await self.site.was_done(form["command"]):
            command = series_forms.details_command(await self._session(request), form)
            await self.site.do(command, command_id=form["command"])
        return self._back(request)

    def _back(self, request: Request) -> Response:
        return RedirectResponse(f"/desk/{request.path_params['session']}/rankings", 303)

    async def _session(self, request: Request) -> Session:
        return await self.site.live.read(
            request.path_params["session"], lambda projection: projection.view.session.after(())
        )
