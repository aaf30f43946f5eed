"""`overtrick control`, and `bcs`: the control software, started as a scoring program starts it."""

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from overtrick.cli.options import file_of_folder, takes_options

if TYPE_CHECKING:
    from overtrick.control.orders import StartOptions
    from overtrick.host.control import ControlSoftware


TerminalSettings = Literal["II", "III"]
"""The generations of settings in a session file."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of the control software that do not depend on the session."""

    journal: Annotated[
        str | None,
        typer.Option(
            "--journal",
            "-j",
            callback=file_of_folder,
            envvar="OVERTRICK_JOURNAL",
            help="The journal: its file, its folder or a PostgreSQL address. By default a file beside the session "
            "file. Without a session file, name the journal of `serve`.",
        ),
    ] = None
    computer: Annotated[
        str | None,
        typer.Option(
            help="Name of this control computer in a session file that several share. Each has its own journal."
        ),
    ] = None
    leave_to: Annotated[
        list[str] | None,
        typer.Option(help="Do not handle the tables of this computer: other control software runs there."),
    ] = None
    interval: Annotated[float, typer.Option(min=0.05, max=15, help="Seconds between two passes.")] = 1.0
    settings: Annotated[
        TerminalSettings,
        typer.Option(help="Generation of the settings that terminals follow, if the file has both."),
    ] = "III"
    looks: Annotated[int, typer.Option(min=0, help="End after this many passes; 0 for no limit.")] = 0
    no_evaluation: Annotated[
        bool, typer.Option("--no-evaluation", help="Do not analyse deals (double dummy).")
    ] = False
    confirm: Annotated[
        str,
        typer.Option(
            help="Confirm the entry that waits for the director at a table/round/board such as A3/2/14, and exit.",
        ),
    ] = ""
    refuse: Annotated[
        str, typer.Option(help="Refuse the entry that waits for the director at this place, and exit.")
    ] = ""
    while_input: Annotated[
        bool,
        typer.Option(
            "--while-input",
            help="End when standard input is closed, and so with the program that started this one.",
        ),
    ] = False


@takes_options
def control(
    parameters: Annotated[
        list[str] | None,
        typer.Argument(
            help="The control software's own parameters: /f:FILE /s /r /m /h:[1,2] /pi /t1 to /t5."
        ),
    ] = None,
    file: Annotated[Path | None, typer.Option(help="The session file (.bws); the same as /f.")] = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Start the session from scratch; the same as /s.")
    ] = False,
    read: Annotated[bool, typer.Option("--read", help="Read results at once; the same as /r.")] = False,
    ends: Annotated[
        bool, typer.Option("--end-after-last-result", help="End when every board has a result.")
    ] = False,
    *,
    options: RunOptions,
) -> None:
    """Run a session at the tables, as Bridgemate's control software does: from a .bws file, or from a journal."""
    from dataclasses import replace

    from overtrick.control.orders import parse_command_line
    from overtrick.errors import BadInput

    arguments = [*(parameters or []), *([f"/f:{file}"] if file else [])]
    arguments += ["/s"] * reset + ["/r"] * read
    start = replace(parse_command_line(arguments), ends_after_last_result=ends)
    if not start.file and options.journal is None:
        raise BadInput("Name a session file (/f:[file] or --file), or a journal (--journal).")
    _run(start, options)


def _run(start: "StartOptions", options: RunOptions) -> None:
    import platform

    from overtrick.cli.logs import start_logging
    from overtrick.event.setup import Generation
    from overtrick.host.control import open_control_software, run, settle_held
    from overtrick.host.session_file import journal_of, open_session_file_control

    journal = options.journal or journal_of(Path(start.file), options.computer or "")
    if options.confirm or options.refuse:
        for place, is_confirmed in ((options.confirm, True), (options.refuse, False)):
            if place:
                typer.echo(settle_held(journal, place, is_confirmed=is_confirmed))
        return
    generation, evaluates = Generation(options.settings), not options.no_evaluation
    print_line = _print_nothing if options.while_input else typer.echo
    start_logging()
    _interrupt_on_signals()
    if options.while_input:
        _interrupt_at_end_of_input()
    with ExitStack() as stack:
        control: ControlSoftware
        if start.file:
            control = stack.enter_context(
                open_session_file_control(
                    start,
                    journal=journal,
                    computer=options.computer or platform.node(),
                    left_to=options.leave_to or (),
                    generation=generation,
                    evaluates=evaluates,
                )
            )
        else:
            control = stack.enter_context(
                open_control_software(journal, start, generation=generation, evaluates=evaluates)
            )
        try:
            # Inside the try block, because a program that reads this line may interrupt this process at once.
            print_line(f"ready: {start.file or control.runtime.journal.name}")
            run(control, typer.echo, interval=options.interval, max_passes=options.looks)
        except KeyboardInterrupt:
            print_line(f"stopped; start again {'without /s ' if start.file else ''}to continue.")


def _print_nothing(text: str) -> None:
    """Print nothing: a program that starts this one reports its start and end itself."""


def _interrupt_on_signals() -> None:
    """Raise KeyboardInterrupt on SIGTERM, and on SIGINT also where a script started this in the background.

    A shell lets background programs ignore SIGINT, and then `interrupt_main` would do nothing either.
    """
    import signal

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)


def _interrupt_at_end_of_input() -> None:
    """Interrupt the main thread when the standard input is closed."""
    import _thread
    import os
    import threading

    def read_to_end() -> None:
        while os.read(0, 1024):
            pass
        _thread.interrupt_main()

    threading.Thread(target=read_to_end, daemon=True).start()


def bcs() -> None:
    """Run the control software under the name of BCS, with BCS's own parameters only."""
    from overtrick.control.orders import parse_command_line
    from overtrick.errors import BadInput, OvertrickError

    try:
        start = parse_command_line(sys.argv[1:])
        if not start.file:
            raise BadInput("Name a session file: /f:[file].")
        _run(start, RunOptions())
    except OvertrickError as error:
        typer.echo(f"bcs: {error}", err=True)
        sys.exit(error.exit_status)
