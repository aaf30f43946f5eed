"""Creation of a `.bws` file for an event, as a scoring program does it.

During play, `scoring_news` reads results from the file, and `scoring_changes` sends requests to the control software.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, time
from pathlib import Path
from typing import Any

from overtrick.bridge import Seat
from overtrick.bws.file_creation import create_file
from overtrick.bws.hands import deal_values
from overtrick.bws.id_map import scoring_type
from overtrick.bws.movement import round_values
from overtrick.bws.players import NAME_LENGTH
from overtrick.bws.rows import NO_DAY
from overtrick.bws.settings import settings_values, settings_without_column
from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.event import OpenEvent, Session, SessionPlan
from overtrick.event.hands import HandRecord
from overtrick.event.movement import Round, SectionPlan, TablePlan, TableRounds, winners, without_missing_pair
from overtrick.event.seating import Participation, SessionPlayer
from overtrick.event.settings import SettingsII, SettingsIII
from overtrick.event.setup import GameKind, GroupPlan, SectionSet, natural_id
from overtrick.guid import guid_text
from overtrick.scoring import Method

SESSION_NAME_LENGTH = 40
LARGEST_LONG = 2**31 - 1

DIRECTIONS = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
"""The order in which the records of a table's four seats are added."""

Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class NewFileRows:
    """The rows of a new file, and the parts of the event that it cannot store."""

    rows: Rows
    unwritten: tuple[str, ...] = ()
    is_individual: bool = False


def create(
    path: str | Path, event: OpenEvent, *, computer: str, clock: Callable[[], datetime] = datetime.now
) -> NewFileRows:
    """Create a `.bws` file for an event; `computer` is the name of the computer that will handle the tables."""
    file_rows = new_file_rows(event.sessions, computer=computer)
    create_file(path, file_rows.rows, is_individual=file_rows.is_individual, clock=clock)
    return file_rows


def new_file_rows(sessions: Iterable[SessionPlan], *, computer: str) -> NewFileRows:
    """Return the rows that a scoring program writes for these sessions."""
    sessions = tuple(sessions)
    unwritten: list[str] = []
    rows: Rows = {"Clients": [{"ID": 1, "Computer": computer}]}
    for number, plan in enumerate(sessions, start=1):
        session_rows = _session_rows(plan, number, unwritten)
        for table, table_rows in session_rows.items():
            rows.setdefault(table, []).extend(table_rows)
    _check_unique_sections(rows)
    individual = any(section.game is GameKind.INDIVIDUAL for plan in sessions for section, _ in plan.sections)
    return NewFileRows(rows, tuple(unwritten), individual)


def _check_unique_sections(rows: Rows) -> None:
    """Raise BadInput if two sections of the file have the same ID or letter."""
    for name, label in (("ID", "id"), ("Letter", "letters")):
        values = [row[name] for row in rows.get("Section", ())]
        twice = {value for value in values if values.count(value) > 1}
        if twice:
            raise BadInput(f"Two sections have the {label} {min(twice)}; nothing was written.")


def _session_rows(plan: SessionPlan, number: int, unwritten: list[str]) -> Rows:
    if len(plan.name) > SESSION_NAME_LENGTH:
        unwritten.append(f"The session's name is cut to {SESSION_NAME_LENGTH} characters.")
    groups = table_groups(plan, unwritten)
    rows: Rows = {
        "Session": [
            {
                "ID": number,
                "Name": plan.name[:SESSION_NAME_LENGTH],
                "Date": datetime.combine(plan.day, time()),
                "Time": datetime.combine(NO_DAY, plan.starts) if plan.starts else None,
                "GUID": guid_text(plan.session),
                "Status": 0,
                "ShowInApp": plan.shown_in_app,
                "PairsMoveAcrossField": plan.across_field,
                "EWReturnHome": plan.ew_return_home,
            }
        ]
    }
    methods = {group.number: group.method for group in plan.groups}
    ids: dict[str, int] = {}
    for section, tables in plan.sections:
        ids[section.section] = id = section.id or natural_id(section.section)
        if section.combi is not None:
            unwritten.append(
                f"Section {section.section} takes its pairs from other sections; a .bws file has no field for that."
            )
        section_set = section.section_set(id)
        played = tuple(TableRounds(table.rounds) for table in tables)
        section_row, missing = section_values(
            section_set, played, len(tables), number, methods.get(section.group, Method.MATCHPOINTS)
        )
        rows.setdefault("Section", []).append(section_row)
        for table in tables:
            rows.setdefault("Tables", []).append(
                table_values(id, table.table, groups[section.section, table.table])
            )
            rows.setdefault("RoundData", []).extend(
                round_values(id, table.table, count, missing(round_))
                for count, round_ in enumerate(table.rounds, start=1)
            )
            rows.setdefault("PlayerNumbers", []).extend(
                chair_rows(id, table.table, section, plan.participations, unwritten)
            )
    rows["PlayerNames"] = [name_values(player) for player in plan.players if player.name]
    rows["HandRecord"] = [
        {"Section": ids[section.section], "Board": record.board, **deal_values(record.deal)}
        for section, _ in plan.sections
        for record in plan.hand_records
        if record.group == section.group
    ]
    rows["Settings"] = list(_settings_rows(plan, ids, unwritten))
    return rows


def section_values(
    section: SectionSet, tables: tuple[TableRounds, ...], count: int, session: int, method: Method
) -> tuple[dict[str, Any], Callable[[Round], Round]]:
    """Return a section's record, and a function that returns a round as it is written to the file.

    If both directions use the number of the missing pair and there are two winners, the number alone does not say which
    pair is missing: MissingPair is 0, and the rounds have 0 in place of that pair. Otherwise MissingPair is its number.
    """
    rounds = [played for table in tables for played in table.rounds]
    ns, ew = {played.ns for played in rounds}, {played.ew for played in rounds}
    pair = abs(section.missing_pair)
    missing_pair = pair if pair and not (pair in ns and pair in ew and winners(section, tables) == 2) else 0

    def round_as_written(played: Round) -> Round:
        return played if missing_pair or not pair else without_missing_pair(section, played)

    values = {
        "ID": section.id,
        "Letter": section.section,
        "Tables": count,
        "MissingPair": missing_pair,
        "EWMoveBeforePlay": section.ew_moves,
        "Session": session,
        "ScoringType": scoring_type(method),
        "Winners": winners(section, tables),
    }
    return values, round_as_written


def table_values(section: int, table: int, group: int) -> dict[str, Any]:
    """Return a table's record before play."""
    return {
        "Section": section,
        "Table": table,
        "ComputerID": 1,
        "Status": 0,
        "LogOnOff": 2,
        "UpdateFromRound": 0,
        "CurrentRound": 0,
        "CurrentBoard": 0,
        "Group": group,
    }


def table_groups(plan: SessionPlan, unwritten: list[str]) -> dict[tuple[str, int], int]:
    """Return the group of each table.

    It is the table's own group, or else that of its match. The setting GroupSections can only say that all sections are
    one field. If some sections are scored together and others are not, the remaining tables get a group for each
    scoring group.
    """
    groups = {
        (section.section, table.table): table.group or 0
        for section, tables in plan.sections
        for table in tables
    }
    _match_groups(plan, groups, unwritten)
    numbers = sorted({section.group for section, _ in plan.sections})
    if len(plan.sections) > len(numbers) > 1:
        highest = max(groups.values(), default=0)
        for section, tables in plan.sections:
            for table in tables:
                key = section.section, table.table
                groups[key] = groups[key] or highest + 1 + numbers.index(section.group)
    return groups


def _match_groups(plan: SessionPlan, groups: dict[tuple[str, int], int], unwritten: list[str]) -> None:
    """Put both tables of each team match into a new group, unless one has a group already.

    A table has one group for all rounds, so matches that change tables cannot be stored.
    """
    mates: dict[tuple[str, int], set[tuple[str, int]]] = {}
    for section, tables in plan.sections:
        for table in tables:
            mates[section.section, table.table] = {
                (played.mates.section, played.mates.table) for played in table.rounds if played.mates
            }
    if any(len(others) > 1 for others in mates.values()):
        unwritten.append(
            "Matches that change tables from round to round cannot be stored; use a file for each round."
        )
        return
    next_group = max(groups.values(), default=0) + 1
    for table_key, others in mates.items():
        for mates_key in others:
            if not groups[table_key] and not groups.get(mates_key, 1):
                groups[table_key] = groups[mates_key] = next_group
                next_group += 1


def chair_rows(
    id: int,
    table: int,
    section: SectionPlan,
    participations: Iterable[Participation],
    unwritten: list[str],
) -> list[dict[str, Any]]:
    """Return the records of a table's seats: four for the start, and one for every later entry."""
    entries = [entry for entry in participations if (entry.section, entry.table) == (section.section, table)]
    start: dict[Seat, Participation] = {}
    later: list[Participation] = []
    for entry in entries:
        if entry.round == 0 or (entry.round == 1 and not section.ew_moves):
            start[entry.seat] = entry
        else:
            later.append(entry)
    rows = []
    for seat in DIRECTIONS:
        rows.append(chair_values(id, table, seat, 0, start.get(seat)))
    rows += [chair_values(id, table, entry.seat, entry.round, entry) for entry in later]
    for entry in entries:
        name = SessionPlayer(entry.number, entry.first_name, entry.last_name).name
        if len(name) > NAME_LENGTH:
            unwritten.append(f"The name {name} is cut to {NAME_LENGTH} characters.")
    return rows


def chair_values(
    id: int, table: int, seat: Seat, round_number: int, player: Participation | None
) -> dict[str, Any]:
    """Return a seat's record; Updated tells the control software that we have written a name."""
    name = (
        SessionPlayer(player.number, player.first_name, player.last_name).name[:NAME_LENGTH] if player else ""
    )
    return {
        "Section": id,
        "Table": table,
        "Direction": seat.value,
        "Number": player.number if player else "",
        "Name": name,
        "Round": round_number,
        "Updated": bool(name),
        "TimeLog": None,
        "Processed": False,
        "EntrySource": 0,
    }


def name_values(player: SessionPlayer) -> dict[str, Any]:
    """Return a player's record in PlayerNames. `ID` is the number as an integer, or 0 if that does not fit.

    >>> name_values(SessionPlayer("0012", "Ely", "Culbertson"))
    {'ID': 12, 'Name': 'Ely Culbertson', 'strID': '0012'}
    """
    number = parse_digits(player.number, 18) or 0
    return {
        "ID": number if number <= LARGEST_LONG else 0,
        "Name": player.name[:NAME_LENGTH],
        "strID": player.number,
    }


def _settings_rows(plan: SessionPlan, ids: dict[str, int], unwritten: list[str]) -> Iterable[dict[str, Any]]:
    is_one_field = len(plan.sections) > 1 and len({section.group for section, _ in plan.sections}) == 1
    for section, _ in plan.sections:
        second, third = SettingsII(), SettingsIII()
        for letters, settings in plan.settings:
            if letters != section.section:
                continue
            unwritten += [
                f"The file has no field for the setting {name} of section {letters}."
                for name in settings_without_column(settings)
            ]
            if isinstance(settings, SettingsII):
                second = settings
            else:
                third = settings
        second = replace(second, group_sections=second.group_sections or is_one_field)
        yield {"Section": ids[section.section], **settings_values(second, third)}


# From an existing session -----------------------------------------------------------------------------------


def plan_of(session: Session) -> SessionPlan:
    """Return the plan of a session in its present state: movement, players, hands and settings, without results."""
    opened = session.opened
    sections = []
    for section in sorted(session.setup.sections.values(), key=lambda section: section.id):
        tables = tuple(
            TablePlan(number, table.rounds, group=table.group)
            for number, table in session.movement.section(section.section).items()
        )
        sections.append((SectionPlan.of(section), tables))
    members: dict[int, tuple[str, ...]] = {}
    for plan, _ in sections:
        members[plan.group] = (*members.get(plan.group, ()), plan.section)
    return SessionPlan(
        opened.session,
        opened.name,
        opened.day,
        tuple(
            GroupPlan(group.group, group.method, group.name, members.get(group.group, ()))
            for group in session.setup.groups.values()
        ),
        tuple(sections),
        opened.starts,
        opened.shown_in_app,
        opened.across_field,
        opened.ew_return_home,
        opened.generation,
        tuple(session.seating.players.values()),
        tuple(
            Participation(
                seated.section,
                seated.table,
                seated.seat,
                seated.number,
                seated.first_name,
                seated.last_name,
                seated.country,
                seated.round,
            )
            for seated in session.seating.chairs.values()
        ),
        tuple(
            HandRecord(record.group, record.board, record.deal, record.tricks)
            for record in session.hands.records.values()
        ),
        (*session.settings.second.items(), *session.settings.third.items()),
    )
