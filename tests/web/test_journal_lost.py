"""Pages and phones on a journal in PostgreSQL that does not answer: told in five seconds, and served from memory."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest

from overtrick.bridge import Outcome
from overtrick.control.entries import write_entry
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.setup import Status
from overtrick.host import due_executor
from overtrick.host.simulator import open_evening, plan_evening
from tests.store.proxy import Proxy
from tests.waiting import wait_for
from tests.web.running import STARTS, Running, running

SOON = 5.0
"""Seconds within which everybody is told."""


@pytest.fixture
def pages(proxied: str) -> Iterator[Running]:
    with running(proxied) as served:
        yield served


def test_a_stalled_network_keeps_nobody_waiting_and_loses_nothing(
    pages: Running, proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    plan = plan_evening(2, 1, STARTS, 6)
    guid = plan.session
    pages.do(open_evening(plan))
    board = pages.session(guid).movement.tables["A", 1].rounds[0].boards[0]
    made = ResultEntry("A", 1, 1, board, Outcome.parse("3NTN="), datetime.now(UTC))
    entry = write_entry("entry-0001", 1, EnterResult(guid, made, incarnation=1))
    headers = {"x-table-code": pages.keys.table_code(guid, "A", 1)}
    with httpx.Client(base_url=pages.address, headers=headers, timeout=60) as client:

        def send() -> httpx.Response:
            given = {"sent": datetime.now(UTC).isoformat(), "entries": [entry]}
            return client.post(f"/t/{guid}/A1/entries", json=given)

        assert client.get(f"/live/{guid}").status_code == 200
        assert client.get("/results").status_code == 200
        assert client.get("/healthz").json()["journal"] == "reachable"

        proxy.flows.clear()
        began = time.monotonic()
        told = send()
        assert time.monotonic() - began < SOON + 10, "not for as long as the network is gone"
        assert told.status_code == 503
        assert "kept on this device and will be sent again" in told.text
        for path in (f"/live/{guid}", "/results"):
            began = time.monotonic()
            assert client.get(path).status_code == 200, "reading pages stay up from memory"
            assert time.monotonic() - began < SOON + 10, "not for as long as the network is gone"
        lost = client.get("/healthz")
        assert (lost.status_code, lost.json()) == (503, {"journal": "does not answer"})
        began = time.monotonic()
        sorry = client.get("/live/00000000000000000000000000000000")
        assert time.monotonic() - began < SOON + 10, "not for as long as the network is gone"
        assert sorry.status_code == 503
        assert "does not answer" in sorry.text

        wait_for(lambda: due_executor.__name__ in [record.name for record in caplog.records])
        proxy.flows.set()
        wait_for(lambda: send().status_code == 200)
        answer = send().json()["answers"][0]
        assert "version" in answer
        assert send().json()["answers"][0] == answer, "sent again, it counts once"
        wait_for(lambda: client.get("/healthz").status_code == 200)
        assert len(pages.session(guid).results.standing) == 1
        wait_for(lambda: pages.session(guid).setup.status is Status.STARTED, told=lambda: caplog.text)
    assert not [record for record in caplog.records if record.exc_info], "an outage is no mistake of ours"

    def due_messages() -> list[str]:
        return [record.getMessage() for record in caplog.records if record.name == due_executor.__name__]

    # The executor logs that the journal answers again after the commit that the status shows.
    wait_for(lambda: len(due_messages()) > 1, told=lambda: caplog.text)
    due = due_messages()
    assert len(due) == 2, due
    assert "will try again" in due[0]
    assert due[1].startswith("The journal answers again, after ")
