"""A team event run from a desk: rounds drawn from the standing, finals filled from groups, commands carried out."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from uuid import uuid4

from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Command, Fact, House, Rejection
from overtrick.event.team_rules import Put
from overtrick.event.teams import (
    Format,
    MatchReported,
    Pairing,
    RosterSet,
    RoundDrawn,
    Segment,
    Serie,
    Team,
    TeamEvent,
    TeamSet,
)
from overtrick.host.house import RunningHouse
from overtrick.movements import Rounds, Way, draw_round, round_robin
from overtrick.scoring import UNIT
from overtrick.views.teams import TeamView

NAMED = 4
"""Matches that a sentence names before it only counts."""


class NotDone(OvertrickError):
    """A command that was refused; nothing was changed."""

    code = "not-done"


def find_event(house: House, wanted: str) -> TeamEvent:
    """The team event with that guid, key or name."""
    found = [
        event for guid, event in house.team_events.items() if wanted in (guid, str(event.id), event.name)
    ]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{event.name} ({event.id})" for event in house.team_events.values())
    many = f"There are {len(found)} team events {wanted!r}; give a number." if found else ""
    raise BadInput(many or f"There is no team event {wanted!r}. There are: {known or 'none'}.")


def find_serie(event: TeamEvent, wanted: str) -> Serie:
    """The serie with that key or name."""
    for serie in event.series.values():
        if wanted in (serie.name, str(serie.id)):
            return serie
    known = ", ".join(f"{serie.name} ({serie.id})" for serie in event.series.values())
    raise BadInput(f"There is no serie {wanted!r} in {event.name}. There are: {known or 'none'}.")


def find_team(event: TeamEvent, serie: Serie, wanted: str) -> Team:
    """The team of a serie with that number or name."""
    for team in event.of_serie(serie.id):
        if wanted in (team.name, str(team.number)):
            return team
    raise BadInput(f"There is no team {wanted!r} in {serie.name}.")


@contextmanager
def viewing(house: RunningHouse, wanted: str) -> Iterator[TeamView]:
    """A team event as it stands, with what was scored at the tables."""
    with house.writer.reading() as state:
        yield TeamView.of(state, find_event(state, wanted))


def do(house: RunningHouse, command: Command) -> int:
    """Carry out a command; how many facts it made."""
    answer = house.do(command, actor="desk", command_id=f"teams: {uuid4()}")
    if isinstance(answer, Rejection):
        raise NotDone(f"{answer} Nothing was changed.")
    return sum(span.last - span.first + 1 for span in answer.spans)


def put(house: RunningHouse, event: str, facts: Iterable[Fact]) -> int:
    """Have these be so, all or none; how many were news."""
    return do(house, Put(event, tuple(facts)))


def reported(view: TeamView, segment: Segment, imps_home: int, imps_away: int) -> MatchReported:
    """What a segment came to whose boards nobody entered, at the tables or here."""
    if boards := sorted({board for _, board in view.boards(segment)}):
        match = next(
            one for one in view.draws[segment.serie, segment.round].pairings if one.home == segment.home
        )
        raise BadInput(
            f"{view.names(match)} has results on {len(boards)} boards ({boards[0]} to {boards[-1]}), and they "
            "count before what is reported: erase them first. Nothing was changed."
        )
    return MatchReported(segment, imps_home, imps_away)


# Draws ------------------------------------------------------------------------------------------------------


def draw(
    view: TeamView, serie: Serie, segments: int, pairs: Sequence[tuple[int, int]] = ()
) -> list[RoundDrawn]:
    """The next round, as the serie's format wants it or with these pairs of numbers; a round robin whole."""
    teams = {team.number: team.id for team in view.event.of_serie(serie.id)}
    number = max(view.rounds(serie.id), default=0) + 1
    if pairs:
        for one in (number for pair in pairs for number in pair):
            if one not in teams:
                raise BadInput(f"There is no team {one} in {serie.name}.")
        return [_drawn(serie, number, segments, [(teams[home], teams[away]) for home, away in pairs])]
    if len(teams) < 2:
        raise BadInput(f"{serie.name} has {len(teams)} teams; two can meet.")
    if serie.format is Format.ROUND_ROBIN:
        if number > 1:
            raise BadInput(f"The round robin of {serie.name} is drawn already.")
        return _round_robin(serie, list(teams.values()), segments)
    if missing := unfinished(view, serie, number - 1):
        more = f"; and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        raise BadInput(
            f"Round {number - 1} of {serie.name} is not over: {'; '.join(missing[:NAMED])}{more}. "
            "A board that nobody plays is entered as NP."
        )
    if serie.format is Format.SWISS:
        return [_swiss(view, serie, number, segments)]
    return [_drawn(serie, number, segments, _knock_out(view, serie, number, list(teams.values())))]


def unfinished(view: TeamView, serie: Serie, round_: int | None = None) -> list[str]:
    """What is still to come of the matches of a round, or of all that are drawn."""
    found = []
    for line in view.figures(serie.id):
        if round_ not in (None, line.segment.round):
            continue
        segments = view.draws[serie.id, line.segment.round].segments
        match = view.names(line.pairing) + (f" (segment {line.segment.number})" if segments > 1 else "")
        if not line.is_played:
            found.append(f"{match} has no result")
        elif not line.is_over:
            found.append(f"{match} has {line.boards} of {line.length} boards")
    return found


def _drawn(serie: Serie, round_: int, segments: int, matches: Iterable[tuple[int, int]]) -> RoundDrawn:
    pairings = (Pairing(table, home, away) for table, (home, away) in enumerate(matches, start=1))
    return RoundDrawn(serie.id, round_, segments, tuple(pairings))


def _round_robin(serie: Serie, teams: list[int], segments: int) -> list[RoundDrawn]:
    movement = round_robin(len(teams), 1)
    return [
        _drawn(
            serie,
            round_,
            segments,
            [
                (teams[station.ns - 1], teams[station.ew - 1])
                for station in movement.round(round_)
                if station.ns and station.ew
            ],
        )
        for round_ in range(1, movement.rounds + 1)
    ]


def _swiss(view: TeamView, serie: Serie, round_: int, segments: int) -> RoundDrawn:
    event = view.event
    ids = {team.number: team.id for team in event.of_serie(serie.id)}
    numbers = {id: number for number, id in ids.items()}
    rounds = []
    for before in view.rounds(serie.id):
        played = [(numbers[one.home], numbers[one.away]) for one in view.draws[serie.id, before].pairings]
        idle = ids.keys() - {number for match in played for number in match}
        rounds.append((*played, *((number, 0) for number in sorted(idle))))
    standing = {numbers[line.team]: line.points / UNIT for line in view.ranking(serie.id)}
    drawn = draw_round(Way.STANDING, standing, Rounds(tuple(rounds)))
    matches = [(ids[home], ids[away]) for home, away in drawn.matches]
    return _drawn(serie, round_, segments, matches)


def _knock_out(view: TeamView, serie: Serie, round_: int, seeds: list[int]) -> list[tuple[int, int]]:
    """First against last by number, then winners: the first table's against the last table's."""
    still_in = seeds
    if round_ > 1:
        still_in = []
        for match in sorted(view.draws[serie.id, round_ - 1].pairings, key=lambda match: match.table):
            winner = view.winner(serie.id, round_ - 1, match.home)
            if winner is None:
                raise BadInput(f"{view.names(match)} ends level; adjust the IMPs of the winner.")
            still_in.append(winner)
    if len(still_in) < 2:
        raise BadInput(f"{view.event.teams[still_in[0]].name} has won {serie.name}.")
    if len(still_in) % 2:
        raise BadInput(f"{len(still_in)} teams make no round of a knock-out; say yourself who meets.")
    return [(still_in[place], still_in[-1 - place]) for place in range(len(still_in) // 2)]


def qualify(view: TeamView, origin: Serie, first: int, last: int, final: Serie) -> list[Fact]:
    """The teams with these places in one serie, as teams of another, with their rosters."""
    event = view.event
    ranking = view.ranking(origin.id)
    chosen = ranking[first - 1 : last]
    if not 1 <= first <= last <= len(ranking):
        raise BadInput(f"{origin.name} has places 1 to {len(ranking)}, not {first} to {last}.")
    if last < len(ranking) and ranking[last].rank == ranking[last - 1].rank:
        raise BadInput(
            f"{event.teams[ranking[last - 1].team].name} and {event.teams[ranking[last].team].name} tie for "
            f"place {last} of {origin.name}; adjust the victory points of one."
        )
    key = max(event.teams, default=0)
    number = max((team.number for team in event.of_serie(final.id)), default=0)
    facts: list[Fact] = []
    for step, line in enumerate(chosen, start=1):
        team = event.teams[line.team]
        facts.append(
            TeamSet(
                Team(key + step, final.id, number + step, team.name, 0, team.country_iso, team.country_ioc)
            )
        )
        facts.append(RosterSet(key + step, event.rosters.get(team.id, ())))
    return facts
