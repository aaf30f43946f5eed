"""The exit status of a command: the same for the same fault everywhere, as the page of commands says."""

import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from overtrick.cli import app
from overtrick.errors import OvertrickError
from overtrick.host.lookup import open_data

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
GUID = "F" * 32

NAMES_A_FILE = """
score {}
compare {}
deals {}
series {}
award {} example
bws info {}
bws check {}
bws export {}
bws import {} --players {}
jet tables {}
jet schema {}
journal list {}
journal check {}
journal export {} new.lines
journal import {} new.journal
journal restore {} new.journal
teams list --journal {}
teams ranking 1 A --journal {}
teams matches 1 A --journal {}
magic map 1 --journal {}
magic title 1 2026 1 --registry {}
control --file {}
desk members {} --journal folder
connector put players {guid} {}
bmpftp convert {} out
tm serve --deals {}
"""


def status(*words: str) -> int:
    """Run a command; its exit status, as the program ends with it."""
    done = CliRunner().invoke(app, words)
    if isinstance(done.exception, OvertrickError):
        return done.exception.exit_status
    assert done.exception is None or isinstance(done.exception, SystemExit), (words, done.exception)
    return done.exit_code


@pytest.mark.parametrize("fault", ["missing", "something else"])
def test_file_that_cannot_be_used_is_status_2_everywhere(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OVERTRICK_JOURNAL", raising=False)
    if fault == "something else":
        Path("file").write_text("This is a letter about something else.\n", encoding="utf-8")
    calls = [
        line.replace("{guid}", GUID).replace("{}", "file").split()
        for line in NAMES_A_FILE.split("\n")
        if line
    ]
    found = {" ".join(words): status(*words) for words in calls}
    assert {call: code for call, code in found.items() if code != 2} == {}


def test_new_file_that_exists_is_status_2_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_data(tmp_path):
        pass
    Path("file").write_text("Keep this.", encoding="utf-8")
    calls = ("journal backup . file", "journal export . file", "journal restore overtrick.journal file")
    assert {call: status(*call.split()) for call in calls} == dict.fromkeys(calls, 2)
    assert status(*["bws", "create", "file", "--tables", "3", "--boards-per-round", "2"]) == 2
    assert Path("file").read_text(encoding="utf-8") == "Keep this."


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--version", 0),
        ("nonsense", 2),
        ("score", 2),
        ("score file --nonsense", 2),
        ("score file --format nonsense", 2),
        ("magic export --file 9Z --output folder", 2),
        ("connector ping --http http://127.0.0.1:1", 1),
    ],
)
def test_fault_of_a_kind_has_its_status(
    words: str, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(*words.split()) == expected


def test_statuses_of_all_errors_are_in_the_table_of_the_page() -> None:
    listed = set(map(int, re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)))

    def statuses(error: type[OvertrickError]) -> set[int]:
        return {error.exit_status}.union(*(statuses(each) for each in error.__subclasses__()))

    assert statuses(OvertrickError) <= listed == {0, 1, 2, 130}


LISTS = {
    *("score", "series", "award", "compare", "bws info", "bws check", "bws export", "bws watch"),
    *("jet tables", "jet schema", "jet dump", "journal list", "connector poll", "magic map"),
    *("teams list", "teams ranking", "teams matches", "teams tables"),
}
"""The commands that list something."""
OLD_NAMES = {"--data": "--journal", "--out": "--output", "--http-port": "--port"}


def parameters() -> dict[str, list[Any]]:
    """Return the parameters of every command by its words."""
    found: dict[str, list[Any]] = {}

    def visit(command: Any, path: tuple[str, ...]) -> None:
        found[" ".join(path)] = command.params
        for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
            visit(command.get_command(None, name), (*path, name))

    visit(typer.main.get_command(app), ())
    return found


def test_every_list_has_the_formats_table_csv_and_json() -> None:
    formats = {
        path: set(param.type.choices)
        for path, params in parameters().items()
        for param in params
        if "-f" in param.opts
    }
    assert {path for path, choices in formats.items() if choices >= {"table", "csv", "json"}} == LISTS
    assert set(formats) - LISTS == {"deals"}  # writes deals, not a list


def test_one_thing_has_one_spelling_and_the_old_ones_are_accepted() -> None:
    spellings = [param.opts for params in parameters().values() for param in params]
    old = [opts for opts in spellings if set(opts) & set(OLD_NAMES)]
    assert len(old) >= 12
    for opts in old:
        assert opts[0] in {OLD_NAMES[name] for name in opts if name in OLD_NAMES}, opts
