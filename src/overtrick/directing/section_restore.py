"""Putting back a section as it was before tables of it were removed: movement, seats and results, in one command.

An update of the scoring program may leave tables out by mistake, and their results go with them.
"""

from collections.abc import Iterable, Sequence

from overtrick.bridge import Outcome, Side
from overtrick.errors import BadInput
from overtrick.event import DECIDE, Rejection, Session, SessionTransaction
from overtrick.event.fact import Fact
from overtrick.event.movement import SetMovement, TableDropped, TablePlan
from overtrick.event.results import Origin, PutResults, ResultEntry, ResultRecorded
from overtrick.event.seating import Participation, PutParticipations, Source


def restore_section(history: Sequence[tuple[str, Fact]], now: Session, section: str) -> SessionTransaction:
    """Return the command that undoes the last removal of tables of a section.

    `history` is the whole stream of the session, each fact with the id of its command. Results that were entered
    since stay where their rounds are the same.
    """
    ids = [
        command
        for command, fact in history
        if isinstance(fact, TableDropped)
        and fact.section == section
        and (section, fact.table) in now.movement.removed
    ]
    if not ids or section not in now.setup.sections:
        raise BadInput(f"No table of section {section} was removed; nothing was changed.")
    before = Session()
    for command, fact in history:
        if command == ids[-1]:
            break
        before.apply(fact)
    guid = now.opened.session
    moving = SetMovement(guid, before.plan(section), tuple(_tables(before, now, section)))
    facts = DECIDE[SetMovement](now, moving)
    if isinstance(facts, Rejection):
        raise BadInput(f"The movement cannot be put back: {facts} Nothing was changed.")
    after = now.after(facts)
    return SessionTransaction(
        guid,
        (
            moving,
            PutParticipations(guid, tuple(_seats(before, after, section)), Source.DESK, must_be_known=False),
            PutResults(guid, tuple(_entries(before, after, section)), Origin.DESK),
        ),
    )


def _tables(before: Session, now: Session, section: str) -> Iterable[TablePlan]:
    were = before.movement.section(section)
    for number, table in were.items():
        yield TablePlan(number, table.rounds, 1, table.group, table.is_waiting)
    for number in now.movement.section(section).keys() - were.keys():
        yield TablePlan(number, ())


def _seats(before: Session, after: Session, section: str) -> Iterable[Participation]:
    """Yield who sat in chairs that are empty now, and sits nowhere else."""
    sitting = {seated.number for seated in after.seating.chairs.values()}
    for (letters, table, number, seat), seated in before.seating.chairs.items():
        chair = letters, table, number, seat
        is_elsewhere = bool(seated.number) and seated.number in sitting
        if letters == section and chair not in after.seating.chairs and not is_elsewhere:
            player = seated.player
            yield Participation(
                letters,
                table,
                seat,
                player.number,
                player.first_name,
                player.last_name,
                player.country,
                number,
            )


def _entries(before: Session, after: Session, section: str) -> Iterable[ResultEntry]:
    for place, result in before.results.standing.items():
        if place[0] == section and place not in after.results.standing:
            yield from _entries_of(result)


def _entries_of(result: ResultRecorded) -> Iterable[ResultEntry]:
    """Yield the entries that make a result again: one, or one for each side where they differ."""
    sides: list[tuple[Side | None, Outcome | None]] = [(None, result.outcome)]
    if result.outcome_ew is not None:
        sides = [(Side.NS, result.outcome), (Side.EW, result.outcome_ew)]
    for side, outcome in sides:
        if outcome is not None:
            yield ResultEntry(
                *result.place,
                outcome,
                result.at,
                side,
                result.lead,
                result.is_wrong_direction,
                result.ns,
                result.ew,
            )
