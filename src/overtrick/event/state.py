"""The state of all events and sessions, and the rules that concern several sessions. Pure.

Its streams are: one for each incarnation of a session, one for the data that the sessions of an event share, one for
each team event, one for all series, and one that records when queues were cleared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import date, time
from enum import Enum
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

from overtrick.event import (
    calls,
    clock,
    filing,
    further_rankings,
    hands,
    held_entries,
    instructions,
    movement,
    recording,
    results,
    rulings,
    seating,
    series,
    settings,
    setup,
    tables,
    team_rules,
    teams,
)
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.movement import SectionPlan, SetMovement, TablePlan
from overtrick.event.rejection import Problem, Reason, Rejection, reject
from overtrick.event.session import Session
from overtrick.event.setup import Generation, GroupDropped, GroupPlan, GroupSet, SectionDropped, SectionSet
from overtrick.guid import is_guid


class Order(Enum):
    """An order of a scoring program to the control software."""

    START = "start"
    RESET = "reset"
    READ = "read"
    SHOW_IN_APP = "show in app"
    MINIMISE = "minimise"
    SHUT_DOWN_AFTER_LAST_RESULT = "shut down after the last result"
    LOG_EVERYTHING = "log everything"
    SHUT_DOWN = "shut down"


# Facts ------------------------------------------------------------------------------------------------------


@fact("event-opened")
class EventOpened(Fact):
    """An event was opened, or opened again, with these sessions and their incarnations."""

    event: str
    sessions: tuple[tuple[str, int], ...]
    club: str = ""


@fact("session-joined")
class SessionJoined(Fact):
    """A session was added to the event."""

    session: str
    incarnation: int


@fact("claims-changed")
class ClaimsChanged(Fact):
    """This session has these section letters and scoring groups, which no other session of the event may have."""

    session: str
    letters: tuple[str, ...]
    groups: tuple[int, ...]


@fact("ordered")
class Ordered(Fact):
    """A scoring program sent these orders to the control software."""

    orders: tuple[Order, ...]


# Commands ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """The request for a whole session."""

    session: str
    name: str
    day: date
    groups: tuple[GroupPlan, ...]
    sections: tuple[tuple[SectionPlan, tuple[TablePlan, ...]], ...]
    starts: time | None = None
    shown_in_app: bool = False
    across_field: bool = False
    ew_return_home: bool = False
    generation: Generation | None = None
    players: tuple[seating.SessionPlayer, ...] = ()
    participations: tuple[seating.Participation, ...] = ()
    hand_records: tuple[hands.HandRecord, ...] = ()
    settings: tuple[tuple[str, settings.SettingsII | settings.SettingsIII], ...] = ()
    history: tuple[Command, ...] = ()
    """Commands for what has already happened, such as the results of a session file; carried out last."""


@dataclass(frozen=True, slots=True)
class OpenEvent(Command):
    """Open an event with its sessions; each session starts as a new incarnation."""

    event: str
    sessions: tuple[SessionPlan, ...]
    club: str = ""
    orders: tuple[Order, ...] = ()


@dataclass(frozen=True, slots=True)
class ContinueEvent(Command):
    """Continue an event that was opened before."""

    event: str
    orders: tuple[Order, ...] = ()


@dataclass(frozen=True, slots=True)
class AddSession(Command):
    """Add a session to an event."""

    event: str
    plan: SessionPlan


@dataclass(frozen=True, slots=True)
class SetUpAgain(Command):
    """Open a session of an event anew, with another set-up, before its first result."""

    event: str
    plan: SessionPlan


@dataclass(frozen=True, slots=True)
class SessionTransaction(Command):
    """Several commands for one session, carried out in order, all or none."""

    session: str
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Transaction(Command):
    """Several commands for any sessions and events, carried out in order, all or none."""

    commands: tuple[Command, ...]


# State ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Event:
    """The state that the sessions of one event share."""

    event: str
    club: str = ""
    sessions: dict[str, int] = field(default_factory=dict)
    """The incarnation of each session."""
    letters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The section letters of each session."""
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The scoring groups of each session."""
    orders: tuple[Order, ...] = ()
    """The latest orders."""
    order_count: int = 0
    """The number of times that orders came; the n-th time has the number n."""
    show_order: int = 0
    """The number of the last order to show the sessions in the app; 0 if none came since the last start or shutdown."""
    logs_everything: bool = False
    """True if logging everything was ordered since the last start or shutdown."""
    is_running: bool = False
    """True if starting the event was ordered, and shutting it down was not ordered since."""

    def apply(self, fact: Fact) -> None:
        """Apply one fact to this event, in place."""
        match fact:
            case EventOpened():
                self.club = fact.club
                self.sessions = dict(fact.sessions)
                self.letters, self.groups, self.orders = {}, {}, ()
                self.show_order, self.logs_everything = 0, False
            case SessionJoined():
                self.sessions[fact.session] = fact.incarnation
            case ClaimsChanged():
                self.letters[fact.session] = fact.letters
                self.groups[fact.session] = fact.groups
            case Ordered():
                self.orders = fact.orders
                self.order_count += 1
                if not {Order.START, Order.SHUT_DOWN}.isdisjoint(fact.orders):
                    self.show_order, self.logs_everything = 0, False
                if Order.START in fact.orders:
                    self.is_running = True
                elif Order.SHUT_DOWN in fact.orders:
                    self.is_running = False
                if Order.SHOW_IN_APP in fact.orders:
                    self.show_order = self.order_count
                if Order.LOG_EVERYTHING in fact.orders:
                    self.logs_everything = True


CLEARINGS = "clearings"
"""The stream of `QueuesCleared` facts."""


def event_stream(event: str) -> str:
    """Return the name of the stream that the sessions of an event share."""
    return f"event/{event}"


def session_stream(session: str, incarnation: int) -> str:
    """Return the name of the stream of one incarnation of a session.

    >>> session_stream("0" * 32, 2)
    'session/00000000000000000000000000000000/2'
    """
    return f"session/{session}/{incarnation}"


class StreamFact(NamedTuple):
    """A fact and the stream that it belongs to. A named tuple for speed: a batch of results makes a thousand."""

    stream: str
    fact: Fact


@dataclass(slots=True)
class JournalState:
    """The state of all events and sessions, folded from the journal. Only `apply` changes it.

    With a `source` it is a cache: it holds the events and sessions that were requested, and loads others on demand.
    """

    events: dict[str, Event] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    """By stream: the newest incarnation at least."""
    incarnations: dict[str, int] = field(default_factory=dict)
    """The newest incarnation of each session."""
    team_events: dict[str, teams.TeamEvent] = field(default_factory=dict)
    series: dict[str, str] = field(default_factory=dict)
    """The descriptions of series, by guid."""
    source: Callable[[JournalState, str], None] | None = field(default=None, compare=False, repr=False)
    """A function that loads the event or session with a guid into a state that lacks it; None: all are loaded."""
    requested: set[str] = field(default_factory=set, compare=False, repr=False)
    """The guids of the events and sessions that were requested since the last `drop_unused`."""

    def event(self, event: str) -> Event | None:
        """Return an event; None if there is no such event."""
        self.requested.add(event)
        if event not in self.events and self.source is not None:
            self.source(self, event)
        return self.events.get(event)

    def incarnation(self, session: str) -> int:
        """Return the number of a session's newest incarnation; 0 if there is no such session."""
        self.requested.add(session)
        if session not in self.incarnations and self.source is not None:
            self.source(self, session)
        return self.incarnations.get(session, 0)

    def session(self, session: str) -> Session | None:
        """Return the state of a session's newest incarnation; None if there is no such session."""
        stream = self.stream(session)
        return None if stream is None else self.sessions[stream]

    def stream(self, session: str) -> str | None:
        """Return the stream of a session's newest incarnation; None if there is no such session."""
        incarnation = self.incarnation(session)
        return session_stream(session, incarnation) if incarnation else None

    def stream_prefixes(self) -> list[str]:
        """Return the prefixes of the names of the streams that this state holds."""
        return [
            "teams/",
            CLEARINGS,
            series.SERIES,
            *(event_stream(event) for event in self.events),
            *(f"session/{session}/" for session in self.incarnations),
        ]

    def drop_unused(self) -> list[str]:
        """Drop the events and sessions that were not requested since the last call; return their streams."""
        dropped = [event_stream(event) for event in self.events.keys() - self.requested]
        dropped += [
            stream
            for stream, session in self.sessions.items()
            if session.opened.session not in self.requested
        ]
        for stream in dropped:
            kind, guid, *_ = stream.split("/")
            if kind == "event":
                del self.events[guid]
            else:
                del self.sessions[stream]
                self.incarnations.pop(guid, None)
        self.requested.clear()
        return dropped

    def next_team_key(self) -> int:
        """Return the first key above those of the teams of all events; files identify teams by it."""
        return max((key for event in self.team_events.values() for key in event.teams), default=0) + 1

    def apply(self, stream: str, fact: Fact) -> None:
        """Apply one fact of a stream, in place.

        Raise LookupError if the stream of a session does not begin with `SessionOpened`.
        """
        session = self.sessions.get(stream)
        if session is not None:
            session.apply(fact)
            return
        if stream.startswith("event/"):
            event = stream.removeprefix("event/")
            self.events.setdefault(event, Event(event)).apply(fact)
            return
        if stream.startswith("teams/"):
            self.team_events.setdefault(stream.removeprefix("teams/"), teams.TeamEvent()).apply(fact)
            return
        if stream == series.SERIES:
            series.apply(self.series, fact)
            return
        if stream == CLEARINGS:
            return  # no decision depends on it
        if not isinstance(fact, setup.SessionOpened):
            raise LookupError(f"{stream} does not start with its opening")
        session = self.sessions[stream] = Session()
        session.apply(fact)
        newest = self.incarnations.get(fact.session, 0)
        self.incarnations[fact.session] = max(newest, fact.incarnation)

    def after(self, entries: Iterable[StreamFact]) -> JournalState:
        """Return a copy of the state with these facts applied; what they do not change is shared."""
        later = JournalState(
            dict(self.events),
            dict(self.sessions),
            dict(self.incarnations),
            dict(self.team_events),
            dict(self.series),
            source=self._share_with_copy,
        )
        entries = tuple(entries)
        for stream in {entry.stream for entry in entries}:
            guid = stream.partition("/")[2]
            if stream in later.sessions:
                later.sessions[stream] = later.sessions[stream].after(())
            elif stream.startswith("event/") and (event := later.event(guid)) is not None:
                later.events[guid] = deepcopy(event)
            elif stream.startswith("teams/") and guid in later.team_events:
                later.team_events[guid] = later.team_events[guid].copy()
        for entry in entries:
            later.apply(entry.stream, entry.fact)
        return later

    def _share_with_copy(self, later: JournalState, guid: str) -> None:
        """Serve as the `source` of a copy: share this state's event or session that has the guid."""
        if guid not in later.events and (event := self.event(guid)) is not None:
            later.events[guid] = event
        if guid not in later.incarnations and (stream := self.stream(guid)) is not None:
            later.sessions[stream] = self.sessions[stream]
            later.incarnations[guid] = self.incarnations[guid]


# Rules ------------------------------------------------------------------------------------------------------

Decision = tuple[StreamFact, ...] | Rejection


def open_event(state: JournalState, command: OpenEvent) -> Decision:
    """Decide to open an event with its sessions, each as a new incarnation, all or none."""
    problems = _guid_problems("event", command.event)
    problems += [problem for plan in command.sessions for problem in _guid_problems("session", plan.session)]
    if not command.sessions:
        problems.append(Problem(Reason.NOT_ALLOWED, "An event has at least one session."))
    if len({plan.session for plan in command.sessions}) < len(command.sessions):
        problems.append(Problem(Reason.NOT_ALLOWED, "A session is listed twice."))
    if problems:
        return Rejection(tuple(problems))
    state.event(command.event)  # load it, so that the new facts follow those already in its stream
    event = Event(command.event)
    incarnations = tuple((plan.session, state.incarnation(plan.session) + 1) for plan in command.sessions)
    event_facts: list[Fact] = [EventOpened(command.event, incarnations, command.club)]
    entries: list[StreamFact] = []
    for plan, (_, incarnation) in zip(command.sessions, incarnations, strict=True):
        opened = _open_session(event, command.event, plan, incarnation)
        if isinstance(opened, Rejection):
            return opened
        facts, claims = opened
        event.apply(claims)
        event_facts.append(claims)
        entries += [StreamFact(session_stream(plan.session, incarnation), fact) for fact in facts]
    if command.orders:
        event_facts.append(Ordered(command.orders))
    stream = event_stream(command.event)
    return (*(StreamFact(stream, fact) for fact in event_facts), *entries)


def continue_event(state: JournalState, command: ContinueEvent) -> Decision:
    """Decide to continue an event; rejected if there is no such event."""
    if state.event(command.event) is None:
        return reject(Reason.UNKNOWN_SESSION, f"There is no event {command.event}.")
    return (StreamFact(event_stream(command.event), Ordered(command.orders)),)


def add_session(state: JournalState, command: AddSession) -> Decision:
    """Decide to add a session; rejected if another session of the event has its letters or scoring groups."""
    event = state.event(command.event)
    if event is None:
        return reject(Reason.UNKNOWN_SESSION, f"There is no event {command.event}.")
    plan = command.plan
    if problems := _guid_problems("session", plan.session):
        return Rejection(tuple(problems))
    if plan.session in event.sessions:
        return reject(Reason.NOT_ALLOWED, f"Session {plan.session} belongs to the event already.")
    return _open_incarnation(state, event, plan)


def set_up_again(state: JournalState, command: SetUpAgain) -> Decision:
    """Decide to open a session anew; rejected if it had a result, or its event does not have it."""
    event, plan = state.event(command.event), command.plan
    session = state.session(plan.session)
    if event is None or session is None or event.sessions.get(plan.session) != session.opened.incarnation:
        return reject(Reason.UNKNOWN_SESSION, f"There is no session {plan.session} in the event.")
    if session.filing.is_binned:
        return reject(Reason.NOT_ALLOWED, IN_BIN)
    if session.results.standing or session.results.erased:
        return reject(
            Reason.NOT_ALLOWED,
            "The session has results, so its set-up cannot change. Change the movement instead.",
        )
    return _open_incarnation(state, event, plan)


def _open_incarnation(state: JournalState, event: Event, plan: SessionPlan) -> Decision:
    """Decide to open the next incarnation of a session in an event that is open."""
    incarnation = state.incarnation(plan.session) + 1
    opened = _open_session(event, event.event, plan, incarnation)
    if isinstance(opened, Rejection):
        return opened
    facts, claims = opened
    stream = event_stream(event.event)
    return (
        StreamFact(stream, SessionJoined(plan.session, incarnation)),
        StreamFact(stream, claims),
        *(StreamFact(session_stream(plan.session, incarnation), fact) for fact in facts),
    )


def _guid_problems(what: str, guid: str) -> list[Problem]:
    if is_guid(guid):
        return []
    article = "an" if what == "event" else "a"
    return [
        Problem(
            Reason.NOT_ALLOWED,
            f"{guid!r} is not the guid of {article} {what}. Use 32 digits or letters A to F.",
        )
    ]


def _open_session(
    event: Event, guid: str, plan: SessionPlan, incarnation: int
) -> tuple[list[Fact], ClaimsChanged] | Rejection:
    """Return a session's first facts and its claims; each part of the plan is decided after the earlier parts."""
    session = Session()
    facts: list[Fact] = [
        setup.SessionOpened(
            plan.session,
            guid,
            incarnation,
            plan.name,
            plan.day,
            plan.starts,
            plan.shown_in_app,
            plan.across_field,
            plan.ew_return_home,
            plan.generation,
        )
    ]
    session.apply(facts[0])
    groups = tuple(GroupPlan(group.number, group.method, group.name) for group in plan.groups)
    # A combi section takes its pairs from the others, so it comes after them.
    sections = sorted(plan.sections, key=lambda section: section[0].combi is not None)
    parts: list[Command] = [
        setup.SetGroups(plan.session, groups),
        *(SetMovement(plan.session, section, table_plans) for section, table_plans in sections),
        seating.PutPlayers(plan.session, plan.players),
        seating.PutParticipations(plan.session, plan.participations),
        hands.PutHandRecords(plan.session, plan.hand_records),
        settings.PutSettings(plan.session, plan.settings),
        *plan.history,
    ]
    for part in parts:
        decision = DECIDE[type(part)](session, part)
        if isinstance(decision, Rejection):
            return decision
        for new_fact in decision:
            session.apply(new_fact)
        facts += decision
    claims = _claims(session)
    conflict = _claim_conflict(event, claims)
    return conflict or (facts, claims)


def _claims(session: Session) -> ClaimsChanged:
    return ClaimsChanged(
        session.opened.session, tuple(sorted(session.setup.sections)), tuple(sorted(session.setup.groups))
    )


def _claim_conflict(event: Event, claims: ClaimsChanged) -> Rejection | None:
    """Return a rejection if another session of the event has any of these letters or groups, or else None."""
    problems: list[Problem] = []
    for other in event.sessions.keys() | event.letters.keys():
        if other == claims.session:
            continue
        for letters in sorted(set(event.letters.get(other, ())) & set(claims.letters)):
            problems.append(
                Problem(Reason.NOT_ALLOWED, f"Another session of the event has a section {letters}.")
            )
        for group in sorted(set(event.groups.get(other, ())) & set(claims.groups)):
            problems.append(
                Problem(Reason.NOT_ALLOWED, f"Another session of the event has a scoring group {group}.")
            )
    return Rejection(tuple(problems)) if problems else None


def decide_session_transaction(session: Session, command: SessionTransaction) -> tuple[Fact, ...] | Rejection:
    """Decide several commands for one session, each in the state after the earlier ones."""
    later = session.after(())
    facts: list[Fact] = []
    for part in command.commands:
        decision = DECIDE[type(part)](later, part)
        if isinstance(decision, Rejection):
            return decision
        for new_fact in decision:
            later.apply(new_fact)
        facts += decision
    return tuple(facts)


def take_instructions(
    session: Session, command: instructions.TakeInstructions
) -> tuple[Fact, ...] | Rejection:
    """Decide the commands that instructions in a shared file ask for, and record those instructions as taken.

    The cause of an erased result is the instruction for its table.
    """
    facts = decide_session_transaction(session, SessionTransaction(command.session, command.commands))
    if isinstance(facts, Rejection):
        return facts
    causes = {(section, table): words for section, table, words in command.causes}
    return (
        *(
            replace(new_fact, cause=causes.get((new_fact.section, new_fact.table), new_fact.cause))
            if isinstance(new_fact, results.ResultErased)
            else new_fact
            for new_fact in facts
        ),
        *command.taken,
    )


Decide = Callable[[Session, Any], tuple[Fact, ...] | Rejection]

DECIDE: dict[type[Command], Decide] = {
    setup.ChangeSession: setup.change_session,
    setup.SetStatus: results.set_status,
    setup.SetGroups: hands.set_groups,
    movement.SetWaiting: movement.set_waiting,
    movement.SetMovement: hands.set_movement,
    movement.ReplaceRounds: results.replace_rounds,
    movement.DropTable: results.drop_table,
    movement.DropSection: results.drop_section,
    seating.PutPlayers: seating.put_players,
    seating.PutParticipations: seating.put_participations,
    seating.SwapPlayers: seating.swap_players,
    results.EnterResult: results.enter_result,
    results.CorrectResult: results.correct_result,
    results.PutResults: results.put_results,
    results.EraseResult: results.erase_result,
    results.JudgeResult: hands.judge_result,
    rulings.ChooseRules: rulings.choose_rules,
    rulings.AdjustScore: rulings.adjust_score,
    rulings.WithdrawAdjustment: rulings.withdraw_adjustment,
    rulings.FoulBoard: rulings.foul_board,
    rulings.SetContestantStatus: rulings.set_contestant_status,
    rulings.NoteRuling: rulings.note_ruling,
    rulings.RuleMatch: rulings.rule_match,
    rulings.SetCorrectionPeriod: rulings.set_correction_period,
    rulings.MoveResult: rulings.move_result,
    recording.EnterContract: recording.enter_contract,
    recording.RecordCall: recording.record_call,
    recording.RecordCard: recording.record_card,
    hands.PutHandRecords: hands.put_hand_records,
    hands.EvaluateHand: hands.evaluate_hand,
    settings.PutSettings: settings.put_settings,
    calls.CallDirector: calls.call_director,
    calls.AnswerCall: calls.answer_call,
    calls.WithdrawCall: calls.withdraw_call,
    tables.LogOn: tables.log_on,
    tables.LogOff: tables.log_off,
    tables.ResetTable: tables.reset_table,
    held_entries.HoldEntry: held_entries.hold_entry,
    held_entries.SettleEntries: held_entries.settle_entries,
    clock.SetTiming: clock.set_timing,
    clock.StartClock: clock.start_clock,
    clock.PauseClock: clock.pause_clock,
    clock.ResumeClock: clock.resume_clock,
    clock.AddTime: clock.add_time,
    clock.StopClock: clock.stop_clock,
    further_rankings.PutPlayerDetails: further_rankings.put_player_details,
    further_rankings.SetFurtherRankings: further_rankings.set_further_rankings,
    filing.FileSession: filing.file_session,
    SessionTransaction: decide_session_transaction,
    instructions.TakeInstructions: take_instructions,
    instructions.ClearInstructions: instructions.clear_instructions,
}
"""The rule for each command about one session."""


_stream_fact = partial(tuple.__new__, StreamFact)
"""A constructor of `StreamFact` from a pair; faster than `_make`, because it does not check the length."""

CLAIMING = frozenset({SectionSet, SectionDropped, GroupSet, GroupDropped})
"""The facts that change which letters and scoring groups a session has."""


IN_BIN = "The director has moved this session to the bin. It can be restored at the director's desk."


def decide_session(state: JournalState, command: Command, guid: str) -> Decision:
    """Decide a command about one session; rejected if another session of the event has its letters or groups."""
    stream = state.stream(guid)
    if stream is None:
        return reject(Reason.UNKNOWN_SESSION, f"There is no session {guid}.")
    session = state.sessions[stream]
    opened = session.opened
    event = state.event(opened.event)
    if event is None or event.sessions.get(guid) != opened.incarnation:
        return reject(Reason.UNKNOWN_SESSION, f"The event of session {guid} was opened again without it.")
    intended = getattr(command, "incarnation", None)
    if intended is not None and intended != opened.incarnation:
        return reject(
            Reason.STALE,
            "This entry is from before the session was restarted. The director has to check it.",
        )
    if session.filing.is_binned and not isinstance(command, filing.FileSession):
        return reject(Reason.NOT_ALLOWED, IN_BIN)
    if (
        isinstance(command, setup.ChangeSession)
        and command.shown_in_app is not None
        and not command.order
        and event.show_order > session.setup.order
    ):
        # Showing or hiding a session by hand overrides earlier orders.
        command = replace(command, order=event.show_order)
    facts = DECIDE[type(command)](session, command)
    if isinstance(facts, Rejection):
        return facts
    entries = tuple(map(_stream_fact, zip(repeat(stream), facts)))
    if CLAIMING.isdisjoint(map(type, facts)):
        return entries
    claims = _claims(session.after(facts))
    if (event.letters.get(guid), event.groups.get(guid)) == (claims.letters, claims.groups):
        return entries
    return _claim_conflict(event, claims) or (*entries, StreamFact(event_stream(event.event), claims))


def clear_queues(command: setup.ClearQueues) -> Decision:
    """Decide to clear the queues; always accepted."""
    return (StreamFact(CLEARINGS, setup.QueuesCleared(command.club)),)


def decide_series(state: JournalState, command: series.SeriesCommand) -> Decision:
    """Decide a command about a series."""
    facts = series.decide_series(state.series, command)
    if isinstance(facts, Rejection):
        return facts
    return tuple(StreamFact(series.SERIES, new_fact) for new_fact in facts)


def decide_teams(state: JournalState, command: team_rules.TeamCommand) -> Decision:
    """Decide a command about a team event."""
    event = state.team_events.get(command.event)
    facts: tuple[Fact, ...] | Rejection
    others = state.team_events.values()
    if problems := _guid_problems("event", command.event):
        return Rejection(tuple(problems))
    if isinstance(command, team_rules.SetTeamEvent):
        facts = team_rules.set_team_event(event, command, others)
    else:
        assert isinstance(command, team_rules.PutTeamFacts)
        if event is None and command.opening is None:
            return reject(Reason.UNKNOWN_SESSION, f"There is no team event {command.event}.")
        facts = team_rules.put_team_facts(event, command, others)
    if isinstance(facts, Rejection):
        return facts
    return tuple(StreamFact(teams.teams_stream(command.event), new_fact) for new_fact in facts)


def decide_transaction(
    state: JournalState, command: Transaction, decide: Callable[[JournalState, Command], Decision]
) -> Decision:
    """Decide several commands with `decide`, each in the state after the earlier ones."""
    entries: tuple[StreamFact, ...] = ()
    for part in command.commands:
        decision = decide(state, part)
        if isinstance(decision, Rejection):
            return decision
        entries += decision
        state = state.after(decision)
    return entries


def fold(entries: Iterable[StreamFact]) -> JournalState:
    """Return a new state with these facts applied in order."""
    state = JournalState()
    for entry in entries:
        state.apply(entry.stream, entry.fact)
    return state
