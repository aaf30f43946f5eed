"""The JSON API for programs: tokens, an OpenAPI description and a live stream of facts."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Header, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from fastapi.utils import generate_unique_id
from starlette.exceptions import HTTPException

from overtrick import __version__
from overtrick.bridge import Outcome, vulnerability
from overtrick.errors import OvertrickError
from overtrick.event.filing import NOT_BINNED, PLAYED
from overtrick.event.results import EnterResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.rulings import rules_of
from overtrick.event.settings import SettingsIIISet, SettingsIISet
from overtrick.scoring.rules import title
from overtrick.store import Journal, follow
from overtrick.views import board_monitor, round_monitor, seating
from overtrick.views.report import prepare_report
from overtrick.web import view_models
from overtrick.web.access_control import RETRY_AFTER, TooManyAttempts
from overtrick.web.api_callers import (
    PROGRAM,
    PUBLIC,
    Change,
    Guid,
    Number,
    SeesEverything,
    TheSite,
    Unauthorised,
)
from overtrick.web.api_reference import describe_v1, operation_name, read_reference
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
from overtrick.web.api_v1 import routes as v1_routes
from overtrick.web.clock_pages import clock_item
from overtrick.web.forms import read_lead
from overtrick.web.problem_details import PROBLEMS, V1, refusal
from overtrick.web.public_pages import hidden_players, public_players
from overtrick.web.session_projection import SessionProjection
from overtrick.web.site import CommandRefused, Site

MOST_PROBLEMS = 50
"""The number of invalid fields that an answer lists."""
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Sentence, "description": PROBLEMS[status][1]}
    for status in (400, 401, 403, 404, 409, 410, 413, 414, 421, 422, 429)
}


# Routes -----------------------------------------------------------------------------------------------------

unversioned_routes = APIRouter()
"""The routes of paths without a version that version 1 replaces with its own."""
routes = APIRouter()
"""The routes of paths without a version and of version 1."""


@unversioned_routes.get("/sessions/{session}/ranking", tags=["results"], dependencies=[PUBLIC])
async def ranking(session: Guid, site: TheSite) -> list[RankingItem]:
    """Return the running ranking."""
    return await site.live.read(session, _rankings)


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
    return await site.live.read(session, _state)


@routes.get("/sessions/{session}/travellers/{board}", tags=["results"])
async def travellers(
    session: Guid, board: Number, everything: SeesEverything, site: TheSite
) -> list[TravellerItem]:
    """Return a board's travellers, one per field.

    Without a token only when all tables have played it, or the session is finished.
    """
    return await site.live.read(session, lambda projection: _travellers(projection, board, everything))


@routes.get("/sessions/{session}/rulings", tags=["results"])
async def rulings(session: Guid, everything: SeesEverything, site: TheSite) -> list[RulingItem]:
    """List the director's decisions.

    Without a token, those about a board only when all tables have played it, or the session is finished.
    """
    return await site.live.read(session, lambda projection: _rulings(projection, everything))


@routes.get("/sessions/{session}/results", tags=["results"], dependencies=[PROGRAM])
async def results(session: Guid, site: TheSite) -> list[ResultItem]:
    """List all current results."""
    by_table = view_models.ResultFilter(sort="table")
    return await site.live.read(
        session,
        lambda projection: [
            ResultItem.model_validate(line) for line in view_models.result_lines(projection.view, by_table)
        ],
    )


@routes.post("/sessions/{session}/results", tags=["results"])
async def enter(session: Guid, result: NewResult, change: Change, site: TheSite) -> Done:
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
    return await change.send(
        PutResults(session, (entry,), Origin.SCORING_PROGRAM)
        if result.replace
        else EnterResult(session, entry, Origin.SCORING_PROGRAM)
    )


@routes.delete("/sessions/{session}/results/{section}/{table}/{round}/{board}", tags=["results"])
async def erase(
    session: Guid,
    section: Annotated[str, Path(pattern=r"^[A-Z]{1,3}$")],
    table: Number,
    round: Number,
    board: Number,
    change: Change,
) -> Done:
    """Erase a result."""
    return await change.send(EraseResult(session, section, table, round, board, Origin.SCORING_PROGRAM))


@routes.get("/sessions/{session}/rounds", tags=["play"], dependencies=[PROGRAM])
async def rounds(session: Guid, site: TheSite) -> list[TableItem]:
    """Return the round and the progress of every table."""
    return await site.live.read(
        session,
        lambda projection: [TableItem.model_validate(line) for line in round_monitor(projection.view)],
    )


@routes.get("/sessions/{session}/clock", tags=["play"], dependencies=[PUBLIC])
async def clock(session: Guid, site: TheSite) -> ClockItem:
    """Return the round clock as it is now, and the tables that are late by it."""
    return await site.live.read(session, lambda projection: clock_item(projection, site.now()))


@routes.get("/sessions/{session}/boards", tags=["play"], dependencies=[PUBLIC])
async def boards(session: Guid, site: TheSite) -> list[BoardItem]:
    """Return the progress of every board."""
    return await site.live.read(
        session,
        lambda projection: [BoardItem.model_validate(line) for line in board_monitor(projection.view)],
    )


@routes.get("/sessions/{session}/seating/{round}", tags=["play"])
async def seats(session: Guid, round: Number, everything: SeesEverything, site: TheSite) -> list[SeatingItem]:
    """Return the seating of a round; without a token, without the names that are not published."""
    return await site.live.read(session, lambda projection: _seating(projection, round, everything))


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
    stream = await site.live.read(session, lambda projection: projection.stream)
    version = after if last_event_id is None else last_event_id
    return StreamingResponse(_fact_events(site.live.journal, stream, version), media_type="text/event-stream")


@routes.get("/", include_in_schema=False)
async def describe(request: Request, site: TheSite) -> Response:
    """Render the API description for people."""
    return site.page(request, "api.html", reference=read_reference(request.app.openapi()))


# Errors -----------------------------------------------------------------------------------------------------


async def _refused(request: Request, error: Exception) -> Response:
    from overtrick.web.app import sentence_for, status_of

    assert isinstance(error, OvertrickError)
    path = request.scope["path"]
    if isinstance(error, Unauthorised):
        return refusal(path, 401, str(error), error.code, headers={"www-authenticate": "Bearer"})
    if isinstance(error, TooManyAttempts):
        return refusal(path, 429, str(error), error.code, headers=RETRY_AFTER)
    problems = (
        [
            {"reason": problem.reason.value, "detail": problem.sentence, "where": problem.where}
            for problem in error.rejection.problems
        ]
        if isinstance(error, CommandRefused)
        else []
    )
    return refusal(path, status_of(error), sentence_for(error), error.code, problems=problems)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        {
            "reason": problem["type"],
            "detail": problem["msg"],
            "where": ".".join(str(part) for part in problem["loc"]),
        }
        for problem in error.errors()[:MOST_PROBLEMS]
    ]
    sentence = "; ".join(f"{problem['where']}: {problem['detail']}" for problem in problems)[:1000]
    return refusal(request.scope["path"], 422, sentence, problems=problems)


async def _other(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refusal(request.scope["path"], error.status_code, str(error.detail), headers=error.headers)


async def _broken(request: Request, error: Exception) -> Response:
    from overtrick.web.app import BROKEN

    return refusal(request.scope["path"], 500, BROKEN)


def api_app(site: Site) -> FastAPI:
    """Return the application under /api, with version 1 in it."""
    unversioned = _app(site, "/api", [unversioned_routes, routes])
    unversioned.mount("/v1", v1_app(site))
    return unversioned


def v1_app(site: Site | None) -> FastAPI:
    """Return the application of version 1; without a site only to be described."""
    v1 = _app(site, V1, [v1_routes, routes], operation_name)
    v1.openapi = partial(describe_v1, v1.openapi, [*v1_routes.routes, *routes.routes])  # type: ignore[method-assign]
    return v1


def _app(
    site: Site | None,
    path: str,
    routers: list[APIRouter],
    operation_id: Callable[[APIRoute], str] = generate_unique_id,
) -> FastAPI:
    api = FastAPI(
        title="Overtrick",
        version=__version__,
        description=(
            "Read everything that the desk shows, and set up and run sessions. Send a token as "
            "`Authorization: Bearer …`. While results are public, rankings need no token, nor do boards that all "
            "tables have played, or any board of a finished session."
        ),
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        servers=[{"url": path}],
        root_path_in_servers=False,
        responses=REFUSALS,
        generate_unique_id_function=operation_id,
        # Only documents the scheme in OpenAPI: `api_callers` checks the token and words the error.
        dependencies=[Depends(HTTPBearer(auto_error=False, description="The token of a program"))],
        exception_handlers={
            OvertrickError: _refused,
            RequestValidationError: _malformed,
            HTTPException: _other,
            Exception: _broken,
        },
    )
    api.state.site = site
    for router in routers:
        api.include_router(router)
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
            title=table.title,
            unit=table.unit,
            further=table.further,
            lines=[
                RankItem(
                    rank=line.rank,
                    contestant=str(line.contestant),
                    names=line.names,
                    score=None if line.value is None else float(line.score),
                    boards=line.boards,
                    adjustment=round(line.adjustment, 4),
                )
                for line in table.lines
            ],
        )
        for table in view_models.rankings(projection.view, public_players(projection))
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
                            LineAdjustment(contestant=str(contestant), points=units / scored.units_per_point)
                            for contestant, units in scored.adjustments
                        ],
                    )
                    for scored in traveller.lines
                ],
            )
        )
    return travellers


def _rulings(projection: SessionProjection, everything: bool) -> list[RulingItem]:
    view = projection.view
    prepare = (
        prepare_report
        if everything
        else partial(view_models.prepare_public_report, hidden=hidden_players(projection))
    )
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
                for seat, player in view_models.published_seating(line, hidden).players
            ],
        )
        for section in sorted(session.setup.sections)
        for line in seating(session, section, number)
    ]


async def _fact_events(journal: Journal, stream: str, after: int) -> AsyncIterator[str]:
    """Yield the facts above version `after` as server-sent events, without the director's PIN; wait for new ones."""
    yield "retry: 2000\n\n"
    async with aclosing(follow(journal, stream, after)) as entries:
        async for entry in entries:
            encoded = journal.codec.encode(entry.fact)
            envelope = {"kind": encoded.kind, "at": entry.at.isoformat(), "actor": entry.actor}
            body = json.loads(encoded.body)
            if isinstance(entry.fact, SettingsIISet | SettingsIIISet):
                body["settings"]["pin"] = ""  # the director's PIN is secret, also from programs
            text = json.dumps({**envelope, "fact": body}, ensure_ascii=False)
            yield f"id: {entry.version}\nevent: fact\ndata: {text}\n\n"
