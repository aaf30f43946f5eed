"""The view of one session; applying a fact costs only what the fact changed. Pure."""

from datetime import datetime

from overtrick.bridge import Outcome, Side
from overtrick.event import Fact, Session
from overtrick.event.movement import (
    RoundsSet,
    TableAdded,
    TableDropped,
    TableGrouped,
    contestant,
    teams_by_mates,
)
from overtrick.event.place import Place
from overtrick.event.results import ResultErased, ResultRecorded
from overtrick.event.seating import SessionPlayer, partnerships
from overtrick.event.setup import GameKind, GroupDropped, GroupSet, SectionDropped, SectionSet, SessionChanged
from overtrick.scoring import (
    Contestant,
    Line,
    Method,
    Options,
    Ranking,
    Scored,
    ScoredTraveller,
    Scorer,
    score,
)

_RESHAPING = (SessionChanged, GroupSet, GroupDropped, SectionSet, SectionDropped, TableGrouped)
"""Facts after which a standing result may belong to another field or to another contestant."""

_MOVING = (RoundsSet, TableAdded, TableDropped)
"""Facts after which a section may have another number of winners, where nobody said how many."""


class SessionView:
    """A session with its travellers and rankings, as far as it has been played.

    Feed it every fact of the session's stream, in order, with `apply`.
    """

    def __init__(self, options: Options | None = None) -> None:
        self.session = Session()
        self.options = options or Options()
        self.last_entry: dict[tuple[str, int], datetime] = {}
        """The time of each table's last result."""
        self._scorers: dict[int, Scorer] = {}
        self._lines: dict[Place, tuple[int, Line]] = {}
        self._is_stale = False
        self._winners: dict[str, int] = {}
        self._teams: dict[tuple[str, int, Side | None], tuple[str, int]] = {}

    @classmethod
    def of(cls, session: Session, options: Options | None = None) -> "SessionView":
        """Return the view of a session as it stands; `apply` updates it from then on."""
        view = cls(options)
        view.session = session
        view._is_stale = True
        for result in session.results.standing.values():
            at = view.last_entry.get((result.section, result.table))
            if at is None or result.at > at:
                view.last_entry[result.section, result.table] = result.at
        return view

    def apply(self, fact: Fact) -> None:
        """Move on by one fact."""
        self.session.apply(fact)
        if isinstance(fact, ResultRecorded):
            self.last_entry[fact.section, fact.table] = fact.at
            if not self._is_stale:
                self._put(fact)
        elif isinstance(fact, ResultErased):
            if not self._is_stale:
                self._remove(fact.place)
        elif isinstance(fact, _RESHAPING) or (
            isinstance(fact, _MOVING)
            and (self._winners_changed(fact.section) or self._may_change_teams(fact))
        ):
            self._is_stale = True

    def rankings(self, group: int) -> list[Ranking]:
        """Return the running ranking of a scoring group, from the boards played so far."""
        method = self.session.setup.groups[group].method
        if method.is_teams:
            return list(self.scored(group).rankings)
        return self._scorer(group).rankings()

    def traveller(self, group: int, board: int, field: str | None = None) -> ScoredTraveller:
        """Return the traveller of a board with its points so far."""
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
        return self._scorer(group).traveller(board, name)

    def scored(self, group: int) -> Scored:
        """Return a whole scoring group scored at once, with the results left out and the reasons."""
        self._settle()
        lines = [line for number, line in self._lines.values() if number == group]
        return score(lines, self.session.setup.groups[group].method, options=self.options)

    def lines(self) -> list[Line]:
        """Return every result as a line of a traveller."""
        self._settle()
        return [line for _, line in self._lines.values()]

    def players(self) -> dict[Contestant, tuple[SessionPlayer, ...]]:
        """Return the known players of each contestant, as of the last round."""
        found: dict[Contestant, dict[bool, SessionPlayer]] = {}
        for (who, is_first), player in partnerships(self.session, 10**6).items():
            found.setdefault(Contestant(*who), {})[is_first] = player
        return {
            who: tuple(chairs[is_first] for is_first in (True, False) if is_first in chairs)
            for who, chairs in found.items()
        }

    def field_of(self, section: str, table: int) -> str:
        """Return the field in which a table's results are compared: its scoring group, or its own group of tables."""
        group = self.session.setup.sections[section].group
        own = self.session.movement.tables[section, table].group
        return f"{group}.{own}" if own else str(group)

    def line(self, result: ResultRecorded) -> Line | None:
        """Return a result as a line of a traveller; None where North-South has none yet."""
        outcome: Outcome | None = result.outcome
        if outcome is None:
            return None
        section = self.session.setup.sections[result.section]
        ns, ew = self._contestants(result, section)
        south, west = self._partners(result, section)
        if result.is_wrong_direction:
            ns, ew, south, west = ew, ns, west, south
        return Line(
            result.board,
            ns,
            ew,
            outcome,
            result.outcome_ew,
            result.section,
            result.table,
            result.round,
            # The tables of a match are a group; teams meet in other groups in each round and are ranked together.
            str(section.group) if self._is_teams(section) else self.field_of(result.section, result.table),
            result.lead.value if result.lead else "",
            south,
            west,
        )

    def _is_teams(self, section: SectionSet) -> bool:
        return section.game is GameKind.TEAMS or self.session.setup.groups[section.group].method.is_teams

    def _contestants(self, result: ResultRecorded, section: SectionSet) -> tuple[Contestant, Contestant]:
        if self._is_teams(section):
            played = self.session.movement.round(result.section, result.table, result.round)
            teams = (played.team_ns, played.team_ew) if played else (0, 0)
            return (
                self._team(result.section, teams[0], result.ns, Side.NS),
                self._team(result.section, teams[1], result.ew, Side.EW),
            )
        if section.game is GameKind.INDIVIDUAL:
            return Contestant(section.section, result.ns), Contestant(section.section, result.ew)
        return (
            Contestant(*contestant(self.session, result.section, result.ns, Side.NS)),
            Contestant(*contestant(self.session, result.section, result.ew, Side.EW)),
        )

    def _team(self, section: str, team: int, pair: int, side: Side) -> Contestant:
        """Return the team that a pair plays for: as told, as its team mates' tables show, or the pair's own number."""
        if team:
            return Contestant("", team)
        return Contestant(*self._teams.get(contestant(self.session, section, pair, side), ("", pair)))

    def _partners(
        self, result: ResultRecorded, section: SectionSet
    ) -> tuple[Contestant | None, Contestant | None]:
        """Return South and West of an individual."""
        played = self.session.movement.round(result.section, result.table, result.round)
        if section.game is not GameKind.INDIVIDUAL or played is None or not (played.south and played.west):
            return None, None
        return Contestant(section.section, played.south), Contestant(section.section, played.west)

    def _scorer(self, group: int) -> Scorer:
        self._settle()
        scorer = self._scorers.get(group)
        if scorer is None:
            scorer = self._scorers[group] = Scorer(self.session.setup.groups[group].method, self.options)
        return scorer

    def _settle(self) -> None:
        """Make every line anew after something changed that lines depend on."""
        if not self._is_stale:
            return
        self._is_stale = False
        self._scorers.clear()
        self._lines.clear()
        self._winners = {section: self.session.winners(section) for section in self.session.setup.sections}
        self._teams = teams_by_mates(self.session)
        for result in self.session.results.standing.values():
            self._put(result)

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
        has_mates = isinstance(fact, RoundsSet) and any(played.mates for played in fact.rounds)
        return has_mates or bool(self._teams)

    def _winners_changed(self, section: str) -> bool:
        if section not in self.session.setup.sections:
            return False
        return self._winners.get(section) != self.session.winners(section)
