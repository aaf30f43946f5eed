"""A table finishes its boards legally or stops with a reason if messages are lost, repeated, delayed or wrong."""

import random
from collections import deque
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.bridge import SEATS, Auction, Award, Deal, PassedOut, Play, Played, Seat, Side
from overtrick.tablemanager.messages import Dialect
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import (
    Board,
    BoardRecord,
    BoardRecorded,
    HangUp,
    Output,
    Send,
    SessionEnded,
    TableError,
    TableRules,
    UnfinishedBoardRuling,
)
from overtrick.tablemanager.table import BridgeTable

FAULTS = ("drop", "repeat", "hold", "kill", "lose", "garbage", "wrong", "claim", "leave")
WRONG = (
    "{} bids 7NT",
    "{} passes",
    "{} plays AS",
    "{} ready for deal",
    "{} ready for cards",
    "{} ready for North's card to trick 13",
    "{} accepts North's claim",
    "Start of board",
    "North plays 2C",
)
faults = st.lists(st.tuples(st.integers(0, 700), st.sampled_from(FAULTS), st.sampled_from(SEATS)), max_size=6)


@dataclass
class Chaos:
    """Four connections with queues in both directions, and faults that are injected into them."""

    table: BridgeTable
    chance: random.Random
    faults: dict[int, list[tuple[str, Seat]]]
    now: float = 0.0
    incarnation: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    players: dict[Seat, Player] = field(default_factory=dict)
    to_player: dict[Seat, deque[str]] = field(default_factory=lambda: {seat: deque() for seat in SEATS})
    to_table: dict[Seat, deque[str]] = field(default_factory=lambda: {seat: deque() for seat in SEATS})
    records: list[BoardRecord] = field(default_factory=list)
    ended: list[SessionEnded] = field(default_factory=list)

    def link(self, seat: Seat) -> tuple[Seat, int]:
        return seat, self.incarnation[seat]

    def do(self, outputs: list[Output]) -> None:
        for output in outputs:
            match output:
                case Send(link=(Seat() as seat, number), line=line):
                    if number == self.incarnation[seat]:
                        self.to_player[seat].append(line)
                case HangUp(link=(Seat() as seat, number)):
                    if number == self.incarnation[seat] and not self.table.is_over:
                        self.restart(seat)
                case BoardRecorded(record):
                    self.records.append(record)
                case SessionEnded():
                    self.ended.append(output)

    def sit(self, seat: Seat) -> None:
        robot = Legal(7)
        team = "A" if seat.side is Side.NS else "B"
        self.players[seat] = Player(
            team,
            seat,
            robot.choose_call,
            robot.choose_card,
            choose_answer=lambda view, claimant, hand: self.chance.random() < 0.7,
        )
        self.ask(seat)

    def ask(self, seat: Seat) -> None:
        self.do(self.table.opened(self.link(seat), self.now))
        self.to_table[seat].append(self.players[seat].hello())

    def leave(self, seat: Seat) -> None:
        self.do(self.table.closed(self.link(seat), self.now))
        self.incarnation[seat] += 1
        self.to_player[seat].clear()
        self.to_table[seat].clear()
        self.players.pop(seat, None)

    def restart(self, seat: Seat) -> None:
        """Kill a player's program and start it again."""
        self.leave(seat)
        self.sit(seat)

    def lose(self, seat: Seat) -> None:
        """Cut a player's connection and let the program reconnect."""
        player = self.players.get(seat)
        self.leave(seat)
        if player is not None:
            self.players[seat] = player
            self.ask(seat)

    def disturb(self, fault: str, seat: Seat) -> None:
        toward = self.chance.choice((self.to_player, self.to_table))[seat]
        match fault:
            case "drop" if toward:
                toward.popleft()
            case "repeat" if toward:
                toward.appendleft(toward[0])
            case "hold":
                # a delay in which no message arrives
                self.now += 20.0
            case "kill":
                self.restart(seat)
            case "lose":
                self.lose(seat)
            case "leave":
                self.leave(seat)
            case "garbage":
                self.to_table[seat].append("".join(map(chr, self.chance.choices(range(256), k=30))))
            case "wrong":
                self.to_table[seat].append(self.chance.choice(WRONG).format(seat.title))
            case "claim":
                self.to_table[seat].append(f"{seat.title} claims")

    def run(self) -> None:
        for seat in SEATS:
            self.sit(seat)
        for step in range(20_000):
            if self.table.is_over:
                return
            for fault, seat in self.faults.get(step, ()):
                self.disturb(fault, seat)
            moving = [
                queue for seat in SEATS for queue in (self.to_player[seat], self.to_table[seat]) if queue
            ]
            if not moving:
                deadline = self.table.deadline
                missing = [seat for seat in SEATS if seat not in self.players]
                if not self.table.begun and missing:
                    self.sit(missing[0])  # a table waits for its players without a limit
                    continue
                assert deadline is not None, "no message is queued and there is no deadline"
                self.now = max(self.now, deadline)
                self.do(self.table.tick(self.now))
                continue
            queue = self.chance.choice(moving)
            seat = next(
                seat for seat in SEATS if queue is self.to_player[seat] or queue is self.to_table[seat]
            )
            line = queue.popleft()
            if queue is self.to_table[seat]:
                self.do(self.table.received(self.link(seat), line, self.now))
            elif seat in self.players:
                try:
                    self.to_table[seat].extend(self.players[seat].receive(line))
                except TableError:
                    self.restart(seat)
        raise AssertionError("20,000 steps and no end")


def check(record: BoardRecord) -> None:
    auction = Auction(record.board.dealer, record.calls)
    if isinstance(record.outcome, Award):
        assert record.remarks
    elif isinstance(record.outcome, PassedOut):
        assert auction.is_passed_out
    else:
        assert isinstance(record.outcome, Played)
        assert auction.contract == record.outcome.contract
        play = Play(record.board.deal, record.outcome.contract, record.cards)
        assert play.is_over or record.claimed_by is not None
        if record.claimed_by is None:
            assert record.outcome.tricks == play.tricks_won(record.outcome.contract.side)


@settings(max_examples=150)
@given(st.integers(0, 2**32), faults, st.sampled_from(UnfinishedBoardRuling), st.sampled_from(Dialect))
def test_table_with_disturbed_messages_finishes_legally_or_stops_with_a_reason(
    seed: int, disturbances: list[tuple[int, str, Seat]], ruling: UnfinishedBoardRuling, dialect: Dialect
) -> None:
    chance = random.Random(seed)
    boards = [Board.numbered(number, Deal.dealt_by(chance)) for number in (1, 2)]
    by_step: dict[int, list[tuple[str, Seat]]] = {}
    for step, fault, seat in disturbances:
        by_step.setdefault(step, []).append((fault, seat))
    rules = TableRules(trick_pause=0.5, ruling=ruling, dialect=dialect, claims=True)
    chaos = Chaos(BridgeTable(boards, rules), chance, by_step)
    chaos.run()
    assert len(chaos.ended) == 1
    reason = chaos.ended[0].reason
    assert reason is None or len(reason) > 10
    for record in chaos.records:
        check(record)
    numbers = [record.board.number for record in chaos.records]
    assert numbers == [1, 2][: len(numbers)]
    if reason is None:
        assert numbers == [1, 2]
    if not disturbances:
        assert reason is None
        assert not any(record.remarks for record in chaos.records)
