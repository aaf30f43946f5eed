"""The orders of a scoring program: the events to look after. Pure.

Other orders for an event are in its state (`event.state.Event`), and due as long as they were not followed.
"""

from dataclasses import dataclass, field

from overtrick.event import Fact, Order
from overtrick.event.state import EventOpened, Ordered


@dataclass(slots=True)
class OrderBook:
    """The events to look after and the orders for them, updated fact by fact."""

    running: dict[str, tuple[Order, ...]] = field(default_factory=dict)
    """The events that were started and not shut down, the one that was started last at the end."""
    last: str = ""
    """The event that was opened or started last."""
    has_orders: bool = False

    def apply(self, event: str, fact: Fact) -> None:
        """Move on by one fact of an event's stream."""
        if isinstance(fact, EventOpened):
            self.last = event
        elif isinstance(fact, Ordered):
            self.has_orders = True
            if Order.START in fact.orders:
                self.last = event
                self.running.pop(event, None)
                self.running[event] = fact.orders
            elif Order.SHUT_DOWN in fact.orders:
                self.running.pop(event, None)
            elif event in self.running:
                self.running[event] = fact.orders

    def begin(self) -> None:
        """Start the program by hand: where nothing is running, take the last event."""
        if not self.running and self.last:
            self.running[self.last] = ()

    def events(self) -> tuple[str, ...]:
        """Return the events to look after: the running ones; without any order, the last that was opened."""
        if self.running or self.has_orders:
            return tuple(self.running)
        return (self.last,) if self.last else ()
