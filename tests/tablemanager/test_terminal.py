import asyncio
from queue import SimpleQueue

import pytest

from overtrick.tablemanager.rules import TableError
from overtrick.tablemanager.terminal import Terminal


class Keyboard:
    """A fake keyboard: returns the queued lines, and raises EOFError at None."""

    def __init__(self, *lines: str | None) -> None:
        self.lines: SimpleQueue[str | None] = SimpleQueue()
        for line in lines:
            self.lines.put(line)

    def __call__(self) -> str:
        line = self.lines.get(timeout=10)
        if line is None:
            raise EOFError
        return f"{line}\n"


def test_question_is_printed_once_and_again_after_other_text() -> None:
    async def run() -> str:
        screen: list[str] = []
        keyboard = Keyboard()
        terminal = Terminal(screen.append, keyboard)
        assert terminal.ask("Your call") is None
        assert terminal.ask("Your call") is None
        terminal.say("The connection was lost.")
        assert terminal.ask("Your call") is None
        assert terminal.ask("Your card") is None
        keyboard.lines.put(" 1C ")
        await asyncio.wait_for(terminal.wait_for_line(), 30)
        assert terminal.ask("Your card") == "1C"
        terminal.say("Thank you.")
        return "".join(screen)

    assert asyncio.run(run()) == "Your call: \nThe connection was lost.\nYour call: \nYour card: Thank you.\n"


def test_one_line_is_read_ahead_and_the_next_after_it_was_used() -> None:
    async def run() -> None:
        keyboard = Keyboard("one", "two", "three")
        terminal = Terminal(lambda text: None, keyboard)
        await asyncio.wait_for(terminal.wait_for_line(), 30)
        more = asyncio.ensure_future(terminal.wait_for_line())
        await asyncio.sleep(0.05)
        assert not more.done()
        assert keyboard.lines.qsize() == 2
        assert terminal.ask("First") == "one"
        await asyncio.wait_for(more, 30)
        assert terminal.ask("Second") == "two"
        # a cancelled wait loses no line
        waiting = asyncio.ensure_future(terminal.wait_for_line())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait_for(terminal.wait_for_line(), 30)
        assert terminal.ask("Third") == "three"

    asyncio.run(run())


def test_question_after_the_end_of_input_raises_an_error() -> None:
    async def run() -> None:
        terminal = Terminal(lambda text: None, Keyboard("last", None))
        await asyncio.wait_for(terminal.wait_for_line(), 30)
        assert terminal.ask("Your call") == "last"
        await asyncio.wait_for(terminal.wait_for_line(), 30)
        with pytest.raises(TableError, match="input has ended"):
            terminal.ask("Your call")

    asyncio.run(run())
