"""The pages of players: their evenings, partners, trend and best boards, across all finished sessions.

A club chooses whether these pages are public. If not, a player's page opens with the link that the phone shows at the
end of an evening, which is signed, and for the director.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from overtrick.registry.player_privacy import PlayerPrivacy
from overtrick.scoring.pages import template
from overtrick.scoring.plots import running_plot
from overtrick.store.player_index import PlayerIndex, PlayerSession
from overtrick.views.player_results import BestBoard
from overtrick.web.access_control import NotAllowed
from overtrick.web.login import read_form
from overtrick.web.session_list import LONGEST
from overtrick.web.session_projection import NotFound
from overtrick.web.site import Site, day_words

MOST_LISTED = 200
"""The limit on players in the list; a search finds the others."""
MOST_EVENINGS = 50
"""The limit on evenings on a player's page."""
MOST_BEST_BOARDS = 10
HIDDEN_NAME = "Player"
"""The name of a player who does not want to be named."""


@dataclass(frozen=True, slots=True)
class Partner:
    """A partner of a player, with the number of evenings and their average percentage."""

    key: str
    name: str
    evenings: int
    average: float | None


def partners(sessions: list[PlayerSession]) -> list[Partner]:
    """Return the partners of a player, the most frequent first."""
    names: dict[str, str] = {}
    shares: dict[str, list[float | None]] = {}
    for session in sessions:
        for key, name in session.result.partners:
            names.setdefault(key, name)
            shares.setdefault(key, []).append(session.result.percentage)
    partners_found = []
    for key, values in shares.items():
        percentages = [value for value in values if value is not None]
        average = sum(percentages) / len(percentages) if percentages else None
        partners_found.append(Partner(key, names[key], len(values), average))
    return sorted(partners_found, key=lambda partner: (-partner.evenings, partner.name))


def best_boards(sessions: list[PlayerSession]) -> list[tuple[PlayerSession, BestBoard]]:
    """Return the best boards of the evenings that are scored in percentages, the best first, then the newest."""
    boards = [
        (session, board)
        for session in sessions
        if session.result.percentage is not None
        for board in session.result.best
    ]
    boards.sort(key=lambda item: -item[1].worth)
    return boards[:MOST_BEST_BOARDS]


def trend(sessions: list[PlayerSession], name: str) -> Markup:
    """Draw the percentages of the evenings, the oldest first."""
    shares = [
        (f"{session.day.day}.{session.day.month}.", session.result.percentage)
        for session in reversed(sessions)
        if session.result.percentage is not None
    ]
    return running_plot(shares, 50, "%", f"{name}: evening by evening") if len(shares) > 1 else Markup("")


def average(sessions: list[PlayerSession]) -> float | None:
    """Return the average percentage; None if no evening has one."""
    shares = [session.result.percentage for session in sessions if session.result.percentage is not None]
    return sum(shares) / len(shares) if shares else None


@dataclass(frozen=True, slots=True)
class PlayerLinks:
    """The links and names of others on a player's page."""

    card: Callable[[PlayerSession], str]
    """The address of the score card of an evening."""
    board: Callable[[PlayerSession, BestBoard], str]
    player: Callable[[str], str]
    """The address of the page of a player with a key; empty if it is not linked."""
    name: Callable[[str, str], str]
    """The published name of a player with a key and a name."""
    day: Callable[[date], str] = day_words


def player_body(name: str, sessions: list[PlayerSession], links: PlayerLinks) -> Markup:
    """Return the content of a player's page as HTML; `sessions` has at least one."""
    body = template("player_body.html").render(
        sessions=sessions[:MOST_EVENINGS],
        count=len(sessions),
        average=average(sessions),
        trend=trend(sessions[:MOST_EVENINGS], name),
        partners=partners(sessions),
        best=best_boards(sessions),
        links=links,
    )
    return Markup(body)


class PlayerPages:
    """The list of players, the page of each, and the director's choices about them."""

    def __init__(self, site: Site) -> None:
        self.site = site

    @cached_property
    def index(self) -> PlayerIndex:
        """Return the index of players."""
        return PlayerIndex(self.site.live.journal)

    def routes(self) -> list[Route]:
        """Return the routes; they must precede those of the desk, which would read `players` as a session."""
        return [
            Route("/players", self.list),
            Route("/player", self.player),
            Route("/desk/players", self.save, methods=["POST"]),
        ]

    async def list(self, request: Request) -> Response:
        """List the players with a search; those who are hidden for the director only."""
        privacy = self.site.privacy.privacy()
        is_director = self.site.access.is_director(request)
        self._check(request, privacy)
        text = request.query_params.get("find", "").strip()[:LONGEST]
        players = await asyncio.to_thread(self.index.players, text)
        visible = [player for player in players if is_director or player.player not in privacy.hidden]
        return self.site.page(
            request,
            "players.html",
            players=visible[:MOST_LISTED],
            left_out=max(0, len(visible) - MOST_LISTED),
            wanted=text,
            privacy=privacy,
            address=player_address,
        )

    async def player(self, request: Request) -> Response:
        """Show the page of a player."""
        privacy = self.site.privacy.privacy()
        key = request.query_params.get("key", "")[:200]
        is_director = self.site.access.is_director(request)
        is_own = self.site.keys.is_player_pass(key, request.query_params.get("pass", "")[:200])
        if not is_own:
            self._check(request, privacy)
        sessions = await asyncio.to_thread(self.index.sessions_of, key)
        if not sessions and not is_own:
            raise NotFound("There is no such player.")
        if key in privacy.hidden and not (is_own or is_director):
            raise NotFound("There is no such player.")
        name = sessions[0].result.name if sessions else ""

        may_list = privacy.are_pages_public or is_director

        def is_named(other: str) -> bool:
            return other not in privacy.hidden or is_director

        links = PlayerLinks(
            lambda session: f"/results/{session.session}/{session.result.card}",
            lambda session, board: f"/results/{session.session}/{board.page}",
            lambda other: player_address(other) if may_list and is_named(other) else "",
            lambda other, words: words if is_named(other) else HIDDEN_NAME,
        )
        return self.site.page(
            request,
            "player.html",
            name=name,
            key=key,
            body=player_body(name, sessions, links) if sessions else "",
            privacy=privacy,
            may_list=may_list,
        )

    async def save(self, request: Request) -> Response:
        """Save the club's choice, or hide or show the name of a player."""
        form = await read_form(request)
        self.site.access.check_form(request, form.get("token", ""))
        if key := form.get("player", ""):
            await asyncio.to_thread(self.site.privacy.set_hidden, key, form.get("hide") == "1")
            return RedirectResponse(player_address(key), 303)
        await asyncio.to_thread(self.site.privacy.set_pages_public, form.get("pages") == "public")
        return RedirectResponse("/players", 303)

    def _check(self, request: Request, privacy: PlayerPrivacy) -> None:
        """Raise NotAllowed if the sender of a request may not see players' pages."""
        self.site.check_results(request)
        if not privacy.are_pages_public and not self.site.access.is_director(request):
            raise NotAllowed(
                "Players' pages are not public here. Your phone has a link to yours at the end of an evening."
            )


def player_address(key: str, own_pass: str = "") -> str:
    """Return the address of a player's page, with the pass of the player's own link.

    >>> player_address("#123")
    '/player?key=%23123'
    """
    return "/player?" + urlencode({"key": key, **({"pass": own_pass} if own_pass else {})})
