"""`overtrick journal`: list, check, copy and convert the journal, a file or a PostgreSQL database."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overtrick.cli.options import AsList, ListFormat
from overtrick.cli.tables import print_lines, show

if TYPE_CHECKING:
    from overtrick.store import Journal

app = typer.Typer(
    name="journal",
    help="Inspect, copy, back up and restore the journal that holds everything.",
    no_args_is_help=True,
    add_completion=False,
)

JournalArgument = Annotated[
    str,
    typer.Argument(
        metavar="JOURNAL",
        envvar="OVERTRICK_JOURNAL",
        help="A journal file, its folder, or an address that begins with postgresql:",
    ),
]


def _open(address: str, *, create: bool = False) -> "Journal":
    from overtrick.host.lookup import open_named_journal

    return open_named_journal(address, create=create)


MOST = 50
"""Sessions that are listed without --most."""


@app.command("list")
def list_sessions(
    journal: JournalArgument,
    find: Annotated[str, typer.Option(help="Only sessions with this text in their name, date or guid.")] = "",
    most: Annotated[
        int | None,
        typer.Option(min=1, help=f"List at most this many; by default {MOST}, or all for programs."),
    ] = None,
    format_: AsList = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """List the sessions of a journal and their numbers of facts, last changed first."""
    from overtrick.store.sessions import SessionList

    with _open(journal) as store:
        matches = SessionList(store).lines(find, every=True)
    form: ListFormat = "json" if as_json else format_
    listed = matches[: most or (MOST if form == "table" else None)]
    lines = [
        {
            "session": line.session,
            "incarnation": line.incarnation,
            "name": line.name,
            "date": line.day.isoformat(),
            "status": line.stage.value,
            "facts": line.facts,
            "changed": line.changed.isoformat(timespec="seconds"),
        }
        for line in listed
    ]
    if form != "table":
        print_lines(lines, form)
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table("Date", "Name", "Status", "Facts", "Start", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("Session", no_wrap=True)
    for line in lines:
        table.add_row(
            *(str(line[key]) for key in ("date", "name", "status", "facts", "incarnation", "session")),
        )
    show(table)
    if len(matches) > len(listed):
        typer.echo(f"{len(matches) - len(listed)} more. Use --most to see them, or --find to search.")


@app.command()
def check(journal: JournalArgument) -> None:
    """Check a journal: read everything in it and report damage."""
    with _open(journal) as opened:
        opened.check()
        facts = sum(opened.heads().values())
    typer.echo(f"{opened.name} is intact: {facts} facts.")


@app.command()
def backup(
    journal: JournalArgument, copy: Annotated[Path, typer.Argument(help="The new file; it must not exist.")]
) -> None:
    """Copy a journal file to a new one. The journal may be in use meanwhile."""
    with _open(journal) as opened:
        opened.backup(copy)
    typer.echo(f"{copy} is a copy of {opened.name}.")


@app.command()
def restore(
    copy: Annotated[Path, typer.Argument(help="A copy made by `overtrick journal backup`.")],
    journal: Annotated[Path, typer.Argument(help="The journal to create; it must not exist.")],
) -> None:
    """Restore a journal from a copy, which is checked first."""
    from overtrick.errors import BadInput
    from overtrick.store.address import is_address, without_password
    from overtrick.store.sqlite import restore_journal

    for path in (copy, journal):
        if is_address(path):
            raise BadInput("Only files can be restored, not addresses.", where=without_password(str(path)))
    restore_journal(copy, journal)
    typer.echo(f"{journal} is restored from {copy}.")


@app.command("export")
def export_lines(
    journal: JournalArgument,
    file: Annotated[Path, typer.Argument(help="The new file of JSON lines; it must not exist.")],
) -> None:
    """Write a journal as lines of JSON, to keep or to move to another database."""
    from overtrick.errors import BadInput
    from overtrick.files import replacing
    from overtrick.store.portable import export_journal

    try:
        with (
            _open(journal) as opened,
            replacing(file, new=True) as unfinished,
            unfinished.open("w", encoding="utf-8", newline="\n") as target,
        ):
            count = export_journal(opened, target)
    except FileExistsError:
        raise BadInput("The file exists already. It was not changed.", where=str(file)) from None
    except OSError as error:
        raise BadInput(f"The file cannot be written: {error.strerror}.", where=str(file)) from None
    typer.echo(f"{file} has {count} facts.")


@app.command("import")
def import_lines(
    file: Annotated[Path, typer.Argument(help="A file made by `overtrick journal export`.")],
    journal: JournalArgument,
) -> None:
    """Import lines of JSON into an empty journal, all or nothing."""
    from overtrick.errors import BadInput
    from overtrick.store.portable import import_journal

    try:
        lines = file.open(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"The file cannot be read: {error.strerror}.", where=str(file)) from None
    with lines, _open(journal, create=True) as opened:
        count = import_journal(opened, lines)
    typer.echo(f"{opened.name} has {count} facts.")
