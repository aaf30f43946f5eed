"""The handlers of what is put: results, players, seats, deals, settings and calls of a session."""

from overtrick.connector import from_wire
from overtrick.connector.from_wire import Misfit
from overtrick.connector.payload import many, sound
from overtrick.connector.request_context import Task
from overtrick.connector.wire.envelope import Response
from overtrick.connector.wire.numbers import Command
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


def put_results(task: Task) -> Response:
    """Take results of the scoring program, in place of what stood there."""
    dtos = many(task, ResultDTO)
    command = from_wire.results(task.request.session, dtos, task.ground.now())
    task.require_session()
    task.change(command)
    return task.ok()


def put_player_data(task: Task) -> Response:
    """Take players of the session. Whole lists are sent again and again, and the vendor's sample counts on an OK."""
    players = from_wire.players(many(task, PlayerDataDTO))
    task.require_session()
    task.change(PutPlayers(task.request.session, players), may_be_known=True)
    return task.ok()


def put_participations(task: Task) -> Response:
    """Take who sits where at the start."""
    seats = from_wire.participations(many(task, ParticipationDTO))
    later = from_wire.seated_later(seats)
    task.require_session()
    if later:
        with task.session() as session:
            from_wire.only_explicit(session, later)
    task.change(PutParticipations(task.request.session, seats))
    return task.ok()


def put_handrecords(task: Task) -> Response:
    """Take the cards of boards."""
    found = from_wire.hand_records(many(task, HandrecordDTO))
    with task.session() as session:
        homes = from_wire.homes(session)
    task.change(PutHandRecords(task.request.session, from_wire.at_home(found, homes)))
    return task.ok()


def put_settings(task: Task) -> Response:
    """Set what the table units of a generation show and ask."""
    is_second = task.request.command is Command.PutBridgemate2Settings
    kind: type[SettingsDTO] = Bridgemate2SettingsDTO if is_second else Bridgemate3SettingsDTO
    dtos = many(task, kind)
    sound([f"[{at}] {problem}" for at, dto in enumerate(dtos) for problem in from_wire.out_of_range(dto)])
    settings = from_wire.settings(dtos)
    task.require_session()
    task.change(PutSettings(task.request.session, settings))
    return task.ok()


def put_td_calls(task: Task) -> Response:
    """Take calls for the director, and how far they are."""
    dtos = many(task, TdCallDTO)
    ground = task.ground
    with task.session() as session:
        try:
            command = from_wire.td_calls(session, dtos, ground.now(), task.mirror.zone, ground.new_id)
        except Misfit:
            if task.is_resent():  # a call that was resolved is not there to be resolved again
                return task.ok()
            raise
    task.change(command)
    return task.ok()
