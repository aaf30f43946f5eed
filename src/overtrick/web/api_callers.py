"""The callers of the JSON API: tokens and their rights, and the changes that a program makes, each counted once."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated
from uuid import uuid4

from fastapi import Depends, Header, Path, Request

from overtrick.errors import OvertrickError
from overtrick.event import Command
from overtrick.guid import GUID
from overtrick.keys import TokenScope
from overtrick.store import Appended
from overtrick.web.access_control import NotAllowed, TooManyAttempts, address
from overtrick.web.api_schemas import Done
from overtrick.web.site import Site

Guid = Annotated[
    str,
    Path(pattern=f"^{GUID.pattern}$", description="The guid of a session: 32 capital hexadecimal digits."),
]


class Unauthorised(OvertrickError):
    """The request has no token, or an unknown one."""

    code = "unauthorised"


async def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


TheSite = Annotated[Site, Depends(_site)]


def _caller(request: Request, site: TheSite) -> tuple[str, TokenScope] | None:
    """Return the name and the scope of the request's token; None without an Authorization header.

    Raise `Unauthorised` for an unknown token, TooManyAttempts above the rate limits.
    """
    if not site.access.requests.take(address(request)):
        raise TooManyAttempts("Too many requests. Try again in a moment.")
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if not kind:
        return None
    scope = site.keys.token_scope(token.strip()) if kind.lower() == "bearer" else None
    if scope is None:
        if not site.access.tokens.take(address(request)):
            raise TooManyAttempts("Too many attempts. Try again in a minute.")
        raise Unauthorised("Unknown token.")
    return scope


Caller = Annotated[tuple[str, TokenScope] | None, Depends(_caller)]


def _sees_everything(caller: Caller, site: TheSite) -> bool:
    """Return whether the caller may see unpublished results; raise `Unauthorised` if it may see none."""
    if caller is None and not site.keys.results_public:
        raise Unauthorised("Results are not public. Send a token.")
    return caller is not None


def program(caller: Caller) -> str:
    """Return the name of the caller's token; raise `Unauthorised` without one."""
    if caller is None:
        raise Unauthorised("Send a token as Authorization: Bearer ….")
    return caller[0]


def writing_program(name: Annotated[str, Depends(program)], caller: Caller) -> str:
    """Return the name of the caller's token; raise NotAllowed if it may only read."""
    if caller is not None and not caller[1].includes(TokenScope.WRITE):
        raise NotAllowed("This token can only read. Nothing was changed.")
    return name


SeesEverything = Annotated[bool, Depends(_sees_everything)]
PROGRAM = Depends(program)
PUBLIC = Depends(_sees_everything)
"""PROGRAM and PUBLIC check the caller for routes that do not use it."""
Number = Annotated[int, Path(ge=1, le=9_999)]


@dataclass(frozen=True, slots=True)
class ProgramChange:
    """A change that a program asks for; a change with the key of an earlier one is not made again."""

    site: Site
    name: str
    """The name of the program's token."""
    command_id: str

    async def do(self, make: Callable[[], Awaitable[Command]]) -> Done:
        """Make the command and carry it out; if its key was used before, answer that nothing has changed."""
        appended = await asyncio.to_thread(self.site.live.journal.find, self.command_id)
        if appended is None:
            appended = await self.site.do(await make(), f"program {self.name}", self.command_id)
        return _done(appended)

    async def send(self, command: Command) -> Done:
        """Carry out a command."""

        async def make() -> Command:
            return command

        return await self.do(make)


def _done(answer: Appended) -> Done:
    last = max((span.last for span in answer.spans if span.stream.startswith("session/")), default=None)
    return Done(changed=bool(answer.spans) and not answer.again, version=last)


def _change(
    name: Annotated[str, Depends(writing_program)],
    site: TheSite,
    idempotency_key: Annotated[
        str | None,
        Header(
            max_length=200,
            description="A text that is different for every change. A change that is sent again with its key, because "
            "no answer came, counts once.",
        ),
    ] = None,
) -> ProgramChange:
    key = f"{name}\0{idempotency_key or uuid4().hex}"
    return ProgramChange(site, name, f"api-{hashlib.sha256(key.encode()).hexdigest()[:32]}")


Change = Annotated[ProgramChange, Depends(_change)]


def director_change(change: Change, caller: Caller) -> ProgramChange:
    """Return the change that a program asks for; raise NotAllowed if its token is not a director's."""
    if caller is None or not caller[1].includes(TokenScope.DIRECT):
        raise NotAllowed("This token cannot direct sessions. Nothing was changed.")
    return change


DirectorChange = Annotated[ProgramChange, Depends(director_change)]
