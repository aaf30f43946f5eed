import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.bridge import Outcome, Side, vulnerability
from overtrick.errors import BadInput
from overtrick.scoring import Contestant, Line, Options, Scorer, field
from overtrick.scoring.field import LargeField

OUTCOMES = ["3NTN=", "3NTN+1", "4SE-1", "4SxE-2", "Pass", "2HS+2", "6CW=", "1NTN-1"]
SPECIAL = ["60-40", "40-60", "60-60", "50-50", "NP", "Arbitral"]


def field_of(seed: int, two_winners: bool, special: list[str]) -> list[Line]:
    chance = random.Random(seed)
    tables = chance.randint(1, 9)
    lines = []
    for board in range(1, chance.randint(2, 7)):
        for table in range(1, tables + 1):
            if chance.random() < 0.15:
                continue
            ns = Contestant("", table, Side.NS if two_winners else None)
            ew = Contestant(
                "", (table + board) % tables + (0 if two_winners else 20), Side.EW if two_winners else None
            )
            outcome = Outcome.parse(chance.choice(OUTCOMES * 4 + special))
            line = Line(board, ns, ew, outcome, table=table, round=board)
            if special and chance.random() < 0.05:
                line = replace(line, ew_outcome=Outcome.parse(chance.choice(OUTCOMES)))
            lines.append(line)
    return lines


@settings(max_examples=150)
@given(st.integers(0, 10**9), st.booleans(), st.sampled_from([[], SPECIAL]), st.sampled_from([None, 3, 12]))
def test_a_large_field_is_ranked_as_the_scorer_ranks_it(
    seed: int, two_winners: bool, special: list[str], expected: int | None
) -> None:
    lines = field_of(seed, two_winners, special)
    scorer = Scorer(options=Options(expected=expected))
    for line in lines:
        scorer.put(line)
    rankings = [r for r in LargeField(lines, expected).rank().rankings() if r.standings]
    assert rankings == scorer.rankings()


def test_exact_halves_of_a_unit_are_rounded_alike() -> None:
    # 32 scores where 33 are expected: Neuberg's formula ends in exact halves of a ten-thousandth.
    outcomes = [f"{level}{strain}N=" for level in range(1, 8) for strain in ("C", "D", "H", "S", "NT")][:32]
    lines = [
        Line(1, Contestant("", n), Contestant("", 100 + n), Outcome.parse(outcome), table=n)
        for n, outcome in enumerate(outcomes, 1)
    ]
    scorer = Scorer(options=Options(expected=33))
    for line in lines:
        scorer.put(line)
    assert LargeField(lines, 33).rank().rankings() == scorer.rankings()


@settings(max_examples=100)
@given(st.integers(0, 10**9), st.sampled_from([1, 2]), st.sampled_from([None, 12]))
def test_columns_are_ranked_as_their_lines_are(seed: int, winners: int, expected: int | None) -> None:
    lines = [
        replace(line, ew=replace(line.ew, number=line.ew.number + 1))  # numbers of columns start at 1
        for line in field_of(seed, winners == 2, [])
    ]
    columns = [
        (line.board, line.ns.number, line.ew.number, line.outcome.ns_score(vulnerability(line.board)))
        for line in lines
    ]
    boards, ns, ew, scores = zip(*columns, strict=True) if columns else ((), (), (), ())
    of_columns = LargeField.of_columns(boards, ns, ew, scores, winners=winners, expected=expected)
    assert of_columns.expected == LargeField(lines, expected).expected
    assert of_columns.rank().rankings() == LargeField(lines, expected).rank().rankings()


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (([1, 1], [1], [1], [400]), "one length"),
        (([1], [1], [1], [-7601]), "between -7600 and 7600"),
        (([1], [1], [1], [7610]), "between -7600 and 7600"),
        (([1], [0], [1], [400]), "numbered from 1"),
    ],
)
def test_invalid_columns_are_refused(columns: tuple[list[int], ...], says: str) -> None:
    boards, ns, ew, scores = columns
    with pytest.raises(BadInput, match=says):
        LargeField.of_columns(boards, ns, ew, scores)


def test_more_lines_than_are_worked_on_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = field_of(3, True, SPECIAL)
    whole = LargeField(lines).rank().rankings()
    monkeypatch.setattr(field, "_SLICE_LENGTH", 4)
    assert len(lines) > 8
    assert LargeField(lines).rank().rankings() == whole


def test_field_without_lines_has_an_empty_ranking() -> None:
    assert LargeField([]).rank().rankings() == []
    assert [r for r in LargeField.of_columns([], [], [], []).rank().rankings() if r.standings] == []
    unplayed = Line(1, Contestant("", 1), Contestant("", 2), Outcome.parse("NP"), table=1)
    assert [r for r in LargeField([unplayed]).rank().rankings() if r.standings] == []


def test_several_fields_are_refused() -> None:
    one, two = Contestant("A", 1), Contestant("A", 2)
    lines = [Line(1, one, two, Outcome.parse("Pass"), field=name, table=1) for name in ("A", "B")]
    with pytest.raises(BadInput, match="one field"):
        LargeField(lines)


def test_an_individual_is_refused() -> None:
    north, east, south, west = (Contestant("A", number) for number in (1, 2, 3, 4))
    with pytest.raises(BadInput, match="individual"):
        LargeField([Line(1, north, east, Outcome.parse("4SN="), south=south, west=west)])
