"""`overtrick desk` and the pages of `overtrick serve`, as a director starts and ends them."""

import io
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
import typer

from overtrick.cli.desk import _ask_password
from overtrick.host.instance_lock import is_controlled
from overtrick.host.lookup import JOURNAL
from overtrick.host.runtime import open_runtime
from overtrick.keys import KeyRing, WeakPassword
from tests.waiting import wait_for
from tests.web.running import form_of

PATIENCE = 50
IGNORING = ("sh", "-c", 'trap "" INT; exec "$0" "$@"')
"""Starts a program that ignores SIGINT, as a shell script starts one in the background."""


@contextmanager
def started(
    *words: object, stdin: int = subprocess.DEVNULL, ignores_sigint: bool = False
) -> Iterator["subprocess.Popen[str]"]:
    """Run a command as a process without a terminal; background processes of scripts ignore SIGINT."""
    program = subprocess.Popen(
        [*(IGNORING if ignores_sigint else ()), sys.executable, "-m", "overtrick", *map(str, words)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield program
    finally:
        program.kill()
        program.communicate(timeout=PATIENCE)


def made(path: Path) -> Path:
    """Return the path of a new, empty journal."""
    with open_runtime(path):
        return path


def ended(program: "subprocess.Popen[str]", by: signal.Signals = signal.SIGINT) -> tuple[str, str]:
    """All that it still says when it is interrupted, as by Ctrl-C."""
    program.send_signal(by)
    program.wait(PATIENCE)
    assert program.stdout is not None
    assert program.stderr is not None
    # Not by `communicate`, which knows nothing of what came in with the line that was read before.
    said, logged = program.stdout.read(), program.stderr.read()
    assert program.returncode == 0, logged
    return said, logged


def test_desk_prints_its_addresses_and_its_folder(tmp_path: Path) -> None:
    with started("desk", "--data", tmp_path / "club", "--port", 0) as program:
        assert program.stdout is not None
        address = program.stdout.readline().removeprefix("ready: ").strip()
        said, _ = ended(program)
    assert f"{address}/desk " in said
    assert f"{address}/live " in said
    assert "Only this computer can open them; use --listen=0.0.0.0 for phones." in said
    assert (
        said.splitlines()[-1]
        == f"stopped; everything is kept in {tmp_path / 'club'}. Start again to continue."
    )


def ready(program: "subprocess.Popen[str]") -> str:
    """Return the address at which a program that has just been started serves."""
    assert program.stdout is not None
    return program.stdout.readline().removeprefix("ready: ").strip()


def half_sent(address: str, cookies: httpx.Cookies, form: dict[str, str]) -> socket.socket:
    """Return a connection on which the first half of a form was sent."""
    body = urlencode(form).encode()
    head = (
        "POST /desk/new HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Cookie: {'; '.join(f'{name}={value}' for name, value in cookies.items())}\r\n"
        f"Content-Length: {2 * len(body)}\r\n\r\n"
    )
    host, _, port = address.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)), timeout=PATIENCE)
    connection.sendall(head.encode() + body)
    return connection


def test_stopping_while_half_a_form_has_come_answers_it_and_is_no_error(tmp_path: Path) -> None:
    with started("desk", "--data", tmp_path, "--port", 0) as program:
        address = ready(program)
        with httpx.Client(base_url=address, timeout=PATIENCE) as director:
            form = form_of(director.get("/desk/new").text, "/desk/new")
            with half_sent(address, director.cookies, form):
                pass  # one who leaves in the middle
            with half_sent(address, director.cookies, form) as connection:
                # Later connections are accepted after this one, so that its bytes have been read by then.
                assert httpx.get(f"{address}/live", timeout=PATIENCE).status_code == 200
                _, logged = ended(program, signal.SIGTERM)
                answer = connection.makefile("rb").read().decode()
    assert answer.startswith("HTTP/1.1 503 ")
    assert "the request was incomplete. Nothing was changed" in answer
    assert logged == ""


def test_what_was_acknowledged_while_stopping_is_kept(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    with started("desk", "--data", tmp_path, "--port", 0) as program:
        address = ready(program)

        def keep_sending(number: int) -> None:
            with httpx.Client(base_url=address, timeout=PATIENCE) as director, suppress(httpx.TransportError):
                until = time.monotonic() + PATIENCE
                while time.monotonic() < until:
                    form = form_of(director.get("/desk/new").text, "/desk/new")
                    answer = director.post("/desk/new", data={**form, "name": f"Director {number}"})
                    if answer.status_code == 303:
                        acknowledged.append(answer.headers["location"].split("/")[2])

        with ThreadPoolExecutor() as directors:
            sending = [directors.submit(keep_sending, number) for number in range(4)]
            wait_for(lambda: len(acknowledged) >= 4 or any(each.done() for each in sending), PATIENCE)
            assert not any(each.done() and each.exception() for each in sending)
            _, logged = ended(program, signal.SIGTERM)
        for each in sending:
            each.result()
    assert logged == ""
    with open_runtime(tmp_path / JOURNAL) as runtime:
        missing = [guid for guid in acknowledged if runtime.view(guid) is None]
    assert len(acknowledged) >= 4
    assert missing == []


def test_a_weak_password_is_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["short", "aaaaaaaa", "seven of spades"])
    asked: list[str] = []

    def prompt(question: str, **_: object) -> str:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr(typer, "prompt", prompt)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(WeakPassword):
        _ask_password(KeyRing(tmp_path))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    keys = KeyRing(tmp_path)
    _ask_password(keys)
    assert keys.is_password("seven of spades")
    assert asked == ["New password, 8 characters or more"] * 3


def test_pages_on_the_network_beside_a_data_connector_on_loopback(tmp_path: Path) -> None:
    words = (
        "serve",
        "--data",
        tmp_path,
        "--http-port",
        0,
        "--no-pipe",
        "--web-port",
        0,
        "--web-listen",
        "0.0.0.0",
    )
    with started(*words) as program:
        assert program.stdout is not None
        connector, pages = program.stdout.readline().removeprefix("ready: ").split()
        _, logged = ended(program)
    assert connector.startswith("http://127.0.0.1:")
    assert not pages.startswith("http://0.0.0.0")
    assert "The desk has no password yet; it is now" in logged
    assert KeyRing(tmp_path).has_password
    assert "uvicorn" not in logged, "what the libraries say to each other is nothing for a director"


@pytest.mark.parametrize("ignores_sigint", [False, True])
def test_control_software_started_by_serve_prints_nothing(tmp_path: Path, ignores_sigint: bool) -> None:
    journal = made(tmp_path / "club.journal")
    words = ("control", "--journal", journal, "--while-input")
    with started(*words, stdin=subprocess.PIPE, ignores_sigint=ignores_sigint) as program:
        wait_for(lambda: is_controlled(journal))
        said, _ = program.communicate(timeout=PATIENCE)  # closes its input
    assert said == ""


@pytest.mark.parametrize("ignores_sigint", [False, True])
def test_control_on_a_journal_stops_without_mentioning_parameters(
    tmp_path: Path, ignores_sigint: bool
) -> None:
    journal = made(tmp_path / "club.journal")
    with started("control", "--journal", journal, ignores_sigint=ignores_sigint) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("ready:")
        said, _ = ended(program)
    assert said.splitlines()[-1] == "stopped; start again to continue."
