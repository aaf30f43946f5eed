"""A process that is meant to be killed: it forks children that append and say what was acknowledged.

Forking from a process that has everything imported makes a child in a few milliseconds, so that two
hundred can be killed in a test. Run with the journal's path; reads `<kind> <number>` lines, forks one
child for each, prints its id, then every `ack <stream> <version> <command id>`, and `dead` when the
child is gone."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from overtrick.host.writer import Submission, Writer, WriterLoop
from overtrick.store import Appended, open_journal
from tests.store.tiny import CODEC, EVENING, result


def say(words: str) -> None:
    """One write of one line: it is told whole or not at all."""
    os.write(1, f"{words}\n".encode())


def say_appended(answer: Appended | str, command_id: str) -> None:
    assert isinstance(answer, Appended)
    for span in answer.spans:
        say(f"ack {span.stream} {span.last} {command_id}")


def append_for_ever(path: Path, number: int) -> None:
    with open_journal(path, CODEC) as journal:
        turn, head = 0, journal.head("monday")
        while True:
            turn += 1
            command_id = f"{number}/{turn}"
            facts = [result(number), result(turn)] if turn % 3 == 0 else [result(turn)]
            answer = journal.append(
                "monday", head, facts, command_id=command_id, at=EVENING, side="control", actor=""
            )
            head += len(facts)
            say_appended(answer, command_id)


def decide(state: Any, command: tuple[str, int]) -> tuple[Any, ...] | str:
    stream, board = command
    return tuple((stream, result(board)) for _ in range(1 + board % 2))


def write_for_ever(path: Path, number: int) -> None:
    """Twelve tables that score at once, through the writer."""

    async def table(writing: WriterLoop[Any, tuple[str, int], str], which: int) -> None:
        turn = 0
        while True:
            turn += 1
            command_id = f"{number}/{which}/{turn}"
            submission = Submission((f"session {which % 3}", turn), command_id, "control", "")
            say_appended(await writing.submit(submission), command_id)

    async def evening() -> None:
        with open_journal(path, CODEC) as journal:
            writer: Writer[Any, tuple[str, int], str]
            writer = Writer(
                journal,
                start=lambda load: [],
                decide=decide,
                streams=lambda state, command: {command[0]: True},
                apply=lambda state, stream, fact: None,
            )
            async with WriterLoop(writer) as writing:
                await asyncio.gather(*(table(writing, which) for which in range(12)))

    asyncio.run(evening())


def main() -> None:
    path = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        open_journal(Path(folder) / "warm", CODEC).close()  # imports what a child would have to import
    for line in sys.stdin:
        kind, number = line.split()
        child = os.fork()
        if child == 0:
            say(f"child {os.getpid()}")
            {"append": append_for_ever, "write": write_for_ever}[kind](path, int(number))
        os.waitpid(child, 0)
        say("dead")


if __name__ == "__main__":
    main()
