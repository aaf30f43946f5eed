"""Late pairs: a new movement for a section in play that keeps the results so far if possible. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from overtrick.bridge import Seat, Side
from overtrick.directing.swiss import swiss_of
from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.movement import EMPTY, Round, SetMovement, TablePlan, table_plans
from overtrick.event.setup import GameKind, SectionFormat, SectionSet
from overtrick.movements import Choice


def known_section(session: Session, section: str) -> SectionSet:
    """Return a section of a session; raise BadInput if there is none of that letter."""
    features = session.setup.sections.get(section)
    if features is None:
        raise BadInput(f"There is no section {section[:3]}; nothing was changed.")
    return features


def winners_of(game: GameKind, choice: Choice) -> int:
    """Return the number of winners of a movement: 2 for teams, whose pairs share a number and differ in direction."""
    return 2 if game is GameKind.TEAMS else choice.winners


def open_round(session: Session, section: str) -> int:
    """Return the round after the last one with a result in a section; 1 if there is no result."""
    return 1 + max((place[2] for place in session.results.standing if place[0] == section), default=0)


def can_keep(session: Session, section: str, choice: Choice, first: int) -> bool:
    """Return whether a movement can replace the current one from round `first` on.

    It must have the same number of winners, so that pair numbers keep their meaning, and nobody may play a board twice.
    """
    game = session.setup.sections[section].game
    if winners_of(game, choice) != session.winners(section):
        return False
    plans = _plans_from(session, section, table_plans(choice.movement, section), first)
    seen: set[tuple[object, int]] = set()
    for plan in plans:
        table = session.movement.tables.get((section, plan.table))
        before = table.rounds[: plan.first - 1] if table else ()
        for round_ in (*before, *plan.rounds):
            for contestant in _players_of(round_, choice.winners == 2 or game is GameKind.TEAMS):
                for board in round_.boards if round_.ns and round_.ew else ():
                    if (contestant, board) in seen:
                        return False
                    seen.add((contestant, board))
    return True


def likeliest_change(session: Session, section: str, choices: Sequence[Choice]) -> tuple[int, int]:
    """Return the index of the choice that a director most likely wants, and the first round that it changes.

    It is the choice most similar to the current movement among those that keep the played rounds; if none does, the
    most similar one, from round 1.
    """
    places = _by_likeness(session, section, choices)
    open_from = open_round(session, section)
    if open_from > 1:
        for place in places:
            if can_keep(session, section, choices[place], open_from):
                return place, open_from
    return places[0], 1


def movement_command(session: Session, section: str, choice: Choice, first: int = 1) -> SetMovement:
    """Return the command for a new movement from round `first` on.

    Tables that the movement lacks are removed, or end before that round. Raise BadInput for an unknown section, and if
    the movement cannot continue from there.
    """
    features = known_section(session, section)
    if first > 1 and not can_keep(session, section, choice, first):
        raise BadInput(
            f"That movement cannot continue from round {first}: someone would play a board twice. Nothing was changed."
        )
    plans = _plans_from(session, section, table_plans(choice.movement, section), first)
    name = features.name
    if swiss_of(session, section) is not None:
        # The section is no longer Swiss, so no table waits for a round to be drawn.
        name, plans = "", tuple(replace(plan, is_waiting=False) for plan in plans)
    plan = replace(
        session.plan(section),
        winners=winners_of(features.game, choice),
        name=name,
        missing_pair=0,
        explicit_seating=False,
        format=SectionFormat.MOVEMENT,
        lots=(),
    )
    return SetMovement(session.opened.session, plan, plans)


def _by_likeness(session: Session, section: str, choices: Sequence[Choice]) -> list[int]:
    """Return the indexes of the choices, most similar to the section's current movement first."""

    def likeness(number: int) -> tuple[int, int]:
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

    return sorted(range(len(choices)), key=likeness, reverse=True)


def _players_of(round_: Round, has_two_winners: bool) -> set[tuple[int, Side | None]]:
    """Return the contestants at a table: numbers, with the direction if there are two winners."""
    everyone = {(round_.number(seat), seat.side if has_two_winners else None) for seat in Seat}
    return {contestant for contestant in everyone if contestant[0]}


def _plans_from(
    session: Session, section: str, plans: Sequence[TablePlan], first: int
) -> tuple[TablePlan, ...]:
    """Return the plans from round `first` on; earlier rounds stay, and tables without a plan end before it."""
    tables = session.movement.section(section)
    remaining = []
    for plan in plans:
        existing = min(len(tables[plan.table].rounds) if plan.table in tables else 0, first - 1)
        gap = (EMPTY,) * (first - 1 - existing)
        remaining.append(TablePlan(plan.table, gap + plan.rounds[first - 1 :], existing + 1))
    planned = {plan.table for plan in plans}
    remaining += [TablePlan(table, (), first) for table in tables if table not in planned]
    return tuple(remaining)
