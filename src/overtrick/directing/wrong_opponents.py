"""Two pairs that sat in each other's places in a Swiss round: the movement is corrected, results stay at their tables.

The next draw takes from the movement which pairs have met. Pure.
"""

from collections.abc import Iterator
from dataclasses import replace

from overtrick.directing.section_restore import restoring_entries
from overtrick.directing.swiss import SwissSection
from overtrick.errors import BadInput
from overtrick.event import Command, Session, SessionTransaction
from overtrick.event.movement import SetMovement, TablePlan
from overtrick.event.place import Place
from overtrick.event.results import JudgeResult, Origin, PutResults, ResultEntry, Suspicion
from overtrick.event.rulings import BoardVersion, FoulBoard, NoteRuling


def swap_opponents(
    session: Session, swiss: SwissSection, number: int, one: int, other: int
) -> SessionTransaction:
    """Return the command that exchanges two pairs in a drawn round.

    Changing a round erases the results of its tables from there on, so the command enters them again, with their
    rulings; the results of the round itself then count for the exchanged pairs. Raise BadInput if the round is not
    drawn or a pair is not in it.
    """
    if not 1 <= number <= swiss.last:
        raise BadInput(f"Round {number} of section {swiss.section} is not drawn; nothing was changed.")
    if one == other:
        raise BadInput(f"Pair {one} cannot be exchanged with itself; nothing was changed.")
    tables = session.movement.section(swiss.section)
    exchanged = {one: other, other: one}
    rounds = {
        table: table_rounds.rounds[number - 1]
        for table, table_rounds in tables.items()
        if number <= len(table_rounds.rounds)
    }
    present = {pair for round_ in rounds.values() for pair in (round_.ns, round_.ew)}
    for pair in (one, other):
        if pair not in present:
            raise BadInput(f"Pair {pair} is not in round {number}; nothing was changed.")
    changed = {
        table: replace(round_, ns=exchanged.get(round_.ns, round_.ns), ew=exchanged.get(round_.ew, round_.ew))
        for table, round_ in rounds.items()
        if round_.ns in exchanged or round_.ew in exchanged
    }
    guid = session.opened.session
    plans = tuple(
        TablePlan(table, (round_, *tables[table].rounds[number:]), number)
        for table, round_ in sorted(changed.items())
    )
    erased = [
        place
        for place in session.results.standing
        if place[0] == swiss.section and place[1] in changed and place[2] >= number
    ]
    return SessionTransaction(
        guid,
        (
            SetMovement(guid, session.plan(swiss.section), plans),
            PutResults(guid, tuple(_entries(session, erased, number)), Origin.DESK),
            *_rulings(session, erased),
        ),
    )


def _entries(session: Session, erased: list[Place], number: int) -> Iterator[ResultEntry]:
    for place in erased:
        for entry in restoring_entries(session.results.standing[place]):
            # In the round itself the pairs come from the movement, which is corrected by then.
            yield replace(entry, ns=None, ew=None) if place[2] == number else entry


def _rulings(session: Session, erased: list[Place]) -> Iterator[Command]:
    guid = session.opened.session
    for place in erased:
        if session.results.standing[place].suspicion is Suspicion.CONFIRMED:
            yield JudgeResult(guid, *place, Suspicion.CONFIRMED)
        if note := session.rulings.notes.get(place):
            yield NoteRuling(guid, *place, note.reason, note.at, note.appeal, note.table_result)
        if version := session.rulings.versions.get(place):
            section, table, round_, board = place
            reason = session.rulings.foul_reasons.get(board, "")
            yield FoulBoard(guid, board, (BoardVersion(version, ((section, table, round_),)),), reason)
