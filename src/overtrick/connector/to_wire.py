"""Conversion of the state to DTOs: movements and lists of sessions for responses. Pure: no I/O."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time

from overtrick.connector import wire_codes
from overtrick.connector.wire.event import SectionInfoDTO, SessionInfoDTO
from overtrick.connector.wire.movement import RoundDTO, SectionDTO, TableDTO
from overtrick.event import Session
from overtrick.event.fact import Fact
from overtrick.event.movement import Round, RoundsSet, TableDropped, TableRounds
from overtrick.event.setup import SectionSet


def round_dto(
    session: str, section: str, table: int, number: int, played: Round, *, updated: bool
) -> RoundDTO:
    """Return the DTO of one round, which has only the lowest and the highest board."""
    mates = played.mates
    return RoundDTO(
        SessionGuid=session,
        SectionLetters=section,
        TableNumber=table,
        RoundNumber=number,
        LowBoardNumber=min(played.boards, default=0),
        HighBoardNumber=max(played.boards, default=0),
        PairNS=played.ns,
        PairEW=played.ew,
        TeamNS=played.team_ns,
        TeamEW=played.team_ew,
        MatesTableSectionLetters=mates.section if mates else None,
        MatesTableTableNumber=mates.table if mates else 0,
        MatesTableRoundNumber=mates.round if mates else 0,
        Updated=updated,
    )


@dataclass(frozen=True, slots=True)
class SectionSnapshot:
    """A section as it was at one moment, to be used without the lock; `setup` is None if it does not exist."""

    session: str
    section: str
    setup: SectionSet | None
    winners: int
    tables: Mapping[int, TableRounds]

    def round(self, table: int, number: int) -> Round | None:
        """Return one round at one table, or None."""
        rounds = self.tables[table].rounds if table in self.tables else ()
        return rounds[number - 1] if 1 <= number <= len(rounds) else None


def snapshot_section(session: Session, section: str) -> SectionSnapshot:
    """Return a section as it is now."""
    setup = session.setup.sections.get(section)
    winners = 0 if setup is None else session.winners(section)
    return SectionSnapshot(session.opened.session, section, setup, winners, session.movement.section(section))


def _section(snapshot: SectionSnapshot, setup: SectionSet, tables: list[TableDTO]) -> SectionDTO:
    waits = [table.is_waiting for table in snapshot.tables.values()]
    return SectionDTO(
        SessionGuid=snapshot.session,
        ScoringGroupNumber=setup.group,
        Letters=setup.section,
        Name=setup.name or None,
        Winners=snapshot.winners,
        GameType=wire_codes.GAME_NUMBERS[setup.game],
        EWMoveBeforePlay=setup.ew_moves,
        MissingPair=setup.missing_pair,
        KeepBridgematesAlive=bool(waits) and all(waits),
        IsCombiSection=setup.combi is not None,
        NorthSouthPairSectionLetters=setup.combi.ns if setup.combi else None,
        EastWestPairSectionLetters=setup.combi.ew if setup.combi else None,
        HasExplicitParticipations=setup.explicit_seating,
        Tables=tables,
    )


def movement(snapshot: SectionSnapshot) -> SectionDTO:
    """Return a section with its whole movement."""
    assert snapshot.setup is not None
    tables = [
        TableDTO(
            SessionGuid=snapshot.session,
            SectionLetters=snapshot.section,
            TableNumber=table_number,
            KeepBridgematesAlive=table.is_waiting,
            Rounds=[
                round_dto(
                    snapshot.session, snapshot.section, table_number, round_number, played, updated=False
                )
                for round_number, played in enumerate(table.rounds, start=1)
            ],
        )
        for table_number, table in snapshot.tables.items()
    ]
    return _section(snapshot, snapshot.setup, tables)


def changed_rounds(snapshot: SectionSnapshot, facts: Iterable[Fact]) -> SectionDTO:
    """Return a section with only the rounds that these facts changed.

    A table that was only shortened has its last round, with Updated false: the rounds above it are gone. A table or a
    section that was removed has no rounds.
    """
    guid, section = snapshot.session, snapshot.section
    tables: dict[int, TableDTO] = {}
    for fact in facts:
        match fact:
            case RoundsSet() if fact.section == section:
                rounds = [
                    round_dto(guid, section, fact.table, number, played, updated=True)
                    for number, played in enumerate(fact.rounds, start=fact.first)
                ]
                last = snapshot.round(fact.table, fact.first - 1)
                if not rounds and last is not None:
                    rounds = [round_dto(guid, section, fact.table, fact.first - 1, last, updated=False)]
                tables[fact.table] = _table(guid, section, fact.table, rounds)
            case TableDropped() if fact.section == section:
                tables[fact.table] = _table(guid, section, fact.table, [])
    if snapshot.setup is None:
        return SectionDTO(SessionGuid=guid, Letters=section, IsDeleted=True, Tables=[])
    return _section(snapshot, snapshot.setup, [tables[number] for number in sorted(tables)])


def _table(session: str, section: str, table: int, rounds: list[RoundDTO]) -> TableDTO:
    return TableDTO(SessionGuid=session, SectionLetters=section, TableNumber=table, Rounds=rounds)


def session_info(session: Session) -> SessionInfoDTO:
    """Return a session as an entry of a list of sessions."""
    opened = session.opened
    starts = datetime.combine(opened.day, opened.starts or time())
    return SessionInfoDTO(
        EventGuid=opened.event,
        SessionGuid=opened.session,
        SessionName=opened.name,
        SessionDateTime=starts.isoformat(),
        Sections=[
            SectionInfoDTO(
                SectionName=section.name or None,
                SectionLetters=letters,
                ScoringGroupNumber=section.group,
                NumberOfTables=len(session.movement.section(letters)),
            )
            for letters, section in sorted(session.setup.sections.items())
        ],
    )
