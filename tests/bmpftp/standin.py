"""A control program that plays an evening by itself, with the command line of the real one: `/f:FILE /s /r`.

It takes instructions from the `.bws` and writes results into it; one result is corrected and one is erased. It ends
when a file named `stop` is beside the `.bws`, or after a minute without anything to do.
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
"""After so many results, one is corrected or erased."""


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

    def welcome(self) -> None:
        """Every table logs on, and its players enter their numbers."""
        for section, table in self.session.movement.tables:
            self.do(LogOn(self.guid, section, table, f"{section}{table}", datetime.now(), takes_over=True))
            chairs = tuple(
                Participation(section, table, seat, f"{table}{place}") for place, seat in enumerate(Seat, 1)
            )
            self.do(PutParticipations(self.guid, chairs, Source.TERMINAL, must_be_known=False))

    def take(self) -> None:
        """The requests of the scoring program."""
        self.control.look()
        assert not self.control.rejections

    def play(self) -> bool:
        """The next board, if there is one: round by round."""
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
            time.sleep(1.1)  # the first may have been read by now
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
        control.welcome()
    idle = time.monotonic()
    while time.monotonic() - idle < 60 and not (path.parent / "stop").exists():
        control.take()
        if control.play():
            idle = time.monotonic()
        time.sleep(pace)


if __name__ == "__main__":
    main()
