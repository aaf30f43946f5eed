"""Par against the solver's own par, known hands, and a bidding game played out call by call."""

import random
from functools import cache

import pytest

from overtrick.bridge import (
    BIDS,
    SEATS,
    Contract,
    Doubling,
    PassedOut,
    Played,
    Seat,
    Side,
    Strain,
    Tricks,
    Vulnerability,
)
from overtrick.doubledummy import par


def ways(tricks: Tricks, dealer: Seat, vulnerability: Vulnerability) -> set[str]:
    return {str(outcome) for outcome in par(tricks, dealer, vulnerability).outcomes}


def some_tables(count: int) -> list[Tricks]:
    """Tables such as deals give: what one side makes, the other mostly cannot."""
    chance = random.Random(77)
    made = []
    for _ in range(count):
        figures = {}
        for strain in Strain:
            ours = chance.randint(0, 13)
            for seat in SEATS:
                best = ours if seat.side is Side.NS else 13 - ours
                figures[seat, strain] = max(0, best - chance.choice((0, 0, 0, 0, 1, 2)))
        made.append(Tricks.of(figures))
    return made


def solvers_par(tricks: Tricks, dealer: Seat, vulnerability: Vulnerability) -> tuple[int, set[str]]:
    import endplay._dds as dds

    table = dds.ddTableResults()
    for seat in SEATS:
        for strain, row in zip("SHDC", range(4), strict=True):
            table.resTable[row][seat.index] = tricks[seat, Strain.parse(strain)]
        table.resTable[4][seat.index] = tricks[seat, Strain.NOTRUMP]
    found = dds.parResultsMaster()
    dds.DealerParBin(table, found, dealer.index, {"None": 0, "All": 1, "NS": 2, "EW": 3}[vulnerability.value])
    texts = set()
    for contract in found.contracts[: found.number]:
        if contract.level == 0:
            texts.add("Pass")
            continue
        strain = ("NT", "S", "H", "D", "C")[contract.denom]
        down, over = contract.underTricks, contract.overTricks
        result = f"x{{}}-{down}" if down else f"{{}}+{over}" if over else "{}="
        for declarer in ("N", "E", "S", "W", "NS", "EW")[contract.seats]:
            texts.add(f"{contract.level}{strain}{result.format(declarer)}")
    return found.score, texts


@pytest.mark.parametrize("vulnerability", Vulnerability)
@pytest.mark.parametrize("dealer", SEATS)
def test_par_equals_that_of_the_solver(dealer: Seat, vulnerability: Vulnerability) -> None:
    for tricks in some_tables(60):
        score, contracts = solvers_par(tricks, dealer, vulnerability)
        ours = par(tricks, dealer, vulnerability)
        assert ours.score == score, str(tricks)
        assert ways(tricks, dealer, vulnerability) == contracts, str(tricks)


def game_value(tricks: Tricks, dealer: Seat, vulnerability: Vulnerability) -> int:
    """The bidding as a game of four players who pass or bid in turn, to the last pass."""

    def final(side: Side, place: int) -> int:
        bid = BIDS[place]
        most = max(tricks[seat, bid.strain] for seat in side.seats)
        doubling = Doubling.UNDOUBLED if most >= bid.level + 6 else Doubling.DOUBLED
        score = Contract(bid.level, bid.strain, doubling, side.seats[0]).score(
            most, vulnerability.includes(side)
        )
        return score if side is Side.NS else -score

    @cache
    def value(seat: Seat, place: int, bidder: Side | None, passes: int) -> int:
        if passes == (4 if bidder is None else 3):
            return 0 if bidder is None else final(bidder, place)
        choices = [value(seat.next, place, bidder, passes + 1)]
        choices += [value(seat.next, higher, seat.side, 0) for higher in range(place + 1, len(BIDS))]
        return max(choices) if seat.side is Side.NS else min(choices)

    return value(dealer, -1, None, 0)


def test_par_equals_an_exhaustive_search_of_auctions() -> None:
    for number, tricks in enumerate(some_tables(24)):
        dealer, vulnerability = SEATS[number % 4], tuple(Vulnerability)[number // 4 % 4]
        assert par(tricks, dealer, vulnerability).score == game_value(tricks, dealer, vulnerability)


def table(ns: str, ew: str) -> Tricks:
    """From the tricks of each side in C D H S NT."""
    figures = {}
    for side, text in ((Side.NS, ns), (Side.EW, ew)):
        for strain, tricks in zip(Strain, text.split(), strict=True):
            for seat in side.seats:
                figures[seat, strain] = int(tricks)
    return Tricks.of(figures)


def test_a_game_that_nobody_can_beat() -> None:
    both = table("6 6 7 10 9", "7 7 6 3 4")
    assert par(both, Seat.NORTH, Vulnerability.ALL).score == 620
    assert ways(both, Seat.NORTH, Vulnerability.ALL) == {"4SN=", "4SS="}


def test_a_sacrifice_depends_on_vulnerability() -> None:
    both = table("2 3 10 4 5", "11 9 3 9 8")
    # 5CE makes: 4H is outbid, 5H doubled costs 100 or 200 and saves 400 or more
    assert par(both, Seat.NORTH, Vulnerability.NONE).score == -100
    assert ways(both, Seat.NORTH, Vulnerability.NONE) == {"5HxN-1", "5HxS-1"}
    assert par(both, Seat.NORTH, Vulnerability.NS).score == -200


def test_par_of_a_contract_that_both_can_make_depends_on_the_dealer() -> None:
    both = table("6 6 6 6 7", "6 6 6 6 7")
    assert str(par(both, Seat.SOUTH, Vulnerability.NONE)) == "NS 90"
    assert str(par(both, Seat.WEST, Vulnerability.NONE)) == "EW 90"


def test_board_on_which_nobody_makes_a_contract_is_passed_out() -> None:
    nothing = par(table("6 6 6 6 6", "6 6 6 6 6"), Seat.EAST, Vulnerability.ALL)
    assert (str(nothing), nothing.outcomes) == ("NS 0", (PassedOut(),))


def test_the_better_hand_declares() -> None:
    figures = {(seat, strain): 6 for seat in SEATS for strain in Strain}
    figures[Seat.NORTH, Strain.NOTRUMP] = 9
    ours = par(Tricks.of(figures), Seat.EAST, Vulnerability.NONE)
    assert ours.score == 400
    assert ours.outcomes == (Played(Contract.parse("3NTN"), 9),)
