"""Another movement, a late pair or a missing one: the command, and what it would do.

That is decided on the session as it stands, and written nowhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from overtrick.bridge import Seat, Side
from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.event import DECIDE, Command, Rejection, Session
from overtrick.event.movement import EMPTY, Round, SectionPlan, SetMovement, TablePlan, table_plans
from overtrick.event.results import ResultErased
from overtrick.event.setup import Game, SectionFormat, SectionSet
from overtrick.movements import Choice
from overtrick.web.forms import Form, as_it_is, number_of
from overtrick.web.setting_up import KINDS, offers
from overtrick.web.shown import contract_words
from overtrick.web.swiss import swiss_of


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


def by_likeness(session: Session, section: str, choices: Sequence[Choice]) -> list[int]:
    """The places of the choices, those first that are most like what the section plays now."""

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

    return sorted(range(len(choices)), key=alike, reverse=True)


# Keeping what was played ------------------------------------------------------------------------------------------


def open_round(session: Session, section: str) -> int:
    """The first round of a section from which on nothing has been entered."""
    return 1 + max((place[2] for place in session.results.standing if place[0] == section), default=0)


def can_keep(session: Session, section: str, choice: Choice, first: int) -> bool:
    """Whether a movement can go on from a round: the same pairs, and nobody plays a board twice."""
    kind = KINDS[session.setup.sections[section].game.value]
    if kind.winners(choice) != session.winners(section):
        return False
    plans = _kept(session, section, table_plans(choice.movement, section), first)
    seen: set[tuple[object, int]] = set()
    for plan in plans:
        table = session.movement.tables.get((section, plan.table))
        before = table.rounds[: plan.first - 1] if table else ()
        for played in (*before, *plan.rounds):
            for who in _players_of(played, choice.winners == 2 or kind.game is Game.TEAMS):
                for board in played.boards if played.ns and played.ew else ():
                    if (who, board) in seen:
                        return False
                    seen.add((who, board))
    return True


def _players_of(played: Round, two: bool) -> set[tuple[int, Side | None]]:
    """Everyone at a table, by number, and by direction where that tells them apart."""
    everyone = {(played.number(seat), seat.side if two else None) for seat in Seat}
    return {who for who in everyone if who[0]}


def _kept(session: Session, section: str, plans: Sequence[TablePlan], first: int) -> tuple[TablePlan, ...]:
    """Planned tables from a round on; the rounds before it stay as they are."""
    known = session.movement.section(section)
    found = []
    for plan in plans:
        have = min(len(known[plan.table].rounds) if plan.table in known else 0, first - 1)
        gap = (EMPTY,) * (first - 1 - have)
        found.append(TablePlan(plan.table, gap + plan.rounds[first - 1 :], have + 1))
    planned = {plan.table for plan in plans}
    found += [TablePlan(table, (), first) for table in known if table not in planned]
    return tuple(found)


# Commands ---------------------------------------------------------------------------------------------------------


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
    first = number_of({"from": "1", **form}, "from", 1, 999, "The first round that changes")
    if first > 1 and not can_keep(session, section, chosen, first):
        raise BadInput(
            f"That movement cannot go on from round {first}: someone would play a board twice; nothing was changed."
        )
    plans = _kept(session, section, table_plans(chosen.movement, section), first)
    name = known.name
    if swiss_of(session, section) is not None:
        # It is not drawn any more, so nobody waits for a round after the last.
        name, plans = "", tuple(replace(plan, is_waiting=False) for plan in plans)
    return SetMovement(
        session.opened.session,
        SectionPlan(
            section,
            known.group,
            kind.winners(chosen),
            known.game,
            name,
            0,
            known.ew_moves,
            known.combi,
            known.id,
            format=SectionFormat.MOVEMENT,
            lots=(),
        ),
        plans,
    )


def missing_command(session: Session, section: str, form: Form) -> SetMovement:
    """A pair that does not come, or that has come after all; one that has played goes home from a round on."""
    known = session.setup.sections.get(section)
    if known is None:
        raise BadInput(f"There is no section {section[:3]}; nothing was changed.")
    text = form.get("missing", "0")
    number = parse_digits(text.removeprefix("-"), 4)
    if number is None:
        raise BadInput("The form does not say who is missing; nothing was changed.")
    if text.startswith("-"):
        number = -number
    first = open_round(session, section)
    if number and first > 1 and _has_played(session, section, number):
        return _goes_home(session, known, number, first)
    return SetMovement(session.opened.session, replace(as_it_is(session, known), missing_pair=number))


def _is_who(session: Session, section: str, number: int, side: Side) -> bool:
    """Whether a pair of this side is meant; negative is a pair of East-West where two win."""
    return session.winners(section) != 2 or (side is Side.EW) == (number < 0)


def _has_played(session: Session, section: str, number: int) -> bool:
    return any(
        (result.ns == abs(number) and _is_who(session, section, number, Side.NS))
        or (result.ew == abs(number) and _is_who(session, section, number, Side.EW))
        for place, result in session.results.standing.items()
        if place[0] == section
    )


def _goes_home(session: Session, known: SectionSet, number: int, first: int) -> SetMovement:
    """From a round on nobody is where the pair would have been; what it has played stays."""

    def is_gone(pair: int, side: Side) -> bool:
        return pair == abs(number) and _is_who(session, known.section, number, side)

    def without(played: Round) -> Round:
        return replace(
            played,
            ns=0 if is_gone(played.ns, Side.NS) else played.ns,
            ew=0 if is_gone(played.ew, Side.EW) else played.ew,
        )

    tables = session.movement.section(known.section)
    plans = (
        TablePlan(table, tuple(without(played) for played in at.rounds[first - 1 :]), first)
        for table, at in tables.items()
        if len(at.rounds) >= first
    )
    return SetMovement(session.opened.session, as_it_is(session, known), tuple(plans))
