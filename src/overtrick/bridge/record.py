"""The record of a board: tags, auction, play, notes, tables and comments, as PBN and LIN carry them.

A record keeps the text as it was written, even if incomplete or irregular; properties interpret it on demand and
raise BadInput where they cannot. Pure: no I/O.
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
    """A call with what was noted about it; no call means that the player was skipped."""

    call: Call | None
    insufficient: bool = False
    note: int | None = None
    glyphs: tuple[int, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class RecordedAuction:
    """The calls as they were written down, from the dealer's on."""

    first: Seat
    calls: tuple[RecordedCall, ...] = ()
    ending: str = ""
    """`*` when no more is known, `+` when the auction is to go on, else nothing."""
    notes: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, auction: Auction) -> "RecordedAuction":
        """Return the record of an auction without irregularities."""
        ending = "" if auction.is_over else "+"
        return cls(auction.dealer, tuple(RecordedCall(call) for call in auction.calls), ending)

    @property
    def auction(self) -> Auction:
        """Return the auction by the laws; raise BadInput for skipped players and insufficient bids."""
        if any(entry.call is None for entry in self.calls):
            raise BadInput("A player was skipped in this auction, so it is not one by the rules.")
        return Auction(self.first, [entry.call for entry in self.calls if entry.call is not None])

    def explained(self, place: int) -> str | None:
        """Return the explanation of call number `place`, counted from 0; None without one."""
        note = self.calls[place].note
        return None if note is None else self.notes.get(note)


@dataclass(frozen=True, slots=True)
class RecordedCard:
    """A card with what was noted about it; no card means that it is unknown or was not played."""

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
    """The cards as they were written down: rows of four, the columns clockwise from `first`."""

    first: Seat
    cards: tuple[RecordedCard, ...] = ()
    is_closed: bool = False
    """True if the record says that no more is known."""
    notes: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, play: Play) -> "RecordedPlay":
        """Return the record of a play without irregularities."""
        entries: list[RecordedCard] = []
        for trick in play.tricks:
            row = [RecordedCard(None)] * 4
            for card in trick.cards:
                row[(trick.player(card).index - play.leader.index) % 4] = RecordedCard(card)
            entries += row
        return cls(play.leader, tuple(entries), is_closed=not play.is_over)

    def in_order(self, strain: Strain) -> tuple[tuple[Seat, Card], ...]:
        """Return the seats and cards in the order of play, up to the first card that is not known."""
        played: list[tuple[Seat, Card]] = []
        leader = self.first
        for start in range(0, len(self.cards), 4):
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
                trick, key=lambda one: (one[1].suit is strain.suit, one[1].suit is led, one[1].rank)
            )[0]
        return tuple(played)

    def play(self, hands: Deal | Mapping[Seat, Hand] | None, contract: Contract) -> Play:
        """Return the play by the laws; raise BadInput where it is not legal."""
        if self.first is not contract.declarer.next:
            raise BadInput(
                f"{self.first.title} played the first card, and it was not their lead in {contract}."
            )
        return Play(hands, contract, [card for _, card in self.in_order(contract.strain)])


def _clockwise(first: Seat) -> tuple[Seat, Seat, Seat, Seat]:
    return first, first.next, first.partner, first.previous


@dataclass(frozen=True, slots=True)
class PbnTable:
    """A table of a game, such as ScoreTable: columns as they are declared, rows of text.

    >>> table = PbnTable(("Declarer", "Denomination\\\\2R", "Result\\\\2R"), (("N", "NT", "9"),))
    >>> table.names, table.rows_by_name[0]["Result"]
    (('Declarer', 'Denomination', 'Result'), '9')
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns without order and width."""
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

    >>> game = Game.of_board(7, outcome=Outcome.parse("4SxE-1"))
    >>> game.tags["Contract"], game.tags["Result"], game.tags["Score"], str(game.outcome)
    ('4SX', '9', 'NS 200', '4SxE-1')
    """

    tags: Mapping[str, str] = field(default_factory=dict)
    auction: RecordedAuction | None = None
    play: RecordedPlay | None = None
    tables: Mapping[str, PbnTable] = field(default_factory=dict)
    comments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Comments by the tag they follow; those that come first are under the empty name."""

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
        """Return the record of a board number with its dealer and vulnerability; `tags` are added unchanged."""
        written = {
            "Board": str(board),
            "Dealer": dealer(board).value,
            "Vulnerable": vulnerability(board).value,
        }
        if deal is not None:
            written["Deal"] = deal.written_from(dealer(board))
        if isinstance(outcome, PassedOut):
            written |= {"Contract": "Pass", "Declarer": "", "Result": "", "Score": "NS 0"}
        elif outcome is not None:
            written |= {
                "Contract": write_compact(outcome.contract),
                "Declarer": outcome.contract.declarer.value,
                "Result": str(outcome.tricks),
                "Score": f"NS {outcome.ns_score(vulnerability(board))}",
            }
        game = cls(written | dict(tags))
        return game if tricks is None else game.with_tricks(tricks)

    def with_tricks(self, tricks: Tricks) -> "Game":
        """Return the same record with a double dummy table, in both notations of PBN."""
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
        """Return the value of a tag; None where it is absent, empty or marked as unknown."""
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
        """Return the dealer in the record."""
        text = self.value("Dealer")
        return None if text is None else Seat.parse(text)

    @property
    def vulnerability(self) -> Vulnerability | None:
        """Return the vulnerability in the record."""
        text = self.value("Vulnerable")
        return None if text is None else Vulnerability.parse(text)

    @property
    def hands(self) -> dict[Seat, Hand]:
        """Return the hands that are known; they may be those of an end position."""
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
        """Return the deal if four hands are known or follow from three; None for fewer and for end positions."""
        text = self.value("Deal")
        hands = {} if text is None else parse_hands(text)
        if len(hands) < 3 or max(map(len, hands.values())) < 13:
            return None
        return complete(hands)

    @property
    def declarer(self) -> Seat | None:
        """Return the declarer in the record, also when declarer and dummy were swapped by mistake."""
        text = self.value("Declarer")
        return None if text is None else Seat.parse(text.lstrip("^"))

    @property
    def contract(self) -> Contract | None:
        """Return the contract; None when passed out, unknown, or only a strain."""
        text, declarer = self.value("Contract"), self.declarer
        if text is None or text.upper() in ("C", "D", "H", "S", "NT"):
            return None
        contract = parse_contract(text, declarer or Seat.NORTH)
        return None if declarer is None else contract

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome if contract, declarer and result are in the record."""
        text = self.value("Contract")
        if text is not None and text.upper() == "PASS":
            return PassedOut()
        contract, result = self.contract, self.value("Result")
        if contract is None or result is None:
            return None
        return Played(contract, _tricks_of(result, contract))

    @property
    def optimum_ns_score(self) -> int | None:
        """Return the par score of North-South in the record."""
        text = self.value("OptimumScore")
        if text is None:
            return None
        by_side = _SCORE_OF_SIDES.fullmatch(text)
        if by_side is None:
            raise BadInput(f"{text!r} is not a par score: such as NS 420 and EW 50 are.")
        return int(by_side[2]) if by_side[1] == "NS" else -int(by_side[2])

    @property
    def ns_score(self) -> int | None:
        """Return the score of North-South in the record, in any of the notations."""
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
        """Return the double dummy table if all twenty figures are known."""
        table = self.tables.get(OPTIMUM_TABLE, PbnTable(()))
        # Some programs have other columns, and then it is another table.
        is_known = {"Declarer", "Denomination", "Result"} <= set(table.names)
        figures: dict[tuple[Seat, Strain], int] = {}
        for row in table.rows_by_name if is_known else ():
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
            raise BadInput(f"{text!r} is not a result: the number of tricks that declarer won is.")
        tricks = int(of_sides[2]) if of_sides[1] == contract.side.value else 13 - int(of_sides[2])
    if not 0 <= tricks <= 13:
        raise BadInput(f"{text!r} is not a result: there are 13 tricks.")
    return tricks


def passes_to_end(calls: tuple[Call | None, ...]) -> int:
    """Return the number of passes that would end an auction: the meaning of `all pass`.

    >>> passes_to_end(())
    4
    """
    last = max((place for place, call in enumerate(calls) if isinstance(call, Bid)), default=None)
    after = 0
    for call in reversed(calls):
        if not call or isinstance(call, Bid) or str(call) != "Pass":
            break
        after += 1
    return max(0, (4 if last is None else 3) - after)
