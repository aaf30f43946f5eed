"""The page about PostgreSQL, followed step by step with real processes: a server, two desks and a health check."""

import re
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from overtrick.host.runtime import open_runtime
from overtrick.host.simulator import open_evening, plan_evening
from tests.cli.test_desk import started
from tests.test_docs import ROOT, blocks
from tests.waiting import wait_for
from tests.web.running import STARTS

PAGE = (ROOT / "docs" / "how-to" / "postgresql.md").read_text(encoding="utf-8")
STEPS = PAGE[PAGE.index("## Two desks") : PAGE.index("## Other commands")]
PASSWORD = "seven no trump"


def lines(start: str) -> list[str]:
    """Return the lines of the page's shell blocks that start so."""
    return [
        line
        for block in blocks(STEPS)
        if block.language == "sh"
        for line in block.text.splitlines()
        if line.startswith(start)
    ]


def is_there(address: str) -> bool:
    return httpx.get(address, timeout=30).status_code == 200


def ask(address: str, request: str) -> str:
    """Send a request as it is; return the answer."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=30) as connection:
        connection.sendall(request.encode())
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer.decode()


# A server and four programs are started, one after the other.
@pytest.mark.timeout(240)
def test_two_desks_serve_one_journal_as_the_page_says(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (export,) = lines("export OVERTRICK_JOURNAL=")
    name, _, _ = export.removeprefix("export ").partition("=")
    monkeypatch.setenv(name, database)
    set_password, desk = lines("overtrick desk")
    subprocess.run(
        [sys.executable, "-m", *set_password.split()],
        input=f"{PASSWORD}\n{PASSWORD}\n",
        text=True,
        check=True,
        timeout=120,
        capture_output=True,
    )
    words = [word for word in desk.split()[1:] if not word.startswith(("--port", "--proxy"))]
    words.append("--proxy=127.0.0.1")
    (public,) = [word.removeprefix("--public=http://") for word in words if word.startswith("--public=")]
    (asked,) = lines("curl ")
    health = re.sub(r"^curl http://[^/]+", "", asked)
    assert f"option httpchk GET {health}\n" in STEPS
    evening = plan_evening(2, 1, STARTS, 6)
    with started(*words, "--port=0") as first, started(*words, "--port=0") as second:
        pages = []
        for program in (first, second):
            assert program.stdout is not None
            ready = program.stdout.readline()
            assert ready.startswith("ready: "), program.stderr and program.stderr.read()
            pages.append(re.sub(r"//[^:]+:", "//127.0.0.1:", ready.split()[1]))
        for address in pages:
            told = httpx.get(f"{address}{health}", timeout=30)
            assert (told.status_code, told.json()) == (200, {"journal": "reachable", "behind": 0})
            checked = ask(address, f"GET {health} HTTP/1.0\r\n\r\n")
            assert checked.startswith("HTTP/1.1 200 "), "a load balancer's check has no Host"
            through = {"host": public, "x-forwarded-for": "198.51.100.7"}
            assert httpx.get(f"{address}/results", headers=through, timeout=30).status_code == 200
            assert httpx.get(f"{address}/results", headers={"host": "x.example"}).status_code == 421
        with open_runtime(database) as runtime:
            runtime.do(open_evening(evening))
        for address in pages:
            wait_for(partial(is_there, f"{address}/live/{evening.session}"))
        first.send_signal(signal.SIGINT)
        first.wait(60)
        assert httpx.get(f"{pages[1]}{health}", timeout=30).status_code == 200
        assert httpx.get(f"{pages[1]}/live/{evening.session}", timeout=30).status_code == 200
    assert list(tmp_path.iterdir()) == []
