"""A room with a real event behind the terminals: what they send is decided by `overtrick.event`."""

import random
from datetime import datetime, timedelta

from overtrick.bridge import Deal, Doubling, Seat, Strain
from overtrick.control import Entry, Snapshot, Terminal, inputs, lobby, screens, take_snapshot
from overtrick.control.screens import Screen
from overtrick.event import Command, House, OpenEvent, Rejection, SessionPlan, decide
from overtrick.event.hands import HandRecord, PutHandRecords
from overtrick.event.movement import TablePlan
from overtrick.event.settings import (
    LeadEntry,
    PutSettings,
    ScoreRecap,
    SettingsII,
    SettingsIII,
    ShowRanking,
    ViewResults,
)
from overtrick.views import SessionView
from tests.event.evenings import NOON, SESSION, plan, rounds

BARE = SettingsIII(
    lead_entry=LeadEntry.NEVER,
    ranking=ShowRanking.NEVER,
    show_next_seating=False,
    view_results=ViewResults.NONE,
    score_recap=ScoreRecap.NEVER,
)
"""The third generation without anything between the boards."""
BARE_II = SettingsII(show_results=False, show_next_seating=False)
SHORT = plan(
    tables=(
        TablePlan(1, rounds((1, 2, 1), (1, 3, 3), boards=2)),
        TablePlan(2, rounds((3, 4, 1), (4, 2, 3), boards=2)),
    )
)
DEAL = Deal.dealt_by(random.Random(1))
HAND_RECORD = PutHandRecords(SESSION, (HandRecord(1, 1, DEAL),))


def kind(screen: screens.Screen) -> str:
    return type(screen).__name__.removesuffix("Screen")


class Room:
    """One session, its view, and as many terminals as a test wants."""

    def __init__(self, *settings: SettingsII | SettingsIII, planned: SessionPlan | None = None) -> None:
        self.house = House()
        self.view = SessionView()
        self.version = 0
        self.at: datetime = NOON
        self.taken: dict[str, int | Rejection] = {}
        self.log: list[Entry] = []
        self.runs = 0
        self.shot: tuple[tuple[int, str, int], Snapshot | None] = ((0, "", 0), None)
        self.do(OpenEvent(SESSION, (planned or plan(),)))
        letters = [section.section for section, _ in (planned or plan()).sections]
        for each in settings:
            self.do(PutSettings(SESSION, tuple((letter, each) for letter in letters)))

    def try_to(self, command: Command) -> Rejection | None:
        """Carry out a command, or say why not."""
        decided = decide(self.house, command)
        if isinstance(decided, Rejection):
            return decided
        stream = self.house.stream(SESSION)
        for made in decided:
            self.house.apply(made.stream, made.fact)
            if made.stream == (stream or self.house.stream(SESSION)):
                self.view.apply(made.fact)
                self.version += 1
        return None

    def do(self, command: Command) -> None:
        refused = self.try_to(command)
        assert refused is None, str(refused)

    def terminal(self, device: str = "phone") -> Terminal:
        """A terminal in its first run, or in another than before."""
        self.runs += 1
        return Terminal(device, SESSION, lobby(self.view.session), run=str(self.runs))

    def deliver(self, terminal: Terminal) -> None:
        """Send what the terminal has to send, answer it, and tell it what is new."""
        for entry in terminal.unsent():
            answer = self.taken.get(entry.id)
            if answer is None:
                self.log.append(entry)
                refused = self.try_to(entry.command)
                answer = self.taken[entry.id] = refused or self.version
            if isinstance(answer, Rejection):
                terminal.refuse(entry.id, answer)
            else:
                terminal.acknowledge(entry.id, answer)
        self.tell(terminal)

    def tell(self, terminal: Terminal) -> None:
        """Tell a terminal what is new."""
        choice = terminal.machine.choice
        tables = lobby(self.view.session)
        if choice is None:
            terminal.update(None, tables)
        else:
            taken = self.version, *choice
            if taken != self.shot[0]:
                self.shot = taken, take_snapshot(self.view, *choice, self.version)
            terminal.update(self.shot[1], tables)

    def press(self, terminal: Terminal, *keys: inputs.Input) -> Screen:
        """Press keys on a terminal that is on the network; every one must work."""
        for key in keys:
            self.at += timedelta(seconds=1)
            assert terminal.press(key, self.at), f"{key} does not work at {terminal.display.screen}"
            self.deliver(terminal)
        return terminal.display.screen

    def at_table(self, section: str = "A", table: int = 1, device: str = "phone") -> Terminal:
        """A terminal that has logged on."""
        terminal = self.terminal(device)
        self.press(terminal, inputs.Choose(section, table))
        return terminal

    @property
    def results(self) -> dict[tuple[str, int, int, int], str]:
        """What stands, by place."""
        return {place: str(fact.outcome) for place, fact in self.view.session.results.standing.items()}


OK = inputs.Confirm()
BACK = inputs.Cancel()


def board(
    level: int = 4, strain: Strain = Strain.SPADES, declarer: Seat = Seat.NORTH, result: int = 0
) -> tuple[inputs.Input, ...]:
    """The keys of a plain board, from its contract to the opponents' yes."""
    return (inputs.Bid(level, strain), inputs.Declarer(declarer), inputs.Result(result), OK)


def doubled(doubling: Doubling) -> inputs.Double:
    return inputs.Double(doubling)
