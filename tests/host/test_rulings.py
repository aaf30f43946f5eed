"""Rules and rulings in a journal: a process that is killed loses none, and a replay makes the same ranking."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from overtrick.event import JournalState, Rejection
from overtrick.host.runtime import open_runtime
from overtrick.views import SessionView
from overtrick.views.report import prepare_report
from tests.event.evenings import SESSION, do
from tests.event.rulings_evening import commands

HERE = Path(__file__).parents[2]
COUNT = len(list(commands()))

DYING = """
import os, signal, sys
from overtrick.host.runtime import open_runtime
from tests.event.rulings_evening import commands
with open_runtime(sys.argv[1]) as runtime:
    for number, command in enumerate(commands(), start=1):
        runtime.do(command, command_id=f"command {number}")
        if number == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
@pytest.mark.parametrize("last", range(COUNT - 10, COUNT + 1))
def test_a_killed_process_loses_no_ruling_and_the_evening_goes_on(tmp_path: Path, last: int) -> None:
    path = tmp_path / "evening.overtrick"
    died = subprocess.run(
        [sys.executable, "-c", DYING, str(path), str(last)], cwd=HERE, timeout=45, check=False
    )
    assert died.returncode == -signal.SIGKILL
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
