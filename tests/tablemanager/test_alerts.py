import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import Rank, Suit
from overtrick.tablemanager.alerts import (
    LIMITS,
    PHRASES,
    Alert,
    Controls,
    FreeText,
    HeldCard,
    Measure,
    Phrase,
    Range,
    read_alert,
)

GAMBLING = (
    "Alert.  8 to 14 total points,  8 to 10 points in clubs, up to 6 cards in clubs.  Alternatively, 8 to 14 "
    "total points,  8 to 10 points in diamonds, up to 6 cards in diamonds."
)


def test_documents_example_with_alternatively_has_two_meanings() -> None:
    alert = read_alert(GAMBLING)
    total = Range(Measure.TOTAL_POINTS, 8, 14)
    assert alert == Alert(
        (
            (total, Range(Measure.POINTS, 8, 10, Suit.CLUBS), Range(Measure.CARDS, 0, 6, Suit.CLUBS)),
            (total, Range(Measure.POINTS, 8, 10, Suit.DIAMONDS), Range(Measure.CARDS, 0, 6, Suit.DIAMONDS)),
        )
    )
    assert alert is not None
    assert str(alert) == " ".join(GAMBLING.split())


def test_documents_example_with_or_has_two_numbers() -> None:
    assert read_alert("Alert. 0 or 4 total aces") == Alert(((Controls((0, 4), Rank.ACE),),))


@pytest.mark.parametrize("phrase", PHRASES)
def test_each_phrase_of_the_document_is_parsed_in_any_case(phrase: str) -> None:
    assert read_alert(f"alert. {phrase.upper()}.") == Alert(((Phrase(phrase),),))


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("5 cards in spades", Range(Measure.CARDS, 5, 5, Suit.SPADES)),
        ("at least 5 cards in hearts", Range(Measure.CARDS, 5, 13, Suit.HEARTS)),
        ("up to 12 total points", Range(Measure.TOTAL_POINTS, 0, 12)),
        ("at least 20 total points", Range(Measure.TOTAL_POINTS, 20, 50)),
        ("3 to 7 points in clubs", Range(Measure.POINTS, 3, 7, Suit.CLUBS)),
        ("2 total kings", Controls((2,), Rank.KING)),
        ("ace of diamonds", HeldCard(Rank.ACE, Suit.DIAMONDS)),
        ("king of clubs", HeldCard(Rank.KING, Suit.CLUBS)),
    ],
)
def test_each_kind_of_statement_is_parsed(text: str, statement: object) -> None:
    assert read_alert(f"Alert. {text}.") == Alert(((statement,),))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["Landy", "14 cards in spades", "7 to 3 points in clubs", "99 total points"])
def test_statement_outside_the_grammar_is_kept_as_free_text(text: str) -> None:
    alert = read_alert(f"Alert. {text}.")
    assert alert == Alert(((FreeText(text),),))
    assert alert is not None
    assert not alert.is_in_grammar


def test_text_without_the_keyword_is_not_an_alert() -> None:
    assert read_alert("Infos. 12-14") is None
    assert read_alert("") is None


@given(st.text(max_size=200))
def test_any_text_after_the_keyword_is_parsed_without_an_error(text: str) -> None:
    read_alert("Alert. " + text)


ranges = st.sampled_from(Measure).flatmap(
    lambda measure: st.tuples(st.integers(0, LIMITS[measure]), st.integers(0, LIMITS[measure])).flatmap(
        lambda ends: st.builds(
            Range,
            st.just(measure),
            st.just(min(ends)),
            st.just(max(ends)),
            st.none() if measure is Measure.TOTAL_POINTS else st.sampled_from(Suit),
        )
    )
)
statements = st.one_of(
    ranges,
    st.builds(Controls, st.integers(0, 4).map(lambda number: (number,)), st.just(Rank.ACE)),
    st.builds(HeldCard, st.sampled_from([Rank.ACE, Rank.KING]), st.sampled_from(Suit)),
    st.sampled_from(PHRASES).map(Phrase),
)
alerts = st.lists(st.lists(statements, min_size=1, max_size=4).map(tuple), min_size=1, max_size=3).map(
    lambda meanings: Alert(tuple(meanings))
)


@given(alerts)
def test_written_alert_is_parsed_to_the_same_alert(alert: Alert) -> None:
    assert read_alert(str(alert)) == alert
    assert alert.is_in_grammar
