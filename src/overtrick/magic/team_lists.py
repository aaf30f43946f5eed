"""Import of lists of teams and players: 2A-c, 2A, 2A-a and 2A-b."""

import re
from collections.abc import Hashable
from dataclasses import replace

from overtrick.event.teams import (
    Competitor,
    CompetitorSet,
    Member,
    RosterSet,
    Serie,
    Team,
    TeamEvent,
    TeamSet,
    TournamentMapped,
)
from overtrick.magic.merge import FileMerge, Rows
from overtrick.magic.rows import InitialTeamRow, MemberCodeRow, TeamIdRow, TeamRow
from overtrick.registry import Conflict

TEAM_COLUMNS = ("nTeamID", "nTeamIDForeign", "csTeam")


class _Seen:
    """The first use of each key in a file, to detect a second use for something else."""

    def __init__(self, joining: FileMerge) -> None:
        self._joining = joining
        self._first: dict[Hashable, tuple[int, str]] = {}

    def check(self, column: str, key: Hashable, name: str) -> None:
        """Refuse a key that an earlier line uses for something else."""
        if key is None:
            return
        line, before = self._first.setdefault((column, key), (self._joining.line, name))
        if before != name:
            raise self._joining.refuse(column, f"{key} is {before!r} in line {line}.")


def take_team_list(joining: FileMerge, rows: Rows) -> None:
    """Import 2A: events, divisions, teams, people and rosters as Magic has them."""
    seen = _Seen(joining)
    listed: dict[tuple[str, int], tuple[int, list[Member]]] = {}

    def take(row: TeamRow) -> None:
        if not row.team:
            raise joining.refuse("csTeam", "The team has no name.")
        seen.check("nTeamID", row.team_id, row.team)
        if row.team_foreign_id:
            seen.check("nTeamIDForeign", row.team_foreign_id, row.team)
        guid = joining.event(row.event_id, row.event, create=True)
        serie = joining.serie(guid, row.serie_id, row.serie or row.event, create=True)
        team = joining.team(guid, serie, row.team_id, row.team_foreign_id, row.team, TEAM_COLUMNS)
        number = row.number or (0 if team else _next_number(joining.events[guid], serie))
        known = team or Team(row.team_id or joining.next_team(), serie.id, number, row.team)
        team = replace(
            known,
            name=joining.merge("csTeam", known.name, row.team),
            number=joining.merge("nTeam", known.number, number),
            foreign_id=joining.merge("nTeamIDForeign", known.foreign_id, row.team_foreign_id),
            country_iso=joining.merge("csCountryISO", known.country_iso, row.country_iso),
            country_ioc=joining.merge("csCountryIOC", known.country_ioc, row.country_ioc),
        )
        joining.put(guid, TeamSet(team), "csTeam")
        _, members = listed.setdefault((guid, team.id), (joining.line, []))
        if not (row.first_name or row.last_name):
            if row.player_id or row.member_code:
                raise joining.refuse("csLastName", "The player has no name.")
            return
        seen.check("nPlayerID", row.player_id, f"{row.first_name} {row.last_name}")
        player = _person(
            joining, guid, team, row.player_id, row.member_code, row.first_name, row.last_name, "csMemberID"
        )
        _enrol(joining, guid, team, Member(player.id, row.role, row.order or 0))
        members.append(Member(player.id))

    joining.run(rows, take)
    for (guid, team_id), (line, members) in listed.items():
        joining.line = line
        _without_the_unlisted(joining, guid, team_id, {member.player for member in members})


def _without_the_unlisted(joining: FileMerge, guid: str, team: int, listed: set[int]) -> None:
    """Remove roster members who are not in the list, but only if someone accepts that."""
    event = joining.events[guid]
    roster = event.rosters.get(team, ())
    missing = [member for member in roster if member.player not in listed]
    if missing and joining.line in joining.accepted:
        joining.put(guid, RosterSet(team, tuple(one for one in roster if one not in missing)))
        return
    for member in missing:
        name = event.players[member.player].name
        joining.conflicts.append(
            Conflict(joining.line, "csTeam", f"{event.teams[team].name} with {name}", "")
        )


def _next_number(event: TeamEvent, serie: Serie) -> int:
    return max((team.number for team in event.of_serie(serie.id)), default=0) + 1


def _person(
    joining: FileMerge,
    guid: str,
    team: Team,
    id: int | None,
    member_code: str,
    first_name: str,
    last_name: str,
    code_column: str,
) -> Competitor:
    """Return the person of a row: by either key, else by name in the team's roster, else a new one."""
    event = joining.events[guid]
    found = joining.player(guid, id, member_code, code_column)
    if found is None and not id:
        found = next(
            (
                person
                for member in event.rosters.get(team.id, ())
                if (person := event.players[member.player])
                and (person.first_name, person.last_name) == (first_name, last_name)
                and not (person.member_code and member_code)
            ),
            None,
        )
    if found is None:
        elsewhere = joining.members.find(member_code) if member_code else None
        if elsewhere is not None and elsewhere.id not in event.players:
            found = elsewhere
        else:
            found = Competitor(id or joining.next_player(), first_name, last_name, member_code)
    player = replace(
        found,
        first_name=joining.merge("csFirstName", found.first_name, first_name),
        last_name=joining.merge("csLastName", found.last_name, last_name),
        member_code=joining.merge(code_column, found.member_code, member_code),
    )
    joining.put_player(guid, player)
    return player


def _enrol(joining: FileMerge, guid: str, team: Team, member: Member) -> None:
    """Add someone to a roster, which keeps its order."""
    roster = joining.events[guid].rosters.get(team.id, ())
    before = next((one for one in roster if one.player == member.player), None)
    if before is None:
        joining.put(guid, RosterSet(team.id, (*roster, member)), "csTeam")
        return
    merged = Member(
        member.player,
        joining.merge("csRole", before.role, member.role),
        joining.merge("nSortRoster", before.order, member.order),
    )
    joining.put(guid, RosterSet(team.id, tuple(merged if one == before else one for one in roster)), "csTeam")


def take_initial_teams(joining: FileMerge, rows: Rows) -> None:
    """Import 2A-c: the teams that were entered with the office; officials are counted and left out."""
    seen = _Seen(joining)
    officials = 0

    def take(row: InitialTeamRow) -> None:
        nonlocal officials
        if not row.team:
            raise joining.refuse("teamname", "The team has no name.")
        if row.team_foreign_id:
            seen.check("teamid", row.team_foreign_id, row.team)
        guid, serie = _tournament(joining, row.tournament)
        columns = ("teamid", "teamid", "teamname")
        team = joining.team(guid, serie, None, row.team_foreign_id, row.team, columns)
        known = team or Team(
            joining.next_team(), serie.id, _next_number(joining.events[guid], serie), row.team
        )
        team = replace(
            known,
            name=joining.merge("teamname", known.name, row.team),
            foreign_id=joining.merge("teamid", known.foreign_id, row.team_foreign_id),
            country_ioc=known.country_ioc or row.country,
        )
        joining.put(guid, TeamSet(team), "teamname")
        if not (row.last_name or row.first_name):
            return
        if not Member(0, row.role).plays:
            officials += 1
            return
        player = _person(joining, guid, team, None, row.member_code, row.first_name, row.last_name, "EBLCode")
        joining.put_player(guid, replace(player, country_ioc=player.country_ioc or row.country))
        roster = joining.events[guid].rosters.get(team.id, ())
        if not any(member.player == player.id for member in roster):
            order = max((member.order for member in roster), default=0) + 1
            _enrol(joining, guid, team, Member(player.id, row.role.upper(), order))

    joining.run(rows, take)
    if officials:
        joining.notes.append(f"{officials} who do not play were left out.")


def _tournament(joining: FileMerge, name: str) -> tuple[str, Serie]:
    """Return the event and the division of a tournament: as it was mapped, or by the names."""
    for guid, event in joining.events.items():
        if name in event.tournaments:
            return guid, event.series[event.tournaments[name]]
    fits = [
        (len(event.name), guid, match[1].strip())
        for guid, event in joining.events.items()
        if (match := re.fullmatch(re.escape(event.name) + r"(?:[\s:/,–-]+(.*))?", name))
        and match[1] is not None
    ]
    if not fits:
        known = "; ".join(sorted(event.name for event in joining.events.values()))
        raise joining.refuse(
            "eventname",
            f"{name!r} is no event followed by a serie (events: {known or 'none'}); open its event with `overtrick "
            "teams open`, or say what it is with `overtrick magic map`.",
        )
    _, guid, serie_name = max(fits)
    serie = joining.serie(guid, None, serie_name, create=True)
    joining.put(guid, TournamentMapped(name, serie.id), "eventname")
    return guid, serie


def take_team_ids(joining: FileMerge, rows: Rows) -> None:
    """Import 2A-a: the office's keys of teams."""
    seen = _Seen(joining)

    def take(row: TeamIdRow) -> None:
        if not row.team_id:
            raise joining.refuse("nTeamID", "The team has no id.")
        seen.check("nTeamID", row.team_id, str(row.team_foreign_id))
        seen.check("nTeamIDForeign", row.team_foreign_id, str(row.team_id))
        found = [
            (guid, event.teams[row.team_id])
            for guid, event in joining.events.items()
            if row.team_id in event.teams
        ]
        if len(found) != 1:
            several = f"{len(found)} events have a team {row.team_id}; say which with --event."
            raise joining.refuse("nTeamID", several if found else f"There is no team {row.team_id}.")
        ((guid, team),) = found
        merged = joining.merge("nTeamIDForeign", team.foreign_id, row.team_foreign_id)
        joining.put(guid, TeamSet(replace(team, foreign_id=merged)), "nTeamIDForeign")

    joining.run(rows, take)


def take_member_codes(joining: FileMerge, rows: Rows) -> None:
    """Import 2A-b: member codes and corrected names. The file exists to correct, so every change is made and noted."""
    seen = _Seen(joining)

    def take(row: MemberCodeRow) -> None:
        if not row.player_id:
            raise joining.refuse("nPlayerID", "The player has no id.")
        seen.check("nPlayerID", row.player_id, repr(row[1:]))
        if row.member_code:
            seen.check("csMemberID", row.member_code, str(row.player_id))
        found = [guid for guid, event in joining.events.items() if row.player_id in event.players]
        if not found:
            raise joining.refuse("nPlayerID", f"There is no player {row.player_id}.")
        for guid in found:
            before = joining.events[guid].players[row.player_id]
            after = replace(
                before,
                member_code=row.member_code or before.member_code,
                first_name=row.first_name or before.first_name,
                last_name=row.last_name or before.last_name,
            )
            joining.put(guid, CompetitorSet(after), "csMemberID")
            for column, was, now in (
                ("csMemberID", before.member_code, after.member_code),
                ("name", before.name, after.name),
            ):
                if was and was != now:
                    joining.notes.append(f"line {joining.line}, {column}: {was!r} became {now!r}.")

    joining.run(rows, take)
