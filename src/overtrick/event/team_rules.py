"""The commands of a team event and their rules. Pure: independent of files and victory point scales."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from overtrick.bridge import PassedOut, Played, Weighted
from overtrick.event.command import Command
from overtrick.event.fact import Fact
from overtrick.event.rejection import Problem, Reason, Rejection, rejected
from overtrick.event.teams import (
    CarryOverSet,
    CompetitorSet,
    DivisionSeated,
    DivisionSet,
    LineUp,
    LineUpSet,
    MatchNoted,
    MatchReported,
    Room,
    RosterSet,
    RoundDrawn,
    Segment,
    TeamAdjusted,
    TeamBoardErased,
    TeamBoardRecorded,
    TeamDropped,
    TeamEvent,
    TeamEventSet,
    TeamSet,
    TournamentMapped,
)
from overtrick.scoring import Method

# Commands ---------------------------------------------------------------------------------------------------


class TeamCommand(Command):
    """A request to change a team event; the sender chooses the ids."""

    __slots__ = ()
    event: str


@dataclass(frozen=True, slots=True)
class SetTeamEvent(TeamCommand):
    """Open a team event, or change its name or key."""

    event: str
    name: str
    id: int


@dataclass(frozen=True, slots=True)
class PutTeamFacts(TeamCommand):
    """Record facts, all or none; each is checked, and those that change nothing are left out."""

    event: str
    facts: tuple[Fact, ...]
    opening: SetTeamEvent | None = None
    """A command that opens or renames the event, carried out before the facts."""


# Rules ------------------------------------------------------------------------------------------------------


def put_team_facts(
    event: TeamEvent | None, command: PutTeamFacts, others: Iterable[TeamEvent]
) -> tuple[Fact, ...] | Rejection:
    """Decide about facts, each in the state after the earlier ones; the rejection lists all problems."""
    later = event.copy() if event else TeamEvent()
    facts: list[Fact] = []
    problems: list[Problem] = []
    if command.opening is not None:
        opened = set_team_event(event, command.opening, others)
        if isinstance(opened, Rejection):
            return opened
        for fact in opened:
            later.apply(fact)
        facts += opened
    for fact in command.facts:
        fact_problems = problems_with(later, fact)
        problems += fact_problems
        if fact_problems and isinstance(fact, CompetitorSet):
            # The command is rejected anyway; this avoids a second problem for a roster that names the player.
            later.apply(fact)
        if not fact_problems and is_change(later, fact):
            later.apply(fact)
            facts.append(fact)
    return rejected(problems) or tuple(facts)


def problems_with(event: TeamEvent, fact: Fact) -> list[Problem]:
    """Return the problems of a requested fact; empty if it is allowed."""
    rule = _RULES.get(type(fact))
    if rule is None:
        return [_problem(f"{fact.kind} is not a fact of a team event.")]
    return list(rule(event, fact))


def set_team_event(
    event: TeamEvent | None, command: SetTeamEvent, others: Iterable[TeamEvent]
) -> tuple[Fact, ...] | Rejection:
    """Decide about the name and the key of an event; rejected if another event has the key."""
    problems = list(_name_problems(command.name, "team event"))
    if command.id < 1:
        problems.append(Problem(Reason.NOT_ALLOWED, "The key of an event is a number above zero."))
    for other in others:
        if other.id == command.id and other.event != command.event:
            problems.append(Problem(Reason.NOT_ALLOWED, f"{other.name} has the key {command.id} already."))
    fact = TeamEventSet(command.event, command.name, command.id)
    if event is not None and (event.name, event.id) == (command.name, command.id):
        return ()
    return rejected(problems) or (fact,)


def is_change(event: TeamEvent, fact: Fact) -> bool:
    """Return whether a requested fact would change the event."""
    match fact:
        case DivisionSet():
            return event.divisions.get(fact.serie.id) != fact.serie
        case TeamSet():
            return event.teams.get(fact.team.id) != fact.team
        case CompetitorSet():
            return event.players.get(fact.player.id) != fact.player
        case RosterSet():
            return event.rosters.get(fact.team, ()) != fact.members
        case RoundDrawn():
            return event.draws.get((fact.serie, fact.round)) != fact
        case CarryOverSet():
            key = fact.serie, fact.round, fact.team
            return event.carried.get(key, CarryOverSet(*key, 0, 0)) != fact
        case TeamAdjusted():
            segment_key = fact.serie, fact.round, fact.segment, fact.team
            return event.adjusted.get(segment_key, TeamAdjusted(*segment_key, 0, 0)) != fact
        case LineUpSet():
            return event.line_ups.get((fact.segment, fact.room), LineUp()) != fact.line_up
        case TeamBoardRecorded():
            results = event.boards.get(fact.segment, {})
            return results.get((fact.result.room, fact.result.board)) != fact.result
        case MatchReported():
            return event.reported.get(fact.segment) != fact
        case MatchNoted():
            return event.notes.get(fact.segment, "") != fact.comment
        case TournamentMapped():
            return event.tournaments.get(fact.tournament) != fact.serie
        case DivisionSeated():
            return event.seated.get((fact.session, fact.section)) != fact
    return True


def _problem(sentence: str, where: str = "", reason: Reason = Reason.NOT_ALLOWED) -> Problem:
    return Problem(reason, sentence, where)


def _name_problems(name: str, what: str) -> Iterator[Problem]:
    if not name or name != name.strip() or not name.isprintable():
        yield _problem(
            f"{name!r} is not a valid name of a {what}: use printable characters, without spaces before or after."
        )


def _text_problems(where: str, *texts: str) -> Iterator[Problem]:
    for text in texts:
        if text != text.strip() or not text.isprintable():
            yield _problem(f"{text!r} has characters that cannot be printed, or spaces around it.", where)


def _division(event: TeamEvent, fact: DivisionSet) -> Iterator[Problem]:
    division = fact.serie
    yield from _name_problems(division.name, "division")
    if division.id < 1 or division.boards < 0:
        yield _problem(
            "The key of a division must be above zero, and its number of boards cannot be negative.",
            division.name,
        )
    if division.method not in (None, Method.TEAM_IMPS) and division.method.scale is None:
        yield _problem(
            f"Its matches are scored by IMPs or victory points, not {division.method.value}.", division.name
        )
    for other in event.divisions.values():
        if other.id != division.id and other.name == division.name:
            yield _problem("Another division has this name already.", division.name)


def _team(event: TeamEvent, fact: TeamSet) -> Iterator[Problem]:
    team = fact.team
    yield from _name_problems(team.name, "team")
    yield from _text_problems(team.name, team.country_iso, team.country_ioc)
    yield from _require_division(event, team.serie)
    if min(team.id, team.number) < 1 or team.foreign_id < 0:
        yield _problem("The keys and the number of a team must be above zero.", team.name)
    before = event.teams.get(team.id)
    if before is not None and before.serie != team.serie:
        yield _problem("A team cannot move to another division.", team.name)
    for other in event.teams.values():
        if other.id == team.id:
            continue
        if (other.serie, other.number) == (team.serie, team.number):
            yield _problem(f"{other.name} has the number {team.number} already.", team.name)
        if team.foreign_id and other.foreign_id == team.foreign_id:
            yield _problem(f"{other.name} has the foreign id {team.foreign_id} already.", team.name)


def _team_removal(event: TeamEvent, fact: TeamDropped) -> Iterator[Problem]:
    if fact.team not in event.teams:
        yield _unknown(f"There is no team {fact.team}.")
    elif any(
        fact.team in (pairing.home, pairing.away)
        for draw in event.draws.values()
        for pairing in draw.pairings
    ):
        yield _problem("The team is in a draw, so it cannot be removed.", event.teams[fact.team].name)


def _player(event: TeamEvent, fact: CompetitorSet) -> Iterator[Problem]:
    player = fact.player
    yield from _name_problems(player.name, "player")
    yield from _text_problems(
        player.name, player.first_name, player.last_name, player.member_code, player.country_ioc
    )
    if player.id < 1 or player.foreign_id < 0:
        yield _problem("The keys of a player must be above zero.", player.name)
    if player.sex not in ("", "M", "W"):
        yield _problem(f"The sex is M, W or empty, not {player.sex!r}.", player.name)
    for other in event.players.values():
        if other.id == player.id:
            continue
        if player.member_code and other.member_code == player.member_code:
            yield _problem(f"{other.name} has the member code {player.member_code} already.", player.name)
        if player.foreign_id and other.foreign_id == player.foreign_id:
            yield _problem(f"{other.name} has the foreign id {player.foreign_id} already.", player.name)


def _roster(event: TeamEvent, fact: RosterSet) -> Iterator[Problem]:
    team = event.teams.get(fact.team)
    if team is None:
        yield _unknown(f"There is no team {fact.team}.")
        return
    for player, times in Counter(member.player for member in fact.members).items():
        if player not in event.players:
            yield _unknown(f"There is no player {player}.", team.name)
        if times > 1:
            yield _problem(f"Player {player} is in the roster twice.", team.name)
    for member in fact.members:
        yield from _text_problems(team.name, member.role)
    own_players = {member.player for member in fact.members if member.plays}
    for other in event.teams_of(team.serie):
        other_players = {member.player for member in event.rosters.get(other.id, ()) if member.plays}
        if other.id != team.id and (shared := own_players & other_players):
            names = ", ".join(event.players[player].name for player in sorted(shared))
            yield _problem(f"{names} plays for {other.name} already.", team.name)


def _draw(event: TeamEvent, fact: RoundDrawn) -> Iterator[Problem]:
    where = f"round {fact.round}"
    yield from _require_division(event, fact.serie)
    if fact.round < 1 or fact.segments < 1:
        yield _problem("Rounds and segments count from 1.", where)
    for team, times in Counter(t for pairing in fact.pairings for t in (pairing.home, pairing.away)).items():
        drawn_team = event.teams.get(team)
        if drawn_team is None or drawn_team.serie != fact.serie:
            yield _unknown(f"There is no team {team} in the division.", where)
        elif times > 1 and not _is_triangle(fact):
            yield _problem(f"{drawn_team.name} has two matches.", where)
    tables = Counter(pairing.table for pairing in fact.pairings)
    yield from (
        _problem(f"Table {table} has two matches.", where) for table, count in tables.items() if count > 1
    )
    before = event.draws.get((fact.serie, fact.round))
    if before is None:
        return
    new_matches = {(pairing.home, pairing.away) for pairing in fact.pairings}
    for pairing in before.pairings:
        for number in range(1, before.segments + 1):
            segment = Segment(fact.serie, fact.round, number, pairing.home)
            is_kept = (pairing.home, pairing.away) in new_matches and number <= fact.segments
            if not is_kept and _is_played(event, segment):
                home, away = event.teams[pairing.home].name, event.teams[pairing.away].name
                yield _problem(f"{home} - {away} has results, so it cannot be removed.", where)


def _is_triangle(fact: RoundDrawn) -> bool:
    """Return whether the teams with two matches are three that all meet, each at home and away once."""
    three = fact.triangle
    matches = [pairing for pairing in fact.pairings if pairing.home in three or pairing.away in three]
    return (
        len(three) == 3
        and len(matches) == 3
        and {pairing.home for pairing in matches} == three
        and {pairing.away for pairing in matches} == three
    )


def _is_played(event: TeamEvent, segment: Segment) -> bool:
    return segment in event.boards or segment in event.reported


def _carry_over(event: TeamEvent, fact: CarryOverSet) -> Iterator[Problem]:
    yield from _team_of(event, fact.serie, fact.team)
    if fact.round < 1:
        yield _problem("Rounds count from 1.")
    if fact.vps and fact.round != 1:
        yield _problem("Victory points are carried into the first round only.", f"round {fact.round}")


def _adjustment(event: TeamEvent, fact: TeamAdjusted) -> Iterator[Problem]:
    yield from _team_of(event, fact.serie, fact.team)
    yield from _text_problems("the reason", fact.reason)
    if fact.round < 1 or fact.segment < 1:
        yield _problem("Rounds and segments count from 1.")


def _line_up(event: TeamEvent, fact: LineUpSet) -> Iterator[Problem]:
    match = event.pairing(fact.segment)
    if match is None:
        yield _not_drawn(fact.segment)
        return
    line_up = fact.line_up
    ns, ew = (match.home, match.away) if fact.room is Room.OPEN else (match.away, match.home)
    where = f"{fact.room.value.lower()} room"
    for seat, player, team in (
        ("North", line_up.north, ns),
        ("South", line_up.south, ns),
        ("East", line_up.east, ew),
        ("West", line_up.west, ew),
    ):
        if player and not any(
            member.player == player and member.plays for member in event.rosters.get(team, ())
        ):
            name = event.players[player].name if player in event.players else f"player {player}"
            yield _problem(f"{name}, {seat}, is not a player of {event.teams[team].name}.", where)
    players = [player for player in (line_up.north, line_up.south, line_up.east, line_up.west) if player]
    if len(set(players)) < len(players):
        yield _problem("A player cannot have two seats.", where)


def _board(event: TeamEvent, fact: TeamBoardRecorded) -> Iterator[Problem]:
    if event.pairing(fact.segment) is None:
        yield _not_drawn(fact.segment)
    if fact.result.board < 1:
        yield _problem("Boards count from 1.")
    if (fact.result.outcome_ew is not None) and not all(
        isinstance(outcome, Played | PassedOut | Weighted)
        for outcome in (fact.result.outcome, fact.result.outcome_ew)
    ):
        yield _problem(
            "The two sides can have separate results only if both results are scores.",
            f"board {fact.result.board}",
        )
    if fact.result.lead is not None and not hasattr(fact.result.outcome, "contract"):
        yield _problem("Only a contract that was played has a lead.", f"board {fact.result.board}")


def _board_removal(event: TeamEvent, fact: TeamBoardErased) -> Iterator[Problem]:
    if (fact.room, fact.board) not in event.boards.get(fact.segment, {}):
        yield _unknown(f"There is no result of board {fact.board}.", f"{fact.room.value.lower()} room")


def _report(event: TeamEvent, fact: MatchReported) -> Iterator[Problem]:
    if event.pairing(fact.segment) is None:
        yield _not_drawn(fact.segment)
        return
    # If only another program knows the scale, its victory points count beside the boards.
    adds_points = event.divisions[fact.segment.serie].method is None and fact.vps_home is not None
    if event.boards.get(fact.segment) and not adds_points and is_change(event, fact):
        yield _problem(
            "Boards of this match have been entered, and they count. Erase them before you report its IMPs.",
            f"round {fact.segment.round}, segment {fact.segment.number}",
        )


def _note(event: TeamEvent, fact: MatchNoted) -> Iterator[Problem]:
    if event.pairing(fact.segment) is None:
        yield _not_drawn(fact.segment)
    yield from _text_problems("the comment", fact.comment)


def _tournament(event: TeamEvent, fact: TournamentMapped) -> Iterator[Problem]:
    yield from _name_problems(fact.tournament, "tournament")
    yield from _require_division(event, fact.serie)


def _seating(event: TeamEvent, fact: DivisionSeated) -> Iterator[Problem]:
    yield from _require_division(event, fact.serie)
    if fact.round < 1 or fact.segment < 0:
        yield _problem("Rounds and segments count from 1.")


def _require_division(event: TeamEvent, division: int) -> Iterator[Problem]:
    if division not in event.divisions:
        yield _unknown(f"There is no division {division}.")


def _team_of(event: TeamEvent, division: int, team: int) -> Iterator[Problem]:
    if team not in event.teams or event.teams[team].serie != division:
        yield _unknown(f"There is no team {team} in the division.")


def _unknown(sentence: str, where: str = "") -> Problem:
    return _problem(sentence, where, Reason.UNKNOWN_ENTRY)


def _not_drawn(segment: Segment) -> Problem:
    return _problem(
        f"Team {segment.home} has no match at home in round {segment.round}, segment {segment.number}.",
        reason=Reason.UNKNOWN_PLACE,
    )


_RULES: dict[type[Fact], Callable[[TeamEvent, Any], Iterator[Problem]]] = {
    DivisionSet: _division,
    TeamSet: _team,
    TeamDropped: _team_removal,
    CompetitorSet: _player,
    RosterSet: _roster,
    RoundDrawn: _draw,
    CarryOverSet: _carry_over,
    TeamAdjusted: _adjustment,
    LineUpSet: _line_up,
    TeamBoardRecorded: _board,
    TeamBoardErased: _board_removal,
    MatchReported: _report,
    MatchNoted: _note,
    TournamentMapped: _tournament,
    DivisionSeated: _seating,
}
"""The rule for each kind of fact: it yields the problems of a requested one."""
