"""Commands for updates of scoring groups and sections, computed from the present state of the session. Pure: no I/O."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from overtrick.connector import wire_codes
from overtrick.connector.from_wire import (
    RequestRejected,
    group_of,
    one_command,
    participations,
    players,
    section_of,
    table_of,
)
from overtrick.connector.wire.movement import ScoringGroupDTO, SectionUpdateDTO
from overtrick.connector.wire.numbers import ErrorType
from overtrick.event import Command, Session
from overtrick.event.movement import DropSection, SectionPlan, SetMovement, TablePlan
from overtrick.event.seating import Participation, PutParticipations, PutPlayers, SessionPlayer
from overtrick.event.setup import GroupPlan, SetGroups


def groups(dtos: Iterable[ScoringGroupDTO]) -> list[GroupPlan]:
    """Return the plans of scoring groups with their sections."""
    return [group_of(dto, (section.Letters or "" for section in dto.Sections or [])) for dto in dtos]


def set_groups(session: Session, plans: Iterable[GroupPlan]) -> SetGroups:
    """Return the command that sets scoring groups of a session.

    A new group may name sections that do not exist yet, which are left out: the guide has the group sent first, and a
    group without a section cannot be sent.
    """
    groups, sections = session.setup.groups, session.setup.sections
    valid_plans = (
        plan
        if plan.number in groups
        else replace(plan, sections=tuple(letters for letters in plan.sections if letters in sections))
        for plan in plans
    )
    return SetGroups(session.opened.session, tuple(valid_plans))


@dataclass(frozen=True, slots=True)
class SectionUpdate:
    """The requested state of a section, independent of its present one."""

    plan: SectionPlan
    tables: tuple[TablePlan, ...] | None
    """The whole movement; None leaves it as it is."""
    method: int = 0
    players: tuple[SessionPlayer, ...] = ()
    seats: tuple[Participation, ...] = ()
    is_deleted: bool = False


def section_update(dto: SectionUpdateDTO) -> SectionUpdate:
    """Return the update of a section that is new, changed or deleted, with its players and seats."""
    if dto.IsDeleted:
        return SectionUpdate(SectionPlan(dto.Letters or "", dto.ScoringGroupNumber), (), is_deleted=True)
    tables = None if dto.Tables is None else tuple(table_of(table, dto) for table in dto.Tables)
    return SectionUpdate(
        section_of(dto),
        tables,
        dto.ScoringGroupScoringMethod,
        players(dto.AddedPlayers or []),
        participations(dto.Participations or []),
    )


def update_movement(session: Session, update: SectionUpdate) -> Command:
    """Return the command that brings a section to the requested state.

    Raises RequestRejected if the kind of its seating or the method of its scoring group would change.
    """
    guid, plan, method = session.opened.session, update.plan, update.method
    if update.is_deleted:
        return DropSection(guid, plan.section)
    section = session.setup.sections.get(plan.section)
    if section is not None and section.explicit_seating is not plan.explicit_seating:
        raise RequestRejected(
            ErrorType.Validation,
            f"Section {plan.section} was made with HasExplicitParticipations {str(section.explicit_seating).lower()}, "
            "and that stays.",
        )
    commands: list[Command] = []
    group = session.setup.groups.get(plan.group)
    if group is None and method:
        commands.append(SetGroups(guid, (GroupPlan(plan.group, wire_codes.METHODS[method]),)))
    elif group is not None and method and wire_codes.METHODS[method] is not group.method:
        raise RequestRejected(
            ErrorType.Validation,
            f"Scoring group {plan.group} has the method {wire_codes.METHOD_NUMBERS[group.method]}, "
            f"and not {method}.",
        )
    if update.players:
        commands.append(PutPlayers(guid, update.players))
    removed = _removed_tables(session, plan.section, update.tables)
    commands.append(SetMovement(guid, plan, (*(update.tables or ()), *removed)))
    if seats := update.seats:
        if plan.explicit_seating:
            removed_tables = {table.table for table in removed}
            left_out = _removed_seats(session, plan.section, seats)
            seats = (*(seat for seat in left_out if seat.table not in removed_tables), *seats)
        commands.append(PutParticipations(guid, seats))
    return one_command(guid, commands)


def _removed_tables(session: Session, section: str, tables: Sequence[TablePlan] | None) -> list[TablePlan]:
    """Return plans that remove the tables which a whole movement does not name."""
    if tables is None:
        return []
    numbers = {table.table for table in tables}
    return [TablePlan(number, ()) for number in session.movement.section(section) if number not in numbers]


def _removed_seats(session: Session, section: str, seats: Sequence[Participation]) -> list[Participation]:
    """Return removals for the seats that a complete new seating does not name."""
    new_seats = {(seat.table, max(seat.round, 1), seat.seat) for seat in seats}
    return [
        Participation(section, table, seat, round=number, is_removal=True)
        for letters, table, number, seat in session.seating.chairs
        if letters == section and (table, max(number, 1), seat) not in new_seats
    ]
