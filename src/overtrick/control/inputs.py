"""What a player or a director can press at a terminal: typed values, one class a key. Knows no screen.

A key that the terminal does not expect at the moment changes nothing.
"""

from dataclasses import dataclass

from overtrick.bridge import Call, Card, Doubling, Outcome, Seat, Side, Strain
from overtrick.event.settings import Language


class Input:
    """Something that was pressed."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Choose(Input):
    """This terminal is at this table."""

    section: str
    table: int


@dataclass(frozen=True, slots=True)
class Confirm(Input):
    """OK, yes, go on."""


@dataclass(frozen=True, slots=True)
class Cancel(Input):
    """Back, no."""


@dataclass(frozen=True, slots=True)
class More(Input):
    """The next page of a list."""


@dataclass(frozen=True, slots=True)
class Repeat(Input):
    """The list again from its first page."""


@dataclass(frozen=True, slots=True)
class Number(Input):
    """A player's number; nothing typed is an empty one."""

    number: str = ""


@dataclass(frozen=True, slots=True)
class ChangePlayer(Input):
    """Another player has this seat."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Board(Input):
    """A board's number."""

    board: int


@dataclass(frozen=True, slots=True)
class Bid(Input):
    """The level and strain of a contract."""

    level: int
    strain: Strain


@dataclass(frozen=True, slots=True)
class PassOut(Input):
    """Four passes."""


@dataclass(frozen=True, slots=True)
class NoPlay(Input):
    """The board is not played."""


@dataclass(frozen=True, slots=True)
class Double(Input):
    """Whether the contract is doubled."""

    doubling: Doubling


@dataclass(frozen=True, slots=True)
class Declarer(Input):
    """Who played the contract."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PairNumber(Input):
    """The number of the pair that played the contract."""

    pair: int


@dataclass(frozen=True, slots=True)
class Lead(Input):
    """The card that was led."""

    card: Card


@dataclass(frozen=True, slots=True)
class MakeCall(Input):
    """The next call of an auction that is recorded."""

    call: Call


@dataclass(frozen=True, slots=True)
class PlayCard(Input):
    """The next card of a play that is recorded."""

    card: Card


@dataclass(frozen=True, slots=True)
class Result(Input):
    """A result as the terminal's entry method has it: over or under, tricks, or the level made."""

    value: int


@dataclass(frozen=True, slots=True)
class Cards(Input):
    """The thirteen cards of the hand that is asked for."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class ShowScores(Input):
    """The scores of this round."""


@dataclass(frozen=True, slots=True)
class ShowRanking(Input):
    """The running ranking."""


@dataclass(frozen=True, slots=True)
class ShowHand(Input):
    """The hand record of the board just played."""


@dataclass(frozen=True, slots=True)
class Correct(Input):
    """Enter this board's result again."""

    board: int


@dataclass(frozen=True, slots=True)
class ChooseLanguage(Input):
    """Show everything in this language from now on."""

    language: Language


@dataclass(frozen=True, slots=True)
class CallDirector(Input):
    """The director, please."""


@dataclass(frozen=True, slots=True)
class Director(Input):
    """The director's menu."""


@dataclass(frozen=True, slots=True)
class Pin(Input):
    """The director's four digits."""

    pin: str


@dataclass(frozen=True, slots=True)
class Reset(Input):
    """Back to the first screen; nothing that was entered is lost."""


# The director's menu


@dataclass(frozen=True, slots=True)
class Assign(Input):
    """Give a board of this or an earlier round an award, an undecided score, or note it as not played."""

    round: int
    board: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Erase(Input):
    """Take a result of this or an earlier round away."""

    round: int
    board: int


@dataclass(frozen=True, slots=True)
class ViewBoard(Input):
    """The hand record and the results of a board."""

    board: int


@dataclass(frozen=True, slots=True)
class Status(Input):
    """How far this terminal is, and what it has not sent."""


@dataclass(frozen=True, slots=True)
class Swap(Input):
    """Two partners have changed seats."""

    side: Side


@dataclass(frozen=True, slots=True)
class ChangePlayers(Input):
    """Ask for the players' numbers again."""


@dataclass(frozen=True, slots=True)
class WrongDirection(Input):
    """The pairs sat the other way round on this board, or did not after all."""

    round: int
    board: int
