import pytest

from overtrick.scoring import Datum, Method, Scale, UnknownMethod

# What the guide lists, and what the vendor's client says of the finer ones: average plus, and datum or kind.
NUMBERS = {
    10: (Method.MATCHPOINTS, None, None),
    20: (Method.BUTLER, 2, Datum.WEIGHTED),
    21: (Method.BUTLER_TRIMMED, 2, Datum.TRIMMED),
    22: (Method.BUTLER_MEAN, 2, Datum.MEAN),
    25: (Method.BUTLER_3, 3, Datum.WEIGHTED),
    26: (Method.BUTLER_TRIMMED_3, 3, Datum.TRIMMED),
    27: (Method.BUTLER_MEAN_3, 3, Datum.MEAN),
    30: (Method.CROSS_IMPS, 2, None),
    31: (Method.CROSS_IMPS_AVERAGE, 2, None),
    35: (Method.CROSS_IMPS_3, 3, None),
    36: (Method.CROSS_IMPS_AVERAGE_3, 3, None),
    40: (Method.TEAM_IMPS, None, None),
    50: (Method.VPS_DISCRETE, None, None),
    51: (Method.VPS_CONTINUOUS, None, None),
    60: (Method.BOARD_A_MATCH, None, None),
    70: (Method.PATTON, None, None),
}


@pytest.mark.parametrize("number", NUMBERS)
def test_every_number_has_its_method(number: int) -> None:
    method, average_plus, datum = NUMBERS[number]
    assert Method.of(number) is Method.of(str(number)) is Method.of(method.value.upper()) is method
    assert method.number == number
    assert average_plus is None or method.average_plus == average_plus
    assert datum is None or method.datum is datum
    assert method.is_butler == (20 <= number < 30)
    assert method.is_imps == (20 <= number < 40)
    assert method.is_teams == (number >= 40)


def test_methods_have_their_scale_and_unit() -> None:
    assert [Method.of(number).is_average for number in (30, 31, 35, 36)] == [False, True, False, True]
    assert [Method.of(number).scale for number in (10, 50, 51, 52)] == [
        None,
        Scale.DISCRETE,
        Scale.CONTINUOUS,
        Scale.OLD,
    ]
    assert len({method.number for method in Method}) == len(Method)
    assert {method.point for method in Method} == {"MP", "IMP", "VP", "BAM", "Patton"}


def test_an_unknown_method_names_those_there_are() -> None:
    for wrong in (33, "rubber"):
        with pytest.raises(UnknownMethod) as caught:
            Method.of(wrong)
        assert str(wrong) in str(caught.value)
        for method in Method:
            assert f"{method.value} ({method.number})" in str(caught.value)
