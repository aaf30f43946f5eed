"""An operator who answers in the terminal or on the page, whichever comes first. Has no dependency on the page."""

import asyncio
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from overtrick.tablemanager.rules import Question
from overtrick.tablemanager.sessions import TerminalOperator


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A pending question, with a number of its own."""

    number: int
    question: Question
    answer: asyncio.Future[Mapping[int, str]]


class EitherOperator:
    """An operator who is asked in the terminal and on the page at the same time; the first answer counts."""

    def __init__(self, terminal: TerminalOperator, changed: Callable[[], None]) -> None:
        self._terminal = terminal
        self._changed = changed
        self._numbers = itertools.count(1)
        self._asked: list[PendingQuestion] = []

    async def __call__(self, question: Question) -> Mapping[int, str]:
        """Return the first answer; if nobody is at the terminal, wait for the page."""
        answer: asyncio.Future[Mapping[int, str]] = asyncio.get_running_loop().create_future()
        asked = PendingQuestion(next(self._numbers), question, answer)
        self._asked.append(asked)
        self._changed()
        typed = asyncio.ensure_future(self._terminal(question))
        try:
            await asyncio.wait((typed, answer), return_when=asyncio.FIRST_COMPLETED)
            if typed.done() and not self._terminal.is_gone:
                return typed.result()
            alerts = await answer
            if not typed.done():
                self._terminal.answered_elsewhere(question)
            return alerts
        finally:
            self._asked.remove(asked)
            typed.cancel()

    def asked(self, question: Question | None) -> PendingQuestion | None:
        """Return this very question if it is pending: another table may ask an equal one."""
        return next((asked for asked in self._asked if asked.question is question), None)

    def answer(self, asked: PendingQuestion, alerts: Mapping[int, str]) -> None:
        """Answer on the page."""
        if not asked.answer.done():
            asked.answer.set_result(alerts)
