"""The control software executes orders that come over the Data Connector, and reports them truly."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from bridgemate_dataconnector import DataConnectorClient
from bridgemate_dataconnector import dto as vendor
from bridgemate_dataconnector.dto import ErrorType

from overtrick.bridge import Outcome
from overtrick.connector.client import Client
from overtrick.connector.wire.event import BCSManagementResponseDTO
from overtrick.control.orders import StartOptions
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.setup import Status
from overtrick.host.control import ControlSoftware, open_control_software
from overtrick.host.instance_lock import AlreadyRunning, is_controlled
from overtrick.host.runtime import Runtime, open_runtime
from tests.connector import samples
from tests.connector.running import Running, running
from tests.host.players import SEVEN
from tests.waiting import wait_for

GUID = samples.GUID
START, RESET, READ, SHOW, MINIMISE, AUTO, LOG, CLEAR = (1, 2, 4, 8, 16, 32, 64, 128)


@pytest.fixture(autouse=True)
def _log_level() -> Iterator[None]:
    logger = logging.getLogger("overtrick")
    before = logger.level
    yield
    logger.setLevel(before)


def order(client: DataConnectorClient, commands: int) -> None:
    made = samples.init(
        samples.session(ShowInApp=False),
        Commands=commands,
        Bridgemate2Settings=None,
        Bridgemate3Settings=None,
    )
    response = client.initialize(vendor.InitDTO.from_dict(made))
    assert response.error_type is ErrorType.None_, response.serialized_data


def go_on(client: DataConnectorClient, commands: int) -> None:
    response = client.continue_event(vendor.ContinueDTO.from_dict(samples.continue_(Commands=commands)))
    assert response.error_type is ErrorType.None_, response.serialized_data


def play(runtime: Runtime, *, all_but: int = 0) -> None:
    session = runtime.view(GUID)
    assert session is not None
    places = [
        (*at, number, board)
        for at, table in session.session.movement.tables.items()
        for number, played in enumerate(table.rounds, start=1)
        for board in played.boards
    ]
    for place in places[: len(places) - all_but]:
        entry = ResultEntry(*place, Outcome.parse("3NTN="), SEVEN)
        runtime.do(EnterResult(GUID, entry), side="control", actor="phone", command_id=f"{place}")


def manage(served: Running, command: int) -> BCSManagementResponseDTO | None:
    """Return our client: the vendor's has no call to manage BCS."""
    with Client.over_http(served.http, club="CLUB001", licence="key") as client:
        return client.manage(command)


def is_running(served: Running) -> bool:
    here = manage(served, 6)
    assert here is not None
    assert here.IsRunning == bool(here.SessionInformation)
    assert here.EventGuid == (GUID if here.IsRunning else "")
    assert here.ScoringFilePath == str(served.journal)
    return here.IsRunning


def test_orders_of_an_event_are_executed_and_reported() -> None:
    with running() as served, open_runtime(served.journal) as runtime:
        client = DataConnectorClient("CLUB001", "key", served.http)
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            assert not control.tick()
            order(client, START | RESET | READ | SHOW | MINIMISE | AUTO | LOG | CLEAR)
            assert not control.tick()
            assert control.sentences == [
                "Friday evening is started again from the beginning; its earlier results no longer count.",
                "Its sessions are marked to be shown in the app.",
                "The window cannot be minimised: this program has none.",
                "It ends after the last result.",
                "Everything is logged.",
            ]
            control.sentences.clear()
            assert GUID in control.guids
            assert control.sessions()[GUID].opened.shown_in_app
            assert logging.getLogger("overtrick").level == logging.DEBUG
            play(runtime, all_but=1)
            assert not control.tick()
            assert is_running(served)
            play(runtime)
            assert control.tick(), "the last result is in"
            assert not is_running(served)
            assert not control.guids
            # It is taken up again, without the order to end; and shut down.
            go_on(client, START)
            assert not control.tick()
            assert control.sentences == [
                "Friday evening is started.",
                "The order to read from the terminals is missing; results are read anyway.",
            ]
            assert is_running(served)
            manage(served, 1)
            assert control.tick()
            assert not is_running(served)
        # Who starts the program by hand means the last event, whatever was ordered before.
        with ControlSoftware(runtime, StartOptions(), evaluates=False) as control:
            assert not control.guids
            control.begin()
            assert GUID in control.guids
            assert not control.tick()
            # Begun anew: nothing of what was played counts.
            order(client, START | RESET | READ)
            assert not control.tick()
            assert control.sessions()[GUID].results.standing == {}


@contextmanager
def served_by_a_program(folder: Path) -> Iterator[Running]:
    """`overtrick serve` as a process of its own."""
    words = ["serve", "--data", str(folder), "--http-port", "0", "--no-pipe"]
    program = subprocess.Popen(
        [sys.executable, "-m", "overtrick", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert program.stdout is not None
        address = program.stdout.readline().removeprefix("ready: ").strip()
        yield Running(folder, "", address)
    finally:
        program.terminate()
        program.communicate(timeout=30)


def test_the_control_software_is_started_when_that_is_ordered_and_ends_with_the_server(
    tmp_path: Path,
) -> None:
    with served_by_a_program(tmp_path) as served:
        client = DataConnectorClient("CLUB001", "key", served.http)
        assert not is_running(served), "nothing was started yet"
        order(client, START | RESET | READ | AUTO)
        assert is_running(served)
        wait_for(lambda: is_controlled(served.journal))
        with open_runtime(served.journal) as runtime:
            with pytest.raises(AlreadyRunning), open_control_software(served.journal, StartOptions()):
                pass
            play(runtime)
            wait_for(lambda: not is_running(served))
            view = runtime.view(GUID)
            assert view is not None
            assert view.session.setup.status is Status.FINISHED
        go_on(client, START | READ)
        wait_for(lambda: is_controlled(served.journal))
        assert is_running(served)
    assert not is_controlled(served.journal)


def test_without_a_control_program_nothing_is_running() -> None:
    with running(is_controlled=False) as served:
        order(DataConnectorClient("CLUB001", "key", served.http), START | RESET | READ)
        assert not is_running(served)
        with open_control_software(served.journal, StartOptions(), evaluates=False):
            assert is_running(served)
        assert not is_running(served)
