"""`overtrick bws`: create, inspect, check, export, fill and watch Bridgemate session files."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from overtrick.cli.options import AsList, takes_options
from overtrick.cli.tables import print_csv, print_list
from overtrick.words import counted

if TYPE_CHECKING:
    from overtrick.event import OpenEvent
    from overtrick.movements import Movement

app = typer.Typer(
    name="bws",
    help="Create, read, check and watch Bridgemate session files (.bws).",
    no_args_is_help=True,
    add_completion=False,
)


Movements = Literal["mitchell", "howell", "individual", "round-robin"]
"""The movements that can be chosen."""

ExportFormat = Literal["table", "csv", "json", "pbn"]
"""The output formats of an export."""

ExportedList = Literal["results", "rounds", "players", "hands"]
"""The lists that can be exported."""

Units = Literal["Pro", "II", "III"]
"""The generations of table units whose limits `check` knows."""

FileArgument = Annotated[Path, typer.Argument(help="A session file (.bws).", show_default=False)]


@dataclass(frozen=True, slots=True)
class MovementOptions:
    """The options of the movement, which is the same in each section."""

    tables: Annotated[int, typer.Option(min=1, help="Number of tables in each section.", show_default=False)]
    boards_per_round: Annotated[int, typer.Option(min=1, help="Number of boards in each round.")]
    movement: Annotated[Movements, typer.Option(help="The movement.")] = "mitchell"
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Number of rounds; by default all rounds of the movement.")
    ] = None

    def choose(self) -> Movement:
        """Return the movement with these numbers of tables, boards and rounds."""
        from overtrick.bws.session_plan import choose_movement

        return choose_movement(self.movement, self.tables, self.boards_per_round, self.rounds)


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The session: its sections, scoring, players and deals."""

    sections: Annotated[str, typer.Option(help="The letters of the sections, such as A,B.")] = "A"
    together: Annotated[bool, typer.Option("--together", help="Score all sections as one field.")] = False
    method: Annotated[str, typer.Option(help="The scoring method, such as matchpoints or imps.")] = (
        "matchpoints"
    )
    players: Annotated[
        Path | None, typer.Option(help="Players to load: lines of firstname;lastname;playernumber.")
    ] = None
    deals: Annotated[Path | None, typer.Option(help="A PBN, LIN or DUP file with the deals.")] = None
    name: Annotated[str, typer.Option(help="Name of the session; by default that of the file.")] = ""

    def plan(self, movement: Movement, name: str) -> OpenEvent:
        """Return the event to write to a file; `name` is used if the options have none."""
        from datetime import date

        from overtrick.bws.players import read_players_csv
        from overtrick.bws.session_plan import plan_evening, read_deals
        from overtrick.errors import BadInput
        from overtrick.guid import new_guid
        from overtrick.scoring import Method

        try:
            method = Method(self.method)
        except ValueError:
            names = ", ".join(scoring_method.value for scoring_method in Method)
            raise BadInput(f"There is no scoring method {self.method!r}. Choose from {names}.") from None
        return plan_evening(
            movement,
            guid=new_guid(),
            name=self.name or name,
            day=date.today(),
            sections=tuple(letters.strip().upper() for letters in self.sections.split(",")),
            together=self.together,
            method=method,
            players=read_players_csv(self.players) if self.players else (),
            deals=read_deals(self.deals) if self.deals else {},
        )


@app.command()
@takes_options
def create(
    out: Annotated[Path, typer.Argument(help="The file to create; it must not exist.", show_default=False)],
    movement: MovementOptions,
    session: SessionOptions,
    computer: Annotated[
        str, typer.Option(help="Computer that handles the tables; by default this one.")
    ] = "",
) -> None:
    """Make a session file for a movement, ready for the control software."""
    import platform

    from overtrick.bws.scoring_side import create as create_bws

    plan = movement.choose()
    content = create_bws(out, session.plan(plan, out.stem), computer=computer or platform.node())
    for sentence in content.unwritten:
        typer.echo(f"Note: {sentence}", err=True)
    count = len(content.rows["Tables"])
    typer.echo(
        f"{out}: {plan.name}, {count} tables, {plan.rounds} rounds, boards {plan.boards[0]} to "
        f"{plan.boards[-1]}."
    )


@app.command()
def info(
    file: FileArgument,
    format_: AsList = "table",
) -> None:
    """Show a summary of a file: its sessions, sections and figures."""
    from overtrick.bws.contents import open_contents
    from overtrick.bws.summary import summary

    figures = summary(open_contents(file))
    if format_ != "table":
        print_list([figures] if format_ == "json" else _figures(figures), format_)
        return
    for session in figures["sessions"]:
        parts = [session["name"] or figures["name"], session["date"], session["status"]]
        if session["every_board_has_a_result"]:
            parts.append("every board has a result")
        typer.echo(
            f"Session {', '.join(part for part in parts if part)}: sections {', '.join(session['sections'])}"
        )
    for section in figures["sections"]:
        typer.echo(
            f"Section {section['section']}: {section['tables']} tables, {section['rounds']} rounds, "
            f"{section['contestants']} contestants, {('one winner', 'two winners')[section['winners'] - 1]}, "
            f"{section['results']} results"
        )
    for line in _figures(figures):
        if line["what"] not in ("sections", "sessions", "name"):
            typer.echo(f"{line['what'].replace('_', ' ')}: {line['figure']}")


def _figures(figures: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"what": name, "figure": ", ".join(str(part) for part in value) if isinstance(value, list) else value}
        for name, value in figures.items()
        if value != [] and name not in ("sections", "sessions")
    ]


@app.command()
def check(
    file: FileArgument,
    units: Annotated[Units, typer.Option(help="Check the limits of these table units.")] = "III",
    format_: AsList = "table",
) -> None:
    """List every violation of the developer's guide with table, row and rule; exit with 1 if there is one."""
    from overtrick.bws.check import check as check_contents
    from overtrick.bws.contents import open_contents
    from overtrick.event.setup import Generation

    violations = check_contents(open_contents(file), Generation(units))
    if format_ == "table":
        for violation in violations:
            typer.echo(f"{'Warning: ' if violation.is_warning else ''}{violation}")
    else:
        print_list(
            [
                {
                    "table": violation.table,
                    "row": violation.row,
                    "rule": violation.rule,
                    "level": "warning" if violation.is_warning else "violation",
                }
                for violation in violations
            ],
            format_,
        )
    count = sum(not violation.is_warning for violation in violations)
    typer.echo(f"{counted(count, 'violation')}, {counted(len(violations) - count, 'warning')}", err=True)
    if count:
        raise typer.Exit(1)


@app.command()
def export(
    file: FileArgument,
    what: Annotated[ExportedList, typer.Option(help="List to export.")] = "results",
    format_: Annotated[
        ExportFormat, typer.Option("--format", "-f", help="Output format; pbn is for hands only.")
    ] = "table",
    erased: Annotated[bool, typer.Option("--erased", help="Include erased results.")] = False,
) -> None:
    """Write the results, rounds, players or hands of a file."""
    from datetime import date

    from overtrick.bws import listings
    from overtrick.bws.contents import open_contents
    from overtrick.errors import BadInput

    contents = open_contents(file)
    if format_ == "pbn":
        if what != "hands":
            raise BadInput(
                "Only hands can be exported as PBN. For results, use `overtrick score --format pbn`."
            )
        sys.stdout.buffer.write(listings.hands_pbn(contents))
        return
    lines = {
        "results": lambda: listings.results(contents, date.today(), with_erased=erased),
        "rounds": lambda: listings.rounds(contents),
        "players": lambda: listings.players(contents),
        "hands": lambda: listings.hands(contents),
    }[what]()
    if not lines:
        sentence = "Nobody is seated yet" if what == "players" else f"There are no {what} yet"
        typer.echo(f"{file}: {sentence}.", err=True)
    print_list(lines, format_)


@app.command("import")
def import_(
    file: FileArgument,
    players: Annotated[
        Path | None, typer.Option(help="Names to load: lines of firstname;lastname;playernumber.")
    ] = None,
    lookup: Annotated[Path | None, typer.Option(help="Names to load from a BMPlayerDB.mdb.")] = None,
    deals: Annotated[
        Path | None, typer.Option(help="Hand records to import, from a PBN, LIN or DUP file.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Results to import, as `export --format csv` writes them.")
    ] = None,
) -> None:
    """Import names, hand records or results into a file, and announce them to the control software."""
    from datetime import datetime

    from overtrick import jet
    from overtrick.bws import scoring_changes
    from overtrick.bws.contents import read_contents
    from overtrick.bws.edits import Edit, carry_out
    from overtrick.bws.id_map import build_id_map
    from overtrick.bws.listings import read_results_csv
    from overtrick.bws.players import read_lookup, read_players_csv
    from overtrick.bws.session_plan import read_deals
    from overtrick.errors import BadInput
    from overtrick.event.hands import HandRecord

    if not (players or lookup or deals or results):
        raise BadInput("Name what to import: --players, --lookup, --deals or --results.")
    with jet.open(file, "r+") as db:
        contents = read_contents(db)
        edits: list[Edit] = []
        if players:
            edits += scoring_changes.load_names(contents, read_players_csv(players))
        if lookup:
            edits += scoring_changes.load_names(contents, read_lookup(lookup))
        if deals:
            records = tuple(HandRecord(1, board, deal) for board, deal in sorted(read_deals(deals).items()))
            letters = sorted(build_id_map(contents).ids)
            edits += scoring_changes.changes(
                contents, [scoring_changes.SendHandRecords(section, records) for section in letters]
            )
        if results:
            try:
                text = results.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                raise BadInput(f"The file cannot be read: {error}.", where=str(results)) from None
            entries = read_results_csv(text, datetime.now().replace(microsecond=0), str(results))
            edits += scoring_changes.results(contents, entries)
        changed = carry_out(db, edits)
    typer.echo(f"{file}: {counted(changed, 'change')} written.")


@app.command()
def watch(
    file: FileArgument,
    interval: Annotated[float, typer.Option(min=0.05, help="Seconds between two polls.")] = 5.0,
    mark: Annotated[
        str,
        typer.Option(
            help="Mark shown results as read in this field: Processed, Processed1 to Processed4, or a custom_ field."
        ),
    ] = "",
    looks: Annotated[int, typer.Option(min=0, help="Stop after this many polls; 0 for no limit.")] = 0,
    format_: AsList = "table",
) -> None:
    """Show results as they come in, until you press Ctrl-C. Only --mark changes the file."""
    from overtrick.bws.polling import ResultPoller

    try:
        for kind, line in ResultPoller(file, mark).follow(interval, looks):
            if format_ == "json":
                print_list([{"what": kind, **line}], format_)
            elif format_ == "csv":
                print_csv([{"what": kind, **line}], header=False)
            else:
                where = f"{line['section']}{line['table']} round {line['round']} board {line['board']}"
                remark = f"  {line['remark']}" if line["remark"] else ""
                typer.echo(f"{kind:8}{where}: {line['ns']} - {line['ew']}  {line['result']}{remark}")
            sys.stdout.flush()
    except KeyboardInterrupt:
        raise typer.Exit from None
