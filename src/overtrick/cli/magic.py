"""`overtrick magic`: exchange of files with a federation's office, and the registry of its players."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overtrick.cli.options import Journal
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
        help="The registry of players: a file, or an address that begins with postgresql: Without it, the one beside a "
        "journal that has an address.",
    ),
]
Characters = Annotated[str, typer.Option("--encoding", help="utf-8 or windows-1252.")]
Event = Annotated[str, typer.Argument(metavar="EVENT", help="The team event's name, number or guid.")]


def _registry_beside(journal: str) -> str | None:
    """Return the journal's address if there is a registry beside it; None where the journal is a file."""
    from overtrick.registry import has_registry
    from overtrick.store.address import is_address

    return journal if is_address(journal) and has_registry(journal) else None


def _one_registry(registry: str | None) -> str:
    """Return the place of the registry that a command is about."""
    import os

    from overtrick.errors import BadInput
    from overtrick.store.address import is_address

    journal = os.environ.get("OVERTRICK_JOURNAL", "")
    found = registry or (journal if is_address(journal) else None)
    if found is None:
        raise BadInput("Name the --registry of players.")
    return found


def _encoding(name: str) -> "Encoding":
    from overtrick.errors import BadInput
    from overtrick.magic.files import Encoding

    for encoding in Encoding:
        if name.lower() in (encoding.value, encoding.for_writing):
            return encoding
    raise BadInput(f"Files are written in utf-8 or windows-1252, not {name!r}.")


def _kind(name: str) -> "FileKind":
    from overtrick.errors import BadInput
    from overtrick.magic.rows import FileKind

    for kind in FileKind:
        if kind.value.lower() == name.lower():
            return kind
    raise BadInput(f"There is no file {name!r}. There are: {', '.join(kind.value for kind in FileKind)}.")


@app.command("export")
def export_files(
    file: Annotated[
        list[str], typer.Option("--file", help="2A, 2A-a, 2A-b, 2A-c, 2B … 3D; once for each kind.")
    ],
    out: Annotated[Path, typer.Option(help="The folder that the files go into.")],
    event: Annotated[
        str | None, typer.Argument(metavar="[EVENT]", help="The team event; not for 3A to 3D.")
    ] = None,
    journal: Journal = "",
    registry: RegistryPlace = None,
    year: Annotated[int | None, typer.Option(help="The year of 3B and 3D; without it, this year.")] = None,
    encoding: Characters = "utf-8",
) -> None:
    """Export files for the office; a file with the same content is not written again."""
    from datetime import date

    from overtrick.errors import BadInput
    from overtrick.host.magic import export_event, export_registry
    from overtrick.host.runtime import open_runtime
    from overtrick.magic.people import KINDS
    from overtrick.registry import open_registry

    written = _encoding(encoding)
    kinds = [_kind(name) for name in file]
    given = []
    if about_people := [kind for kind in kinds if kind in KINDS]:
        registry = registry or _registry_beside(journal)
        if registry is None:
            raise BadInput(f"{about_people[0].value} is about players. Name the --registry.")
        with open_registry(registry) as opened:
            for kind in about_people:
                given.append(export_registry(opened, kind, year or date.today().year, out, written))
    if about_teams := [kind for kind in kinds if kind not in KINDS]:
        if event is None or not journal:
            raise BadInput(f"{about_teams[0].value} is about teams. Name the EVENT and its --journal.")
        with open_runtime(journal, create=False) as runtime:
            for kind in about_teams:
                found = export_event(runtime, event, [kind], out, written)
                if not found:
                    typer.echo(f"{kind.value}: there is nothing to write yet")
                given += found
    for one in given:
        typer.echo(f"{one.path}: {'written' if one.is_changed else 'unchanged'}")


@app.command("import")
def import_files(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Files of the exchange, in any order.")
    ],
    journal: Journal = "",
    registry: RegistryPlace = None,
    event: Annotated[str | None, typer.Option(help="Look only at this team event.")] = None,
    encoding: Characters = "utf-8",
    partial: Annotated[
        bool, typer.Option("--partial", help="Import the good rows; write the others to a file.")
    ] = False,
    rejects: Annotated[
        Path | None, typer.Option(help="The file for rejected rows, if one file is imported.")
    ] = None,
    accept: Annotated[
        list[str] | None, typer.Option(help="A line of which the file's values are accepted, or `all`.")
    ] = None,
    apart: Annotated[
        list[int] | None, typer.Option(help="A line about another person of the same name.")
    ] = None,
) -> None:
    """Import files of the office, each all or nothing. Differences between both sides are listed."""
    from contextlib import ExitStack

    from overtrick.digits import parse_digits
    from overtrick.errors import BadInput
    from overtrick.host.magic import import_file, in_order
    from overtrick.host.runtime import open_runtime
    from overtrick.registry import Decisions, open_registry
    from overtrick.words import shortened

    if (accept or apart or rejects) and len(files) > 1:
        raise BadInput("--accept, --apart and --rejects are about the lines of one file.")
    lines: set[int] = set()
    for line in accept or ():
        number = parse_digits(line)
        if line != "all" and number is None:
            raise BadInput(f"{shortened(line)} is not the number of a line.")
        lines |= set() if number is None else {number}
    decisions = Decisions(frozenset(lines), frozenset(apart or ()), "all" in (accept or ()))
    read = _encoding(encoding)
    with ExitStack() as stack:
        ordered = in_order(files, read)
        registry = registry or _registry_beside(journal)
        opened = stack.enter_context(open_registry(registry)) if registry else None
        runtime = stack.enter_context(open_runtime(journal)) if journal else None
        for path in ordered:
            taken = import_file(
                runtime,
                opened,
                path,
                encoding=read,
                only=event,
                decisions=decisions,
                partial=partial,
                rejects=rejects,
            )
            _say(path, taken)


def _say(path: Path, taken: "ImportResult") -> None:
    rows = counted(taken.rows, "row")
    done = "imported" if taken.commands or taken.changed else "read, and nothing is new"
    typer.echo(f"{path} is {taken.kind.value}, {rows}: {done}.")
    for note in taken.notes:
        typer.echo(f"  {note}")
    if taken.conflicts:
        typer.echo(f"  {len(taken.conflicts)} conflicts. Our values stay; --accept LINE accepts the file's:")
    for conflict in taken.conflicts:
        typer.echo(f"  {conflict}")
    if taken.problems:
        typer.echo(f"  {len({problem.line for problem in taken.problems})} rows were left out:")
    for problem in taken.problems:
        typer.echo(f"  {problem}")


@app.command()
def watch(
    event: Event,
    out: Annotated[Path, typer.Option(help="The folder that files are written into.")],
    journal: Journal,
    incoming: Annotated[
        Path | None, typer.Option("--in", help="A folder whose files are imported as they arrive.")
    ] = None,
    registry: RegistryPlace = None,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two passes.")] = 2.0,
    looks: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many passes; without it, never.")
    ] = None,
    encoding: Characters = "utf-8",
) -> None:
    """Export 2A, 2B, 2C, 2D and 2E whenever they change, and import files that arrive in a folder."""
    from contextlib import ExitStack

    from overtrick.host import magic
    from overtrick.host.runtime import open_runtime
    from overtrick.registry import open_registry

    with ExitStack() as stack:
        runtime = stack.enter_context(open_runtime(journal, create=False))
        registry = registry or _registry_beside(journal)
        opened = stack.enter_context(open_registry(registry)) if registry else None
        happenings = magic.watch(
            runtime, opened, event, out, incoming, every=every, encoding=_encoding(encoding), rounds=looks
        )
        try:
            for words in happenings:
                typer.echo(words)
        except KeyboardInterrupt:
            typer.echo("Stopped.")


@app.command("map")
def map_tournament(
    event: Event,
    journal: Journal,
    tournament: Annotated[str | None, typer.Argument(help="What the office calls it, as in 2A-c.")] = None,
    serie: Annotated[str | None, typer.Argument(help="The serie; created if it does not exist.")] = None,
) -> None:
    """Show which serie each tournament of the office is, or set it for one."""
    from overtrick.event.teams import Serie, SerieSet, TournamentMapped
    from overtrick.host.lookup import open_team_event

    with open_team_event(journal, event) as opened:
        found = opened.event
        mapped = [(name, found.series[id].name) for name, id in sorted(found.tournaments.items())]
        if tournament is not None and serie is not None:
            known = next((one for one in found.series.values() if serie in (one.name, str(one.id))), None)
            of = known or Serie(max(found.series, default=0) + 1, serie)
            mapped = [(tournament, of.name)]
            opened.put(SerieSet(of), TournamentMapped(tournament, of.id))
    for name, to in mapped:
        if tournament in (None, name):
            typer.echo(f"{name}\t{to}")


@app.command("registry")
def make_registry(
    registry: RegistryPlace = None,
    side: Annotated[
        str, typer.Option(help="magic or office: who gives new players their key here.")
    ] = "magic",
) -> None:
    """Create a registry of players, or count what is in one."""
    from overtrick.errors import BadInput
    from overtrick.registry import People, RegistrySide, open_registry

    if side not in (one.value for one in RegistrySide):
        raise BadInput(f"A registry is magic's or the office's, not {side!r}.")
    with open_registry(_one_registry(registry), create=RegistrySide(side)) as opened:
        players = sum(1 for _ in People(opened).every())
        typer.echo(f"{opened.path} is the registry of {opened.side.value}, with {players} players.")


@app.command()
def award(
    player: Annotated[int, typer.Argument(help="The player's id.")],
    year: int,
    event: Annotated[str, typer.Argument(help="What it was won in.")],
    registry: RegistryPlace = None,
    emp: int = 0,
    rp: int = 0,
    smp: int = 0,
    serie: str = "",
    rank: int | None = None,
) -> None:
    """Enter an award of master points in the ledger."""
    from overtrick.errors import BadInput
    from overtrick.registry import Award, Ledger, open_registry

    won = Award(None, player, None, "", year, None, None, event, serie, rank, emp, rp, smp)
    with open_registry(_one_registry(registry)) as opened:
        joined = Ledger(opened).take_awards([(1, won)])
    if joined.refusals:
        raise BadInput(joined.refusals[0].sentence)
    typer.echo("Recorded.")


@app.command()
def title(
    player: Annotated[int, typer.Argument(help="The player's id.")],
    year: int,
    level: Annotated[int, typer.Argument(min=0, max=3, help="1 Master, 2 LifeMaster, 3 GrandMaster.")],
    registry: RegistryPlace = None,
) -> None:
    """Record that a player holds a title from a year on."""
    from overtrick.errors import BadInput
    from overtrick.registry import Ledger, Title, open_registry

    with open_registry(_one_registry(registry)) as opened:
        if not Ledger(opened).entitle(player, year, Title(level)):
            raise BadInput(f"There is no player {player}.")
    typer.echo("Recorded.")


@app.command()
def country(
    player: Annotated[int, typer.Argument(help="The player's id.")],
    year: int,
    code: Annotated[str, typer.Argument(help="The IOC code.")],
    registry: RegistryPlace = None,
) -> None:
    """Record the country of a player from a year on."""
    from overtrick.errors import BadInput
    from overtrick.registry import People, open_registry

    with open_registry(_one_registry(registry)) as opened:
        if not People(opened).move(player, year, code):
            raise BadInput(f"There is no player {player}.")
    typer.echo("Recorded.")


@app.command()
def limit(
    kind: Annotated[str, typer.Argument(help="junior (not older) or senior (not younger).")],
    year: Annotated[int, typer.Argument(help="From this year on.")],
    age: int,
    registry: RegistryPlace = None,
) -> None:
    """Set the age that makes a junior or a senior from a year on."""
    from overtrick.registry import Ledger, open_registry

    with open_registry(_one_registry(registry)) as opened:
        Ledger(opened).set_limit(kind, year, age)
    typer.echo("Recorded.")
