"""Restoring a section as it was before tables of it were removed: movement, seats, results and rulings, in one command.

An update of the scoring program may leave out tables by mistake, which removes their results too. Pure.
"""

from collections.abc import Iterable, Sequence

from overtrick.bridge import Outcome, Side
from overtrick.errors import BadInput
from overtrick.event import DECIDE, Command, Rejection, Session, SessionTransaction
from overtrick.event.fact import Fact
from overtrick.event.movement import SetMovement, TableDropped, TablePlan
from overtrick.event.results import Origin, PutResults, ResultEntry, ResultRecorded
from overtrick.event.rulings import BoardVersion, FoulBoard, NoteRuling
from overtrick.event.seating import Participation, PutParticipations, Source


def restore_section(
    history: Sequence[tuple[str, Fact]], current: Session, section: str
) -> SessionTransaction:
    """Return the command that undoes the last removal of tables of a section.

    `history` is the whole stream of the session, each fact with its command id. Results entered since are kept at
    each table up to the first round that changes. Raise BadInput if no table was removed or the movement is refused.
    """
    ids = [
        command
        for command, fact in history
        if isinstance(fact, TableDropped)
        and fact.section == section
        and (section, fact.table) in current.movement.removed
    ]
    if not ids or section not in current.setup.sections:
        raise BadInput(f"No table of section {section} was removed; nothing was changed.")
    before = Session()
    for command, fact in history:
        if command == ids[-1]:
            break
        before.apply(fact)
    guid = current.opened.session
    movement_change = SetMovement(guid, before.plan(section), tuple(_tables(before, current, section)))
    facts = DECIDE[SetMovement](current, movement_change)
    if isinstance(facts, Rejection):
        raise BadInput(f"The movement cannot be restored: {facts} Nothing was changed.")
    after = current.after(facts)
    return SessionTransaction(
        guid,
        (
            movement_change,
            PutParticipations(guid, tuple(_seats(before, after, section)), Source.DESK, must_be_known=False),
            PutResults(guid, tuple(_entries(before, after, section)), Origin.DESK),
            *_rulings(before, current, after, section),
        ),
    )


def _tables(before: Session, current: Session, section: str) -> Iterable[TablePlan]:
    earlier_tables = before.movement.section(section)
    for number, table in earlier_tables.items():
        yield TablePlan(number, table.rounds, 1, table.group, table.is_waiting)
    for number in current.movement.section(section).keys() - earlier_tables.keys():
        yield TablePlan(number, ())


def _seats(before: Session, after: Session, section: str) -> Iterable[Participation]:
    """Yield the players of chairs that are empty now, unless they sit elsewhere."""
    seated_numbers = {seated.number for seated in after.seating.chairs.values()}
    for (letters, table, number, seat), seated in before.seating.chairs.items():
        chair = letters, table, number, seat
        is_elsewhere = bool(seated.number) and seated.number in seated_numbers
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
            yield from restoring_entries(result)


def _rulings(before: Session, current: Session, after: Session, section: str) -> Iterable[Command]:
    """Yield the commands for the notes on rulings and the deals of fouled boards that were removed with the tables."""
    guid = after.opened.session
    for place, note in before.rulings.notes.items():
        if place[0] == section and place not in after.results.standing:
            yield NoteRuling(guid, *place, note.reason, note.at, note.appeal, note.table_result)
    for place, name in before.rulings.versions.items():
        if place[0] == section and current.movement.round(*place[:3]) != before.movement.round(*place[:3]):
            board, reasons = place[3], before.rulings.foul_reasons
            yield FoulBoard(guid, board, (BoardVersion(name, (place[:3],)),), reasons.get(board, ""))


def restoring_entries(result: ResultRecorded) -> Iterable[ResultEntry]:
    """Yield the entries that restore a result: one, or one for each side if their outcomes differ."""
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
