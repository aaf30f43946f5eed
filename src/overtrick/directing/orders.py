"""The events that a scoring program ordered the control software to look after. Pure.

Other orders for an event are in its state (`event.state.Event`), and due until they are executed (`directing.due`).
"""

from dataclasses import dataclass, field

from overtrick.event import Fact, Order
from overtrick.event.state import EventOpened, Ordered


@dataclass(slots=True)
class OrderBook:
    """The events to look after and the orders for them, updated fact by fact."""

    running: dict[str, tuple[Order, ...]] = field(default_factory=dict)
    """The events that were started and not shut down, in the order of their last start, with their last orders."""
    last: str = ""
    """The event that was opened or started last."""
    has_orders: bool = False
    """True if there ever was an order."""

    def apply(self, event: str, fact: Fact) -> None:
        """Apply the next fact of an event's stream."""
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
        """Look after the last event if none is running: a person has started the program."""
        if not self.running and self.last:
            self.running[self.last] = ()

    def events(self) -> tuple[str, ...]:
        """Return the events to look after: the running ones; if there never was an order, the last one opened."""
        if self.running or self.has_orders:
            return tuple(self.running)
        return (self.last,) if self.last else ()
