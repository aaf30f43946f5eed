"""When the control software shuts down by itself, as it was told to.

The setting of a `.bws` waits until every table has logged off; the Data Connector's flag waits for the last result.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from overtrick.event import Fact, Order, Session
from overtrick.event.movement import is_played
from overtrick.event.results import Place
from overtrick.event.tables import LoggedOn


@dataclass(slots=True)
class LogBook:
    """Which tables have ever logged on, kept fact by fact."""

    seen: set[tuple[str, int]] = field(default_factory=set)

    def apply(self, fact: Fact) -> None:
        """Move on by one fact."""
        if isinstance(fact, LoggedOn):
            self.seen.add((fact.section, fact.table))


Tables = Collection[tuple[str, int]]


def boards_to_play(session: Session, tables: Tables) -> Iterator[Place]:
    """Every board that the movement has at these tables."""
    for (section, number), table in session.movement.tables.items():
        if (section, number) in tables:
            for count, played in enumerate(table.rounds, start=1):
                if is_played(session.setup.sections[section], played):
                    yield from ((section, number, count, board) for board in played.boards)


def has_last_result(session: Session, elsewhere: Tables = ()) -> bool:
    """Whether every board that the movement has was played, and no table waits for another round.

    Tables `elsewhere`, which another control program handles, do not count.
    """
    tables = {at: table for at, table in session.movement.tables.items() if at not in elsewhere}
    if not tables or any(table.is_waiting for table in tables.values()):
        return False
    return all(place in session.results.standing for place in boards_to_play(session, tables))


def is_auto_shutdown(session: Session) -> bool:
    """Whether the first section's settings want a shutdown: it is one setting for all (document 001)."""
    if not session.setup.sections:
        return False
    first = min(session.setup.sections.values(), key=lambda section: section.id).section
    settings = session.settings.second.get(first)
    return settings is not None and settings.auto_shutdown


def may_shut_down(
    session: Session, book: LogBook, orders: tuple[Order, ...] = (), elsewhere: Tables = ()
) -> bool:
    """Whether it is time to shut down; tables that another control program handles do not hold us up."""
    if Order.SHUT_DOWN in orders:
        return True
    if Order.SHUT_DOWN_AFTER_LAST_RESULT in orders and has_last_result(session, elsewhere):
        return True
    if not is_auto_shutdown(session):
        return False
    playing = {
        (section, number)
        for (section, number), table in session.movement.tables.items()
        if (section, number) not in elsewhere
        and any(is_played(session.setup.sections[section], played) for played in table.rounds)
    }
    # A table that nobody came to does not hold the room up once everything has been scored.
    is_over = bool(playing) and (playing <= book.seen or has_last_result(session, elsewhere))
    return is_over and not session.tables.logged_on
