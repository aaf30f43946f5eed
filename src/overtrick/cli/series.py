"""`overtrick series` and `overtrick award`: one ranking of several sessions, and its master points."""

import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from overtrick.cli.options import JOURNAL_NAMES, AsList, Only, Output, SessionName
from overtrick.cli.tables import print_lines
from overtrick.errors import BadInput

if TYPE_CHECKING:
    from overtrick.scoring.master_points import PlayerAward, Scheme
    from overtrick.scoring.series_report import SeriesReport

SeriesFormat = Literal["table", "csv", "json", "html"]
"""The forms of the ranking of a series."""

DATA_HELP = (
    "The journal of the sessions that have no file, its folder or its address; by default OVERTRICK_JOURNAL."
)


def series(
    file: Annotated[Path, typer.Argument(help="The description of the series (TOML).", show_default=False)],
    data: Annotated[str | None, typer.Option(*JOURNAL_NAMES, help=DATA_HELP)] = None,
    only: Only = None,
    format_: Annotated[SeriesFormat, typer.Option("--format", "-f", help="Output format.")] = "table",
    output: Output = None,
) -> None:
    """Rank an event of several sessions, or a season's ladder, from the results of its sessions."""
    from overtrick.cli.score import write_output
    from overtrick.host.reports import write_site_pages
    from overtrick.host.series import FurtherRequest, read_series
    from overtrick.scoring.series_report import write_series_csv, write_series_json, write_series_pages

    if format_ == "html" and output is None:
        raise BadInput("Pages are written to a folder. Name it with --output.")
    request = FurtherRequest(only=tuple(only or ()))
    report, _ = read_series(file, data or os.environ.get("OVERTRICK_JOURNAL"), date.today(), request)
    for remark in report.ranking.remarks:
        typer.echo(remark, err=True)
    if format_ == "html" and output is not None:
        count = write_site_pages(write_series_pages(report), output)
        typer.echo(f"{count} files are in {output}; open {output / 'index.html'}.", err=True)
    elif format_ == "table" and output is None:
        _show(report)
    else:
        text = write_series_json(report) if format_ == "json" else write_series_csv(report)
        write_output(text.encode(), output)


def _show(report: "SeriesReport") -> None:
    from rich.table import Table
    from rich.text import Text

    from overtrick.cli.tables import show

    for part in report.tables():
        table = Table(title=Text(f"{report.title} · {part.heading}"))
        table.add_column("Rank", justify="right")
        table.add_column("Names")
        table.add_column(report.ranking.point, justify="right")
        if part.stage.carry_over:
            table.add_column("Carry-over", justify="right")
        for name in part.columns or ("Sessions",):
            table.add_column(Text(name), justify="right")
        for one in part.standings:
            scores = [one.scores.get(name) for name in part.columns]
            cells = [
                one.rank_text,
                one.name,
                report.figure(one.value),
                *([report.figure(one.carry_over)] if part.stage.carry_over else []),
                *(
                    "–"
                    if score is None
                    else report.figure(score.value)
                    if score.is_counted
                    else f"({report.figure(score.value)})"
                    for score in scores
                ),
                *(() if part.columns else (one.sessions_text,)),
            ]
            table.add_row(*(Text(cell) for cell in cells))
        show(table)


def award(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The results of a session, as `overtrick score` reads them, or the description of a series (.toml).",
            show_default=False,
        ),
    ],
    scheme: Annotated[
        str,
        typer.Option(
            help="The scheme of master points (TOML), or `example` for an invented one.",
            metavar="FILE",
            show_default=False,
        ),
    ],
    registry: Annotated[
        str | None,
        typer.Option(help="The registry of players to enter the awards in; by default they are only shown."),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            help="A list of players (CSV), or a registry, with the numbers of those who have none in the results.",
            metavar="FILE",
        ),
    ] = None,
    session: SessionName = None,
    method: Annotated[
        str | None, typer.Option("--method", "-m", help="The scoring method; by default the session's own.")
    ] = None,
    data: Annotated[str | None, typer.Option(*JOURNAL_NAMES, help=DATA_HELP)] = None,
    event: Annotated[str | None, typer.Option(help="The name of the event in the ledger.")] = None,
    day: Annotated[
        str | None, typer.Option(help="The day of the event (2026-05-17); by default the day of play.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the awards of this event in the ledger.")
    ] = False,
    format_: AsList = "table",
) -> None:
    """Award master points for the raw results of a session or a series, by a scheme.

    Awards that are already in the ledger are not entered twice.
    """
    from overtrick.host.series import enter_awards, read_players, read_text, with_player_numbers
    from overtrick.scoring.master_points import EXAMPLE, example_scheme, parse_scheme

    chosen = parse_scheme(example_scheme() if scheme == EXAMPLE else read_text(Path(scheme)))
    data = data or os.environ.get("OVERTRICK_JOURNAL")
    if source.suffix.lower() == ".toml":
        title, played_on, groups = _of_series(source, data, chosen, method)
    else:
        title, played_on, groups = _of_session(source, session, chosen, method)
    event_day = _day(day) or played_on or date.today()
    player_list = read_players(players, event_day.year) if players else None
    lines: list[dict[str, object]] = []
    for division, earned in groups:
        awards = with_player_numbers(earned, player_list) if player_list else earned
        if format_ == "table":
            for each in awards:
                who = f"{each.player.name} ({each.player.number or 'no number'})"
                place = f"{f'{division} ' if division else ''}{each.rank}."
                typer.echo(f"{place} {who}: {each.points} {chosen.kind.upper()}")
        lines += [
            {
                "division": division,
                "rank": each.rank,
                "number": each.player.number,
                "name": each.player.name,
                "points": each.points,
                "kind": chosen.kind,
            }
            for each in awards
        ]
        if registry is None:
            continue
        outcome = enter_awards(
            registry, chosen, event or title, division, event_day, awards, replaces=replace
        )
        typer.echo(
            f"{outcome.added} awards entered, {outcome.same} were already in the ledger.",
            err=format_ != "table",
        )
        for refusal in outcome.refusals:
            player = awards[refusal.line - 1].player
            typer.echo(
                f"Not entered: {player.name} ({player.number or 'no number'}) is not in the registry.",
                err=True,
            )
    if format_ != "table":
        print_lines(lines, format_)


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"{text[:20]!r} is not a date such as 2026-05-17.") from None


Groups = list[tuple[str, "list[PlayerAward]"]]
"""The awards of each ranking, with its name in the ledger."""


def _of_session(
    source: Path, session: str | None, scheme: "Scheme", method: str | None
) -> tuple[str, date | None, Groups]:
    from overtrick.host.reports import ReportRequest, read_report
    from overtrick.scoring import Method
    from overtrick.scoring.master_points import awards

    request = ReportRequest(Method.of(method) if method else None, session=session, names_everyone=True)
    report = read_report(source, request, date.today()).report
    earned = awards(scheme, report.scored.method, report.scored.rankings, report.players)
    return report.title, report.played_on, [("", earned)]


def _of_series(
    source: Path, data: str | None, scheme: "Scheme", method: str | None
) -> tuple[str, date | None, Groups]:
    from overtrick.host.series import read_series
    from overtrick.scoring import Method
    from overtrick.scoring.master_points import series_awards

    report, sessions = read_series(source, data, date.today(), raw=True)
    own: Method = Method.of(method) if method else next(iter(sessions.values())).scored.method
    days = [one.played_on for one in sessions.values() if one.played_on]
    stages = report.ranking.stages
    groups: Groups = [
        (stage.stage.name if len(stages) > 1 else "", series_awards(scheme, own, stage.standings))
        for stage in stages
    ]
    return report.title, max(days, default=None), groups
