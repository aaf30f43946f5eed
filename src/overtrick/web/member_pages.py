"""The club's members at the desk: search, changes, suggestions, and the import of a list with its duplicates."""

import asyncio
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlencode

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from overtrick.bws.member_files import read_member_file
from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.registry import (
    Choice,
    ImportOutcome,
    MatchedList,
    Member,
    Members,
    Person,
    Sameness,
    import_members,
    match_members,
)
from overtrick.registry.member_lists import MOST_LINES, write_member_list
from overtrick.web.forms import read_line, read_number
from overtrick.web.known_players import KnownPlayers
from overtrick.web.login import LoginPages, read_form
from overtrick.web.site import Site
from overtrick.words import counted

PAGE = 50
"""Members on a page."""
LONGEST_SEARCH = 100

CHOICE_WORDS = {
    Choice.ADD: "Another person: add",
    Choice.TAKE: "The same person: use the list",
    Choice.KEEP: "Keep what is here",
}

T = TypeVar("T")


class MemberPages:
    """The pages of the club's members."""

    def __init__(self, site: Site, known: KnownPlayers) -> None:
        self.site = site
        self.known_players = known
        self.login_pages = LoginPages(site)

    def routes(self) -> list[Route]:
        """Return the routes; they must precede those of the desk, which would read `members` as a session."""
        guarded = self.login_pages.guarded
        return [
            Route("/desk/members", guarded(self.members)),
            Route("/desk/members", self.change, methods=["POST"]),
            Route("/desk/members/suggest", guarded(self.suggest)),
            Route("/desk/members/import", self.import_list, methods=["POST"]),
        ]

    async def members(self, request: Request) -> Response:
        """Show a page of the members whose names or numbers contain the searched words."""
        wanted = request.query_params.get("q", "").strip()[:LONGEST_SEARCH]
        page = max(1, parse_digits(request.query_params.get("page", "")) or 1)
        no_members: tuple[list[Member], int] = [], 0
        members, count = await self.known_players.read(
            lambda members: (members.find(wanted, (page - 1) * PAGE, PAGE), members.count(wanted)), no_members
        )
        return self.site.page(
            request,
            "desk_members.html",
            members=members,
            count=count,
            wanted=wanted,
            page=page,
            pages=max(1, -(-count // PAGE)),
            said=request.query_params.get("said", "")[:LONGEST_SEARCH],
        )

    async def suggest(self, request: Request) -> Response:
        """Return the known players for the words in `q` as JSON."""
        text = request.query_params.get("q", "")[:LONGEST_SEARCH]
        return JSONResponse(
            [
                {"first": player.first_name, "last": player.last_name, "number": player.number}
                for player in await self.known_players.suggest(text)
            ]
        )

    async def change(self, request: Request) -> Response:
        """Add, change or remove a member."""
        form = await read_form(request)
        self.site.access.check_form(request, form.get("token", ""))
        number = read_line(form, "number")[:20]
        first, last = read_line(form, "first"), read_line(form, "last")
        if form.get("do") == "add":
            await self._write(lambda members: members.add(number, first, last))
        else:
            key = read_number(form, "key", 1, 2**62, "member")
            if form.get("do") == "remove":
                await self._write(lambda members: members.remove(key))
            else:
                await self._write(lambda members: members.change(key, number, first, last))
        wanted = form.get("q", "")[:LONGEST_SEARCH]
        page = read_number(form, "page", 1, 10**9, "page") if "page" in form else 1
        return RedirectResponse(f"/desk/members?{urlencode({'q': wanted, 'page': page})}", 303)

    async def _write(self, change: Callable[[Members], T]) -> T:
        def write() -> T:
            with self.known_players.open() as registry:
                return change(Members(registry))

        return await asyncio.to_thread(write)

    async def import_list(self, request: Request) -> Response:
        """Show what a list would change, or import it as decided; a list that has changed meanwhile is shown again."""
        async with request.form(max_files=1, max_fields=MOST_LINES + 10) as fields:
            form = {name: value for name, value in fields.items() if isinstance(value, str)}
            self.site.access.check_form(request, form.get("token", ""))
            file = fields.get("file")
            content = await file.read() if isinstance(file, UploadFile) else b""
        content = content or form.get("list", "").encode()
        if not content.strip():
            raise BadInput("Choose a file, or paste a list.")
        lines = await asyncio.to_thread(read_member_file, content)
        matched, outcome = await asyncio.to_thread(self._import, lines, form)
        if outcome is not None and not outcome.refusals:
            sentence = f"{counted(outcome.added, 'member')} added, {outcome.changed} changed."
            return RedirectResponse(f"/desk/members?{urlencode({'said': sentence})}", 303)
        return self.site.page(
            request,
            "members_import.html",
            matched=matched,
            same=Sameness,
            words=CHOICE_WORDS,
            list=write_member_list(lines),
            problems=[str(problem) for problem in outcome.refusals] if outcome else [],
            is_changed=outcome is None and "seen" in form,
        )

    def _import(
        self, lines: list[tuple[int, Person]], form: dict[str, str]
    ) -> tuple[MatchedList, ImportOutcome | None]:
        """Match a list, and write it if the director has seen this match; without, the outcome is None."""
        with self.known_players.open() as registry:
            matched = match_members(registry, lines)
            if form.get("seen") != matched.digest:
                return matched, None
            return matched, import_members(registry, matched, _choices(matched, form))


def _choices(matched: MatchedList, form: dict[str, str]) -> dict[int, Choice]:
    values = {choice.value: choice for choice in Choice}
    choices = {line.line: values.get(form.get(f"choice-{line.line}", "")) for line in matched.questions}
    return {line: choice for line, choice in choices.items() if choice is not None}
