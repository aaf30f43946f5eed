"""How the results of a board are listed: as frequencies or as a traveller, from whose side, and how many."""

from collections import Counter
from dataclasses import dataclass

from overtrick.bridge import Award, Outcome, Played, Side, vulnerability
from overtrick.control.machine import Machine
from overtrick.control.rules import Rules
from overtrick.control.snapshot import ComparedLine
from overtrick.event.settings import Perspective, Spelling, ViewResults


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A line of a list: a result of a pair of pairs, or how often there was one."""

    result: str
    scores: tuple[str, ...]
    """North-South's or declarer's score; in two columns what each side wrote down."""
    ns: str = ""
    ew: str = ""
    count: int = 1
    is_own: bool = False


def spelled(outcome: Outcome, rules: Rules) -> str:
    """An outcome as players read it.

    >>> spelled(Outcome.parse("4SxN+1"), Rules(spelling=Spelling.LETTERS)), spelled(Outcome.parse("3NTW="), Rules())
    ('4Sx N +1', '3NT W =')
    """
    if not isinstance(outcome, Played):
        return str(outcome)
    contract = outcome.contract
    strain = contract.strain.letter if rules.spelling is Spelling.LETTERS else contract.strain.symbol
    over = f"{outcome.overtricks:+}" if outcome.overtricks else "="
    return f"{contract.level}{strain}{contract.doubling.sign} {contract.declarer.value} {over}"


def scores(outcome: Outcome, board: int, rules: Rules) -> tuple[str, ...]:
    """The score columns of an outcome.

    >>> scores(Outcome.parse("4SE="), 1, Rules()), scores(Outcome.parse("4SE="), 1, Rules(two_columns=True))
    (('-420',), ('', '420'))
    >>> scores(Outcome.parse("4SE="), 1, Rules(perspective=Perspective.DECLARER))
    ('420',)
    """
    score = outcome.ns_score(vulnerability(board))
    if isinstance(outcome, Award):
        return (
            (f"{outcome.ns}%", f"{outcome.ew}%") if rules.two_columns else (f"{outcome.ns}%-{outcome.ew}%",)
        )
    if score is None:
        return ("", "") if rules.two_columns else ("",)
    if rules.two_columns:
        return (str(score) if score > 0 else "", str(-score) if score < 0 else "")
    if rules.perspective is Perspective.DECLARER and isinstance(outcome, Played):
        score = score if outcome.contract.side is Side.NS else -score
    return (str(score),)


def compared(machine: Machine, board: int) -> list[ComparedLine]:
    """The results of the field on a board, with this table's own as it knows it."""
    found = [line for line in machine.known.compared if line.board == board and not line.is_own]
    own = own_line(machine, board)
    return [*found, own] if own else found


def own_line(machine: Machine, board: int) -> ComparedLine | None:
    """This table's line on a board."""
    standing = machine.results().get((machine.round, board))
    if standing is None or not standing.outcome:
        return None
    for line in machine.known.compared:
        if line.board == board and line.is_own and line.outcome == standing.outcome:
            return line
    here = machine.here()
    ns, ew = (str(here.ns), str(here.ew)) if here else ("", "")
    # What was not sent, or not answered, has no points yet.
    return ComparedLine(board, ns, ew, standing.outcome, True, None, None, None, None)


def result_lines(machine: Machine, board: int) -> list[ResultLine]:
    """The results of a board as the rules want them listed."""
    rules = machine.rules
    lines = compared(machine, board)
    if rules.view_results is ViewResults.OWN:
        lines = [line for line in lines if line.is_own]
    elif not rules.show_own_result:
        lines = [line for line in lines if not line.is_own]
    made = [(Outcome.parse(line.outcome), line) for line in lines]
    if rules.is_frequency:
        counted = Counter(outcome for outcome, _ in made)
        own = {outcome for outcome, line in made if line.is_own}
        listed = [
            ResultLine(
                spelled(outcome, rules),
                scores(outcome, board, rules),
                count=count,
                is_own=outcome in own,
            )
            for outcome, count in sorted(counted.items(), key=lambda item: _order(item[0], board))
        ]
    else:
        listed = [
            ResultLine(
                spelled(outcome, rules),
                scores(outcome, board, rules),
                line.ns,
                line.ew,
                is_own=line.is_own,
            )
            for outcome, line in sorted(made, key=lambda item: _order(item[0], board))
        ]
    return listed[: rules.maximum_results] if rules.maximum_results else listed


def _order(outcome: Outcome, board: int) -> tuple[bool, int, str]:
    score = outcome.ns_score(vulnerability(board))
    return score is None, -(score or 0), str(outcome)


def pages(machine: Machine, board: int) -> int:
    """How many pages the list of a board has."""
    return max(1, -(-len(result_lines(machine, board)) // machine.rules.lines))
