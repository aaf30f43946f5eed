"""DTOs of a movement for scoring programs: a section, or an event with one session. Pure: no I/O."""

from collections.abc import Iterable
from datetime import datetime

from overtrick.connector.wire.event import InitDTO, SessionDTO
from overtrick.connector.wire.movement import RoundDTO, ScoringGroupDTO, SectionDTO, TableDTO
from overtrick.connector.wire.numbers import StartFlag
from overtrick.connector.wire_codes import GAME_NUMBERS, METHOD_NUMBERS
from overtrick.event.setup import GameKind
from overtrick.movements import Movement, MovementError, Station
from overtrick.scoring import Method


def section_dto(movement: Movement, session: str, *, letters: str = "A", group: int = 1) -> SectionDTO:
    """Return a movement as a section of a session.

    Raise MovementError for an individual, because a round of the Data Connector names pairs, and for boards of a round
    that are not consecutive, because it has only the lowest and the highest.

    >>> from overtrick.movements import mitchell
    >>> section = section_dto(mitchell(3, 8), "6D115AF1ABEB4462A299B1FE86274949")
    >>> [table.TableNumber for table in section.Tables], section.Winners
    ([1, 2, 3], 2)
    """
    if movement.is_individual:
        raise MovementError("The Data Connector has no movements of individuals.")
    stations: dict[int, list[Station]] = {}
    for station in movement:
        stations.setdefault(station.table, []).append(station)
    return SectionDTO(
        SessionGuid=session,
        ScoringGroupNumber=group,
        Letters=letters,
        Winners=movement.winners,
        GameType=GAME_NUMBERS[GameKind.TEAMS if movement.is_teams else GameKind.PAIRS],
        Tables=[
            TableDTO(
                SessionGuid=session,
                SectionLetters=letters,
                TableNumber=table,
                Rounds=[_round(station, session, letters) for station in at_table],
            )
            for table, at_table in sorted(stations.items())
        ],
    )


def event_dto(
    sections: Iterable[SectionDTO],
    *,
    name: str,
    starts: datetime,
    method: Method = Method.MATCHPOINTS,
    commands: StartFlag = StartFlag.START | StartFlag.START_READING,
) -> InitDTO:
    """Return an event with one session, whose sections are scored together in their scoring group.

    Raise MovementError if there is no section, or if they are of different sessions.
    """
    sections = list(sections)
    sessions = {section.SessionGuid for section in sections}
    if len(sessions) != 1:
        raise MovementError("An event of one session needs sections, all with the guid of the session.")
    session = sessions.pop()
    groups: dict[int, list[SectionDTO]] = {}
    for section in sections:
        groups.setdefault(section.ScoringGroupNumber, []).append(section)
    return InitDTO(
        EventGuid=session,
        Commands=int(commands),
        Sessions=[
            SessionDTO(
                EventGuid=session,
                SessionGuid=session,
                Name=name,
                Year=starts.year,
                Month=starts.month,
                Day=starts.day,
                Hour=starts.hour,
                Minute=starts.minute,
                ScoringGroups=[
                    ScoringGroupDTO(
                        SessionGuid=session,
                        ScoringGroupNumber=group,
                        ScoringMethod=METHOD_NUMBERS[method],
                        Sections=members,
                    )
                    for group, members in sorted(groups.items())
                ],
            )
        ],
    )


def _round(station: Station, session: str, letters: str) -> RoundDTO:
    boards = station.boards if station.is_played else ()
    low, high = min(boards, default=0), max(boards, default=0)
    if boards and high - low + 1 != len(boards):
        raise MovementError(
            f"The boards of table {station.table} in round {station.round} are not consecutive, and the Data Connector "
            "has only the lowest and the highest."
        )
    mates_table, mates_round = station.mates or (0, 0)
    return RoundDTO(
        SessionGuid=session,
        SectionLetters=letters,
        TableNumber=station.table,
        RoundNumber=station.round,
        LowBoardNumber=low,
        HighBoardNumber=high,
        PairNS=station.ns,
        PairEW=station.ew,
        TeamNS=station.team_ns,
        TeamEW=station.team_ew,
        MatesTableSectionLetters=letters if station.mates else None,
        MatesTableTableNumber=mates_table,
        MatesTableRoundNumber=mates_round,
    )
