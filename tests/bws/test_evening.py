"""A whole evening through one file: our scoring side and our control side take turns, and programs of others read it.

That both sides are ours makes the first part a smoke test; that mdbtools and mdb-reader read every value is not.
"""

import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from overtrick import jet
from overtrick.bridge import CARDS, Award, Deal, Outcome, Seat, Tricks
from overtrick.bws.check import check
from overtrick.bws.contents import open_contents
from overtrick.bws.event_from_file import read_event
from overtrick.bws.scoring_changes import RemoveTable, ResetTerminal, SendRounds, changes, correction, names
from overtrick.bws.scoring_news import new_numbers, new_results
from overtrick.bws.scoring_side import create
from overtrick.bws.session_plan import choose_movement, plan_evening
from overtrick.event import Command, JournalState, Rejection, decide
from overtrick.event.hands import EvaluateHand, HandRecord, HandSource, PutHandRecords
from overtrick.event.movement import Round
from overtrick.event.results import EnterResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.seating import Participation, PutParticipations, SessionPlayer, Source
from overtrick.event.setup import SetStatus, Status
from overtrick.event.tables import LogOn
from tests.bws.conftest import do
from tests.bws.controls import Control
from tests.bws.files import AT, GUID
from tests.jet.conftest import mdb_reader  # noqa: F401
from tests.jet.peers import as_mdb_reader, assert_same_rows, mdb_export, mdb_reader_tables

TODAY = date(2026, 3, 2)


class Scoring:
    """A scoring program in a few lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal_state: JournalState = read_event(open_contents(path), today=TODAY).journal_state()

    def obey(self, *commands: Command) -> None:
        for command in commands:
            decided = decide(self.journal_state, command)
            assert not isinstance(decided, Rejection), decided
            for entry in decided:
                self.journal_state.apply(entry.stream, entry.fact)

    def look(self) -> None:
        contents = open_contents(self.path)
        for news in (new_numbers(contents), new_results(contents, today=TODAY)):
            assert news.problems == ()
            self.obey(*news.commands)
            do(self.path, *news.marks)


def outcome_of(chance: random.Random) -> Outcome:
    roll = chance.random()
    if roll < 0.04:
        return Outcome.parse("Pass")
    if roll < 0.08:
        return Award(chance.choice((40, 50, 60)), chance.choice((40, 50, 60)))
    level, strain = chance.randint(1, 7), chance.choice(("C", "D", "H", "S", "NT"))
    over = chance.randint(-4, 7 - level)
    result = "=" if over == 0 else f"{over:+d}"
    return Outcome.parse(
        f"{level}{strain}{chance.choice(('', '', 'x', 'xx'))}{chance.choice('NESW')}{result}"
    )


def test_session_is_played_through_one_file(
    tmp_path: Path,
    require_program: Callable[[str], str],
    mdb_reader: str,  # noqa: F811
) -> None:
    chance = random.Random(20260302)
    path = tmp_path / "monday.bws"
    movement = choose_movement("mitchell", 5, 2)
    deals = {board: Deal.dealt_by(chance) for board in movement.boards}
    event = plan_evening(
        movement,
        guid=GUID,
        name="Zażółć gęślą jaźń",
        day=TODAY,
        sections=("A", "B"),
        together=True,
        players=(SessionPlayer("0012", "Ely", "Culbertson"),),
        deals=deals,
    )
    create(path, event, computer="CLUB")
    scoring, control = Scoring(path), Control.start(path)

    # Before the first round people say who they are, and the scoring program knows their names.
    control.happen_at_once(
        SetStatus(GUID, Status.STARTED),
        *(LogOn(GUID, "A", table, f"phone {table}", AT) for table in range(1, 6)),
        PutParticipations(GUID, (Participation("A", 1, Seat.NORTH, "0012"),), Source.TERMINAL, False),
    )
    scoring.look()
    do(path, *names(open_contents(path), [Participation("A", 1, Seat.NORTH, "0012", "Ely", "Culbertson")]))
    # Table B5 is not needed, and A6 is late.
    late = SendRounds("A", 6, 1, tuple(Round(6, 6, (21, 22)) for _ in range(movement.rounds)))
    do(path, *changes(open_contents(path), [RemoveTable("B", 5), late, ResetTerminal("A", 2)]))
    control.look()
    assert control.rejections == []
    scoring.journal_state = read_event(open_contents(path), today=TODAY).journal_state()

    for number in range(1, movement.rounds + 1):
        entered: list[Command] = []
        for (section, table), at in sorted(control.session.movement.tables.items()):
            for board in at.rounds[number - 1].boards:
                if section == "A" and table == 6 and number > 1:
                    continue
                later = AT + timedelta(minutes=20 * number + board)
                entry = ResultEntry(
                    section, table, number, board, outcome_of(chance), later, lead=chance.choice(CARDS)
                )
                entered.append(EnterResult(GUID, entry))
        control.happen_at_once(*entered)
        scoring.look()
        # One is corrected by the scoring program, one is erased at the table and entered anew.
        place = "A", 1, number, control.session.movement.tables["A", 1].rounds[number - 1].boards[0]
        right = ResultEntry(*place, Outcome.parse("6NTS="), AT + timedelta(hours=number))
        do(path, correction(open_contents(path), right))
        scoring.obey(PutResults(GUID, (right,), Origin.SCORING_PROGRAM))
        control.look()
        place = "B", 2, number, control.session.movement.tables["B", 2].rounds[number - 1].boards[1]
        again = ResultEntry(*place, outcome_of(chance), AT + timedelta(hours=number))
        control.happen_at_once(EraseResult(GUID, *place, Origin.TERMINAL), EnterResult(GUID, again))
        scoring.look()

    tricks = Tricks((7,) * 20)
    control.happen_at_once(
        PutHandRecords(GUID, (HandRecord(1, 21, Deal.dealt_by(chance)),), HandSource.TERMINAL),
        *(EvaluateHand(GUID, 1, board, deal, tricks) for board, deal in deals.items()),
        SetStatus(GUID, Status.FINISHED),
    )
    session = scoring.journal_state.session(GUID)
    assert session is not None
    said = {place: str(result.outcome) for place, result in session.results.standing.items()}
    assert said == {place: str(result.outcome) for place, result in control.session.results.standing.items()}
    assert len(said) == (5 + 4) * 5 * 2 + 2
    contents = open_contents(path)
    assert [str(violation) for violation in check(contents) if not violation.is_warning] == []
    assert sum(row.erased for row in contents.results) == movement.rounds
    program, others = require_program("mdb-export"), mdb_reader_tables(mdb_reader, path)
    with jet.open(path) as db:
        assert sorted(db.tables) == sorted(others)
        for name in db.tables:
            assert_same_rows(db[name], mdb_export(program, path, name))
            ours = [{key: as_mdb_reader(value) for key, value in row.items()} for row in db[name].rows()]
            assert ours == others[name]
