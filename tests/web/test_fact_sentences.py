"""Every kind of fact of a session has a sentence of its own."""

from datetime import UTC, datetime

import pytest

from overtrick.bridge import Seat
from overtrick.event import FACTS, Fact, JournalState, Rejection, decide
from overtrick.event.clock import ClockSet
from overtrick.event.movement import Round, RoundsSet
from overtrick.event.recording import CardRecorded, ContractRecorded
from overtrick.event.session import APPLY
from overtrick.web.fact_sentences import SENTENCES, fact_sentence
from tests.event.test_random_commands import FIRST

NOON = datetime(2026, 1, 8, 12, 0, tzinfo=UTC)


def test_no_fact_of_a_session_is_left_out() -> None:
    assert set(APPLY) == set(SENTENCES)
    assert set(SENTENCES) <= set(FACTS.values())


def test_a_sentence_is_no_repr() -> None:
    decided = decide(JournalState(), FIRST)
    assert not isinstance(decided, Rejection)
    for entry in decided:
        sentence = fact_sentence(entry.fact)
        assert sentence.endswith(".")
        assert not any(sign in sentence for sign in ("(<", "=", "_", "{", "None"))


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        (
            RoundsSet("A", 1, 2, (Round(3, 4, (5, 6)),)),
            "Table A1: round 2 set, starting with 3 against 4 on 5, 6.",
        ),
        (
            RoundsSet("A", 1, 2, (Round(3, 0), Round(0, 0))),
            "Table A1: rounds 2 to 3 set, starting with 3 sitting out.",
        ),
        (RoundsSet("A", 1, 3, ()), "Table A1: round 3 and later rounds removed."),
        (
            ContractRecorded("B", 2, 1, 7, 1, 2, "4HxW", None, NOON),
            "Table B2, round 1, board 7: contract 4♥x by W.",
        ),
        (
            CardRecorded("B", 2, 1, 7, 1, Seat.EAST, "SK", True, NOON),
            "Table B2, round 1, board 7: East took back SK.",
        ),
        (ClockSet(), "Clock off; 7.5 minutes per board and 2 to move."),
    ],
)
def test_sentences(fact: Fact, sentence: str) -> None:
    assert fact_sentence(fact) == sentence
