"""People at phones, for tests of what the phones talk to."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from overtrick.bridge import Card, Contract, Doubling, Outcome, Played, Seat, Strain
from overtrick.control.device_location import TablePlace
from overtrick.host.control import ControlSoftware
from overtrick.host.simulated_phone import SimulatedPhone

SEVEN = datetime(2026, 3, 2, 19, 0, tzinfo=UTC)
SEATS = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)


class Players:
    """Players with a phone at each table. Their results are random, and the same for the same seed."""

    control: ControlSoftware

    def __init__(self, guid: str, seed: int = 7) -> None:
        self.guid = guid
        self.now = SEVEN
        self.chance = random.Random(seed)
        self.runs = 0
        self.phones: dict[int, SimulatedPhone] = {}

    def phone(self, table: int) -> SimulatedPhone:
        """Return the phone of a table when it has sent and heard everything."""
        phone = self.phones[table]
        phone.control = self.control
        phone.exchange()
        return phone

    def sit_down(self, *tables: int, section: str = "A") -> None:
        for table in tables:
            self.runs += 1
            self.phones[table] = SimulatedPhone(
                self.control,
                self.guid,
                TablePlace(section, table),
                device=f"phone-{table}",
                run=str(self.runs),
                now=lambda: self.now,
            )
            self.pass_time()
            self.phones[table].log_on(takes_over=False)

    def pass_time(self) -> None:
        """Let a second go by, so that no two entries have the same time."""
        self.now += timedelta(seconds=1)

    def outcome(self) -> Outcome:
        """Return a result that chance makes."""
        level, strain = self.chance.randint(1, 6), self.chance.choice(list(Strain))
        contract = Contract(level, strain, Doubling.UNDOUBLED, self.chance.choice(list(Seat)))
        return Played(contract, contract.target + self.chance.randint(-3, 7 - level))

    def play_board(self, table: int, outcome: str = "", lead: Card | None = None) -> None:
        """Enter the result of the board that is due."""
        self.pass_time()
        phone = self.phone(table)
        due = phone.next_board()
        assert due is not None
        phone.enter(*due, Outcome.parse(outcome) if outcome else self.outcome(), lead)
        assert phone.next_board() != due, phone.refused

    def play_round(self, table: int) -> None:
        """Play all boards of the round that is due."""
        due = self.phone(table).next_board()
        assert due is not None
        for _ in self.phone(table).open_boards(due[0]):
            self.play_board(table)

    def is_waiting(self, tables: Sequence[int]) -> bool:
        """Return whether these tables have nothing to play, and wait for another round."""
        return all(
            (snapshot := self.phone(table).snapshot) is not None
            and snapshot.is_waiting
            and self.phone(table).next_board() is None
            for table in tables
        )

    def is_done(self, tables: Sequence[int]) -> bool:
        """Return whether these tables have played everything."""
        return all(
            (snapshot := self.phone(table).snapshot) is not None
            and not snapshot.is_waiting
            and self.phone(table).next_board() is None
            for table in tables
        )

    def log_off(self, *tables: int) -> None:
        for table in tables:
            self.pass_time()
            phone = self.phone(table)
            phone.log_off()
            assert not phone.is_logged_on

    def played(self) -> dict[tuple[str, int, int, int], str]:
        """Return the results as the control software has them."""
        view = self.control.view(self.guid)
        assert view is not None
        return {place: str(result.outcome) for place, result in view.session.results.standing.items()}
