"""The game itself: cards, deals, calls, auctions, play, contracts, scores, PBN, LIN and DUP.

Pure: no I/O, and no dependency on events or other packages.
"""

from overtrick.bridge.auction import Auction, IllegalCall
from overtrick.bridge.call import BIDS, CALLS, DOUBLE, PASS, REDOUBLE, Bid, Call, PlainCall, parse_call
from overtrick.bridge.card import CARDS, Card, Rank, Strain, Suit
from overtrick.bridge.contract import Contract, Doubling
from overtrick.bridge.deal import BadDeal, Deal, Hand
from overtrick.bridge.dealing import deals
from overtrick.bridge.outcome import (
    AWARDS,
    Award,
    Cancelled,
    NotPlayed,
    Outcome,
    PassedOut,
    Percent,
    Played,
    ScoreOnly,
    Undecided,
    Weighted,
)
from overtrick.bridge.play import IllegalCard, Play, Trick
from overtrick.bridge.seat import SEATS, Seat, Side, Vulnerability, dealer, vulnerability
from overtrick.bridge.tricks import Tricks

__all__ = [
    "AWARDS",
    "BIDS",
    "CALLS",
    "CARDS",
    "DOUBLE",
    "PASS",
    "REDOUBLE",
    "SEATS",
    "Auction",
    "Award",
    "BadDeal",
    "Bid",
    "Call",
    "Cancelled",
    "Card",
    "Contract",
    "Deal",
    "Doubling",
    "Hand",
    "IllegalCall",
    "IllegalCard",
    "NotPlayed",
    "Outcome",
    "PassedOut",
    "Percent",
    "PlainCall",
    "Play",
    "Played",
    "Rank",
    "ScoreOnly",
    "Seat",
    "Side",
    "Strain",
    "Suit",
    "Trick",
    "Tricks",
    "Undecided",
    "Vulnerability",
    "Weighted",
    "dealer",
    "deals",
    "parse_call",
    "vulnerability",
]
