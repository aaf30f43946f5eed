"""The JSON API for programs: tokens, an OpenAPI description and a live stream of facts."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Header, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from overtrick import __version__
from overtrick.bridge import Outcome, vulnerability
from overtrick.errors import OvertrickError
from overtrick.event.filing import NOT_BINNED, PLAYED
from overtrick.event.results import EnterResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.rulings import rules_of
from overtrick.event.settings import SettingsIIISet, SettingsIISet
from overtrick.guid import GUID
from overtrick.keys import TokenScope
from overtrick.scoring.rules import title
from overtrick.store import Appended, Journal, follow
from overtrick.views import board_monitor, round_monitor, seating
from overtrick.views.report import prepare_report
from overtrick.web import view_models
from overtrick.web.access_control import RETRY_AFTER, NotAllowed, TooManyAttempts, address
from overtrick.web.api_schemas import (
    BoardItem,
    ClockItem,
    Done,
    GroupItem,
    LineAdjustment,
    NewResult,
    RankingItem,
    RankItem,
    ResultItem,
    RulingItem,
    SeatingItem,
    SeatItem,
    SectionItem,
    Sentence,
    SessionItem,
    SessionState,
    TableItem,
    TravellerItem,
    TravellerLine,
)
from overtrick.web.clock_pages import clock_item
from overtrick.web.forms import read_lead
from overtrick.web.public_pages import hidden_players, public_players
from overtrick.web.session_projection import SessionProjection
from overtrick.web.site import Site

Guid = Annotated[
    str,
    Path(pattern=f"^{GUID.pattern}$", description="The guid of a session: 32 capital hexadecimal digits."),
]
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Sentence, "description": words}
    for status, words in {
        400: "Bad request",
        401: "Missing or unknown token",
        403: "Not allowed",
        404: "Not found",
        409: "Refused by the rules of the event",
        413: "Request too large",
        414: "Address too long",
        421: "Unknown host name",
        422: "Invalid fields",
        429: "Too many requests",
    }.items()
}


class _Unauthorised(OvertrickError):
    code = "unauthorised"


# Callers ----------------------------------------------------------------------------------------------------


async def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


TheSite = Annotated[Site, Depends(_site)]


def _caller(request: Request, site: TheSite) -> tuple[str, TokenScope] | None:
    """Return the name and the scope of the request's token; None without an Authorization header.

    Raise `_Unauthorised` for an unknown token, TooManyAttempts above the rate limits.
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
        raise _Unauthorised("Unknown token.")
    return scope


Caller = Annotated[tuple[str, TokenScope] | None, Depends(_caller)]


def _sees_everything(caller: Caller, site: TheSite) -> bool:
    """Return whether the caller may see unpublished results; raise `_Unauthorised` if it may see none."""
    if caller is None and not site.keys.results_public:
        raise _Unauthorised("Results are not public. Send a token.")
    return caller is not None


def _program(caller: Caller) -> str:
    if caller is None:
        raise _Unauthorised("Send a token as Authorization: Bearer ….")
    return caller[0]


def _writing_program(program: Annotated[str, Depends(_program)], caller: Caller) -> str:
    if caller is not None and not caller[1].includes(TokenScope.WRITE):
        raise NotAllowed("This token can only read. Nothing was changed.")
    return program


SeesEverything = Annotated[bool, Depends(_sees_everything)]
PROGRAM = Depends(_program)
PUBLIC = Depends(_sees_everything)
"""PROGRAM and PUBLIC are for routes that check the caller and do not use it."""
WritingProgram = Annotated[str, Depends(_writing_program)]
Number = Annotated[int, Path(ge=1, le=9_999)]

# Routes -----------------------------------------------------------------------------------------------------

routes = APIRouter()


@routes.get("/sessions", tags=["sessions"])
async def sessions(everything: SeesEverything, site: TheSite) -> list[SessionItem]:
    """List all sessions, most recently changed first; without a token, those that have been played."""
    return [
        SessionItem(
            session=line.session,
            incarnation=line.incarnation,
            name=line.name,
            day=line.day,
            changed=line.changed,
            status=line.stage.value,
        )
        for line in await site.live.sessions(stages=NOT_BINNED if everything else PLAYED)
    ]


@routes.get("/sessions/{session}", tags=["sessions"], dependencies=[PUBLIC])
async def session(session: Guid, site: TheSite) -> SessionState:
    """Return the current state of a session."""
    return await site.live.look(session, _state)


@routes.get("/sessions/{session}/ranking", tags=["results"], dependencies=[PUBLIC])
async def ranking(session: Guid, site: TheSite) -> list[RankingItem]:
    """Return the running ranking."""
    return await site.live.look(session, _rankings)


@routes.get("/sessions/{session}/travellers/{board}", tags=["results"])
async def travellers(
    session: Guid, board: Number, everything: SeesEverything, site: TheSite
) -> list[TravellerItem]:
    """Return a board's travellers, one per field.

    Without a token only when all tables have played it, or the session is finished.
    """
    return await site.live.look(session, lambda projection: _travellers(projection, board, everything))


@routes.get("/sessions/{session}/rulings", tags=["results"])
async def rulings(session: Guid, everything: SeesEverything, site: TheSite) -> list[RulingItem]:
    """List the director's decisions.

    Without a token, those about a board only when all tables have played it, or the session is finished.
    """
    return await site.live.look(session, lambda projection: _rulings(projection, everything))


@routes.get("/sessions/{session}/results", tags=["results"], dependencies=[PROGRAM])
async def results(session: Guid, site: TheSite) -> list[ResultItem]:
    """List all current results."""
    by_table = view_models.ResultFilter(sort="table")
    return await site.live.look(
        session,
        lambda projection: [
            ResultItem.model_validate(line) for line in view_models.result_lines(projection.view, by_table)
        ],
    )


@routes.post("/sessions/{session}/results", tags=["results"])
async def enter(session: Guid, result: NewResult, program: WritingProgram, site: TheSite) -> Done:
    """Enter a result, or replace one; the answer is durable."""
    entry = ResultEntry(
        result.section,
        result.table,
        result.round,
        result.board,
        Outcome.parse(result.outcome),
        site.now(),
        lead=read_lead({"lead": result.lead or ""}),
    )
    command = (
        PutResults(session, (entry,), Origin.SCORING_PROGRAM)
        if result.replace
        else EnterResult(session, entry, Origin.SCORING_PROGRAM)
    )
    return _done(await site.do(command, f"program {program}"))


@routes.delete("/sessions/{session}/results/{section}/{table}/{round}/{board}", tags=["results"])
async def erase(
    session: Guid,
    section: Annotated[str, Path(pattern=r"^[A-Z]{1,3}$")],
    table: Number,
    round: Number,
    board: Number,
    program: WritingProgram,
    site: TheSite,
) -> Done:
    """Erase a result."""
    command = EraseResult(session, section, table, round, board, Origin.SCORING_PROGRAM)
    return _done(await site.do(command, f"program {program}"))


@routes.get("/sessions/{session}/rounds", tags=["play"], dependencies=[PROGRAM])
async def rounds(session: Guid, site: TheSite) -> list[TableItem]:
    """Return the round and the progress of every table."""
    return await site.live.look(
        session,
        lambda projection: [TableItem.model_validate(line) for line in round_monitor(projection.view)],
    )


@routes.get("/sessions/{session}/clock", tags=["play"], dependencies=[PUBLIC])
async def clock(session: Guid, site: TheSite) -> ClockItem:
    """Return the round clock as it is now, and the tables that are late by it."""
    return await site.live.look(session, lambda projection: clock_item(projection, site.now()))


@routes.get("/sessions/{session}/boards", tags=["play"], dependencies=[PUBLIC])
async def boards(session: Guid, site: TheSite) -> list[BoardItem]:
    """Return the progress of every board."""
    return await site.live.look(
        session,
        lambda projection: [BoardItem.model_validate(line) for line in board_monitor(projection.view)],
    )


@routes.get("/sessions/{session}/seating/{round}", tags=["play"])
async def seats(session: Guid, round: Number, everything: SeesEverything, site: TheSite) -> list[SeatingItem]:
    """Return the seating of a round; without a token, without the names that are not published."""
    return await site.live.look(session, lambda projection: _seating(projection, round, everything))


@routes.get(
    "/sessions/{session}/facts",
    tags=["live"],
    dependencies=[PROGRAM],
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events"}},
)
async def facts(
    session: Guid,
    site: TheSite,
    after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    last_event_id: Annotated[int | None, Header(ge=0, le=2**31 - 1)] = None,
) -> StreamingResponse:
    """Stream every fact above a version as server-sent events, with the version as their id.

    A client that reconnects sends that id as Last-Event-ID, which counts instead of `after`.
    """
    stream = await site.live.look(session, lambda projection: projection.stream)
    version = after if last_event_id is None else last_event_id
    return StreamingResponse(_fact_events(site.live.journal, stream, version), media_type="text/event-stream")


@routes.get("/", include_in_schema=False)
async def describe(request: Request) -> Response:
    """Render the API description for people."""
    site: Site = request.app.state.site
    return site.page(request, "api.html", spec=request.app.openapi())


# Errors -----------------------------------------------------------------------------------------------------


async def _refused(request: Request, error: Exception) -> Response:
    from overtrick.web.app import sentence_for, status_of

    if isinstance(error, _Unauthorised):
        return JSONResponse({"sentence": str(error)}, 401, {"www-authenticate": "Bearer"})
    if isinstance(error, TooManyAttempts):
        return JSONResponse({"sentence": str(error)}, 429, RETRY_AFTER)
    return JSONResponse({"sentence": sentence_for(error)}, status_of(error))


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in error.errors()
    ]
    return JSONResponse({"sentence": "; ".join(problems)[:1000]}, 422)


async def _other(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"sentence": str(error.detail)}, error.status_code, error.headers)


def api_app(site: Site) -> FastAPI:
    """Return the application under /api."""
    api = FastAPI(
        title="Overtrick",
        version=__version__,
        description=(
            "Read everything that the desk shows, and enter results. Send a token as `Authorization: Bearer …`. While "
            "results are public, rankings need no token, nor do boards that all tables have played, or any board of a "
            "finished session."
        ),
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        servers=[{"url": "/api"}],
        root_path_in_servers=False,
        responses=REFUSALS,
        # Only documents the scheme in OpenAPI: `_caller` checks the token and words the error.
        dependencies=[Depends(HTTPBearer(auto_error=False, description="The token of a program"))],
        exception_handlers={
            OvertrickError: _refused,
            RequestValidationError: _malformed,
            HTTPException: _other,
        },
    )
    api.state.site = site
    api.include_router(routes)
    return api


# Items ------------------------------------------------------------------------------------------------------


def _state(projection: SessionProjection) -> SessionState:
    session = projection.view.session
    opened = session.opened
    return SessionState(
        session=opened.session,
        incarnation=opened.incarnation,
        name=opened.name,
        day=opened.day,
        status=session.setup.status.value,
        version=projection.version,
        round=view_models.current_round(projection.view),
        provisional_until=session.rulings.provisional_until,
        is_appeal_pending=session.rulings.is_appeal_pending,
        groups=[
            GroupItem(
                number=number,
                name=group.name,
                method=group.method.value,
                rules=title(rules_of(session, number).rule_set),
            )
            for number, group in sorted(session.setup.groups.items())
        ],
        sections=[
            SectionItem(
                letters=letters,
                group=section.group,
                winners=session.winners(letters),
                tables=len(session.movement.section(letters)),
                rounds=session.movement.rounds(letters),
            )
            for letters, section in sorted(session.setup.sections.items())
        ],
    )


def _rankings(projection: SessionProjection) -> list[RankingItem]:
    return [
        RankingItem(
            title=one.title,
            unit=one.unit,
            further=one.further,
            lines=[
                RankItem(
                    rank=line.rank,
                    contestant=str(line.contestant),
                    names=line.names,
                    score=None if line.value is None else float(line.score),
                    boards=line.boards,
                    adjustment=round(line.adjustment, 4),
                )
                for line in one.lines
            ],
        )
        for one in view_models.rankings(projection.view, public_players(projection))
    ]


def _travellers(projection: SessionProjection, board: int, everything: bool) -> list[TravellerItem]:
    view = projection.view
    published = view_models.published_boards(view)
    travellers = []
    for line in board_monitor(view):
        if line.board != board or not (everything or (line.field, board) in published):
            continue
        group = int(line.field.partition(".")[0])
        traveller = view.traveller(group, board, line.field)
        travellers.append(
            TravellerItem(
                field=line.field,
                board=board,
                lines=[
                    TravellerLine(
                        ns=str(scored.line.ns),
                        ew=str(scored.line.ew),
                        outcome=str(scored.line.outcome),
                        outcome_ew=None if scored.line.ew_outcome is None else str(scored.line.ew_outcome),
                        version=scored.line.version,
                        lead=scored.line.lead,
                        score=scored.line.outcome.ns_score(vulnerability(board)),
                        ns_points=scored.ns.points if scored.ns else None,
                        ew_points=scored.ew.points if scored.ew else None,
                        adjustments=[
                            LineAdjustment(contestant=str(who), points=units / scored.units_per_point)
                            for who, units in scored.adjustments
                        ],
                    )
                    for scored in traveller.lines
                ],
            )
        )
    return travellers


def _rulings(projection: SessionProjection, everything: bool) -> list[RulingItem]:
    view = projection.view
    prepare = prepare_report if everything else partial(view_models.prepare_public_report, hidden=())
    reports = [prepare(view, group=number)() for number in sorted(view.session.setup.groups)]
    return [
        RulingItem(
            kind=ruling.kind.value,
            board=ruling.board,
            contestants=[str(contestant) for contestant in ruling.contestants],
            words=ruling.words,
            reason=ruling.reason,
            at_table=ruling.at_table,
            appeal=ruling.appeal,
            text=report.ruling_words(ruling),
        )
        for report in reports
        for ruling in report.rulings
    ]


def _seating(projection: SessionProjection, number: int, everything: bool) -> list[SeatingItem]:
    session = projection.view.session
    hidden = frozenset() if everything else hidden_players(projection)
    return [
        SeatingItem(
            section=line.section,
            table=line.table,
            round=line.round,
            ns=line.ns,
            ew=line.ew,
            boards=list(line.boards),
            players=[
                SeatItem(seat=seat.value, number=player.number, name=player.name)
                for seat, player in view_models.shown_seats(line, hidden).players
            ],
        )
        for section in sorted(session.setup.sections)
        for line in seating(session, section, number)
    ]


def _done(answer: Appended) -> Done:
    last = max((span.last for span in answer.spans if span.stream.startswith("session/")), default=None)
    return Done(changed=bool(answer.spans), version=last)


async def _fact_events(journal: Journal, stream: str, after: int) -> AsyncIterator[str]:
    """Yield the facts above version `after` as server-sent events, without the director's PIN; wait for new ones."""
    yield "retry: 2000\n\n"
    async with aclosing(follow(journal, stream, after)) as entries:
        async for entry in entries:
            encoded = journal.codec.encode(entry.fact)
            about = {"kind": encoded.kind, "at": entry.at.isoformat(), "actor": entry.actor}
            body = json.loads(encoded.body)
            if isinstance(entry.fact, SettingsIISet | SettingsIIISet):
                body["settings"]["pin"] = ""  # the director's PIN is secret, also from programs
            text = json.dumps({**about, "fact": body}, ensure_ascii=False)
            yield f"id: {entry.version}\nevent: fact\ndata: {text}\n\n"
