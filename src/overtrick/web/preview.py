"""What a change of the movement would do, decided on the session as it stands and written nowhere."""

from collections.abc import Sequence
from dataclasses import dataclass

from overtrick.event import DECIDE, Command, Rejection, Session
from overtrick.event.movement import table_plans
from overtrick.event.results import ResultErased
from overtrick.movements import Choice
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
