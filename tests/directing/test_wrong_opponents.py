"""Pairs that met other opponents than were drawn."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from overtrick.bridge import Outcome, Side
from overtrick.directing.wrong_opponents import swap_opponents
from overtrick.errors import BadInput
from overtrick.event import JournalState
from overtrick.event.results import CorrectResult, JudgeResult, Origin, Suspicion
from overtrick.event.rulings import Appeal, BoardVersion, FoulBoard, NoteRuling
from overtrick.views import SessionView
from tests.directing.swiss_sections import drawn, opened, played, session_of, swiss_in
from tests.event.evenings import SESSION, do, entry

AT = datetime(2026, 3, 9, 20, 0, tzinfo=UTC)


def results(journal_state: JournalState) -> dict[tuple[str, int, int, int], tuple[object, object]]:
    standing = session_of(journal_state).results.standing
    return {place: (result.outcome, result.outcome_ew) for place, result in standing.items()}


def swap(journal_state: JournalState, number: int, one: int, other: int) -> None:
    do(journal_state, swap_opponents(session_of(journal_state), swiss_in(journal_state), number, one, other))


def test_results_stay_and_count_for_the_pairs_that_were_there() -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    before = results(journal_state)
    assert swiss_in(journal_state).line(1) == "1-2 3-4 5-6 7-8"
    swap(journal_state, 1, 2, 4)
    assert swiss_in(journal_state).line(1) == "1-4 3-2 5-6 7-8"
    assert results(journal_state) == before
    standing = session_of(journal_state).results.standing
    assert (standing["A", 1, 1, 1].ns, standing["A", 1, 1, 1].ew) == (1, 4)
    lines = SessionView.of(session_of(journal_state)).scored(1).travellers[0].lines
    assert {(one.line.ns.number, one.line.ew.number) for one in lines} == {(1, 4), (3, 2), (5, 6), (7, 8)}
    # The next draw knows who has met.
    assert frozenset((1, 4)) in swiss_in(journal_state).drawn.met
    assert frozenset((1, 2)) not in swiss_in(journal_state).drawn.met


def test_later_rounds_of_the_tables_keep_their_pairs_and_results() -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    drawn(journal_state)
    played(journal_state, 2, seed=3)
    before, second = results(journal_state), swiss_in(journal_state).line(2)
    swap(journal_state, 1, 2, 4)
    assert results(journal_state) == before
    assert swiss_in(journal_state).line(2) == second


def test_pair_that_should_have_waited_is_exchanged() -> None:
    journal_state = opened(5)
    played(journal_state, 1)
    assert swiss_in(journal_state).line(1) == "1-2 3-4 5"
    swap(journal_state, 1, 5, 3)
    assert swiss_in(journal_state).line(1) == "1-2 5-4 3"
    assert swiss_in(journal_state).drawn.sat_out == {3: 1}


def test_rulings_on_the_results_stay() -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    for side, outcome in ((Side.NS, "4SN="), (Side.EW, "4SN-1")):
        one_side = replace(entry(1, 1, 1, outcome), side=side)
        do(journal_state, CorrectResult(SESSION, one_side, Origin.DESK))
    do(
        journal_state,
        NoteRuling(SESSION, "A", 1, 1, 1, "Hesitation", AT, Appeal.PENDING, Outcome.parse("4SN=")),
    )
    do(journal_state, JudgeResult(SESSION, "A", 1, 1, 2, Suspicion.CONFIRMED))
    do(journal_state, FoulBoard(SESSION, 2, (BoardVersion("b", (("A", 2, 1),)),), "A card fell out"))
    session = session_of(journal_state)
    before = results(journal_state), dict(session.rulings.notes), dict(session.rulings.versions)
    swap(journal_state, 1, 2, 4)
    session = session_of(journal_state)
    assert (results(journal_state), dict(session.rulings.notes), dict(session.rulings.versions)) == before
    assert session.rulings.foul_reasons == {2: "A card fell out"}
    assert session.results.standing["A", 1, 1, 2].suspicion is Suspicion.CONFIRMED


@pytest.mark.parametrize(
    ("number", "one", "other", "words"),
    [
        (2, 1, 3, "Round 2 of section A is not drawn"),
        (0, 1, 3, "Round 0 of section A is not drawn"),
        (1, 3, 3, "Pair 3 cannot be exchanged with itself"),
        (1, 3, 9, "Pair 9 is not in round 1"),
    ],
)
def test_impossible_exchange_is_refused_with_the_reason(
    number: int, one: int, other: int, words: str
) -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    with pytest.raises(BadInput, match=words):
        swap(journal_state, number, one, other)
