"""The pages say what is so: links lead somewhere, commands exist, examples run, and the site builds."""

import contextlib
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from overtrick.cli import app
from tests.conftest import find_program
from tests.connector.running import running
from tests.store.server import postgresql

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
EXAMPLES = ROOT / "docs" / "examples"
BLOCK = re.compile(r"^( *)```(\S*)[^\n]*\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
NOT_RUN = re.compile(r"<!-- not run: .+? -->\s*\Z")
"""A comment right before a block, with the reason, for what cannot run in a test."""
DATABASE = "postgresql://club:secret@localhost/overtrick"
"""The address that the pages show; the test has a real one in its place."""

CONNECTOR = "http://127.0.0.1:5079"
"""The address of the Data Connector in the pages; in blocks that run it is replaced by that of a real one."""

MOST_PICTURES = 2_500_000
"""Bytes that all pictures of pages may take together."""


@dataclass(frozen=True)
class Block:
    """A block of code in a page."""

    language: str
    text: str
    line: int
    is_run: bool


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(words: str) -> Iterator[Block]:
    for found in BLOCK.finditer(words):
        indent, language, text = found.groups()
        inside = "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))
        before = words[: found.start()]
        yield Block(language, inside, before.count("\n") + 2, not NOT_RUN.search(before))


def prose(words: str) -> str:
    """A page without its blocks, and without the code in its lines."""
    return re.sub(r"`[^`\n]+`", "", BLOCK.sub("", words))


def anchors(words: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", words), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


def commands(words: str) -> Iterator[str]:
    """Every line of a shell in a page, and every `overtrick …` or `script/…` in its sentences."""
    for block in blocks(words):
        text = block.text.replace("\\\n", " ")
        if block.language in ("sh", "bash"):
            yield from text.splitlines()
        elif block.language == "console":
            yield from (line[2:] for line in text.splitlines() if line.startswith("$ "))
    for code in re.findall(r"`([^`\n]+)`", BLOCK.sub("", words)):
        if code.startswith(("overtrick ", "script/")):
            yield code


def own_words(command: str) -> list[list[str]]:
    """The words after `overtrick` or `script/run`, for each time that a line calls them."""
    calls: list[list[str]] = []
    for call in re.split(r"\s(?:\||>|&&|;)\s", command):
        words = shlex.split(call, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words = words[1:]
        if words and words[0] in ("overtrick", "script/run"):
            calls.append(words[1:])
    return calls


def missing(words: list[str]) -> str | None:
    """Return the words of a call that the command line does not know."""
    command: Any = typer.main.get_command(app)
    for word in words:
        if word in ("…", "..."):
            return None
        if word.startswith("-") and len(word) > 1:
            known = {"--help"} | {
                each for param in command.params for each in (*param.opts, *param.secondary_opts)
            }
            if word.split("=")[0] not in known:
                return f"the option {word}"
        elif hasattr(command, "commands"):
            command = command.get_command(None, word)
            if command is None:
                return f"the command {word}"
    return None


def path_of(words: list[str]) -> tuple[str, ...]:
    command: Any = typer.main.get_command(app)
    path: tuple[str, ...] = ()
    for word in words:
        found = command.get_command(None, word) if hasattr(command, "commands") else None
        if found is not None:
            command, path = found, (*path, word)
    return path


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    words = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)[^)]*\)|(?:src|href)=\"([^\"]+)\"", prose(words)):
        link = target[0] or target[1]
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        led_to = (page.parent / file).resolve() if file else page
        is_there = led_to.exists() and led_to.is_relative_to(ROOT)
        if is_there and anchor and led_to.suffix == ".md":
            is_there = anchor in anchors(led_to.read_text(encoding="utf-8"))
        if not is_there:
            broken.append(link)
    assert broken == []


def test_every_picture_of_a_page_is_shown_and_all_of_them_are_small() -> None:
    pictures = sorted((ROOT / "docs" / "pictures" / "pages").iterdir())
    words = (ROOT / "docs" / "reference" / "pictures.md").read_text(encoding="utf-8")
    assert [each.name for each in pictures if f"/{each.name})" not in words] == []
    assert sum(each.stat().st_size for each in pictures) < MOST_PICTURES


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_that_is_shown_exists(page: Path) -> None:
    for command in commands(page.read_text(encoding="utf-8")):
        for script in re.findall(r"(?:^|\s)(script/\w+|\.ci/\w+)", command):
            assert (ROOT / script).is_file(), f"{command}: there is no {script}"
        for words in own_words(command):
            assert missing(words) is None, f"{command}: there is no such thing as {missing(words)}"


def test_every_command_that_is_shown_has_its_help() -> None:
    paths = {
        path_of(words)
        for page in PAGES
        for command in commands(page.read_text(encoding="utf-8"))
        for words in own_words(command)
    }
    assert {("demo",), ("score",)} <= paths
    for path in sorted(paths):
        assert CliRunner().invoke(app, [*path, "--help"]).exit_code == 0, path


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `overtrick demo --tables 5 --boards 10 --data evening` leaves.

    What can be made of its deals is taken from the example file, which spares the solver.
    """
    from overtrick.bridge.pbn import read_pbn
    from overtrick.event.hands import EvaluateHand
    from overtrick.host.demo import STARTS, demo, play
    from overtrick.host.lookup import JOURNAL
    from overtrick.host.runtime import open_runtime
    from overtrick.host.simulator import open_evening, plan_evening

    folder = tmp_path_factory.mktemp("docs") / "evening"
    folder.mkdir()
    planned = plan_evening(5, 1, STARTS, 10)
    with open_runtime(folder / JOURNAL) as runtime:
        runtime.do(open_evening(planned))
        for game in read_pbn((EXAMPLES / "evening.pbn").read_bytes()):
            assert game.board
            assert game.tricks
            assert game.deal == planned.deals[game.board]
            runtime.do(EvaluateHand(planned.session, 1, game.board, game.deal, game.tricks))
    with demo(folder, tables=5, seed=1, boards=10) as (same, runtime, tricks):
        for _ in play(same, runtime, tricks, speed=60, sleep=lambda _: None):
            pass
    return folder


RUNNABLE = [
    page
    for page in PAGES
    if any(block.language in ("python", "pycon", "sh") for block in blocks(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("page", RUNNABLE, ids=name)
def test_every_example_runs(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The examples of a page run one after the other, in a folder with the files that the pages speak of."""
    words = page.read_text(encoding="utf-8")
    shutil.copytree(EXAMPLES, tmp_path / "docs" / "examples")
    shutil.copy(EXAMPLES / "evening.pbn", tmp_path)
    if any("evening/overtrick.journal" in block.text for block in blocks(words)):
        shutil.copytree(request.getfixturevalue("evening"), tmp_path / "evening")
    with contextlib.ExitStack() as stack:
        if DATABASE in words:
            server = stack.enter_context(postgresql(find_program("pg_ctl")))
            words = words.replace(DATABASE, server)
        if any(CONNECTOR in block.text for block in blocks(words) if block.is_run):
            words = words.replace(CONNECTOR, stack.enter_context(running()).http)
        stack.enter_context(contextlib.chdir(tmp_path))
        names: dict[str, Any] = {"__name__": "__main__"}
        for block in blocks(words):
            where = f"{name(page)}, line {block.line}"
            if block.language == "python":
                code = compile("\n" * (block.line - 1) + block.text, name(page), "exec")
                if block.is_run:
                    exec(code, names)
            elif block.language == "pycon" and block.is_run:
                run_session(block.text, names, where)
            elif block.language == "sh" and block.is_run:
                for variable, value in re.findall(r"^export (\w+)=(\S+)$", block.text, re.MULTILINE):
                    monkeypatch.setenv(variable, value)
                run_commands(block.text, where)


def run_session(text: str, names: dict[str, Any], where: str) -> None:
    session = doctest.DocTestParser().get_doctest(text, names, where, None, 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(session, out=told.append, clear_globs=False)
    names.update(session.globs)
    assert not runner.failures, where + "\n" + "".join(told)


def run_commands(text: str, where: str) -> None:
    """Run what is ours and quick; the demonstration and the robots take their time, and have tests of their own."""
    for line in text.replace("\\\n", " ").splitlines():
        for words in own_words(line):
            if words and words[0] not in ("demo", "tm"):
                done = CliRunner().invoke(app, words)
                assert done.exit_code == 0, f"{where}: {line}\n{done.output}{done.exception or ''}"


# mkdocs reads the whole package and draws every page, about 12 seconds of a core.
@pytest.mark.timeout(180)
def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        mkdocs, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=150
    )
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = re.compile(
        r"<(?:script|img|iframe)[^>]+src=\"?(?:https?:)?//|<link[^>]+stylesheet[^>]+//|@import"
    )
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) >= len(PAGES) // 2
    for page in pages:
        assert not loaded.search(page.read_text(encoding="utf-8")), page
    assert "overtrick score" in (tmp_path / "reference" / "commands.html").read_text(encoding="utf-8")
