"""A table at its first call, and helpers for tests of a table."""

from collections.abc import Callable
from typing import Any

from overtrick.bridge import SEATS, Seat
from overtrick.tablemanager.rules import Send, TableRules

N, E, S, W = SEATS
Make = Callable[..., Any]
AUCTION = "1C Pass 1S Pass 4S Pass Pass Pass"


def at_first_call(make_table: Make, **rules: Any) -> Any:
    """Return a table at which North has to make the first call."""
    setting = make_table(1, rules=TableRules(trick_pause=0.0, **rules), calls=AUCTION).sit()
    chair = setting.local.table.chairs[N]
    while not (chair.conversation is not None and chair.conversation.is_thinking):
        # pass on all lines except North's call and what follows it
        seat, line = setting.local._lines.popleft()
        answers = setting.local.players[seat].receive(line)
        for answer in answers:
            if "bids" not in answer and "North ready for East" not in answer:
                setting.local.say(seat, answer)
    return setting


def sent_to(outputs: list[Any], seat: Seat) -> list[str]:
    return [output.line for output in outputs if isinstance(output, Send) and output.link is seat]
