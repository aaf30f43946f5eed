"""The record of a board: tags, auction, play, notes, tables and comments, as PBN and LIN carry them.

A record keeps the text of the file, even if it is incomplete or irregular; properties interpret it on demand. Pure: no
I/O.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from overtrick.bridge.auction import Auction
from overtrick.bridge.call import Bid, Call
from overtrick.bridge.card import Card, Strain
from overtrick.bridge.contract import Contract
from overtrick.bridge.deal import BadDeal, Deal, Hand, complete, parse_hands
from overtrick.bridge.notation import parse_contract, write_compact
from overtrick.bridge.outcome import Outcome, PassedOut, Played
from overtrick.bridge.play import Play
from overtrick.bridge.seat import SEATS, Seat, Side, Vulnerability, dealer, vulnerability
from overtrick.bridge.tricks import Tricks
from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.words import shortened

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call with its annotations; a call of None means that the player was skipped.

    `note` is a number in `RecordedAuction.notes`, `glyphs` are PBN's numeric annotations ($1 is !).
    """

    call: Call | None
    insufficient: bool = False
    note: int | None = None
    glyphs: tuple[int, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class RecordedAuction:
    """The calls of an auction section, legal or not; `first` is the seat of the first one."""

    first: Seat
    calls: tuple[RecordedCall, ...] = ()
    ending: str = ""
    """`*` if the rest is unknown, `+` if the auction goes on, else empty."""
    notes: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, auction: Auction) -> "RecordedAuction":
        """Return the record of an auction, without annotations."""
        ending = "" if auction.is_over else "+"
        return cls(auction.dealer, tuple(RecordedCall(call) for call in auction.calls), ending)

    @property
    def auction(self) -> Auction:
        """Return the auction; raise BadInput if a player was skipped, IllegalCall (a BadInput) for an illegal call."""
        if any(entry.call is None for entry in self.calls):
            raise BadInput("A player was skipped in this auction, so it is not a legal one.")
        return Auction(self.first, [entry.call for entry in self.calls if entry.call is not None])

    def explanation(self, place: int) -> str | None:
        """Return the note to the call with index `place`; None without one."""
        note = self.calls[place].note
        return None if note is None else self.notes.get(note)


@dataclass(frozen=True, slots=True)
class RecordedCard:
    """A card with its annotations; a card of None is unknown or was not played."""

    card: Card | None
    awaited: bool = False
    """True if this is the card to be played next."""
    revoke: bool = False
    out_of_turn: bool = False
    note: int | None = None
    glyphs: tuple[int, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class RecordedPlay:
    """The cards of a play section: four for each trick, always from the seat `first` on, clockwise.

    The order within a trick is therefore not the order of play; `in_order` returns that.
    """

    first: Seat
    cards: tuple[RecordedCard, ...] = ()
    is_closed: bool = False
    """True if the rest of the play is unknown (`*`)."""
    notes: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, play: Play) -> "RecordedPlay":
        """Return the record of a play, without annotations; it is closed unless all thirteen tricks were played."""
        entries: list[RecordedCard] = []
        for trick in play.tricks:
            row = [RecordedCard(None)] * 4
            for card in trick.cards:
                row[(trick.player(card).index - play.leader.index) % 4] = RecordedCard(card)
            entries += row
        return cls(play.leader, tuple(entries), is_closed=not play.is_over)

    def in_order(self, strain: Strain) -> tuple[tuple[Seat, Card], ...]:
        """Return the seats and cards in the order of play, up to the first unknown card.

        `strain` decides who wins a trick and leads to the next; a card marked as led out of turn overrules that.
        """
        played: list[tuple[Seat, Card]] = []
        leader = self.first
        for start in range(0, len(self.cards), 4):
            # The last trick may have fewer than four entries.
            row = dict(zip(_clockwise(self.first), self.cards[start : start + 4], strict=False))
            leader = next((seat for seat, entry in row.items() if entry.out_of_turn), leader)
            trick: list[tuple[Seat, Card]] = []
            for seat in _clockwise(leader):
                entry = row.get(seat)
                if entry is None or entry.card is None:
                    return (*played, *trick)
                trick.append((seat, entry.card))
            played += trick
            led = trick[0][1].suit
            leader = max(
                trick,
                key=lambda played_card: (
                    played_card[1].suit is strain.suit,
                    played_card[1].suit is led,
                    played_card[1].rank,
                ),
            )[0]
        return tuple(played)

    def play(self, hands: Deal | Mapping[Seat, Hand] | None, contract: Contract) -> Play:
        """Return the play of the known cards; raise BadInput if the lead or a card is not legal."""
        if self.first is not contract.declarer.next:
            raise BadInput(
                f"{self.first.title} made the opening lead, but in {contract} it is {contract.declarer.next.title}'s."
            )
        return Play(hands, contract, [card for _, card in self.in_order(contract.strain)])


def _clockwise(first: Seat) -> tuple[Seat, Seat, Seat, Seat]:
    return first, first.next, first.partner, first.previous


@dataclass(frozen=True, slots=True)
class PbnTable:
    """A table of a game, such as ScoreTable: the declared columns, with order and width, and rows of text.

    >>> table = PbnTable(("Declarer", "Denomination\\\\2R", "Result\\\\2R"), (("N", "NT", "9"),))
    >>> table.names, table.rows_by_name[0]["Result"]
    (('Declarer', 'Denomination', 'Result'), '9')
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns without the marks of order (+, -) and width (\\2R)."""
        return tuple(column.partition("\\")[0].lstrip("+-") for column in self.columns)

    @property
    def rows_by_name(self) -> tuple[dict[str, str], ...]:
        """Return each row as a dictionary by column name."""
        names = self.names
        return tuple(dict(zip(names, row, strict=False)) for row in self.rows)


OPTIMUM_TABLE = "OptimumResultTable"
_OPTIMUM_COLUMNS = ("Declarer", "Denomination\\2R", "Result\\2R")
_RESULT_OF_DECLARER = re.compile(r"\^?\s*([0-9]{1,2})")
_RESULT_OF_SIDES = re.compile(r"\^?\s*(NS|EW)\s+([0-9]{1,2})(?:\s+(?:NS|EW)\s+[0-9]{1,2})?")
_SCORE_OF_SIDES = re.compile(r"(NS|EW)\s+(-?[0-9]{1,5})(?:\s+(?:NS|EW)\s+-?[0-9]{1,5})?")
_SCORE_OF_DECLARER = re.compile(r"-?[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Game:
    """The record of one board at one table, or of the board alone.

    Properties return None if the record does not have the value, and raise BadInput if its text cannot be read.

    >>> game = Game.of_board(7, outcome=Outcome.parse("4SxE-1"))
    >>> game.tags["Contract"], game.tags["Result"], game.tags["Score"], str(game.outcome)
    ('4SX', '9', 'NS 200', '4SxE-1')
    """

    tags: Mapping[str, str] = field(default_factory=dict)
    auction: RecordedAuction | None = None
    play: RecordedPlay | None = None
    tables: Mapping[str, PbnTable] = field(default_factory=dict)
    comments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Comments by the tag they follow; those before the first tag are under the empty name."""

    @classmethod
    def of_board(
        cls,
        board: int,
        deal: Deal | None = None,
        *,
        outcome: Played | PassedOut | None = None,
        tricks: Tricks | None = None,
        tags: Mapping[str, str] = _NOTHING,
    ) -> "Game":
        """Return the record of a board with the dealer and vulnerability of its number, and the other values given.

        `tags` are added as they are, and win over the tags made from the other arguments.
        """
        board_tags = {
            "Board": str(board),
            "Dealer": dealer(board).value,
            "Vulnerable": vulnerability(board).value,
        }
        if deal is not None:
            board_tags["Deal"] = deal.written_from(dealer(board))
        if isinstance(outcome, PassedOut):
            board_tags |= {"Contract": "Pass", "Declarer": "", "Result": "", "Score": "NS 0"}
        elif outcome is not None:
            board_tags |= {
                "Contract": write_compact(outcome.contract),
                "Declarer": outcome.contract.declarer.value,
                "Result": str(outcome.tricks),
                "Score": f"NS {outcome.ns_score(vulnerability(board))}",
            }
        game = cls(board_tags | dict(tags))
        return game if tricks is None else game.with_tricks(tricks)

    def with_tricks(self, tricks: Tricks) -> "Game":
        """Return the same record with a double dummy table, as tag (DoubleDummyTricks) and as OptimumResultTable."""
        rows = tuple(
            (seat.value, strain.letter, str(tricks[seat, strain]))
            for seat in SEATS
            for strain in reversed(Strain)
        )
        return replace(
            self,
            tags={**self.tags, "DoubleDummyTricks": str(tricks)},
            tables={**self.tables, OPTIMUM_TABLE: PbnTable(_OPTIMUM_COLUMNS, rows)},
        )

    def value(self, tag: str) -> str | None:
        """Return the value of a tag; None if it is absent, empty or `?` (unknown)."""
        text = self.tags.get(tag, "").strip()
        return None if text in ("", "?") else text

    @property
    def board(self) -> int | None:
        """Return the board number."""
        text = self.value("Board")
        if text is None:
            return None
        number = parse_digits(text)
        if not number:
            raise BadInput(f"{shortened(text)} is not a board number.")
        return number

    @property
    def dealer(self) -> Seat | None:
        """Return the dealer."""
        text = self.value("Dealer")
        return None if text is None else Seat.parse(text)

    @property
    def vulnerability(self) -> Vulnerability | None:
        """Return the vulnerability."""
        text = self.value("Vulnerable")
        return None if text is None else Vulnerability.parse(text)

    @property
    def hands(self) -> dict[Seat, Hand]:
        """Return the known hands, possibly of an end position; raise BadDeal for too many cards or one in two hands."""
        text = self.value("Deal")
        hands = {} if text is None else parse_hands(text)
        seen: dict[Card, Seat] = {}
        for seat, hand in hands.items():
            if len(hand) > 13:
                raise BadDeal(f"{seat.title} has {len(hand)} cards.")
            for card in hand:
                if card in seen:
                    raise BadDeal(f"The {card.words} is with {seen[card].title} and {seat.title}.")
                seen[card] = seat
        return hands

    @property
    def deal(self) -> Deal | None:
        """Return the deal of four hands, or of three and the cards left; None for fewer hands and for end positions."""
        text = self.value("Deal")
        hands = {} if text is None else parse_hands(text)
        if len(hands) < 3 or max(map(len, hands.values())) < 13:
            return None
        return complete(hands)

    @property
    def declarer(self) -> Seat | None:
        """Return the declarer; PBN's mark ^ (declarer and dummy changed roles) is ignored."""
        text = self.value("Declarer")
        return None if text is None else Seat.parse(text.lstrip("^"))

    @property
    def contract(self) -> Contract | None:
        """Return the contract; None if passed out, if the declarer is unknown, or if only a strain is recorded."""
        text, declarer = self.value("Contract"), self.declarer
        if text is None or text.upper() in ("C", "D", "H", "S", "NT"):
            return None
        contract = parse_contract(text, declarer or Seat.NORTH)
        return None if declarer is None else contract

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome; None unless the board was passed out or contract, declarer and result are recorded."""
        text = self.value("Contract")
        if text is not None and text.upper() == "PASS":
            return PassedOut()
        contract, result = self.contract, self.value("Result")
        if contract is None or result is None:
            return None
        return Played(contract, _tricks_of(result, contract))

    @property
    def ns_score(self) -> int | None:
        """Return the points of North-South, from `NS 420`, `EW -420` or, from declarer's side, `420`."""
        text = self.value("Score")
        if text is None:
            return None
        by_side = _SCORE_OF_SIDES.fullmatch(text)
        if by_side:
            return int(by_side[2]) if by_side[1] == "NS" else -int(by_side[2])
        if not _SCORE_OF_DECLARER.fullmatch(text):
            raise BadInput(f"{text!r} is not a score.")
        declarer = self.declarer
        if declarer is None:
            return 0 if int(text) == 0 else None
        return int(text) if declarer.side is Side.NS else -int(text)

    @property
    def tricks(self) -> Tricks | None:
        """Return the double dummy table, from OptimumResultTable or DoubleDummyTricks; None if a figure is missing."""
        table = self.tables.get(OPTIMUM_TABLE, PbnTable(()))
        # Some programs use the name for a table with other columns.
        is_standard = {"Declarer", "Denomination", "Result"} <= set(table.names)
        figures: dict[tuple[Seat, Strain], int] = {}
        for row in table.rows_by_name if is_standard else ():
            place = Seat.parse(row["Declarer"]), Strain.parse(row["Denomination"])
            result = row["Result"]
            if (figure := parse_digits(result, 2)) is not None:
                figures[place] = figure
            elif result not in ("?", "-", "*"):
                raise BadInput(f"{result!r} is not a number of tricks.")
        if len(figures) == 20:
            return Tricks.of(figures)
        text = self.value("DoubleDummyTricks")
        return None if text is None or set(text) & set("*-?") else Tricks.parse(text)


def _tricks_of(text: str, contract: Contract) -> int:
    of_declarer = _RESULT_OF_DECLARER.fullmatch(text)
    if of_declarer:
        tricks = int(of_declarer[1])
    else:
        of_sides = _RESULT_OF_SIDES.fullmatch(text.upper())
        if of_sides is None:
            raise BadInput(f"{text!r} is not a result. Write the number of tricks that declarer won.")
        tricks = int(of_sides[2]) if of_sides[1] == contract.side.value else 13 - int(of_sides[2])
    if not 0 <= tricks <= 13:
        raise BadInput(f"{text!r} is not a result: there are 13 tricks.")
    return tricks


def passes_to_end(calls: tuple[Call | None, ...]) -> int:
    """Return the number of passes that end an auction after these calls: the meaning of AP (all pass).

    >>> passes_to_end(())
    4
    """
    last = max((place for place, call in enumerate(calls) if isinstance(call, Bid)), default=None)
    passes = 0
    for call in reversed(calls):
        if not call or isinstance(call, Bid) or str(call) != "Pass":
            break
        passes += 1
    return max(0, (4 if last is None else 3) - passes)
