import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.bws.instructions import Instruction, InstructionKind, is_instruction, parse_instruction


@pytest.mark.parametrize(
    ("value", "instruction"),
    [
        (1, Instruction(InstructionKind.ROUNDS, 1, waits=False)),
        (255, Instruction(InstructionKind.ROUNDS, 255, waits=False)),
        (256, Instruction(InstructionKind.WAITING, waits=True)),
        (257, Instruction(InstructionKind.ROUNDS, 1, waits=True)),
        (259, Instruction(InstructionKind.ROUNDS, 3, waits=True)),
        (511, Instruction(InstructionKind.ROUNDS, 255, waits=True)),
        (-1, Instruction(InstructionKind.REMOVE_ROUNDS, 1)),
        (-6, Instruction(InstructionKind.REMOVE_ROUNDS, 6)),
        (-255, Instruction(InstructionKind.REMOVE_ROUNDS, 255)),
        (-256, Instruction(InstructionKind.WAITING, waits=False)),
        (996, Instruction(InstructionKind.HAND_RECORDS)),
        (997, Instruction(InstructionKind.SETTINGS)),
        (998, Instruction(InstructionKind.RESET)),
        (999, Instruction(InstructionKind.REMOVE_TABLE)),
    ],
)
def test_values_of_the_guide_are_parsed(value: int, instruction: Instruction) -> None:
    assert parse_instruction(value) == instruction
    assert instruction.value == value


@pytest.mark.parametrize("value", [0, 512, 700, 995, 1000, -257, -999])
def test_values_without_meaning_are_no_instructions(value: int) -> None:
    assert not is_instruction(value)


@given(st.integers(-32768, 32767))
def test_parsed_instruction_has_the_value_it_was_parsed_from(value: int) -> None:
    found = parse_instruction(value)
    assert found is None or found.value == value
