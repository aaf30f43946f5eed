"""Every kind of fact of a session has a sentence of its own."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from overtrick.bridge import Outcome, Seat, Side
from overtrick.event import FACTS, Fact, JournalState, Rejection, decide
from overtrick.event.clock import ClockSet
from overtrick.event.movement import Round, RoundsSet
from overtrick.event.recording import CardRecorded, ContractRecorded
from overtrick.event.rulings import (
    AdjustmentMade,
    AdjustmentUnit,
    AdjustmentWithdrawn,
    Appeal,
    BoardFouled,
    BoardVersion,
    ContestantStatus,
    ContestantStatusSet,
    CorrectionPeriodSet,
    MatchRuled,
    RulesChosen,
    RulingNoted,
)
from overtrick.event.session import APPLY
from overtrick.scoring import Unequal
from overtrick.scoring.rules import EBU, write_rules
from overtrick.web.fact_sentences import SENTENCES, fact_sentence
from tests.event.test_random_commands import FIRST

NOON = datetime(2026, 1, 8, 12, 0, tzinfo=UTC)


def test_no_fact_of_a_session_is_left_out() -> None:
    assert set(APPLY) == set(SENTENCES)
    assert set(SENTENCES) <= set(FACTS.values())


def test_sentence_of_a_fact_contains_no_repr() -> None:
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
        (
            RulesChosen(
                1, write_rules(replace(EBU, unequal=Unequal.FACTOR)), pairs_vps=True, boards_per_match=7
            ),
            "Scoring group 1 is scored by the rules of EBU with unequal: factor, victory points for pairs, "
            "7 boards a match.",
        ),
        (
            AdjustmentMade(
                3, "A", 4, Side.NS, Decimal("-10"), AdjustmentUnit.TOP_PERCENT, 7, "Slow play.", NOON
            ),
            "Adjustment 3: A4 NS -10 % of a top on board 7. Slow play.",
        ),
        (AdjustmentWithdrawn(3, NOON), "Adjustment 3 withdrawn."),
        (
            BoardFouled(
                5, (BoardVersion("turned", (("A", 1, 2), ("B", 2, 2))), BoardVersion("", (("A", 3, 1),)))
            ),
            "Board 5: turned at A1 round 2, B2 round 2; the usual deal at A3 round 1.",
        ),
        (
            ContestantStatusSet("", 7, None, ContestantStatus.UNRANKED, "Guests."),
            "7 plays without standing. Guests.",
        ),
        (
            RulingNoted("A", 1, 2, 3, "Misinformation.", Appeal.PENDING, Outcome.parse("4SN="), NOON),
            "Table A1, round 2, board 3: ruling. Misinformation. The result at the table was 4♠ N =. "
            "Appeal pending.",
        ),
        (
            RulingNoted("A", 1, 2, 3, "", Appeal.NONE, None, NOON),
            "Table A1, round 2, board 3: note on the ruling removed.",
        ),
        (
            MatchRuled(2, ("", 1, None), ("", 2, None), True, Decimal(12), Decimal(0), None, "Did not come."),
            "The match of 1 and 2 in round 2 is void, 12 to 0. Did not come.",
        ),
        (
            MatchRuled(2, ("", 1, None), ("", 2, None), False, None, None, 6, "Late."),
            "The match of 1 and 2 in round 2 has 6 boards. Late.",
        ),
        (
            MatchRuled(2, ("", 1, None), ("", 2, None), False, None, None, None, ""),
            "The match of 1 and 2 in round 2 counts as it was played.",
        ),
        (CorrectionPeriodSet(None), "No correction period."),
        (ClockSet(), "Clock off; 7.5 minutes per board and 2 to move."),
    ],
)
def test_facts_have_these_sentences(fact: Fact, sentence: str) -> None:
    assert fact_sentence(fact) == sentence
