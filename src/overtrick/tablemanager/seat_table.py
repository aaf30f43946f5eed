"""The seats of a table and the connections that have none yet. State only: `table` decides about messages."""

from collections.abc import Hashable
from dataclasses import dataclass

from overtrick.bridge import Seat
from overtrick.tablemanager.conversation import Conversation
from overtrick.tablemanager.messages import CardPlayed, Message, Ready


@dataclass(slots=True)
class Guest:
    """A connection that has no seat yet."""

    since: float
    only: Seat | None
    """The only seat of the port that it connected to; None if the port is for all seats."""
    address: str = ""
    unusable: int = 0
    """The number of lines that were not a request for a seat."""


@dataclass(slots=True)
class Chair:
    """A seat and its current player, if any."""

    seat: Seat
    team: str | None = None
    link: Hashable | None = None
    """The connection of the player; None if nobody is connected."""
    address: str = ""
    """The address of the current or last player."""
    conversation: Conversation | None = None
    since: float = 0.0
    """The time of the last progress of the conversation, or of the loss of the connection."""
    thinking: float | None = None
    """The time at which the player's clock was started; None if it is stopped."""
    offences: int = 0
    """The number of illegal calls and cards on this board."""
    unusable: int = 0
    """The number of lines on this board that were ignored."""
    early_message: Ready | None = None
    """A message that came too early; it is tried again after the next message of the conversation."""
    held_card: CardPlayed | None = None
    """A card that came while a claim was being answered."""
    last_action: Message | None = None
    """The last call or card, to recognise a repeat."""

    def sit_down(self, link: Hashable, team: str, address: str, now: float) -> None:
        """Give the seat to a connection, with a new conversation."""
        self.team = self.team or team
        self.link, self.conversation, self.since = link, Conversation(self.seat), now
        self.address = address
        self.thinking = self.early_message = self.held_card = self.last_action = None
        self.unusable = 0

    def process_early(self, conversation: Conversation) -> None:
        """Process the message that came too early, if it is allowed now; discard it otherwise."""
        early, self.early_message = self.early_message, None
        if early is not None and conversation.player_may(early):
            conversation.player_sent(early)
