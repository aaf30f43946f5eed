"""Import of matches: the schedule (2E) and results (2B).

A schedule never clears a result. A match that we have not drawn is added to its round; one that contradicts our draw is
refused.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from overtrick.event.teams import (
    CarryOverSet,
    MatchNoted,
    MatchReported,
    Pairing,
    RoundDrawn,
    Segment,
    Serie,
    TeamAdjusted,
    TeamEvent,
)
from overtrick.magic.merge import FileMerge, Rows
from overtrick.magic.rows import HumanColumns, IdColumns, MatchFigures, MatchRow
from overtrick.magic.values import write_decimal
from overtrick.registry import Conflict
from overtrick.views.teams import SegmentFigures, TeamView


@dataclass(frozen=True, slots=True)
class SegmentPlace:
    """The segment of an event that a row is about."""

    guid: str
    segment: Segment
    away: int
    """Return the away team; 0 if the home team has a bye."""

    @property
    def match(self) -> tuple[str, int, int, int]:
        """Return the key of the match, without the segment."""
        return self.guid, self.segment.serie, self.segment.round, self.segment.home


def place_of(joining: FileMerge, human: HumanColumns, ids: IdColumns) -> SegmentPlace:
    """Return the segment that a row is about; draw the match if needed."""
    guid = joining.event(ids.event_id, human.event)
    serie = joining.serie(guid, ids.serie_id, human.serie)
    home = _team(joining, guid, serie, ids.home_id, ids.home_foreign_id, human.home, "Home")
    is_bye = not (ids.away_id or ids.away_foreign_id or human.away)
    away = 0
    if not is_bye:
        away = _team(joining, guid, serie, ids.away_id, ids.away_foreign_id, human.away, "Away")
    round_, part, table = human.round or 0, human.segment or 0, human.table or 0
    for column, number in (("nRound", round_), ("nSegment", part)):
        if not 1 <= number <= 999:
            raise joining.refuse(column, f"Rounds and segments count from 1 to 999, not {number}.")
    event = joining.events[guid]
    drawn = event.draws.get((serie.id, round_), RoundDrawn(serie.id, round_, 1, ()))
    pairings = drawn.pairings
    known = next((one for one in pairings if {home, away} & {one.home, one.away}), None)
    if is_bye and known is None:
        if pairings and part > drawn.segments:
            joining.put(guid, replace(drawn, segments=part), "nSegment")
        return SegmentPlace(guid, Segment(serie.id, round_, part, home), 0)
    if known is None:
        free = table or max((one.table for one in pairings), default=0) + 1
        pairings = tuple(sorted((*pairings, Pairing(free, home, away)), key=lambda one: one.table))
    elif (known.home, known.away) != (home, away):
        raise joining.refuse(
            "csTeamHome",
            f"In round {round_} we have {event.teams[known.home].name} - {event.teams[known.away].name}.",
        )
    elif table != known.table:
        merged = replace(known, table=joining.merge("nTable", known.table, table))
        pairings = tuple(merged if one == known else one for one in pairings)
    joining.put(guid, RoundDrawn(serie.id, round_, max(drawn.segments, part), pairings), "nTable")
    return SegmentPlace(guid, Segment(serie.id, round_, part, home), away)


def _team(
    joining: FileMerge, guid: str, serie: Serie, id: int | None, foreign_id: int | None, name: str, side: str
) -> int:
    columns = (f"nTeamID{side}", f"nTeamIDForeign{side}", f"csTeam{side}")
    found = joining.team(guid, serie, id, foreign_id, name, columns)
    if found is None:
        column, which = (columns[0], str(id)) if id else (columns[2], repr(name))
        raise joining.refuse(column, f"There is no team {which} in {serie.name}.")
    if name and name != found.name:
        joining.conflicts.append(Conflict(joining.line, columns[2], found.name, name))
    return found.id


def take_schedule(joining: FileMerge, rows: Rows) -> None:
    """Import 2E: the schedule and the carry-overs."""
    seen: dict[tuple[object, ...], int] = {}

    def take(row: MatchRow) -> None:
        place = place_of(joining, row.human, row.ids)
        once(joining, seen, place.guid, place.segment)
        _carry(joining, place, row)

    joining.run(rows, take)


def once(joining: FileMerge, seen: dict[tuple[object, ...], int], *key: object) -> None:
    """Refuse a second line about the same thing."""
    line = seen.setdefault(key, joining.line)
    if line != joining.line:
        raise joining.refuse("", f"Line {line} is about the same.")


def _carry(joining: FileMerge, place: SegmentPlace, row: MatchRow) -> None:
    segment = place.segment
    event = joining.events[place.guid]
    for side, team, figures in _sides(place, row):
        before = event.carried.get((segment.serie, segment.round, team))
        imps, vps = (before.imps, before.vps) if before else (0, 0)
        if segment.number == 1:
            imps = joining.merge(f"fIMPCarryOver{side}", imps, figures.imp_carry_over)
        if segment.round == 1:
            vps = joining.merge(f"fVPCarryOver{side}", vps, figures.vp_carry_over)
        elif figures.vp_carry_over:
            raise joining.refuse(
                f"fVPCarryOver{side}", "Victory points are carried into the first round only."
            )
        carried = CarryOverSet(segment.serie, segment.round, team, imps, vps)
        joining.put(place.guid, carried, f"fIMPCarryOver{side}")


def _sides(place: SegmentPlace, row: MatchRow) -> Iterable[tuple[str, int, MatchFigures]]:
    if not place.away:
        return (("Home", place.segment.home, row.home),)
    return ("Home", place.segment.home, row.home), ("Away", place.away, row.away)


# Results ----------------------------------------------------------------------------------------------------


def take_results(joining: FileMerge, rows: Rows) -> None:
    """Import 2B: the results of matches. Refuse rows whose figures contradict each other."""
    before = {
        (guid, line.segment): line
        for guid, event in joining.events.items()
        for serie in event.series
        for line in TeamView(event).figures(serie)
    }
    sums = _FigureChecker(joining, before)
    seen: dict[tuple[object, ...], int] = {}

    def take(row: MatchRow) -> None:
        place = place_of(joining, row.human, row.ids)
        once(joining, seen, place.guid, place.segment)
        if not place.away:
            row = _bye(joining, row)
        for side, team, figures in _sides(place, row):
            sums.check(place, side, team, figures)
        _carry(joining, place, row)
        ours = before.get((place.guid, place.segment))
        _report(joining, place, row, ours)
        for side, team, figures in _sides(place, row):
            _adjust(joining, place, side, team, figures, sums)
        if row.comment:
            note = joining.events[place.guid].notes.get(place.segment, "")
            comment = joining.merge("csComment", note, row.comment)
            joining.put(place.guid, MatchNoted(place.segment, comment), "csComment")

    # A later segment rests on the earlier ones, in whatever order the lines are.
    listed = sorted(rows, key=lambda item: (item[1].human.round or 0, item[1].human.segment or 0))
    joining.run(listed, take)


def _bye(joining: FileMerge, row: MatchRow) -> MatchRow:
    """Return a row of a team with a bye, whose victory points are all the director's: nobody won them."""
    if any(row.away):
        raise joining.refuse("csTeamAway", "There are figures of an away team, but no team.")
    if row.home.imps:
        raise joining.refuse("fIMPHome", "A team with a bye wins no IMPs.")
    vps, adjustment = row.home.vps, row.home.vp_adjustment
    given = None if vps is None and adjustment is None else (vps or 0) + (adjustment or 0)
    return row._replace(home=row.home._replace(imps=None, vps=None, vp_adjustment=given), away=MatchFigures())


def _report(joining: FileMerge, place: SegmentPlace, row: MatchRow, ours: SegmentFigures | None) -> None:
    home, away = row.home, row.away
    if home.imps is None or away.imps is None:
        if (home.imps, away.imps) != (None, None) or home.vps is not None or away.vps is not None:
            raise joining.refuse("fIMPHome", "A result has the IMPs of both teams.")
        return
    event = joining.events[place.guid]
    reported = MatchReported(place.segment, home.imps, away.imps, home.vps, away.vps)
    is_ours = place.segment in event.boards
    if is_ours and (ours is None or not ours.is_played):
        joining.conflicts.append(
            Conflict(joining.line, "fIMPHome", "boards of one room", write_decimal(home.imps))
        )
        return
    if ours is None or not ours.is_played:
        joining.put(place.guid, reported)
        return
    clashes = [
        Conflict(joining.line, column, write_decimal(mine), write_decimal(theirs))
        for column, mine, theirs in (
            ("fIMPHome", ours.home.imps, home.imps),
            ("fIMPAway", ours.away.imps, away.imps),
            ("fVPHome", ours.home.vps, home.vps),
            ("fVPAway", ours.away.vps, away.vps),
        )
        if mine is not None and theirs is not None and mine != theirs
    ]
    scored_here = is_ours or event.series[place.segment.serie].method is not None
    if clashes and (scored_here or joining.line not in joining.accepted):
        joining.conflicts += clashes
    elif clashes or (ours.home.vps is None and home.vps is not None):
        joining.put(place.guid, reported)


def _adjust(
    joining: FileMerge,
    place: SegmentPlace,
    side: str,
    team: int,
    figures: MatchFigures,
    sums: "_FigureChecker",
) -> None:
    segment = place.segment
    key = segment.serie, segment.round, segment.number, team
    event = joining.events[place.guid]
    before = event.adjusted.get(key) or TeamAdjusted(*key, 0, 0)
    imps, vps = before.imps, before.vps
    if figures.imp_adjustment is not None:
        wanted = figures.imp_adjustment - _award(event, place, team)
        imps = _adjusted(joining, f"fIMPAdjustment{side}", imps, wanted)
    if figures.vp_adjustment is not None:
        earlier = sums.vp_adjustment(place, team)
        vps = _adjusted(joining, f"fVPAdjustment{side}", vps, figures.vp_adjustment - earlier)
    joining.put(place.guid, replace(before, imps=imps, vps=vps), f"fIMPAdjustment{side}")


def _adjusted(joining: FileMerge, column: str, ours: int, theirs: int) -> int:
    """Return the adjustment to set; an adjustment that was removed is a change too."""
    if ours and not theirs and joining.line not in joining.accepted:
        joining.conflicts.append(Conflict(joining.line, column, write_decimal(ours), "0"))
        return ours
    return joining.merge(column, ours, theirs) if theirs else 0


def _award(event: TeamEvent, place: SegmentPlace, team: int) -> int:
    """Return the points that awards on our boards give to this team without taking them from the other."""
    if place.segment not in event.boards:
        return 0
    alone = TeamView(
        TeamEvent(
            series=event.series,
            teams=event.teams,
            draws={(place.segment.serie, place.segment.round): event.draws[_round(place)]},
            boards={place.segment: event.boards[place.segment]},
        )
    )
    for line in alone.figures(place.segment.serie):
        for side in (line.home, line.away):
            if line.segment == place.segment and side.team == team:
                return side.imp_adjustment
    return 0


def _round(place: SegmentPlace) -> tuple[int, int]:
    return place.segment.serie, place.segment.round


class _FigureChecker:
    """A checker of rules (1), (4), (8), (10) and (11) of 2B over the rows so far."""

    def __init__(self, joining: FileMerge, ours: Mapping[tuple[str, Segment], SegmentFigures]) -> None:
        self._joining = joining
        self._round_vps: dict[tuple[str, int, int, int], int] = {}
        """By event, serie, round and team: the victory points of the round so far, here or in the event."""
        for (guid, segment), line in ours.items():
            for side in (line.home, line.away):
                if side.vp_round is not None:
                    self._round_vps[guid, segment.serie, segment.round, side.team] = side.vp_round
        self._rows: dict[tuple[str, int, int, int, int], tuple[int, MatchFigures]] = {}
        """By event, serie, round, segment and team: the line and its figures."""
        self._ranked: dict[tuple[str, int, int, int], list[tuple[int, MatchFigures]]] = {}

    def check(self, place: SegmentPlace, side: str, team: int, figures: MatchFigures) -> None:
        """Refuse figures that contradict each other."""
        segment, refuse = place.segment, self._joining.refuse
        _adds_up(self._joining, f"fIMPTotal{side}", figures.imp_total, *figures[:3])
        _adds_up(self._joining, f"fVPTotalRound{side}", figures.vp_round, figures.vps, figures.vp_adjustment)
        earlier = self._before(place, team)
        came_to = earlier.imp_total if earlier else None
        if None not in (came_to, figures.imp_carry_over) and came_to != figures.imp_carry_over:
            raise refuse(
                f"fIMPCarryOver{side}",
                f"It is {write_decimal(figures.imp_carry_over)}, but the segment before came to "
                f"{write_decimal(came_to)}.",
            )
        self._check_total(place, side, team, figures)
        self._check_rank(place, side, figures)
        self._rows[place.guid, segment.serie, segment.round, segment.number, team] = (
            self._joining.line,
            figures,
        )

    def _check_total(self, place: SegmentPlace, side: str, team: int, figures: MatchFigures) -> None:
        """Check the accumulated victory points: refuse a difference if every round is known, else report it."""
        guid, serie, round_ = place.guid, place.segment.serie, place.segment.round
        if figures.vps is None and (place.away or figures.vp_adjustment is None):
            return  # only who has a bye has points without having won any
        self._round_vps[guid, serie, round_, team] = (figures.vps or 0) + (figures.vp_adjustment or 0)
        carried = self._joining.events[guid].carried.get((serie, 1, team))
        brought = carried.vps if carried else 0
        if round_ == 1 and figures.vp_carry_over is not None:
            brought = figures.vp_carry_over
        missing = [each for each in range(1, round_) if (guid, serie, each, team) not in self._round_vps]
        total = brought + sum(
            self._round_vps.get((guid, serie, each, team), 0) for each in range(1, round_ + 1)
        )
        if figures.vp_total is None or figures.vp_total == total:
            return
        said = f"It is {write_decimal(figures.vp_total)}, but the rounds come to {write_decimal(total)}"
        if not missing:
            raise self._joining.refuse(f"fVPTotal{side}", f"{said}.")
        rounds = ", ".join(str(each) for each in missing)
        self._joining.notes.append(
            f"Line {self._joining.line}, column fVPTotal{side}: {said} without round {rounds}, which is not known."
        )

    def vp_adjustment(self, place: SegmentPlace, team: int) -> int:
        """Return the part of the round's victory point adjustments that earlier segments have; 2B accumulates them."""
        earlier = self._before(place, team)
        if earlier is not None:
            return earlier.vp_adjustment or 0
        segment = place.segment
        return sum(
            adjusted.vps
            for adjusted in self._joining.events[place.guid].adjusted.values()
            if (adjusted.serie, adjusted.round, adjusted.team) == (segment.serie, segment.round, team)
            and adjusted.segment < segment.number
        )

    def _before(self, place: SegmentPlace, team: int) -> MatchFigures | None:
        segment = place.segment
        found = self._rows.get((place.guid, segment.serie, segment.round, segment.number - 1, team))
        return found[1] if found else None

    def _check_rank(self, place: SegmentPlace, side: str, figures: MatchFigures) -> None:
        if figures.rank is None or figures.vp_total is None:
            return
        refuse = self._joining.refuse
        rank_max = figures.rank if figures.rank_max is None else figures.rank_max
        if not 1 <= figures.rank <= rank_max:
            raise refuse(f"nRankMax{side}", f"Ranks {figures.rank} to {rank_max} are no tie.")
        segment = place.segment
        key = place.guid, segment.serie, segment.round, segment.number
        beside = self._ranked.setdefault(key, [])
        for line, other in beside:
            assert other.rank is not None
            assert other.vp_total is not None
            points, rank = figures.vp_total - other.vp_total, figures.rank - other.rank
            if (points > 0) != (rank < 0) or (points < 0) != (rank > 0):
                raise refuse(
                    f"nRank{side}",
                    f"Rank {figures.rank} with {write_decimal(figures.vp_total)} VPs contradicts line {line}: "
                    f"rank {other.rank} with {write_decimal(other.vp_total)}.",
                )
        tied = 1 + sum(other.rank == figures.rank for _, other in beside)
        if tied > rank_max - figures.rank + 1:
            raise refuse(
                f"nRankMax{side}", f"{tied} teams have rank {figures.rank}, which ends at {rank_max}."
            )
        beside.append((self._joining.line, figures))


def _adds_up(joining: FileMerge, column: str, total: int | None, *parts: int | None) -> None:
    if total is None or all(part is None for part in parts):
        return
    found = sum(part or 0 for part in parts)
    if found != total:
        raise joining.refuse(
            column, f"It is {write_decimal(total)}, but its parts are {write_decimal(found)}."
        )
