"""Phone of a table without a screen, for demonstrations, benchmarks and tests.

It receives the snapshots and sends the entries of a real phone.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from overtrick.bridge import Card, Outcome
from overtrick.control import Snapshot
from overtrick.control.device_location import TablePlace
from overtrick.control.entries import write_entry
from overtrick.event import Command, Rejection
from overtrick.event.calls import CallDirector
from overtrick.event.recording import EnterContract
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.settings import LeadEntry
from overtrick.event.tables import LogOff, LogOn
from overtrick.host.control import ControlSoftware


class SimulatedPhone:
    """Simulated phone. Ids of entries consist of `device` and `run`, so two runs of a device must not share a `run`."""

    def __init__(
        self,
        control: ControlSoftware,
        session: str,
        place: TablePlace,
        *,
        device: str,
        run: str,
        now: Callable[[], datetime],
    ) -> None:
        self.control = control
        self.session = session
        self.place = place
        self.device = device
        self.is_online = True
        self.snapshot: Snapshot | None = None
        """The table as it was at the last exchange; None where there is no such table."""
        self.outbox: list[dict[str, Any]] = []
        """The entries that wait to be sent, as JSON objects."""
        self.refused: list[Rejection] = []
        self._run = run
        self._now = now
        self._count = 0
        self._seen = (0, 0)
        self.fetch()

    # State --------------------------------------------------------------------------------------------------

    @property
    def is_logged_on(self) -> bool:
        """True if this phone serves the table."""
        return self.snapshot is not None and self.snapshot.terminal == self.device

    def open_boards(self, number: int) -> tuple[int, ...]:
        """Return the boards of a round that have no result, nor one that waits to be sent."""
        current = self.snapshot.round(number) if self.snapshot else None
        if self.snapshot is None or current is None or not current.is_played:
            return ()
        entered = {(result.round, result.board) for result in self.snapshot.results}
        entered |= {
            (entry["round"], entry["board"])
            for queued in self.outbox
            if (entry := queued["command"].get("entry"))
        }
        return tuple(board for board in current.boards if (number, board) not in entered)

    def next_board(self) -> tuple[int, int] | None:
        """Return the round and board to play next; boards left out of earlier rounds come last."""
        if self.snapshot is None:
            return None
        open_rounds = [round_.number for round_ in self.snapshot.rounds if self.open_boards(round_.number)]
        latest = max((result.round for result in self.snapshot.results), default=0)
        rounds = [number for number in open_rounds if number >= latest] or open_rounds
        return (rounds[0], self.open_boards(rounds[0])[0]) if rounds else None

    # Entries ------------------------------------------------------------------------------------------------

    def log_on(self, *, takes_over: bool = True) -> None:
        """Log on to the table."""
        section, table = self.place.section, self.place.table
        self.send(LogOn(self.session, section, table, self.device, self._now(), takes_over))

    def log_off(self) -> None:
        """Log off from the table."""
        self.send(LogOff(self.session, self.place.section, self.place.table, self._now()))

    def enter(self, number: int, board: int, outcome: Outcome, lead: Card | None = None) -> None:
        """Enter a result; first its contract, and with its lead, where the rules of the table ask for them."""
        assert self.snapshot is not None
        at, rules, incarnation = self._now(), self.snapshot.rules, self.snapshot.incarnation
        place = self.place.section, self.place.table, number, board
        lead = None if rules.lead_entry is LeadEntry.NEVER else lead
        contract = getattr(outcome, "contract", None)
        if rules.send_contracts and contract is not None:
            self.send(EnterContract(self.session, *place, str(contract), at, lead, incarnation))
        self.send(
            EnterResult(self.session, ResultEntry(*place, outcome, at, lead=lead), incarnation=incarnation)
        )

    def call_director(self, number: int, board: int) -> None:
        """Call the director."""
        identity = self._next_id()
        section, table = self.place.section, self.place.table
        self.send(CallDirector(self.session, identity, section, table, self._now(), number, board), identity)

    def send(self, command: Command, identity: str = "") -> None:
        """Queue a command and send the queue, if there is a network."""
        incarnation = self.snapshot.incarnation if self.snapshot else 0
        self.outbox.append(write_entry(identity or self._next_id(), incarnation, command))
        self.exchange()

    def exchange(self) -> int:
        """Send the queue and fetch the snapshot, if there is a network; return how many entries were sent."""
        if not self.is_online:
            return 0
        entries = [] if self._holds_results_back() else list(self.outbox)
        for entry in entries:
            answer = self.control.submit(self.session, self.place, self._now(), entry)
            if isinstance(answer, Rejection):
                self.refused.append(answer)
            self.outbox.remove(entry)
        self.fetch()
        return len(entries)

    def fetch(self) -> None:
        """Fetch the snapshot of the table, if it has changed."""
        session = self.control.session(self.session)
        newest = session.opened.incarnation if session else 0, self.control.version(self.session)
        if newest != self._seen:
            # A snapshot is costly in a large field, and most fetches find no change.
            self.snapshot = self.control.snapshot(self.session, self.place.section, self.place.table)
            self._seen = newest

    def _holds_results_back(self) -> bool:
        """Return whether the table's rules hold results back until its last board is played."""
        return (
            self.snapshot is not None
            and self.snapshot.rules.is_offline
            and self.is_logged_on
            and self.next_board() is not None
        )

    def _next_id(self) -> str:
        self._count += 1
        return f"{self.device.replace(' ', '-')}.{self._run}.{self._count}"
