"""`overtrick score`: score the results of a session and write them in any format."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from overtrick.cli.options import JOURNAL_NAMES, Only, Output, SessionName, takes_options
from overtrick.errors import BadInput
from overtrick.guid import is_guid

if TYPE_CHECKING:
    from overtrick.host.reports import ReportRequest
    from overtrick.host.series import FurtherRequest
    from overtrick.scoring.report import Report

SIDES = {"NS": "North-South", "EW": "East-West"}


Format = Literal["table", "csv", "json", "html", "pbn", "usebio"]
"""The output formats."""

Top = Literal["2(n-1)", "n-1"]
"""The matchpoints of a top on a board with n results, as they are published."""

UnequalBoards = Literal["neuberg", "factor", "own-top"]
"""The ways to score boards that were played fewer times than others."""


HandicapWord = Literal["none", "sum", "mean"]
"""The ways to make the handicap of a pair from those of the partners."""

StrataWord = Literal["average", "higher"]
"""The ways to make the holding of a pair from those of the partners."""


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """The options that choose a session and say how to score it."""

    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            "-m",
            help="The name or number of a scoring method; by default the session's own, or matchpoints.",
        ),
    ] = None
    session: SessionName = None
    group: Annotated[
        int | None,
        typer.Option(help="Number of a scoring group, if the groups have different methods or rules."),
    ] = None
    winners: Annotated[
        int | None,
        typer.Option(min=1, max=2, help="One or two winners; by default as in the results."),
    ] = None
    top: Annotated[
        Top | None,
        typer.Option(help="How a top is published; by default as in the session, or 2(n-1)."),
    ] = None
    rules: Annotated[
        str | None,
        typer.Option(
            help="The rule set: WBF, ACBL, EBU or NZ, or a file (TOML) with one of your own; "
            "by default the session's, or WBF.",
            metavar="NAME_OR_FILE",
        ),
    ] = None
    unequal: Annotated[
        UnequalBoards | None,
        typer.Option(help="How to score boards that were played fewer times, instead of the rule set's way."),
    ] = None
    boards_per_match: Annotated[
        int | None, typer.Option(min=1, help="The length of a match, for victory points.")
    ] = None
    pairs_vps: Annotated[
        bool,
        typer.Option(
            "--pairs-vps",
            help="Rank pairs by the victory points of their matches, as in a Swiss event: each round is a match.",
        ),
    ] = False
    title: Annotated[str | None, typer.Option(help="The title, instead of that of the file.")] = None

    def request(self, session: str | None = None) -> "ReportRequest":
        """Return the request for a report; `session` replaces the option --session."""
        from overtrick.host.reports import ReportRequest
        from overtrick.host.series import read_rules
        from overtrick.scoring import Method, Unequal

        rules = None if self.rules is None else read_rules(self.rules)
        return ReportRequest(
            (rules.method if rules else None) if self.method is None else Method.of(self.method),
            rules,
            None if self.unequal is None else Unequal(self.unequal),
            None if self.top is None else self.top == "n-1",
            self.boards_per_match,
            self.winners,
            session or self.session,
            self.group,
            self.title,
            self.pairs_vps,
        )


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """The options for the ranking and for further rankings."""

    minimum_boards: Annotated[
        int, typer.Option(min=0, help="Minimum number of boards; contestants with fewer are ranked last.")
    ] = 0
    players: Annotated[
        str | None,
        typer.Option(
            help="A list of players with handicaps, holdings, clubs and so on: a CSV file, or a registry.",
            metavar="FILE",
        ),
    ] = None
    handicap: Annotated[
        HandicapWord | None,
        typer.Option(help="Also rank with handicaps: the sum or the mean of the partners' handicaps."),
    ] = None
    strata: Annotated[
        str | None,
        typer.Option(
            help='Also rank by strata, such as "A, B:500, C:100": B ranks pairs that hold less than 500.'
        ),
    ] = None
    strata_by: Annotated[
        StrataWord | None,
        typer.Option(help="Use the partners' average holding, or the higher one, for the strata."),
    ] = None
    only: Only = None

    def request(self) -> "FurtherRequest":
        """Return the request for the further rankings."""
        from overtrick.host.series import FurtherRequest

        return FurtherRequest(
            self.players,
            self.handicap,
            self.strata,
            self.strata_by,
            tuple(self.only or ()),
            self.minimum_boards,
        )


@takes_options
def score(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_SESSION",
            help="A PBN file with results, USEBIO, a game of ACBL Live, a Bridgemate file (.bws), a journal or the "
            "folder it is in, or the guid of a session in the journal of --journal.",
            show_default=False,
        ),
    ],
    data: Annotated[
        str | None,
        typer.Option(
            *JOURNAL_NAMES,
            help="The journal, its folder or its address, in which to look up a session's guid; "
            "by default the one that the variable OVERTRICK_JOURNAL names.",
        ),
    ] = None,
    format_: Annotated[Format, typer.Option("--format", "-f", help="Output format.")] = "table",
    output: Output = None,
    double_dummy: Annotated[
        bool, typer.Option(help="Analyse deals (double dummy) if the file has no analysis.")
    ] = False,
    *,
    scoring: ScoringOptions,
    ranking: RankingOptions,
) -> None:
    """Score a session and show or write its ranking, travellers and score cards.

    Impossible results are listed with their reasons; the rest is scored.
    """
    from datetime import date

    from overtrick.host.reports import evaluated, read_report
    from overtrick.host.series import with_further_rankings
    from overtrick.store.address import is_address, place_without_password

    if format_ == "html" and output is None:
        raise BadInput("Pages are written to a folder. Name it with --output.")
    if data is None and is_guid(source) and not Path(source).exists():
        data = os.environ.get("OVERTRICK_JOURNAL")
        if data is None:
            raise BadInput("Name the journal of the session with --journal.", where=source)
    place = source if data is None else data
    file = place if is_address(place) else Path(place)
    request = scoring.request(None if data is None else source)
    loaded = read_report(file, request, date.today())
    report = evaluated(loaded.report) if double_dummy else loaded.report
    report = with_further_rankings(report, ranking.request())
    for remark in (
        *loaded.remarks,
        *(f"Left out: {rejected}" for rejected in report.scored.rejected),
        *report.scored.rulings_due,
    ):
        typer.echo(remark, err=True)
    if not report.scored.rankings:
        typer.echo(f"{place_without_password(place)}: There are no results yet.", err=True)
    if format_ == "html" and output is not None:
        from overtrick.host.reports import write_site

        typer.echo(
            f"{write_site(report, output)} files are in {output}; open {output / 'index.html'}.", err=True
        )
    elif format_ == "table" and output is None:
        _show(report)
    else:
        write_output(_text(report, format_), output)


def _text(report: "Report", format_: Format) -> bytes:
    if format_ == "pbn":
        from overtrick.scoring.pbn import write_results

        return write_results(report)
    if format_ == "usebio":
        from overtrick.scoring.usebio import write_usebio

        return write_usebio(report).encode()
    from overtrick.scoring.plain import write_csv, write_json

    return (write_json(report) if format_ == "json" else write_csv(report)).encode()


def _show(report: "Report") -> None:
    from rich.table import Table
    from rich.text import Text

    from overtrick.cli.tables import show
    from overtrick.scoring.report import field_title

    standings = [standing for _, standing in report.standings()]
    has_top = any(standing.top for standing in standings)
    has_names = any(report.name(standing.contestant) for standing in standings)
    has_fields = len({ranking.field for ranking in report.scored.rankings}) > 1
    further = [(ranked.title, ranked.ranking) for ranked in report.further]
    for title, ranking in (*(("", ranked) for ranked in report.scored.rankings), *further):
        title_parts = [
            report.title,
            title,
            field_title(ranking.field) if has_fields and ranking.field else "",
            SIDES[ranking.side.value] if ranking.side else "",
        ]
        table = Table(title=Text(" · ".join(part for part in title_parts if part)))
        table.add_column("Rank", justify="right")
        table.add_column("Team" if report.scored.method.is_teams else "Pair")
        if has_names:
            table.add_column("Names")
        table.add_column(report.scored.point, justify="right")
        has_handicaps = any(standing.handicap for standing in ranking.standings)
        if has_handicaps:
            table.add_column("Handicap", justify="right")
        if has_top:
            table.add_column("%", justify="right")
        for standing in ranking.standings:
            # Text instead of str: Rich would read brackets in names as markup.
            cells = [
                standing.rank_text,
                f"{standing.contestant.section}{standing.contestant.number}",
                *([report.name(standing.contestant)] if has_names else []),
                standing.points_text,
            ]
            if has_handicaps:
                cells.append(f"{standing.handicap:+g}")
            if has_top:
                cells.append("" if standing.percentage is None else standing.percentage_text)
            table.add_row(*(Text(cell) for cell in cells))
        show(table)
    notes = [report.provisional_words, *map(report.ruling_words, report.rulings)]
    for line in (
        f"Rules: {report.rules_title}." if notes[1:] or report.rules_title != "WBF" else "",
        *notes,
    ):
        if line:
            typer.echo(line)


def write_output(content: bytes, output: Path | None) -> None:
    """Write to a file, or to standard output if there is none."""
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    from overtrick.files import write_output

    write_output(output, content)
