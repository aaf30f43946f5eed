import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bws.instructions import Does, Instruction, is_instruction, parse_instruction


@pytest.mark.parametrize(
    ("value", "instruction"),
    [
        (1, Instruction(Does.ROUNDS, 1, waits=False)),
        (255, Instruction(Does.ROUNDS, 255, waits=False)),
        (256, Instruction(Does.WAITING, waits=True)),
        (257, Instruction(Does.ROUNDS, 1, waits=True)),
        (259, Instruction(Does.ROUNDS, 3, waits=True)),
        (511, Instruction(Does.ROUNDS, 255, waits=True)),
        (-1, Instruction(Does.REMOVE_ROUNDS, 1)),
        (-6, Instruction(Does.REMOVE_ROUNDS, 6)),
        (-255, Instruction(Does.REMOVE_ROUNDS, 255)),
        (-256, Instruction(Does.WAITING, waits=False)),
        (996, Instruction(Does.HAND_RECORDS)),
        (997, Instruction(Does.SETTINGS)),
        (998, Instruction(Does.RESET)),
        (999, Instruction(Does.REMOVE_TABLE)),
    ],
)
def test_the_guides_values(value: int, instruction: Instruction) -> None:
    assert parse_instruction(value) == instruction
    assert instruction.value == value


@pytest.mark.parametrize("value", [0, 512, 700, 995, 1000, -257, -999])
def test_values_without_a_meaning(value: int) -> None:
    assert not is_instruction(value)


@given(st.integers(-32768, 32767))
def test_what_has_a_meaning_is_written_as_it_was_read(value: int) -> None:
    found = parse_instruction(value)
    assert found is None or found.value == value
