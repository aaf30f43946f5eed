"""Double dummy figures in batches: background worker processes with progress and cancellation.

`SolverBatch` solves the tables of deals, `PlayBatch` every card of lines of play. Only the workers load the solver,
each with one thread, because it is not thread-safe.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from subprocess import DEVNULL, Popen
from typing import Any, Generic, Self, TypeVar

from overtrick.bridge import SEATS, Deal, Hand, Strain, Tricks
from overtrick.bridge.card import SUITS_FROM_SPADES
from overtrick.doubledummy.library import SolverFailed, load_library, suit_bits
from overtrick.doubledummy.lines import LineOfPlay, PlayFigures, solve_line
from overtrick.errors import BadInput, OvertrickError

MAX_DEALS = 10_000
"""The most deals in one batch."""

MAX_WORKERS = 16
"""The most worker processes of one batch; each takes some 170 MB."""

DEAL_TIMEOUT = 120.0
"""Seconds that one deal may take; the hardest known deals take a few."""

WORKER_CODE = "import sys; from overtrick.doubledummy.solver import run_worker; run_worker(int(sys.argv[1]))"
"""The code that a worker runs; the argument is the handle of its end of the pipe."""

Progress = Callable[[int, int], None]
"""A function that is called after each deal with the number of solved deals and the total."""


class SolveCancelled(OvertrickError):
    """A cancelled batch; `SolverBatch.solved` has the deals that were solved before."""

    code = "cancelled"


def tables(
    deals: Iterable[Deal],
    *,
    progress: Progress | None = None,
    workers: int | None = None,
    timeout: float = DEAL_TIMEOUT,
) -> list[Tricks]:
    """Solve deals and return the table of each, in order; raise SolverFailed or, for too many deals, BadInput.

    It blocks until all are solved; `SolverBatch` solves in the background.
    """
    with SolverBatch(deals, progress=progress, workers=workers, timeout=timeout) as batch:
        return batch.result()


def double_dummy(deal: Deal) -> Tricks:
    """Return the double dummy table of one deal; for many deals `tables` is faster."""
    return tables([deal])[0]


Q = TypeVar("Q", bound=Hashable)
A = TypeVar("A")


class _Batch(Generic[Q, A]):
    """Questions that are being solved in the background; a subclass encodes the questions and decodes the answers.

    Use it in a `with` statement: leaving the block stops the workers. `progress` is called in the batch's own thread.
    """

    kind: type[Q]
    noun: str

    @staticmethod
    def encode(question: Q) -> object:
        """Return the message for a worker."""
        raise NotImplementedError

    @staticmethod
    def decode(answer: Any) -> A:
        """Return the figures from a worker's answer."""
        raise NotImplementedError

    def __init__(
        self,
        questions: Iterable[Q],
        *,
        progress: Progress | None = None,
        workers: int | None = None,
        timeout: float = DEAL_TIMEOUT,
    ) -> None:
        self._questions = list(questions)
        if len(self._questions) > MAX_DEALS:
            raise BadInput(
                f"{len(self._questions)} {self.noun}s are too many for one batch: {MAX_DEALS} is the most."
            )
        for question in self._questions:
            if not isinstance(question, self.kind):
                raise BadInput(f"{question!r} is not a {self.noun}.")
        # Equal deals, as of sections that play the same hands, are solved once.
        self._waiting = list(dict.fromkeys(self._questions))[::-1]
        self.total = len(self._waiting)
        self.solved: dict[Q, A] = {}
        self._progress = progress
        self._timeout = timeout
        self._worker_count = max(1, min(workers or os.cpu_count() or 1, MAX_WORKERS, self.total))
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="double dummy", daemon=True)
        self._thread.start()

    @property
    def done(self) -> int:
        """Return the number of different questions solved so far."""
        return len(self.solved)

    @property
    def is_over(self) -> bool:
        """Return whether the batch is finished, failed or cancelled."""
        return not self._thread.is_alive()

    def cancel(self) -> None:
        """Stop the batch soon, even in the middle of a deal; do nothing if it is over."""
        self._stop.set()

    def join(self, timeout: float) -> None:
        """Wait until the batch is over, for some seconds at most."""
        self._thread.join(timeout)

    def result(self, timeout: float | None = None) -> list[A]:
        """Wait for the batch and return the answer to each question, in order; raise the error that stopped it.

        Raise SolverFailed if it is not over after `timeout` seconds.
        """
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise SolverFailed(
                f"{self.done} of {self.total} {self.noun}s were solved in {timeout:g} seconds."
            )
        if self._failure is not None:
            raise self._failure
        return [self.solved[question] for question in self._questions]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()
        self._thread.join()

    def _run(self) -> None:
        workers: list[_Worker[Q]] = []
        try:
            for _ in range(self._worker_count if self._waiting else 0):
                workers.append(_Worker())
            self._work(workers)
        except OSError as failure:
            self._failure = SolverFailed(f"The solver's processes could not be run: {failure}.")
        except Exception as failure:
            # `result` raises it again in the thread that waits.
            self._failure = failure
        finally:
            for worker in workers:
                worker.end()

    def _work(self, workers: "list[_Worker[Q]]") -> None:
        for worker in workers:
            self._give_next(worker)
        while busy := [worker for worker in workers if worker.question is not None]:
            if self._stop.is_set():
                raise SolveCancelled(
                    f"The batch was cancelled after {self.done} of {self.total} {self.noun}s."
                )
            ready = wait([worker.pipe for worker in busy], timeout=0.1)
            for worker in busy:
                question = worker.question
                if question is None or worker.pipe not in ready:
                    if time.monotonic() > worker.until:
                        raise SolverFailed(
                            self._sentence(f"took more than {self._timeout:g} seconds", worker)
                        )
                    continue
                answer = worker.answer()
                if answer is None:
                    raise SolverFailed(self._sentence("ended the solver's process", worker))
                if isinstance(answer, str):
                    raise SolverFailed(self._sentence(f"was refused by the solver ({answer})", worker))
                self.solved[question] = self.decode(answer)
                self._give_next(worker)
                if self._progress is not None:
                    self._progress(self.done, self.total)

    def _give_next(self, worker: "_Worker[Q]") -> None:
        question = self._waiting.pop() if self._waiting else None
        worker.give(question, None if question is None else self.encode(question), self._timeout)

    def _sentence(self, what: str, worker: "_Worker[Q]") -> str:
        solved = f"{self.done} of {self.total} {self.noun}s were solved before that"
        return f"The {self.noun} {worker.question} {what}; {solved}."


class SolverBatch(_Batch[Deal, Tricks]):
    """Deals whose tables are being solved in the background."""

    kind, noun = Deal, "deal"

    @staticmethod
    def encode(question: Deal) -> object:
        """Return the four hands."""
        return [str(question[seat]) for seat in SEATS]

    @staticmethod
    def decode(answer: Any) -> Tricks:
        """Return the table of twenty figures."""
        return Tricks(tuple(answer))


class PlayBatch(_Batch[LineOfPlay, PlayFigures]):
    """Lines of play whose cards are being solved in the background."""

    kind, noun = LineOfPlay, "line of play"

    @staticmethod
    def encode(question: LineOfPlay) -> object:
        """Return the line of play, which a worker solves card by card."""
        return question

    @staticmethod
    def decode(answer: Any) -> PlayFigures:
        """Return the figures of each position."""
        return tuple(answer)


class _Worker(Generic[Q]):
    """One process and the pipe to it."""

    def __init__(self) -> None:
        # A new interpreter, because a fork would copy locks that other threads hold; not started by multiprocessing,
        # which would run the main script again in every worker.
        self.pipe, far_end = Pipe()
        self.question: Q | None = None
        self.until = 0.0
        end = far_end.fileno()
        program = [sys.executable, "-c", WORKER_CODE, str(end)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        if sys.platform == "win32":
            os.set_handle_inheritable(end, True)
            self._process = Popen(program, stdin=DEVNULL, env=environment, close_fds=False)
        else:
            # In its own session, so that Ctrl-C in a terminal does not reach it, not even while it starts.
            self._process = Popen(
                program, stdin=DEVNULL, env=environment, pass_fds=[end], start_new_session=True
            )
        far_end.close()

    def give(self, question: Q | None, message: object, timeout: float) -> None:
        self.question = question
        self.until = time.monotonic() + timeout
        if question is not None:
            try:
                self.pipe.send(message)
            except OSError:
                # The process has ended; `answer` will return None.
                return

    def answer(self) -> list[Any] | str | None:
        try:
            answer: list[Any] | str = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return answer

    def end(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.wait()


def run_worker(handle: int) -> None:
    """Run a worker: read hands or a line of play, write figures, until the other end of the pipe is closed.

    `handle` is the file descriptor (on Windows the handle) of the worker's end of the pipe.
    """
    import signal
    import tempfile

    # If the solver refuses a deal, it writes dump.txt into the current folder.
    os.chdir(tempfile.gettempdir())
    # A terminal sends Ctrl-C to all processes; the one that started the batch decides what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "win32":
        from multiprocessing.connection import PipeConnection

        pipe = PipeConnection(handle)
    else:
        pipe = Connection(handle)
    try:
        while True:
            question = pipe.recv()
            try:
                if isinstance(question, LineOfPlay):
                    pipe.send(solve_line(question))
                else:
                    pipe.send(solve_hands([Hand.parse(text) for text in question]))
            except Exception as failure:
                pipe.send(f"{type(failure).__name__}: {failure}")
    except (EOFError, OSError):
        return


def solve_hands(hands: Sequence[Hand]) -> list[int]:
    """Return the twenty figures of four hands of equal length, clockwise from North, solved in this process.

    For workers and tests. Other callers use a batch, because the solver takes much memory and blocks its process.
    """
    library = load_library()
    deal, table = library.ddTableDeal(), library.ddTableResults()
    for cards, hand in zip(deal.cards, hands, strict=True):
        cards[:] = suit_bits(hand)
    library.CalcDDtable(deal, table)
    # It counts thirteen less the defenders' tricks, also when hands are shorter.
    played = 13 - len(hands[0])
    rows = [
        table.resTable[4 if strain.suit is None else SUITS_FROM_SPADES.index(strain.suit)]
        for strain in Strain
    ]
    return [row[player] - played for player in range(4) for row in rows]
