"""What a terminal can show: one frozen class a screen, with figures and names, never with finished sentences.

A screen's `key` is the message of the catalogues that heads it, and `about` are the figures in that message.
"""

from dataclasses import dataclass
from typing import ClassVar

from overtrick.bridge import Seat, Side
from overtrick.control.inputs import Input
from overtrick.control.listing import ResultLine
from overtrick.control.machine import Notice, Purpose
from overtrick.event.calls import CallStatus
from overtrick.event.settings import Language, ResultEntryMethod


class Screen:
    """Something to show."""

    __slots__ = ()
    key: ClassVar[str]

    @property
    def about(self) -> dict[str, str]:
        """The figures in the screen's message."""
        return {}


@dataclass(frozen=True, slots=True)
class Player:
    """Someone at the table: the number and name as far as they are known and shown."""

    seat: Seat
    number: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class LogOnScreen(Screen):
    """Which table is this?"""

    tables: tuple[tuple[str, int], ...]
    key = "log-on"


@dataclass(frozen=True, slots=True)
class TakeOverScreen(Screen):
    """Another terminal serves that table: is this right?"""

    table: str
    key = "take-over"

    @property
    def about(self) -> dict[str, str]:
        """The table."""
        return {"table": self.table}


@dataclass(frozen=True, slots=True)
class ConnectingScreen(Screen):
    """One moment."""

    table: str
    key = "connecting"

    @property
    def about(self) -> dict[str, str]:
        """The table."""
        return {"table": self.table}


@dataclass(frozen=True, slots=True)
class StartingPositionsScreen(Screen):
    """Does everyone sit where they should?"""

    table: str
    ns: int
    ew: int
    players: tuple[Player, ...]
    north_at_bottom: bool
    key = "starting-positions"

    @property
    def about(self) -> dict[str, str]:
        """The table."""
        return {"table": self.table}


@dataclass(frozen=True, slots=True)
class NumberScreen(Screen):
    """What is this player's number?"""

    seat: Seat
    preloaded: str
    is_required: bool
    typed: tuple[Player, ...]
    key = "enter-number"

    @property
    def about(self) -> dict[str, str]:
        """The seat."""
        return {"seat": self.seat.value}


@dataclass(frozen=True, slots=True)
class PlayersScreen(Screen):
    """Are these the players?"""

    players: tuple[Player, ...]
    key = "confirm-players"


@dataclass(frozen=True, slots=True)
class RoundScreen(Screen):
    """A round: who meets and which boards. Pair numbers are None where they are not shown."""

    table: str
    round: int
    ns: int | None
    ew: int | None
    boards: tuple[int, ...]
    players: tuple[Player, ...]
    north_at_bottom: bool
    key = "round"

    @property
    def about(self) -> dict[str, str]:
        """Round, table and boards."""
        return {"round": str(self.round), "table": self.table, "boards": boards_text(self.boards)}


@dataclass(frozen=True, slots=True)
class BoardScreen(Screen):
    """Which board? `remaining` is None where it is not shown."""

    round: int
    remaining: int | None
    asked: int
    """A board out of order that waits for a yes; 0 is none."""
    key = "enter-board"


@dataclass(frozen=True, slots=True)
class EntryScreen(Screen):
    """A board that is half entered: what is known of it so far."""

    board: int
    remaining: int | None
    contract: str
    lead: str
    is_correction: bool

    @property
    def about(self) -> dict[str, str]:
        """The board."""
        return {"board": str(self.board)}


@dataclass(frozen=True, slots=True)
class ContractScreen(EntryScreen):
    """What was the contract?"""

    key = "enter-contract"


@dataclass(frozen=True, slots=True)
class DeclarerScreen(EntryScreen):
    """Who played it, and was it doubled?"""

    key = "enter-declarer"


@dataclass(frozen=True, slots=True)
class PairScreen(EntryScreen):
    """Which pair played it?"""

    is_required: bool
    key = "enter-pair"


@dataclass(frozen=True, slots=True)
class LeadScreen(EntryScreen):
    """What was led?"""

    asked: str
    """A card that the leader did not have and that waits for a yes."""
    key = "enter-lead"


@dataclass(frozen=True, slots=True)
class AuctionScreen(EntryScreen):
    """What is the next call? The deal where it may be seen while recording."""

    calls: tuple[str, ...]
    turn: Seat | None
    deal: str
    key = "record-auction"


@dataclass(frozen=True, slots=True)
class PlayScreen(EntryScreen):
    """What is the next card?"""

    cards: tuple[str, ...]
    turn: Seat | None
    deal: str
    key = "record-play"


@dataclass(frozen=True, slots=True)
class ResultScreen(EntryScreen):
    """What was the result?"""

    method: ResultEntryMethod
    key = "enter-result"


@dataclass(frozen=True, slots=True)
class VerifyScreen(EntryScreen):
    """Do the opponents agree?"""

    result: str
    scores: tuple[str, ...]
    is_wrong_direction: bool
    seconds: int
    key = "verify"


@dataclass(frozen=True, slots=True)
class ResultsScreen(Screen):
    """The results of the board just played; points are this table's, North-South's and East-West's."""

    board: int
    lines: tuple[ResultLine, ...]
    page: int
    pages: int
    is_frequency: bool
    points: tuple[str, str] | None
    can_repeat: bool
    has_hand: bool
    key = "board-results"

    @property
    def about(self) -> dict[str, str]:
        """The board."""
        return {"board": str(self.board)}


@dataclass(frozen=True, slots=True)
class HandScreen(Screen):
    """The hand record of a board."""

    board: int
    deal: str
    key = "hand-record"

    @property
    def about(self) -> dict[str, str]:
        """The board."""
        return {"board": str(self.board)}


@dataclass(frozen=True, slots=True)
class EnterHandScreen(Screen):
    """Which cards had this seat?"""

    board: int
    seat: Seat
    key = "enter-hand"

    @property
    def about(self) -> dict[str, str]:
        """The board and the seat."""
        return {"board": str(self.board), "seat": self.seat.value}


@dataclass(frozen=True, slots=True)
class RecapScreen(Screen):
    """The scores of the round: board, result and score columns."""

    round: int
    lines: tuple[tuple[int, str, tuple[str, ...]], ...]
    can_correct: bool
    key = "score-recap"

    @property
    def about(self) -> dict[str, str]:
        """The round."""
        return {"round": str(self.round)}


@dataclass(frozen=True, slots=True)
class RankingScreen(Screen):
    """Where the two pairs stand: side, rank and score."""

    lines: tuple[tuple[str, str, str], ...]
    key = "ranking"


@dataclass(frozen=True, slots=True)
class NextPlace:
    """Where a pair goes: a table and a side, or a sit-out."""

    side: Side
    table: str
    round: int
    next_side: Side
    is_sit_out: bool


@dataclass(frozen=True, slots=True)
class NextScreen(Screen):
    """Where both pairs go now."""

    places: tuple[NextPlace, ...]
    key = "next-seating"


@dataclass(frozen=True, slots=True)
class WaitingScreen(Screen):
    """The next round is not known yet."""

    key = "waiting"


@dataclass(frozen=True, slots=True)
class SummaryScreen(Screen):
    """What each of the two pairs made of its boards: side, board, result and points."""

    lines: tuple[tuple[str, int, str, str], ...]
    key = "summary"


@dataclass(frozen=True, slots=True)
class EndScreen(Screen):
    """The session is over."""

    key = "session-end"


@dataclass(frozen=True, slots=True)
class PinScreen(Screen):
    """The director's PIN, please."""

    purpose: Purpose
    key = "enter-pin"


@dataclass(frozen=True, slots=True)
class MenuScreen(Screen):
    """The director's menu, for a table and a round."""

    table: str
    round: int
    key = "director-menu"

    @property
    def about(self) -> dict[str, str]:
        """The table."""
        return {"table": self.table}


@dataclass(frozen=True, slots=True)
class StatusScreen(Screen):
    """How far the terminal is: what is played, what is not sent, what was refused."""

    table: str
    round: int
    played: int
    unsent: int
    refused: tuple[str, ...]
    key = "status"

    @property
    def about(self) -> dict[str, str]:
        """Table, round and figures."""
        return {"table": self.table, "round": str(self.round), "unsent": str(self.unsent)}


@dataclass(frozen=True, slots=True)
class ViewBoardScreen(Screen):
    """A board as the director sees it: the deal, where it is known, and the results."""

    board: int
    deal: str
    lines: tuple[ResultLine, ...]
    key = "view-board"

    @property
    def about(self) -> dict[str, str]:
        """The board."""
        return {"board": str(self.board)}


@dataclass(frozen=True, slots=True)
class ConflictScreen(Screen):
    """An entry of this terminal was refused: what was meant, what stands, and why."""

    meant: str
    stands: str
    reason: str
    sentence: str
    key = "conflict"

    @property
    def about(self) -> dict[str, str]:
        """What was meant and what stands."""
        return {"meant": self.meant, "stands": self.stands}


@dataclass(frozen=True, slots=True)
class Display:
    """A screen with what surrounds it: a notice, the state of a call, what is not sent, and the keys that work."""

    screen: Screen
    language: Language
    keys: frozenset[type[Input]]
    notice: Notice | None = None
    call: CallStatus | None = None
    unsent: int = 0


def boards_text(boards: tuple[int, ...]) -> str:
    """Boards as people say them.

    >>> boards_text((1, 2, 3, 7)), boards_text(())
    ('1-3, 7', '')
    """
    runs: list[list[int]] = []
    for board in boards:
        if runs and board == runs[-1][-1] + 1:
            runs[-1].append(board)
        else:
            runs.append([board])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
