"""The end of a session: its last result, and the automatic shutdown of the control software. Pure.

The setting in a `.bws` file waits until every table has logged off; the Data Connector's order waits for the last
result.
"""

from collections.abc import Collection

from overtrick.event import Order, Session
from overtrick.event.movement import boards_to_play, is_played
from overtrick.event.place import Place

Tables = Collection[tuple[str, int]]
"""Tables by section and number."""


def has_last_result(session: Session, others_tables: Tables = ()) -> bool:
    """Return whether every board of the movement has a result, and no table waits for another round.

    Tables in `others_tables`, which other control programs handle, do not count. Return False if no table is left.
    """
    tables = {key: table for key, table in session.movement.tables.items() if key not in others_tables}
    if not tables or any(table.is_waiting for table in tables.values()):
        return False
    standing = session.results.standing
    return all(place in standing for place in boards_to_play(session) if place[:2] in tables)


def is_finished(session: Session, others_tables: Tables = (), others_boards: Collection[Place] = ()) -> bool:
    """Return whether the session has its last result, including the tables of other control programs.

    `others_tables` are those tables, `others_boards` the boards that were played there.
    """
    return has_last_result(session, others_tables) and all(
        place in others_boards for place in boards_to_play(session) if place[:2] in others_tables
    )


def is_auto_shutdown(session: Session) -> bool:
    """Return whether the settings of the first section, which count for the whole session (`.bws` guide),
    ask for a shutdown.
    """
    if not session.setup.sections:
        return False
    first = min(session.setup.sections.values(), key=lambda section: section.id).section
    settings = session.settings.second.get(first)
    return settings is not None and settings.auto_shutdown


def may_shut_down(session: Session, orders: tuple[Order, ...] = (), others_tables: Tables = ()) -> bool:
    """Return whether the control software should shut down: when ordered, after the last result, or by the setting.

    An order to shut down at once does not wait for held entries. Tables in `others_tables`, which other control
    programs handle, do not delay the shutdown.
    """
    if Order.SHUT_DOWN in orders:
        return True
    if any((entry.section, entry.table) not in others_tables for entry in session.held.entries.values()):
        return False  # entries wait for the director
    if Order.SHUT_DOWN_AFTER_LAST_RESULT in orders and has_last_result(session, others_tables):
        return True
    if not is_auto_shutdown(session):
        return False
    playing = {
        (section, number)
        for (section, number), table in session.movement.tables.items()
        if (section, number) not in others_tables
        and any(is_played(session.setup.sections[section], round_) for round_ in table.rounds)
    }
    # A table that never logged on does not delay the shutdown once everything is scored.
    is_over = bool(playing) and (
        playing <= session.tables.ever_logged_on or has_last_result(session, others_tables)
    )
    return is_over and not session.tables.logged_on
