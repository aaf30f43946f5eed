"""Every command on a journal in PostgreSQL: an address stands where a file may, and its password is never shown."""

import asyncio
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner, Result

from overtrick.bmpftp.folder import Folder
from overtrick.bridge import SEATS, Deal, Outcome
from overtrick.bridge.pbn import Game, write_pbn
from overtrick.cli import app
from overtrick.errors import BadInput, OvertrickError
from overtrick.event import OpenEvent, Rejection, SessionPlan
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.results import EnterResult, ResultEntry
from overtrick.event.setup import GroupPlan
from overtrick.host.bmpftp import ControlProgram
from overtrick.host.runtime import open_runtime
from overtrick.keys import KeyRing
from overtrick.scoring import Method
from overtrick.store import open_journal
from overtrick.store.codec import event_codec
from overtrick.store.sessions import SessionList
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.robots.legal import Legal
from tests.bmpftp.conftest import example
from tests.cli.test_desk import ended, started
from tests.cli.test_magic import ENTRIES
from tests.conftest import find_program
from tests.store.server import Cluster
from tests.waiting import wait_for

PASSWORD = "n0tToBeSeen"
GAME = "demo --tables 2 --boards 6 --speed 1e9 --no-web"


@pytest.fixture
def address(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of an empty database, with a password in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OVERTRICK_JOURNAL", raising=False)
    return database.replace("overtrick@", f"overtrick:{PASSWORD}@")


def run(*words: str) -> Result:
    return CliRunner().invoke(app, [*words], input="", catch_exceptions=False)


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_desk_and_serve_keep_journal_and_keys_in_the_database(address: str, tmp_path: Path) -> None:
    for words in (["desk"], ["serve", "--no-pipe", "--http-port=0", "--web-port=0"]):
        port = ["--port=0"] if words == ["desk"] else []
        with started(*words, *port, "--data", address) as program:
            assert program.stdout is not None
            ready = program.stdout.readline()
            assert ready.startswith("ready: http://"), program.stderr and program.stderr.read()
            pages = ready.split()[-1]
            assert httpx.get(f"{pages}/results", timeout=30).status_code == 200
            command_line = Path(f"/proc/{program.pid}/cmdline").read_bytes()
            said, logged = ended(program)
        assert PASSWORD not in said + logged
        assert PASSWORD.encode() not in command_line
    assert names(tmp_path) == []
    with open_journal(address, event_codec(), create=False) as journal:
        assert KeyRing(journal.documents).table_code("S", "A", 1) == KeyRing(journal.documents).table_code(
            "S", "A", 1
        )


def test_keys_that_one_node_changes_count_on_the_other(address: str) -> None:
    assert run("desk", "licence", "club", "key", "--data", address).exit_code == 0
    token = run("desk", "token", "scorer", "--data", address).output.strip()
    with open_journal(address, event_codec()) as one, open_journal(address, event_codec()) as other:
        here, there = KeyRing(one.documents), KeyRing(other.documents)
        assert here.table_code("S", "A", 1) == there.table_code("S", "A", 1)
        assert there.licences == {"club": "key"}
        scope = there.token_scope(token)
        assert scope is not None
        assert scope[0] == "scorer"
        here.set_password("seven no trump")
        wait_for(lambda: there.is_password("seven no trump"))


def test_a_demonstration_is_scored_listed_and_exported_from_the_database(
    address: str, tmp_path: Path
) -> None:
    played = run(*GAME.split(), "--data", address)
    assert played.exit_code == 0
    assert PASSWORD not in played.output
    assert not list(tmp_path.rglob("*.journal"))
    assert not [name for name in names(tmp_path) if "postgresql" in name or PASSWORD in name]
    (listed,) = map(json.loads, run("journal", "list", address, "--json").output.splitlines())
    guid = listed["session"]
    by_source = run("score", address, "--format", "json").output
    by_guid = run("score", guid, "--data", address, "--format", "json").output
    assert json.loads(by_source) == json.loads(by_guid)
    assert "is intact" in run("journal", "check", address).output


def test_the_address_comes_from_the_environment(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVERTRICK_JOURNAL", address)
    assert run(*GAME.split()).exit_code == 0
    (listed,) = map(json.loads, run("journal", "list", "--json").output.splitlines())
    assert run("score", listed["session"]).exit_code == 0
    assert run("teams", "open", "League").exit_code == 0
    assert "League" in run("teams", "list").output
    with started("control", "--looks", "1") as program:
        said, logged = program.communicate(timeout=50)
    assert "ready: postgresql://" in said, logged
    assert PASSWORD not in said + logged


def test_a_service_of_libpq_names_the_database(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    user, host, options = re.fullmatch(
        r"postgresql://(\w+)@/postgres\?host=([^&]+)&options=-csearch_path%3D(\w+)", database
    ).groups()  # type: ignore[union-attr]
    services = tmp_path / "services.conf"
    services.write_text(
        f"[club]\nhost={host}\nuser={user}\ndbname=postgres\noptions=-csearch_path={options}\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    monkeypatch.setenv("PGSERVICE", "club")
    monkeypatch.setenv("OVERTRICK_JOURNAL", "postgresql://")
    assert run("teams", "open", "League").exit_code == 0
    with open_runtime(database, create=False) as runtime, runtime.writer.reading() as state:
        assert [event.name for event in state.team_events.values()] == ["League"]


@pytest.fixture
def guarded() -> Iterator[Cluster]:
    """Run a server that requires the password."""
    cluster = Cluster(find_program("pg_ctl"))
    try:
        cluster.make(PASSWORD)
        cluster.start()
        yield cluster
    finally:
        with contextlib.suppress(RuntimeError):
            cluster.stop()
        cluster.remove()


def test_the_password_comes_from_the_password_file_or_the_address(
    guarded: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    passwords = tmp_path / "passwords"
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    monkeypatch.setenv("OVERTRICK_JOURNAL", guarded.address)
    with pytest.raises(OvertrickError, match="password"):
        run("teams", "open", "League")
    passwords.write_text(f"{guarded.folder}:5432:postgres:overtrick:{PASSWORD}\n")
    passwords.chmod(0o600)
    assert run("teams", "open", "League").exit_code == 0
    with started("control", "--looks", "1") as program:
        said, logged = program.communicate(timeout=50)
    assert "ready: postgresql://" in said, logged
    passwords.unlink()
    monkeypatch.delenv("OVERTRICK_JOURNAL")
    address = guarded.address.replace("overtrick@", f"overtrick:{PASSWORD}@")
    with started("desk", "--port=0", "--data", address) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("ready: http://"), "also when it has started itself again"
        assert PASSWORD.encode() not in Path(f"/proc/{program.pid}/cmdline").read_bytes()
        said, logged = ended(program)
    assert PASSWORD not in said + logged
    wrong = address.replace(PASSWORD, f"{PASSWORD}Not")
    with pytest.raises(OvertrickError) as caught:
        run("teams", "list", "--journal", wrong)
    assert PASSWORD not in str(caught.value)


def test_a_password_never_reaches_the_command_line_of_a_child(address: str) -> None:
    """`serve` starts the control software, which gets the address in its environment."""
    assert run(*GAME.split(), "--data", address).exit_code == 0
    with started("serve", "--no-pipe", "--http-port=0", "--data", address) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("ready:")

        def children() -> list[str]:
            listed = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()
            listed += [
                child
                for task in Path(f"/proc/{program.pid}/task").iterdir()
                for child in (task / "children").read_text().split()
            ]
            found = [Path(f"/proc/{child}/cmdline").read_bytes().decode() for child in listed]
            return [words for words in found if "control" in words]

        commands = wait_for(children)
        program.send_signal(signal.SIGTERM)
        said, logged = program.communicate(timeout=50)
    assert not any(PASSWORD in words for words in commands)
    assert PASSWORD not in said + logged


def test_a_second_control_program_on_the_same_database_is_refused(address: str) -> None:
    with open_runtime(address):
        pass
    with started("control", "--journal", address) as first:
        assert first.stdout is not None
        assert first.stdout.readline().startswith("ready:")
        second = subprocess.run(
            [sys.executable, "-m", "overtrick", "control", "--looks", "1"],
            env={**os.environ, "OVERTRICK_JOURNAL": address},
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
        assert "is already running on this journal" in second.stderr
        ended(first)
    with started("control", "--journal", address, "--looks", "1") as third:
        said, _ = third.communicate(timeout=50)
    assert said.startswith("ready:")


GUID = "6D115AF1ABEB4462A299B1FE86274949"
ROBOTS = SessionPlan(
    GUID,
    "Robots",
    date(2026, 2, 3),
    (GroupPlan(1, Method.MATCHPOINTS),),
    ((SectionPlan("A", 1, winners=1), (TablePlan(1, (Round(1, 2, (1, 2)),)),)),),
)


async def play_all_seats(port: int) -> None:
    robot = Legal(1)
    await asyncio.gather(
        *(
            sit_in(Player(seat.side.value, seat, robot.choose_call, robot.choose_card), "127.0.0.1", port)
            for seat in SEATS
        )
    )


@pytest.mark.parametrize("by", ["option", "environment"])
def test_results_of_robots_are_entered_in_the_database(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    with open_runtime(address) as runtime:
        assert not isinstance(runtime.do(OpenEvent(GUID, (ROBOTS,))), Rejection)
    deals = [Game.of_board(number, Deal.dealt_by(random.Random(number))) for number in (1, 2)]
    (tmp_path / "game.pbn").write_bytes(write_pbn(deals))
    words = ["--journal", address] if by == "option" else []
    if by == "environment":
        monkeypatch.setenv("OVERTRICK_JOURNAL", address)
    options = ("--deals=game.pbn", "--port=0", "--trick-pause=0", f"--session={GUID}", "--verbose")
    with started("tm", "serve", *options, *words) as program:
        assert program.stdout is not None
        port = re.search(r"port (\d+)", program.stdout.readline())
        assert port is not None, program.stderr and program.stderr.read()
        asyncio.run(play_all_seats(int(port[1])))
        program.wait(50)
        assert program.stderr is not None
        said, logged = program.stdout.read(), program.stderr.read()
    assert "All boards were played." in said, logged
    assert PASSWORD not in said + logged
    assert names(tmp_path) == ["game.pbn"]
    with open_runtime(address, create=False) as runtime, runtime.read(GUID) as session:
        assert session is not None
        assert sorted(place[3] for place in session.results.standing) == [1, 2]


@pytest.mark.parametrize("by", ["option", "environment"])
def test_files_of_a_federation_are_imported_into_and_exported_from_the_database(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.delenv("OVERTRICK_REGISTRY", raising=False)
    two_teams = "".join(ENTRIES.splitlines(keepends=True)[:9])
    (tmp_path / "entries.txt").write_bytes(two_teams.encode("cp1252"))
    journal = ["--journal", address] if by == "option" else []
    registry = ["--registry", address] if by == "option" else []
    if by == "environment":
        monkeypatch.setenv("OVERTRICK_JOURNAL", address)
    said = ""

    def done(*words: str) -> str:
        nonlocal said
        result = run(*words)
        assert result.exit_code == 0, result.output
        said += result.output
        return result.output

    done("magic", "registry", *registry)
    done("teams", "open", "Champion's Cup", *journal)
    done("teams", "serie", "Champion's Cup", "Q-A", "--boards", "16", *journal)
    imported = done("magic", "import", "entries.txt", "--encoding", "windows-1252", *journal)
    assert "imported" in imported
    assert "Champion's Cup Q-A\tQ-A" in done("magic", "map", "1", *journal)
    done("magic", "map", "1", "Cup (Open)", "Open", *journal)
    assert "Cup (Open)\tOpen" in done("magic", "map", "1", *journal)
    done("magic", "export", "1", "--file", "2A", "--out", ".", *journal)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "more.txt").write_bytes(ENTRIES.encode("cp1252"))
    watched = done("magic", "watch", "1", "--out", ".", "--in", "in", "--looks", "2", "--every", "0.1",
                   "--encoding", "windows-1252", *journal)  # fmt: skip
    assert "was imported" in watched
    assert PASSWORD not in said
    assert not [
        name for name in names(tmp_path) if "postgresql" in name or PASSWORD in name or ".journal" in name
    ]
    with open_runtime(address, create=False) as runtime, runtime.writer.reading() as state:
        (event,) = state.team_events.values()
        assert {team.name for team in event.teams.values()} == {"Barcelona", "Madrid", "Malmö", "Tenerife"}


@pytest.mark.timeout(120)  # two programs are started one after the other
@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_session_of_text_files_is_played_in_the_database(
    address: str, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    folder = Folder(tmp_path)
    folder.setup.write_bytes(example("BMInput.txt"))
    words = ["--journal", database] if by == "option" else []
    if by == "environment":
        monkeypatch.setenv("OVERTRICK_JOURNAL", address)
    log = tmp_path / "BMPFTP-control.log"
    with started("bmpftp", tmp_path, "--interval=0.1", *words) as program:
        try:
            wait_for(lambda: log.exists() and "ready: " in log.read_text())
            with open_runtime(database, create=False) as runtime:
                (line,) = SessionList(runtime.journal).lines()
                view = runtime.view(line.session)
                assert view is not None
                (section, table), played = next(iter(view.session.movement.tables.items()))
                board = played.rounds[0].boards[0]
                entry = ResultEntry(section, table, 1, board, Outcome.parse("4SN="), datetime.now(UTC))
                assert not isinstance(runtime.do(EnterResult(line.session, entry)), Rejection)
            wait_for(folder.results.exists)
            assert f"1,{table},1,{board}," in folder.results.read_text()
            said, logged = ended(program, signal.SIGTERM)
        finally:
            ControlProgram(folder).stop()
    assert PASSWORD not in said + logged + log.read_text()
    assert list(tmp_path.glob("*.journal")) == []
    assert not [
        path for path in tmp_path.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()
    ]


def test_text_files_go_into_the_database_without_a_password(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="PGPASSFILE"):
        run("bmpftp", str(tmp_path), "--journal", address)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "command",
    [
        "desk --port 0 --data {}",
        "desk password --data {}",
        "serve --no-pipe --http-port 0 --data {}",
        "demo --data {}",
        "control --journal {}",
        "score {}",
        "score 00000000000000000000000000000000 --data {}",
        "journal list {}",
        "teams list --journal {}",
        "magic export League --file 2A --out . --journal {}",
        "tm serve --deals game.pbn --port 0 --session S --journal {}",
    ],
)
@pytest.mark.parametrize(
    "where", [f"postgresql://club:{PASSWORD}@localhost:1/club", f"mysql://club:{PASSWORD}@localhost/club"]
)
def test_an_address_that_leads_nowhere_is_a_sentence_without_its_password(
    command: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.pbn").write_text(
        '[Board "1"]\n[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"]\n'
    )
    with pytest.raises(OvertrickError) as caught:
        run(*command.format(where).split())
    assert PASSWORD not in str(caught.value)
    assert names(tmp_path) == ["game.pbn"]
