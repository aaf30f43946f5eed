"""A table and its players in one program, without a network: the same lines, passed directly."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping

from overtrick.bridge import SEATS, Seat
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.rules import (
    Board,
    BoardRecord,
    BoardRecorded,
    Output,
    Send,
    SessionEnded,
    TableError,
    TableRules,
)
from overtrick.tablemanager.table import BridgeTable

Listener = Callable[[Seat, bool, str], None]
"""A callback for every line: the seat, whether the player sent it, and the line."""


class LocalTable:
    """Four players at a table; the clock stands still unless a test changes `now`."""

    def __init__(
        self, table: BridgeTable, players: Mapping[Seat, Player], listener: Listener | None = None
    ) -> None:
        self.table = table
        self.players = dict(players)
        self.records: list[BoardRecord] = []
        self.outputs: list[Output] = []
        """The table's output besides lines and records."""
        self.ended: SessionEnded | None = None
        self.now = 0.0
        self._listener = listener
        self._lines: deque[tuple[Seat, str]] = deque()

    def sit(self, seat: Seat) -> None:
        """Connect the player of a seat and let it ask for the seat."""
        self.do(self.table.opened(seat, self.now))
        self.say(seat, self.players[seat].hello())

    def say(self, seat: Seat, line: str) -> None:
        """Pass a line of a player to the table."""
        if self._listener is not None:
            self._listener(seat, True, line)
        self.do(self.table.received(seat, line, self.now))

    def do(self, outputs: Iterable[Output]) -> None:
        """Perform the outputs of the table."""
        for output in outputs:
            match output:
                case Send(link, line):
                    assert isinstance(link, Seat)
                    self._lines.append((link, line))
                case BoardRecorded(record):
                    self.records.append(record)
                case SessionEnded():
                    self.ended = output
                case _:
                    self.outputs.append(output)

    def step(self) -> bool:
        """Pass one line of the table to its player; return False if no line is queued."""
        if not self._lines:
            return False
        seat, line = self._lines.popleft()
        if self._listener is not None:
            self._listener(seat, False, line)
        for answer in self.players[seat].receive(line):
            self.say(seat, answer)
        return True

    def run(self) -> list[BoardRecord]:
        """Pass lines until none is queued; return the records."""
        while self.step():
            pass
        return self.records


def play_locally(
    boards: Iterable[Board], players: Mapping[Seat, Player], rules: TableRules | None = None
) -> list[BoardRecord]:
    """Play boards to the end and return their records."""
    table = LocalTable(BridgeTable(boards, rules or TableRules(trick_pause=0.0)), players)
    for seat in SEATS:
        table.sit(seat)
    records = table.run()
    if table.ended is None or table.ended.reason is not None:
        raise TableError(f"The boards were not all played: {table.ended.reason if table.ended else 'stuck'}")
    return records
