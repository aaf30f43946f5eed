"""Import of lists of teams and players: 2A-c, 2A, 2A-a and 2A-b."""

import re
from collections.abc import Hashable
from dataclasses import replace

from overtrick.event.teams import (
    Competitor,
    CompetitorSet,
    Division,
    Member,
    RosterSet,
    Team,
    TeamEvent,
    TeamSet,
    TournamentMapped,
)
from overtrick.magic.merge import FileMerge, Rows
from overtrick.magic.rows import InitialTeamRow, MemberCodeRow, TeamIdRow, TeamRow
from overtrick.registry import Conflict
from overtrick.words import counted

TEAM_COLUMNS = ("nTeamID", "nTeamIDForeign", "csTeam")


class _KeyUses:
    """The first use of each key in a file, to detect a second use for something else."""

    def __init__(self, merge: FileMerge) -> None:
        self._merge = merge
        self._first: dict[Hashable, tuple[int, str]] = {}

    def check(self, column: str, key: Hashable, name: str) -> None:
        """Refuse a key that an earlier line uses for something else."""
        if key is None:
            return
        line, earlier_name = self._first.setdefault((column, key), (self._merge.line, name))
        if earlier_name != name:
            raise self._merge.refuse(column, f"{key} is {earlier_name!r} in line {line}.")


def import_team_list(merge: FileMerge, rows: Rows) -> None:
    """Import 2A: the events, divisions, teams, people and rosters of Magic."""
    keys = _KeyUses(merge)
    listed: dict[tuple[str, int], tuple[int, list[Member]]] = {}

    def import_row(row: TeamRow) -> None:
        if not row.team:
            raise merge.refuse("csTeam", "The team has no name.")
        keys.check("nTeamID", row.team_id, row.team)
        if row.team_foreign_id:
            keys.check("nTeamIDForeign", row.team_foreign_id, row.team)
        guid = merge.event(row.event_id, row.event, create=True)
        division = merge.division(guid, row.division_id, row.serie or row.event, create=True)
        team = merge.team(guid, division, row.team_id, row.team_foreign_id, row.team, TEAM_COLUMNS)
        number = row.number or (0 if team else _next_number(merge.events[guid], division))
        current = team or Team(row.team_id or merge.next_team(), division.id, number, row.team)
        team = replace(
            current,
            name=merge.resolve("csTeam", current.name, row.team),
            number=merge.resolve("nTeam", current.number, number),
            foreign_id=merge.resolve("nTeamIDForeign", current.foreign_id, row.team_foreign_id),
            country_iso=merge.resolve("csCountryISO", current.country_iso, row.country_iso),
            country_ioc=merge.resolve("csCountryIOC", current.country_ioc, row.country_ioc),
        )
        merge.put(guid, TeamSet(team), "csTeam")
        _, members = listed.setdefault((guid, team.id), (merge.line, []))
        if not (row.first_name or row.last_name):
            if row.player_id or row.member_code:
                raise merge.refuse("csLastName", "The player has no name.")
            return
        keys.check("nPlayerID", row.player_id, f"{row.first_name} {row.last_name}")
        player = _person(
            merge, guid, team, row.player_id, row.member_code, row.first_name, row.last_name, "csMemberID"
        )
        _enrol(merge, guid, team, Member(player.id, row.role, row.order or 0))
        members.append(Member(player.id))

    merge.run(rows, import_row)
    for (guid, team_id), (line, members) in listed.items():
        merge.line = line
        _remove_unlisted(merge, guid, team_id, {member.player for member in members})


def _remove_unlisted(merge: FileMerge, guid: str, team: int, listed: set[int]) -> None:
    """Remove roster members who are not in the list, if the line is accepted; otherwise record conflicts."""
    event = merge.events[guid]
    roster = event.rosters.get(team, ())
    missing = [member for member in roster if member.player not in listed]
    if missing and merge.line in merge.accepted:
        merge.put(guid, RosterSet(team, tuple(member for member in roster if member not in missing)))
        return
    for member in missing:
        name = event.players[member.player].name
        merge.conflicts.append(Conflict(merge.line, "csTeam", f"{event.teams[team].name} with {name}", ""))


def _next_number(event: TeamEvent, division: Division) -> int:
    return max((team.number for team in event.teams_of(division.id)), default=0) + 1


def _person(
    merge: FileMerge,
    guid: str,
    team: Team,
    id: int | None,
    member_code: str,
    first_name: str,
    last_name: str,
    code_column: str,
) -> Competitor:
    """Return the person of a row: by either key, by name in the team's roster, from the registry, or a new one."""
    event = merge.events[guid]
    person = merge.player(guid, id, member_code, code_column)
    if person is None and not id:
        person = next(
            (
                other
                for member in event.rosters.get(team.id, ())
                if (other := event.players[member.player])
                and (other.first_name, other.last_name) == (first_name, last_name)
                and not (other.member_code and member_code)
            ),
            None,
        )
    if person is None:
        registered = merge.members.find(member_code) if member_code else None
        if registered is not None and registered.id not in event.players:
            person = registered
        else:
            person = Competitor(id or merge.next_player(), first_name, last_name, member_code)
    player = replace(
        person,
        first_name=merge.resolve("csFirstName", person.first_name, first_name),
        last_name=merge.resolve("csLastName", person.last_name, last_name),
        member_code=merge.resolve(code_column, person.member_code, member_code),
    )
    merge.put_player(guid, player)
    return player


def _enrol(merge: FileMerge, guid: str, team: Team, member: Member) -> None:
    """Add a member to the end of a roster, or merge role and order if the roster has the player."""
    roster = merge.events[guid].rosters.get(team.id, ())
    current = next((listed for listed in roster if listed.player == member.player), None)
    if current is None:
        merge.put(guid, RosterSet(team.id, (*roster, member)), "csTeam")
        return
    merged = Member(
        member.player,
        merge.resolve("csRole", current.role, member.role),
        merge.resolve("nSortRoster", current.order, member.order),
    )
    merge.put(
        guid,
        RosterSet(team.id, tuple(merged if listed == current else listed for listed in roster)),
        "csTeam",
    )


def import_initial_teams(merge: FileMerge, rows: Rows) -> None:
    """Import 2A-c: the teams that were entered with the office; officials are counted and not imported."""
    keys = _KeyUses(merge)
    officials = 0

    def import_row(row: InitialTeamRow) -> None:
        nonlocal officials
        if not row.team:
            raise merge.refuse("teamname", "The team has no name.")
        if row.team_foreign_id:
            keys.check("teamid", row.team_foreign_id, row.team)
        guid, division = _tournament(merge, row.tournament)
        columns = ("teamid", "teamid", "teamname")
        team = merge.team(guid, division, None, row.team_foreign_id, row.team, columns)
        current = team or Team(
            merge.next_team(), division.id, _next_number(merge.events[guid], division), row.team
        )
        team = replace(
            current,
            name=merge.resolve("teamname", current.name, row.team),
            foreign_id=merge.resolve("teamid", current.foreign_id, row.team_foreign_id),
            country_ioc=current.country_ioc or row.country,
        )
        merge.put(guid, TeamSet(team), "teamname")
        if not (row.last_name or row.first_name):
            return
        if not Member(0, row.role).plays:
            officials += 1
            return
        player = _person(merge, guid, team, None, row.member_code, row.first_name, row.last_name, "EBLCode")
        merge.put_player(guid, replace(player, country_ioc=player.country_ioc or row.country))
        roster = merge.events[guid].rosters.get(team.id, ())
        if not any(member.player == player.id for member in roster):
            order = max((member.order for member in roster), default=0) + 1
            _enrol(merge, guid, team, Member(player.id, row.role.upper(), order))

    merge.run(rows, import_row)
    if officials:
        merge.notes.append(
            f"Not imported: {counted(officials, 'person who does not play', 'people who do not play')}."
        )


def _tournament(merge: FileMerge, name: str) -> tuple[str, Division]:
    """Return the event and division of a tournament: as it was mapped, or from its name."""
    for guid, event in merge.events.items():
        if name in event.tournaments:
            return guid, event.divisions[event.tournaments[name]]
    candidates = [
        (len(event.name), guid, match[1].strip())
        for guid, event in merge.events.items()
        if (match := re.fullmatch(re.escape(event.name) + r"(?:[\s:/,–-]+(.*))?", name))
        and match[1] is not None
    ]
    if not candidates:
        names = "; ".join(sorted(event.name for event in merge.events.values()))
        raise merge.refuse(
            "eventname",
            f"{name!r} is not the name of an event and a division (events: {names or 'none'}); open its event with "
            "`overtrick teams open`, or say what it is with `overtrick magic map`.",
        )
    _, guid, serie_name = max(candidates)
    division = merge.division(guid, None, serie_name, create=True)
    merge.put(guid, TournamentMapped(name, division.id), "eventname")
    return guid, division


def import_team_ids(merge: FileMerge, rows: Rows) -> None:
    """Import 2A-a: the office's keys of our teams."""
    keys = _KeyUses(merge)

    def import_row(row: TeamIdRow) -> None:
        if not row.team_id:
            raise merge.refuse("nTeamID", "The team has no id.")
        keys.check("nTeamID", row.team_id, str(row.team_foreign_id))
        keys.check("nTeamIDForeign", row.team_foreign_id, str(row.team_id))
        matches = [
            (guid, event.teams[row.team_id])
            for guid, event in merge.events.items()
            if row.team_id in event.teams
        ]
        if len(matches) != 1:
            several = f"{len(matches)} events have a team {row.team_id}; say which with --event."
            raise merge.refuse("nTeamID", several if matches else f"There is no team {row.team_id}.")
        ((guid, team),) = matches
        merged = merge.resolve("nTeamIDForeign", team.foreign_id, row.team_foreign_id)
        merge.put(guid, TeamSet(replace(team, foreign_id=merged)), "nTeamIDForeign")

    merge.run(rows, import_row)


def import_member_codes(merge: FileMerge, rows: Rows) -> None:
    """Import 2A-b: member codes and corrected names. The file is meant to correct: a change is not a conflict."""
    keys = _KeyUses(merge)

    def import_row(row: MemberCodeRow) -> None:
        if not row.player_id:
            raise merge.refuse("nPlayerID", "The player has no id.")
        keys.check("nPlayerID", row.player_id, repr(row[1:]))
        if row.member_code:
            keys.check("csMemberID", row.member_code, str(row.player_id))
        guids = [guid for guid, event in merge.events.items() if row.player_id in event.players]
        if not guids:
            raise merge.refuse("nPlayerID", f"There is no player {row.player_id}.")
        for guid in guids:
            before = merge.events[guid].players[row.player_id]
            after = replace(
                before,
                member_code=row.member_code or before.member_code,
                first_name=row.first_name or before.first_name,
                last_name=row.last_name or before.last_name,
            )
            merge.put(guid, CompetitorSet(after), "csMemberID")
            for column, old, new in (
                ("csMemberID", before.member_code, after.member_code),
                ("name", before.name, after.name),
            ):
                if old and old != new:
                    merge.notes.append(f"line {merge.line}, {column}: {old!r} became {new!r}.")

    merge.run(rows, import_row)
