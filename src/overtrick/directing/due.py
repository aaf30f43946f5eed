"""The commands that are due in a session: a function of the state, without a clock, randomness or I/O.

This is the desired state of a level-triggered reconciler. Any program evaluates it at every start and after every
change, so nothing depends on having noticed a particular change; executing a command makes it no longer due.

A decision of a person or of the scoring program stands until its inputs change. The fact of a decision stores a digest
of its inputs, the basis (`results.status_basis`, `hands.judgement_basis`); while it equals the basis of the current
inputs, nothing else is due. Several programs may look after one session, so the command id also follows from the state:
the same command gets the same id everywhere and is executed once. The id counts the decisions of its kind, because the
same inputs may return and must then be decided again.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from overtrick.bridge import Tricks
from overtrick.directing.session_end import Tables, is_finished
from overtrick.directing.suspicion import doubts_about
from overtrick.event import Command, ContinueEvent, Order, Session, event_stream, session_stream
from overtrick.event.hands import EvaluateHand, HandRecord, judgement_basis
from overtrick.event.place import Place
from overtrick.event.results import Judgement, JudgeResult, ResultRecorded, Suspicion, digest, status_basis
from overtrick.event.setup import ChangeSession, SetStatus, Status
from overtrick.event.state import Event

STATUS_ORDER = (Status.NOT_STARTED, Status.STARTED, Status.FINISHED)
"""The order in which a session passes through its states."""


@dataclass(frozen=True, slots=True)
class DueCommand:
    """A command that is due, with the id that every program computes for it."""

    command: Command
    command_id: str
    about: str
    """Its subject as a noun phrase, for the message if it is rejected."""


def due(
    session: Session, event: Event, *, others_tables: Tables = (), others_boards: Collection[Place] = ()
) -> list[DueCommand]:
    """Return the commands that are due now, in the order in which to execute them.

    `others_tables` are the tables that other control programs handle, `others_boards` the boards that were played
    there. A session that its event no longer has, or that is in the bin, gets no commands.
    """
    opened = session.opened
    if session.filing.is_binned or event.sessions.get(opened.session) != opened.incarnation:
        return []
    return [
        *_due_order(session, event),
        *_due_judgements(session),
        *_due_status(session, others_tables, others_boards),
    ]


def due_shutdowns(events: Mapping[str, Event], started: Mapping[str, datetime]) -> Iterator[DueCommand]:
    """Yield the shutdowns of running events whose club has started another one since: a club runs one at a time.

    `started` has the time of the last start of each event that was ever started.
    """
    last: dict[str, datetime] = {}
    for guid in events.keys() & started.keys():
        club = events[guid].club
        last[club] = max(started[guid], last.get(club, started[guid]))
    for guid, event in events.items():
        if event.is_running and started[guid] < last[event.club]:
            command_id = f"due/{event_stream(guid)}/shut-down/{event.order_count}"
            yield DueCommand(
                ContinueEvent(guid, (Order.SHUT_DOWN,)), command_id, "an event before the current one"
            )


def _command_id(session: Session, kind: str, number: int, *place: object) -> str:
    opened = session.opened
    where = "-".join(map(str, place))
    return "/".join(("due", session_stream(opened.session, opened.incarnation), kind, where, str(number)))


def _due_order(session: Session, event: Event) -> Iterator[DueCommand]:
    """Show the session in the app once for each order to do so."""
    if event.show_order > session.setup.order:
        command = ChangeSession(session.opened.session, shown_in_app=True, order=event.show_order)
        yield DueCommand(command, _command_id(session, "show", event.show_order), "shown in the app")


def _due_judgements(session: Session) -> Iterator[DueCommand]:
    """Mark results that look wrong, and remove marks whose reason no longer exists."""
    guid = session.opened.session
    for place, result in session.results.standing.items():
        suspicion = _suspicion_of(session, result)
        if suspicion is result.suspicion:
            continue
        times, basis = session.results.judged.get(place, Judgement())
        if not basis and result.suspicion is not Suspicion.NONE:
            continue  # decided by an older version, which did not store the basis
        current_basis = judgement_basis(session, result)
        if basis != current_basis:
            command = JudgeResult(guid, *place, suspicion, current_basis)
            yield DueCommand(command, _command_id(session, "judge", times, *place), "a suspicious result")


def _suspicion_of(session: Session, result: ResultRecorded) -> Suspicion:
    if doubts_about(session, result):
        return Suspicion.SUSPICIOUS
    # A confirmation stays, even if the doubt that it answered no longer exists.
    return Suspicion.CONFIRMED if result.suspicion is Suspicion.CONFIRMED else Suspicion.NONE


def _due_status(
    session: Session, others_tables: Tables, others_boards: Collection[Place]
) -> Iterator[DueCommand]:
    """Start the session with its first result, finish it with its last, and reopen it if a board is missing again."""
    setup, results = session.setup, session.results
    if not results.standing and not results.erased:
        return  # only a person starts or finishes a session in which nothing was played
    target = Status.FINISHED if is_finished(session, others_tables, others_boards) else Status.STARTED
    if target is setup.status:
        return
    current_basis = status_basis(session)
    if not setup.status_basis:
        if STATUS_ORDER.index(target) < STATUS_ORDER.index(setup.status):
            return  # decided by an older version: a person may have finished it
    elif setup.status_basis == current_basis or (
        not others_tables and setup.status_basis.startswith(f"{current_basis}/")
    ):
        # Decided on the same inputs by a person, or by a program that also sees the tables of others.
        return
    command = SetStatus(
        session.opened.session,
        target,
        f"{current_basis}/{digest(sorted(others_boards)) if others_tables else ''}",
    )
    yield DueCommand(
        command, _command_id(session, "status", setup.status_changes), "the status of the session"
    )


def deals_to_evaluate(session: Session) -> list[HandRecord]:
    """Return the hand records without a double dummy analysis; none of a session in the bin."""
    if session.filing.is_binned:
        return []
    return [record for record in session.hands.records.values() if record.tricks is None]


def evaluation(session: Session, record: HandRecord, tricks: Tricks) -> DueCommand:
    """Return the command that stores the double dummy tricks of a hand record."""
    key = record.group, record.board
    command = EvaluateHand(session.opened.session, *key, record.deal, tricks)
    number = session.hands.evaluations.get(key, 0)
    return DueCommand(command, _command_id(session, "evaluate", number, *key), "an evaluated deal")
