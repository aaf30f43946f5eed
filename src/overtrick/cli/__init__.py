"""The command line: one module a command group, nothing but arguments in and words out.

A module here imports Typer and nothing heavy at its top; what a command needs is imported in the command, so
that `overtrick --help` answers at once.
"""

import sys
from typing import Annotated

import typer

from overtrick import __version__
from overtrick.cli import bws, connector, jet, journal, tm
from overtrick.cli.demo import demo
from overtrick.cli.score import score
from overtrick.errors import OvertrickError

app = typer.Typer(
    name="overtrick",
    help="Runs the data side of a duplicate bridge event on any computer.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"overtrick {__version__}")
        raise typer.Exit


@app.callback()
def overtrick(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Runs the data side of a duplicate bridge event on any computer."""


app.command()(demo)
app.command()(score)
app.command()(connector.serve)
for name, group in {"bws": bws, "connector": connector, "jet": jet, "journal": journal, "tm": tm}.items():
    app.add_typer(group.app, name=name)


def main() -> None:
    """Run the command line; an OvertrickError becomes its sentence and its exit status."""
    try:
        app()
    except OvertrickError as error:
        typer.echo(f"overtrick: {error}", err=True)
        sys.exit(error.exit_status)
