"""The command line: one module for each command group, with no logic beyond options and output.

A module imports Typer and nothing heavy at its top; a command imports what it needs when it runs. Only the module of
the requested command is loaded, so that every command responds at once.
"""

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

# Print help texts and usage errors without boxes: importing the library that draws them takes two thirds of --help.
os.environ["TYPER_USE_RICH"] = "0"

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from overtrick import __version__
from overtrick.errors import OvertrickError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

COMMANDS = {
    "start": (
        "overtrick.cli.start:start",
        "Start everything for tonight: desk, phones, projector and Data Connector. Also without a command.",
    ),
    "demo": (
        "overtrick.cli.demo:demo",
        "Play a whole simulated club evening: watch the tables and the ranking, then read the result.",
    ),
    "score": (
        "overtrick.cli.score:score",
        "Score a session and show or write its ranking, travellers and score cards.",
    ),
    "publish": (
        "overtrick.cli.publish:publish",
        "Publish the results of a session: web pages and files in the club's folder, and the club's upload.",
    ),
    "series": (
        "overtrick.cli.series:series",
        "Rank an event of several sessions, or a season's ladder, from the results of its sessions.",
    ),
    "award": (
        "overtrick.cli.series:award",
        "Award master points for the raw results of a session or a series, by a scheme.",
    ),
    "compare": (
        "overtrick.cli.compare:compare",
        "Score published results again and show what agrees, what differs, and the rule that explains it.",
    ),
    "deals": (
        "overtrick.cli.deals:deals",
        "Read a file of deals (PBN, LIN or DUP) and write it as PBN or LIN.",
    ),
    "serve": (
        "overtrick.cli.connector:serve",
        "Serve the Data Connector: scoring programs talk to it as to the control software.",
    ),
    "control": (
        "overtrick.cli.control:control",
        "Run a session at the tables, as Bridgemate's control software does: from a .bws file, or from a journal.",
    ),
    "bmpftp": (
        "overtrick.cli.bmpftp:app",
        "BMPFTP: text files for scoring programs that cannot open an Access file. "
        "Start it with `overtrick bmpftp FOLDER`.",
    ),
    "bws": ("overtrick.cli.bws:app", "Create, read, check and watch Bridgemate session files (.bws)."),
    "connector": ("overtrick.cli.connector:app", "Talk to a Data Connector: Overtrick's, or that of BCS."),
    "desk": (
        "overtrick.cli.desk:app",
        "The director's desk, the live board, the results and the JSON API, in a browser.",
    ),
    "jet": ("overtrick.cli.jet:app", "Show the tables, columns and rows of an Access 97 to 2003 file."),
    "journal": (
        "overtrick.cli.journal:app",
        "Inspect, copy, back up and restore the journal that holds everything.",
    ),
    "magic": ("overtrick.cli.magic:app", "Exchange files with a federation's office."),
    "teams": ("overtrick.cli.teams:app", "Run a team event."),
    "tm": ("overtrick.cli.tm:app", "Computer bridge over TCP: the Table Manager, players, matches."),
}
"""Every command in the order of the help: its function or Typer app, and its help text, so that the list of commands
loads none of them."""


class Commands(TyperGroup):
    """Group of the commands above, each loaded when it is requested."""

    commands: "MutableMapping[str, Any]"
    _is_listing = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; without arguments, as after a double click, the command is `start`."""
        if not args and not ctx.resilient_parsing:  # as while a shell completes a command
            args = ["start"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, in order."""
        return list(COMMANDS)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help from names and help texts, without loading commands."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load and return a command; None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        location, help_text = COMMANDS[cmd_name]
        if self._is_listing:
            return TyperCommand(cmd_name, short_help=help_text)
        if cmd_name not in self.commands:
            module, _, name = location.partition(":")
            target = getattr(import_module(module), name)
            if not isinstance(target, typer.Typer):
                group = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
                group.command(cmd_name)(target)
                target = group
            command = get_command(target)
            command.name = cmd_name
            for subcommand in getattr(command, "commands", {}).values():
                # Without a short help, the list of a group's commands cuts its sentences at the end of the line.
                subcommand.short_help = subcommand.short_help or (subcommand.help or "").partition("\n\n")[0]
            self.commands[cmd_name] = command
        return self.commands[cmd_name]


app = typer.Typer(
    name="overtrick",
    cls=Commands,
    help="Run the data side of a duplicate bridge event on any computer.",
    add_completion=True,
    pretty_exceptions_enable=False,
)


def _show_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"overtrick {__version__}")
        raise typer.Exit


@app.callback()
def overtrick(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Run the data side of a duplicate bridge event on any computer."""


def _hide_password() -> None:
    """Restart this command without a database password on its command line, which every user can see.

    The password moves to the environment, which only this user can read.
    """
    if os.name != "posix" or not any("postgres" in argument for argument in sys.orig_argv):
        return
    from overtrick.store.address import split_password

    split_arguments = [split_password(argument) for argument in sys.orig_argv[1:]]
    passwords = {password for _, password in split_arguments if password}
    if len(passwords) == 1:
        arguments = [sys.executable, *(argument for argument, _ in split_arguments)]
        os.execve(sys.executable, arguments, {**os.environ, "PGPASSWORD": passwords.pop()})


def main() -> None:
    """Run the command line; print the sentence of an OvertrickError and exit with its status."""
    _hide_password()
    try:
        app()
    except OvertrickError as error:
        typer.echo(f"overtrick: {error}", err=True)
        sys.exit(error.exit_status)
