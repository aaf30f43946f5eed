"""Another movement, a late pair or a missing one: the command, and what it would do.

That is decided on the session as it stands, and written nowhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from overtrick.errors import BadInput
from overtrick.event import DECIDE, Command, Rejection, Session
from overtrick.event.movement import SectionPlan, SetMovement, TablePlan, table_plans
from overtrick.event.results import ResultErased
from overtrick.movements import Choice
from overtrick.web.forms import Form, number_of
from overtrick.web.setting_up import KINDS, offers
from overtrick.web.shown import contract_words


@dataclass(frozen=True, slots=True)
class Preview:
    """The results that would go, how much else would change, and why it cannot be, where it cannot."""

    erased: tuple[str, ...]
    changes: int
    refusal: str = ""


def preview_of(session: Session, command: Command) -> Preview:
    """What a command would do."""
    decided = DECIDE[type(command)](session, command)
    if isinstance(decided, Rejection):
        return Preview((), 0, str(decided))
    erased = [fact for fact in decided if isinstance(fact, ResultErased)]
    return Preview(tuple(_words(session, fact) for fact in erased), len(decided) - len(erased))


def _words(session: Session, fact: ResultErased) -> str:
    place = fact.section, fact.table, fact.round, fact.board
    outcome = contract_words(session.results.standing[place].outcome)
    return f"Table {fact.section}{fact.table}, round {fact.round}, board {fact.board}: {outcome}"


def most_alike(session: Session, section: str, choices: Sequence[Choice]) -> int:
    """The place of the choice that is most like what the section plays now."""

    def alike(number: int) -> tuple[int, int]:
        plans = table_plans(choices[number].movement, section)
        same = sum(
            before == after
            for plan in plans
            if (section, plan.table) in session.movement.tables
            for before, after in zip(
                session.movement.tables[section, plan.table].rounds, plan.rounds, strict=False
            )
        )
        return same, -number

    return max(range(len(choices)), key=alike, default=0)


def choices_of(session: Session, section: str, form: Form) -> tuple[int, int, list[Choice]]:
    """How many contestants and boards a form asks for in a section, and the movements that suit them."""
    known = session.setup.sections.get(section)
    if known is None:
        raise BadInput(f"There is no section {section[:3]}; nothing was changed.")
    kind = KINDS[known.game.value]
    pairs = number_of(form, "pairs", kind.least, kind.most, f"The number of {kind.many}")
    boards = number_of(form, "boards", 2, 60, "The number of boards")
    return pairs, boards, offers(kind, pairs, boards)


def movement_command(session: Session, section: str, form: Form) -> SetMovement:
    """Another movement for a section; tables that it does not have go."""
    known = session.setup.sections.get(section)
    if known is None:
        raise BadInput(f"There is no section {section[:3]}; nothing was changed.")
    kind = KINDS[known.game.value]
    _, _, choices = choices_of(session, section, form)
    if not choices:
        raise BadInput("There is no movement for so many and so many boards; nothing was changed.")
    chosen = choices[number_of(form, "choice", 0, len(choices) - 1, "The movement")]
    plans = table_plans(chosen.movement, section)
    stay = {plan.table for plan in plans}
    gone = tuple(TablePlan(table, ()) for table in session.movement.section(section) if table not in stay)
    return SetMovement(
        session.opened.session,
        SectionPlan(
            section,
            known.group,
            kind.winners(chosen),
            known.game,
            known.name,
            0,
            known.ew_moves,
            known.combi,
            known.id,
        ),
        (*plans, *gone),
    )


def missing_command(session: Session, section: str, form: Form) -> SetMovement:
    """A pair that does not come, or that has come after all; the movement stays as it is."""
    known = session.setup.sections.get(section)
    if known is None:
        raise BadInput(f"There is no section {section[:3]}; nothing was changed.")
    text = form.get("missing", "0")
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 5):
        raise BadInput("The form does not say who is missing; nothing was changed.")
    number = int(text)
    return SetMovement(
        session.opened.session,
        SectionPlan(
            section,
            known.group,
            known.winners or session.winners(section),
            known.game,
            known.name,
            number,
            known.ew_moves,
            known.combi,
            known.id,
            known.explicit_seating,
        ),
    )
