"""A simple natural bidding system: five-card majors, 15 to 17 notrump, weak twos, Stayman.

`options` lists the possible calls in order of preference, each with its meaning. A player makes the first call that
fits its hand; the other players interpret a call by the same list.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from overtrick.bridge import DOUBLE, PASS, Auction, Bid, Call, Seat, Strain, Suit, parse_call
from overtrick.tablemanager.robots.meaning import Meaning

MAJORS = (Suit.SPADES, Suit.HEARTS)
MINORS = (Suit.DIAMONDS, Suit.CLUBS)
GAME, SLAM = 25, 33
"""High card points of both hands together that are enough for game and for slam."""


@dataclass(frozen=True, slots=True)
class Option:
    """A call with its meaning. A call that is listed more than once has all these meanings.

    An artificial call is alerted, with a phrase of the document if one fits.
    """

    call: Call
    meaning: Meaning
    is_artificial: bool = False
    phrase: str = ""


ShownMeanings = Mapping[Seat, Meaning]
"""The meaning of each player's calls so far."""


def options(auction: Auction, shown: ShownMeanings) -> list[Option]:
    """Return the calls of the player whose turn it is, preferred first; the last is a pass with any hand."""
    seat = auction.turn
    assert seat is not None
    legal = [option for option in _options(auction, seat, shown) if auction.is_legal(option.call)]
    return [*legal, Option(PASS, Meaning())]


def _options(auction: Auction, seat: Seat, shown: ShownMeanings) -> Iterator[Option]:
    calls_made = [
        (auction.caller(place), call) for place, call in enumerate(auction.calls) if call is not PASS
    ]
    our_calls = [(caller, call) for caller, call in calls_made if caller.side is seat.side]
    their_calls = [(caller, call) for caller, call in calls_made if caller.side is not seat.side]
    if not calls_made:
        yield from _openings(len(auction.calls))
        return
    if not our_calls:
        yield from _overcalls(auction, seat, shown)
        return
    own_calls = [call for caller, call in our_calls if caller is seat]
    partners_calls = [call for caller, call in our_calls if caller is not seat]
    if not own_calls and len(partners_calls) == 1 and calls_made[0][1] is partners_calls[0]:
        yield from _responses(partners_calls[0], bool(their_calls))
    elif not own_calls and partners_calls == [DOUBLE]:
        yield from _answers_to_double(auction, their_calls)
    elif not their_calls and len(own_calls) == 1 and len(partners_calls) == 1:
        yield from _rebids(own_calls[0], partners_calls[0])
    yield from _contract_choices(auction, seat, shown)
    yield from _penalty_double(auction, seat, shown)


def _bid(text: str) -> Call:
    return parse_call(text)


def _openings(place: int) -> Iterator[Option]:
    yield Option(_bid("2C"), Meaning.of(22), True, "Forcing for one round")
    yield Option(_bid("2NT"), Meaning.of(20, 21, is_balanced=True))
    yield Option(_bid("1NT"), Meaning.of(15, 17, is_balanced=True))
    yield Option(_bid("1S"), Meaning.of(12, 21, suits={Suit.SPADES: 6}))
    yield Option(_bid("1H"), Meaning.of(12, 21, suits={Suit.HEARTS: 6}))
    yield Option(_bid("1S"), Meaning.of(12, 21, suits={Suit.SPADES: 5}))
    yield Option(_bid("1H"), Meaning.of(12, 21, suits={Suit.HEARTS: 5}))
    yield Option(_bid("1D"), Meaning.of(12, 21, suits={Suit.DIAMONDS: 5}))
    yield Option(_bid("1C"), Meaning.of(12, 21, suits={Suit.CLUBS: 5}))
    yield Option(_bid("1D"), Meaning.of(12, 21, suits={Suit.DIAMONDS: 4}))
    yield Option(_bid("1C"), Meaning.of(12, 21, suits={Suit.CLUBS: 3}))
    yield Option(_bid("1D"), Meaning.of(12, 21, suits={Suit.DIAMONDS: 3}))
    for suit in (*MAJORS, *MINORS):
        letter = suit.letter
        if suit in MAJORS:
            yield Option(_bid(f"4{letter}"), Meaning.of(6, 11, suits={suit: 8}))
        yield Option(_bid(f"3{letter}"), Meaning.of(5, 10, suits={suit: 7}))
        if suit is not Suit.CLUBS and place < 3:
            yield Option(_bid(f"2{letter}"), Meaning.of(6, 10, suits={suit: (6, 6)}))
    yield Option(PASS, Meaning.of(0, 11))


def _responses(opening: Call, is_contested: bool) -> Iterator[Option]:
    if not isinstance(opening, Bid):
        return
    suit = opening.strain.suit
    if opening == _bid("1NT") and not is_contested:
        yield from _answers_to_notrump(1, 8)
    elif opening == _bid("2NT") and not is_contested:
        yield from _answers_to_notrump(2, 4)
    elif opening == _bid("2C"):
        yield Option(_bid("2D"), Meaning.of(0, 7), True)
        yield Option(_bid("2H"), Meaning.of(8, suits={Suit.HEARTS: 5}))
        yield Option(_bid("2S"), Meaning.of(8, suits={Suit.SPADES: 5}))
        yield Option(_bid("2NT"), Meaning.of(8))
    elif suit is not None and opening.level == 1:
        yield from _answers_to_suit(suit)
    elif suit is not None and opening.level in (2, 3):
        if suit in MAJORS:
            yield Option(Bid(4, opening.strain), Meaning.of(14, suits={suit: 2}))
            yield Option(Bid(4, opening.strain), Meaning.of(6, suits={suit: 4}))
        yield Option(_bid("3NT"), Meaning.of(16))
        yield Option(PASS, Meaning.of(0, 15))


def _answers_to_notrump(level: int, invites: int) -> Iterator[Option]:
    yield Option(_bid("6NT"), Meaning.of(invites + 9, is_balanced=True))
    for major in MAJORS:
        letter = major.letter
        yield Option(_bid(f"4{letter}"), Meaning.of(invites, suits={major: 6}))
        yield Option(_bid(f"3{letter}"), Meaning.of(invites + 2, suits={major: 5}))
        if level == 1:
            yield Option(_bid(f"2{letter}"), Meaning.of(0, invites - 1, suits={major: 5}))
    for major in MAJORS:
        yield Option(
            _bid(f"{level + 1}C"),
            Meaning.of(invites, suits={major: 4}),
            True,
            "Asking for a four-card major suit",
        )
    yield Option(_bid("3NT"), Meaning.of(invites + 2, invites + 8))
    if level == 1:
        yield Option(_bid("2NT"), Meaning.of(invites, invites + 1))
    yield Option(PASS, Meaning.of(0, invites - 1))


def _answers_to_suit(suit: Suit) -> Iterator[Option]:
    strain = Strain(suit)
    if suit in MAJORS:
        yield Option(Bid(4, strain), Meaning.of(12, 16, suits={suit: 4}))
        yield Option(Bid(4, strain), Meaning.of(13, 15, suits={suit: 3}))
        yield Option(Bid(3, strain), Meaning.of(10, 12, suits={suit: 3}))
        yield Option(Bid(2, strain), Meaning.of(6, 9, suits={suit: 3}))
    for length in (5, 4):
        for other in (Suit.SPADES, Suit.HEARTS) if length == 5 else (Suit.HEARTS, Suit.SPADES):
            if other > suit:
                yield Option(Bid(1, Strain(other)), Meaning.of(6, suits={other: length}))
        if suit is Suit.CLUBS:
            yield Option(_bid("1D"), Meaning.of(6, suits={Suit.DIAMONDS: length}))
        for other in (Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS):
            if other < suit and (length == 5 or other is not Suit.HEARTS):
                yield Option(Bid(2, Strain(other)), Meaning.of(12, suits={other: length}))
    if suit in MINORS:
        yield Option(Bid(3, strain), Meaning.of(10, 11, suits={suit: 5}))
        yield Option(Bid(2, strain), Meaning.of(6, 9, suits={suit: 5}))
    yield Option(_bid("3NT"), Meaning.of(13, 16))
    yield Option(_bid("2NT"), Meaning.of(11, 12))
    yield Option(_bid("1NT"), Meaning.of(6, 10))
    yield Option(PASS, Meaning.of(0, 5))


def _rebids(opening: Call, answer: Call) -> Iterator[Option]:
    if not isinstance(opening, Bid) or not isinstance(answer, Bid):
        return
    suit, theirs = opening.strain.suit, answer.strain.suit
    if opening == _bid("1NT") and answer == _bid("2C"):
        yield Option(_bid("2H"), Meaning.of(15, 17, suits={Suit.HEARTS: 4}))
        yield Option(_bid("2S"), Meaning.of(15, 17, suits={Suit.SPADES: 4}))
        yield Option(_bid("2D"), Meaning.of(15, 17, suits={Suit.HEARTS: (0, 3), Suit.SPADES: (0, 3)}), True)
        return
    if opening == _bid("2NT") and answer == _bid("3C"):
        yield Option(_bid("3H"), Meaning.of(20, 21, suits={Suit.HEARTS: 4}))
        yield Option(_bid("3S"), Meaning.of(20, 21, suits={Suit.SPADES: 4}))
        yield Option(_bid("3D"), Meaning.of(20, 21, suits={Suit.HEARTS: (0, 3), Suit.SPADES: (0, 3)}), True)
        return
    if opening == _bid("2C"):
        for other in (*MAJORS, *MINORS):
            level = 2 if Bid(2, Strain(other)) > answer else 3
            yield Option(Bid(level, Strain(other)), Meaning.of(22, suits={other: 5}))
        yield Option(_bid("2NT"), Meaning.of(22, 24))
        yield Option(_bid("3NT"), Meaning.of(25))
        return
    # A new suit is forcing, so there must be a rebid for every hand.
    if suit is None or theirs is None or theirs is suit or opening.level != 1:
        return
    if theirs in MAJORS:
        yield Option(Bid(4, answer.strain), Meaning.of(19, 21, suits={theirs: 4}))
        yield Option(Bid(3, answer.strain), Meaning.of(16, 18, suits={theirs: 4}))
        yield Option(Bid(2, answer.strain), Meaning.of(12, 15, suits={theirs: 4}))
    yield Option(_bid("2NT"), Meaning.of(18, 19, is_balanced=True))
    yield Option(_bid("1NT"), Meaning.of(12, 14, is_balanced=True))
    yield Option(Bid(3, opening.strain), Meaning.of(16, 18, suits={suit: 6}))
    yield Option(Bid(2, opening.strain), Meaning.of(12, 15, suits={suit: 6}))
    for other in (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS):
        if other not in (suit, theirs):
            level = next(level for level in (1, 2, 3) if Bid(level, Strain(other)) > answer)
            if level < 3 and (other < suit or level == 1):
                yield Option(Bid(level, Strain(other)), Meaning.of(12, 18, suits={other: 4}))
    yield Option(Bid(2, opening.strain), Meaning.of(12, 17, suits={suit: 5}))
    yield Option(_bid("2NT"), Meaning.of(12, 21))
    yield Option(Bid(3, opening.strain), Meaning.of(12, 21, suits={suit: 4}))


def _overcalls(auction: Auction, seat: Seat, shown: ShownMeanings) -> Iterator[Option]:
    last = auction.last_bid
    assert last is not None
    suit = last.strain.suit
    yield Option(_bid("1NT"), Meaning.of(15, 18, is_balanced=True))
    if last.level <= 2:
        for other in (*MAJORS, *MINORS):
            level = next(level for level in range(1, 4) if Bid(level, Strain(other)) > last)
            if level == 1:
                yield Option(Bid(1, Strain(other)), Meaning.of(9, 16, suits={other: 5}))
            elif level == 2:
                yield Option(Bid(2, Strain(other)), Meaning.of(12, 16, suits={other: 5}))
            else:
                yield Option(Bid(3, Strain(other)), Meaning.of(14, 17, suits={other: 6}))
    if suit is not None and last.level <= 2:
        others = {other: 3 for other in MAJORS if other is not suit}
        yield Option(DOUBLE, Meaning.of(12, suits={suit: (0, 2), **others}), True)
        yield Option(DOUBLE, Meaning.of(17), True)
    yield Option(_bid("3NT"), Meaning.of(19, is_balanced=True))
    yield from _penalty_double(auction, seat, shown)


def _answers_to_double(auction: Auction, theirs: list[tuple[Seat, Call]]) -> Iterator[Option]:
    last = auction.last_bid
    assert last is not None
    named = {call.strain for _, call in theirs if isinstance(call, Bid)}
    for length in (5, 4, 3):
        for suit in (*MAJORS, *MINORS):
            if Strain(suit) in named:
                continue
            level = next((level for level in range(1, 8) if Bid(level, Strain(suit)) > last), 8)
            if suit in MAJORS and length >= 4:
                yield Option(Bid(4, Strain(suit)), Meaning.of(12, suits={suit: length}))
                if level < 3:
                    yield Option(Bid(level + 1, Strain(suit)), Meaning.of(9, 11, suits={suit: length}))
            if level <= 3:
                yield Option(Bid(level, Strain(suit)), Meaning.of(0, 11, suits={suit: length}))
        if length == 5:
            yield Option(_bid("3NT"), Meaning.of(13))


def _contract_choices(auction: Auction, seat: Seat, shown: ShownMeanings) -> Iterator[Option]:
    """Yield the calls that choose the contract from partner's meaning: slam, game, an invitation, a better suit."""
    partner, last = shown[seat.partner], auction.last_bid
    assert last is not None
    least, most = partner.points
    likely_points = min(least + 1, most)
    hoped_points = min(most, least + 4)
    is_ours = auction.caller(
        max(place for place, call in enumerate(auction.calls) if isinstance(call, Bid))
    ).side
    for points, levels in ((SLAM - likely_points, (6, 6, 6)), (GAME - likely_points, (4, 3, 5))):
        major_level, notrump_level, minor_level = levels
        for suit in MAJORS:
            needed_length = max(2, 8 - partner.least(suit))
            if needed_length <= 7:
                yield Option(
                    Bid(major_level, Strain(suit)),
                    Meaning.of(max(0, points - 1), suits={suit: needed_length}),
                )
        yield Option(Bid(notrump_level, Strain.NOTRUMP), Meaning.of(max(0, points)))
        for suit in MINORS:
            needed_length = max(3, 9 - partner.least(suit))
            if partner.least(suit) >= 3:
                yield Option(
                    Bid(minor_level, Strain(suit)),
                    Meaning.of(max(0, points + 2), suits={suit: needed_length}),
                )
    if last.level <= 2:
        invites = max(0, GAME - hoped_points)
        for suit in MAJORS:
            needed_length = max(3, 8 - partner.least(suit))
            if partner.least(suit) >= 4 and Bid(3, Strain(suit)) > last:
                yield Option(Bid(3, Strain(suit)), Meaning.of(invites, 40, suits={suit: needed_length}))
        yield Option(_bid("2NT"), Meaning.of(invites))
    if is_ours is seat.side and auction.caller(len(auction.calls) - 2) is seat.partner:
        # Prefer a suit of partner's in which the two hands together are longer than in the last bid suit.
        named = last.strain.suit
        for other in (*MAJORS, *MINORS):
            if partner.least(other) >= 4 and named is not None and other is not named:
                level = next((level for level in range(1, 8) if Bid(level, Strain(other)) > last), 8)
                if level <= 3:
                    yield Option(Bid(level, Strain(other)), Meaning.of(suits={other: 3, named: (0, 2)}))


def _penalty_double(auction: Auction, seat: Seat, shown: ShownMeanings) -> Iterator[Option]:
    """Yield a double of a contract that our points should defeat."""
    last = auction.last_bid
    assert last is not None
    needed = {2: 26, 3: 23, 4: 20, 5: 17, 6: 13, 7: 6}.get(last.level)
    if needed is not None:
        yield Option(
            DOUBLE, Meaning.of(max(8 if last.level < 6 else 3, needed - shown[seat.partner].points[0]))
        )
