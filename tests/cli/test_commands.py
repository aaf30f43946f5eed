"""The list of commands says what each command says of itself."""

import subprocess
import sys
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from overtrick.cli import COMMANDS, app


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_the_list_equals_help_of_each_command(name: str) -> None:
    group: Any = typer.main.get_command(app)
    said = group.get_command(None, name).help.strip().split("\n\n")[0]
    assert COMMANDS[name][1] == " ".join(said.split())


def test_the_help_lists_every_command_and_a_wrong_one_is_reported() -> None:
    listed = CliRunner().invoke(app, ["--help"]).output
    assert all(name in listed for name in COMMANDS)
    wrong = CliRunner().invoke(app, ["nonsense"])
    assert wrong.exit_code == 2
    assert "No such command" in wrong.output


def test_lists_of_commands_show_whole_sentences_and_load_nothing_that_draws_boxes() -> None:
    code = "import sys, overtrick.cli; sys.argv[1:] = ['--help']; overtrick.cli.app(standalone_mode=False)"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}; print('rich' in sys.modules)"],
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert ran.stdout.splitlines()[-1] == "False", ran.stderr
    assert "..." not in ran.stdout.replace("[ARGS]...", "")
    assert "..." not in CliRunner().invoke(app, ["teams", "--help"]).output.replace("[ARGS]...", "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("overtrick jou", {"journal"}),
        ("overtrick journal li", {"list"}),
        ("overtrick journal list --form", {"--format"}),
    ],
)
def test_shell_completes_commands_and_options_without_running_them(typed: str, offered: set[str]) -> None:
    asking = {
        "_OVERTRICK_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = CliRunner().invoke(app, [], prog_name="overtrick", env=asking)
    assert set(done.output.split()) == offered, done.output
