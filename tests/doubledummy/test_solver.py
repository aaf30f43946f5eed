import os
import random
import signal
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from overtrick.bridge import CARDS, SEATS, Card, Deal, Hand, Seat, Strain, Suit, Tricks
from overtrick.doubledummy import SolveCancelled, SolverBatch, SolverFailed, solver, tables
from overtrick.errors import BadInput, OvertrickError

DEALS = [Deal.dealt_by(random.Random(seed)) for seed in range(4)]


def turned(deal: Deal) -> Deal:
    """The same hands, each moved to the next seat."""
    return Deal({seat.next: deal[seat] for seat in SEATS})


def test_turning_the_deal_turns_the_table() -> None:
    seen: list[tuple[int, int]] = []
    given = [DEALS[0], turned(DEALS[0]), DEALS[1], DEALS[0]]
    found = tables(given, progress=lambda done, total: seen.append((done, total)), workers=2)
    straight, round_one, other, again = found
    assert straight == again
    assert straight != other
    for seat in SEATS:
        for strain in Strain:
            assert round_one[seat.next, strain] == straight[seat, strain]
    # the deal that came twice was solved once
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_deal_with_a_suit_in_each_hand_has_the_obvious_tricks() -> None:
    # each seat has one whole suit
    suits = {seat: Hand(card for card in CARDS if card.suit == seat.index) for seat in SEATS}
    (found,) = tables([Deal(suits)])
    for seat in SEATS:
        for strain in Strain:
            if strain is Strain.NOTRUMP:
                # whoever is on lead takes them all
                assert found[seat, strain] == 0
            else:
                assert found[seat, strain] == (13 if SEATS[strain].side is seat.side else 0)


def tricks_by_hand(hands: dict[Seat, Hand], declarer: Seat, strain: Strain) -> int:
    """Declarer's tricks by trying every card of every hand."""
    ours = declarer.side
    trump = strain.suit

    @cache
    def best(held: tuple[Hand, ...], leader: Seat, trick: tuple[Card, ...]) -> int:
        if len(trick) == 4:
            led = trick[0].suit
            order = [(card.suit is trump, card.suit is led, card.rank) for card in trick]
            winner = SEATS[(leader.index + order.index(max(order))) % 4]
            return (winner.side is ours) + (best(held, winner, ()) if len(held[0]) else 0)
        seat = SEATS[(leader.index + len(trick)) % 4]
        hand = held[seat.index]
        follow: list[Card] = [card for card in hand if trick and card.suit is trick[0].suit]
        values = [
            best((*held[: seat.index], hand.without(card), *held[seat.index + 1 :]), leader, (*trick, card))
            for card in (follow or hand)
        ]
        return max(values) if seat.side is ours else min(values)

    return best(tuple(hands[seat] for seat in SEATS), declarer.next, ())


@pytest.mark.parametrize("seed", range(6))
def test_tables_equal_an_exhaustive_search_on_endings(seed: int) -> None:
    chance = random.Random(seed)
    cards = chance.sample([card for card in CARDS if card.suit is not Suit.CLUBS or seed % 2], 12)
    hands = {seat: Hand(cards[3 * seat.index : 3 * seat.index + 3]) for seat in SEATS}
    figures = solver.solve_hands([hands[seat] for seat in SEATS])
    found = Tricks(tuple(figures))
    for declarer in SEATS:
        for strain in Strain:
            assert found[declarer, strain] == tricks_by_hand(hands, declarer, strain)


def test_batch_of_no_deals_has_no_tables() -> None:
    assert tables([]) == []


def test_batch_above_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "MAX_DEALS", 3)
    with pytest.raises(BadInput, match="4 deals are too many for one batch: 3 is the most"):
        SolverBatch(DEALS)


def test_invalid_deal_is_refused_at_once() -> None:
    with pytest.raises(BadInput, match="not a deal"):
        SolverBatch(["N:..."])  # type: ignore[list-item]


STARTED: list[Popen[bytes]] = []


@pytest.fixture(autouse=True)
def noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Note every worker that is started."""

    def start(*args: Any, **more: Any) -> Popen[bytes]:
        STARTED.append(Popen(*args, **more))
        return STARTED[-1]

    monkeypatch.setattr(solver, "Popen", start)


def workers_of_this_process() -> list[int]:
    return [worker.pid for worker in STARTED if worker.poll() is None]


def test_a_script_needs_no_guard_for_its_workers(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "from overtrick.bridge import Deal\n"
        "from overtrick.doubledummy import tables\n"
        f"print(len(tables([Deal.parse({str(DEALS[0])!r})], workers=1)))\n"
    )
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=50)
    assert (ran.stdout, ran.stderr) == ("1\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_worker_is_an_error_and_not_a_hang() -> None:
    def kill_one(done: int, total: int) -> None:
        os.kill(workers_of_this_process()[0], signal.SIGKILL)

    with (
        SolverBatch(DEALS, workers=1, progress=kill_one) as batch,
        pytest.raises(SolverFailed, match=r"ended the solver's process; 1 of 4 deals were solved"),
    ):
        batch.result(timeout=50)
    assert list(batch.solved) == DEALS[:1]
    assert workers_of_this_process() == []


def test_a_deal_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(SolverFailed, match=r"took more than 0\.01 seconds; 0 of 4"):
        tables(DEALS, workers=1, timeout=0.01)


def test_deal_that_the_solver_refuses_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    # a hand of a deal is always right, so the fault is put in on the way
    monkeypatch.setattr(solver, "SEATS", SEATS[:3])
    with pytest.raises(SolverFailed, match="was refused by the solver"):
        tables(DEALS[:1])


def test_processes_that_cannot_be_started_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoMore:
        def __init__(self) -> None:
            raise OSError("out of memory")

    monkeypatch.setattr(solver, "_Worker", NoMore)
    with pytest.raises(SolverFailed, match="could not be run: out of memory"):
        tables(DEALS[:1])


def test_cancelled_batch_raises_and_stops_its_workers() -> None:
    started = threading.Event()
    with SolverBatch(DEALS * 2, workers=1, progress=lambda done, total: started.set()) as batch:
        assert started.wait(50)
        batch.cancel()
        with pytest.raises(SolveCancelled, match=r"cancelled after \d of 4 deals"):
            batch.result(timeout=10)
    assert batch.is_over
    assert 1 <= batch.done < 4
    assert workers_of_this_process() == []


def test_leaving_the_block_stops_the_workers() -> None:
    with SolverBatch(DEALS, workers=1) as batch:
        assert not batch.is_over
    assert batch.is_over
    assert workers_of_this_process() == []


def test_a_fault_in_the_callers_progress_reaches_the_caller() -> None:
    def stumble(done: int, total: int) -> None:
        raise OvertrickError("The desk is gone.")

    with pytest.raises(OvertrickError, match="The desk is gone"):
        tables(DEALS, workers=1, progress=stumble)


def test_result_before_the_batch_is_done_is_refused() -> None:
    with (
        SolverBatch(DEALS, workers=1) as batch,
        pytest.raises(SolverFailed, match="0 of 4 deals were solved in 0 seconds"),
    ):
        batch.result(timeout=0)


def test_neither_package_nor_library_loads_numpy_or_matplotlib() -> None:
    program = (
        "import sys\n"
        "from overtrick.doubledummy.library import load_library\n"
        "load_library()\n"
        "heavy = {'endplay', 'numpy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=50)
