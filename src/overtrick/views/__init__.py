"""Views of a session and a team event, updated fact by fact: travellers, rankings, seatings, monitors.

A view holds its own fold of one session and decides nothing. Pure: a function that needs the time takes it as an
argument.
"""

from overtrick.views.monitors import (
    BoardProgress,
    TableProgress,
    TableStage,
    board_monitor,
    round_monitor,
    table_progress,
)
from overtrick.views.seating import (
    ContestantSeat,
    Itineraries,
    SeatingLine,
    itineraries,
    lost_seats,
    next_seating,
    seating,
)
from overtrick.views.session import SessionView

__all__ = [
    "BoardProgress",
    "ContestantSeat",
    "Itineraries",
    "SeatingLine",
    "SessionView",
    "TableProgress",
    "TableStage",
    "board_monitor",
    "itineraries",
    "lost_seats",
    "next_seating",
    "round_monitor",
    "seating",
    "table_progress",
]
