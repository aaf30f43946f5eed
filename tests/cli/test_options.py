"""Dataclasses of options as parameters of a command."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from overtrick.cli import app
from overtrick.cli.options import takes_options


@dataclass(frozen=True, slots=True)
class Paper:
    """Options with and without a default."""

    size: Annotated[str, typer.Option(help="Format.")]
    copies: Annotated[int, typer.Option("--copies", "-c", min=1, help="How many.")] = 1


def printing(seen: list[object]) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @takes_options
    def print_file(
        file: Annotated[str, typer.Argument()], paper: Paper, quiet: Annotated[bool, typer.Option()] = False
    ) -> None:
        """Print a file."""
        seen.extend((file, paper, quiet))

    return app


@pytest.mark.parametrize(
    ("words", "paper", "quiet"),
    [
        (["a.txt", "--size", "A4"], Paper("A4", 1), False),
        (["--quiet", "--size", "A5", "-c", "3", "a.txt"], Paper("A5", 3), True),
    ],
)
def test_fields_of_a_dataclass_are_options_that_arrive_as_one_value(
    words: list[str], paper: Paper, quiet: bool
) -> None:
    seen: list[object] = []
    assert CliRunner().invoke(printing(seen), words).exit_code == 0
    assert seen == ["a.txt", paper, quiet]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [(["a.txt"], "Missing option"), (["a.txt", "--size", "A4", "--copies", "0"], "Invalid value")],
)
def test_a_field_without_a_default_or_out_of_range_is_refused(words: list[str], sentence: str) -> None:
    seen: list[object] = []
    answer = CliRunner().invoke(printing(seen), words)
    assert (answer.exit_code, seen) == (2, [])
    assert sentence in answer.output


def test_the_help_of_a_command_has_its_sentence_and_every_field() -> None:
    text = CliRunner().invoke(printing([]), ["--help"]).output
    for words in ("Print a file.", "--size", "Format.", "--copies", "--quiet"):
        assert words in text


def test_options_before_a_command_of_the_desk_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would be those of the pages, and the token be made in another folder."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["desk", "--journal", "club", "token", "program"])
    assert done.exit_code == 2
    assert "after the command" in done.output
    assert not list(tmp_path.iterdir())
