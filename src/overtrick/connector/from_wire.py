"""Conversion of DTOs to commands of `overtrick.event`. Pure: no I/O.

The DTOs have passed their own rules (`wire.rules`), which are those of the vendor's validators. The functions here
raise RequestRejected for a DTO that only the guide forbids, or that no command can express.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, tzinfo
from itertools import groupby, islice
from typing import Any

from overtrick.bridge import Side
from overtrick.bridge.outcome import Award
from overtrick.bridgemate.settings import Setting
from overtrick.connector import wire_codes
from overtrick.connector.wire.checks import MOST_PROBLEMS, problems_text
from overtrick.connector.wire.event import InitDTO, SessionDTO
from overtrick.connector.wire.movement import (
    RoundDTO,
    ScoringGroupDTO,
    SectionDTO,
    TableDTO,
)
from overtrick.connector.wire.numbers import ErrorType
from overtrick.connector.wire.play import (
    HandrecordDTO,
    ParticipationDTO,
    PlayerDataDTO,
    ResultDTO,
    TdCallDTO,
)
from overtrick.connector.wire.settings import Bridgemate2SettingsDTO, SettingsDTO
from overtrick.event import Command, OpenEvent, Session, SessionPlan, SessionTransaction
from overtrick.event.calls import AnswerCall, CallDirector
from overtrick.event.hands import HandRecord
from overtrick.event.movement import (
    Mates,
    Round,
    SectionPlan,
    TablePlan,
)
from overtrick.event.place import Place
from overtrick.event.results import EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.seating import Participation, SessionPlayer
from overtrick.event.settings import RANGES, SettingsII, SettingsIII
from overtrick.event.setup import Combi, GroupPlan

HIGHEST_BOARD = 9_999
"""The highest board number that is accepted. It limits the memory that a round can take."""


class RequestRejected(ValueError):
    """A request that is well formed but cannot be accepted, with the error type of the response."""

    def __init__(self, error: ErrorType, sentence: str) -> None:
        super().__init__(sentence)
        self.error = error
        self.sentence = sentence


def one_command(session: str, commands: Sequence[Command]) -> Command:
    """Return one command that executes all of these, at least one, or none of them."""
    return commands[0] if len(commands) == 1 else SessionTransaction(session, tuple(commands))


# Movement ---------------------------------------------------------------------------------------------------


def round_of(dto: RoundDTO) -> Round:
    """Return a round with all boards from the lowest to the highest; a sit-out has none.

    Raises RequestRejected for impossible board numbers.
    """
    where = f"Table {dto.SectionLetters}{dto.TableNumber}, round {dto.RoundNumber}"
    low, high = dto.LowBoardNumber, dto.HighBoardNumber
    boards: tuple[int, ...] = ()
    if (low or high) and dto.PairNS and dto.PairEW:
        if not 1 <= low <= high <= HIGHEST_BOARD:
            raise RequestRejected(
                ErrorType.Validation, f"{where}: boards {low} to {high} are not a range of boards."
            )
        boards = tuple(range(low, high + 1))
    mates = None
    if dto.MatesTableSectionLetters:
        mates = Mates(dto.MatesTableSectionLetters, dto.MatesTableTableNumber, dto.MatesTableRoundNumber)
    return Round(dto.PairNS, dto.PairEW, boards, team_ns=dto.TeamNS, team_ew=dto.TeamEW, mates=mates)


def table_of(dto: TableDTO, section: SectionDTO) -> TablePlan:
    """Return the plan of a table with all its rounds; one without rounds removes the table."""
    rounds = sorted(dto.Rounds or [], key=lambda round_dto: round_dto.RoundNumber)
    is_waiting = section.KeepBridgematesAlive or dto.KeepBridgematesAlive
    return TablePlan(
        dto.TableNumber, tuple(round_of(round_dto) for round_dto in rounds), is_waiting=is_waiting
    )


def section_of(dto: SectionDTO) -> SectionPlan:
    """Return the plan of a section, without its tables."""
    combi = None
    if dto.IsCombiSection:
        combi = Combi(dto.NorthSouthPairSectionLetters or "", dto.EastWestPairSectionLetters or "")
    return SectionPlan(
        dto.Letters or "",
        dto.ScoringGroupNumber,
        dto.Winners,
        wire_codes.GAMES[dto.GameType],
        dto.Name or "",
        dto.MissingPair,
        dto.EWMoveBeforePlay,
        combi,
        explicit_seating=dto.HasExplicitParticipations,
    )


def group_of(dto: ScoringGroupDTO, sections: Iterable[str] = ()) -> GroupPlan:
    """Return the plan of a scoring group."""
    return GroupPlan(
        dto.ScoringGroupNumber,
        wire_codes.METHODS[dto.ScoringMethod],
        dto.Name or "",
        tuple(sections),
        dto.IsDeleted,
    )


def sections_seated_later(seats: Iterable[Participation]) -> list[str]:
    """Return the sections with participations after round 1."""
    return list(dict.fromkeys(seat.section for seat in seats if seat.round > 1))


def require_explicit_seating(session: Session, sections: Iterable[str]) -> None:
    """Raise RequestRejected if the seating of one of these sections follows from its movement."""
    for letters in sections:
        section = session.setup.sections.get(letters)
        if section is not None and not section.explicit_seating:
            raise RequestRejected(
                ErrorType.Validation,
                f"Section {section.section} has no explicit participations, so there are none after round 1.",
            )


# People -----------------------------------------------------------------------------------------------------


def players(dtos: Iterable[PlayerDataDTO]) -> tuple[SessionPlayer, ...]:
    """Return the players, with spaces stripped from their names and numbers."""
    return tuple(
        SessionPlayer(
            (dto.PlayerNumber or "").strip(),
            (dto.FirstName or "").strip(),
            (dto.LastName or "").strip(),
            (dto.CountryCode or "").strip(),
        )
        for dto in dtos
    )


def participations(dtos: Iterable[ParticipationDTO]) -> tuple[Participation, ...]:
    """Return the participations. IsPlayerSwap is not read: a swap is two participations in exchanged seats."""
    return tuple(
        Participation(
            dto.SectionLetters or "",
            dto.TableNumber,
            wire_codes.SEATS[dto.Direction],
            (dto.PlayerNumber or "").strip(),
            (dto.FirstName or "").strip(),
            (dto.LastName or "").strip(),
            (dto.CountryCode or "").strip(),
            dto.RoundNumber,
            dto.IsRemoval,
        )
        for dto in dtos
    )


# Sessions ---------------------------------------------------------------------------------------------------


def session_plan(
    dto: SessionDTO,
    *,
    people: Sequence[PlayerDataDTO],
    seats: Sequence[ParticipationDTO],
    records: Sequence[HandrecordDTO],
    units: Sequence[SettingsDTO],
    is_shown: bool = False,
) -> SessionPlan:
    """Return the plan of a session, with those of the players, seats, records and settings that name it.

    Raises RequestRejected for settings out of range, a table without rounds, or wrong hand records.
    """
    out_of_range_settings = [
        f"{type(part).__name__.removesuffix('DTO')} {part.SectionLetters}: {problem}"
        for part in units
        for problem in out_of_range(part)
    ]
    if out_of_range_settings:
        raise RequestRejected(ErrorType.Validation, problems_text(out_of_range_settings))
    guid = dto.SessionGuid
    groups = dto.ScoringGroups or []
    sections = [section for group in groups for section in group.Sections or []]
    groups_by_section = {section.Letters or "": section.ScoringGroupNumber for section in sections}
    for section in sections:
        for table in section.Tables or []:
            if not table.Rounds:
                raise RequestRejected(
                    ErrorType.Validation,
                    f"Table {section.Letters}{table.TableNumber} of a new section has no rounds.",
                )
    return SessionPlan(
        guid or "",
        dto.Name or "",
        date(dto.Year, dto.Month, dto.Day),
        tuple(group_of(group) for group in groups),
        tuple(
            (section_of(section), tuple(table_of(table, section) for table in section.Tables or []))
            for section in sections
        ),
        time(dto.Hour, dto.Minute) if dto.Hour or dto.Minute else None,
        dto.ShowInApp or is_shown,
        dto.PairsMoveAccrossField,
        dto.EWReturnHome,
        players=players(part for part in people if part.SessionGuid == guid),
        participations=participations(part for part in seats if part.SessionGuid == guid),
        hand_records=records_by_group(
            hand_records(part for part in records if part.SessionGuid == guid), groups_by_section
        ),
        settings=settings(part for part in units if part.SessionGuid == guid),
    )


def parts_without_session(dto: InitDTO) -> list[str]:
    """Return a sentence for each part whose SessionGuid is not that of a session of the event."""
    guids = {session.SessionGuid for session in dto.Sessions or []}
    parts: tuple[tuple[str, Sequence[object]], ...] = (
        ("Participations", dto.Participations or []),
        ("Handrecords", dto.Handrecords or []),
        ("Bridgemate2Settings", dto.Bridgemate2Settings or []),
        ("Bridgemate3Settings", dto.Bridgemate3Settings or []),
    )
    unmatched = (
        f"{name}[{index}] has the SessionGuid of no session of the event."
        for name, dtos in parts
        for index, part in enumerate(dtos)
        if getattr(part, "SessionGuid", None) not in guids
    )
    return list(islice(unmatched, MOST_PROBLEMS))


def open_event(dto: InitDTO, club: str) -> OpenEvent:
    """Return the command that opens an event; raise RequestRejected for a part that names no session of it.

    Without an EventGuid, the event has the EventGuid of its first session, or else the guid of that session itself.
    """
    if unmatched := parts_without_session(dto):
        raise RequestRejected(ErrorType.Validation, problems_text(unmatched))
    sessions = dto.Sessions or []
    event = dto.EventGuid or sessions[0].EventGuid or sessions[0].SessionGuid or ""
    plans = tuple(
        session_plan(
            session,
            people=dto.PlayerData or [],
            seats=dto.Participations or [],
            records=dto.Handrecords or [],
            units=[*(dto.Bridgemate2Settings or []), *(dto.Bridgemate3Settings or [])],
            is_shown=bool(dto.Commands & 8),
        )
        for session in sessions
    )
    return OpenEvent(event, plans, club, wire_codes.orders(dto.Commands))


# Play -------------------------------------------------------------------------------------------------------


def _place(dto: ResultDTO) -> Place:
    return dto.SectionLetters or "", dto.TableNumber, dto.RoundNumber, dto.BoardNumber


def _wrong_direction(dto: ResultDTO) -> RequestRejected:
    return RequestRejected(
        ErrorType.Validation,
        f"Table {dto.SectionLetters}{dto.TableNumber}, round {dto.RoundNumber}, board {dto.BoardNumber}: "
        f"ScoringDirection is {dto.ScoringDirection}, and has to be 1, 2 or 3.",
    )


def result_entry(dto: ResultDTO, now: datetime, *, is_split: bool = False) -> ResultEntry:
    """Return the entry of a result; raise RequestRejected for a wrong ScoringDirection.

    An award holds the scores of both sides. So an award that is sent for East-West counts for both, unless the result
    is split: the same request has one for North-South.
    """
    place = _place(dto)
    side = wire_codes.scored_side(dto)
    if not 1 <= dto.ScoringDirection <= 3:
        raise _wrong_direction(dto)
    outcome = wire_codes.outcome(dto)
    if isinstance(outcome, Award) and side is Side.EW and not is_split:
        side = None
    return ResultEntry(
        *place,
        outcome,
        now,
        side,
        wire_codes.lead(dto),
        wire_codes.is_wrong_direction(dto),
        dto.PairNorthSouth,
        dto.PairEastWest,
    )


def results(session: str, dtos: Iterable[ResultDTO], now: datetime) -> Command:
    """Return the command for results and deletions, in the order sent."""
    commands: list[Command] = []
    for is_deleted, group in groupby(dtos, key=lambda dto: dto.IsDeleted):
        if not is_deleted:
            results = list(group)
            split_places = {_place(dto) for dto in results if wire_codes.scored_side(dto) is Side.NS}
            entries = tuple(
                result_entry(dto, now, is_split=bool(split_places) and _place(dto) in split_places)
                for dto in results
            )
            commands.append(PutResults(session, entries))
            continue
        for dto in group:
            # The vendor's validators check only the place of a deletion, so its ScoringDirection may be an unset 0.
            if not 0 <= dto.ScoringDirection <= 3:
                raise _wrong_direction(dto)
            side = wire_codes.scored_side(dto)
            commands.append(EraseResult(session, *_place(dto), Origin.SCORING_PROGRAM, side=side))
    return one_command(session, commands)


def hand_records(dtos: Iterable[HandrecordDTO]) -> list[tuple[str, HandRecord]]:
    """Return each hand record with the section that it names beside its scoring group."""
    return [
        (
            dto.SectionLetters or "",
            HandRecord(dto.ScoringGroupNumber, dto.BoardNumber, wire_codes.deal(dto), wire_codes.tricks(dto)),
        )
        for dto in dtos
    ]


def records_by_group(
    records: Iterable[tuple[str, HandRecord]], groups_by_section: Mapping[str, int]
) -> tuple[HandRecord, ...]:
    """Return hand records with the scoring groups of their sections, whatever groups they name.

    Raises RequestRejected for an unknown section, or for two deals of one board in a scoring group.
    """
    by_board: dict[tuple[int, int], HandRecord] = {}
    for section, record in records:
        where = f"Hand record of section {section}, board {record.board}"
        group = groups_by_section.get(section)
        if group is None:
            raise RequestRejected(ErrorType.Movement, f"{where}: there is no such section.")
        earlier = by_board.get((group, record.board))
        if earlier is not None and earlier.deal != record.deal:
            raise RequestRejected(
                ErrorType.Validation,
                f"{where}: scoring group {group} has other cards for it in this request.",
            )
        by_board[group, record.board] = replace(record, group=group)
    return tuple(by_board.values())


def groups_by_section(session: Session) -> dict[str, int]:
    """Return the scoring group of each section."""
    return {section.section: section.group for section in session.setup.sections.values()}


def settings(dtos: Iterable[SettingsDTO]) -> tuple[tuple[str, SettingsII | SettingsIII], ...]:
    """Return the settings of sections, of either generation."""
    return tuple((dto.SectionLetters or "", _settings_of(dto)) for dto in dtos)


def _enabled_settings(dto: SettingsDTO) -> Iterator[tuple[Setting, Any]]:
    """Yield the settings of a DTO with their values, without those whose switch is off."""
    for setting in dto.ROWS:
        if setting.property_name and (not setting.switch or getattr(dto, setting.switch)):
            yield setting, getattr(dto, setting.property_name)


def out_of_range(dto: SettingsDTO) -> Iterator[str]:
    """Yield a sentence for each setting that is outside the range of the terminals."""
    for setting, value in _enabled_settings(dto):
        least, most = RANGES.get(setting.name, (0, 0))
        is_set = bool(value) or setting.name != "verification_seconds"
        if setting.name in RANGES and is_set and not least <= value <= most:
            yield f"{setting.property_name} is {value}, and has to be from {least} to {most}."


def _settings_of(dto: SettingsDTO) -> SettingsII | SettingsIII:
    values: dict[str, Any] = {}
    for setting, value in _enabled_settings(dto):
        choices = setting.wire_choices
        if choices is not None:
            values[setting.name] = choices.values[value]
        elif value or setting.name not in ("pin", "verification_seconds"):
            # The vendor's validators accept a VerificationTime of 0, which means not set: our default stays.
            values[setting.name] = value
    return SettingsII(**values) if isinstance(dto, Bridgemate2SettingsDTO) else SettingsIII(**values)


def td_calls(
    session: Session, dtos: Sequence[TdCallDTO], now: datetime, zone: tzinfo | None, new_id: Callable[[], str]
) -> Command:
    """Return the command for calls to the director. A call has no id on the wire: a table has one open call.

    Raises RequestRejected for an unknown table or round, or if the table has no open call to answer.
    """
    guid = session.opened.session
    open_calls = {
        (call.section, call.table): call.call for call in session.calls.calls.values() if call.is_open
    }
    commands: list[Command] = []
    for dto in dtos:
        place = (dto.SectionLetters or "", dto.TableNumber)
        if place not in session.movement.tables:
            raise RequestRejected(ErrorType.Movement, f"There is no table {place[0]}{place[1]}.")
        if session.movement.round(*place, dto.RoundNumber) is None:
            raise RequestRejected(
                ErrorType.Movement, f"Table {place[0]}{place[1]} has no round {dto.RoundNumber}."
            )
        status = wire_codes.CALL_STATUSES[dto.Status]
        at = wire_codes.clock_time(dto.Hour, dto.Minute, now, zone)
        call = open_calls.get(place)
        if dto.Status == 1:
            call = call or new_id()
            open_calls[place] = call
            commands.append(CallDirector(guid, call, *place, at, dto.RoundNumber))
        elif call is None:
            raise RequestRejected(
                ErrorType.EntryUnknown, f"Table {place[0]}{place[1]} has no open call for the director."
            )
        else:
            commands.append(AnswerCall(guid, call, status, at))
            if dto.Status == 3:
                del open_calls[place]
    return one_command(guid, commands)
