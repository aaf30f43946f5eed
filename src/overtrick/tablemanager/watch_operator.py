"""An operator who can answer in the terminal or on a page; the first answer counts. Has no dependency on the page."""

import asyncio
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from overtrick.tablemanager.rules import Question
from overtrick.tablemanager.sessions import TerminalOperator


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A pending question with its number, which the answer has to repeat."""

    number: int
    question: Question
    answer: asyncio.Future[Mapping[int, str]]


class EitherOperator:
    """An operator who is asked in the terminal and on the page at the same time; the first answer counts."""

    def __init__(self, terminal: TerminalOperator, changed: Callable[[], None]) -> None:
        self._terminal = terminal
        self._changed = changed
        self._numbers = itertools.count(1)
        self._pending: list[PendingQuestion] = []

    async def __call__(self, question: Question) -> Mapping[int, str]:
        """Return the first answer; if the terminal's input has ended, wait for the page."""
        answer: asyncio.Future[Mapping[int, str]] = asyncio.get_running_loop().create_future()
        pending = PendingQuestion(next(self._numbers), question, answer)
        self._pending.append(pending)
        self._changed()
        typed = asyncio.ensure_future(self._terminal(question))
        try:
            await asyncio.wait((typed, answer), return_when=asyncio.FIRST_COMPLETED)
            if typed.done() and not self._terminal.has_input_ended:
                return typed.result()
            alerts = await answer
            if not typed.done():
                self._terminal.answered_elsewhere(question)
            return alerts
        finally:
            self._pending.remove(pending)
            typed.cancel()

    def find_pending(self, question: Question | None) -> PendingQuestion | None:
        """Return the pending entry of this question object; another table may have asked an equal question."""
        return next((pending for pending in self._pending if pending.question is question), None)

    def answer(self, pending: PendingQuestion, alerts: Mapping[int, str]) -> None:
        """Answer a pending question from the page; do nothing if it was answered before."""
        if not pending.answer.done():
            pending.answer.set_result(alerts)
