"""Late pairs: another movement for a section in play, and the results that it can keep. Pure."""

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
    """Return a section that the session has; BadInput where it has none."""
    known = session.setup.sections.get(section)
    if known is None:
        raise BadInput(f"There is no section {section[:3]}; nothing was changed.")
    return known


def winners_of(game: GameKind, choice: Choice) -> int:
    """Return how many win a movement: a team's two pairs have its number, so their directions are told apart."""
    return 2 if game is GameKind.TEAMS else choice.winners


def open_round(session: Session, section: str) -> int:
    """Return the first round of a section from which on nothing has been entered."""
    return 1 + max((place[2] for place in session.results.standing if place[0] == section), default=0)


def can_keep(session: Session, section: str, choice: Choice, first: int) -> bool:
    """Return whether a movement can go on from a round: the same pairs, and nobody plays a board twice."""
    game = session.setup.sections[section].game
    if winners_of(game, choice) != session.winners(section):
        return False
    plans = _kept(session, section, table_plans(choice.movement, section), first)
    seen: set[tuple[object, int]] = set()
    for plan in plans:
        table = session.movement.tables.get((section, plan.table))
        before = table.rounds[: plan.first - 1] if table else ()
        for played in (*before, *plan.rounds):
            for who in _players_of(played, choice.winners == 2 or game is GameKind.TEAMS):
                for board in played.boards if played.ns and played.ew else ():
                    if (who, board) in seen:
                        return False
                    seen.add((who, board))
    return True


def likeliest_change(session: Session, section: str, choices: Sequence[Choice]) -> tuple[int, int]:
    """Return the place of the movement that a director most likely means, and the first round that it changes.

    That is one that keeps what was played, or else the one that is most like what the section plays now.
    """
    places = _by_likeness(session, section, choices)
    played_on = open_round(session, section)
    if played_on > 1:
        for place in places:
            if can_keep(session, section, choices[place], played_on):
                return place, played_on
    return places[0], 1


def movement_command(session: Session, section: str, choice: Choice, first: int = 1) -> SetMovement:
    """Return the command for another movement from a round on; tables that it does not have go."""
    known = known_section(session, section)
    if first > 1 and not can_keep(session, section, choice, first):
        raise BadInput(
            f"That movement cannot go on from round {first}: someone would play a board twice; nothing was changed."
        )
    plans = _kept(session, section, table_plans(choice.movement, section), first)
    name = known.name
    if swiss_of(session, section) is not None:
        # It is not drawn any more, so nobody waits for a round after the last.
        name, plans = "", tuple(replace(plan, is_waiting=False) for plan in plans)
    plan = replace(
        session.plan(section),
        winners=winners_of(known.game, choice),
        name=name,
        missing_pair=0,
        explicit_seating=False,
        format=SectionFormat.MOVEMENT,
        lots=(),
    )
    return SetMovement(session.opened.session, plan, plans)


def _by_likeness(session: Session, section: str, choices: Sequence[Choice]) -> list[int]:
    """Return the places of the choices, those first that are most like what the section plays now."""

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


def _players_of(played: Round, two: bool) -> set[tuple[int, Side | None]]:
    """Return everyone at a table, by number, and by direction where that tells them apart."""
    everyone = {(played.number(seat), seat.side if two else None) for seat in Seat}
    return {who for who in everyone if who[0]}


def _kept(session: Session, section: str, plans: Sequence[TablePlan], first: int) -> tuple[TablePlan, ...]:
    """Return planned tables from a round on; the rounds before it stay as they are."""
    known = session.movement.section(section)
    found = []
    for plan in plans:
        have = min(len(known[plan.table].rounds) if plan.table in known else 0, first - 1)
        gap = (EMPTY,) * (first - 1 - have)
        found.append(TablePlan(plan.table, gap + plan.rounds[first - 1 :], have + 1))
    planned = {plan.table for plan in plans}
    found += [TablePlan(table, (), first) for table in known if table not in planned]
    return tuple(found)
