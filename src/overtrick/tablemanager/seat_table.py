"""The seats of a table and the connections that have none yet. Values only; no dependency on the order of messages."""

from collections.abc import Hashable
from dataclasses import dataclass

from overtrick.bridge import Seat
from overtrick.tablemanager.conversation import Conversation
from overtrick.tablemanager.messages import Message, Plays, Ready


@dataclass(slots=True)
class Guest:
    """A connection that has no seat yet."""

    since: float
    only: Seat | None
    address: str = ""
    strange: int = 0


@dataclass(slots=True)
class Chair:
    """A seat and its current player, if any."""

    seat: Seat
    team: str | None = None
    link: Hashable | None = None
    address: str = ""
    """The address that the player is or was connected from."""
    talk: Conversation | None = None
    since: float = 0.0
    """The time of the last progress of the conversation, or of the loss of the player."""
    thinking: float | None = None
    """The time since when the player's clock has been running."""
    offences: int = 0
    strange: int = 0
    early: Ready | None = None
    """A message that came too early; it is processed after the table's next one."""
    held: Plays | None = None
    """A card that came while a claim was being answered."""
    last: Message | None = None

    def sit_down(self, link: Hashable, team: str, address: str, now: float) -> None:
        """Give the seat to a connection, with a new conversation."""
        self.team = self.team or team
        self.link, self.talk, self.since = link, Conversation(self.seat), now
        self.address = address
        self.thinking = self.early = self.held = self.last = None
        self.strange = 0

    def take_early(self, talk: Conversation) -> None:
        """Return and clear the early message, if this is what it waited for."""
        early, self.early = self.early, None
        if early is not None and talk.player_may(early):
            talk.player_sent(early)
