"""A person at a terminal and three robots, at a real table over real sockets."""

import asyncio
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import pytest
from tests.tablemanager.conftest import DEAL, highest, scripted, team

from overtrick.bridge import SEATS, Card, Contract, Deal, Hand, Play, Played, Seat
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.conversation import Course
from overtrick.tablemanager.player import ChooseCard, Instead, Player, PlayerView
from overtrick.tablemanager.robots.human import Human
from overtrick.tablemanager.robots.natural import Natural
from overtrick.tablemanager.rules import Board, BoardRecord, TableError, TableRules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.table import BridgeTable
from overtrick.tablemanager.terminal import Terminal

N, E, S, W = SEATS
AUCTION = "1C Pass 1S Pass 4S Pass Pass Pass"
HOST = "127.0.0.1"


class Person:
    """A person who types the next answer at each question; after the last answer, the input ends.

    An answer may be a function: it is called at the question and returns the line.
    """

    def __init__(self, *answers: str | Callable[[], str]) -> None:
        self.answers = list(answers)
        self.screen = ""
        self.typed: SimpleQueue[str | None] = SimpleQueue()
        self.terminal = Terminal(self.look, self.type)
        self.server: TableServer | None = None

    def look(self, text: str) -> None:
        self.screen += text
        if text.endswith(": "):
            answer = self.answers.pop(0) if self.answers else None
            self.typed.put(answer() if callable(answer) else answer)

    def type(self) -> str:
        line = self.typed.get()
        if line is None:
            raise EOFError
        self.screen += line + "\n"
        return line


def person_at(seat: Seat, human: Human) -> Player:
    return Player(
        team(seat),
        seat,
        human.choose_call,
        human.choose_card,
        choose_answer=human.choose_answer,
        hear_claim=human.hear_claim,
    )


class Claiming:
    """A declarer who claims once, in the first trick, and plays on when that was rejected."""

    def __init__(self) -> None:
        self.is_done = False

    def choose_card(self, view: PlayerView) -> Card | Instead:
        play = view.course.play
        assert play is not None
        if view.seat is S and len(play.cards) == 3 and not self.is_done:
            self.is_done = True
            return Instead.CLAIM
        return highest(view)


def play(
    person: Person, at: Seat, choose_card: ChooseCard = highest, *, claims: bool = True, accepts: bool = True
) -> list[BoardRecord]:
    """Play a board with a person and three robots that follow the script."""

    async def session() -> list[BoardRecord]:
        rules = TableRules(trick_pause=0.0, closing=0.0, claims=claims)
        person.server = server = TableServer(BridgeTable([Board.numbered(1, DEAL)], rules))
        (port,) = await server.open()
        robots = [
            Player(
                team(seat),
                seat,
                scripted(AUCTION),  # type: ignore[arg-type]
                choose_card,
                choose_answer=lambda view, claimant, hand: accepts,
            )
            for seat in SEATS
            if seat is not at
        ]
        sitting = [asyncio.ensure_future(sit_in(robot, HOST, port)) for robot in robots]
        terminal = person.terminal
        player = person_at(at, Human(terminal.say, terminal.ask))
        try:
            await asyncio.wait_for(
                sit_in(player, HOST, port, pause=0.01, say=terminal.say, terminal=terminal), 10
            )
        except TableError as left:
            person.screen += str(left)
        person.typed.put(None)
        for task in sitting:
            task.cancel()
        await asyncio.gather(*sitting, return_exceptions=True)
        await server.close()
        return server.records

    return asyncio.run(session())


def test_person_claims_and_the_claim_is_accepted() -> None:
    person = Person("1S", "claim", "Pass", "SA", "S9", "Claim")
    (record,) = play(person, S)
    assert record.claimed_by is S
    assert isinstance(record.outcome, Played)
    assert record.outcome.tricks == 13
    assert person.answers == []
    assert "You cannot claim before the auction is over." in person.screen
    assert person.screen.endswith(
        "You claim the remaining tricks.\nYour claim is accepted.\nBoard 1: 4SS+3\n"
    )


def test_person_claims_and_plays_on_after_the_rejection() -> None:
    person = Person("1S", "Pass", "claim", "SA")
    assert play(person, S, accepts=False) == []
    assert "Your claim is rejected.\n4SS, trick 1: ♠5\n" in person.screen
    # the card that was typed next is played
    assert "4SS, trick 1: ♠5 ♠A ♠8\n" in person.screen


def test_person_claims_where_claims_are_off_and_is_told_why() -> None:
    person = Person("1S", "Pass", "claim", "SA")
    play(person, S, claims=False)
    assert "Your claim is rejected: claims are off at this table.\n" in person.screen
    assert "4SS, trick 1: ♠5 ♠A ♠8\n" in person.screen


@pytest.mark.parametrize("word", ["yes", "no"])
def test_person_accepts_or_rejects_a_claim(word: str) -> None:
    person = Person("pass", "pass", "pass", "S5", "what", word)
    records = play(person, W, Claiming().choose_card)
    assert "South claims the rest: ♠KJ10932 ♥97 ♦942 ♣86\n" in person.screen
    assert "Dummy: ♠Q7 ♥AQJ4 ♦6 ♣AKJ105\nWest: ♠4 ♥8653 ♦AQJ1073 ♣3\n" in person.screen
    assert "Please answer yes or no.\n" in person.screen
    if word == "yes":
        assert [record.claimed_by for record in records] == [S]
        assert person.screen.endswith("South's claim is accepted.\nBoard 1: 4SS+3\n")
    else:
        assert records == []
        assert "West's card: " in person.screen.partition("South's claim is rejected.\n")[2]


def test_dummy_sees_a_claim_and_is_not_asked() -> None:
    person = Person("1C", "4S")
    (record,) = play(person, N, Claiming().choose_card)
    assert record.claimed_by is S
    assert "South claims the rest: " in person.screen
    assert "accept" not in person.screen


def test_claim_during_the_question_for_a_card_is_asked_about_first() -> None:
    """A program may claim when it is not its turn."""
    said: list[str] = []
    asked: list[str] = []
    typed = ["1S", "Pass"]

    def ask(text: str) -> str | None:
        asked.append(text)
        return typed.pop(0) if typed else None

    south = person_at(S, Human(said.append, ask))

    def hear(*lines: str) -> list[str]:
        return [answer for line in lines for answer in south.receive(line)]

    south.hello()
    hear(
        'South ("Silent") seated',
        'Teams: N/S: "Silent". E/W: "Bidders"',
        "Start of board",
        "Board number 1. Dealer North. Neither vulnerable",
        "South's cards: S K J T 9 3 2. H 9 7. D 9 4 2. C 8 6.",
        *("North bids 1C", "East passes", "West passes", "North bids 4S", "East passes", "West passes"),
        *("West plays 5S", "Dummy's cards: S A Q 7. H A Q J 4. D 6. C A K J T 5."),
    )
    assert asked == ["Your call", "Your call", "North's card"]
    assert hear("West claims", "West's cards: S 4. H 8 6 5 3. D A Q J T 7 3. C 3.") == []
    assert asked[3:] == ["Do you accept West's claim (yes or no)"]
    typed.append("no")
    # the question for North's card comes after the decision on the claim
    assert south.go_on() == ["South rejects West's claim"]
    assert len(asked) == 5
    assert hear("West's claim is rejected") == []
    assert asked[5:] == ["North's card"]
    typed.append("SA")
    assert south.go_on()[0] == "North plays AS"
    # the table may decide the claim before the person has answered
    hear("East plays 8S")
    hear("West claims", "West's cards: S 4. H 8 6 5 3. D A Q J T 7 3. C 3.", "West's claim is rejected")
    assert asked[-2:] == ["Do you accept West's claim (yes or no)", "South's card"]


def test_person_is_not_asked_again_for_typed_calls_after_a_lost_connection() -> None:
    person = Person()

    def lose_connection() -> str:
        assert person.server is not None
        link: Any = person.server.table.chairs[S].link
        link.transport.abort()
        return "SA"

    # The card is typed after the connection was lost; it is sent when the player is back.
    person.answers = ["1S", "Pass", lose_connection]
    play(person, S)
    lines = person.screen.split("\n")
    assert lines.count("The connection was lost; trying again…") == 1
    assert lines.count("Back at the table.") == 1
    assert sum(line.startswith("Your call: ") for line in lines) == 2
    assert "4SS, trick 1: ♠5 ♠A ♠8" in lines
    assert person.screen.endswith("The terminal's input has ended, so you have left the table.")


# Robots

HOLDS = "N:AKQ.AKQ.AKQ.AKQJ 765.765.765.T987 432.432.432.6543 JT98.JT98.JT98.2"
DOES_NOT = "N:AKQ.KQJ.AKQ.AKQJ 765.A65.765.T987 432.432.432.6543 JT98.T987.JT98.2"


@pytest.mark.parametrize(("deal", "accepts"), [(HOLDS, True), (DOES_NOT, False)])
def test_natural_accepts_only_a_claim_that_no_defence_beats(deal: str, accepts: bool) -> None:
    hands = Deal.parse(deal)
    board = Board.numbered(1, hands)
    known = {E: hands[E], S: hands[S]}
    course = Course(1, board.dealer, board.vulnerability, known)
    view = PlayerView(E, course, hands[E])
    assert Natural().choose_answer(view, N, hands[N]) is False
    # before dummy is seen, two hands are unknown
    course.play = Play({E: hands[E]}, Contract.parse("7NTN"))
    assert Natural().choose_answer(view, N, hands[N]) is False
    for cards in ([Card.C7, Card.C3, Card.C2], [Card.C7, Card.C3, Card.C2, Card.CA]):
        course.play = Play(known, Contract.parse("7NTN"), cards)
        assert Natural().choose_answer(view, N, hands[N] - Hand(cards)) is accepts
    # the claimant has played a card that this player has not received yet
    assert Natural().choose_answer(view, N, hands[N] - Hand([Card.CA, Card.SA])) is False


@pytest.mark.parametrize("claimant", [E, W])
def test_natural_accepts_a_defenders_claim_only_if_it_holds(claimant: Seat) -> None:
    hands = Deal.parse(HOLDS)
    turned = {seat: hands[seat.next] for seat in SEATS}  # West has the winning hand
    known = {S: turned[S], N: turned[N]}
    board = Board.numbered(1, hands)
    course = Course(1, board.dealer, board.vulnerability, known)
    course.play = Play(known, Contract.parse("1NTS"))
    view = PlayerView(S, course, turned[S])
    assert Natural().choose_answer(view, claimant, turned[claimant]) is True
    # against East's contract the defenders win no trick
    known = {E: turned[E], W: turned[W]}
    course.play = Play(known, Contract.parse("1NTE"))
    view = PlayerView(E, course, turned[E])
    assert Natural().choose_answer(view, N, turned[N]) is False
