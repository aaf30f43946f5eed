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

    for series_table in report.tables():
        table = Table(title=Text(f"{report.title} · {series_table.heading}"))
        table.add_column("Rank", justify="right")
        table.add_column("Names")
        table.add_column(report.ranking.point, justify="right")
        if series_table.stage.carry_over:
            table.add_column("Carry-over", justify="right")
        for name in series_table.columns or ("Sessions",):
            table.add_column(Text(name), justify="right")
        for standing in series_table.standings:
            scores = [standing.scores.get(name) for name in series_table.columns]
            cells = [
                standing.rank_text,
                standing.name,
                report.figure(standing.value),
                *([report.figure(standing.carry_over)] if series_table.stage.carry_over else []),
                *(
                    "–"
                    if score is None
                    else report.figure(score.value)
                    if score.is_counted
                    else f"({report.figure(score.value)})"
                    for score in scores
                ),
                *(() if series_table.columns else (standing.sessions_text,)),
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

    master_point_scheme = parse_scheme(example_scheme() if scheme == EXAMPLE else read_text(Path(scheme)))
    data = data or os.environ.get("OVERTRICK_JOURNAL")
    if source.suffix.lower() == ".toml":
        title, played_on, groups = _series_awards(source, data, master_point_scheme, method)
    else:
        title, played_on, groups = _session_awards(source, session, master_point_scheme, method)
    event_day = _day(day) or played_on or date.today()
    player_list = read_players(players, event_day.year) if players else None
    lines: list[dict[str, object]] = []
    for division, earned in groups:
        awards = with_player_numbers(earned, player_list) if player_list else earned
        if format_ == "table":
            for award_ in awards:
                player_text = f"{award_.player.name} ({award_.player.number or 'no number'})"
                rank_text = f"{f'{division} ' if division else ''}{award_.rank}."
                typer.echo(f"{rank_text} {player_text}: {award_.points} {master_point_scheme.kind.upper()}")
        lines += [
            {
                "division": division,
                "rank": award_.rank,
                "number": award_.player.number,
                "name": award_.player.name,
                "points": award_.points,
                "kind": master_point_scheme.kind,
            }
            for award_ in awards
        ]
        if registry is None:
            continue
        outcome = enter_awards(
            registry, master_point_scheme, event or title, division, event_day, awards, replaces=replace
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


def _session_awards(
    source: Path, session: str | None, scheme: "Scheme", method: str | None
) -> tuple[str, date | None, Groups]:
    from overtrick.host.reports import ReportRequest, read_report
    from overtrick.scoring import Method
    from overtrick.scoring.master_points import awards

    request = ReportRequest(Method.of(method) if method else None, session=session, names_everyone=True)
    report = read_report(source, request, date.today()).report
    earned = awards(scheme, report.scored.method, report.scored.rankings, report.players)
    return report.title, report.played_on, [("", earned)]


def _series_awards(
    source: Path, data: str | None, scheme: "Scheme", method: str | None
) -> tuple[str, date | None, Groups]:
    from overtrick.host.series import read_series
    from overtrick.scoring import Method
    from overtrick.scoring.master_points import series_awards

    report, sessions = read_series(source, data, date.today(), raw=True)
    method_of_awards: Method = Method.of(method) if method else next(iter(sessions.values())).scored.method
    days = [report_.played_on for report_ in sessions.values() if report_.played_on]
    stages = report.ranking.stages
    groups: Groups = [
        (
            stage.stage.name if len(stages) > 1 else "",
            series_awards(scheme, method_of_awards, stage.standings),
        )
        for stage in stages
    ]
    return report.title, max(days, default=None), groups
