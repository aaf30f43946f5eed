"""A log in which lines that repeat are counted."""

import io
import logging

from overtrick.cli.logs import MOST_ALIKE, WINDOW, RepeatFilter


def test_lines_that_repeat_are_counted_and_others_are_written() -> None:
    now = 0.0
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(RepeatFilter(handler.emit, clock=lambda: now))
    log = logging.Logger("server")
    log.addHandler(handler)
    for number in range(10_000):
        log.warning("connection %d was closed", number)
    log.warning("the journal is full")
    lines = written.getvalue().splitlines()
    assert len(lines) == MOST_ALIKE + 1
    assert lines[-1] == "the journal is full"
    now += WINDOW
    log.warning("connection %d was closed", 1)
    more = written.getvalue().splitlines()[len(lines) :]
    assert more == [
        f"{10_000 - MOST_ALIKE} more lines like this one: connection 9999 was closed",
        "connection 1 was closed",
    ]
