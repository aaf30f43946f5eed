"""The set-up form of a Swiss evening, read into a command."""

from datetime import date

import pytest

from overtrick.directing.draws import SwissField, field_of
from overtrick.directing.swiss import swiss_of
from overtrick.errors import BadInput
from overtrick.event import JournalState
from overtrick.movements import DrawMethod, EarlierRounds, draw_round
from overtrick.views import SessionView
from overtrick.web.session_setup import open_command, read_session_request
from overtrick.web.swiss_draw_pages import read_request, read_swap
from tests.directing.swiss_sections import opened, played, session_of
from tests.event.evenings import SESSION, do


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"rounds": "8", "count-1": "8"}, "8 pairs can play at most 7 rounds without a rematch"),
        ({"rounds": "1"}, "Enter 2 to 20 rounds"),
        ({"each": "0"}, "Enter 1 to 20 boards per round"),
        ({"count-1": "129"}, "Enter 4 to 128 pairs"),
        ({"first": "love"}, "how to draw the first round"),
    ],
)
def test_impossible_swiss_session_is_refused(form: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        read_session_request({"game": "swiss", **form})


def test_random_seed_is_kept_and_sections_are_drawn_separately() -> None:
    form = {"game": "swiss", "sections": "2", "count-1": "16", "count-2": "16", "first": "lot"}
    journal_state = JournalState()
    wanted = read_session_request({**form, "offered": read_session_request(form).key})
    do(journal_state, open_command(wanted, form, SESSION, date(2026, 1, 8)))
    session = journal_state.session(SESSION)
    assert session is not None
    lots = [swiss.lots[1] for swiss in (swiss_of(session, "A"), swiss_of(session, "B")) if swiss]
    assert len(set(lots)) == 2
    for letters, lot in zip("AB", lots, strict=True):
        again = draw_round(DrawMethod.LOT, dict.fromkeys(range(1, 17), 0.0), EarlierRounds(), lot=lot)
        first = [at.rounds[0] for at in session.movement.section(letters).values()]
        assert again.matches == tuple((here.ns, here.ew) for here in first)


def scored_field() -> SwissField:
    journal_state = opened(8)
    played(journal_state, 1)
    return field_of(SessionView.of(session_of(journal_state)), "A")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"way": "magic"}, "how to draw the round"),
        ({"way": "halves"}, "how to draw the round"),
        ({"out": "pair 3"}, "by number, such as 7, 12"),
        ({"pairs": "7"}, "Enter 8 to 128 pairs"),
        ({"pairs": "129"}, "Enter 8 to 128 pairs"),
        ({"way": "lot", "lot": "0"}, "Enter a random draw number from 1"),
        ({"swap": "x", "with": "2"}, "Enter a pair from 1"),
    ],
)
def test_invalid_draw_form_is_refused(asked: dict[str, str], sentence: str) -> None:
    field = scored_field()
    with pytest.raises(BadInput, match=sentence):
        read_swap(asked) if "swap" in asked else read_request(field, asked)


def test_a_draw_form_is_read_into_the_pairs_that_play() -> None:
    form = {"way": "lot", "lot": "12", "out": "3; 8", "pairs": "9", "repeats": "1", "swap": "1", "with": "4"}
    request = read_request(scored_field(), form)
    assert (request.method, request.lot, request.out, request.repeats) == (DrawMethod.LOT, 12, (3, 8), True)
    assert request.playing == (1, 2, 4, 5, 6, 7, 9)
    assert read_swap(form) == (1, 4)
    assert read_swap({"swap": "1"}) is None
