"""The services that every page uses: live sessions, the writer, keys, templates and the time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from overtrick import __version__
from overtrick.bridge import Seat, Strain, Suit, dealer, vulnerability
from overtrick.errors import OvertrickError
from overtrick.event import Command, JournalState, Reason, Rejection
from overtrick.keys import KeyRing
from overtrick.registry.club import Club, ClubStore
from overtrick.registry.own_movements import OwnMovementStore
from overtrick.registry.player_privacy import PlayerPrivacyStore
from overtrick.scoring.pages import suits
from overtrick.store import Appended
from overtrick.web import view_models
from overtrick.web.access_control import RETRY_AFTER, AccessControl, NotAllowed, TooManyAttempts
from overtrick.web.play_analysis import PlayAnalysis
from overtrick.web.session_projection import LiveSessions
from overtrick.web.team_projection import LiveTeamEvents

if TYPE_CHECKING:
    from overtrick.connector.pipe import PipeSlot
    from overtrick.web.about_pages import RunningProgram
    from overtrick.web.publish_pages import Publisher

Submit = Callable[[Command, str, str], Awaitable[Appended | Rejection]]
"""A function that submits a command to the writer, for an actor and with a command id."""


T = TypeVar("T")

log = logging.getLogger(__name__)


class StateReader(Protocol):
    """A function that reads the state of the writer."""

    def __call__(self, question: Callable[[JournalState], T], /) -> Awaitable[T]:
        """Call `question` with the state and return its result."""


class CommandRefused(OvertrickError):
    """The rules of the event rejected a command; nothing was changed."""

    code = "refused"

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(str(rejection))
        self.rejection = rejection

    @property
    def status(self) -> int:
        """Return the HTTP status for the rejection."""
        unknown = (Reason.UNKNOWN_SESSION, Reason.UNKNOWN_PLACE, Reason.UNKNOWN_ENTRY)
        return 404 if self.rejection.reason in unknown else 409


@dataclass(slots=True)
class Site:
    """The services behind the pages."""

    live: LiveSessions
    submit: Submit
    read: StateReader
    keys: KeyRing
    address: str = ""
    """The address for other devices, used on table cards; if empty, the address of the request."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    teams: LiveTeamEvents | None = None
    """The team events; None if their pages are not served."""
    clubs: ClubStore = field(init=False)
    privacy: PlayerPrivacyStore = field(init=False)
    """The players whose names are not published."""
    own_movements: OwnMovementStore = field(init=False)
    names: frozenset[str] = frozenset()
    """The host names of this computer, besides its addresses."""
    publisher: "Publisher | None" = None
    """The publication of results; None if this program does not publish."""
    pipe: "PipeSlot | None" = None
    """The named pipe of the Data Connector; None if this program does not serve it."""
    program: "RunningProgram | None" = None
    """The program that serves the pages; None if the desk cannot stop it."""
    start_key: str = ""
    """The key of the first visit; if empty, this computer needs none while there is no password."""
    plays: PlayAnalysis = field(default_factory=PlayAnalysis)
    """The double dummy figures of leads and plays."""
    access: AccessControl = field(init=False)

    def __post_init__(self) -> None:
        self.access = AccessControl(self.keys, self.live.journal.engine.buckets, start_key=self.start_key)
        self.clubs = ClubStore(self.live.journal.documents)
        self.privacy = PlayerPrivacyStore(self.live.journal.documents)
        self.own_movements = OwnMovementStore(self.live.journal.documents)

    @property
    def club(self) -> Club:
        """Return the club; one without a name if its document cannot be read, because pages are needed anyway."""
        try:
            return self.clubs.club()
        except OvertrickError as error:
            log.warning("%s", error)
            return Club()

    async def do(self, command: Command, actor: str = "director", command_id: str | None = None) -> Appended:
        """Submit a command; raise CommandRefused if it is rejected."""
        answer = await self.submit(command, actor, command_id or f"web-{uuid4().hex}")
        if isinstance(answer, Rejection):
            raise CommandRefused(answer)
        return answer

    async def was_done(self, command_id: str) -> bool:
        """Return whether a command is in the journal already, because its sender saw no answer and sent it again."""
        return await asyncio.to_thread(self.live.journal.find, command_id) is not None

    def address_for(self, request: Request) -> str:
        """Return the address at which other devices reach this site."""
        return self.address or f"{request.url.scheme}://{request.headers.get('host', '')}"

    def is_reachable(self, request: Request) -> bool:
        """Return whether other devices can reach the site's address; False for localhost."""
        host = urlsplit(self.address_for(request)).hostname or ""
        return not (host == "localhost" or host.startswith("127.") or host == "::1")

    def check_results(self, request: Request) -> None:
        """Raise NotAllowed if the sender of the request may not see results."""
        if not self.access.may_see_results(request):
            raise NotAllowed("Results are not public.")

    def page(self, request: Request, template: str, status: int = 200, /, **context: Any) -> HTMLResponse:
        """Render a page; set the login cookie for a trusted director who has none."""
        director_pass = self.access.director_pass(request)
        is_new = director_pass is None and self.access.is_trusted(request)
        if is_new:
            director_pass = self.keys.new_pass()
        context.setdefault("said", "")
        html = (
            environment()
            .get_template(template)
            .render(
                is_director=director_pass is not None,
                form_token=self.keys.form_token(director_pass) if director_pass else "",
                once=uuid4().hex,
                path=request.url.path,
                club=self.club,
                **context,
            )
        )
        response = HTMLResponse(html, status)
        if is_new and director_pass:
            self.access.set_cookie(request, response, director_pass)
        return response

    def locked_out(
        self, request: Request, template: str, error: TooManyAttempts, /, **context: Any
    ) -> HTMLResponse:
        """Show a form again after too many attempts, so that it can be sent later; never with a password."""
        response = self.page(request, template, 429, problem=str(error), **context)
        response.headers.update(RETRY_AFTER)
        return response


def wants_json(request: Request) -> bool:
    """Return whether the request accepts JSON, as the site's own scripts do."""
    return "application/json" in request.headers.get("accept", "")


def render(template: str, **context: Any) -> Markup:
    """Render a part of a page."""
    return Markup(environment().get_template(template).render(**context))


@cache
def environment() -> Environment:
    """Return the Jinja environment, with HTML escaping."""
    templates = Environment(
        loader=PackageLoader("overtrick.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["suits"] = suits
    templates.filters["boards"] = view_models.boards_text
    templates.filters["day"] = day_words
    templates.filters["contract"] = view_models.contract_words
    templates.filters["contract_parts"] = view_models.contract_parts
    templates.globals.update(
        version=__version__,
        Seat=Seat,
        Strain=Strain,
        Suit=Suit,
        dealer=dealer,
        vulnerability=vulnerability,
        seat_names=view_models.SEAT_NAMES,
    )
    return templates


def day_words(day: date) -> str:
    """Return a day in words.

    >>> day_words(date(2026, 1, 8))
    '8 January 2026'
    """
    return f"{day.day} {day:%B %Y}"
