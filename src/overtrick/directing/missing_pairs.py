"""Missing pairs: a pair that does not come, comes after all, or leaves before the end. Pure."""

from dataclasses import replace

from overtrick.bridge import Side
from overtrick.directing.late_pairs import known_section, open_round
from overtrick.event import Session
from overtrick.event.movement import Round, SetMovement, TablePlan


def missing_command(session: Session, section: str, number: int) -> SetMovement:
    """Return the command that makes a pair missing; raise BadInput for an unknown section.

    0 means that no pair is missing; a negative number is an East-West pair if there are two winners. A pair with
    results leaves after the last round in which the section has a result; a pair without is missing from the start. The
    command erases nothing: it is rejected if it would have to erase a result that was entered in the meantime.
    """
    known_section(session, section)
    first = open_round(session, section)
    if number and first > 1 and _has_played(session, section, number):
        return _leave_command(session, section, number, first)
    return SetMovement(session.opened.session, replace(session.plan(section), missing_pair=number), erases=0)


def _is_pair(session: Session, section: str, number: int, pair: int, side: Side) -> bool:
    """Return whether a pair on this side is the one that `number` names."""
    return pair == abs(number) and (session.winners(section) != 2 or (side is Side.EW) == (number < 0))


def _has_played(session: Session, section: str, number: int) -> bool:
    return any(
        _is_pair(session, section, number, result.ns, Side.NS)
        or _is_pair(session, section, number, result.ew, Side.EW)
        for place, result in session.results.standing.items()
        if place[0] == section
    )


def _leave_command(session: Session, section: str, number: int, first: int) -> SetMovement:
    """Return the command that takes the pair out of the movement from round `first` on."""

    def without_pair(round_: Round) -> Round:
        is_ns = _is_pair(session, section, number, round_.ns, Side.NS)
        is_ew = _is_pair(session, section, number, round_.ew, Side.EW)
        return replace(round_, ns=0 if is_ns else round_.ns, ew=0 if is_ew else round_.ew)

    tables = session.movement.section(section)
    plans = (
        TablePlan(table, tuple(without_pair(round_) for round_ in table_rounds.rounds[first - 1 :]), first)
        for table, table_rounds in tables.items()
        if len(table_rounds.rounds) >= first
    )
    return SetMovement(session.opened.session, session.plan(section), tuple(plans), erases=0)
