"""The draw of a Swiss round: what is seen is what is sent, and nothing that was not allowed."""

import re
from dataclasses import replace
from typing import Any

import pytest

from overtrick.bridge import Outcome
from overtrick.directing.draws import (
    DrawPreview,
    DrawRequest,
    SwissField,
    confirmed_draw,
    draw_methods,
    draw_request,
    field_of,
    is_outdated,
    usual_draw,
    wanted_draw,
)
from overtrick.directing.previews import StalePreview
from overtrick.directing.swiss import draw_command, length_command
from overtrick.errors import BadInput
from overtrick.event import JournalState
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin
from overtrick.movements import DrawMethod, MovementError, objections
from overtrick.views import SessionView
from tests.directing.swiss_sections import opened, played, session_of, swiss_in
from tests.event.evenings import SESSION, do, entry


def field_in(journal_state: JournalState) -> SwissField:
    return field_of(SessionView.of(session_of(journal_state)), "A")


def as_usual(field: SwissField, way: DrawMethod | None = None, **asked: Any) -> DrawRequest:
    return draw_request(field, way or draw_methods(field.swiss)[0], **asked)


def seen_by(field: SwissField, request: DrawRequest, **changes: Any) -> DrawPreview:
    """Return what a director sees who looks at the draw now."""
    usual = str(usual_draw(field, request))
    seen = DrawPreview(field.swiss.number, field.swiss.on_tables, usual, usual)
    return replace(seen, **changes)


def send(journal_state: JournalState, **asked: Any) -> None:
    """Draw as usual and lay the round on the tables."""
    field = field_in(journal_state)
    request = as_usual(field, **asked)
    draw = confirmed_draw(field, request, seen_by(field, request))
    do(journal_state, draw_command(field.session, field.swiss, draw, request.lot))


def matches(journal_state: JournalState, number: int) -> list[tuple[int, int]]:
    tables = session_of(journal_state).movement.section("A").values()
    return [(at.rounds[number - 1].ns, at.rounds[number - 1].ew) for at in tables]


def test_draw_with_missing_results_must_be_confirmed() -> None:
    journal_state = opened(8)
    do(journal_state, EnterResult(SESSION, entry(1, 1, 1, "4SN=")))
    field = field_in(journal_state)
    request = as_usual(field)
    with pytest.raises(BadInput, match=r"7 results of earlier rounds are missing\. Nothing was changed"):
        confirmed_draw(field, request, seen_by(field, request))
    assert confirmed_draw(field, request, seen_by(field, request, is_early=True)) == usual_draw(
        field, request
    )


def test_two_pairs_are_swapped_and_a_rematch_has_to_be_allowed() -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    field = field_in(journal_state)
    request = as_usual(field)
    usual = usual_draw(field, request)
    opponent = next(sum(match) - 1 for match in usual.matches if 1 in match)
    seen = seen_by(field, request, swap=(opponent, 2))
    with pytest.raises(BadInput, match=r"Pairs 1 and 2 met in round 1\..* you want this draw anyway"):
        confirmed_draw(field, request, seen)
    draw = confirmed_draw(field, replace(request, repeats=True), seen)
    assert {1, 2} in [set(match) for match in draw.matches]
    do(journal_state, draw_command(field.session, field.swiss, draw))
    # On second thoughts, and no longer when something is entered.
    again = field_in(journal_state)
    assert (again.swiss.number, again.swiss.on_tables) == (2, str(draw))
    request = as_usual(again)
    seen = seen_by(again, request)
    assert confirmed_draw(again, request, seen) == usual
    do(journal_state, EnterResult(SESSION, entry(1, 2, 3, "Pass")))
    with pytest.raises(StalePreview, match="Round 2 on the tables has changed"):
        confirmed_draw(field_in(journal_state), request, seen)


def test_draw_from_a_changed_ranking_is_refused() -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    before = field_in(journal_state)
    seen = seen_by(before, as_usual(before))
    first = session_of(journal_state).results.standing["A", 1, 1, 1].outcome
    for outcome in ("7NTxxN=", "7NTxxN-13"):
        do(journal_state, CorrectResult(SESSION, entry(1, 1, 1, outcome), Origin.DESK, first))
        first = Outcome.parse(outcome)
        field = field_in(journal_state)
        if str(usual_draw(field, as_usual(field))) != seen.usual:
            break
    with pytest.raises(StalePreview, match=r"other pairs would meet\. Nothing was changed"):
        confirmed_draw(field, as_usual(field), seen)


def test_a_round_that_another_director_drew_meanwhile_is_overtaken() -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    field = field_in(journal_state)
    request = as_usual(field)
    seen = seen_by(field, request)
    one, other = usual_draw(field, request).matches[0]
    do(
        journal_state,
        draw_command(field.session, field.swiss, usual_draw(field, request).swapped(one, other)),
    )
    now = field_in(journal_state)
    with pytest.raises(StalePreview, match="Nothing was changed"):
        confirmed_draw(now, request, seen)
    assert matches(journal_state, 2)[0] == (other, one)


def test_two_directors_at_one_moment_have_one_command_id_and_the_next_movement_another() -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    field = field_in(journal_state)
    do(journal_state, EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    assert field_in(journal_state).command_id == field.command_id
    do(journal_state, draw_command(field.session, field.swiss, usual_draw(field, as_usual(field))))
    assert field_in(journal_state).command_id != field.command_id


def test_an_odd_number_sits_out_once_each() -> None:
    journal_state = opened(5, rounds=5)
    waiting = []
    for number in range(1, 6):
        last = matches(journal_state, number)[-1]
        assert last[1] == 0
        waiting.append(last[0])
        played(journal_state, number)
        if number < 5:
            send(journal_state, repeats=True)
    assert sorted(waiting) == [1, 2, 3, 4, 5]


def test_absent_pair_stays_out_until_it_is_put_back_and_late_pairs_join() -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    send(journal_state, out=(3, 8))
    assert matches(journal_state, 2)[3] == (0, 0)
    played(journal_state, 2)
    field = field_in(journal_state)
    assert as_usual(field).out == (3, 8)
    request = as_usual(field, out=(3,), count=9)
    assert request.playing == (1, 2, 4, 5, 6, 7, 8, 9)
    assert field.pair(9).score == 50.0
    send(journal_state, out=(3,), count=9)
    assert {9, 8} <= {pair for match in matches(journal_state, 3) for pair in match}


def test_when_everyone_has_met_a_repeat_is_drawn_where_it_is_allowed() -> None:
    journal_state = opened(4)
    for number in (1, 2, 3):
        played(journal_state, number)
        if number < 3:
            send(journal_state)
    do(journal_state, length_command(session_of(journal_state), swiss_in(journal_state), 4))
    field = field_in(journal_state)
    with pytest.raises(MovementError, match="Round 4 cannot be drawn without a repeat"):
        usual_draw(field, as_usual(field))
    draw = usual_draw(field, as_usual(field, repeats=True))
    assert "met in round 1" in objections(draw, field.swiss.before)[0]
    send(journal_state, repeats=True)
    first, last = ({frozenset(match) for match in matches(journal_state, number)} for number in (1, 4))
    assert first == last


def test_first_round_offers_other_ways_than_later_rounds() -> None:
    journal_state = opened(8)
    assert draw_methods(swiss_in(journal_state)) == (DrawMethod.NUMBERS, DrawMethod.HALVES, DrawMethod.LOT)
    send(journal_state, way=DrawMethod.LOT, lot=4711)
    assert swiss_in(journal_state).lots == {1: 4711}
    send(journal_state, way=DrawMethod.HALVES)
    assert (matches(journal_state, 1), swiss_in(journal_state).lots) == ([(1, 5), (2, 6), (3, 7), (4, 8)], {})
    played(journal_state, 1)
    assert draw_methods(swiss_in(journal_state)) == (DrawMethod.STANDING, DrawMethod.LOT)


@pytest.mark.parametrize(
    ("text", "swap", "out", "sentence"),
    [
        ("1-2 3-4", None, None, "Pair 5 would not play."),
        ("1-2 3-4 5-6 7-7", None, None, "Pair 7 would play in two places."),
        ("1-2 3-4 5-6 7-<b>", None, None, "is neither two pairs that meet"),
        ("", (3, 3), None, "Pair 3 cannot be swapped with itself."),
        ("", (3, 12), None, "Pair 12 is not in this round."),
        ("", None, (1, 2, 3, 4, 5, 6, 7), "needs at least 2 contestants"),
    ],
)
def test_a_round_that_cannot_be_played_is_not_sent(
    text: str, swap: tuple[int, int] | None, out: tuple[int, ...] | None, sentence: str
) -> None:
    journal_state = opened(8)
    played(journal_state, 1)
    field = field_in(journal_state)
    request = as_usual(field, out=out)
    with pytest.raises(MovementError, match=re.escape(sentence)):
        wanted_draw(usual_draw(field, request), request, text, swap)
    seen = replace(seen_by(field, as_usual(field)), draw=text, swap=swap)
    with pytest.raises(BadInput, match=f"{re.escape(sentence)}.*Nothing was changed"):
        confirmed_draw(field, request, seen)


def test_a_section_that_is_not_swiss_has_no_draw() -> None:
    with pytest.raises(BadInput, match="Section B is not drawn round by round"):
        field_of(SessionView.of(session_of(opened(8))), "B")


def test_lagging_draw_waits_for_nobody_in_the_round_in_play() -> None:
    journal_state = opened(8, rounds=4)
    played(journal_state, 1)
    send(journal_state)
    # Round 2 is in play: one table has a result, and the others have none.
    do(journal_state, EnterResult(SESSION, entry(1, 2, 3, "7NTxxN-13")))
    view = SessionView.of(session_of(journal_state))
    current, lagging = field_of(view, "A"), field_of(view, "A", is_lagging=True)
    assert (current.standing_after, lagging.standing_after) == (2, 1)
    assert current.unscored
    assert not lagging.unscored
    request = as_usual(lagging)
    draw = confirmed_draw(lagging, request, seen_by(lagging, request))
    # Nobody meets who has met, also in the round in play.
    assert not objections(draw, lagging.swiss.before)
    with pytest.raises(BadInput, match="7 results of earlier rounds are missing"):
        confirmed_draw(current, as_usual(current), seen_by(current, as_usual(current)))


def test_lagging_standing_leaves_out_the_round_in_play() -> None:
    journal_state = opened(8, rounds=4)
    played(journal_state, 1)
    after_one = field_in(journal_state)
    send(journal_state)
    played(journal_state, 2, seed=5)
    lagging = field_of(SessionView.of(session_of(journal_state)), "A", is_lagging=True)
    assert {pair.number: pair.score for pair in lagging.pairs.values()} == {
        pair.number: pair.score for pair in after_one.pairs.values()
    }
    assert field_in(journal_state).pairs != lagging.pairs


def test_lagging_draw_needs_the_rounds_before_the_one_in_play() -> None:
    journal_state = opened(8, rounds=4)
    played(journal_state, 1)
    send(journal_state)
    do(journal_state, EnterResult(SESSION, entry(1, 2, 3, "Pass")))
    do(journal_state, EraseResult(SESSION, "A", 1, 1, 1, Origin.DESK))
    lagging = field_of(SessionView.of(session_of(journal_state)), "A", is_lagging=True)
    request = as_usual(lagging)
    with pytest.raises(BadInput, match="1 result of earlier rounds is missing"):
        confirmed_draw(lagging, request, seen_by(lagging, request))


def test_correction_outdates_a_round_that_has_not_begun() -> None:
    journal_state = opened(8)

    def outdated() -> bool:
        field = field_in(journal_state)
        return is_outdated(field.swiss, usual_draw(field, as_usual(field)))

    played(journal_state, 1)
    assert not outdated()
    send(journal_state)
    assert not outdated()
    seen = []
    for outcome in ("7NTxxN=", "7NTxxN-13"):
        do(journal_state, CorrectResult(SESSION, entry(1, 1, 1, outcome), Origin.DESK))
        seen.append(outdated())
    assert any(seen)
    send(journal_state)
    assert not outdated()
    do(journal_state, EnterResult(SESSION, entry(1, 2, 3, "Pass")))
    assert not outdated()
