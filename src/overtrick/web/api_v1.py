"""The routes that only version 1 of the JSON API has: typed rankings, and setting up and running a session.

A change goes through the same form fields, parsers and commands as at the desk.
"""

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from overtrick.errors import BadInput
from overtrick.event import Command, Session
from overtrick.event.calls import AnswerCall, CallStatus
from overtrick.event.movement import Contestant
from overtrick.event.rulings import WithdrawAdjustment
from overtrick.event.seating import SessionPlayer
from overtrick.event.setup import GameKind, SetStatus
from overtrick.scoring import Contestant as RankedContestant
from overtrick.web import ruling_forms, view_models
from overtrick.web.api_callers import PROGRAM, PUBLIC, DirectorChange, Guid, TheSite
from overtrick.web.api_schemas import (
    AdjustmentItem,
    AdjustmentRuling,
    CallAnswer,
    CallItem,
    ContestantName,
    DealItem,
    Done,
    FouledBoardRuling,
    MatchRuling,
    MovementItem,
    MoveRuling,
    NewRuling,
    NewSession,
    NewStatus,
    PeriodRuling,
    PlayerItem,
    RankingLineItem,
    RankingTableItem,
    ResultRuling,
    RulesRuling,
    SeatedPlayers,
    SetUp,
    StandingRuling,
)
from overtrick.web.forms import Form, TypedSeat, seats_command
from overtrick.web.hands_import import NotConfirmed, read_hands
from overtrick.web.known_players import KnownPlayers
from overtrick.web.public_pages import public_players
from overtrick.web.session_projection import SessionProjection
from overtrick.web.session_setup import (
    KINDS,
    ParentEvent,
    SessionRequest,
    open_command,
)
from overtrick.web.session_setup_reader import SessionSetupReader

routes = APIRouter()


# Setting up -------------------------------------------------------------------------------------------------


@routes.get("/movements", tags=["setup"], dependencies=[PROGRAM])
async def list_movements(
    site: TheSite,
    count: Annotated[int, Query(ge=2, le=128, description="The number of pairs, players or teams.")],
    boards: Annotated[int, Query(ge=2, le=60)],
    game: GameKind = GameKind.PAIRS,
    boards_per_round: Annotated[int | None, Query(ge=1, le=9)] = None,
) -> list[MovementItem]:
    """List the movements that are offered for a section, the best first."""
    form = {"game": game.value, "count": str(count), "boards": str(boards), **_per_round(boards_per_round)}
    return [
        MovementItem(
            name=choice.name,
            meaning=choice.meaning,
            tables=choice.movement.tables,
            rounds=choice.rounds,
            boards_per_round=choice.boards_per_round,
            boards_each=choice.boards_each,
            every_board=choice.every_board,
            winners=choice.winners,
            sit_out=choice.sit_out,
        )
        for choice in await asyncio.to_thread(SessionSetupReader(site).movements, form)
    ]


@routes.post("/sessions", tags=["setup"], status_code=201)
async def create_session(session: NewSession, change: DirectorChange, site: TheSite) -> SetUp:
    """Set up a session, in a new event or in an existing one."""
    form = _setup_form(session)
    # Derived from the change's key, so that a request that is sent twice creates one session.
    guid = change.command_id.removeprefix("api-").upper()
    reader = SessionSetupReader(site)

    async def make() -> Command:
        parent = await reader.parent_event(form)
        setup = await asyncio.to_thread(_choose_movements, reader, session, form, parent)
        return open_command(setup, form, guid, site.now().astimezone().date(), parent)

    done = await change.do(make)
    return SetUp(session=guid, changed=done.changed, version=done.version)


@routes.put("/sessions/{session}/status", tags=["setup"])
async def set_status(session: Guid, status: NewStatus, change: DirectorChange) -> Done:
    """Start or end a session, or return it to an earlier status; results may be missing."""
    return await change.send(SetStatus(session, status.status))


@routes.put("/sessions/{session}/players", tags=["setup"])
async def put_players(session: Guid, players: SeatedPlayers, change: DirectorChange, site: TheSite) -> Done:
    """Seat players or clear seats; seats that the request does not name stay as they are."""

    async def make() -> Command:
        completed = await KnownPlayers(site).complete(
            SessionPlayer(seat.number, seat.first_name, seat.last_name) for seat in players.seats
        )
        seats = [
            TypedSeat(seat.section, seat.table, seat.round, seat.seat, player)
            for seat, player in zip(players.seats, completed, strict=True)
        ]
        return seats_command(await _session(site, session), seats)

    return await change.do(make)


@routes.get("/sessions/{session}/deals", tags=["setup"], dependencies=[PROGRAM])
async def list_deals(session: Guid, site: TheSite) -> list[DealItem]:
    """List the deals, including those of boards that are still to be played."""
    return await site.live.read(
        session,
        lambda projection: [
            DealItem(
                group=record.group,
                board=record.board,
                deal=str(record.deal),
                makeable=str(record.tricks) if record.tricks else None,
            )
            for _, record in sorted(projection.view.session.hands.records.items())
        ],
    )


EXAMPLE_DEAL = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
DEAL_FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A PBN, LIN or DUP file.",
        "content": {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary"},
                "example": f'[Board "1"]\n[Deal "{EXAMPLE_DEAL}"]\n',
            }
        },
    }
}


@routes.put("/sessions/{session}/deals", tags=["setup"], openapi_extra=DEAL_FILE)
async def put_deals(
    session: Guid,
    request: Request,
    change: DirectorChange,
    site: TheSite,
    group: Annotated[
        int | None, Query(ge=1, le=9_999, description="One scoring group; without it, all.")
    ] = None,
    replace: Annotated[
        bool, Query(description="Replace the deals of boards that already have another one.")
    ] = False,
) -> Done:
    """Import the deals of a file, for boards of the session."""
    source = await request.body()

    async def make() -> Command:
        current = await _session(site, session)
        groups = sorted(current.setup.groups) if group is None else [group]
        hands = await asyncio.to_thread(read_hands, current, groups, source, "the file")
        if hands.replaced and not replace:
            raise NotConfirmed(f"{hands.questions[0]} Nothing was imported.")
        return hands.command

    return await change.do(make)


# The director -----------------------------------------------------------------------------------------------


@routes.get("/sessions/{session}/calls", tags=["director"], dependencies=[PROGRAM])
async def list_calls(session: Guid, site: TheSite) -> list[CallItem]:
    """List the calls for the director, the first call first."""
    return await site.live.read(
        session,
        lambda projection: [
            CallItem.model_validate(call) for call in projection.view.session.calls.calls.values()
        ],
    )


@routes.put("/sessions/{session}/calls/{call}", tags=["director"])
async def answer_call(
    session: Guid,
    call: Annotated[str, Path(max_length=100, description="The id of the call.")],
    answer: CallAnswer,
    change: DirectorChange,
    site: TheSite,
) -> Done:
    """Answer a call for the director."""
    return await change.send(AnswerCall(session, call, CallStatus(answer.status), site.now()))


@routes.get("/sessions/{session}/adjustments", tags=["director"], dependencies=[PROGRAM])
async def list_adjustments(session: Guid, site: TheSite) -> list[AdjustmentItem]:
    """List the penalties and bonuses that have not been withdrawn."""
    return await site.live.read(
        session,
        lambda projection: [
            AdjustmentItem(
                adjustment=number,
                contestant=_contestant(adjustment.contestant),
                amount=float(adjustment.amount),
                unit=adjustment.unit,
                board=adjustment.board,
                round=adjustment.round,
                reason=adjustment.reason,
                at=adjustment.at,
            )
            for number, adjustment in sorted(projection.view.session.rulings.adjustments.items())
        ],
    )


@routes.delete("/sessions/{session}/adjustments/{adjustment}", tags=["director"])
async def withdraw_adjustment(
    session: Guid, adjustment: Annotated[int, Path(ge=1, le=9_999_999)], change: DirectorChange, site: TheSite
) -> Done:
    """Withdraw a penalty or a bonus."""
    return await change.send(WithdrawAdjustment(session, adjustment, site.now()))


@routes.post("/sessions/{session}/rulings", tags=["director"])
async def give_ruling(session: Guid, ruling: NewRuling, change: DirectorChange, site: TheSite) -> Done:
    """Give a ruling, of the kind that the body names."""

    async def make() -> Command:
        return _ruling_command(await _session(site, session), ruling, site.now())

    return await change.do(make)


# Results ----------------------------------------------------------------------------------------------------


@routes.get("/sessions/{session}/ranking", tags=["results"], dependencies=[PUBLIC])
async def get_ranking(session: Guid, site: TheSite) -> list[RankingTableItem]:
    """Return the running ranking."""
    return await site.live.read(session, _rankings)


def _rankings(projection: SessionProjection) -> list[RankingTableItem]:
    players = public_players(projection)
    return [
        RankingTableItem(
            title=table.title,
            unit=table.unit,
            further=table.further,
            lines=[
                RankingLineItem(
                    rank=line.place or None,
                    is_shared=line.is_shared,
                    contestant=_ranked_name(line.contestant),
                    players=[
                        PlayerItem(number=player.number, name=player.name)
                        for player in players.get(line.contestant, ())
                    ],
                    score=None if line.value is None else round(line.value, 2),
                    boards=line.boards,
                    adjustment=round(line.adjustment, 4),
                )
                for line in table.lines
            ],
        )
        for table in view_models.rankings(projection.view, players)
    ]


def _ranked_name(contestant: RankedContestant) -> ContestantName:
    return ContestantName(section=contestant.section, number=contestant.number, side=contestant.side)


def _contestant(contestant: Contestant) -> ContestantName:
    section, number, side = contestant
    return ContestantName(section=section, number=number, side=side)


# The fields of the desk's forms -----------------------------------------------------------------------------


async def _session(site: TheSite, guid: str) -> Session:
    # A copy, because the live session may change while the command is made.
    return await site.live.read(guid, lambda projection: projection.view.session.after(()))


def _per_round(boards: int | None) -> Form:
    return {"per_round": str(boards)} if boards else {}


def _setup_form(session: NewSession) -> Form:
    """Return the fields of the form that asks for a session, without its movements."""
    form = {
        "name": session.name,
        "day": session.day.isoformat() if session.day else "",
        "game": session.game,
        "sections": str(len(session.sections)),
        "together": "1" if session.together else "0",
        "method": session.method.value if session.method else "",
        "rules": session.rules or "",
        "vps": "1" if session.victory_points else "",
        "first": session.first_round or "",
        "event": session.event or "",
        "names": "1" if session.same_names else "",
        **_per_round(session.boards_per_round),
        **{f"count-{number}": str(section.count) for number, section in enumerate(session.sections, start=1)},
    }
    if not KINDS[session.game].is_swiss:
        return form | {"boards": str(session.boards)}
    if session.rounds is None:
        raise BadInput("A Swiss session needs the number of rounds. Nothing was changed.", where="rounds")
    return form | {"each": str(session.boards), "rounds": str(session.rounds)}


def _choose_movements(
    reader: SessionSetupReader, session: NewSession, form: Form, parent: ParentEvent | None
) -> SessionRequest:
    """Return the request with the movements that the program names; the first one offered if it names none."""
    offered = reader.read(form, parent)
    if not offered.is_playable:
        return offered  # there is nothing to choose
    choices = {
        f"choice-{number}": str(
            _choice(new.movement, [offer.name for offer in section.offers], section.letters)
        )
        for number, (new, section) in enumerate(zip(session.sections, offered.sections, strict=True), start=1)
        if section.offers
    }
    return reader.read({**form, **choices, "offered": offered.key}, parent)


def _choice(name: str | None, names: list[str], section: str) -> int:
    if name is None:
        return 0
    if name not in names:
        listed = ", ".join(names)
        raise BadInput(
            f"There is no movement {name!r} on offer. There are: {listed}. Nothing was changed.",
            where=section,
        )
    return names.index(name)


RulingParser = Callable[[Session, Form, datetime], Command]

_PARSERS: dict[str, RulingParser] = {
    "result": ruling_forms.result_command,
    "move": ruling_forms.move_command,
    "adjustment": ruling_forms.adjustment_command,
    "standing": lambda session, form, now: ruling_forms.status_command(session, form),
    "fouled board": lambda session, form, now: ruling_forms.foul_command(session, form),
    "match": lambda session, form, now: ruling_forms.match_command(session, form),
    "rules": lambda session, form, now: ruling_forms.rules_command(session, form),
    "correction period": ruling_forms.period_command,
}


def _ruling_command(session: Session, ruling: NewRuling, now: datetime) -> Command:
    form = {**_ruling_form(ruling), **({"reason": ruling.reason} if hasattr(ruling, "reason") else {})}
    return _PARSERS[ruling.kind](session, form, now)


def _ruling_form(ruling: NewRuling) -> Form:
    """Return the fields of the desk's form for a ruling, without its reason."""
    match ruling:
        case ResultRuling():
            place = {"place": _place(ruling), "appeal": ruling.appeal.value}
            if ruling.outcome_ew is None:
                return {**place, "as": "result", "typed": ruling.outcome}
            return {**place, "as": "split", "split-ns": ruling.outcome, "split-ew": ruling.outcome_ew}
        case MoveRuling():
            target = f"{ruling.to_round or ruling.round}-{ruling.to_board or ruling.board}"
            turned = "1" if ruling.wrong_direction else ""
            return {
                "place": _place(ruling),
                "to": target,
                "exchange": "1" if ruling.exchange else "",
                "turned": turned,
            }
        case AdjustmentRuling():
            return {
                "who": _contestant_key(ruling.contestant),
                "kind": "bonus" if ruling.amount > 0 else "penalty",
                "amount": f"{abs(ruling.amount)}",
                "unit": ruling.unit.value,
                "board": str(ruling.board or ""),
                "round": str(ruling.round or ""),
            }
        case StandingRuling():
            return {"who": _contestant_key(ruling.contestant), "status": ruling.status.value}
        case FouledBoardRuling():
            tables = {
                f"version-{played.section}-{played.table}-{played.round}": played.version
                for played in ruling.tables
            }
            return {"board": str(ruling.board), **tables}
        case MatchRuling():
            return dict(_match_fields(ruling))
        case RulesRuling():
            vps, knockout = ruling.victory_points, ruling.knockout
            return {
                "group": str(ruling.group),
                "rules": ruling.rules,
                "vps": "1" if vps else "",
                "knockout": "1" if knockout else "",
            }
        case PeriodRuling():
            return {"until": ruling.until.isoformat()} if ruling.until else {"do": "final"}


def _match_fields(ruling: MatchRuling) -> Iterator[tuple[str, str]]:
    """Yield the fields of the desk's form for a match, with the teams and their points sorted by section and number."""
    teams = [(ruling.one, ruling.points_one), (ruling.other, ruling.points_other)]
    teams.sort(key=lambda team: (team[0].section, team[0].number))
    yield "match", f"{ruling.round}/{'/'.join(_contestant_key(team) for team, _ in teams)}"
    yield "kind", ruling.counts
    yield "boards", str(ruling.boards or "")
    for name, (_, points) in zip(("points-one", "points-other"), teams, strict=True):
        yield name, "" if points is None else f"{points}"


def _place(ruling: ResultRuling | MoveRuling) -> str:
    return f"{ruling.section}-{ruling.table}-{ruling.round}-{ruling.board}"


def _contestant_key(contestant: ContestantName) -> str:
    return ruling_forms.write_contestant((contestant.section, contestant.number, contestant.side))
