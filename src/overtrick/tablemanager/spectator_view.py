"""A view of a table for spectators: hands, auction, tricks, clocks, results. No dependency on pages or sockets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from overtrick.bridge import (
    SEATS,
    Auction,
    Bid,
    Call,
    Card,
    Contract,
    Deal,
    Hand,
    Play,
    Seat,
    Side,
    Suit,
    Tricks,
)
from overtrick.bridge.card import Strain
from overtrick.doubledummy import par
from overtrick.tablemanager.alerts import FreeText, read_alert
from overtrick.tablemanager.matches import MatchResult
from overtrick.tablemanager.messages import decode_if_utf8
from overtrick.tablemanager.rules import Board, BoardRecord, Question
from overtrick.tablemanager.table import BridgeTable

SIDES = {Side.NS: "North-South", Side.EW: "East-West"}
STRAINS = (Strain.NOTRUMP, Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS)


@dataclass(frozen=True, slots=True)
class SuitView:
    """One suit of a hand: each rank, and whether it has been played."""

    suit: Suit
    ranks: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand and its holder; without suits if it is hidden."""

    seat: Seat
    team: str
    suits: tuple[SuitView, ...] | None
    points: int
    left: int
    is_dealer: bool
    is_vulnerable: bool
    role: str
    is_turn: bool
    played: Card | None
    """Its card in the current trick."""


@dataclass(frozen=True, slots=True)
class CallView:
    """A call of the auction; `note` is the number of its explanation, `is_asked` if the operator is asked about it."""

    call: Call
    meaning: str
    note: int | None
    is_asked: bool

    @property
    def bid(self) -> Bid | None:
        """Return the call, if it is a bid."""
        return self.call if isinstance(self.call, Bid) else None


@dataclass(frozen=True, slots=True)
class Clock:
    """The thinking time of one side in seconds: for the board, and in total."""

    name: str
    team: str
    board: float
    total: float
    runs: bool


@dataclass(frozen=True, slots=True)
class FinishedBoardRow:
    """A finished board in the list of results."""

    number: int
    outcome: str
    score: int | None
    imps: int | None
    winner: str
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpectatorView:
    """A board as a spectator sees it, in play or finished."""

    board: Board
    hands: Mapping[Seat, HandView]
    rows: tuple[tuple[CallView | None, ...], ...]
    """The auction, one round in each row, from West to South."""
    contract: Contract | None
    play: Play | None
    figures: tuple[tuple[Seat, tuple[int, ...]], ...]
    par: str
    are_hidden: bool

    @property
    def notes(self) -> list[tuple[int, CallView]]:
        """Return the calls that have an explanation, with their numbers."""
        return [(call.note, call) for row in self.rows for call in row if call and call.note is not None]

    def won(self, side: Side) -> int:
        """Return the number of tricks that a side has won so far."""
        return self.play.tricks_won(side) if self.play is not None else 0


def explanation_of(tail: str) -> str:
    """Return the explanation of a call with its alternatives; text outside the grammar unchanged.

    >>> explanation_of("Alert. 5 cards in spades. Alternatively, 0 or 4 total aces.")
    '5 cards in spades; or: 0 or 4 total aces'
    >>> explanation_of("Infos. my own system"), explanation_of("Alert.")
    ('Infos. my own system', 'alerted, without an explanation')
    """
    alert = read_alert(tail)
    if alert is None:
        return decode_if_utf8(tail.strip())
    if not alert.meanings:
        return "alerted, without an explanation"
    return "; or: ".join(
        ", ".join(
            decode_if_utf8(statement.words) if isinstance(statement, FreeText) else str(statement)
            for statement in meaning
        )
        for meaning in alert.meanings
    )


def make_view(
    board: Board,
    auction: Auction,
    tails: Iterable[str],
    play: Play | None,
    teams: Mapping[Side, str],
    *,
    tricks: Tricks | None = None,
    hide: bool = False,
    is_over: bool = False,
    is_paused: bool = False,
    asked_place: int | None = None,
) -> SpectatorView:
    """Return a board as a spectator sees it; with `hide`, only the cards that all players can see.

    `asked_place` is the position of the call that the operator is asked about.
    """
    contract = auction.contract
    turn = None if is_over or is_paused else play.turn if play is not None else auction.turn
    cards = play.cards if play is not None else ()
    trick = play.tricks[-1] if play is not None and play.tricks and not is_over else None
    on_table = {trick.player(card): card for card in trick.cards} if trick is not None else {}
    hands = {}
    for seat in SEATS:
        role = ""
        if contract is not None:
            role = {contract.declarer: "declarer", contract.declarer.partner: "dummy"}.get(seat, "")
        hand = board.deal[seat]
        is_open = not hide or is_over or (role == "dummy" and bool(cards))
        hands[seat] = HandView(
            seat,
            teams[seat.side],
            _suits(hand, cards) if is_open else None,
            hand.hcp,
            sum(card not in cards for card in hand),
            seat is board.dealer,
            board.vulnerability.includes(seat),
            role,
            seat is turn,
            on_table.get(seat),
        )
    are_hidden = hide and not is_over
    visible = None if are_hidden else tricks
    return SpectatorView(
        board,
        hands,
        _rows(auction, tuple(tails), asked_place),
        contract,
        play,
        _figures(visible),
        str(par(visible, board.dealer, board.vulnerability)) if visible is not None else "",
        are_hidden,
    )


def _suits(hand: Hand, played: tuple[Card, ...]) -> tuple[SuitView, ...]:
    played_cards = set(played)
    return tuple(
        SuitView(
            suit,
            tuple((rank.symbol, Card.of(suit, rank) in played_cards) for rank in hand.suit(suit)),
        )
        for suit in sorted(Suit, reverse=True)
    )


def _rows(
    auction: Auction, tails: tuple[str, ...], asked_place: int | None
) -> tuple[tuple[CallView | None, ...], ...]:
    # West has the first column, as is usual in print.
    cells: list[CallView | None] = [None] * ((auction.dealer.index + 1) % 4)
    note = 0
    for place, call in enumerate(auction.calls):
        meaning = explanation_of(tails[place]) if place < len(tails) and tails[place].strip() else ""
        note += bool(meaning)
        cells.append(CallView(call, meaning, note if meaning else None, place == asked_place))
    cells += [None] * (-len(cells) % 4)
    return tuple(tuple(cells[start : start + 4]) for start in range(0, len(cells), 4))


def _figures(tricks: Tricks | None) -> tuple[tuple[Seat, tuple[int, ...]], ...]:
    if tricks is None:
        return ()
    order = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
    return tuple((seat, tuple(tricks[seat, strain] for strain in STRAINS)) for seat in order)


def view_of_record(record: BoardRecord, tricks: Tricks | None) -> SpectatorView:
    """Return the view of a finished board, with all hands open."""
    auction = Auction(record.board.dealer, record.calls)
    contract = auction.contract
    play = Play(record.board.deal, contract, record.cards) if contract is not None else None
    teams = {Side.NS: decode_if_utf8(record.ns), Side.EW: decode_if_utf8(record.ew)}
    return make_view(record.board, auction, record.tails, play, teams, tricks=tricks, is_over=True)


def view_of_table(table: BridgeTable, tricks: Mapping[Deal, Tricks], *, hide: bool) -> SpectatorView | None:
    """Return the view of the board in play; None before the first board."""
    board = table.in_play
    if board is None:
        return None
    return make_view(
        board.board,
        board.course.auction,
        board.tails,
        board.course.play,
        teams_of(table),
        tricks=tricks.get(board.board.deal),
        hide=hide,
        is_over=board.is_recorded,
        is_paused=board.question is not None or board.claim is not None,
        asked_place=board.question.place if board.question is not None else None,
    )


def teams_of(table: BridgeTable) -> dict[Side, str]:
    """Return the names of the two teams; empty for a team that nobody has connected for yet."""
    return {
        side: decode_if_utf8(
            next((chair.team for seat in side.seats if (chair := table.chairs[seat]).team), "")
        )
        for side in Side
    }


def status(table: BridgeTable, records: list[BoardRecord], reason: str | None) -> str:
    """Return a sentence about what the table is waiting for.

    >>> status(BridgeTable([]), [], None)
    'Waiting for North, East, South and West to sit down.'
    """
    if table.is_over:
        return f"The session is over{f': {reason}' if reason else ''}."
    absent = [chair.seat.title for chair in table.chairs.values() if chair.link is None]
    if absent:
        names = " and ".join([", ".join(absent[:-1]), absent[-1]] if absent[1:] else absent)
        return f"Waiting for {names} to {'come back' if table.begun else 'sit down'}."
    board = table.in_play
    if board is None:
        return "The first board is about to start."
    course = board.course
    if board.is_recorded:
        return f"Board {course.board} is over: {records[-1].outcome if records else 'recorded'}."
    if board.question is not None:
        return question_status(board.question)
    if board.claim is not None:
        seats = " and ".join(sorted(seat.title for seat in board.claim.unanswered))
        return f"{board.claim.claimant.title} claims the rest; {seats} to answer."
    turn = course.play.turn if course.play is not None else course.auction.turn
    if turn is None:
        return "The board is over."
    if course.play is None:
        return f"{turn.title} to call."
    if turn is course.dummy:
        return f"{turn.title}'s card is next: {turn.partner.title} plays it from dummy."
    return f"{turn.title} to {'lead' if course.play.current is None else 'play'}."


def question_status(question: Question) -> str:
    """Return a sentence for spectators about the operator's pending question."""
    if question.place is None:
        return "Waiting for the operator: which calls should be alerted?"
    caller = question.auction.caller(question.place).title
    return f"Waiting for the operator to explain {question.auction.calls[question.place]} by {caller}."


def clocks(table: BridgeTable, now: float) -> list[Clock]:
    """Return the thinking time of both sides up to `now`."""
    in_play = table.in_play
    teams = teams_of(table)
    result = []
    for side in Side:
        running_since = [
            chair.thinking
            for seat in side.seats
            if (chair := table.chairs[seat]).thinking is not None and not table.is_over
        ]
        earlier = in_play.seconds[side] if in_play is not None else 0.0
        board = earlier + sum(max(0.0, now - start) for start in running_since if start is not None)
        total = table.totals[side] + (0.0 if in_play is not None and in_play.is_recorded else board)
        result.append(Clock(SIDES[side], teams[side], board, total, bool(running_since)))
    return result


def results(records: Iterable[BoardRecord], match: MatchResult | None) -> list[FinishedBoardRow]:
    """Return the finished boards of a table, newest first, with IMPs for those that the other room has finished too."""
    imps = {board.board: board.imps for board in match.boards} if match is not None else {}
    rows = []
    for record in records:
        swing = imps.get(record.board.number)
        winner = "" if match is None or not swing else match.home if swing > 0 else match.away
        rows.append(
            FinishedBoardRow(
                record.board.number,
                str(record.outcome),
                record.ns_score,
                None if swing is None else abs(swing),
                decode_if_utf8(winner),
                record.remarks,
            )
        )
    return rows[::-1]
