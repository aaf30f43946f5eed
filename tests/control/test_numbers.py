import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.control.numbers import find_name, is_possible
from overtrick.event.settings import NumberRules


@pytest.mark.parametrize(
    ("rules", "number", "possible"),
    [
        # 1x7 + 2x6 + 3x5 + 4x4 + 5x3 + 6x2 = 77, so the check digit is 0
        (NumberRules.ACBL, "1234560", True),
        (NumberRules.ACBL, "J234560", True),
        (NumberRules.ACBL, "j234560", True),
        (NumberRules.ACBL, "1234561", False),
        (NumberRules.ACBL, "234560", False),
        (NumberRules.ACBL, "S234560", False),
        (NumberRules.ACBL, "0000000", False),
        # the couples of the page that explains the key of the French numbers
        (NumberRules.FFB, "490714", True),
        (NumberRules.FFB, "490706", True),
        (NumberRules.FFB, "2094100", True),
        (NumberRules.FFB, "2094118", True),
        (NumberRules.FFB, "2094119", False),
        (NumberRules.FFB, "123456789", False),
        (NumberRules.FFB, "49O714", False),
        # 0x7 + 6x6 + 2x5 + 0x4 + 2x3 + 4x2 = 60, 60 mod 11 = 5, 11 - 5 = 6
        (NumberRules.ABF, "620246", True),
        (NumberRules.ABF, "0620246", True),
        (NumberRules.ABF, "620245", False),
        (NumberRules.JCBL, "12345", True),
        (NumberRules.JCBL, "12a45", False),
        (NumberRules.NONE, "club 7", True),
        (NumberRules.NONE, " 7", False),
        (NumberRules.NONE, "", False),
        (NumberRules.NONE, "9" * 17, False),
    ],
)
def test_numbers(rules: NumberRules, number: str, possible: bool) -> None:
    assert is_possible(number, rules) is possible


@given(st.integers(10**6, 10**7 - 1), st.integers(0, 6), st.integers(1, 9))
def test_one_wrong_digit_of_an_acbl_number_is_always_found(number: int, place: int, more: int) -> None:
    text = str(number)
    if is_possible(text, NumberRules.ACBL):
        wrong = text[:place] + str((int(text[place]) + more) % 10) + text[place + 1 :]
        assert wrong[0] == "0" or not is_possible(wrong, NumberRules.ACBL)


@given(st.text(max_size=20), st.sampled_from(list(NumberRules)))
def test_any_text_gets_an_answer(text: str, rules: NumberRules) -> None:
    assert is_possible(text, rules) in (True, False)


def test_names_by_text_and_by_figure() -> None:
    names = {"01": "Ely Culbertson", "1x": "Jo Culbertson"}
    assert find_name("1", names) == ""
    assert find_name("1", names, as_text=False) == "Ely Culbertson"
    assert find_name("1x", names, as_text=False) == "Jo Culbertson"
    assert find_name("²", names, as_text=False) == ""
