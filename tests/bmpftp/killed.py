"""A worker that runs operations of BMPFTP in child processes and kills them at a given step.

A line on its input is `work step when folder`: the work is poll, all, recover, create or movement. The child is killed
`before` or `after` its step-th call that changes the disk (for create: a file name). The answer is `killed` or `done`.
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
    """Patch these calls of `os` so that this process is killed at the step-th of them."""
    count = 0

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **more: Any) -> Any:
            nonlocal count
            count += 1
            if count == step and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = call(*arguments, **more)
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapped

    # What a killed process has written survives without fsync, so skip it.
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
        transfer.request_movement()
        transfer.update_movement()
    else:
        transfer.recover_batch()


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
