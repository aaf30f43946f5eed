"""Random commands at `decide`: whatever it is asked, the state keeps its rules, and the facts make it again."""

from collections import Counter
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.bridge import AWARDS, Card, Deal, NotPlayed, Outcome, PassedOut, Seat, Side, Tricks, Undecided
from overtrick.event import (
    AddSession,
    Command,
    ContinueEvent,
    JournalState,
    OpenEvent,
    Rejection,
    SessionPlan,
    SessionTransaction,
    StreamFact,
    decide,
    event_stream,
    fold,
)
from overtrick.event.calls import AnswerCall, CallDirector, CallStatus, WithdrawCall
from overtrick.event.clock import AddTime, PauseClock, ResumeClock, SetTiming, StartClock, StopClock
from overtrick.event.filing import FileSession, Filing
from overtrick.event.hands import EvaluateHand, HandRecord, PutHandRecords
from overtrick.event.movement import (
    DropSection,
    DropTable,
    ReplaceRounds,
    Round,
    SectionPlan,
    SetMovement,
    SetWaiting,
    TablePlan,
)
from overtrick.event.recording import EnterContract, RecordCall, RecordCard
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    JudgeResult,
    Origin,
    PutResults,
    ResultEntry,
    Suspicion,
)
from overtrick.event.rulings import (
    AdjustmentUnit,
    AdjustScore,
    Appeal,
    BoardVersion,
    ChooseRules,
    ContestantStatus,
    FoulBoard,
    MoveResult,
    NoteRuling,
    RuleMatch,
    SetContestantStatus,
    SetCorrectionPeriod,
    WithdrawAdjustment,
)
from overtrick.event.seating import (
    Participation,
    PutParticipations,
    PutPlayers,
    SessionPlayer,
    SwapPlayers,
    line_up,
)
from overtrick.event.session import Session
from overtrick.event.settings import PutSettings, SettingsII, SettingsIII
from overtrick.event.setup import (
    ChangeSession,
    ClearQueues,
    Combi,
    GameKind,
    Generation,
    GroupPlan,
    SetGroups,
    SetStatus,
    Status,
)
from overtrick.event.tables import LogOff, LogOn, ResetTable
from overtrick.scoring import Method
from overtrick.scoring.rules import EBU, WBF
from tests.event.evenings import NOON

SESSIONS = ("A" * 32, "B" * 32)
EVENT = "E" * 32
DEALS = (
    Deal.parse("N:AKQJ.T987.654.32 T987.654.32.AKQJ 654.32.AKQJ.T987 32.AKQJ.T987.654"),
    Deal.parse("N:32.AKQJ.T987.654 AKQJ.T987.654.32 T987.654.32.AKQJ 654.32.AKQJ.T987"),
)

# Mostly what is there, so that most commands get far, and now and then what is not.
sessions = st.sampled_from((*SESSIONS[:1] * 6, SESSIONS[1]))
letters = st.sampled_from([*"AAAAAAAA", "B", "B", "CC", "AB", ""])
table_numbers = st.sampled_from([1, 1, 1, 1, 2, 2, 2, 3, 0])
round_numbers = st.sampled_from([1, 1, 1, 1, 2, 2, 2, 0, 3])
board_numbers = st.sampled_from([1, 1, 2, 2, 3, 4, 1, 2, 3, 5, 0])
group_numbers = st.sampled_from([1, 1, 1, 2, 2, 3, 0])
outcomes = st.one_of(
    st.sampled_from([*AWARDS, PassedOut(), NotPlayed(), Undecided()]),
    st.sampled_from(["4SxN+1", "3NTW=", "1HS-2", "7NTE-13"]).map(Outcome.parse),
)
boards = st.one_of(
    st.sampled_from([(1, 2), (3, 4), (1, 2, 3), (2, 5), ()]),
    st.lists(board_numbers, max_size=3).map(tuple),
)
one_round = st.builds(
    Round,
    ns=st.integers(0, 4),
    ew=st.integers(0, 6),
    boards=boards,
)
some_rounds = st.lists(one_round, max_size=3).map(tuple)
table_plans = st.builds(
    TablePlan,
    table=table_numbers,
    rounds=some_rounds,
    first=st.sampled_from([1, 1, 1, 2, 3]),
    group=st.sampled_from([None, None, 0, 5, 128]),
)
good_table_plans = st.sampled_from(
    [
        (
            TablePlan(1, (Round(1, 2, (1, 2)), Round(1, 3, (3, 4)))),
            TablePlan(2, (Round(3, 4, (1, 2)), Round(4, 2, (3, 4)))),
        ),
        (
            TablePlan(1, (Round(1, 1, (1, 2)), Round(1, 2, (3, 4)))),
            TablePlan(2, (Round(2, 2, (3, 4)), Round(2, 1, (1, 2)))),
        ),
        (TablePlan(1, (Round(1, 2, (1, 2)), Round(0, 3), Round(0, 0))),),
    ]
)
section_plans = st.builds(
    SectionPlan,
    section=letters,
    group=group_numbers,
    winners=st.sampled_from([0, 1, 1, 2, 3]),
    game=st.sampled_from([GameKind.PAIRS, GameKind.PAIRS, GameKind.TEAMS, GameKind.INDIVIDUAL]),
    missing_pair=st.sampled_from([0, 0, 3, -2]),
    ew_moves=st.sampled_from([0, 0, 1, -1]),
    combi=st.sampled_from([*[None] * 8, Combi("A", "B"), Combi("A", "A")]),
    id=st.sampled_from([0, 0, 0, 0, 0, 1, 79]),
)
entries = st.builds(
    ResultEntry,
    section=letters,
    table=table_numbers,
    round=round_numbers,
    board=board_numbers,
    outcome=outcomes,
    at=st.just(NOON),
    side=st.sampled_from([None, None, Side.NS, Side.EW]),
    lead=st.sampled_from([None, Card("SA")]),
    is_wrong_direction=st.booleans(),
    ns=st.sampled_from([*[None] * 6, 1, 2]),
    ew=st.sampled_from([*[None] * 6, 2, 3]),
)
players = st.builds(
    SessionPlayer,
    number=st.sampled_from(["1", "01", "2", "3", ""]),
    first_name=st.sampled_from(["", "Ann"]),
    last_name=st.just("Bo"),
)
participations = st.builds(
    Participation,
    section=letters,
    table=table_numbers,
    seat=st.sampled_from(list(Seat)),
    number=st.sampled_from(["1", "01", "2", "3", "", "9"]),
    last_name=st.sampled_from(["", "Bo"]),
    round=round_numbers,
    is_removal=st.sampled_from([False, False, False, True]),
)
hand_records = st.builds(
    HandRecord,
    group=group_numbers,
    board=board_numbers,
    deal=st.sampled_from(DEALS),
    tricks=st.sampled_from([None, Tricks((7,) * 20)]),
)
group_plans = st.builds(
    GroupPlan,
    number=group_numbers,
    method=st.sampled_from([Method.MATCHPOINTS, Method.BUTLER]),
    sections=st.lists(letters, max_size=2, unique=True).map(tuple),
    is_dropped=st.sampled_from([False, False, True]),
)
place = {"section": letters, "table": table_numbers, "round": round_numbers, "board": board_numbers}
who = {
    "session": sessions,
    "section": st.sampled_from(["A", "A", "A", "A", "B", ""]),
    "number": st.integers(0, 5),
    "side": st.sampled_from([None, None, None, Side.NS, Side.EW]),
}
reasons = st.sampled_from(["Slow play", "Slow play", ""])
rulings: st.SearchStrategy[Command] = st.one_of(
    st.builds(
        ChooseRules,
        session=sessions,
        group=group_numbers,
        rules=st.sampled_from([WBF, EBU]),
        pairs_vps=st.booleans(),
    ),
    st.builds(
        AdjustScore,
        **who,
        amount=st.sampled_from([Decimal(-10), Decimal("2.5"), Decimal(0)]),
        unit=st.sampled_from(AdjustmentUnit),
        reason=reasons,
        at=st.just(NOON),
        board=st.none() | board_numbers,
    ),
    st.builds(WithdrawAdjustment, session=sessions, adjustment=st.integers(0, 3), at=st.just(NOON)),
    st.builds(
        FoulBoard,
        session=sessions,
        board=board_numbers,
        versions=st.lists(
            st.builds(
                BoardVersion,
                name=st.sampled_from(["turned", ""]),
                tables=st.lists(st.tuples(letters, table_numbers, round_numbers), max_size=2).map(tuple),
            ),
            max_size=2,
        ).map(tuple),
        reason=reasons,
    ),
    st.builds(SetContestantStatus, **who, status=st.sampled_from(ContestantStatus), reason=reasons),
    st.builds(
        NoteRuling,
        session=sessions,
        **place,
        reason=reasons,
        at=st.just(NOON),
        appeal=st.sampled_from(Appeal),
        table_result=st.none() | outcomes,
    ),
    st.builds(
        RuleMatch,
        session=sessions,
        round=round_numbers,
        one=st.just(("", 1, None)),
        other=st.sampled_from([("", 2, None), ("", 3, None)]),
        reason=reasons,
        is_void=st.booleans(),
        points=st.sampled_from([None, (Decimal(12), Decimal(0))]),
        boards=st.sampled_from([None, None, 2]),
    ),
    st.builds(SetCorrectionPeriod, session=sessions, until=st.sampled_from([None, NOON])),
    st.builds(
        MoveResult,
        session=sessions,
        **place,
        origin=st.sampled_from(Origin),
        at=st.just(NOON),
        to_board=st.none() | board_numbers,
        to_round=st.none() | round_numbers,
        is_exchange=st.booleans(),
        is_wrong_direction=st.sampled_from([None, True, False]),
    ),
)
at_table = {"session": sessions, "section": letters, "table": table_numbers}

session_commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(FileSession, session=sessions, filing=st.sampled_from(Filing)),
    st.builds(ChangeSession, session=sessions, across_field=st.sampled_from([None, True, False])),
    st.builds(SetStatus, session=sessions, status=st.sampled_from(Status)),
    st.builds(SetGroups, session=sessions, groups=st.lists(group_plans, max_size=3).map(tuple)),
    st.builds(
        SetMovement, session=sessions, plan=section_plans, tables=st.lists(table_plans, max_size=3).map(tuple)
    ),
    st.builds(
        SetMovement,
        session=sessions,
        plan=st.builds(
            SectionPlan,
            section=st.sampled_from(["A", "B"]),
            group=st.just(1),
            winners=st.sampled_from([1, 2]),
        ),
        tables=good_table_plans,
    ),
    st.builds(
        ReplaceRounds,
        **at_table,
        first=st.integers(0, 3),
        rounds=some_rounds,
        is_waiting=st.sampled_from([None, True, False]),
    ),
    st.builds(DropTable, **at_table),
    st.builds(DropSection, session=sessions, section=letters),
    st.builds(SetWaiting, **at_table, is_waiting=st.booleans()),
    st.builds(PutPlayers, session=sessions, players=st.lists(players, max_size=3).map(tuple)),
    st.builds(
        PutParticipations,
        session=sessions,
        participations=st.lists(participations, max_size=3).map(tuple),
        must_be_known=st.booleans(),
    ),
    st.builds(SwapPlayers, **at_table, round=round_numbers, side=st.sampled_from(Side)),
    st.builds(EnterResult, session=sessions, entry=entries),
    st.builds(PutResults, session=sessions, entries=st.tuples(entries)),
    st.builds(
        PutParticipations,
        session=sessions,
        participations=st.tuples(participations),
        must_be_known=st.just(False),
    ),
    st.builds(SetMovement, session=sessions, plan=section_plans, tables=st.tuples(table_plans)),
    st.builds(EnterResult, session=sessions, entry=entries, incarnation=st.sampled_from([None, None, 1, 2])),
    st.builds(
        CorrectResult,
        session=sessions,
        entry=entries,
        origin=st.sampled_from(Origin),
        was=st.none() | outcomes,
    ),
    st.builds(PutResults, session=sessions, entries=st.lists(entries, max_size=4).map(tuple)),
    st.builds(EraseResult, session=sessions, **place, origin=st.sampled_from(Origin)),
    st.builds(JudgeResult, session=sessions, **place, suspicion=st.sampled_from(Suspicion)),
    st.builds(EnterContract, session=sessions, **place, contract=st.just("4SN"), at=st.just(NOON)),
    st.builds(
        RecordCall,
        session=sessions,
        **place,
        counter=st.integers(1, 3),
        seat=st.sampled_from(Seat),
        call=st.just("1C"),
        at=st.just(NOON),
        is_erased=st.booleans(),
    ),
    st.builds(
        RecordCard,
        session=sessions,
        **place,
        counter=st.integers(1, 3),
        seat=st.sampled_from(Seat),
        card=st.just("Sx"),
        at=st.just(NOON),
        is_erased=st.booleans(),
    ),
    st.builds(PutHandRecords, session=sessions, records=st.lists(hand_records, max_size=2).map(tuple)),
    st.builds(
        EvaluateHand,
        session=sessions,
        group=group_numbers,
        board=board_numbers,
        deal=st.sampled_from(DEALS),
        tricks=st.just(Tricks((8,) * 20)),
    ),
    st.builds(
        PutSettings,
        session=sessions,
        settings=st.lists(
            st.tuples(
                letters, st.sampled_from([SettingsII(), SettingsIII(volume=9), SettingsIII(pin="1234")])
            ),
            max_size=2,
        ).map(tuple),
    ),
    st.builds(CallDirector, **at_table, call=st.sampled_from("xyz"), at=st.just(NOON)),
    st.builds(WithdrawCall, **at_table, call=st.sampled_from("xyz"), at=st.just(NOON)),
    st.builds(
        AnswerCall,
        session=sessions,
        call=st.sampled_from("xyz"),
        status=st.sampled_from(CallStatus),
        at=st.just(NOON),
    ),
    st.builds(
        LogOn, **at_table, terminal=st.sampled_from(["p", "q"]), at=st.just(NOON), takes_over=st.booleans()
    ),
    st.builds(LogOff, **at_table, at=st.just(NOON)),
    st.builds(StartClock, session=sessions, at=st.just(NOON), round=round_numbers),
    st.sampled_from(
        [
            SetTiming(SESSIONS[0], 420, 90, (240,)),
            PauseClock(SESSIONS[0], NOON),
            ResumeClock(SESSIONS[0], NOON),
            AddTime(SESSIONS[0], -60),
            StopClock(SESSIONS[0]),
        ]
    ),
    st.builds(ResetTable, **at_table, at=st.just(NOON)),
    *[rulings] * 4,
)
session_plans = st.builds(
    SessionPlan,
    session=sessions,
    name=st.just("Evening"),
    day=st.just(date(2024, 6, 3)),
    groups=st.lists(
        st.builds(GroupPlan, number=st.integers(1, 3), method=st.just(Method.MATCHPOINTS)),
        min_size=1,
        max_size=2,
    ).map(tuple),
    sections=st.lists(
        st.tuples(
            st.builds(
                SectionPlan,
                section=st.sampled_from(["A", "B", "CC"]),
                group=st.integers(1, 2),
                winners=st.sampled_from([0, 1, 2]),
            ),
            good_table_plans,
        ),
        max_size=2,
    ).map(tuple),
    across_field=st.sampled_from([False, False, True]),
    generation=st.sampled_from([None, Generation.II]),
)
commands: st.SearchStrategy[Command] = st.one_of(
    session_commands,
    session_commands,
    session_commands,
    st.builds(
        SessionTransaction, session=sessions, commands=st.lists(session_commands, max_size=3).map(tuple)
    ),
    st.builds(OpenEvent, event=st.just(EVENT), sessions=st.lists(session_plans, max_size=2).map(tuple)),
    st.builds(AddSession, event=st.just(EVENT), plan=session_plans),
    st.builds(ContinueEvent, event=st.just(EVENT)),
    st.builds(ClearQueues, club=st.sampled_from(["", "club 1"])),
)

FIRST = OpenEvent(
    EVENT,
    (
        SessionPlan(
            SESSIONS[0],
            "Evening",
            date(2024, 6, 3),
            (GroupPlan(1, Method.MATCHPOINTS),),
            (
                (
                    SectionPlan("A", 1, 1),
                    (
                        TablePlan(1, (Round(1, 2, (1, 2)), Round(1, 3, (3, 4)))),
                        TablePlan(2, (Round(3, 4, (1, 2)), Round(4, 2, (3, 4)))),
                    ),
                ),
            ),
        ),
    ),
)


def assert_rules(session: Session) -> None:
    """The rules, said once more and as plainly as possible."""
    sections = session.setup.sections
    assert all(section.group in session.setup.groups for section in sections.values())
    assert len({section.id for section in sections.values()}) == len(sections)
    assert all(name in sections for name, _ in session.movement.tables)
    for table in session.movement.tables.values():
        for played in table.rounds:
            assert list(played.boards) == sorted(set(played.boards))
            assert all(board >= 1 for board in played.boards)
    if not session.opened.across_field:
        for name, section in sections.items():
            if section.combi or section.game is GameKind.INDIVIDUAL:
                continue
            tables = session.movement.section(name).values()
            for number in range(session.movement.rounds(name)):
                here = [table.rounds[number] for table in tables if number < len(table.rounds)]
                ns = Counter(r.ns for r in here if r.ns and not section.is_missing(r.ns, Side.NS))
                ew = Counter(r.ew for r in here if r.ew and not section.is_missing(r.ew, Side.EW))
                assert all(
                    count == 1 for count in (ns + ew if session.winners(name) == 1 else ns | ew).values()
                )
    for (name, table_number, number, board), result in session.results.standing.items():
        at = session.movement.round(name, table_number, number)
        assert at is not None
        assert board in at.boards
        assert (result.ns, result.ew) == (at.ns, at.ew)
        assert result.outcome or result.outcome_ew
        assert result.place not in session.results.erased
    assert not session.recording.contracts.keys() & session.results.standing.keys()
    for name, table_number, number, _ in session.seating.chairs:
        assert (name, table_number) in session.movement.tables
        assert number >= 0
    seated = Counter((chair[2], s.number) for chair, s in session.seating.chairs.items() if s.number)
    assert all(count == 1 for count in seated.values())
    assert all(group in session.setup.groups for group, _ in session.hands.records)
    assert all(name in sections for name in session.settings.second | session.settings.third)
    assert session.rulings.rules.keys() <= session.setup.groups.keys()
    assert session.rulings.notes.keys() <= session.results.standing.keys()
    for *table_and_round, board in session.rulings.versions:
        at = session.movement.round(*table_and_round)  # type: ignore[arg-type]
        assert at is not None
        assert board in at.boards
    assert session.rulings.foul_reasons.keys() == {place[3] for place in session.rulings.versions}
    assert all(key in session.movement.tables for key in session.tables.logged_on)
    assert all((call.section, call.table) in session.movement.tables for call in session.calls.calls.values())
    for name in sections:
        for number in range(1, session.movement.rounds(name) + 1):
            line_up(session, name, number)


def assert_house(journal_state: JournalState) -> None:
    for event in journal_state.events.values():
        claimed: list[str] = []
        for guid, incarnation in event.sessions.items():
            session = journal_state.sessions[f"session/{guid}/{incarnation}"]
            assert event.letters[guid] == tuple(sorted(session.setup.sections))
            assert event.groups[guid] == tuple(sorted(session.setup.groups))
            claimed += event.letters[guid]
        assert len(set(claimed)) == len(claimed)
    for session in journal_state.sessions.values():
        assert_rules(session)


# The whole state is compared before and after each of many thousand commands, several seconds of a core.
@pytest.mark.timeout(180)
@settings(max_examples=150)
@given(st.lists(commands, min_size=20, max_size=40))
def test_random_commands_keep_every_invariant(asked: list[Command]) -> None:
    journal_state = JournalState()
    done: list[StreamFact] = []
    for command in [FIRST, *asked]:
        before = repr(journal_state)
        decided = decide(journal_state, command)
        assert repr(journal_state) == before
        if isinstance(decided, Rejection):
            assert decided.problems
            assert all(str(problem) for problem in decided.problems)
            continue
        for made in decided:
            journal_state.apply(made.stream, made.fact)
            done.append(made)
        assert_house(journal_state)
        again = decide(journal_state, command)
        if not isinstance(again, Rejection) and not isinstance(
            command, OpenEvent | ContinueEvent | SessionTransaction | AddTime | MoveResult
        ):
            kinds = {made.fact.kind for made in again}
            assert kinds <= {
                "adjustment-made",
                "queues-cleared",
                "rounds-set",
                "table-reset",
                "call-recorded",
                "card-recorded",
                "seated",
            }
    folded = fold(done)
    assert {stream: (s.results, s.rulings) for stream, s in folded.sessions.items()} == {
        stream: (s.results, s.rulings) for stream, s in journal_state.sessions.items()
    }
    assert repr(folded.events) == repr(journal_state.events)
    assert event_stream(EVENT) == f"event/{EVENT}"
