"""The handlers of what is put: results, players, seats, deals, settings and calls of a session."""

from overtrick.connector import inbound
from overtrick.connector.given import many, sound
from overtrick.connector.inbound import Misfit
from overtrick.connector.task import Task
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
    command = inbound.results(task.request.session, dtos, task.ground.now())
    task.require_session()
    task.change(command)
    return task.ok()


def put_player_data(task: Task) -> Response:
    """Take players of the session. Whole lists are sent again and again, and the vendor's sample counts on an OK."""
    players = inbound.players(many(task, PlayerDataDTO))
    task.require_session()
    task.change(PutPlayers(task.request.session, players), may_be_known=True)
    return task.ok()


def put_participations(task: Task) -> Response:
    """Take who sits where at the start."""
    seats = inbound.participations(many(task, ParticipationDTO))
    later = inbound.seated_later(seats)
    task.require_session()
    if later:
        with task.session() as session:
            inbound.only_explicit(session, later)
    task.change(PutParticipations(task.request.session, seats))
    return task.ok()


def put_handrecords(task: Task) -> Response:
    """Take the cards of boards."""
    found = inbound.hand_records(many(task, HandrecordDTO))
    with task.session() as session:
        homes = inbound.homes(session)
    task.change(PutHandRecords(task.request.session, inbound.at_home(found, homes)))
    return task.ok()


def put_settings(task: Task) -> Response:
    """Set what the table units of a generation show and ask."""
    is_second = task.request.command is Command.PutBridgemate2Settings
    kind: type[SettingsDTO] = Bridgemate2SettingsDTO if is_second else Bridgemate3SettingsDTO
    dtos = many(task, kind)
    sound([f"[{at}] {problem}" for at, dto in enumerate(dtos) for problem in inbound.out_of_range(dto)])
    settings = inbound.settings(dtos)
    task.require_session()
    task.change(PutSettings(task.request.session, settings))
    return task.ok()


def put_td_calls(task: Task) -> Response:
    """Take calls for the director, and how far they are."""
    dtos = many(task, TdCallDTO)
    ground = task.ground
    with task.session() as session:
        try:
            command = inbound.td_calls(session, dtos, ground.now(), task.mirror.zone, ground.new_id)
        except Misfit:
            if task.is_resent():  # a call that was resolved is not there to be resolved again
                return task.ok()
            raise
    task.change(command)
    return task.ok()
