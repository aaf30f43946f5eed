"""Translation between the numbers of the wire and our types, in both directions. Pure: no I/O."""

from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any

from overtrick.bridge import (
    Card,
    Contract,
    Deal,
    Doubling,
    Hand,
    Outcome,
    Played,
    Rank,
    Seat,
    Side,
    Strain,
    Suit,
    Tricks,
)
from overtrick.bridge.outcome import Award
from overtrick.bridgemate.levels import level_of, outcome_without_contract
from overtrick.connector.wire.play import HandrecordDTO, ResultDTO, TableDirection
from overtrick.event.calls import CallStatus
from overtrick.event.setup import GameKind
from overtrick.event.state import Order
from overtrick.scoring import Method

METHODS: dict[int, Method] = {
    10: Method.MATCHPOINTS,
    20: Method.BUTLER,
    21: Method.BUTLER_TRIMMED,
    22: Method.BUTLER_MEAN,
    25: Method.BUTLER_3,
    26: Method.BUTLER_TRIMMED_3,
    27: Method.BUTLER_MEAN_3,
    30: Method.CROSS_IMPS,
    31: Method.CROSS_IMPS_AVERAGE,
    35: Method.CROSS_IMPS_3,
    36: Method.CROSS_IMPS_AVERAGE_3,
    40: Method.TEAM_IMPS,
    50: Method.VPS_DISCRETE,
    51: Method.VPS_CONTINUOUS,
    60: Method.BOARD_A_MATCH,
    70: Method.PATTON,
}
METHOD_NUMBERS = {method: number for number, method in METHODS.items()}

GAMES: dict[int, GameKind] = {10: GameKind.PAIRS, 20: GameKind.INDIVIDUAL, 30: GameKind.TEAMS}
GAME_NUMBERS = {game: number for number, game in GAMES.items()}

SEATS: dict[int, Seat] = {seat.index + 1: seat for seat in Seat}

CALL_STATUSES: dict[int, CallStatus] = {
    1: CallStatus.LAUNCHED,
    2: CallStatus.IN_PROGRESS,
    3: CallStatus.RESOLVED,
    4: CallStatus.DEFERRED,
}
CALL_NUMBERS = {status: number for number, status in CALL_STATUSES.items()} | {CallStatus.WITHDRAWN: 3}

ORDERS: tuple[tuple[int, Order], ...] = (
    (1, Order.START),
    (2, Order.RESET),
    (4, Order.READ),
    (8, Order.SHOW_IN_APP),
    (16, Order.MINIMISE),
    (32, Order.SHUT_DOWN_AFTER_LAST_RESULT),
    (64, Order.LOG_EVERYTHING),
)

SCORED_SIDES: dict[int, Side | None] = {1: Side.NS, 2: Side.EW, 3: None}
"""The side that a result is for; None is both."""

LEADS: dict[tuple[int, int], Card] = {
    (int(rank), suit + 1): Card.of(suit, rank) for suit in Suit for rank in Rank
}
"""The card led, by its rank and its suit on the wire."""


def orders(commands: int) -> tuple[Order, ...]:
    """Return the orders in the flags of a Commands property.

    >>> orders(135)
    (<Order.START: 'start'>, <Order.RESET: 'reset'>, <Order.READ: 'read'>)
    """
    return tuple(order for flag, order in ORDERS if commands & flag)


def wire_seat(seat: Seat) -> TableDirection:
    """Return the number of a seat on the wire."""
    return TableDirection(seat.index + 1)


def outcome(dto: ResultDTO) -> Outcome:
    """Return the outcome of a result that passed its rules.

    >>> from overtrick.connector.wire.play import ResultDTO
    >>> str(outcome(ResultDTO(Level=3, Denomination=5, DeclarerDirection=4, Stake=1, TotalTricks=8)))
    '3NTxW-1'
    """
    if dto.Level >= 1:
        return _played(dto.Level, dto.Denomination, dto.DeclarerDirection, dto.Stake, dto.TotalTricks)
    result = outcome_without_contract(dto.Level)
    if isinstance(result, Award) and scored_side(dto) is Side.EW:
        return Award(result.ew, result.ns)  # on the wire an award is seen from the scoring direction
    return result


# There are 5,880 contracts with their tricks, and batches of results are full of the same ones.
@lru_cache(maxsize=8192)
def _played(level: int, denomination: int, direction: int, stake: int, tricks: int) -> Played:
    played = Played(Contract(level, Strain(denomination - 1), Doubling(stake), SEATS[direction]), tricks)
    # Parsing returns the cached object that facts of the journal have, which makes comparing the two cheap.
    cached = Outcome.parse(str(played))
    assert isinstance(cached, Played)
    return cached


def scored_side(dto: ResultDTO) -> Side | None:
    """Return the side that a result is for; None means both."""
    return SCORED_SIDES.get(dto.ScoringDirection)


def is_wrong_direction(dto: ResultDTO) -> bool:
    """Return whether the pairs sat the other way round: the declaring pair is not the pair of declarer's direction."""
    if dto.Level < 1 or dto.PairNorthSouth == dto.PairEastWest:
        return False
    is_ns = SEATS[dto.DeclarerDirection].side is Side.NS
    return dto.DeclaringPair != (dto.PairNorthSouth if is_ns else dto.PairEastWest)


def lead(dto: ResultDTO) -> Card | None:
    """Return the card led, or None."""
    if not dto.LeadCardRank:
        return None
    return LEADS[dto.LeadCardRank, dto.LeadCardSuit]


def result_figures(
    sent_outcome: Outcome, side: Side | None, ns: int, ew: int, is_switched: bool
) -> dict[str, int] | None:
    """Return the numeric properties of a result; None for a pending ruling, which the wire cannot express."""
    figures = {"ScoringDirection": 3 if side is None else 1 if side is Side.NS else 2, "DeclaringPair": ns}
    match sent_outcome:
        case Played(contract, tricks):
            declares_ns = (contract.side is Side.NS) is not is_switched
            return figures | {
                "DeclaringPair": ns if declares_ns else ew,
                "DeclarerDirection": contract.declarer.index + 1,
                "Level": contract.level,
                "Denomination": contract.strain + 1,
                "Stake": int(contract.doubling),
                "TotalTricks": tricks,
            }
        case Award() if side is Side.EW:
            sent_outcome = Award(sent_outcome.ew, sent_outcome.ns)
    level = level_of(sent_outcome)
    return None if level is None else figures | {"Level": level}


_RANKS = {rank.letter: rank for rank in Rank}


def deal(dto: HandrecordDTO) -> Deal:
    """Return the deal of a hand record that passed its rules."""
    hands = {}
    for seat in Seat:
        name = seat.title
        hands[seat] = Hand(
            Card.of(suit, _RANKS[letter])
            for suit in Suit
            for letter in dto.holding(name, suit.title.title()) or ""
        )
    return Deal(hands)


TRICK_NAMES = tuple(
    f"DoubleDummy{seat.title}{strain}"
    for seat in Seat
    for strain in ("Clubs", "Diamonds", "Hearts", "Spades", "NoTrump")
)
"""The properties for makeable tricks, in the order of `Tricks`."""


def tricks(dto: HandrecordDTO) -> Tricks | None:
    """Return the twenty makeable tricks, or None."""
    if not dto.HasHandEvaluationData:
        return None
    return Tricks(tuple(getattr(dto, name) for name in TRICK_NAMES))


def handrecord(
    session: str, group: int, section: str, board: int, cards: Deal, makeable: Tricks | None
) -> HandrecordDTO:
    """Return the DTO of a hand record."""
    holdings: dict[str, Any] = {
        seat.title + suit.title.title(): "".join(rank.letter for rank in cards[seat].suit(suit))
        for seat in Seat
        for suit in Suit
    }
    figures: dict[str, Any] = dict(zip(TRICK_NAMES, makeable.figures, strict=True)) if makeable else {}
    return HandrecordDTO(
        SessionGuid=session,
        ScoringGroupNumber=group,
        SectionLetters=section,
        BoardNumber=board,
        HasHandEvaluationData=makeable is not None,
        **holdings,
        **figures,
    )


def clock_time(hour: int, minute: int, now: datetime, zone: tzinfo | None) -> datetime:
    """Return today's date with this local hour and minute; `now` if they are not a valid time of day."""
    local_now = now.astimezone(zone)
    if not (0 <= hour <= 23 and 0 <= minute <= 59):
        return now
    return local_now.replace(hour=hour, minute=minute, second=0, microsecond=0)
