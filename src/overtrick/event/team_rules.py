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
    LineUp,
    LineUpSet,
    MatchNoted,
    MatchReported,
    Room,
    RosterSet,
    RoundDrawn,
    Segment,
    SerieSeated,
    SerieSet,
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
    made: list[Fact] = []
    problems: list[Problem] = []
    if command.opening is not None:
        opened = set_team_event(event, command.opening, others)
        if isinstance(opened, Rejection):
            return opened
        for fact in opened:
            later.apply(fact)
        made += opened
    for wanted in command.facts:
        found = problems_with(later, wanted)
        problems += found
        if found and isinstance(wanted, CompetitorSet):
            # The command is rejected anyway; this avoids a second problem for a roster that names the player.
            later.apply(wanted)
        if not found and is_news(later, wanted):
            later.apply(wanted)
            made.append(wanted)
    return rejected(problems) or tuple(made)


def problems_with(event: TeamEvent, wanted: Fact) -> list[Problem]:
    """Return the problems of a requested fact; empty if it is allowed."""
    rule = _RULES.get(type(wanted))
    if rule is None:
        return [_wrong(f"{wanted.kind} cannot be asked for.")]
    return list(rule(event, wanted))


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
    wanted = TeamEventSet(command.event, command.name, command.id)
    if event is not None and (event.name, event.id) == (command.name, command.id):
        return ()
    return rejected(problems) or (wanted,)


def is_news(event: TeamEvent, wanted: Fact) -> bool:
    """Return whether a requested fact would change the event."""
    match wanted:
        case SerieSet():
            return event.series.get(wanted.serie.id) != wanted.serie
        case TeamSet():
            return event.teams.get(wanted.team.id) != wanted.team
        case CompetitorSet():
            return event.players.get(wanted.player.id) != wanted.player
        case RosterSet():
            return event.rosters.get(wanted.team, ()) != wanted.members
        case RoundDrawn():
            return event.draws.get((wanted.serie, wanted.round)) != wanted
        case CarryOverSet():
            place = wanted.serie, wanted.round, wanted.team
            return event.carried.get(place, CarryOverSet(*place, 0, 0)) != wanted
        case TeamAdjusted():
            where = wanted.serie, wanted.round, wanted.segment, wanted.team
            return event.adjusted.get(where, TeamAdjusted(*where, 0, 0)) != wanted
        case LineUpSet():
            return event.line_ups.get((wanted.segment, wanted.room), LineUp()) != wanted.line_up
        case TeamBoardRecorded():
            here = event.boards.get(wanted.segment, {})
            return here.get((wanted.result.room, wanted.result.board)) != wanted.result
        case MatchReported():
            return event.reported.get(wanted.segment) != wanted
        case MatchNoted():
            return event.notes.get(wanted.segment, "") != wanted.comment
        case TournamentMapped():
            return event.tournaments.get(wanted.tournament) != wanted.serie
        case SerieSeated():
            return event.seated.get((wanted.session, wanted.section)) != wanted
    return True


def _wrong(sentence: str, where: str = "", reason: Reason = Reason.NOT_ALLOWED) -> Problem:
    return Problem(reason, sentence, where)


def _name_problems(name: str, what: str) -> Iterator[Problem]:
    if not name or name != name.strip() or not name.isprintable():
        yield _wrong(
            f"{name!r} is not a valid name of a {what}: use printable characters, without spaces before or after."
        )


def _text_problems(where: str, *texts: str) -> Iterator[Problem]:
    for text in texts:
        if text != text.strip() or not text.isprintable():
            yield _wrong(f"{text!r} has signs that cannot be printed, or blanks around it.", where)


def _serie(event: TeamEvent, wanted: SerieSet) -> Iterator[Problem]:
    serie = wanted.serie
    yield from _name_problems(serie.name, "division")
    if serie.id < 1 or serie.boards < 0:
        yield _wrong(
            "The key of a division is a number above zero, and its boards are not negative.", serie.name
        )
    if serie.method not in (None, Method.TEAM_IMPS) and serie.method.scale is None:
        yield _wrong(
            f"Its matches are scored by IMPs or victory points, not {serie.method.value}.", serie.name
        )
    for other in event.series.values():
        if other.id != serie.id and other.name == serie.name:
            yield _wrong("There is a division of this name already.", serie.name)


def _team(event: TeamEvent, wanted: TeamSet) -> Iterator[Problem]:
    team = wanted.team
    yield from _name_problems(team.name, "team")
    yield from _text_problems(team.name, team.country_iso, team.country_ioc)
    yield from _known_serie(event, team.serie)
    if min(team.id, team.number) < 1 or team.foreign_id < 0:
        yield _wrong("The keys and the number of a team are above zero.", team.name)
    before = event.teams.get(team.id)
    if before is not None and before.serie != team.serie:
        yield _wrong("A team stays in its division.", team.name)
    for other in event.teams.values():
        if other.id == team.id:
            continue
        if (other.serie, other.number) == (team.serie, team.number):
            yield _wrong(f"{other.name} has the number {team.number} already.", team.name)
        if team.foreign_id and other.foreign_id == team.foreign_id:
            yield _wrong(f"{other.name} has the foreign id {team.foreign_id} already.", team.name)


def _no_team(event: TeamEvent, wanted: TeamDropped) -> Iterator[Problem]:
    if wanted.team not in event.teams:
        yield _unknown(f"There is no team {wanted.team}.")
    elif any(wanted.team in (one.home, one.away) for drawn in event.draws.values() for one in drawn.pairings):
        yield _wrong("It has been drawn, so it stays.", event.teams[wanted.team].name)


def _player(event: TeamEvent, wanted: CompetitorSet) -> Iterator[Problem]:
    player = wanted.player
    yield from _name_problems(player.name, "player")
    yield from _text_problems(
        player.name, player.first_name, player.last_name, player.member_code, player.country_ioc
    )
    if player.id < 1 or player.foreign_id < 0:
        yield _wrong("The keys of a player are above zero.", player.name)
    if player.sex not in ("", "M", "W"):
        yield _wrong(f"The sex is M, W or empty, not {player.sex!r}.", player.name)
    for other in event.players.values():
        if other.id == player.id:
            continue
        if player.member_code and other.member_code == player.member_code:
            yield _wrong(f"{other.name} has the member code {player.member_code} already.", player.name)
        if player.foreign_id and other.foreign_id == player.foreign_id:
            yield _wrong(f"{other.name} has the foreign id {player.foreign_id} already.", player.name)


def _roster(event: TeamEvent, wanted: RosterSet) -> Iterator[Problem]:
    team = event.teams.get(wanted.team)
    if team is None:
        yield _unknown(f"There is no team {wanted.team}.")
        return
    for player, times in Counter(member.player for member in wanted.members).items():
        if player not in event.players:
            yield _unknown(f"There is no player {player}.", team.name)
        if times > 1:
            yield _wrong(f"Player {player} is in the roster twice.", team.name)
    for member in wanted.members:
        yield from _text_problems(team.name, member.role)
    mine = {member.player for member in wanted.members if member.plays}
    for other in event.of_serie(team.serie):
        theirs = {member.player for member in event.rosters.get(other.id, ()) if member.plays}
        if other.id != team.id and (both := mine & theirs):
            names = ", ".join(event.players[player].name for player in sorted(both))
            yield _wrong(f"{names} plays for {other.name} already.", team.name)


def _draw(event: TeamEvent, wanted: RoundDrawn) -> Iterator[Problem]:
    where = f"round {wanted.round}"
    yield from _known_serie(event, wanted.serie)
    if wanted.round < 1 or wanted.segments < 1:
        yield _wrong("Rounds and segments count from 1.", where)
    for team, times in Counter(t for one in wanted.pairings for t in (one.home, one.away)).items():
        known = event.teams.get(team)
        if known is None or known.serie != wanted.serie:
            yield _unknown(f"There is no team {team} in the division.", where)
        elif times > 1 and not _is_triangle(wanted):
            yield _wrong(f"{known.name} has two matches.", where)
    tables = Counter(one.table for one in wanted.pairings)
    yield from (_wrong(f"Table {table} has two matches.", where) for table, n in tables.items() if n > 1)
    before = event.draws.get((wanted.serie, wanted.round))
    if before is None:
        return
    kept = {(one.home, one.away) for one in wanted.pairings}
    for one in before.pairings:
        for number in range(1, before.segments + 1):
            segment = Segment(wanted.serie, wanted.round, number, one.home)
            is_kept = (one.home, one.away) in kept and number <= wanted.segments
            if not is_kept and _is_played(event, segment):
                yield _wrong(
                    f"{event.teams[one.home].name} - {event.teams[one.away].name} has results, so it stays.",
                    where,
                )


def _is_triangle(wanted: RoundDrawn) -> bool:
    """Return whether the teams with two matches are three that all meet, each at home and away once."""
    three = wanted.triangle
    matches = [one for one in wanted.pairings if one.home in three or one.away in three]
    return (
        len(three) == 3
        and len(matches) == 3
        and {one.home for one in matches} == three
        and {one.away for one in matches} == three
    )


def _is_played(event: TeamEvent, segment: Segment) -> bool:
    return segment in event.boards or segment in event.reported


def _carry_over(event: TeamEvent, wanted: CarryOverSet) -> Iterator[Problem]:
    yield from _team_of(event, wanted.serie, wanted.team)
    if wanted.round < 1:
        yield _wrong("Rounds count from 1.")
    if wanted.vps and wanted.round != 1:
        yield _wrong("Victory points are carried into the first round only.", f"round {wanted.round}")


def _adjustment(event: TeamEvent, wanted: TeamAdjusted) -> Iterator[Problem]:
    yield from _team_of(event, wanted.serie, wanted.team)
    yield from _text_problems("the reason", wanted.reason)
    if wanted.round < 1 or wanted.segment < 1:
        yield _wrong("Rounds and segments count from 1.")


def _line_up(event: TeamEvent, wanted: LineUpSet) -> Iterator[Problem]:
    match = event.pairing(wanted.segment)
    if match is None:
        yield _not_drawn(wanted.segment)
        return
    up = wanted.line_up
    ns, ew = (match.home, match.away) if wanted.room is Room.OPEN else (match.away, match.home)
    where = f"{wanted.room.value.lower()} room"
    for seat, player, team in (
        ("North", up.north, ns),
        ("South", up.south, ns),
        ("East", up.east, ew),
        ("West", up.west, ew),
    ):
        if player and not any(one.player == player and one.plays for one in event.rosters.get(team, ())):
            name = event.players[player].name if player in event.players else f"player {player}"
            yield _wrong(f"{name}, {seat}, is no player of {event.teams[team].name}.", where)
    sitting = [player for player in (up.north, up.south, up.east, up.west) if player]
    if len(set(sitting)) < len(sitting):
        yield _wrong("A player cannot have two seats.", where)


def _board(event: TeamEvent, wanted: TeamBoardRecorded) -> Iterator[Problem]:
    if event.pairing(wanted.segment) is None:
        yield _not_drawn(wanted.segment)
    if wanted.result.board < 1:
        yield _wrong("Boards count from 1.")
    if (wanted.result.outcome_ew is not None) and not all(
        isinstance(outcome, Played | PassedOut | Weighted)
        for outcome in (wanted.result.outcome, wanted.result.outcome_ew)
    ):
        yield _wrong(
            "The sides have separate results only where both have a score.", f"board {wanted.result.board}"
        )
    if wanted.result.lead is not None and not hasattr(wanted.result.outcome, "contract"):
        yield _wrong("There is a lead only where a contract was played.", f"board {wanted.result.board}")


def _no_board(event: TeamEvent, wanted: TeamBoardErased) -> Iterator[Problem]:
    if (wanted.room, wanted.board) not in event.boards.get(wanted.segment, {}):
        yield _unknown(f"There is no result of board {wanted.board}.", f"{wanted.room.value.lower()} room")


def _report(event: TeamEvent, wanted: MatchReported) -> Iterator[Problem]:
    if event.pairing(wanted.segment) is None:
        yield _not_drawn(wanted.segment)
        return
    # If only another program knows the scale, its victory points count beside the boards.
    adds_points = event.series[wanted.segment.serie].method is None and wanted.vps_home is not None
    if event.boards.get(wanted.segment) and not adds_points and is_news(event, wanted):
        yield _wrong(
            "Boards of this match are entered already, and they count: erase them before you report its IMPs.",
            f"round {wanted.segment.round}, segment {wanted.segment.number}",
        )


def _note(event: TeamEvent, wanted: MatchNoted) -> Iterator[Problem]:
    if event.pairing(wanted.segment) is None:
        yield _not_drawn(wanted.segment)
    yield from _text_problems("the comment", wanted.comment)


def _tournament(event: TeamEvent, wanted: TournamentMapped) -> Iterator[Problem]:
    yield from _name_problems(wanted.tournament, "tournament")
    yield from _known_serie(event, wanted.serie)


def _seating(event: TeamEvent, wanted: SerieSeated) -> Iterator[Problem]:
    yield from _known_serie(event, wanted.serie)
    if wanted.round < 1 or wanted.segment < 0:
        yield _wrong("Rounds and segments count from 1.")


def _known_serie(event: TeamEvent, serie: int) -> Iterator[Problem]:
    if serie not in event.series:
        yield _unknown(f"There is no division {serie}.")


def _team_of(event: TeamEvent, serie: int, team: int) -> Iterator[Problem]:
    if team not in event.teams or event.teams[team].serie != serie:
        yield _unknown(f"There is no team {team} in the division.")


def _unknown(sentence: str, where: str = "") -> Problem:
    return _wrong(sentence, where, Reason.UNKNOWN_ENTRY)


def _not_drawn(segment: Segment) -> Problem:
    return _wrong(
        f"Team {segment.home} has no match at home in round {segment.round}, segment {segment.number}.",
        reason=Reason.UNKNOWN_PLACE,
    )


_RULES: dict[type[Fact], Callable[[TeamEvent, Any], Iterator[Problem]]] = {
    SerieSet: _serie,
    TeamSet: _team,
    TeamDropped: _no_team,
    CompetitorSet: _player,
    RosterSet: _roster,
    RoundDrawn: _draw,
    CarryOverSet: _carry_over,
    TeamAdjusted: _adjustment,
    LineUpSet: _line_up,
    TeamBoardRecorded: _board,
    TeamBoardErased: _no_board,
    MatchReported: _report,
    MatchNoted: _note,
    TournamentMapped: _tournament,
    SerieSeated: _seating,
}
"""The rule for each kind of fact: it yields the problems of a requested one."""
