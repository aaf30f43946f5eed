"""`overtrick magic`: exchange of files with a federation's office, and the registry of its players."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overtrick.cli.options import AsList, Journal
from overtrick.cli.tables import print_lines
from overtrick.words import counted

if TYPE_CHECKING:
    from overtrick.magic.files import Encoding
    from overtrick.magic.import_ import ImportResult
    from overtrick.magic.rows import FileKind

app = typer.Typer(
    name="magic",
    help="Exchange files with a federation's office.",
    no_args_is_help=True,
    add_completion=False,
)

RegistryPlace = Annotated[
    str | None,
    typer.Option(
        "--registry",
        "-r",
        envvar="OVERTRICK_REGISTRY",
        help="Registry of players: a file or a PostgreSQL address. If not given, the registry in the database of the "
        "journal.",
    ),
]
EncodingOption = Annotated[str, typer.Option("--encoding", help="utf-8 or windows-1252.")]
Event = Annotated[str, typer.Argument(metavar="EVENT", help="The team event's name, number or guid.")]


def _registry_beside(journal: str) -> str | None:
    """Return the journal's address if its database has a registry; None if not, or if the journal is a file."""
    from overtrick.registry import has_registry
    from overtrick.store.address import is_address

    return journal if is_address(journal) and has_registry(journal) else None


def _one_registry(registry: str | None) -> str:
    """Return the registry that a command is about; raise BadInput if there is none."""
    import os

    from overtrick.errors import BadInput
    from overtrick.store.address import is_address

    journal = os.environ.get("OVERTRICK_JOURNAL", "")
    address = registry or (journal if is_address(journal) else None)
    if address is None:
        raise BadInput("Name the registry of players with --registry.")
    return address


def _encoding(name: str) -> "Encoding":
    from overtrick.errors import BadInput
    from overtrick.magic.files import Encoding

    for encoding in Encoding:
        if name.lower() in (encoding.value, encoding.for_writing):
            return encoding
    raise BadInput(f"The encoding is utf-8 or windows-1252, not {name!r}.")


def _kind(name: str) -> "FileKind":
    from overtrick.errors import BadInput
    from overtrick.magic.rows import FileKind

    for kind in FileKind:
        if kind.value.lower() == name.lower():
            return kind
    raise BadInput(
        f"There is no kind of file {name!r}. Choose from {', '.join(kind.value for kind in FileKind)}."
    )


@app.command("export")
def export_files(
    file: Annotated[
        list[str],
        typer.Option(
            "--file",
            help="Kind of file: 2A, 2A-a, 2A-b, 2A-c, 2B, 2C, 2D, 2E, 3A, 3B, 3C or 3D. May be repeated.",
        ),
    ],
    out: Annotated[Path, typer.Option("--output", "-o", "--out", help="Folder to write the files to.")],
    event: Annotated[
        str | None,
        typer.Argument(
            metavar="[EVENT]", help="Name, number or guid of the team event; not needed for 3A to 3D."
        ),
    ] = None,
    journal: Journal = "",
    registry: RegistryPlace = None,
    year: Annotated[int | None, typer.Option(help="Year of 3B and 3D; this year if not given.")] = None,
    encoding: EncodingOption = "utf-8",
) -> None:
    """Export files for the office. A file whose content has not changed is not written again."""
    from datetime import date

    from overtrick.errors import BadInput
    from overtrick.host.magic import export_event, export_registry
    from overtrick.host.runtime import open_runtime
    from overtrick.magic.people import KINDS
    from overtrick.registry import open_registry

    file_encoding = _encoding(encoding)
    kinds = [_kind(name) for name in file]
    files = []
    if about_people := [kind for kind in kinds if kind in KINDS]:
        registry = registry or _registry_beside(journal)
        if registry is None:
            raise BadInput(f"{about_people[0].value} is about players. Add --registry.")
        with open_registry(registry) as opened:
            for kind in about_people:
                files.append(export_registry(opened, kind, year or date.today().year, out, file_encoding))
    if about_teams := [kind for kind in kinds if kind not in KINDS]:
        if event is None or not journal:
            raise BadInput(f"{about_teams[0].value} is about teams. Add the EVENT and its --journal.")
        with open_runtime(journal, create=False) as runtime:
            for kind in about_teams:
                exported = export_event(runtime, event, [kind], out, file_encoding)
                if not exported:
                    typer.echo(f"{kind.value}: nothing to write yet")
                files += exported
    for result in files:
        typer.echo(f"{result.path}: {'written' if result.is_changed else 'unchanged'}")


@app.command("import")
def import_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files of the office, in any order.")],
    journal: Journal = "",
    registry: RegistryPlace = None,
    event: Annotated[str | None, typer.Option(help="Import into this team event only.")] = None,
    encoding: EncodingOption = "utf-8",
    partial: Annotated[
        bool, typer.Option("--partial", help="Import the valid rows and write the others to a file.")
    ] = False,
    rejects: Annotated[
        Path | None, typer.Option(help="File for the rejected rows; only with one file to import.")
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(help="Number of a line whose values replace ours, or `all`. May be repeated."),
    ] = None,
    apart: Annotated[
        list[int] | None,
        typer.Option(help="Number of a line about a different person with the same name. May be repeated."),
    ] = None,
) -> None:
    """Import files of the office, each completely or not at all. Values that differ from ours are listed."""
    from contextlib import ExitStack

    from overtrick.digits import parse_digits
    from overtrick.errors import BadInput
    from overtrick.host.magic import import_file, in_import_order
    from overtrick.host.runtime import open_runtime
    from overtrick.registry import Decisions, open_registry
    from overtrick.words import shortened

    if (accept or apart or rejects) and len(files) > 1:
        raise BadInput("--accept, --apart and --rejects need a single file.")
    lines: set[int] = set()
    for line in accept or ():
        number = parse_digits(line)
        if line != "all" and number is None:
            raise BadInput(f"{shortened(line)} is not a line number.")
        lines |= set() if number is None else {number}
    decisions = Decisions(frozenset(lines), frozenset(apart or ()), "all" in (accept or ()))
    file_encoding = _encoding(encoding)
    with ExitStack() as stack:
        ordered = in_import_order(files, file_encoding)
        registry = registry or _registry_beside(journal)
        opened = stack.enter_context(open_registry(registry)) if registry else None
        runtime = stack.enter_context(open_runtime(journal)) if journal else None
        for path in ordered:
            result = import_file(
                runtime,
                opened,
                path,
                encoding=file_encoding,
                only=event,
                decisions=decisions,
                partial=partial,
                rejects=rejects,
            )
            _print_result(path, result)


def _print_result(path: Path, result: "ImportResult") -> None:
    rows = counted(result.rows, "row")
    effect = "imported" if result.commands or result.changed else "nothing new"
    typer.echo(f"{path} is {result.kind.value}, {rows}: {effect}.")
    for note in result.notes:
        typer.echo(f"  {note}")
    if result.conflicts:
        typer.echo(
            f"  {counted(len(result.conflicts), 'conflict')}. Ours are kept. --accept LINE uses those of the file:"
        )
    for conflict in result.conflicts:
        typer.echo(f"  {conflict}")
    if result.problems:
        typer.echo(f"  {counted(len({problem.line for problem in result.problems}), 'row')} not imported:")
    for problem in result.problems:
        typer.echo(f"  {problem}")


@app.command()
def watch(
    event: Event,
    out: Annotated[Path, typer.Option("--output", "-o", "--out", help="Folder to write files to.")],
    journal: Journal,
    incoming: Annotated[
        Path | None, typer.Option("--in", help="Folder from which new files are imported.")
    ] = None,
    registry: RegistryPlace = None,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two checks.")] = 2.0,
    looks: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many checks; never if not given.")
    ] = None,
    encoding: EncodingOption = "utf-8",
) -> None:
    """Export 2A, 2B, 2C, 2D and 2E whenever they change, and import new files from a folder."""
    from contextlib import ExitStack

    from overtrick.host import magic
    from overtrick.host.runtime import open_runtime
    from overtrick.registry import open_registry

    with ExitStack() as stack:
        runtime = stack.enter_context(open_runtime(journal, create=False))
        registry = registry or _registry_beside(journal)
        opened = stack.enter_context(open_registry(registry)) if registry else None
        messages = magic.watch(
            runtime, opened, event, out, incoming, every=every, encoding=_encoding(encoding), rounds=looks
        )
        try:
            for message in messages:
                typer.echo(message)
        except KeyboardInterrupt:
            typer.echo("Stopped.")


@app.command("map")
def map_tournament(
    event: Event,
    journal: Journal,
    tournament: Annotated[
        str | None, typer.Argument(help="The office's name, as in the column eventname of 2A-c.")
    ] = None,
    division: Annotated[
        str | None, typer.Argument(help="The division; created if it does not exist.")
    ] = None,
    format_: AsList = "table",
) -> None:
    """Show which division each tournament of the office is, or set it for one."""
    from overtrick.event.teams import Division, DivisionSet, TournamentMapped
    from overtrick.host.lookup import open_team_event

    with open_team_event(journal, event) as opened:
        team_event = opened.event
        mapped = [
            (name, team_event.divisions[id].name) for name, id in sorted(team_event.tournaments.items())
        ]
        if tournament is not None and division is not None:
            existing = next(
                (other for other in team_event.divisions.values() if division in (other.name, str(other.id))),
                None,
            )
            target = existing or Division(max(team_event.divisions, default=0) + 1, division)
            mapped = [(tournament, target.name)]
            opened.put(DivisionSet(target), TournamentMapped(tournament, target.id))
    lines = [
        {"tournament": name, "division": division_name}
        for name, division_name in mapped
        if tournament in (None, name)
    ]
    if format_ != "table":
        print_lines(lines, format_)
        return
    for line in lines:
        typer.echo(f"{line['tournament']}\t{line['division']}")


@app.command("registry")
def make_registry(
    registry: RegistryPlace = None,
    side: Annotated[
        str, typer.Option(help="The side that assigns keys to new players here: magic or office.")
    ] = "magic",
) -> None:
    """Create a registry of players, or count the players of an existing one."""
    from overtrick.errors import BadInput
    from overtrick.registry import People, RegistrySide, open_registry

    if side not in (registry_side.value for registry_side in RegistrySide):
        raise BadInput(f"The side is magic or office, not {side!r}.")
    with open_registry(_one_registry(registry), create=RegistrySide(side)) as opened:
        players = sum(1 for _ in People(opened).every())
        typer.echo(
            f"{opened.path} is the registry of {opened.side.value}, with {counted(players, 'player')}."
        )


@app.command()
def award(
    player: Annotated[int, typer.Argument(help="Key of the player in the registry.")],
    year: int,
    event: Annotated[str, typer.Argument(help="Name of the event.")],
    registry: RegistryPlace = None,
    emp: int = 0,
    rp: int = 0,
    smp: int = 0,
    division: Annotated[str, typer.Option("--division", "--serie")] = "",
    rank: int | None = None,
) -> None:
    """Enter an award of master points in the ledger."""
    from overtrick.errors import BadInput
    from overtrick.registry import Ledger, MasterPointAward, open_registry

    new_award = MasterPointAward(
        None, player, None, "", year, None, None, event, division, rank, emp, rp, smp
    )
    with open_registry(_one_registry(registry)) as opened:
        outcome = Ledger(opened).import_awards([(1, new_award)])
    if outcome.refusals:
        raise BadInput(outcome.refusals[0].sentence)
    typer.echo("Recorded.")


@app.command()
def title(
    player: Annotated[int, typer.Argument(help="Key of the player in the registry.")],
    year: int,
    level: Annotated[int, typer.Argument(min=0, max=3, help="1 Master, 2 LifeMaster, 3 GrandMaster.")],
    registry: RegistryPlace = None,
) -> None:
    """Record that a player holds a title from a year on."""
    from overtrick.errors import BadInput
    from overtrick.registry import Ledger, Title, open_registry

    with open_registry(_one_registry(registry)) as opened:
        if not Ledger(opened).set_title(player, year, Title(level)):
            raise BadInput(f"There is no player {player}.")
    typer.echo("Recorded.")


@app.command()
def country(
    player: Annotated[int, typer.Argument(help="Key of the player in the registry.")],
    year: int,
    code: Annotated[str, typer.Argument(help="IOC code of the country.")],
    registry: RegistryPlace = None,
) -> None:
    """Record the country of a player from a year on."""
    from overtrick.errors import BadInput
    from overtrick.registry import People, open_registry

    with open_registry(_one_registry(registry)) as opened:
        if not People(opened).set_country(player, year, code):
            raise BadInput(f"There is no player {player}.")
    typer.echo("Recorded.")


@app.command()
def limit(
    kind: Annotated[str, typer.Argument(help="junior (at most this age) or senior (at least this age).")],
    year: Annotated[int, typer.Argument(help="First year of the new limit.")],
    age: int,
    registry: RegistryPlace = None,
) -> None:
    """Set the age limit for juniors or seniors from a year on."""
    from overtrick.registry import Ledger, open_registry

    with open_registry(_one_registry(registry)) as opened:
        Ledger(opened).set_limit(kind, year, age)
    typer.echo("Recorded.")
