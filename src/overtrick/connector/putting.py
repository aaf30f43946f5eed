"""The handlers of what is put: results, players, seats, deals, settings and calls of a session."""

from overtrick.connector import inbound
from overtrick.connector.given import each, many, some, sound
from overtrick.connector.inbound import Misfit
from overtrick.connector.task import Steps, Task
from overtrick.connector.wire import rules
from overtrick.connector.wire.checks import ENOUGH, until_enough
from overtrick.connector.wire.numbers import Command, ErrorType
from overtrick.connector.wire.play import (
    AnyResult,
    HandrecordDTO,
    ParticipationDTO,
    PlayerDataDTO,
    ResultDTO,
    TdCallDTO,
)
from overtrick.connector.wire.reading import read_results
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, Bridgemate3SettingsDTO, SettingsDTO
from overtrick.event.hands import PutHandRecords
from overtrick.event.results import ResultEntry
from overtrick.event.seating import PutParticipations, PutPlayers
from overtrick.event.settings import PutSettings

MOST_CALLS = 10_000
"""Calls for the director in one request: what they mean depends on those that are open."""


def put_results(task: Task) -> Steps:
    """Results of the scoring program, in place of what stood there."""
    session, now = task.request.session, task.ground.now()
    sent: list[AnyResult] = []
    entries: list[ResultEntry | None] = []
    problems: list[str] = []
    for dtos in read_results(some(task, ResultDTO)):
        plain, odd = inbound.plain_entries(session, dtos, now)
        if odd:
            for at in until_enough(odd, problems):
                problems += each(task, len(sent) + at, dtos[at], rules.result_problems)
            if len(problems) >= ENOUGH:
                break
        sent += dtos
        entries += plain
    sound(problems)
    command = inbound.results(session, sent, entries, now)
    yield from task.knows_session()
    yield from task.change(command)
    return task.ok()


def put_player_data(task: Task) -> Steps:
    """Players of the session. Whole lists are sent again and again, and the vendor's sample counts on an OK."""
    players = many(task, PlayerDataDTO, rules.player_problems, inbound.players)
    yield from task.knows_session()
    yield from task.change(PutPlayers(task.request.session, players), may_be_known=True)
    return task.ok()


def put_participations(task: Task) -> Steps:
    """Who sits where at the start."""
    seats = many(task, ParticipationDTO, rules.participation_problems, inbound.participations)
    later = inbound.seated_later(seats)
    yield from task.knows_session()
    if later:
        session = yield from task.session()
        inbound.only_explicit(session, later)
    yield from task.change(PutParticipations(task.request.session, seats))
    return task.ok()


def put_handrecords(task: Task) -> Steps:
    """The cards of boards."""
    found = many(task, HandrecordDTO, rules.handrecord_problems, inbound.hand_records)
    session = yield from task.session()
    records = inbound.at_home(found, inbound.homes(session))
    yield from task.change(PutHandRecords(task.request.session, records))
    return task.ok()


def put_settings(task: Task) -> Steps:
    """Set what the table units of a generation show and ask."""
    is_second = task.request.command is Command.PutBridgemate2Settings
    kind: type[SettingsDTO] = Bridgemate2SettingsDTO if is_second else Bridgemate3SettingsDTO
    settings = many(task, kind, rules.settings_problems, inbound.settings)
    yield from task.knows_session()
    yield from task.change(PutSettings(task.request.session, settings))
    return task.ok()


def put_td_calls(task: Task) -> Steps:
    """Calls for the director, and how far they are."""
    dtos = many(task, TdCallDTO, rules.td_call_problems, list)
    if len(dtos) > MOST_CALLS:
        raise Misfit(ErrorType.Validation, f"There are more than {MOST_CALLS} calls in the data.")
    ground = task.ground
    session = yield from task.session()
    try:
        command = inbound.td_calls(session, dtos, ground.now(), task.mirror.zone, ground.new_id)
    except Misfit:
        if task.is_resent():  # a call that was resolved is not there to be resolved again
            return task.ok()
        raise
    yield from task.change(command)
    return task.ok()
