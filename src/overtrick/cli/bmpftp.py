"""`overtrick bmpftp`: text files for scoring programs that cannot open an Access file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from overtrick.cli.options import file_of_folder
from overtrick.words import counted

if TYPE_CHECKING:
    from rich.console import Group

    from overtrick.bmpftp.transfer import Transfer
    from overtrick.host.bmpftp import TransferProgram

RUN = "run"


class FolderOrCommand(TyperGroup):
    """A command group in which `overtrick bmpftp FOLDER` means `overtrick bmpftp run FOLDER`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert `run` if the first argument is neither a command nor a request for help."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [RUN, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="bmpftp",
    cls=FolderOrCommand,
    help="BMPFTP: text files for scoring programs that cannot open an Access file. Start it with "
    "`overtrick bmpftp FOLDER`.",
    no_args_is_help=True,
    add_completion=False,
)


LineEndsName = Literal["crlf", "lf"]
"""The line ends of written files."""

FolderArgument = Annotated[
    Path, typer.Argument(help="Folder that the scoring program reads and writes.", show_default=False)
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        help="Text encoding, such as cp437, cp850, cp1252 or utf-8. By default that of the last run, at first cp1252."
    ),
]
LineEndsOption = Annotated[
    LineEndsName | None,
    typer.Option("--line-ends", help="Line ends. By default those of the last run, at first crlf."),
]
IdsOption = Annotated[
    bool | None,
    typer.Option(
        "--ids/--no-ids",
        help="Write the ID before every result. By default as in the last run, at first not.",
    ),
]


@app.command(RUN)
def run_(
    folder: FolderArgument,
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two polls.")] = 5.0,
    start: Annotated[
        str | None,
        typer.Option(
            help="Command of another control program. It is remembered; an empty one returns to Overtrick's own."
        ),
    ] = None,
    journal: Annotated[
        str | None,
        typer.Option(
            "--journal",
            "-j",
            callback=file_of_folder,
            help="Journal for Overtrick's control program, such as that of the desk, so that players can score on "
            "phones. It is remembered; an empty one returns to a journal of the session's own.",
        ),
    ] = None,
    recover: Annotated[
        bool, typer.Option("--recover", help="Continue with the existing BMInput.bws (recovery run).")
    ] = False,
    reset: Annotated[
        bool,
        typer.Option(
            "--reset/--no-reset", help="Let the control program reset the tables and upload the movement."
        ),
    ] = True,
    all_results: Annotated[
        bool, typer.Option("--all-results", help="Deliver all results each time, not only new ones.")
    ] = False,
    encoding: EncodingOption = None,
    line_ends: LineEndsOption = None,
    ids: IdsOption = None,
) -> None:
    """Set up the session from BMInput.txt, start the control program and deliver results, until q or Ctrl-C."""
    import sys

    from overtrick.host.bmpftp import ControlProgram, TransferProgram, keys, run

    transfer = _transfer(folder, encoding, line_ends, ids, start, journal)
    control = ControlProgram(transfer.folder)
    if not recover and control.is_running():
        recover = _ask_to_recover()
    if recover and not transfer.folder.session.exists():
        from overtrick.errors import BadInput

        raise BadInput("There is no session to continue.", where=str(transfer.folder.session))
    program = TransferProgram(transfer, control, recover, reset, all_results)
    if sys.stdout.isatty():
        _run_on_screen(program, interval)
    else:
        with keys() as key:
            run(program, interval, key=key, redraw=lambda: _print_news(program))
        _print_news(program)
    if control.stop():
        typer.echo("The control program has ended too. Use --recover to continue the session later.")
    elif control.is_running():
        typer.echo("The control program is still running. Use --recover to continue with it.")


def _ask_to_recover() -> bool:
    import sys

    from overtrick.errors import BadInput

    problem = "The control program is already running."
    if sys.stdin.isatty() and typer.confirm(f"{problem} Continue polling (recovery run)?", default=True):
        return True
    raise BadInput(f"{problem} Use --recover to continue with it, or close it first.")


def _transfer(
    path: Path,
    encoding: str | None,
    line_ends: LineEndsName | None,
    ids: bool | None,
    start: str | None = None,
    journal: str | None = None,
) -> "Transfer":
    """Return the transfer of a folder, with the options of the last run where they are None; save the options there."""
    from dataclasses import replace

    from overtrick.bmpftp.folder import Folder
    from overtrick.bmpftp.remembered_options import read_options, write_options
    from overtrick.bmpftp.text_fields import canonical_encoding
    from overtrick.bmpftp.transfer import Transfer
    from overtrick.errors import BadInput
    from overtrick.store.address import is_address, without_password

    if not path.is_dir():
        raise BadInput("There is no such folder.", where=str(path))
    folder = Folder(path)
    previous = read_options(folder)
    options = previous
    if encoding is not None:
        options = replace(options, encoding=canonical_encoding(encoding))
    if line_ends is not None:
        options = replace(options, line_ends=line_ends)
    if ids is not None:
        options = replace(options, ids=ids)
    if start is not None:
        options = replace(options, start=start.strip())
    if journal and is_address(journal):
        if without_password(journal) != journal:
            raise BadInput(
                "The address is stored in the folder, where others can read it. Put the password in the file that "
                "PGPASSFILE names. Nothing was done.",
                where=without_password(journal),
            )
        options = replace(options, journal=journal)
    elif journal is not None:
        options = replace(options, journal=str(Path(journal).absolute()) if journal else "")
    if options != previous:
        write_options(folder, options)
    return Transfer(folder, options.text_format)


# The three commands


@app.command("read-all")
def read_all(
    folder: FolderArgument,
    encoding: EncodingOption = None,
    line_ends: LineEndsOption = None,
    ids: IdsOption = None,
) -> None:
    """Write all results to BMRData.txt, new or not, and replace an existing file."""

    delivered = _transfer(folder, encoding, line_ends, ids).read_all()
    for note in delivered.notes:
        typer.echo(f"Note: {note}", err=True)
    typer.echo(f"BMRData.txt was written with {counted(delivered.results, 'result')}.")


@app.command("read-numbers")
def read_numbers(
    folder: FolderArgument, encoding: EncodingOption = None, line_ends: LineEndsOption = None
) -> None:
    """Write the players' numbers to BMPNums.txt."""

    count = _transfer(folder, encoding, line_ends, None).read_numbers()
    typer.echo(f"BMPNums.txt was written with {counted(count, 'number')}.")


@app.command("update-movement")
def update_movement(
    folder: FolderArgument,
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two attempts.")] = 1.0,
    encoding: EncodingOption = None,
) -> None:
    """Update rounds and tables from BMInput.txt, once earlier instructions are carried out. Ctrl-C cancels."""
    from overtrick.host.bmpftp import movement_sentences
    from overtrick.host.bmpftp import update_movement as update_when_possible

    transfer = _transfer(folder, encoding, None, None)
    try:
        update = update_when_possible(
            transfer, interval, lambda reason: typer.echo(f"Waiting: {reason}", err=True)
        )
    except KeyboardInterrupt:
        typer.echo("Cancelled. Nothing was written.", err=True)
        raise typer.Exit(130) from None
    for sentence in movement_sentences(update):
        typer.echo(sentence)


@app.command()
def convert(
    source: Annotated[
        Path, typer.Argument(help="A .bws file, or a folder with BMInput.txt.", show_default=False)
    ],
    target: Annotated[
        Path,
        typer.Argument(help="Folder to write the text files to, or .bws file to create.", show_default=False),
    ],
    encoding: Annotated[
        str, typer.Option(help="Text encoding, such as cp437, cp850, cp1252 or utf-8.")
    ] = "cp1252",
    line_ends: Annotated[
        LineEndsName, typer.Option("--line-ends", help="Line ends of written files.")
    ] = "crlf",
    ids: Annotated[bool, typer.Option("--ids", help="Write the ID before every result.")] = False,
) -> None:
    """Convert a .bws file to the three text files, or the text files to a .bws file."""
    from overtrick.bmpftp.conversion import to_session, to_text
    from overtrick.bmpftp.text_fields import LineEnds, canonical_encoding
    from overtrick.bmpftp.transfer import TextFormat

    text_format = TextFormat(canonical_encoding(encoding), LineEnds(line_ends), ids)
    converted = (to_session if source.is_dir() else to_text)(source, target, text_format)
    for note in converted.notes:
        typer.echo(f"Note: {note}", err=True)
    tables, results = counted(converted.tables, "table"), counted(converted.results, "result")
    typer.echo(f"{target}: {tables}, {results}, {counted(converted.numbers, 'number')}.")


# Output


def _print_news(program: "TransferProgram") -> None:
    """Print the news as lines and remove them from the list."""
    import sys

    while program.news:
        typer.echo(program.news.popleft())
    sys.stdout.flush()


def _run_on_screen(program: "TransferProgram", interval: float) -> None:
    from rich.console import Console
    from rich.live import Live

    from overtrick.host.bmpftp import keys, run

    console = Console()
    with (
        keys() as key,
        Live(console=console, auto_refresh=False, screen=True, vertical_overflow="crop") as live,
    ):
        run(
            program,
            interval,
            key=key,
            redraw=lambda: live.update(screen(program, console.height), refresh=True),
        )
    for line in list(program.news)[-3:]:
        typer.echo(line)


def screen(program: "TransferProgram", height: int) -> "Group":
    """Return the screen: results, the last write, what the program is waiting for, tables, news and keys."""
    from rich.columns import Columns
    from rich.console import Group
    from rich.rule import Rule
    from rich.text import Text

    progress = program.progress
    tables = [
        Text.assemble(
            (f"{table.name:>4} ", "bold"),
            ("●" if table.is_on else "○", "green" if table.is_on else "dim"),
            f" round {table.round:<2} ",
            (f"{table.results:>3}/{table.boards:<3}", "green" if table.results >= table.boards else "cyan"),
            (f" ↻{table.instruction}" if table.instruction else "", "yellow"),
        )
        for table in progress.tables
    ]
    lines = [
        Text.assemble(("Results in:   ", "bold"), f"{progress.results} of {progress.boards}"),
        Text.assemble(("Undelivered:  ", "bold"), f"{progress.undelivered}"),
        Text.assemble(("Last write:   ", "bold"), program.last_write or "none yet"),
        Text.assemble(("Waiting for:  ", "bold"), (program.waiting, "yellow")),
    ]
    news = list(program.news)[-max(3, height - len(lines) - 12) :]
    return Group(
        Rule(f"BMPFTP  {program.transfer.folder.path}"),
        *lines,
        Rule("tables", style="dim"),
        Columns(tables, padding=(0, 2)) if tables else Text("none yet", style="dim"),
        Rule("news", style="dim"),
        *(Text(line, overflow="fold") for line in news[-8:]),
        Rule(style="dim"),
        Text("r Read All Results   n Read Player Numbers   u Update Movement   q quit", style="bold"),
    )
