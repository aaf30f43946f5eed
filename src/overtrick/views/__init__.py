"""Views of a session and a team event, updated fact by fact: travellers, rankings, seatings, monitors.

A view is derived from the facts of one session or team event, and decides nothing. Pure: no I/O and no clock.
"""

from overtrick.views.monitors import (
    BoardProgress,
    TableProgress,
    TableStage,
    board_monitor,
    missing_results,
    round_monitor,
    table_progress,
)
from overtrick.views.pace import Drop, RoundTimes, SessionPace, SlowPair, SlowTable, round_times
from overtrick.views.seating import (
    ContestantSeat,
    Itineraries,
    SeatingLine,
    itineraries,
    lost_seats,
    next_seating,
    seat_after_sit_out,
    seating,
)
from overtrick.views.session import SessionView

__all__ = [
    "BoardProgress",
    "ContestantSeat",
    "Drop",
    "Itineraries",
    "RoundTimes",
    "SeatingLine",
    "SessionPace",
    "SessionView",
    "SlowPair",
    "SlowTable",
    "TableProgress",
    "TableStage",
    "board_monitor",
    "itineraries",
    "lost_seats",
    "missing_results",
    "next_seating",
    "round_monitor",
    "round_times",
    "seat_after_sit_out",
    "seating",
    "table_progress",
]
