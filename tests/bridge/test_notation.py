import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bridge import (
    AWARDS,
    CARDS,
    SEATS,
    Award,
    Card,
    Contract,
    Doubling,
    NotPlayed,
    Outcome,
    PassedOut,
    Played,
    Seat,
    Strain,
    Undecided,
    vulnerability,
)
from overtrick.bridge.notation import (
    EnteredResult,
    ResultStyle,
    TextFields,
    parse_contract,
    parse_lead,
    parse_result,
    parse_text_fields,
    write_compact,
    write_lead,
    write_result,
    write_spaced,
    write_text_fields,
)
from overtrick.errors import BadInput

contracts = st.builds(
    Contract, st.integers(1, 7), st.sampled_from(Strain), st.sampled_from(Doubling), st.sampled_from(SEATS)
)
played = st.builds(Played, contracts, st.integers(0, 13))
entries = st.one_of(
    st.builds(EnteredResult, st.one_of(played, st.just(PassedOut())), st.booleans()),
    st.builds(EnteredResult, st.sampled_from([NotPlayed(), Undecided(), *AWARDS])),
)

# The 36 scored rows of the BMPFTP document: board, direction, contract, result, lead card, score.
SCORED_ROWS = """
1|N |1 D x|-4|C4|-800
2|W |2 NT x|-2|C4|300
3|E |2 H xx|+1|H8|-1240
4|W |PASS|+2|C4|0
5|N |3 C x|-1|CQ|-200
6|N |4 D x|-3|HA|-500
7|W |1 D x|-4|H8|1100
8|W |5 D|-3|D10|150
9|N |PASS|-3|S6|0
10|W |5 D|-2|C4|200
11|W |4 S x|-2|CQ|300
12|S |1 D x|-4|HA|-1100
5|E |3 C x|+1|C4|-570
6|E |PASS|-2|D10|0
7|W |5 D|-3|D10|300
8|S |4 D x|-4|H8|-800
9|S |PASS|+1|H8|0
10|E |4 D x|+1|S6|-910
11|S |1 NT|+2|H8|150
12|N |1 D x|+1|D10|340
1|N |1 NT|-2|H8|-100
2|W |4 S x|-1|S6|100
3|W |4 D x|-2|H8|500
4|E |2 H xx|-4|S6|2200
9|E |2 NT x|-2|C4|500
10|S |1 D x|=|C4|140
11|W |2 H xx|+2|HA|-1040
12|N |1 D x|-1|S6|-200
1|N |3 C x|=|H8|470
2|N |1 NT|+1|S6|120
3|N |1 D x|-3|CQ|-500
4|N |4 D x|+1|D10|910
5|W |2 NT x|=|D10|-490
6|W |4 S x|-3|CQ|800
7|N |2 NT x|-1|H8|-200
8|N |1 D x|+2|CQ|340
""".strip().splitlines()


def test_there_are_36_scored_rows() -> None:
    assert len(SCORED_ROWS) == 36


@pytest.mark.parametrize("row", SCORED_ROWS)
def test_scored_rows_have_the_scores_of_the_guide(row: str) -> None:
    board, direction, contract, result, lead, score = row.split("|")
    fields = TextFields(contract, result, "", Seat.parse(direction))
    entry = parse_text_fields(fields)
    assert entry.outcome.ns_score(vulnerability(int(board))) == int(score)
    assert write_lead(parse_lead(lead)) == lead
    if contract != "PASS":
        assert write_text_fields(entry) == fields


@pytest.mark.parametrize("text", ["1 H", "2 NT", "4 S x", "3 D xx", "7 C", "PASS"])
def test_contracts_of_the_bridgemate_guide_are_read_and_written(text: str) -> None:
    assert write_spaced(parse_contract(text, Seat.NORTH)) == text


def test_results_of_the_bridgemate_guide_are_read() -> None:
    for number in range(1, 14):
        assert parse_result(f"-{number}", Contract.parse("7NTN")) == 13 - number
    for number in range(1, 7):
        assert parse_result(f"+{number}", Contract.parse("1CN")) == 7 + number
    assert parse_result("=", Contract.parse("1CN")) == 7


@pytest.mark.parametrize(
    ("remark", "outcome"),
    [
        ("Not played", NotPlayed()),
        ("Arbitral score", Undecided()),
        ("40%-40%", Award(40, 40)),
        ("50%-40%", Award(50, 40)),
        ("60%-40%", Award(60, 40)),
        ("40%-50%", Award(40, 50)),
        ("50%-50%", Award(50, 50)),
        ("60%-50%", Award(60, 50)),
        ("40%-60%", Award(40, 60)),
        ("50%-60%", Award(50, 60)),
        ("60%-60%", Award(60, 60)),
    ],
)
def test_remarks_of_the_bridgemate_guide_are_read_and_written(remark: str, outcome: Outcome) -> None:
    fields = TextFields("", "", remark, None)
    assert parse_text_fields(fields) == EnteredResult(outcome)
    assert write_text_fields(EnteredResult(outcome)) == fields


@given(entries)
def test_text_fields_are_read_back_equal(entry: EnteredResult) -> None:
    assert parse_text_fields(write_text_fields(entry)) == entry


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        (TextFields("", "", "", None), "must say in its remark"),
        (TextFields("", "", "60%-45%", None), "60%-45%"),
        (TextFields("4 S", "+1", "", None), "no declarer"),
        (TextFields("4 S", "", "", Seat.NORTH), "not a result"),
        (TextFields("7 NT", "+1", "", Seat.NORTH), "not a result of 7NTN"),
        (TextFields("8 NT", "=", "", Seat.NORTH), "not a contract"),
        (TextFields("4 S xxx", "=", "", Seat.NORTH), "not a contract"),
    ],
)
def test_bad_text_fields_are_refused_with_the_reason(fields: TextFields, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        parse_text_fields(fields)


def test_unknown_remark_beside_a_contract_is_ignored() -> None:
    entry = parse_text_fields(TextFields("4 S", "=", "slow play", Seat.NORTH))
    assert entry == EnteredResult(Outcome.parse("4SN="))


@given(contracts)
def test_contracts_in_both_spellings_are_read_back_equal(contract: Contract) -> None:
    assert parse_contract(write_spaced(contract), contract.declarer) == contract
    assert parse_contract(write_compact(contract), contract.declarer) == contract


@given(played, st.sampled_from(ResultStyle))
def test_results_in_every_style_are_read_back_equal(outcome: Played, style: ResultStyle) -> None:
    text = write_result(outcome.tricks, outcome.contract, style)
    assert parse_result(text, outcome.contract, style) == outcome.tricks


def test_american_style_counts_tricks_above_six() -> None:
    four_spades = Contract.parse("4SN")
    assert [write_result(tricks, four_spades, ResultStyle.AMERICAN) for tricks in (8, 9, 10, 11, 13)] == [
        "-2", "-1", "4", "5", "7",
    ]  # fmt: skip
    with pytest.raises(BadInput, match="does not make"):
        parse_result("3", four_spades, ResultStyle.AMERICAN)


@pytest.mark.parametrize(
    ("text", "style"),
    [
        *((text, ResultStyle.TOTAL) for text in ("14", "-1", "", "1²")),
        *((text, ResultStyle.AGAINST_CONTRACT) for text in ("+4", "-11", "1")),
        *((text, ResultStyle.AMERICAN) for text in ("8", "=", "-11")),
    ],
)
def test_bad_results_are_refused(text: str, style: ResultStyle) -> None:
    with pytest.raises(BadInput):
        parse_result(text, Contract.parse("4SN"), style)


@given(st.one_of(st.none(), st.sampled_from(CARDS)))
def test_lead_cards_are_read_back_equal(card: Card | None) -> None:
    assert parse_lead(write_lead(card)) is card


def test_lead_cards_of_the_guides_are_read() -> None:
    assert [parse_lead(text) for text in ("S2", "DA", "C10")] == [Card.S2, Card.DA, Card.CT]
