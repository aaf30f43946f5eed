"""The view of one session: travellers and rankings, updated fact by fact. Pure.

A result updates one line of one scorer. A fact that may move results to other contestants or fields marks all lines as
stale, and the next read rebuilds them.
"""

from collections.abc import Collection
from datetime import datetime

from overtrick.bridge import Outcome, Side
from overtrick.event import Fact, Session
from overtrick.event.clock import ClockSet
from overtrick.event.movement import (
    Round,
    RoundsSet,
    TableAdded,
    TableDropped,
    TableGrouped,
    is_teams,
    sides,
    teams_by_mates,
)
from overtrick.event.place import Place
from overtrick.event.results import Origin, ResultErased, ResultRecorded
from overtrick.event.rulings import (
    AdjustmentUnit,
    BoardFouled,
    RulesChosen,
    groups_of,
    is_counted,
    is_of_match,
    ranks_by_vps,
    rules_of,
    units_for,
)
from overtrick.event.seating import SessionPlayer, partnerships, team_players
from overtrick.event.setup import GroupDropped, GroupSet, SectionDropped, SectionSet, SessionChanged
from overtrick.scoring import (
    Adjustment,
    Contestant,
    Extras,
    Line,
    MatchRuling,
    Method,
    Options,
    Ranking,
    Scored,
    ScoredTraveller,
    Scorer,
    SitOut,
    score,
)
from overtrick.views.seating import itineraries

_RESHAPING = (
    SessionChanged,
    GroupSet,
    GroupDropped,
    SectionSet,
    SectionDropped,
    TableGrouped,
    RulesChosen,
    BoardFouled,
)
"""Facts after which a result may belong to another field or contestant, or be compared differently."""

_MOVING = (RoundsSet, TableAdded, TableDropped)
"""Facts after which the number of winners of a section, if it is not set, or the teams of pairs may change."""


class SessionView:
    """A session with its travellers and rankings so far.

    Call `apply` with every fact of the session's stream, in order.
    """

    def __init__(self) -> None:
        self.session = Session()
        self.last_entry: dict[tuple[str, int], datetime] = {}
        """The time of each table's last result."""
        self.entered: dict[Place, datetime] = {}
        """The time at which a table entered each standing result first; corrections do not change it."""
        self.clocks: dict[int, ClockSet] = {}
        """The round clock as it was set when the first result of each round came."""
        self._scorers: dict[int, Scorer] = {}
        self._lines: dict[Place, tuple[int, Line]] = {}
        self._is_stale = False  # True if the lines must be rebuilt before they are read
        self._winners: dict[str, int] = {}  # of each section when the lines were built
        self._teams: dict[tuple[str, int, Side | None], tuple[str, int]] = {}

    @classmethod
    def of(cls, session: Session) -> "SessionView":
        """Return the view of a session. The view owns it from then on: `apply` updates the same object."""
        view = cls()
        view.session = session
        view._is_stale = True
        for result in session.results.standing.values():
            latest = view.last_entry.get((result.section, result.table))
            if latest is None or result.at > latest:
                view.last_entry[result.section, result.table] = result.at
            view._note_time(result)
        return view

    def apply(self, fact: Fact) -> None:
        """Apply the next fact of the session, to the session and to the view."""
        self.session.apply(fact)
        if isinstance(fact, ResultRecorded):
            self.last_entry[fact.section, fact.table] = fact.at
            self._note_time(fact)
            if not self._is_stale:
                self._put(fact)
        elif isinstance(fact, ResultErased):
            self.entered.pop(fact.place, None)
            if not self._is_stale:
                self._remove(fact.place)
        elif isinstance(fact, _RESHAPING) or (
            isinstance(fact, _MOVING)
            and (self._winners_changed(fact.section) or self._may_change_teams(fact))
        ):
            self._is_stale = True

    def options(self, group: int) -> Options:
        """Return the scoring options that were chosen for a group, or the default ones."""
        rules = rules_of(self.session, group)
        return Options(rules.rule_set, single_top=rules.single_top)

    def extras(self, units: Collection[AdjustmentUnit]) -> Extras:
        """Return the adjustments that count in a ranking with these units, and the contestants who do not rank.

        Adjustments in other units, made before the method was changed, are left out.
        """
        by_match: dict[bool, list[Adjustment]] = {False: [], True: []}
        for adjustment in self.session.rulings.adjustments.values():
            if is_counted(adjustment, units):
                by_match[is_of_match(adjustment.unit, units)].append(
                    Adjustment(
                        Contestant(*adjustment.contestant),
                        adjustment.amount,
                        adjustment.reason,
                        adjustment.unit is AdjustmentUnit.TOP_PERCENT,
                        adjustment.board,
                        adjustment.round,
                    )
                )
        return Extras(
            adjustments=by_match[False],
            match_adjustments=by_match[True],
            unranked=frozenset(Contestant(*contestant) for contestant in self.session.rulings.statuses),
        )

    def match_rulings(self, group: int) -> list[MatchRuling]:
        """Return the rulings on void and shortened matches in a group."""
        return [
            MatchRuling(
                ruling.round,
                Contestant(*ruling.one),
                Contestant(*ruling.other),
                ruling.boards,
                ruling.is_void,
                None
                if ruling.points_one is None or ruling.points_other is None
                else (ruling.points_one, ruling.points_other),
                str(group),
            )
            for ruling in self.session.rulings.matches.values()
            if group in groups_of(self.session, ruling.one)
        ]

    def point(self, group: int) -> str:
        """Return the unit of a group's ranking for a column's header: MP, IMP, VP, BAM or Patton."""
        return "VP" if ranks_by_vps(self.session, group) else self._method(group).point

    def has_top(self, group: int) -> bool:
        """Return whether a group's ranking is in percentages."""
        return self._method(group).has_top and not ranks_by_vps(self.session, group)

    def rankings(self, group: int) -> list[Ranking]:
        """Return the rankings of a scoring group from the results so far; raise KeyError for an unknown group."""
        if self._method(group).is_teams or ranks_by_vps(self.session, group):
            return list(self.scored(group).rankings)
        return self._scorer(group).rankings(self.extras(units_for(self.session, group)))

    def traveller(self, group: int, board: int, field: str | None = None) -> ScoredTraveller:
        """Return the traveller of a board in a field, with its points so far; without `field`, that of the group."""
        name = str(group) if field is None else field
        if self.session.setup.groups[group].method.is_teams:
            lines = (
                scored
                for traveller in self.scored(group).travellers
                if traveller.board == board
                for scored in traveller.lines
                if name in (str(group), self.field_of(scored.line.section, scored.line.table))
            )
            return ScoredTraveller(name, board, tuple(lines))
        extras = self.extras(units_for(self.session, group))
        by_vps = ranks_by_vps(self.session, group)
        adjustments = extras.match_adjustments if by_vps else extras.adjustments
        return self._scorer(group).traveller(board, name, adjustments)

    def scored(self, group: int, through: int | None = None) -> Scored:
        """Score a whole group anew and return it, with the results that are left out and the reasons.

        With `through`, only the results up to that round count.
        """
        self._rebuild_if_stale()
        lines = [
            line
            for number, line in self._lines.values()
            if number == group and (through is None or line.round <= through)
        ]
        rules = rules_of(self.session, group)
        return score(
            lines,
            self._method(group),
            options=self.options(group),
            boards_per_match=rules.boards_per_match,
            extras=self.extras(units_for(self.session, group)),
            pairs_vps=ranks_by_vps(self.session, group),
            is_knockout=rules.is_knockout,
            match_rulings=self.match_rulings(group),
            sit_outs=self.sit_outs(group, through),
        )

    def sit_outs(self, group: int, through: int | None = None) -> list[SitOut]:
        """Return the pairs of a group without opponents by the seating, in each round that has a result of the group.

        With `through`, only those up to that round.
        """
        self._rebuild_if_stale()
        begun_rounds = {line.round for number, line in self._lines.values() if number == group}
        return [
            SitOut(Contestant(*contestant), seat.round, self.field_of(seat.section, seat.table))
            for contestant, seats in itineraries(self.session).items()
            for seat in seats
            if seat.is_sit_out
            and seat.round in begun_rounds
            and (through is None or seat.round <= through)
            and self.session.setup.sections[seat.section].group == group
        ]

    def lines(self) -> list[Line]:
        """Return every result as a line of a traveller, except those without an outcome for North-South yet."""
        self._rebuild_if_stale()
        return [line for _, line in self._lines.values()]

    def players(self) -> dict[Contestant, tuple[SessionPlayer, ...]]:
        """Return the known players of each contestant.

        Those of a pair are as of the last round, North or East first; those of a team are all who have sat for it.
        """
        pairs: dict[Contestant, dict[bool, SessionPlayer]] = {}
        for (contestant, is_first), player in partnerships(self.session, 10**6).items():
            pairs.setdefault(Contestant(*contestant), {})[is_first] = player
        players_of_pairs = {
            contestant: tuple(chairs[is_first] for is_first in (True, False) if is_first in chairs)
            for contestant, chairs in pairs.items()
        }
        teams = team_players(self.session)
        return {
            **players_of_pairs,
            **{Contestant(*contestant): tuple(people) for contestant, people in teams.items()},
        }

    def field_of(self, section: str, table: int) -> str:
        """Return the field in which a table's results are compared: "1" for scoring group 1, "1.2" for its table
        group 2.
        """
        group = self.session.setup.sections[section].group
        table_group = self.session.movement.tables[section, table].group
        return f"{group}.{table_group}" if table_group else str(group)

    def line(self, result: ResultRecorded) -> Line | None:
        """Return a result as a line of a traveller; None if it has no outcome for North-South yet."""
        outcome: Outcome | None = result.outcome
        if outcome is None:
            return None
        section = self.session.setup.sections[result.section]
        round_ = self.session.movement.round(result.section, result.table, result.round)
        seated = sides(self.session, result.section, round_ or Round(result.ns, result.ew), self._teams)
        ns, ew = (tuple(Contestant(*contestant) for contestant in side) for side in seated)
        if result.is_wrong_direction:
            ns, ew = ew, ns
        return Line(
            result.board,
            ns[0],
            ew[0],
            outcome,
            result.outcome_ew,
            result.section,
            result.table,
            result.round,
            # Teams are ranked across table groups: a group is one match, and each round has other groups.
            str(section.group)
            if is_teams(self.session, section)
            else self.field_of(result.section, result.table),
            result.lead.value if result.lead else "",
            ns[1] if len(ns) > 1 else None,
            ew[1] if len(ew) > 1 else None,
            self.session.rulings.versions.get(result.place, ""),
        )

    def _scorer(self, group: int) -> Scorer:
        self._rebuild_if_stale()
        scorer = self._scorers.get(group)
        if scorer is None:
            scorer = self._scorers[group] = Scorer(self._method(group), self.options(group))
        return scorer

    def _rebuild_if_stale(self) -> None:
        """Rebuild all lines if they are stale."""
        if not self._is_stale:
            return
        self._is_stale = False
        self._scorers.clear()
        self._lines.clear()
        self._winners = {section: self.session.winners(section) for section in self.session.setup.sections}
        self._teams = teams_by_mates(self.session)
        for result in self.session.results.standing.values():
            self._put(result)

    def _note_time(self, result: ResultRecorded) -> None:
        if result.origin in (Origin.TERMINAL, Origin.ROBOT):
            self.entered.setdefault(result.place, result.at)
            self.clocks.setdefault(result.round, self.session.clock.setting)

    def _put(self, result: ResultRecorded) -> None:
        line = self.line(result)
        group = self.session.setup.sections[result.section].group
        if line is None:
            self._remove(result.place)
            return
        self._lines[result.place] = group, line
        if not self._method(group).is_teams:
            self._scorer(group).put(line)

    def _remove(self, place: Place) -> None:
        before = self._lines.pop(place, None)
        if before is not None and before[0] in self._scorers:
            self._scorers[before[0]].remove(before[1].key)

    def _method(self, group: int) -> Method:
        return self.session.setup.groups[group].method

    def _may_change_teams(self, fact: Fact) -> bool:
        has_mates = isinstance(fact, RoundsSet) and any(round_.mates for round_ in fact.rounds)
        return has_mates or bool(self._teams)

    def _winners_changed(self, section: str) -> bool:
        if section not in self.session.setup.sections:
            return False
        return self._winners.get(section) != self.session.winners(section)
