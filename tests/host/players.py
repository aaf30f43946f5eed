"""People at terminals, for tests of what the terminals talk to."""

import random
from datetime import UTC, datetime, timedelta

from overtrick.bridge import Seat, Strain
from overtrick.control import Terminal, inputs, screens
from overtrick.event import Rejection
from overtrick.host.control import ControlRoom

SEVEN = datetime(2026, 3, 2, 19, 0, tzinfo=UTC)
OK = inputs.Confirm()


class Players:
    """Everyone in a room, with a terminal at each table; what they bid is chance, and the same for the same seed."""

    control: ControlRoom

    def __init__(self, guid: str, seed: int = 7) -> None:
        self.guid = guid
        self.now = SEVEN
        self.chance = random.Random(seed)
        self.runs = 0
        self.terminals: dict[int, Terminal] = {}

    def deliver(self, terminal: Terminal) -> None:
        for entry in terminal.unsent():
            answer = self.control.submit(entry, terminal.machine.device)
            if isinstance(answer, Rejection):
                terminal.refuse(entry.id, answer)
            else:
                terminal.acknowledge(entry.id, answer)
        choice = terminal.machine.choice
        terminal.update(
            self.control.snapshot(self.guid, *choice) if choice else None, self.control.lobby(self.guid)
        )

    def press(self, table: int, *keys: inputs.Input) -> screens.Screen:
        terminal = self.terminals[table]
        for key in keys:
            self.now += timedelta(seconds=1)
            assert terminal.press(key, self.now), (key, terminal.display.screen)
            self.deliver(terminal)
        return terminal.display.screen

    def sit_down(self, *tables: int, section: str = "A") -> None:
        for table in tables:
            self.runs += 1
            self.terminals[table] = Terminal(
                f"phone {table}", self.guid, self.control.lobby(self.guid), run=str(self.runs)
            )
            self.press(table, inputs.Choose(section, table))

    def play_board(self, table: int) -> None:
        level = self.chance.randint(1, 6)
        self.press(
            table,
            inputs.Bid(level, self.chance.choice(list(Strain))),
            inputs.Declarer(self.chance.choice(list(Seat))),
            inputs.Result(self.chance.randint(-3, 7 - level)),
            OK,
        )

    def play_round(self, table: int) -> None:
        """From the round's screen to whatever comes after its last board."""
        self.deliver(self.terminals[table])
        assert isinstance(self.terminals[table].display.screen, screens.RoundScreen)
        self.press(table, OK)
        while inputs.Bid in self.terminals[table].display.keys:
            self.play_board(table)

    def played(self) -> dict[tuple[str, int, int, int], str]:
        """What the room says."""
        view = self.control.view(self.guid)
        assert view is not None
        return {place: str(result.outcome) for place, result in view.session.results.standing.items()}
