"""The draw of a round of a team event: as the format of its serie wants it, from the standing of its teams."""

from collections.abc import Iterable, Sequence

from overtrick.errors import BadInput
from overtrick.event.teams import Pairing, RoundDrawn, Serie, TeamFormat
from overtrick.movements import Rounds, Way, draw_round, round_robin
from overtrick.scoring import UNIT
from overtrick.views.teams import TeamView

NAMED = 4
"""Matches that a sentence names before it only counts."""


def draw_rounds(
    view: TeamView, serie: Serie, segments: int, pairs: Sequence[tuple[int, int]] = (), again: int = 0
) -> list[RoundDrawn]:
    """Draw the next round, as the serie's format wants it or with these pairs of team numbers; a round robin whole.

    With pairs, a round that is drawn can be drawn `again`.
    """
    teams = {team.number: team.id for team in view.event.of_serie(serie.id)}
    number = max(view.rounds(serie.id), default=0) + 1
    if pairs:
        for one in (number for pair in pairs for number in pair):
            if one not in teams:
                raise BadInput(f"There is no team {one} in {serie.name}.")
        if again and (serie.id, again) not in view.draws:
            raise BadInput(f"Round {again} of {serie.name} is not drawn yet; nothing was changed.")
        matches = [(teams[home], teams[away]) for home, away in pairs]
        return [_drawn(serie, again or number, segments, matches)]
    if len(teams) < 2:
        raise BadInput(f"{serie.name} has {len(teams)} teams; two can meet.")
    if serie.format is TeamFormat.ROUND_ROBIN:
        if number > 1:
            raise BadInput(f"The round robin of {serie.name} is drawn already.")
        return _round_robin(serie, list(teams.values()), segments)
    if missing := unfinished(view, serie, number - 1):
        more = f"; and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        raise BadInput(
            f"Round {number - 1} of {serie.name} is not over: {'; '.join(missing[:NAMED])}{more}. "
            "A board that nobody plays is entered as NP."
        )
    if serie.format is TeamFormat.SWISS:
        return [_swiss(view, serie, number, segments)]
    return [_drawn(serie, number, segments, _knock_out(view, serie, number, list(teams.values())))]


def unfinished(view: TeamView, serie: Serie, round_: int | None = None) -> list[str]:
    """Return what is still to come of the matches of a round, or of all that are drawn."""
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
    """Pair the first with the last by number, then winners: the first table's with the last table's."""
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
