"""The page that edits a session as a whole: its name and date, its scoring, the archive and the bin."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from overtrick.errors import BadInput
from overtrick.event.filing import FileSession, Filing, Stage
from overtrick.event.rulings import can_have_vps, rules_of
from overtrick.event.session import Session
from overtrick.event.setup import ChangeSession, GameKind, GroupPlan, SetGroups
from overtrick.scoring import Method
from overtrick.scoring.rules import scale_problem, title
from overtrick.web.forms import Form, read_day, read_line, read_number
from overtrick.web.session_projection import SessionProjection
from overtrick.web.session_setup import methods_of
from overtrick.web.site import Site

FILING_MESSAGES = {
    Filing.LISTED: "The session is in the list again.",
    Filing.ARCHIVED: "The session is archived.",
    Filing.BINNED: "The session is in the bin.",
}
"""The messages after a session was filed."""


@dataclass(frozen=True, slots=True)
class GroupForm:
    """A scoring group with the methods that it can have."""

    number: int
    title: str
    method: Method
    methods: list[tuple[Method, str]]
    rules: str


class SessionEditPages:
    """The page of a session as a whole, and its forms."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def page(self, request: Request) -> Response:
        """Show the forms for name, date and scoring, and the buttons that archive or delete the session."""
        guid = request.path_params["session"]

        def read(projection: SessionProjection) -> dict[str, object]:
            session = projection.view.session
            return {
                "session": session,
                "opened": session.opened,
                "is_from_program": projection.is_from_program,
                "stage": Stage.of(session.setup.status, session.filing.place),
                "stages": Stage,
                "groups": group_forms(session),
                "results": len(session.results.standing),
                "has_results": bool(session.results.standing or session.results.erased),
            }

        return self.site.page(request, "edit.html", guid=guid, **await self.site.live.read(guid, read))

    async def file_session(self, request: Request, form: Form) -> str:
        """Archive the session, move it to the bin, or put it back in the list."""
        guid = request.path_params["session"]
        filing = {member.value: member for member in Filing}.get(form.get("filing", ""))
        if filing is None:
            raise BadInput("The form does not say where the session belongs. Nothing was changed.")
        is_from_program = filing is Filing.BINNED and await self.site.live.read(
            guid, lambda projection: projection.is_from_program
        )
        await self.site.do(FileSession(guid, filing, is_from_program), command_id=form["command"])
        return FILING_MESSAGES[filing]

    async def set_scoring(self, request: Request, form: Form) -> str:
        """Change the scoring method of a group; every result is scored again."""
        guid = request.path_params["session"]
        command = await self.site.live.read(
            guid, lambda projection: scoring_command(projection.view.session, form)
        )
        answer = await self.site.do(command, command_id=form["command"])
        return "Scoring changed." if answer.spans else "No change."


def group_forms(session: Session) -> list[GroupForm]:
    """Return the scoring groups of a session with the methods that each can have."""
    several = len(session.setup.groups) > 1
    return [
        GroupForm(
            number,
            (group.name or f"Scoring group {number}") if several else "",
            group.method,
            _methods(session, number),
            title(rules_of(session, number).rule_set),
        )
        for number, group in sorted(session.setup.groups.items())
    ]


def _methods(session: Session, group: int) -> list[tuple[Method, str]]:
    """Return the methods for the game of a group; those without victory points only if its pairs rank without them."""
    is_teams = session.setup.groups[group].method.is_teams
    methods = methods_of(GameKind.TEAMS if is_teams else GameKind.PAIRS)
    chosen = rules_of(session, group)
    return [
        (method, words)
        for method, words in methods
        if chosen.rule_set.method in (None, method)
        and (can_have_vps(method) or not chosen.pairs_vps)
        and not scale_problem(chosen.rule_set, method, pairs_vps=chosen.pairs_vps)
    ]


def scoring_command(session: Session, form: Form) -> SetGroups:
    """Return the command for the scoring method of a form; raise BadInput if the group cannot have it."""
    number = read_number(form, "group", 1, 9_999, "scoring group")
    group = session.setup.groups.get(number)
    if group is None:
        raise BadInput(f"There is no scoring group {number}. Nothing was changed.")
    name = form.get("method", "")
    method = next((offered for offered, _ in _methods(session, number) if offered.value == name), None)
    if method is None:
        raise BadInput(f"{name[:30]!r} is not a scoring method for this game. Nothing was changed.")
    return SetGroups(session.opened.session, (GroupPlan(number, method, group.name),))


def naming_command(guid: str, form: Form) -> ChangeSession:
    """Return the command for the name and the date of a form; without a date, the date stays. Raise BadInput."""
    name = read_line(form, "name")
    if not name:
        raise BadInput("Enter a name for the session. Nothing was changed.")
    return ChangeSession(guid, name=name, day=read_day(form))
