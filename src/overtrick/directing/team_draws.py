"""The draw of a round of a team event, by the format of its division and the ranking of its teams. Pure."""

from collections.abc import Iterable, Sequence

from overtrick.errors import BadInput
from overtrick.event.teams import Division, Pairing, RoundDrawn, TeamAdjusted, TeamFormat
from overtrick.movements import (
    DrawMethod,
    EarlierRounds,
    MovementError,
    draw_round,
    round_robin,
    swiss_triangle,
)
from overtrick.scoring import UNIT
from overtrick.views.teams import TeamView

MAX_NAMED_MATCHES = 4
"""The most matches that a message names; the rest are counted."""


SIT_OUT = "Sit-out"
"""The reason that marks the points for a team without a match."""


def draw_rounds(
    view: TeamView,
    division: Division,
    segments: int,
    pairs: Sequence[tuple[int, int]] = (),
    again: int = 0,
    *,
    is_lagging: bool = False,
    has_triangle: bool = False,
) -> list[RoundDrawn]:
    """Return the draw of the next round of a division by its format; for a round robin, of all rounds.

    `pairs` of team numbers are the matches to draw, and `again` is the drawn round to replace, 0 for the next one. In a
    Swiss the last round can be drawn `again` without pairs, for example after a correction. A lagging round is drawn
    from the ranking before the round in play, so that nobody waits for its last match. With a triangle, three teams of
    an odd field meet each other in half-matches, and nobody sits out. Raise BadInput if the round cannot be drawn: a
    team is unknown, the round before is not over, a match ended level, or the format does not allow it.
    """
    teams = {team.number: team.id for team in view.event.teams_of(division.id)}
    number = max(view.rounds(division.id), default=0) + 1
    if pairs:
        for one in (number for pair in pairs for number in pair):
            if one not in teams:
                raise BadInput(f"There is no team {one} in {division.name}.")
        if again and (division.id, again) not in view.draws:
            raise BadInput(f"Round {again} of {division.name} is not drawn yet; nothing was changed.")
        matches = [(teams[home], teams[away]) for home, away in pairs]
        return [_round_drawn(division, again or number, segments, matches)]
    if len(teams) < 2:
        raise BadInput(f"{division.name} has {len(teams)} teams; a match needs two.")
    if (again or is_lagging or has_triangle) and division.format is not TeamFormat.SWISS:
        raise BadInput(
            f"{division.name} is not a Swiss event. Enter the matches by hand. Nothing was changed."
        )
    if again:
        if again != number - 1:
            raise BadInput(f"Only the last round, {number - 1}, can be drawn again; nothing was changed.")
        number = again
    if division.format is TeamFormat.ROUND_ROBIN:
        if number > 1:
            raise BadInput(f"The round robin of {division.name} is drawn already.")
        return _round_robin(division, list(teams.values()), segments)
    scored = number - (2 if is_lagging else 1)
    if missing := unfinished(view, division, scored):
        more = f"; and {len(missing) - MAX_NAMED_MATCHES} more" if len(missing) > MAX_NAMED_MATCHES else ""
        raise BadInput(
            f"Round {scored} of {division.name} is not over: {'; '.join(missing[:MAX_NAMED_MATCHES])}{more}. "
            "Enter NP for a board that will not be played."
        )
    if division.format is TeamFormat.SWISS:
        return [_swiss(view, division, number, segments, scored, has_triangle)]
    return [
        _round_drawn(division, number, segments, _knock_out(view, division, number, list(teams.values())))
    ]


def unfinished(view: TeamView, division: Division, round_: int | None = None) -> list[str]:
    """Return a clause for each segment without all its results, in one round or in all drawn ones."""
    clauses = []
    for line in view.figures(division.id):
        if round_ not in (None, line.segment.round):
            continue
        segments = view.draws[division.id, line.segment.round].segments
        match = view.names(line.pairing) + (f" (segment {line.segment.number})" if segments > 1 else "")
        if not line.is_played:
            clauses.append(f"{match} has no result")
        elif not line.is_over:
            clauses.append(f"{match} has {line.boards} of {line.length} boards")
    return clauses


def _round_drawn(
    division: Division, round_: int, segments: int, matches: Iterable[tuple[int, int]]
) -> RoundDrawn:
    pairings = (Pairing(table, home, away) for table, (home, away) in enumerate(matches, start=1))
    return RoundDrawn(division.id, round_, segments, tuple(pairings))


def _round_robin(division: Division, teams: list[int], segments: int) -> list[RoundDrawn]:
    movement = round_robin(len(teams), 1)
    return [
        _round_drawn(
            division,
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


def sit_out_points(
    view: TeamView, division: Division, rounds: Iterable[RoundDrawn], vps: int
) -> list[TeamAdjusted]:
    """Return the victory points, in units, for the one team without a match in each Swiss round that is drawn.

    If several teams have no match, the director decides, because teams may have left or matches may be missing. Other
    adjustments of a team in that round stay; a team that now has a match loses its points for a sit-out. Empty for
    other formats, and without a scale of victory points.
    """
    has_vps = division.method is not None and division.method.scale is not None
    if division.format is not TeamFormat.SWISS or not has_vps:
        return []
    adjustments: list[TeamAdjusted] = []
    for draw in rounds:
        playing = {team for match in draw.pairings for team in (match.home, match.away)}
        teams = view.event.teams_of(division.id)
        is_only_one = sum(team.id not in playing for team in teams) == 1
        for team in teams:
            place = division.id, draw.round, 1, team.id
            before = view.event.adjusted.get(place)
            may_replace = before is None or before.reason == SIT_OUT or not (before.imps or before.vps)
            if team.id not in playing and may_replace and is_only_one:
                adjustments.append(TeamAdjusted(*place, 0, vps, SIT_OUT))
            elif team.id in playing and before is not None and before.reason == SIT_OUT:
                adjustments.append(TeamAdjusted(*place, 0, 0))
    return adjustments


def _swiss(
    view: TeamView, division: Division, round_: int, segments: int, scored: int, has_triangle: bool
) -> RoundDrawn:
    event = view.event
    ids = {team.number: team.id for team in event.teams_of(division.id)}
    numbers = {id: number for number, id in ids.items()}
    rounds = []
    in_triangles: list[int] = []
    for before in (number for number in view.rounds(division.id) if number < round_):
        in_triangles += [numbers[team] for team in view.draws[division.id, before].triangle]
        played = [
            (numbers[pairing.home], numbers[pairing.away])
            for pairing in view.draws[division.id, before].pairings
        ]
        idle = ids.keys() - {number for match in played for number in match}
        rounds.append((*played, *((number, 0) for number in sorted(idle))))
    standing = {numbers[line.team]: line.points / UNIT for line in view.ranking(division.id, scored)}
    earlier = EarlierRounds(tuple(rounds))
    try:
        if has_triangle:
            pairs, (a, b, c) = swiss_triangle(
                standing,
                [(min(match), max(match)) for match in earlier.met],
                in_triangles,
                round_number=round_,
                north_souths=earlier.north_souths,
            )
            matches = [*pairs, (a, b), (b, c), (c, a)]
        else:
            matches = list(draw_round(DrawMethod.STANDING, standing, earlier).matches)
    except MovementError as error:
        raise BadInput(str(error)) from None
    return _round_drawn(division, round_, segments, [(ids[home], ids[away]) for home, away in matches])


def _knock_out(view: TeamView, division: Division, round_: int, seeds: list[int]) -> list[tuple[int, int]]:
    """Return the matches: first with last, in round 1 by number, later the winners by table.

    Raise BadInput if a match ended level, if the last match is won, or if the number of teams is odd.
    """
    still_in = seeds
    if round_ > 1:
        still_in = []
        for match in sorted(view.draws[division.id, round_ - 1].pairings, key=lambda match: match.table):
            winner = view.winner(division.id, round_ - 1, match.home)
            if winner is None:
                raise BadInput(f"{view.names(match)} ends level; adjust the IMPs of the winner.")
            still_in.append(winner)
    if len(still_in) < 2:
        raise BadInput(f"{view.event.teams[still_in[0]].name} has won {division.name}.")
    if len(still_in) % 2:
        raise BadInput(
            f"{len(still_in)} teams cannot be paired for a knock-out round; enter the matches by hand."
        )
    return [(still_in[place], still_in[-1 - place]) for place in range(len(still_in) // 2)]
