"""The handlers of the Put commands: results, players, seats, deals, settings and calls of a session."""

from overtrick.connector import from_wire
from overtrick.connector.from_wire import RequestRejected
from overtrick.connector.payload import read_payloads, reject_problems
from overtrick.connector.request_context import RequestContext
from overtrick.connector.wire.envelope import Response
from overtrick.connector.wire.numbers import WireCommand
from overtrick.connector.wire.play import (
    HandrecordDTO,
    ParticipationDTO,
    PlayerDataDTO,
    ResultDTO,
    TdCallDTO,
)
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, Bridgemate3SettingsDTO, SettingsDTO
from overtrick.event.hands import PutHandRecords
from overtrick.event.seating import PutParticipations, PutPlayers
from overtrick.event.settings import PutSettings


def put_results(context: RequestContext) -> Response:
    """Write results of the scoring program; they replace those at the same places."""
    dtos = read_payloads(context, ResultDTO)
    command = from_wire.results(context.request.session, dtos, context.host.now())
    context.require_session()
    context.change(command)
    return context.ok()


def put_player_data(context: RequestContext) -> Response:
    """Write players of the session. Clients send whole lists repeatedly and expect OK even if nothing changes."""
    players = from_wire.players(read_payloads(context, PlayerDataDTO))
    context.require_session()
    context.change(PutPlayers(context.request.session, players), may_be_known=True)
    return context.ok()


def put_participations(context: RequestContext) -> Response:
    """Write the players' seats."""
    seats = from_wire.participations(read_payloads(context, ParticipationDTO))
    later = from_wire.sections_seated_later(seats)
    context.require_session()
    if later:
        with context.session() as session:
            from_wire.require_explicit_seating(session, later)
    context.change(PutParticipations(context.request.session, seats))
    return context.ok()


def put_handrecords(context: RequestContext) -> Response:
    """Write hand records."""
    records = from_wire.hand_records(read_payloads(context, HandrecordDTO))
    with context.session() as session:
        homes = from_wire.groups_by_section(session)
    context.change(PutHandRecords(context.request.session, from_wire.records_by_group(records, homes)))
    return context.ok()


def put_settings(context: RequestContext) -> Response:
    """Write the settings of one generation of table units."""
    is_second = context.request.command is WireCommand.PutBridgemate2Settings
    kind: type[SettingsDTO] = Bridgemate2SettingsDTO if is_second else Bridgemate3SettingsDTO
    dtos = read_payloads(context, kind)
    reject_problems(
        [f"[{at}] {problem}" for at, dto in enumerate(dtos) for problem in from_wire.out_of_range(dto)]
    )
    settings = from_wire.settings(dtos)
    context.require_session()
    context.change(PutSettings(context.request.session, settings))
    return context.ok()


def put_td_calls(context: RequestContext) -> Response:
    """Write calls to the director and their status."""
    dtos = read_payloads(context, TdCallDTO)
    host = context.host
    with context.session() as session:
        try:
            command = from_wire.td_calls(session, dtos, host.now(), context.projection.zone, host.new_id)
        except RequestRejected:
            if context.is_resent():  # the first request has resolved the call, so it is no longer open
                return context.ok()
            raise
    context.change(command)
    return context.ok()
