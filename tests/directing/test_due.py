"""Due commands follow from the state, and a decision stands until its inputs change."""

import random
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.bridge import Card, Deal, Outcome, Tricks
from overtrick.directing import deals_to_evaluate, due, evaluation
from overtrick.event import (
    Command,
    ContinueEvent,
    Fact,
    JournalState,
    OpenEvent,
    Order,
    Rejection,
    Session,
    decide,
)
from overtrick.event.hands import HandRecord, PutHandRecords
from overtrick.event.movement import ReplaceRounds, SetWaiting
from overtrick.event.place import Place
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    JudgeResult,
    Origin,
    PutResults,
    ResultEntry,
    ResultJudged,
    Suspicion,
    status_basis,
)
from overtrick.event.setup import ChangeSession, SetStatus, Status, StatusChanged
from overtrick.event.state import Event
from tests.event.evenings import NOON, SESSION, entry, plan, rounds

# North-South make ten tricks in spades and little else; East-West the rest.
TRICKS = Tricks.parse("7a7677a7675357653576")
DEAL = Deal.dealt_by(random.Random(1))
OTHER_DEAL = Deal.dealt_by(random.Random(2))
FIRST: Place = ("A", 1, 1, 1)
BOARDS = [
    (table, number, board)
    for table in (1, 2)
    for number in (1, 2, 3)
    for board in range(4 * number - 3, 4 * number + 1)
]


@dataclass
class Journal:
    """A journal state and the command ids that it has seen, as a journal keeps them."""

    journal_state: JournalState = field(default_factory=JournalState)
    facts: list[Fact] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def do(self, command: Command, command_id: str = "") -> list[Fact]:
        """Carry out a command; a command id that is known, or a rejection, writes nothing."""
        decided = decide(self.journal_state, command)
        if isinstance(decided, Rejection) or command_id in self.known or not decided:
            return []
        if command_id:
            self.known.add(command_id)
        made = [each.fact for each in decided]
        for each in decided:
            self.journal_state.apply(each.stream, each.fact)
        self.facts += made
        return made

    @property
    def session(self) -> Session:
        session = self.journal_state.session(SESSION)
        assert session is not None
        return session

    @property
    def event(self) -> Event:
        return self.journal_state.events[SESSION]

    def status(self) -> Status:
        return self.session.setup.status

    def suspicion(self, place: Place = FIRST) -> Suspicion:
        return self.session.results.standing[place].suspicion

    def settle(self) -> list[Fact]:
        """Execute what is due, until nothing is; the facts that it made."""
        made: list[Fact] = []
        for _ in range(3):
            found = due(self.session, self.event)
            if not found:
                return made
            for each in found:
                made += self.do(each.command, each.command_id)
        raise AssertionError(f"still due: {due(self.session, self.event)}")


def opened(*orders: Order) -> Journal:
    journal = Journal()
    journal.do(OpenEvent(SESSION, (plan(),), orders=orders))
    return journal


def play(journal: Journal, *boards: tuple[int, int, int], outcome: str = "NP") -> None:
    for board in boards:
        assert journal.do(EnterResult(SESSION, entry(*board, outcome)))


def suspicious() -> Journal:
    """A contract of East-West that only North-South can make."""
    journal = opened()
    journal.do(PutHandRecords(SESSION, (HandRecord(1, 1, DEAL, TRICKS),)))
    play(journal, (1, 1, 1), outcome="4SE=")
    return journal


# Status -----------------------------------------------------------------------------------------------------


def test_status_follows_the_results() -> None:
    journal = opened()
    assert due(journal.session, journal.event) == []
    play(journal, BOARDS[0])
    journal.settle()
    assert journal.status() is Status.STARTED
    play(journal, *BOARDS[1:])
    assert len(journal.settle()) == 1
    assert journal.status() is Status.FINISHED
    journal.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    journal.settle()
    assert journal.status() is Status.STARTED
    play(journal, BOARDS[0])
    journal.settle()
    assert journal.status() is Status.FINISHED


def test_a_full_session_that_was_never_started_is_finished_at_once() -> None:
    journal = opened()
    play(journal, *BOARDS)
    assert [type(fact) for fact in journal.settle()] == [StatusChanged]
    assert journal.status() is Status.FINISHED


def test_a_session_with_a_table_that_waits_is_not_finished() -> None:
    journal = opened()
    play(journal, *BOARDS)
    journal.do(SetWaiting(SESSION, "A", 1, True))
    journal.settle()
    assert journal.status() is Status.STARTED
    journal.do(SetWaiting(SESSION, "A", 1, False))
    journal.settle()
    assert journal.status() is Status.FINISHED


def test_a_session_ended_early_stays_ended_until_a_board_gets_its_first_result() -> None:
    journal = opened()
    play(journal, *BOARDS[:5])
    journal.settle()
    journal.do(SetStatus(SESSION, Status.FINISHED))
    assert journal.settle() == []
    journal.do(CorrectResult(SESSION, entry(1, 1, 1, "1NTN="), Origin.DESK))
    assert journal.settle() == [], "a corrected result is not a new one"
    play(journal, BOARDS[5])
    journal.settle()
    assert journal.status() is Status.STARTED


def test_a_session_ended_early_goes_on_when_it_gets_other_rounds() -> None:
    journal = opened()
    play(journal, *BOARDS[:5])
    journal.do(SetStatus(SESSION, Status.FINISHED))
    journal.do(ReplaceRounds(SESSION, "A", 2, 4, rounds((2, 3, 13))))
    journal.settle()
    assert journal.status() is Status.STARTED


def test_a_reopened_session_stays_open_until_a_result_is_erased_and_entered_again() -> None:
    journal = opened()
    play(journal, *BOARDS)
    journal.settle()
    journal.do(SetStatus(SESSION, Status.STARTED))
    assert journal.settle() == []
    journal.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    assert journal.settle() == []
    play(journal, BOARDS[0])
    journal.settle()
    assert journal.status() is Status.FINISHED


def test_a_session_started_by_hand_stays_started_without_results() -> None:
    journal = opened()
    journal.do(SetStatus(SESSION, Status.STARTED))
    journal.do(ReplaceRounds(SESSION, "A", 2, 4, rounds((2, 3, 13))))
    assert journal.settle() == []


def test_a_person_who_decides_while_the_command_is_on_its_way_wins() -> None:
    journal = opened()
    play(journal, *BOARDS)
    (late,) = due(journal.session, journal.event)
    journal.do(SetStatus(SESSION, Status.STARTED))
    assert journal.do(late.command, late.command_id) == []
    assert journal.settle() == []
    assert journal.status() is Status.STARTED


def test_a_command_that_was_due_for_other_inputs_changes_nothing() -> None:
    journal = opened()
    play(journal, *BOARDS)
    (late,) = due(journal.session, journal.event)
    journal.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    assert journal.do(late.command, late.command_id) == []
    journal.settle()
    assert journal.status() is Status.STARTED


def test_status_of_an_older_journal_without_a_basis_only_rises() -> None:
    journal = opened()
    play(journal, *BOARDS[:3])
    stream = journal.journal_state.stream(SESSION)
    assert stream is not None
    journal.journal_state.apply(stream, StatusChanged(Status.FINISHED))
    assert due(journal.session, journal.event) == []
    journal.journal_state.apply(stream, StatusChanged(Status.NOT_STARTED))
    journal.settle()
    assert journal.status() is Status.STARTED


def test_boards_of_other_computers_finish_a_session_and_a_program_that_does_not_know_them_leaves_it() -> None:
    journal = opened()
    ours = [board for board in BOARDS if board[0] == 1]
    theirs = {("A", *board) for board in BOARDS if board[0] == 2}
    left = {("A", 2)}
    play(journal, *ours)
    for elsewhere, wanted in (
        (set(), Status.STARTED),
        (theirs, Status.FINISHED),
        (set(), Status.STARTED),
        (theirs, Status.FINISHED),
    ):
        (found,) = due(journal.session, journal.event, others_tables=left, others_boards=elsewhere)
        assert journal.do(found.command, found.command_id)
        assert journal.status() is wanted
        assert due(journal.session, journal.event, others_tables=left, others_boards=elsewhere) == []
        assert due(journal.session, journal.event) == [], "the desk does not see the other computer's boards"


def test_a_program_that_does_not_know_other_computers_does_not_keep_one_that_does_from_finishing() -> None:
    journal = opened()
    play(journal, *(board for board in BOARDS if board[0] == 1))
    journal.settle()
    theirs = {("A", *board) for board in BOARDS if board[0] == 2}
    (found,) = due(journal.session, journal.event, others_tables={("A", 2)}, others_boards=theirs)
    assert journal.do(found.command, found.command_id)
    assert journal.status() is Status.FINISHED
    # A person's decision stands, whatever other computers have.
    journal.do(SetStatus(SESSION, Status.STARTED))
    assert due(journal.session, journal.event, others_tables={("A", 2)}, others_boards=theirs) == []


# Suspicion --------------------------------------------------------------------------------------------------


def test_a_suspicious_result_is_marked_once() -> None:
    journal = suspicious()
    marks = [fact for fact in journal.settle() if isinstance(fact, ResultJudged)]
    assert [fact.suspicion for fact in marks] == [Suspicion.SUSPICIOUS]


def test_a_confirmed_result_stays_confirmed_until_it_is_corrected() -> None:
    journal = suspicious()
    journal.settle()
    journal.do(JudgeResult(SESSION, *FIRST, Suspicion.CONFIRMED))
    assert journal.settle() == []
    journal.do(CorrectResult(SESSION, entry(1, 1, 1, "7NTE="), Origin.DESK))
    journal.settle()
    assert journal.suspicion() is Suspicion.SUSPICIOUS
    journal.do(CorrectResult(SESSION, entry(1, 1, 1, "NP"), Origin.DESK))
    assert journal.settle() == []
    assert journal.suspicion() is Suspicion.NONE


def test_a_result_that_was_confirmed_before_it_was_marked_stays_confirmed() -> None:
    journal = suspicious()
    found = due(journal.session, journal.event)
    journal.do(JudgeResult(SESSION, *FIRST, Suspicion.CONFIRMED))
    for late in found:
        journal.do(late.command, late.command_id)
    journal.settle()
    assert journal.suspicion() is Suspicion.CONFIRMED


def test_a_result_that_a_person_cleared_stays_clear_until_its_deal_changes() -> None:
    journal = suspicious()
    journal.settle()
    journal.do(JudgeResult(SESSION, *FIRST, Suspicion.NONE))
    assert journal.settle() == []
    journal.do(PutHandRecords(SESSION, (HandRecord(1, 1, OTHER_DEAL, TRICKS),)))
    journal.settle()
    assert journal.suspicion() is Suspicion.SUSPICIOUS


def test_a_result_that_only_a_person_doubts_stays_marked_until_its_lead_changes() -> None:
    journal = opened()
    journal.do(PutHandRecords(SESSION, (HandRecord(1, 1, DEAL, TRICKS),)))
    play(journal, (1, 1, 1), outcome="4SN=")
    journal.settle()
    journal.do(JudgeResult(SESSION, *FIRST, Suspicion.SUSPICIOUS))
    assert journal.settle() == []
    held = next(card for card in Card if card in DEAL[Outcome.parse("4SN=").contract.declarer.next])  # type: ignore[attr-defined]
    led = ResultEntry(*FIRST, Outcome.parse("4SN="), NOON, lead=held)
    journal.do(CorrectResult(SESSION, led, Origin.DESK))
    journal.settle()
    assert journal.suspicion() is Suspicion.NONE


def test_a_mark_is_taken_back_with_its_reason_and_comes_back_with_it() -> None:
    journal = suspicious()
    journal.settle()
    for _ in range(2):
        journal.do(CorrectResult(SESSION, entry(1, 1, 1, "4SN="), Origin.DESK))
        journal.settle()
        assert journal.suspicion() is Suspicion.NONE
        journal.do(CorrectResult(SESSION, entry(1, 1, 1, "4SE="), Origin.DESK))
        journal.settle()
        assert journal.suspicion() is Suspicion.SUSPICIOUS
    plain = Tricks.parse("7777777777aaaaaaaaaa")
    for tricks, wanted in ((plain, Suspicion.NONE), (TRICKS, Suspicion.SUSPICIOUS), (plain, Suspicion.NONE)):
        journal.do(PutHandRecords(SESSION, (HandRecord(1, 1, DEAL, tricks),)))
        journal.settle()
        assert journal.suspicion() is wanted


def test_marks_of_an_older_journal_without_a_basis_are_kept() -> None:
    for judged in (Suspicion.CONFIRMED, Suspicion.SUSPICIOUS):
        journal = suspicious()
        stream = journal.journal_state.stream(SESSION)
        assert stream is not None
        journal.journal_state.apply(stream, ResultJudged(*FIRST, judged))
        journal.do(PutHandRecords(SESSION, (HandRecord(1, 1, OTHER_DEAL, TRICKS),)))
        journal.settle()
        assert journal.suspicion() is judged


def test_a_correction_without_a_mark_decides_nothing() -> None:
    journal = opened()
    journal.do(PutHandRecords(SESSION, (HandRecord(1, 1, DEAL, TRICKS),)))
    journal.do(PutResults(SESSION, (entry(1, 1, 1, "4SE="),)))
    assert journal.do(JudgeResult(SESSION, *FIRST, Suspicion.NONE)) == []
    journal.settle()
    assert journal.suspicion() is Suspicion.SUSPICIOUS


# Deals ------------------------------------------------------------------------------------------------------


def test_a_deal_is_evaluated_again_when_it_comes_back() -> None:
    journal = opened()
    for deal in (DEAL, OTHER_DEAL, DEAL):
        journal.do(PutHandRecords(SESSION, (HandRecord(1, 1, deal),)))
        (record,) = deals_to_evaluate(journal.session)
        found = evaluation(journal.session, record, TRICKS)
        assert journal.do(found.command, found.command_id)
        assert journal.do(found.command, found.command_id) == []
        assert deals_to_evaluate(journal.session) == []


# Orders -----------------------------------------------------------------------------------------------------


def is_shown(journal: Journal) -> bool:
    return journal.session.opened.shown_in_app


def test_an_order_to_show_a_session_is_followed_once() -> None:
    journal = opened(Order.START, Order.SHOW_IN_APP)
    journal.settle()
    assert is_shown(journal)
    journal.do(ChangeSession(SESSION, shown_in_app=False))
    assert journal.settle() == []
    assert not is_shown(journal)
    journal.do(ContinueEvent(SESSION, (Order.SHOW_IN_APP,)))
    journal.settle()
    assert is_shown(journal)


def test_an_order_to_show_a_session_that_is_shown_is_followed_too() -> None:
    journal = opened(Order.START)
    journal.do(ChangeSession(SESSION, shown_in_app=True))
    journal.do(ContinueEvent(SESSION, (Order.SHOW_IN_APP,)))
    journal.settle()
    journal.do(ChangeSession(SESSION, shown_in_app=False))
    assert journal.settle() == []
    assert not is_shown(journal)


def test_a_session_hidden_after_the_order_stays_hidden_though_nobody_followed_it() -> None:
    journal = opened(Order.START, Order.SHOW_IN_APP)
    journal.do(ChangeSession(SESSION, shown_in_app=True))
    journal.do(ContinueEvent(SESSION, (Order.SHOW_IN_APP,)))
    (late,) = due(journal.session, journal.event)
    journal.do(ChangeSession(SESSION, shown_in_app=False))
    assert journal.do(late.command, late.command_id) == []
    assert journal.settle() == []
    assert not is_shown(journal)


def test_an_order_given_before_the_last_start_or_the_end_is_never_due() -> None:
    for later in (Order.START, Order.SHUT_DOWN):
        journal = opened(Order.START, Order.SHOW_IN_APP, Order.LOG_EVERYTHING)
        assert journal.event.logs_everything
        journal.do(ContinueEvent(SESSION, (later,)))
        assert journal.settle() == []
        assert not is_shown(journal)
        assert not journal.event.logs_everything


def test_a_session_that_its_event_was_opened_anew_without_gets_no_commands() -> None:
    journal = opened()
    play(journal, *BOARDS)
    journal.do(OpenEvent(SESSION, (plan("F" * 32),)))
    assert due(journal.session, journal.event) == []


# Everything together ----------------------------------------------------------------------------------------

Board = tuple[int, int, int]


def _judge(at: Board, judged: Suspicion) -> Command:
    return JudgeResult(SESSION, "A", *at, judged)


def _put(every: list[Board], outcome: str) -> Command:
    return PutResults(SESSION, tuple(entry(*at, outcome) for at in every))


def _enter(at: Board, outcome: str) -> Command:
    return EnterResult(SESSION, entry(*at, outcome))


def _correct(at: Board, outcome: str) -> Command:
    return CorrectResult(SESSION, entry(*at, outcome), Origin.DESK)


def _erase(at: Board) -> Command:
    return EraseResult(SESSION, "A", *at, Origin.DESK)


boards = st.sampled_from(BOARDS)
outcomes = st.sampled_from(("NP", "4SE=", "4SN=", "7NTE=", "7NTE-6"))
suspicions = st.sampled_from(Suspicion)
tricks = st.sampled_from((None, TRICKS, Tricks.parse("7777777777aaaaaaaaaa")))
people = st.one_of(
    st.builds(lambda status: SetStatus(SESSION, status), st.sampled_from(Status)),
    st.builds(_judge, boards, suspicions),
    st.builds(lambda shown: ChangeSession(SESSION, shown_in_app=shown), st.booleans()),
)
changes = st.one_of(
    st.builds(_put, st.sampled_from((BOARDS, BOARDS[:3], BOARDS[1:], BOARDS[5:6])), outcomes),
    st.builds(_enter, boards, outcomes),
    st.builds(_correct, boards, outcomes),
    st.builds(_erase, boards),
    st.builds(
        lambda board, deal, known: PutHandRecords(SESSION, (HandRecord(1, board, deal, known),)),
        st.integers(1, 12),
        st.sampled_from((DEAL, OTHER_DEAL)),
        tricks,
    ),
    st.builds(
        lambda table, waits: SetWaiting(SESSION, "A", table, waits), st.sampled_from((1, 2)), st.booleans()
    ),
    st.builds(
        lambda orders: ContinueEvent(SESSION, orders),
        st.sets(st.sampled_from((Order.START, Order.SHOW_IN_APP, Order.SHUT_DOWN))).map(tuple),
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(("change", "person", "late")), st.data()), min_size=1, max_size=12))
def test_executing_what_is_due_leaves_nothing_due_and_a_person_wins(
    steps: list[tuple[str, st.DataObject]],
) -> None:
    journal = opened(Order.START)
    late: list[tuple[Command, str]] = []
    for kind, data in steps:
        if kind == "late":
            # Another program, which was busy, executes what it found due before.
            late += [(each.command, each.command_id) for each in due(journal.session, journal.event)]
            continue
        command = data.draw(people if kind == "person" else changes)
        is_decided = bool(journal.do(command))
        for each, command_id in late if data.draw(st.booleans()) else ():
            journal.do(each, command_id)
        journal.settle()
        assert due(journal.session, journal.event) == []
        if kind == "person" and is_decided:
            session = journal.session
            if isinstance(command, SetStatus):
                assert session.setup.status is command.status
            elif isinstance(command, ChangeSession):
                assert session.opened.shown_in_app is command.shown_in_app
            elif isinstance(command, JudgeResult):
                place = command.section, command.table, command.round, command.board
                assert journal.suspicion(place) is command.suspicion
    before = len(journal.facts)
    for each, command_id in late:
        journal.do(each, command_id)
    journal.settle()
    assert not any(isinstance(fact, StatusChanged | ResultJudged) for fact in journal.facts[before:])


def test_the_same_command_of_two_programs_is_written_once() -> None:
    journal = suspicious()
    found = due(journal.session, journal.event)
    again = due(journal.session, journal.event)
    assert found == again
    assert [bool(journal.do(each.command, each.command_id)) for each in (*found, *again)] == [True] * len(
        found
    ) + [False] * len(again)


def test_the_inputs_of_a_status_are_the_same_after_a_replay() -> None:
    journal = opened()
    play(journal, *BOARDS[:3])
    journal.do(EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    again = journal.session.after(())
    assert status_basis(again) == status_basis(journal.session)
