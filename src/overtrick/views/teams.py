"""The view of a team event: every match with its IMPs and victory points, and the ranks after it. Pure.

A side's total is its carry-over plus its IMPs plus its own adjustment. An adjustment changes the victory points of one
side only: a side's margin is its total less the other's total without the other's adjustment. In a knock-out both
totals count as they are. All figures are in units (`scoring.UNIT` to an IMP or victory point).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from overtrick.event import Fact, JournalState
from overtrick.event.calls import CallAnswered, DirectorCalled
from overtrick.event.clock import ClockSet
from overtrick.event.hands import HandEvaluated, HandRecordSet
from overtrick.event.held_entries import EntryHeld, HeldEntrySettled
from overtrick.event.recording import CallRecorded, CardRecorded, ContractRecorded
from overtrick.event.results import ResultErased, ResultJudged, ResultRecorded
from overtrick.event.seating import PlayerSet, Seated, Unseated
from overtrick.event.settings import SettingsIIISet, SettingsIISet
from overtrick.event.tables import LoggedOff, LoggedOn, TableReset
from overtrick.event.teams import (
    Division,
    LineUp,
    LineUpSet,
    MatchNoted,
    MatchReported,
    Pairing,
    Room,
    RoundDrawn,
    Segment,
    TeamBoardErased,
    TeamBoardRecorded,
    TeamEvent,
    TeamFormat,
)
from overtrick.scoring import UNIT, Contestant, Line, Method, score_matches, victory_points
from overtrick.scoring.points import divide
from overtrick.scoring.ranking import ranks
from overtrick.views.team_results_from_tables import (
    RoomBoards,
    RoomResult,
    TableTeamResults,
    results_from_tables,
)

WITHOUT_EFFECT = (
    *(Seated, Unseated, PlayerSet),  # line-ups are read on demand
    *(ResultJudged, ContractRecorded, CallRecorded, CardRecorded, HandRecordSet, HandEvaluated),
    *(LoggedOn, LoggedOff, TableReset, DirectorCalled, CallAnswered, ClockSet, SettingsIISet, SettingsIIISet),
    *(EntryHeld, HeldEntrySettled),
)
"""Facts of a session after which the view needs no update."""


@dataclass(frozen=True, slots=True)
class SideFigures:
    """The figures of one side of a match after a segment; None if there are none yet."""

    team: int
    imp_carry_over: int
    imps: int | None = None
    imp_adjustment: int = 0
    vp_carry_over: int = 0
    vps: int | None = None
    vp_adjustment: int = 0
    vp_total: int | None = None
    rank: int | None = None
    rank_max: int | None = None

    @property
    def imp_total(self) -> int:
        """Return the sum of the IMPs carried over, won and adjusted."""
        return self.imp_carry_over + (self.imps or 0) + self.imp_adjustment

    @property
    def vp_round(self) -> int | None:
        """Return the victory points of the round with their adjustment; None if there are none yet."""
        return None if self.vps is None else self.vps + self.vp_adjustment

    @property
    def own(self) -> tuple[int | None, ...]:
        """Return all figures except total and rank, which depend on other matches."""
        return (
            *(self.team, self.imp_carry_over, self.imps, self.imp_adjustment),
            *(self.vp_carry_over, self.vps, self.vp_adjustment),
        )


@dataclass(frozen=True, slots=True)
class SegmentFigures:
    """A segment of a match with the figures of both sides."""

    segment: Segment
    pairing: Pairing
    home: SideFigures
    away: SideFigures
    is_played: bool
    comment: str = ""
    boards: int = 0
    """The number of boards with a result in both rooms; 0 if only IMPs were reported."""
    length: int = 0
    """The number of boards in the segment; 0 if it is unknown."""

    @property
    def is_over(self) -> bool:
        """Return whether all boards of the segment have a result, or its IMPs were reported."""
        return self.is_played and (not self.boards or self.boards >= self.length)


@dataclass(frozen=True, slots=True)
class BoardFigures:
    """A board of a segment in both rooms, with the IMPs that each team won on it; None while it does not count."""

    board: int
    open: RoomResult | None
    closed: RoomResult | None
    imps_home: int | None
    imps_away: int | None


@dataclass(frozen=True, slots=True)
class TeamStanding:
    """A line of a division's ranking; `points` are victory points, or net IMPs in a division without them.

    In a knock-out they are the IMPs by which a team leads in its last match, and do not decide the rank.
    """

    rank: int
    rank_max: int
    team: int
    points: int


@dataclass(slots=True)
class _RunningSums:
    """The running sums of a match, by team, while its segments are added up."""

    carried: dict[int, int]
    imps: dict[int, int] = field(default_factory=dict)
    adjusted: dict[int, int] = field(default_factory=dict)
    vps_adjusted: dict[int, int] = field(default_factory=dict)
    boards: int = 0

    def total(self, team: int) -> int:
        """Return the IMPs of a team with its adjustment."""
        return self.unadjusted(team) + self.adjusted.get(team, 0)

    def unadjusted(self, team: int) -> int:
        """Return the IMPs of a team without its adjustment, as they count for its opponents."""
        return self.carried[team] + self.imps.get(team, 0)


@dataclass(frozen=True, slots=True)
class _RoundFigures:
    """The cached figures of a round; valid until something in it or before it changes."""

    before: dict[int, int]
    """The victory points of every team before the round."""
    after: dict[int, int]
    """The victory points of every team after the round."""
    lines: list[SegmentFigures]
    byes: list[SegmentFigures]


@dataclass(frozen=True, slots=True)
class _Points:
    """The IMPs of a segment; `extra_home` and `extra_away` count for that side only (separate results)."""

    home: int
    away: int
    extra_home: int = 0
    extra_away: int = 0
    boards: int = 0
    """The number of boards that count."""
    entered: int = 0
    """The number of boards with a result in both rooms."""


class TeamView:
    """A team event with the figures that follow from it, computed on demand and cached.

    Call `drop_outdated` with every fact that the event or one of its sessions has applied.
    """

    def __init__(
        self, event: TeamEvent, tables: TableTeamResults | None = None, before: "TeamView | None" = None
    ) -> None:
        self.event = event
        self._tables = tables or TableTeamResults(event)
        self.draws: dict[tuple[int, int], RoundDrawn] = {**event.draws, **self._tables.draws}
        self._boards: dict[Segment, RoomBoards] = {}
        self._rounds: dict[tuple[int, int], _RoundFigures] = {}
        self._segment_points: dict[Segment, tuple[Pairing, bool, RoomBoards, _Points | None]] = (
            before._segment_points if before else {}
        )
        """The IMPs of each segment, with their boards; shared with `before`, and valid while the boards are equal."""

    @classmethod
    def of(cls, state: JournalState, event: TeamEvent, before: "TeamView | None" = None) -> "TeamView":
        """Return the view of a team event with the results at tables; reuse figures of the earlier view `before`."""
        return cls(event, results_from_tables(state, event), before)

    def drop_outdated(self, fact: Fact, session: str = "") -> bool:
        """Drop the figures that a fact changes; return False if the view must be replaced by a new one.

        `session` is the guid of the session that the fact belongs to; empty for a fact of the event.
        """
        match fact:
            case TeamBoardRecorded() | TeamBoardErased() | MatchReported() | MatchNoted() | LineUpSet():
                segment: Segment | None = fact.segment
            case ResultRecorded() | ResultErased():
                segment = self._tables.segments.get((session, fact.section, fact.table, fact.round))
            case _:
                return isinstance(fact, WITHOUT_EFFECT)
        if segment is not None:
            self._boards.pop(segment, None)
            self._rounds.pop((segment.serie, segment.round), None)
        return True

    def names(self, pairing: Pairing) -> str:
        """Return the names of both teams, home first, with a hyphen between."""
        return f"{self.event.teams[pairing.home].name} - {self.event.teams[pairing.away].name}"

    def rounds(self, division: int) -> list[int]:
        """Return the drawn rounds of a division, ascending."""
        return sorted(number for drawn_division, number in self.draws if drawn_division == division)

    def boards(self, segment: Segment) -> RoomBoards:
        """Return the results of both rooms; those entered for the match take precedence over the tables."""
        results = self._boards.get(segment)
        if results is None:
            entered = {
                place: RoomResult(result.outcome, result.outcome_ew, result.lead)
                for place, result in self.event.boards.get(segment, {}).items()
            }
            results = self._boards[segment] = {**self._tables.boards(segment), **entered}
        return results

    def line_up(self, segment: Segment, room: Room) -> LineUp | None:
        """Return the players in a room, as entered for the match or else as seated at the table; None if unknown."""
        return self.event.line_ups.get((segment, room)) or self._tables.line_up(segment, room)

    def segments(self, division: int) -> Iterator[tuple[Segment, Pairing]]:
        """Yield every segment of every match, by round, segment and table."""
        for round_ in self.rounds(division):
            draw = self.draws[division, round_]
            for number in range(1, draw.segments + 1):
                for match in sorted(draw.pairings, key=lambda match: match.table):
                    yield Segment(division, round_, number, match.home), match

    def board_figures(self, segment: Segment, pairing: Pairing) -> list[BoardFigures]:
        """Return the boards of a segment with a result in either room, by board number."""
        results = self.boards(segment)
        won: dict[int, tuple[int, int]] = {}
        is_knockout = self._is_knock_out(segment.serie)
        for match in score_matches(_lines(results, pairing), Method.TEAM_IMPS, is_knockout=is_knockout):
            home = {board.board: board.imp_units(3) for board in match.view(_contestant(pairing.home)).boards}
            away = {board.board: board.imp_units(3) for board in match.view(_contestant(pairing.away)).boards}
            won = {board: (max(home[board], 0), max(away[board], 0)) for board in home}
        return [
            BoardFigures(
                board,
                results.get((Room.OPEN, board)),
                results.get((Room.CLOSED, board)),
                *won.get(board, (None, None)),
            )
            for board in sorted({board for _, board in results})
        ]

    def figures(self, division: int) -> list[SegmentFigures]:
        """Return every segment with its figures, by round, segment and table."""
        return [line for lines in self.figures_of_rounds(division).values() for line in lines]

    def byes(self, division: int) -> list[SegmentFigures]:
        """Return the segments in which a team without a match has figures, such as points for a bye.

        The team is the home side of a pairing with team 0. A team that is out, or not drawn yet, has no match either.
        """
        return [
            line for round_figures in self._figures_by_round(division).values() for line in round_figures.byes
        ]

    def figures_of_rounds(self, division: int) -> dict[int, list[SegmentFigures]]:
        """Return the figures by round; the same list object as before if nothing in it changed."""
        return {
            number: round_figures.lines for number, round_figures in self._figures_by_round(division).items()
        }

    def ranking(self, division: int, through: int | None = None) -> list[TeamStanding]:
        """Return a division's ranking after round `through`, or now: by victory points, or by net IMPs without a scale.

        In a knock-out the rank says how far a team came: winners are before losers of the same round, and a team that
        lost in a later round is before one that lost earlier.
        """
        rounds = [
            round_figures
            for number, round_figures in self._figures_by_round(division).items()
            if through is None or number <= through
        ]
        lines = [line for round_figures in rounds for line in round_figures.lines]
        points = rounds[-1].after if rounds else self._carried(division)
        if self._is_knock_out(division):
            return self._knock_out_ranking(lines, points)
        if self.event.divisions[division].method is Method.TEAM_IMPS:
            points = dict.fromkeys(points, 0)
            for line in lines:
                for own, other in ((line.home, line.away), (line.away, line.home)):
                    points[own.team] += own.imp_total - own.imp_carry_over
                    points[own.team] -= other.imp_total - other.imp_carry_over
        order = sorted(points, key=lambda team: (-points[team], self.event.teams[team].number))
        return [
            TeamStanding(rank, rank_max, team, points[team])
            for team, (rank, rank_max) in zip(order, ranks([points[team] for team in order]), strict=True)
        ]

    def _knock_out_ranking(self, lines: list[SegmentFigures], teams: Iterable[int]) -> list[TeamStanding]:
        progress: dict[int, int] = dict.fromkeys(teams, 0)
        leads: dict[int, int] = dict.fromkeys(progress, 0)
        is_over: dict[tuple[int, int], bool] = {}
        for line in lines:
            round_ = line.segment.round
            match = round_, line.segment.home
            is_over[match] = is_over.get(match, True) and line.is_over
            for own, other in ((line.home, line.away), (line.away, line.home)):
                leads[own.team] = own.imp_total - other.imp_total
                progress[own.team] = 2 * round_ + (is_over[match] and leads[own.team] > 0)
        order = sorted(progress, key=lambda team: (-progress[team], self.event.teams[team].number))
        return [
            TeamStanding(rank, rank_max, team, leads[team])
            for team, (rank, rank_max) in zip(order, ranks([progress[team] for team in order]), strict=True)
        ]

    def _figures_by_round(self, division: int) -> dict[int, _RoundFigures]:
        """Return the figures of every round in order, from the cache where the totals before it are unchanged."""
        totals = self._carried(division)
        rounds: dict[int, _RoundFigures] = {}
        for number in self.rounds(division):
            round_figures = self._rounds.get((division, number))
            if round_figures is None or round_figures.before != totals:
                round_figures = self._rounds[division, number] = self._round(division, number, totals)
            rounds[number] = round_figures
            totals = round_figures.after
        return rounds

    def _round(self, division: int, round_: int, before: dict[int, int]) -> _RoundFigures:
        """Return the figures of every segment of a round, and the victory points of every team after it."""
        features = self.event.divisions[division]
        carried = self._carried(division)
        draw = self.draws[division, round_]
        running = {
            match.home: _RunningSums(
                {team: self._carried_imps(division, round_, team) for team in (match.home, match.away)}
            )
            for match in draw.pairings
        }
        idle = set(before) - {team for match in draw.pairings for team in (match.home, match.away)}
        gained: dict[int, int] = dict.fromkeys(before, 0)
        won: dict[tuple[int, int], int] = {}  # by match and team: in a triangle a team has two matches
        totals = before
        lines: list[SegmentFigures] = []
        byes: list[SegmentFigures] = []
        for number in range(1, draw.segments + 1):
            drafts = []
            for team in idle:
                gained[team] += self._adjusted(division, round_, number, team)[1]
            for match in sorted(draw.pairings, key=lambda match: match.table):
                segment = Segment(division, round_, number, match.home)
                draft = self._segment(features, segment, match, running[match.home], carried)
                drafts.append(draft)
                for side in (draft.home, draft.away):
                    if side.vp_round is not None:
                        counted = won.get((match.home, side.team), 0)
                        won[match.home, side.team] = side.vp_round
                        gained[side.team] += side.vp_round - counted
            totals = {team: before[team] + gained[team] for team in before}
            drafts += [
                bye
                for team in sorted(idle)
                if (
                    bye := self._bye(Segment(division, round_, number, team), gained[team], carried)
                ).is_played
            ]
            for line in self._ranked(drafts, totals):
                (lines if line.pairing.away else byes).append(line)
        return _RoundFigures(before, totals, lines, byes)

    def _bye(self, segment: Segment, gained: int, carried: dict[int, int]) -> SegmentFigures:
        """Return a segment of a team without a match: its carry-over, and the points awarded to it so far."""
        team = segment.home
        imps = self._carried_imps(segment.serie, segment.round, team)
        imp_adjustment, vp_adjustment = self._adjusted(segment.serie, segment.round, segment.number, team)
        carried_vps = carried.get(team, 0) if segment.round == 1 else 0
        vps = 0 if gained or carried_vps or vp_adjustment else None
        home = SideFigures(team, imps, None, imp_adjustment, carried_vps, vps, gained)
        has_figures = vps is not None or bool(imps or imp_adjustment)
        return SegmentFigures(segment, Pairing(0, team, 0), home, SideFigures(0, 0), has_figures)

    def winner(self, division: int, round_: int, home: int) -> int | None:
        """Return the team with the higher total in a match; None while it is not over, and if it ends level."""
        lines = [
            line
            for line in self.figures(division)
            if (line.segment.round, line.segment.home) == (round_, home)
        ]
        if not lines or not all(line.is_over for line in lines):
            return None
        margin = lines[-1].home.imp_total - lines[-1].away.imp_total
        return None if margin == 0 else (lines[-1].home.team if margin > 0 else lines[-1].away.team)

    def _carried(self, division: int) -> dict[int, int]:
        """Return the victory points that each team of a division carried over into round 1."""
        return {
            team.id: carried.vps if (carried := self.event.carried.get((division, 1, team.id))) else 0
            for team in self.event.teams_of(division)
        }

    def _carried_imps(self, division: int, round_: int, team: int) -> int:
        carried = self.event.carried.get((division, round_, team))
        return carried.imps if carried else 0

    def _adjusted(self, division: int, round_: int, segment: int, team: int) -> tuple[int, int]:
        adjusted = self.event.adjusted.get((division, round_, segment, team))
        return (adjusted.imps, adjusted.vps) if adjusted else (0, 0)

    def _points(self, segment: Segment, pairing: Pairing) -> _Points | None:
        """Return the IMPs of a segment, from its boards if any counts, else as reported; None without either."""
        boards, is_knockout = self.boards(segment), self._is_knock_out(segment.serie)
        won = self._segment_points.get(segment)
        if won is None or won[:3] != (pairing, is_knockout, boards):
            won = self._segment_points[segment] = (
                pairing,
                is_knockout,
                boards,
                _points_of_boards(boards, pairing, is_knockout),
            )
        if won[3] is not None:
            return won[3]
        reported = self.event.reported.get(segment)
        return _Points(reported.imps_home, reported.imps_away) if reported else None

    def _segment(
        self,
        division: Division,
        segment: Segment,
        pairing: Pairing,
        running: _RunningSums,
        carried: dict[int, int],
    ) -> SegmentFigures:
        """Return the figures of one segment, and add them to the running sums of its match."""
        points = self._points(segment, pairing)
        home, away = (
            self._side(segment, team, imps, extra, running, carried)
            for team, imps, extra in (
                (pairing.home, points.home if points else None, points.extra_home if points else 0),
                (pairing.away, points.away if points else None, points.extra_away if points else 0),
            )
        )
        running.boards += points.boards if points else 0
        if points is not None:
            vps_home, vps_away = self._victory_points(division, segment, pairing, running)
            home, away = replace(home, vps=vps_home), replace(away, vps=vps_away)
        note, entered = self.event.notes.get(segment, ""), points.entered if points else 0
        length = (
            self._match_length(division, segment, pairing)
            // self.draws[segment.serie, segment.round].segments
        )
        return SegmentFigures(segment, pairing, home, away, points is not None, note, entered, length)

    def _side(
        self,
        segment: Segment,
        team: int,
        imps: int | None,
        extra: int,
        running: _RunningSums,
        carried: dict[int, int],
    ) -> SideFigures:
        # In a triangle, the director's adjustment for a team counts in its home match only.
        is_first = team == segment.home or not self._is_half(segment, team)
        adjustments = (
            self._adjusted(segment.serie, segment.round, segment.number, team) if is_first else (0, 0)
        )
        imp_adjustment, vp_adjustment = adjustments
        imps_before = running.total(team)
        running.imps[team] = running.imps.get(team, 0) + (imps or 0)
        running.adjusted[team] = running.adjusted.get(team, 0) + imp_adjustment + extra
        running.vps_adjusted[team] = running.vps_adjusted.get(team, 0) + vp_adjustment
        return SideFigures(
            team,
            imps_before,
            imps,
            imp_adjustment + extra,
            carried.get(team, 0) if segment.round == 1 and is_first else 0,
            vp_adjustment=running.vps_adjusted[team],
        )

    def _victory_points(
        self, division: Division, segment: Segment, pairing: Pairing, running: _RunningSums
    ) -> tuple[int | None, int | None]:
        """Return the victory points of both sides for the match so far; None without a scale.

        In a division without a method they are those that were reported.
        """
        if division.method is None:
            reported = self.event.reported.get(segment)
            return (reported.vps_home, reported.vps_away) if reported else (None, None)
        length = self._match_length(division, segment, pairing) or running.boards
        scale = division.method.scale
        if scale is None or not length:
            return None, None
        opposing_total = running.total if division.format is TeamFormat.KNOCK_OUT else running.unadjusted
        home, away = (
            victory_points(scale, divide(running.total(own) - opposing_total(other), UNIT), length).own
            for own, other in ((pairing.home, pairing.away), (pairing.away, pairing.home))
        )
        if self._is_half(segment, pairing.home):
            # Each half-match is scored by the scale for its own length, and counts half.
            return divide(home, 2), divide(away, 2)
        return home, away

    def _is_knock_out(self, division: int) -> bool:
        """Return whether a division is a knock-out, where scores that do not balance are averaged (Law 12C4)."""
        return self.event.divisions[division].format is TeamFormat.KNOCK_OUT

    def _is_half(self, segment: Segment, team: int) -> bool:
        """Return whether a team plays two half-matches in a round."""
        return team in self.draws[segment.serie, segment.round].triangle

    def _match_length(self, division: Division, segment: Segment, pairing: Pairing) -> int:
        """Return the boards of a match: half of the usual number in a triangle."""
        return division.boards // 2 if self._is_half(segment, pairing.home) else division.boards

    def _ranked(self, drafts: list[SegmentFigures], totals: dict[int, int]) -> Iterator[SegmentFigures]:
        order = sorted(totals, key=lambda team: -totals[team])
        ranks_of = dict(zip(order, ranks([totals[team] for team in order]), strict=True))
        for draft in drafts:
            home, away = (
                side
                if side.vps is None
                else replace(
                    side,
                    vp_total=totals[side.team],
                    rank=ranks_of[side.team][0],
                    rank_max=ranks_of[side.team][1],
                )
                for side in (draft.home, draft.away)
            )
            yield replace(draft, home=home, away=away)


def _points_of_boards(boards: RoomBoards, pairing: Pairing, is_knockout: bool) -> _Points | None:
    """Return the IMPs of a segment's boards; None if no board counts."""
    for match in score_matches(_lines(boards, pairing), Method.TEAM_IMPS, is_knockout=is_knockout):
        home, away = match.view(_contestant(pairing.home)), match.view(_contestant(pairing.away))
        if home.boards:
            return _Points(
                away.their_imps,
                home.their_imps,
                home.own_imps - away.their_imps,
                away.own_imps - home.their_imps,
                len(home.boards),
                sum(room is Room.OPEN and (Room.CLOSED, board) in boards for room, board in boards),
            )
    return None


def _contestant(team: int) -> Contestant:
    return Contestant("", team)


def _lines(results: RoomBoards, pairing: Pairing) -> list[Line]:
    """Return the results of both rooms as lines: the open room is table 1, where the home team sits North-South."""
    home, away = _contestant(pairing.home), _contestant(pairing.away)
    return [
        Line(
            board,
            *((home, away) if room is Room.OPEN else (away, home)),
            result.outcome,
            result.outcome_ew,
            table=1 if room is Room.OPEN else 2,
            round=1,
            version=result.version,
        )
        for (room, board), result in results.items()
    ]
