"""Starts a Data Connector again and again, as fast as a fork: each line on the input is one that will be killed.

`go` waits to be killed from outside; `commit` kills itself between its first COMMIT and the reply.
"""

import asyncio
import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from overtrick.host.serve import ServeSettings, serve
from overtrick.store import Appended, CommandBatch, Journal, open_journal
from overtrick.store.codec import event_codec
from overtrick.store.errors import VersionConflict


def ready(addresses: list[str]) -> None:
    print(f"ready {os.getpid()}", flush=True)


def die_after_commit() -> None:
    append_all, holding = Journal.append_all, Journal.holding
    written: list[str] = []

    def append_and_note(
        journal: Journal, batches: Sequence[CommandBatch]
    ) -> Sequence[Appended | VersionConflict]:
        written.extend(batch.command_id for batch in batches)
        return append_all(journal, batches)

    @contextmanager
    def hold_and_die(journal: Journal, *arguments: Any, **options: Any) -> Iterator[Any]:
        with holding(journal, *arguments, **options) as there:
            yield there
        # What is due is written by itself, perhaps before the server is ready; only a client's command counts here.
        if not all(command_id.startswith("due/") for command_id in written):
            os.kill(os.getpid(), signal.SIGKILL)

    Journal.append_all = append_and_note  # type: ignore[method-assign,assignment]
    Journal.holding = hold_and_die  # type: ignore[method-assign,assignment]


def load_once() -> None:
    """Load what every server needs, and leave it out of their searches for garbage."""
    with tempfile.TemporaryDirectory() as place, open_journal(Path(place) / "other.journal", event_codec()):
        pass
    gc.freeze()


def main() -> None:
    folder, pipe = Path(sys.argv[1]), sys.argv[2]
    load_once()
    for word in sys.stdin:
        child = os.fork()
        if child == 0:
            if word.strip() == "commit":
                die_after_commit()
            asyncio.run(serve(ServeSettings(folder, None, pipe=pipe, control=False), ready))
            os._exit(0)
        os.waitpid(child, 0)
        print("gone", flush=True)


if __name__ == "__main__":
    main()
