"""Rules and rulings in a journal: a process that is killed loses none, and a replay makes the same ranking."""

import os
import signal
from pathlib import Path

import pytest

from overtrick.event import JournalState, Rejection
from overtrick.host.runtime import open_runtime
from overtrick.views import SessionView
from overtrick.views.report import prepare_report
from tests.event.evenings import SESSION, do
from tests.event.rulings_evening import commands
from tests.host.killed_control import forking

COUNT = len(list(commands()))


def die_after(path: str, last: int) -> None:
    """Carry out the first commands and be killed."""
    with open_runtime(path) as runtime:
        for number, command in enumerate(commands(), start=1):
            runtime.do(command, command_id=f"command {number}")
            if number == last:
                os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
@pytest.mark.parametrize("last", range(COUNT - 10, COUNT + 1))
def test_a_killed_process_loses_no_ruling_and_the_evening_goes_on(tmp_path: Path, last: int) -> None:
    path = tmp_path / "evening.overtrick"
    process = forking().Process(target=die_after, args=(str(path), last))
    process.start()
    process.join(45)
    assert process.exitcode == -signal.SIGKILL
    state = JournalState()
    for number, command in enumerate(commands(), start=1):
        if number <= last:
            do(state, command)
    with open_runtime(path, create=False) as runtime:
        with runtime.read(SESSION) as session:
            expected = state.session(SESSION)
            assert session is not None
            assert expected is not None
            assert (session.rulings, session.results) == (expected.rulings, expected.results)
        # Commands that are sent again count once.
        for number, command in enumerate(commands(), start=1):
            assert not isinstance(runtime.do(command, command_id=f"command {number}"), Rejection)
        view = runtime.view(SESSION)
        assert view is not None
        assert len(view.session.rulings.adjustments) == 2
        assert prepare_report(view)() == prepare_report(SessionView.of(view.session))()
        runtime.journal.check()
