"""The commands that are due in a session: a function of the state, without a clock, randomness or I/O.

Any program evaluates it at any time, at every start and after every change, so nothing depends on having noticed the
change. Executing a command makes it no longer due. A decision of a person or of the scoring program stands until its
inputs change: the fact of a decision says which inputs it was based on (`results.status_basis`,
`hands.judgement_basis`), and as long as they are today's, nothing else is due. Several programs may look after one
session, so the id of a due command follows from the state too: it counts the decisions of its kind, because the same
inputs may come back and must then be decided again.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from overtrick.bridge import Tricks
from overtrick.directing.session_end import Tables, is_finished
from overtrick.directing.suspicion import doubts_about
from overtrick.event import Command, Session, session_stream
from overtrick.event.hands import EvaluateHand, HandRecord, judgement_basis
from overtrick.event.place import Place
from overtrick.event.results import Judgement, JudgeResult, ResultRecorded, Suspicion, digest, status_basis
from overtrick.event.setup import ChangeSession, SetStatus, Status
from overtrick.event.state import Event

RISING = (Status.NOT_STARTED, Status.STARTED, Status.FINISHED)
"""The order in which a session goes through its states."""


@dataclass(frozen=True, slots=True)
class DueCommand:
    """A command that is due, with the id that every program gives it."""

    command: Command
    command_id: str
    about: str
    """Its subject in words, for a message when it is rejected."""


def due(
    session: Session, event: Event, *, left: Tables = (), elsewhere: Collection[Place] = ()
) -> list[DueCommand]:
    """Return the commands that are due now, in the order in which to execute them.

    `left` are the tables that other control programs handle, and `elsewhere` the boards that these have played. A
    session that its event no longer has gets no commands.
    """
    opened = session.opened
    if event.sessions.get(opened.session) != opened.incarnation:
        return []
    return [
        *_due_order(session, event),
        *_due_judgements(session),
        *_due_status(session, left, elsewhere),
    ]


def _command_id(session: Session, kind: str, number: int, *place: object) -> str:
    opened = session.opened
    where = "-".join(map(str, place))
    return "/".join(("due", session_stream(opened.session, opened.incarnation), kind, where, str(number)))


def _due_order(session: Session, event: Event) -> Iterator[DueCommand]:
    """Follow the last order to show the session in the app, once."""
    if event.show_order > session.setup.order:
        command = ChangeSession(session.opened.session, shown_in_app=True, order=event.show_order)
        yield DueCommand(command, _command_id(session, "show", event.show_order), "shown in the app")


def _due_judgements(session: Session) -> Iterator[DueCommand]:
    """Mark results that look wrong, and take back marks whose reason has gone."""
    guid = session.opened.session
    for place, result in session.results.standing.items():
        wanted = _wanted_suspicion(session, result)
        if wanted is result.suspicion:
            continue
        times, basis = session.results.judged.get(place, Judgement())
        if not basis and result.suspicion is not Suspicion.NONE:
            continue  # a journal of before does not tell why it was judged so
        today = judgement_basis(session, result)
        if basis != today:
            command = JudgeResult(guid, *place, wanted, today)
            yield DueCommand(command, _command_id(session, "judge", times, *place), "a suspicious result")


def _wanted_suspicion(session: Session, result: ResultRecorded) -> Suspicion:
    if doubts_about(session, result):
        return Suspicion.SUSPICIOUS
    # Nobody takes back that a result is right because there is no doubt about it any more.
    return Suspicion.CONFIRMED if result.suspicion is Suspicion.CONFIRMED else Suspicion.NONE


def _due_status(session: Session, left: Tables, elsewhere: Collection[Place]) -> Iterator[DueCommand]:
    """Start the session with its first result, end it with its last, and go on when a board is missing again."""
    setup, results = session.setup, session.results
    if not results.standing and not results.erased:
        return  # only a person starts or ends a session in which nothing was played
    wanted = Status.FINISHED if is_finished(session, left, elsewhere) else Status.STARTED
    if wanted is setup.status:
        return
    today = status_basis(session)
    if not setup.status_basis:
        if RISING.index(wanted) < RISING.index(setup.status):
            return  # a journal of before does not tell whether somebody ended it
    elif setup.status_basis == today or (not left and setup.status_basis.startswith(f"{today}/")):
        # Somebody has decided so, or a program that knows more: the boards of tables that others handle.
        return
    command = SetStatus(
        session.opened.session, wanted, f"{today}/{digest(sorted(elsewhere)) if left else ''}"
    )
    yield DueCommand(
        command, _command_id(session, "status", setup.status_changes), "the status of the session"
    )


def deals_to_evaluate(session: Session) -> list[HandRecord]:
    """Return the hand records whose makeable tricks have still to be worked out."""
    return [record for record in session.hands.records.values() if record.tricks is None]


def evaluation(session: Session, record: HandRecord, tricks: Tricks) -> DueCommand:
    """Return the command that notes the makeable tricks of a hand record."""
    key = record.group, record.board
    command = EvaluateHand(session.opened.session, *key, record.deal, tricks)
    number = session.hands.evaluations.get(key, 0)
    return DueCommand(command, _command_id(session, "evaluate", number, *key), "an evaluated deal")
