"""An evening on a session file whose control software is killed again and again, at any moment.

The players and the scoring program go on meanwhile.
"""

import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from overtrick.bridge import Deal, Outcome
from overtrick.bws.contents import open_contents
from overtrick.bws.edits import NotTakenYet
from overtrick.bws.event_from_file import read_event
from overtrick.bws.scoring_changes import SendHandRecords, SendRounds, changes, correction
from overtrick.bws.scoring_side import create
from overtrick.bws.session_plan import choose_movement, plan_evening
from overtrick.control.orders import StartOptions, parse_command_line
from overtrick.event.calls import AnswerCall, CallStatus
from overtrick.event.hands import HandRecord
from overtrick.event.movement import Round
from overtrick.event.place import Place
from overtrick.event.results import ResultEntry
from overtrick.event.settings import SettingsII
from overtrick.event.setup import Generation
from overtrick.host.control import ControlSoftware, run
from overtrick.host.runtime import open_runtime
from overtrick.host.session_file import journal_of, open_session_file_control
from tests.bws.conftest import do
from tests.host.players import Players
from tests.waiting import wait_for

GUID = "6F9619FF8B86D011B42D00C04FC964FF"
TODAY = date(2026, 3, 2)
TABLES = (1, 2, 3)
ROUNDS = {
    1: {1: (1, 4), 2: (2, 5), 3: (3, 6)},
    2: {1: (1, 5), 2: (2, 6), 3: (3, 4)},
    3: {1: (1, 6), 2: (2, 4), 3: (3, 5)},
}
SHORT, LONG = 0.3, 1.5
"""Seconds that the control software lives at most, half of the time and else."""


def control(path: str, words: list[str]) -> None:
    """Run the control software in a process that may be killed."""
    start = parse_command_line([f"/f:[{path}]", *words])
    with open_session_file_control(
        start, computer="CLUB", generation=Generation.II, evaluates=False
    ) as control:
        run(control, lambda sentence: None, interval=0.01)


def forking() -> Any:
    """Return a context that forks processes with everything imported and no open SQLite connection."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.host.killed_control"])
    return context


@dataclass
class Killed:
    """The control software, started anew whenever it was killed."""

    path: Path
    chance: random.Random
    kills: int = 0
    ends_at: float = 0.0
    patience: float = 1.0
    """The factor by which its life grows while it makes no progress: a busy computer starts it slowly."""
    seen: int = 0
    process: Any = None
    words: tuple[str, ...] = ("/s", "/r")
    context: Any = field(default_factory=forking)

    def start(self) -> None:
        self.process = self.context.Process(
            target=control, args=(str(self.path), list(self.words)), daemon=True
        )
        self.words = ("/r",)
        self.process.start()
        changed = self.path.stat().st_mtime_ns
        self.patience = self.patience * 1.25 if changed == self.seen else 1.0
        self.seen = changed
        longest = self.chance.choice((SHORT, LONG)) * self.patience
        self.ends_at = time.monotonic() + self.chance.uniform(0.0, longest)

    def pass_time(self) -> None:
        """Let a moment go by, in which the control software may die."""
        time.sleep(0.002)
        if time.monotonic() >= self.ends_at:
            self.kill()
            self.kills += 1
            self.start()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition, while the control software may die."""

        def holds() -> bool:
            if not condition():
                self.pass_time()
                return False
            return True

        wait_for(holds, 50)

    def kill(self) -> None:
        assert self.process.is_alive(), "it has not ended by itself"
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join(30)


class Evening(Players):
    """Three tables of phones that go on whatever happens, and a scoring program in the file."""

    def __init__(self, path: Path, seed: int) -> None:
        super().__init__(GUID, seed)
        self.path = path
        self.expected: dict[Place, str] = {}
        quiet = SettingsII(show_results=False, show_next_seating=False, director_calls=True)
        event = plan_evening(choose_movement("mitchell", 3, 2), guid=GUID, name="Monday", day=TODAY)
        (planned,) = event.sessions
        create(path, replace(event, sessions=(replace(planned, settings=(("A", quiet),)),)), computer="CLUB")
        self.software = Killed(path, self.chance)
        self.send_rounds(1, waits=True)

    def send_rounds(self, number: int, *, waits: bool) -> None:
        boards = (2 * number - 1, 2 * number)
        wanted = [
            SendRounds("A", table, number, (Round(*pairs, boards),), waits=waits)
            for table, pairs in ROUNDS[number].items()
        ]
        self.change(wanted)

    def change(self, wanted: Iterable[Any]) -> None:
        """Ask for something in the file, as soon as the last thing was taken."""

        def is_asked() -> bool:
            try:
                do(self.path, *changes(open_contents(self.path), wanted))
            except NotTakenYet:
                return False
            return True

        self.software.wait_for(is_asked)

    def play(self) -> None:
        self.software.start()
        wait_for(
            lambda: (
                (journal_of(self.path).exists() and self._is_open()) or not self.software.process.is_alive()
            )
        )
        assert self.software.process.is_alive(), "the control software does not start"
        with open_runtime(journal_of(self.path)) as runtime:
            self.control = ControlSoftware(runtime, StartOptions(), generation=Generation.II, evaluates=False)
            self.wait_for(1)
            self.sit_down(*TABLES)
            for number in ROUNDS:
                self._play_round(number)
            self._settle()

    def _is_open(self) -> bool:
        return any(row.status == 1 for row in open_contents(self.path).tables)

    def wait_for(self, number: int) -> None:
        """Until every table has heard of a round."""

        def is_known() -> bool:
            view = self.control.view(GUID)
            tables = view.session.movement.tables if view else {}
            return bool(tables) and all(len(tables["A", table].rounds) == number for table in TABLES)

        self.software.wait_for(is_known)

    def _play_round(self, number: int) -> None:
        for table in TABLES:
            assert self.phone(table).next_board() == (number, 2 * number - 1)
        for _ in range(2):
            for table in TABLES:
                self._play_board(table)
        self._correct(number)
        if number < 3:
            deals = tuple(HandRecord(1, board, Deal.dealt_by(self.chance)) for board in (1, 2))
            self.change([SendHandRecords("A", deals)])
            self.send_rounds(number + 1, waits=number == 1)
            self.wait_for(number + 1)

    def _play_board(self, table: int) -> None:
        """Play a board, sometimes with a call after it."""
        self.play_board(table)
        for _ in range(self.chance.randint(0, 32)):
            self.software.pass_time()
        if self.chance.random() < 0.3:
            self._call(table)

    def _call(self, table: int) -> None:
        view = self.control.view(GUID)
        assert view is not None
        if any(
            call.table == table and call.status is not CallStatus.RESOLVED
            for call in view.session.calls.calls.values()
        ):
            return
        self.phone(table).call_director(0, 0)
        call = next(reversed(view.session.calls.calls))
        self.control.runtime.do(AnswerCall(GUID, call, CallStatus.RESOLVED, self.now))

    def _correct(self, number: int) -> None:
        """Correct a result as the scoring program."""
        place = ("A", self.chance.choice(TABLES), number, 2 * number)
        key = (1, *place[1:])
        self.software.wait_for(lambda: key in open_contents(self.path).standing())
        right = ResultEntry(*place, Outcome.parse("6NTS="), self.now.replace(tzinfo=None))
        do(self.path, correction(open_contents(self.path), right))
        self.software.wait_for(lambda: self.played()[place] == "6NTS=")

    def _settle(self) -> None:
        """Everything is as it was entered, in the journal and in the file, once."""
        self.software.ends_at = time.monotonic() + 60
        self.software.wait_for(lambda: self.standing() == self.played() and self._is_taken())
        self.software.kill()
        contents = open_contents(self.path)
        assert len(self.played()) == 18
        counts = Counter(row.place for row in contents.results if not row.erased)
        assert set(counts.values()) == {1}, counts
        assert len(contents.results) == 18
        assert sum(row.contract == "6 NT" and row.result == "=" for row in contents.results) >= 3
        assert {row.log_on_off for row in contents.tables} == {1}
        assert len(contents.hand_records) == 2

    def _is_taken(self) -> bool:
        contents = open_contents(self.path)
        return (
            not any(row.instruction for row in contents.tables)
            and not any(row.external_update for row in contents.results)
            and contents.sessions[0].status == 2
        )

    def standing(self) -> dict[Place, str]:
        """Return the session that is in the file."""
        session = read_event(open_contents(self.path), today=TODAY).journal_state().session(GUID)
        assert session is not None
        return {place: str(result.outcome) for place, result in session.results.standing.items()}


def evenings(folder: Path, kills: int, seed: int = 0) -> tuple[int, int]:
    """Evenings until the control software was killed so often; how many evenings and kills there were."""
    count = killed = 0
    while killed < kills:
        evening = Evening(folder / f"evening{count}.bws", seed + count)
        try:
            evening.play()
        finally:
            if evening.software.process is not None and evening.software.process.is_alive():
                evening.software.process.kill()
        count += 1
        killed += evening.software.kills
    return count, killed
