"""The command line: one module a command group, nothing but arguments in and words out.

A module here imports Typer and nothing heavy at its top; what a command needs is imported in the command. Only the
module of the command that is asked for is loaded, so that every command answers at once.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from overtrick import __version__
from overtrick.errors import OvertrickError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

COMMANDS = {
    "demo": "overtrick.cli.demo:demo",
    "score": "overtrick.cli.score:score",
    "serve": "overtrick.cli.connector:serve",
    "control": "overtrick.cli.control:control",
    "bmpftp": "overtrick.cli.bmpftp:app",
    "bws": "overtrick.cli.bws:app",
    "connector": "overtrick.cli.connector:app",
    "desk": "overtrick.cli.desk:app",
    "jet": "overtrick.cli.jet:app",
    "journal": "overtrick.cli.journal:app",
    "magic": "overtrick.cli.magic:app",
    "teams": "overtrick.cli.teams:app",
    "tm": "overtrick.cli.tm:app",
}
"""Every command, in the order of the help, and where it is: a function, or a Typer app with commands of its own."""


class Commands(TyperGroup):
    """The commands above, each loaded when it is asked for."""

    commands: "MutableMapping[str, Any]"

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of them; None where there is no such command."""
        if cmd_name not in self.commands and cmd_name in COMMANDS:
            module, _, name = COMMANDS[cmd_name].partition(":")
            found = getattr(import_module(module), name)
            if not isinstance(found, typer.Typer):
                alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
                alone.command(cmd_name)(found)
                found = alone
            command = get_command(found)
            command.name = cmd_name
            self.commands[cmd_name] = command
        return self.commands.get(cmd_name)


app = typer.Typer(
    name="overtrick",
    cls=Commands,
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


def main() -> None:
    """Run the command line; an OvertrickError becomes its sentence and its exit status."""
    try:
        app()
    except OvertrickError as error:
        typer.echo(f"overtrick: {error}", err=True)
        sys.exit(error.exit_status)
