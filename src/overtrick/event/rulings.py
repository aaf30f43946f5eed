"""Rules and rulings: the rule set of a scoring group, adjustments, fouled boards, standing, notes and appeals.

A result that the director gives (weighted, split, an award, cancelled, not played) is an ordinary result: see
`results`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from overtrick.bridge import Outcome, Side
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.movement import Contestant, RoundsSet, TableDropped, contestants, is_teams
from overtrick.event.place import CommandAtBoard, FactAtBoard, Place
from overtrick.event.recording import CallRecorded, CardRecorded
from overtrick.event.rejection import Problem, Reason, Rejection, reject, rejected
from overtrick.event.results import (
    Origin,
    ResultErased,
    ResultRecorded,
    Suspicion,
    find_round,
    place_in_words,
)
from overtrick.event.setup import GroupDropped, SectionDropped
from overtrick.scoring import Method
from overtrick.scoring.rules import WBF, ScoringRules, parse_rules, scale_problem, write_rules

if TYPE_CHECKING:
    from overtrick.event.session import Session


AnyPlay = TypeVar("AnyPlay", CallRecorded, CardRecorded)


class AdjustmentUnit(Enum):
    """The unit of a penalty or a bonus."""

    TOP_PERCENT = "% of a top"
    MATCHPOINTS = "MP"
    IMPS = "IMP"
    VPS = "VP"


class ContestantStatus(Enum):
    """The standing of a contestant: ranked or not, and why not."""

    RANKED = "ranked"
    UNRANKED = "without standing"
    """It plays on and does not rank; its results count for its opponents."""
    WITHDRAWN = "withdrawn"
    """It has left and does not rank; its results so far count for its opponents."""


class Appeal(Enum):
    """The state of an appeal against a ruling."""

    NONE = "none"
    PENDING = "pending"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class BoardVersion:
    """One of the deals that a fouled board was played with, and the tables that played it."""

    name: str
    """Empty: the usual deal, which tables outside every version have too."""
    tables: tuple[tuple[str, int, int], ...]
    """Section, table and round."""


# Facts ------------------------------------------------------------------------------------------------------


@fact("rules-chosen")
class RulesChosen(Fact):
    """A scoring group is scored by this rule set; it applies to all results, earlier ones too."""

    group: int
    rules: str
    """The name of the rule set and the value of each of its choices (TOML), so that later changes to a built-in set do
    not change this session. A missing choice has the value that applied before the choice existed."""
    pairs_vps: bool = False
    """Pairs are ranked by the victory points of their matches."""
    is_knockout: bool = False
    """Team matches are knock-outs, so scores that do not balance are averaged (Law 12C4)."""
    boards_per_match: int | None = None
    """The match length for the scale of victory points; None: the boards of the match."""
    single_top: bool = False
    """A top is published as n - 1 instead of 2(n - 1)."""

    @property
    def rule_set(self) -> ScoringRules:
        """Return the rule set with all its choices."""
        return _parse_stored_rules(self.rules)


_parse_stored_rules = cache(lambda text: parse_rules(text, is_own=False))


@fact("adjustment-made", schema=2)
class AdjustmentMade(Fact):
    """A contestant has a penalty or a bonus, for a board or for the session."""

    adjustment: int
    """Its number in the session, from 1."""
    section: str
    number: int
    side: Side | None
    amount: Decimal
    """Negative is a penalty."""
    unit: AdjustmentUnit
    board: int | None
    reason: str
    at: datetime
    round: int | None = None
    """The round of the match that is adjusted, or of the board if the contestant has it once."""

    @property
    def contestant(self) -> Contestant:
        """Return the contestant that is adjusted."""
        return self.section, self.number, self.side


@fact("adjustment-withdrawn")
class AdjustmentWithdrawn(Fact):
    """A penalty or a bonus no longer counts."""

    adjustment: int
    at: datetime


@fact("board-fouled")
class BoardFouled(Fact):
    """These tables played a board with these deals; other tables stay as they are."""

    board: int
    versions: tuple[BoardVersion, ...]
    reason: str = ""


@fact("contestant-status-set")
class ContestantStatusSet(Fact):
    """A contestant ranks, plays without standing, or has withdrawn."""

    section: str
    number: int
    side: Side | None
    status: ContestantStatus
    reason: str = ""

    @property
    def contestant(self) -> Contestant:
        """Return the contestant whose status this is."""
        return self.section, self.number, self.side


@fact("ruling-noted")
class RulingNoted(FactAtBoard):
    """The director's note on a result; without reason and appeal it removes the note."""

    reason: str
    appeal: Appeal
    table_result: Outcome | None
    """The result at the table, before the ruling."""
    at: datetime


@fact("match-ruled")
class MatchRuled(Fact):
    """A match of two teams is void or shortened; if neither, an earlier ruling on it is lifted."""

    round: int
    one: Contestant
    other: Contestant
    is_void: bool
    points_one: Decimal | None
    """The points of the first team for a void match; None: the match counts for neither team."""
    points_other: Decimal | None
    boards: int | None
    """The length of a shortened match; None: not shortened."""
    reason: str

    @property
    def match(self) -> tuple[int, frozenset[Contestant]]:
        """Return the round and the two teams of the match."""
        return self.round, frozenset((self.one, self.other))


@fact("correction-period-set")
class CorrectionPeriodSet(Fact):
    """Results are provisional until then; None: there is no correction period."""

    until: datetime | None


# Commands ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChooseRules(Command):
    """Score a group by a rule set, at set-up or at any time later."""

    session: str
    group: int
    rules: ScoringRules
    pairs_vps: bool = False
    is_knockout: bool = False
    boards_per_match: int | None = None
    single_top: bool = False


@dataclass(frozen=True, slots=True)
class AdjustScore(Command):
    """Give a contestant a bonus, or with a negative amount a penalty."""

    session: str
    section: str
    number: int
    side: Side | None
    amount: Decimal
    unit: AdjustmentUnit
    reason: str
    at: datetime
    board: int | None = None
    """None: the adjustment is for the whole session, or for the match of `round`."""
    round: int | None = None
    """Needed if the ranking is by victory points and the unit is another, unless the board identifies the match."""


@dataclass(frozen=True, slots=True)
class WithdrawAdjustment(Command):
    """Withdraw a penalty or a bonus."""

    session: str
    adjustment: int
    at: datetime


@dataclass(frozen=True, slots=True)
class FoulBoard(Command):
    """Record the deals that a board was played with; a version without a name restores the usual deal."""

    session: str
    board: int
    versions: tuple[BoardVersion, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SetContestantStatus(Command):
    """Rank a contestant, or exclude it from the ranking."""

    session: str
    section: str
    number: int
    side: Side | None
    status: ContestantStatus
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NoteRuling(CommandAtBoard):
    """Note the reason of a ruling on a result and the state of an appeal; if both are empty, remove the note."""

    reason: str
    at: datetime
    appeal: Appeal = Appeal.NONE
    table_result: Outcome | None = None
    """The result at the table, before the ruling; None keeps the one noted before."""


@dataclass(frozen=True, slots=True)
class RuleMatch(Command):
    """Make a match of two teams void, with points for both teams or for neither, or shorten it.

    If the match is neither void nor shortened, lift the earlier ruling: it counts as played.
    """

    session: str
    round: int
    one: Contestant
    other: Contestant
    reason: str
    is_void: bool = False
    points: tuple[Decimal, Decimal] | None = None
    boards: int | None = None


@dataclass(frozen=True, slots=True)
class SetCorrectionPeriod(Command):
    """Set the end of the correction period; None: there is no such period."""

    session: str
    until: datetime | None


@dataclass(frozen=True, slots=True)
class MoveResult(CommandAtBoard):
    """Move a result to another board or round of the same table, switch its pairs' directions, or both."""

    origin: Origin
    at: datetime
    to_board: int | None = None
    """None: the same board."""
    to_round: int | None = None
    """None: the same round."""
    is_exchange: bool = False
    """True if the result at the target, if there is one, moves here in exchange."""
    is_wrong_direction: bool | None = None
    """True if the pairs sat the other way round; None: as recorded."""
    was: Outcome | None = None
    """The result that the sender saw here; if it has changed since, the move is rejected. None: not checked."""


# State ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class SessionRulings:
    """The rules and rulings of a session as they stand."""

    rules: dict[int, RulesChosen] = field(default_factory=dict)
    """By scoring group."""
    adjustments: dict[int, AdjustmentMade] = field(default_factory=dict)
    """Those that count, by number."""
    last_adjustment: int = 0
    """The highest number so far, withdrawn adjustments included."""
    versions: dict[Place, str] = field(default_factory=dict)
    """The name of the deal that was played at a place, if it was not the usual one."""
    foul_reasons: dict[int, str] = field(default_factory=dict)
    """The latest reason given for each fouled board."""
    statuses: dict[Contestant, ContestantStatusSet] = field(default_factory=dict)
    """The contestants who do not rank."""
    notes: dict[Place, RulingNoted] = field(default_factory=dict)
    matches: dict[tuple[int, frozenset[Contestant]], MatchRuled] = field(default_factory=dict)
    """The void or shortened matches, by round and teams."""
    provisional_until: datetime | None = None

    def copy(self) -> SessionRulings:
        """Return a copy that can be changed independently."""
        return replace(
            self,
            rules=dict(self.rules),
            adjustments=dict(self.adjustments),
            versions=dict(self.versions),
            foul_reasons=dict(self.foul_reasons),
            statuses=dict(self.statuses),
            notes=dict(self.notes),
            matches=dict(self.matches),
        )

    @property
    def is_appeal_pending(self) -> bool:
        """Return whether an appeal against any ruling is pending."""
        return any(note.appeal is Appeal.PENDING for note in self.notes.values())


def apply(rulings: SessionRulings, fact: Fact) -> None:
    """Apply one fact to the rulings, in place."""
    match fact:
        case RulesChosen():
            rulings.rules[fact.group] = fact
        case AdjustmentMade():
            rulings.adjustments[fact.adjustment] = fact
            rulings.last_adjustment = max(rulings.last_adjustment, fact.adjustment)
        case AdjustmentWithdrawn():
            del rulings.adjustments[fact.adjustment]
        case BoardFouled():
            _apply_foul(rulings, fact)
        case ContestantStatusSet():
            rulings.statuses.pop(fact.contestant, None)
            if fact.status is not ContestantStatus.RANKED:
                rulings.statuses[fact.contestant] = fact
        case RulingNoted():
            rulings.notes.pop(fact.place, None)
            if fact.reason or fact.appeal is not Appeal.NONE:
                rulings.notes[fact.place] = fact
        case MatchRuled():
            rulings.matches.pop(fact.match, None)
            if fact.is_void or fact.boards is not None:
                rulings.matches[fact.match] = fact
        case CorrectionPeriodSet():
            rulings.provisional_until = fact.until
        case _:
            _drop_outdated(rulings, fact)


def _drop_outdated(rulings: SessionRulings, fact: Fact) -> None:
    """Drop the notes, rules and deal versions of results, groups and tables that are gone."""
    match fact:
        case ResultErased():
            rulings.notes.pop(fact.place, None)
        case GroupDropped():
            rulings.rules.pop(fact.group, None)
        case RoundsSet():
            _forget(rulings, lambda place: place[:2] == (fact.section, fact.table) and place[2] >= fact.first)
        case TableDropped():
            _forget(rulings, lambda place: place[:2] == (fact.section, fact.table))
        case SectionDropped():
            _forget(rulings, lambda place: place[0] == fact.section)


def _apply_foul(rulings: SessionRulings, fact: BoardFouled) -> None:
    for version in fact.versions:
        for section, table, number in version.tables:
            place = section, table, number, fact.board
            if version.name:
                rulings.versions[place] = version.name
            else:
                rulings.versions.pop(place, None)
    rulings.foul_reasons[fact.board] = fact.reason
    _forget(rulings, lambda place: False)


def _forget(rulings: SessionRulings, is_removed: Callable[[Place], bool]) -> None:
    """Drop the deal versions of places that are gone, and the reasons of boards that are no longer fouled."""
    for place in [place for place in rulings.versions if is_removed(place)]:
        del rulings.versions[place]
    fouled = {place[3] for place in rulings.versions}
    for board in rulings.foul_reasons.keys() - fouled:
        del rulings.foul_reasons[board]


_DEFAULT_RULES = write_rules(WBF)


# Rules of a group -------------------------------------------------------------------------------------------


def rules_of(session: Session, group: int) -> RulesChosen:
    """Return the rules chosen for a scoring group; the WBF's if none were chosen."""
    return session.rulings.rules.get(group) or RulesChosen(group, _DEFAULT_RULES)


def can_have_vps(method: Method) -> bool:
    """Return whether this method can rank pairs by the victory points of their matches."""
    return method is Method.MATCHPOINTS or method.value.startswith("cross-imps")


def ranks_by_vps(session: Session, group: int) -> bool:
    """Return whether the pairs of a group are ranked by the victory points of their matches."""
    return rules_of(session, group).pairs_vps and can_have_vps(session.setup.groups[group].method)


def units_for(session: Session, group: int) -> tuple[AdjustmentUnit, ...]:
    """Return the units that adjustments in a group may have: those of its ranking and of its matches."""
    return units_of(session.setup.groups[group].method, pairs_vps=ranks_by_vps(session, group))


def units_of(method: Method, *, pairs_vps: bool = False) -> tuple[AdjustmentUnit, ...]:
    """Return the units that adjustments may have in a ranking by this method.

    In a ranking by victory points, the other units are for the adjustments of a match before its victory points.

    >>> [unit.value for unit in units_of(Method.MATCHPOINTS)]
    ['% of a top', 'MP']
    >>> [unit.value for unit in units_of(Method.VPS_CONTINUOUS)]
    ['VP', 'IMP']
    """
    has_top = method.has_top
    units = (AdjustmentUnit.TOP_PERCENT, AdjustmentUnit.MATCHPOINTS) if has_top else (AdjustmentUnit.IMPS,)
    return (AdjustmentUnit.VPS, *units) if method.scale is not None or pairs_vps else units


def is_of_match(unit: AdjustmentUnit, units: Collection[AdjustmentUnit]) -> bool:
    """Return whether adjustments in a unit change a match before its victory points; `units` are the ranking's."""
    return AdjustmentUnit.VPS in units and unit is not AdjustmentUnit.VPS


def is_counted(adjustment: AdjustmentMade, units: Collection[AdjustmentUnit]) -> bool:
    """Return whether an adjustment counts in a ranking with these units; one of a match needs its round."""
    return adjustment.unit in units and not (is_of_match(adjustment.unit, units) and adjustment.round is None)


def choose_rules(session: Session, command: ChooseRules) -> tuple[Fact, ...] | Rejection:
    """Decide about the rule set of a scoring group."""
    group = session.setup.groups.get(command.group)
    if group is None:
        return _unknown_group(command.group)
    problems: list[Problem] = []

    def add_problem(sentence: str) -> None:
        problems.append(Problem(Reason.NOT_ALLOWED, sentence, f"scoring group {command.group}"))

    name = command.rules.name
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        add_problem(f"A rule set has a name of 1 to {LONGEST_NAME} letters.")
    if command.pairs_vps and not can_have_vps(group.method):
        add_problem(f"{group.method.value} gives no victory points to pairs; matchpoints and cross-IMPs do.")
    if command.rules.method not in (None, group.method):
        add_problem(
            f"This rule set is for {command.rules.method.value}; the session has {group.method.value}."
        )
    if problem := scale_problem(command.rules, group.method, pairs_vps=command.pairs_vps):
        add_problem(problem)
    if command.is_knockout and not group.method.is_teams:
        add_problem("A knock-out is for teams.")
    if command.boards_per_match is not None and not 1 <= command.boards_per_match <= MOST_BOARDS:
        add_problem(f"A match has from 1 to {MOST_BOARDS} boards.")
    if rejection := rejected(problems):
        return rejection
    chosen = RulesChosen(
        command.group,
        write_rules(command.rules),
        command.pairs_vps,
        command.is_knockout,
        command.boards_per_match,
        command.single_top,
    )
    return () if session.rulings.rules.get(command.group) == chosen else (chosen,)


LONGEST_NAME = 80
MOST_BOARDS = 1000
LONGEST_REASON = 500
MOST_AMOUNT = 10_000


def _unknown_group(group: int) -> Rejection:
    return reject(Reason.UNKNOWN_ENTRY, f"There is no scoring group {group}.")


# Rules about contestants ------------------------------------------------------------------------------------


def _name(contestant: Contestant) -> str:
    section, number, side = contestant
    return f"{section}{number}" + (f" {side.value}" if side else "")


def _contestant_problem(session: Session, contestant: Contestant) -> Problem | None:
    playing = contestants(session)
    if contestant in playing:
        return None
    same_number = sorted(_name(other) for other in playing if other[1] == contestant[1])
    hint = f" There is {' and '.join(same_number)}." if same_number else ""
    return Problem(Reason.UNKNOWN_ENTRY, f"Nobody in this session is {_name(contestant)}.{hint}")


def _reason_problem(reason: str, *, is_needed: bool = False) -> Problem | None:
    if is_needed and not reason.strip():
        return Problem(Reason.NOT_ALLOWED, "Enter a reason; it is printed with the results.")
    if len(reason) > LONGEST_REASON:
        return Problem(Reason.NOT_ALLOWED, f"A reason has at most {LONGEST_REASON} letters.")
    return None


def groups_of(session: Session, contestant: Contestant) -> set[int]:
    """Return the scoring groups in which a contestant plays."""
    rounds = contestants(session).get(contestant, ())
    return {session.setup.sections[section].group for section, _, _ in rounds}


def adjust_score(session: Session, command: AdjustScore) -> tuple[Fact, ...] | Rejection:
    """Decide about a penalty or a bonus; rejected without a reason, in a wrong unit, or for a board not played."""
    contestant = command.section, command.number, command.side
    where = _name(contestant)
    problems = [
        problem
        for problem in (
            _contestant_problem(session, contestant),
            _reason_problem(command.reason, is_needed=True),
            _amount_problem(command.amount, where),
        )
        if problem is not None
    ]
    rounds = contestants(session).get(contestant)
    round_ = command.round
    if rounds:
        groups = sorted(groups_of(session, contestant))
        units = {unit: None for group in groups for unit in units_for(session, group)}
        if command.unit not in units:
            names = " or ".join(unit.value for unit in units)
            problems.append(
                Problem(
                    Reason.NOT_ALLOWED,
                    f"This ranking does not use {command.unit.value}: enter {names}.",
                    where,
                )
            )
        playing = {
            place[2]
            for place in rounds
            if (round_at := session.movement.round(*place)) is not None
            and command.board in (None, *round_at.boards)
        }
        if command.board is not None and not playing:
            problems.append(Problem(Reason.UNKNOWN_PLACE, f"It does not play board {command.board}.", where))
        elif round_ is not None and round_ not in playing:
            what = f"board {command.board} " if command.board is not None else ""
            problems.append(
                Problem(Reason.UNKNOWN_PLACE, f"It does not play {what}in round {round_}.", where)
            )
        elif command.board is not None and len(playing) == 1:
            (round_,) = playing
        if round_ is None and command.unit in units and is_of_match(command.unit, units):
            sentence = (
                f"Enter the round: an adjustment in {command.unit.value} changes the result of one match."
            )
            problems.append(Problem(Reason.NOT_ALLOWED, sentence, where))
    if rejection := rejected(problems):
        return rejection
    return (
        AdjustmentMade(
            session.rulings.last_adjustment + 1,
            *contestant,
            command.amount,
            command.unit,
            command.board,
            command.reason.strip(),
            command.at,
            round_,
        ),
    )


def _amount_problem(amount: Decimal, where: str) -> Problem | None:
    if not amount.is_finite() or not 0 < abs(amount) <= MOST_AMOUNT or amount != round(amount, 2):
        sentence = (
            f"An adjustment is a number up to {MOST_AMOUNT} with at most two decimals, and not 0; "
            "a penalty has a minus."
        )
        return Problem(Reason.NOT_ALLOWED, sentence, where)
    return None


def withdraw_adjustment(session: Session, command: WithdrawAdjustment) -> tuple[Fact, ...] | Rejection:
    """Decide to withdraw an adjustment; withdrawing it again changes nothing."""
    number = command.adjustment
    if number in session.rulings.adjustments:
        return (AdjustmentWithdrawn(number, command.at),)
    if 1 <= number <= session.rulings.last_adjustment:
        return ()
    return reject(Reason.UNKNOWN_ENTRY, f"There is no adjustment {number}.")


def set_contestant_status(session: Session, command: SetContestantStatus) -> tuple[Fact, ...] | Rejection:
    """Decide whether a contestant ranks."""
    contestant = command.section, command.number, command.side
    before = session.rulings.statuses.get(contestant)
    # A contestant who is no longer in the movement can still be ranked again.
    problems = [None if before else _contestant_problem(session, contestant), _reason_problem(command.reason)]
    if rejection := rejected(problem for problem in problems if problem is not None):
        return rejection
    if before is None and command.status is ContestantStatus.RANKED:
        return ()
    status = ContestantStatusSet(*contestant, command.status, command.reason.strip())
    return () if status == before else (status,)


def has_matches(session: Session, section: str) -> bool:
    """Return whether the tables of a section play matches: of teams, or of pairs ranked by victory points."""
    setup = session.setup.sections[section]
    return is_teams(session, setup) or ranks_by_vps(session, setup.group)


def rule_match(session: Session, command: RuleMatch) -> tuple[Fact, ...] | Rejection:
    """Decide about a ruling on a whole match; rejected unless the two meet in a match of that round."""
    one, other = command.one, command.other
    where = f"{_name(one)} against {_name(other)}, round {command.round}"
    problems: list[Problem] = []

    def add_problem(sentence: str) -> None:
        problems.append(Problem(Reason.NOT_ALLOWED, sentence, where))

    rounds_of = contestants(session)
    tables = [
        {place for place in rounds_of.get(contestant, ()) if place[2] == command.round}
        for contestant in (one, other)
    ]
    shared = tables[0] & tables[1]
    if one == other or not shared:
        problems.append(Problem(Reason.UNKNOWN_PLACE, "They do not meet in this round.", where))
    elif not all(has_matches(session, section) for section, _, _ in shared):
        add_problem("Only matches of teams, or of pairs ranked by victory points, can be ruled as a whole.")
    if command.boards is not None and not 1 <= command.boards <= MOST_BOARDS:
        add_problem(f"A match has from 1 to {MOST_BOARDS} boards.")
    if command.is_void and command.boards is not None:
        add_problem("A void match cannot be shortened.")
    if command.points is not None and not command.is_void:
        add_problem("Only a void match can be given points; a match that was played has its own.")
    for points in command.points or ():
        if not points.is_finite() or abs(points) > MOST_AMOUNT or points != round(points, 2):
            add_problem(f"Points are a number up to {MOST_AMOUNT} with at most two decimals.")
    is_ruled = command.is_void or command.boards is not None
    if (problem := _reason_problem(command.reason, is_needed=is_ruled)) is not None:
        problems.append(problem)
    if rejection := rejected(problems):
        return rejection
    points_one, points_other = command.points or (None, None)
    ruling = MatchRuled(
        *(command.round, one, other, command.is_void, points_one, points_other, command.boards),
        command.reason.strip() if is_ruled else "",
    )
    before = session.rulings.matches.get(ruling.match)
    return () if ruling == before or (before is None and not is_ruled) else (ruling,)


# Rules about boards and results -----------------------------------------------------------------------------


def foul_board(session: Session, command: FoulBoard) -> tuple[Fact, ...] | Rejection:
    """Decide about the deals of a board; rejected if a table does not play it or is named twice."""
    problems: list[Problem] = []
    if (problem := _reason_problem(command.reason)) is not None:
        problems.append(problem)
    listed: set[Place] = set()
    is_changed = False
    for version in command.versions:
        if not version.name.isprintable() or len(version.name) > LONGEST_NAME:
            problems.append(
                Problem(Reason.NOT_ALLOWED, f"A deal has a name of at most {LONGEST_NAME} letters.")
            )
        for section, table, number in version.tables:
            place = section, table, number, command.board
            round_ = find_round(session, place)
            if isinstance(round_, Problem):
                problems.append(round_)
            elif place in listed:
                problems.append(
                    Problem(Reason.NOT_ALLOWED, "The table is listed twice.", place_in_words(*place))
                )
            listed.add(place)
            is_changed = is_changed or session.rulings.versions.get(place, "") != version.name
    if rejection := rejected(problems):
        return rejection
    reason = command.reason.strip()
    # Only fouled boards have a stored reason; for any other board a new reason alone changes nothing.
    if not is_changed and session.rulings.foul_reasons.get(command.board, reason) == reason:
        return ()
    return (BoardFouled(command.board, command.versions, reason),)


def note_ruling(session: Session, command: NoteRuling) -> tuple[Fact, ...] | Rejection:
    """Decide about the note on a result; rejected if there is no result."""
    place = command.place
    if place not in session.results.standing:
        round_problem = find_round(session, place)
        if isinstance(round_problem, Problem):
            return Rejection((round_problem,))
        return reject(Reason.UNKNOWN_ENTRY, "There is no result to rule on.", place_in_words(*place))
    if (problem := _reason_problem(command.reason)) is not None:
        return Rejection((problem,))
    before = session.rulings.notes.get(place)
    reason = command.reason.strip()
    is_empty = not reason and command.appeal is Appeal.NONE
    if before is None and is_empty:
        return ()
    result = command.table_result
    if result is None and before is not None:
        result = before.table_result
    note = RulingNoted(*place, reason, command.appeal, None if is_empty else result, command.at)
    return () if before is not None and replace(before, at=command.at) == note else (note,)


def set_correction_period(session: Session, command: SetCorrectionPeriod) -> tuple[Fact, ...] | Rejection:
    """Decide about the end of the correction period; it must have a time zone."""
    if command.until is not None and command.until.tzinfo is None:
        return reject(Reason.NOT_ALLOWED, "The end of the correction period needs a time zone.")
    if command.until == session.rulings.provisional_until:
        return ()
    return (CorrectionPeriodSet(command.until),)


def move_result(session: Session, command: MoveResult) -> tuple[Fact, ...] | Rejection:
    """Decide to move a result, with its note and recorded play.

    Rejected if the target has a result and the command is no exchange, or if the result is not what the sender saw.
    """
    place = command.place
    result = session.results.standing.get(place)
    if result is None:
        problem = find_round(session, place)
        if isinstance(problem, Problem):
            return Rejection((problem,))
        return reject(Reason.UNKNOWN_ENTRY, "There is no result to move.", place_in_words(*place))
    if command.was is not None and result.outcome != command.was:
        return reject(
            Reason.STALE,
            f"The result is now {result.outcome}, not {command.was}; it was not moved.",
            place_in_words(*place),
        )
    if command.is_wrong_direction is not None:
        result = replace(result, is_wrong_direction=command.is_wrong_direction)
    target = (
        command.section,
        command.table,
        command.to_round or command.round,
        command.to_board or command.board,
    )
    if target == place:
        return (
            ()
            if result == session.results.standing[place]
            else (_moved_result(session, result, place, command),)
        )
    round_ = find_round(session, target)
    if isinstance(round_, Problem):
        return Rejection((round_,))
    other = session.results.standing.get(target)
    if other is not None and not command.is_exchange:
        return reject(
            Reason.NOT_ALLOWED,
            f"It has the result {other.outcome} already. Exchange the two, or erase that one first.",
            place_in_words(*target),
        )
    cause = (
        f"it belongs to board {target[3]}" if target[3] != place[3] else f"it belongs to round {target[2]}"
    )
    facts: list[Fact] = []
    if other is None:
        facts.append(ResultErased(*place, command.origin, cause))  # this also drops the note
    else:
        facts.append(_moved_result(session, other, place, command))
    facts.append(_moved_result(session, result, target, command))
    notes = session.rulings.notes
    for note_place, note in ((target, notes.get(place)), (place, notes.get(target))):
        if note is not None:
            section, table, number, board = note_place
            facts.append(replace(note, section=section, table=table, round=number, board=board))
        elif other is not None and note_place in notes:
            facts.append(RulingNoted(*note_place, "", Appeal.NONE, None, command.at))
    is_exchange = other is not None
    facts += _moved_play(session.recording.calls, place, target, is_exchange=is_exchange)
    facts += _moved_play(session.recording.cards, place, target, is_exchange=is_exchange)
    return tuple(facts)


def _moved_play(
    recorded: Mapping[tuple[Place, int], AnyPlay], place: Place, target: Place, *, is_exchange: bool
) -> Iterator[AnyPlay]:
    """Yield the facts that move recorded calls or cards with their result.

    If the target has recorded play but no result, the play of both boards stays where it is.
    """
    at_place, at_target = (
        {counter: entry for (at, counter), entry in recorded.items() if at == source}
        for source in (place, target)
    )
    if at_target and not is_exchange:
        return
    for (section, table, number, board), arriving, leaving in (
        (target, at_place, at_target),
        (place, at_target, at_place),
    ):
        for entry in arriving.values():
            yield replace(entry, section=section, table=table, round=number, board=board)
        for counter, entry in leaving.items():
            if counter not in arriving:
                yield replace(entry, is_erased=True)


def _moved_result(
    session: Session, result: ResultRecorded, place: Place, command: MoveResult
) -> ResultRecorded:
    """Return a result moved to a place, with the pairs that meet there; at a new place it is not suspicious."""
    section, table, number, board = place
    round_ = session.movement.round(section, table, number)
    assert round_ is not None
    return replace(
        result,
        section=section,
        table=table,
        round=number,
        board=board,
        ns=round_.ns,
        ew=round_.ew,
        suspicion=result.suspicion if place == result.place else Suspicion.NONE,
        origin=command.origin,
        at=command.at,
    )
