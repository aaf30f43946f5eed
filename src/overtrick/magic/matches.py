"""Import of matches: the schedule (2E) and results (2B).

A schedule never clears a result. A match that is not in our draw is added to its round; a match that contradicts our
draw is refused.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from overtrick.event.teams import (
    CarryOverSet,
    Division,
    MatchNoted,
    MatchReported,
    Pairing,
    RoundDrawn,
    Segment,
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
    """The away team; 0 if the home team has a bye."""

    @property
    def match(self) -> tuple[str, int, int, int]:
        """Return the key of the match, without the segment."""
        return self.guid, self.segment.serie, self.segment.round, self.segment.home


def locate_segment(merge: FileMerge, human: HumanColumns, ids: IdColumns) -> SegmentPlace:
    """Return the segment that a row is about. If our draw lacks its match, add the match to its round."""
    guid = merge.event(ids.event_id, human.event)
    division = merge.division(guid, ids.division_id, human.serie)
    home = _team(merge, guid, division, ids.home_id, ids.home_foreign_id, human.home, "Home")
    is_bye = not (ids.away_id or ids.away_foreign_id or human.away)
    away = 0
    if not is_bye:
        away = _team(merge, guid, division, ids.away_id, ids.away_foreign_id, human.away, "Away")
    round_, segment, table = human.round or 0, human.segment or 0, human.table or 0
    for column, number in (("nRound", round_), ("nSegment", segment)):
        if not 1 <= number <= 999:
            raise merge.refuse(column, f"Rounds and segments are numbered from 1 to 999, not {number}.")
    event = merge.events[guid]
    drawn = event.draws.get((division.id, round_), RoundDrawn(division.id, round_, 1, ()))
    pairings = drawn.pairings
    pairing = next((other for other in pairings if {home, away} & {other.home, other.away}), None)
    if is_bye and pairing is None:
        if pairings and segment > drawn.segments:
            merge.put(guid, replace(drawn, segments=segment), "nSegment")
        return SegmentPlace(guid, Segment(division.id, round_, segment, home), 0)
    if pairing is None:
        new_table = table or max((other.table for other in pairings), default=0) + 1
        pairings = tuple(sorted((*pairings, Pairing(new_table, home, away)), key=lambda other: other.table))
    elif (pairing.home, pairing.away) != (home, away):
        raise merge.refuse(
            "csTeamHome",
            f"In round {round_} we have {event.teams[pairing.home].name} - {event.teams[pairing.away].name}.",
        )
    elif table != pairing.table:
        merged = replace(pairing, table=merge.resolve("nTable", pairing.table, table))
        pairings = tuple(merged if other == pairing else other for other in pairings)
    merge.put(guid, RoundDrawn(division.id, round_, max(drawn.segments, segment), pairings), "nTable")
    return SegmentPlace(guid, Segment(division.id, round_, segment, home), away)


def _team(
    merge: FileMerge,
    guid: str,
    division: Division,
    id: int | None,
    foreign_id: int | None,
    name: str,
    side: str,
) -> int:
    columns = (f"nTeamID{side}", f"nTeamIDForeign{side}", f"csTeam{side}")
    team = merge.team(guid, division, id, foreign_id, name, columns)
    if team is None:
        column, label = (columns[0], str(id)) if id else (columns[2], repr(name))
        raise merge.refuse(column, f"There is no team {label} in {division.name}.")
    if name and name != team.name:
        merge.conflicts.append(Conflict(merge.line, columns[2], team.name, name))
    return team.id


def import_schedule(merge: FileMerge, rows: Rows) -> None:
    """Import 2E: the schedule and the carry-overs."""
    first_lines: dict[tuple[object, ...], int] = {}

    def import_row(row: MatchRow) -> None:
        place = locate_segment(merge, row.human, row.ids)
        refuse_repeat(merge, first_lines, place.guid, place.segment)
        _import_carry_over(merge, place, row)

    merge.run(rows, import_row)


def refuse_repeat(merge: FileMerge, first_lines: dict[tuple[object, ...], int], *key: object) -> None:
    """Refuse a row whose key an earlier line has; `first_lines` maps keys to lines."""
    line = first_lines.setdefault(key, merge.line)
    if line != merge.line:
        raise merge.refuse("", f"This row is for the same entry as line {line}.")


def _import_carry_over(merge: FileMerge, place: SegmentPlace, row: MatchRow) -> None:
    segment = place.segment
    event = merge.events[place.guid]
    for side, team, figures in _sides(place, row):
        previous = event.carried.get((segment.serie, segment.round, team))
        imps, vps = (previous.imps, previous.vps) if previous else (0, 0)
        if segment.number == 1:
            imps = merge.resolve(f"fIMPCarryOver{side}", imps, figures.imp_carry_over)
        if segment.round == 1:
            vps = merge.resolve(f"fVPCarryOver{side}", vps, figures.vp_carry_over)
        elif figures.vp_carry_over:
            raise merge.refuse(f"fVPCarryOver{side}", "Victory points are carried into the first round only.")
        carried = CarryOverSet(segment.serie, segment.round, team, imps, vps)
        merge.put(place.guid, carried, f"fIMPCarryOver{side}")


def _sides(place: SegmentPlace, row: MatchRow) -> Iterable[tuple[str, int, MatchFigures]]:
    if not place.away:
        return (("Home", place.segment.home, row.home),)
    return ("Home", place.segment.home, row.home), ("Away", place.away, row.away)


# Results ----------------------------------------------------------------------------------------------------


def import_results(merge: FileMerge, rows: Rows) -> None:
    """Import 2B: the results of matches; refuse rows whose figures contradict each other."""
    ours_by_segment = {
        (guid, line.segment): line
        for guid, event in merge.events.items()
        for division in event.divisions
        for line in TeamView(event).figures(division)
    }
    checker = _FigureChecker(merge, ours_by_segment)
    first_lines: dict[tuple[object, ...], int] = {}

    def import_row(row: MatchRow) -> None:
        place = locate_segment(merge, row.human, row.ids)
        refuse_repeat(merge, first_lines, place.guid, place.segment)
        if not place.away:
            row = _bye(merge, row)
        for side, team, figures in _sides(place, row):
            checker.check(place, side, team, figures)
        _import_carry_over(merge, place, row)
        ours = ours_by_segment.get((place.guid, place.segment))
        _import_result(merge, place, row, ours)
        awarded = _awarded_imps(merge.events[place.guid], place)
        for side, team, figures in _sides(place, row):
            _import_adjustment(merge, place, side, team, figures, awarded.get(team, 0), checker)
        if row.comment:
            note = merge.events[place.guid].notes.get(place.segment, "")
            comment = merge.resolve("csComment", note, row.comment)
            merge.put(place.guid, MatchNoted(place.segment, comment), "csComment")

    # The totals of a segment depend on earlier ones, so import the rows in that order.
    rows_in_order = sorted(rows, key=lambda item: (item[1].human.round or 0, item[1].human.segment or 0))
    merge.run(rows_in_order, import_row)


def _bye(merge: FileMerge, row: MatchRow) -> MatchRow:
    """Return the row of a team with a bye, with its victory points as an adjustment: it did not win them in a match."""
    if any(row.away):
        raise merge.refuse("csTeamAway", "There are figures for an away team, but no team.")
    if row.home.imps:
        raise merge.refuse("fIMPHome", "A team with a bye wins no IMPs.")
    vps, adjustment = row.home.vps, row.home.vp_adjustment
    total = None if vps is None and adjustment is None else (vps or 0) + (adjustment or 0)
    return row._replace(home=row.home._replace(imps=None, vps=None, vp_adjustment=total), away=MatchFigures())


def _import_result(merge: FileMerge, place: SegmentPlace, row: MatchRow, ours: SegmentFigures | None) -> None:
    home, away = row.home, row.away
    if home.imps is None or away.imps is None:
        if (home.imps, away.imps) != (None, None) or home.vps is not None or away.vps is not None:
            raise merge.refuse("fIMPHome", "A result needs the IMPs of both teams.")
        return
    event = merge.events[place.guid]
    reported = MatchReported(place.segment, home.imps, away.imps, home.vps, away.vps)
    has_boards = place.segment in event.boards
    if has_boards and (ours is None or not ours.is_played):
        merge.conflicts.append(
            Conflict(merge.line, "fIMPHome", "boards of one room", write_decimal(home.imps))
        )
        return
    if ours is None or not ours.is_played:
        merge.put(place.guid, reported)
        return
    differences = [
        Conflict(merge.line, column, write_decimal(mine), write_decimal(theirs))
        for column, mine, theirs in (
            ("fIMPHome", ours.home.imps, home.imps),
            ("fIMPAway", ours.away.imps, away.imps),
            ("fVPHome", ours.home.vps, home.vps),
            ("fVPAway", ours.away.vps, away.vps),
        )
        if mine is not None and theirs is not None and mine != theirs
    ]
    scored_here = has_boards or event.divisions[place.segment.serie].method is not None
    if differences and (scored_here or merge.line not in merge.accepted):
        merge.conflicts += differences
    elif differences or (ours.home.vps is None and home.vps is not None):
        merge.put(place.guid, reported)


def _import_adjustment(
    merge: FileMerge,
    place: SegmentPlace,
    side: str,
    team: int,
    figures: MatchFigures,
    awarded: int,
    checker: "_FigureChecker",
) -> None:
    segment = place.segment
    key = segment.serie, segment.round, segment.number, team
    event = merge.events[place.guid]
    current = event.adjusted.get(key) or TeamAdjusted(*key, 0, 0)
    imps, vps = current.imps, current.vps
    if figures.imp_adjustment is not None:
        target = figures.imp_adjustment - awarded
        imps = _resolve_adjustment(merge, f"fIMPAdjustment{side}", imps, target)
    if figures.vp_adjustment is not None:
        of_earlier_segments = checker.vp_adjustment(place, team)
        vps = _resolve_adjustment(
            merge, f"fVPAdjustment{side}", vps, figures.vp_adjustment - of_earlier_segments
        )
    merge.put(place.guid, replace(current, imps=imps, vps=vps), f"fIMPAdjustment{side}")


def _resolve_adjustment(merge: FileMerge, column: str, ours: int, theirs: int) -> int:
    """Return the adjustment to set; removing our adjustment is a conflict, unless the line is accepted."""
    if ours and not theirs and merge.line not in merge.accepted:
        merge.conflicts.append(Conflict(merge.line, column, write_decimal(ours), "0"))
        return ours
    return merge.resolve(column, ours, theirs) if theirs else 0


def _awarded_imps(event: TeamEvent, place: SegmentPlace) -> dict[int, int]:
    """Return the IMPs that awards on our boards give to each team without taking them from the other team."""
    if place.segment not in event.boards:
        return {}
    alone = TeamView(
        TeamEvent(
            divisions=event.divisions,
            teams=event.teams,
            draws={(place.segment.serie, place.segment.round): event.draws[_round_key(place)]},
            boards={place.segment: event.boards[place.segment]},
        )
    )
    return {
        side.team: side.imp_adjustment
        for line in alone.figures(place.segment.serie)
        if line.segment == place.segment
        for side in (line.home, line.away)
    }


def _round_key(place: SegmentPlace) -> tuple[int, int]:
    return place.segment.serie, place.segment.round


class _FigureChecker:
    """A checker of the document's rules (1), (4), (8), (10) and (11) of 2B, over the rows so far."""

    def __init__(self, merge: FileMerge, ours: Mapping[tuple[str, Segment], SegmentFigures]) -> None:
        self._merge = merge
        self._round_vps: dict[tuple[str, int, int, int], int] = {}
        """Victory points of a round by event, division, round and team: from the file or from our event."""
        for (guid, segment), line in ours.items():
            for side in (line.home, line.away):
                if side.vp_round is not None:
                    self._round_vps[guid, segment.serie, segment.round, side.team] = side.vp_round
        self._rows: dict[tuple[str, int, int, int, int], tuple[int, MatchFigures]] = {}
        """Line and figures by event, division, round, segment and team."""
        self._ranked: dict[tuple[str, int, int, int], list[tuple[int, MatchFigures]]] = {}
        """Lines and figures with a rank, by event, division, round and segment."""

    def check(self, place: SegmentPlace, side: str, team: int, figures: MatchFigures) -> None:
        """Refuse figures that contradict each other."""
        segment, refuse = place.segment, self._merge.refuse
        _check_sum(self._merge, f"fIMPTotal{side}", figures.imp_total, *figures[:3])
        _check_sum(self._merge, f"fVPTotalRound{side}", figures.vp_round, figures.vps, figures.vp_adjustment)
        earlier = self._earlier_figures(place, team)
        earlier_total = earlier.imp_total if earlier else None
        if None not in (earlier_total, figures.imp_carry_over) and earlier_total != figures.imp_carry_over:
            raise refuse(
                f"fIMPCarryOver{side}",
                f"It is {write_decimal(figures.imp_carry_over)}, but the total of the segment before is "
                f"{write_decimal(earlier_total)}.",
            )
        self._check_total(place, side, team, figures)
        self._check_rank(place, side, figures)
        self._rows[place.guid, segment.serie, segment.round, segment.number, team] = (
            self._merge.line,
            figures,
        )

    def _check_total(self, place: SegmentPlace, side: str, team: int, figures: MatchFigures) -> None:
        """Check the accumulated victory points: refuse a difference if we have every round, else add a note."""
        guid, division, round_ = place.guid, place.segment.serie, place.segment.round
        if figures.vps is None and (place.away or figures.vp_adjustment is None):
            return  # only a team with a bye has victory points without a result
        self._round_vps[guid, division, round_, team] = (figures.vps or 0) + (figures.vp_adjustment or 0)
        carried = self._merge.events[guid].carried.get((division, 1, team))
        carried_vps = carried.vps if carried else 0
        if round_ == 1 and figures.vp_carry_over is not None:
            carried_vps = figures.vp_carry_over
        missing = [
            number for number in range(1, round_) if (guid, division, number, team) not in self._round_vps
        ]
        total = carried_vps + sum(
            self._round_vps.get((guid, division, number, team), 0) for number in range(1, round_ + 1)
        )
        if figures.vp_total is None or figures.vp_total == total:
            return
        sentence = f"It is {write_decimal(figures.vp_total)}, but the rounds add up to {write_decimal(total)}"
        if not missing:
            raise self._merge.refuse(f"fVPTotal{side}", f"{sentence}.")
        rounds = ", ".join(str(number) for number in missing)
        self._merge.notes.append(
            f"Line {self._merge.line}, column fVPTotal{side}: {sentence} without round {rounds}, which is missing."
        )

    def vp_adjustment(self, place: SegmentPlace, team: int) -> int:
        """Return the victory point adjustments of earlier segments of the round; 2B has their running total."""
        earlier = self._earlier_figures(place, team)
        if earlier is not None:
            return earlier.vp_adjustment or 0
        segment = place.segment
        return sum(
            adjusted.vps
            for adjusted in self._merge.events[place.guid].adjusted.values()
            if (adjusted.serie, adjusted.round, adjusted.team) == (segment.serie, segment.round, team)
            and adjusted.segment < segment.number
        )

    def _earlier_figures(self, place: SegmentPlace, team: int) -> MatchFigures | None:
        segment = place.segment
        row = self._rows.get((place.guid, segment.serie, segment.round, segment.number - 1, team))
        return row[1] if row else None

    def _check_rank(self, place: SegmentPlace, side: str, figures: MatchFigures) -> None:
        if figures.rank is None or figures.vp_total is None:
            return
        refuse = self._merge.refuse
        rank_max = figures.rank if figures.rank_max is None else figures.rank_max
        if not 1 <= figures.rank <= rank_max:
            raise refuse(f"nRankMax{side}", f"Ranks {figures.rank} to {rank_max} are not a valid tie.")
        segment = place.segment
        key = place.guid, segment.serie, segment.round, segment.number
        ranked = self._ranked.setdefault(key, [])
        for line, other in ranked:
            assert other.rank is not None
            assert other.vp_total is not None
            points, rank = figures.vp_total - other.vp_total, figures.rank - other.rank
            if (points > 0) != (rank < 0) or (points < 0) != (rank > 0):
                raise refuse(
                    f"nRank{side}",
                    f"Rank {figures.rank} with {write_decimal(figures.vp_total)} VPs contradicts line {line}: "
                    f"rank {other.rank} with {write_decimal(other.vp_total)}.",
                )
        tied = 1 + sum(other.rank == figures.rank for _, other in ranked)
        if tied > rank_max - figures.rank + 1:
            raise refuse(
                f"nRankMax{side}", f"{tied} teams share rank {figures.rank}, but the tie ends at {rank_max}."
            )
        ranked.append((self._merge.line, figures))


def _check_sum(merge: FileMerge, column: str, total: int | None, *parts: int | None) -> None:
    if total is None or all(part is None for part in parts):
        return
    sum_of_parts = sum(part or 0 for part in parts)
    if sum_of_parts != total:
        raise merge.refuse(
            column, f"It is {write_decimal(total)}, but its parts add up to {write_decimal(sum_of_parts)}."
        )
