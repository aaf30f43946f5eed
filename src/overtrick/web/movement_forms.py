"""Forms of the desk that change the movement of a section: another one, a late pair, a missing one."""

from overtrick.digits import parse_digits
from overtrick.directing.late_pairs import known_section, movement_command
from overtrick.directing.missing_pairs import missing_command
from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.movement import SetMovement
from overtrick.movements import Choice
from overtrick.web.forms import Form, number_of
from overtrick.web.setting_up import KINDS, offers


def choices_of(session: Session, section: str, form: Form) -> tuple[int, int, list[Choice]]:
    """Return how many contestants and boards a form asks for in a section, and the movements that suit them."""
    kind = KINDS[known_section(session, section).game.value]
    pairs = number_of(form, "pairs", kind.least, kind.most, f"The number of {kind.many}")
    boards = number_of(form, "boards", 2, 60, "The number of boards")
    return pairs, boards, offers(kind, pairs, boards)


def read_movement(session: Session, section: str, form: Form) -> SetMovement:
    """Return the command for the movement that a form chooses."""
    _, _, choices = choices_of(session, section, form)
    if not choices:
        raise BadInput("There is no movement for so many and so many boards; nothing was changed.")
    chosen = choices[number_of(form, "choice", 0, len(choices) - 1, "The movement")]
    first = number_of({"from": "1", **form}, "from", 1, 999, "The first round that changes")
    return movement_command(session, section, chosen, first)


def read_missing(session: Session, section: str, form: Form) -> SetMovement:
    """Return the command for the pair that a form says is missing."""
    text = form.get("missing", "0")
    number = parse_digits(text.removeprefix("-"), 4)
    if number is None:
        raise BadInput("The form does not say who is missing; nothing was changed.")
    return missing_command(session, section, -number if text.startswith("-") else number)
