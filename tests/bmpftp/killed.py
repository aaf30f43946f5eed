"""A BMPFTP that dies: every line on its input is one piece of work, done by a child that may be killed in it.

A line is `work step when folder`: the work is poll, all, settle, create or movement; the child is killed before
or after the step-th call that changes anything on the disk (of create: a name). The answer is `killed` or `done`.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from overtrick.bmpftp.folder import Folder
from overtrick.bmpftp.transfer import Transfer

CHANGES = ("replace", "unlink", "fsync", "pwrite")


NAMES = ("replace", "unlink")


def die_at(step: int, after: bool, calls: tuple[str, ...]) -> None:
    """Be killed at the step-th of these calls."""
    count = 0

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **more: Any) -> Any:
            nonlocal count
            count += 1
            if count == step and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            made = call(*arguments, **more)
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return made

        return wrapped

    # The disk is not what is tested: what a killed process wrote stays, synced or not.
    os.fsync = lambda fd: None
    for name in calls:
        setattr(os, name, dying(getattr(os, name)))


def work(what: str, folder: Path) -> None:
    transfer = Transfer(Folder(folder), quiet=0)
    if what == "poll":
        transfer.poll()
    elif what == "all":
        transfer.read_all()
    elif what == "create":
        transfer.create()
    elif what == "movement":
        transfer.ask_for_movement()
        transfer.update_movement()
    else:
        transfer.settle()


def main() -> None:
    for line in sys.stdin:
        what, step, when, folder = line.rstrip("\n").split(" ", 3)
        child = os.fork()
        if child == 0:
            try:
                die_at(int(step), when == "after", NAMES if what == "create" else CHANGES)
                work(what, Path(folder))
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(status) else "done", flush=True)


if __name__ == "__main__":
    main()
