"""A stand-in for the control program that plays an evening, with the real command line: `/f:FILE /s /r`.

It carries out the instructions in the `.bws` file and writes results to it; one result is corrected and one is erased.
It ends when there is a file `stop` beside the `.bws` file, or after a minute without boards to play.
"""

import os
import sys
import time
from datetime import datetime
from pathlib import Path

from overtrick.bridge import Outcome, Seat
from overtrick.event import Command, Session
from overtrick.event.movement import is_played
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin, ResultEntry
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.tables import LogOn
from tests.bws.controls import Control

OUTCOMES = ("1DxN-4", "2NTxW-2", "2HxxE+1", "Pass", "3CxN-1", "4SS=", "60-40", "6NTN=", "5DW-3")
CORRECTED, ERASED = 4, 6
"""The number of results after which one is corrected, and one is erased."""


class StandIn:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.has_erased = False
        self.control = Control.start(path)
        self.guid = self.control.guid

    @property
    def session(self) -> Session:
        return self.control.session

    def do(self, command: Command) -> None:
        self.control.happen_at_once(command)

    def log_on(self) -> None:
        """Log on every table and enter its players' numbers."""
        for section, table in self.session.movement.tables:
            self.do(LogOn(self.guid, section, table, f"{section}{table}", datetime.now(), takes_over=True))
            chairs = tuple(
                Participation(section, table, seat, f"{table}{place}") for place, seat in enumerate(Seat, 1)
            )
            self.do(PutParticipations(self.guid, chairs, Source.TERMINAL, must_be_known=False))

    def carry_out_instructions(self) -> None:
        """Carry out the instructions of the scoring program."""
        self.control.look()
        assert not self.control.rejections

    def play(self) -> bool:
        """Enter the result of the next board, round by round; return False if there is none."""
        standing = self.session.results.standing
        places = sorted(
            (number, section, table, board)
            for (section, table), plan in self.session.movement.tables.items()
            for number, played in enumerate(plan.rounds, 1)
            if is_played(self.session.setup.sections[section], played)
            for board in played.boards
            if (section, table, number, board) not in standing
        )
        if not places:
            return False
        number, section, table, board = places[0]
        outcome = Outcome.parse(OUTCOMES[(board + table) % len(OUTCOMES)])
        entry = ResultEntry(section, table, number, board, outcome, datetime.now())
        self.do(EnterResult(self.guid, entry))
        count = len(standing)
        if count == CORRECTED:
            other = ResultEntry(section, table, number, board, Outcome.parse("7NTS="), datetime.now())
            time.sleep(1.1)  # BMPFTP may have read the first one meanwhile
            self.do(CorrectResult(self.guid, other, Origin.TERMINAL))
        if count == ERASED and not self.has_erased:
            self.has_erased = True
            time.sleep(1.1)
            self.do(EraseResult(self.guid, section, table, number, board, Origin.TERMINAL))
        return True


def main() -> None:
    path = Path(next(word[3:] for word in sys.argv[1:] if word.startswith("/f:")))
    print("started with", sys.argv[1:], flush=True)
    pace = float(os.environ.get("STANDIN_PACE", "0.1"))
    control = StandIn(path)
    if "/s" in sys.argv:
        control.log_on()
    idle = time.monotonic()
    while time.monotonic() - idle < 60 and not (path.parent / "stop").exists():
        control.carry_out_instructions()
        if control.play():
            idle = time.monotonic()
        time.sleep(pace)


if __name__ == "__main__":
    main()
