"""What is shown, kept up to date fact by fact: travellers, running rankings, seatings, round and board monitors.

A view holds its own fold of one session and never decides anything. It knows no clock: what needs the time is
asked with it.
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
