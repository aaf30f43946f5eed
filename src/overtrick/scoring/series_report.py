"""Writers of the rankings of a series as JSON, CSV and HTML. Return text; no file access."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from markupsafe import Markup

from overtrick.scoring.more_rankings import FurtherRankings
from overtrick.scoring.pages import style_sheet, template
from overtrick.scoring.plain import safe_cell
from overtrick.scoring.player_list import PlayerList
from overtrick.scoring.points import figure_text
from overtrick.scoring.series import (
    SeriesRanking,
    SeriesStanding,
    SessionScore,
    Stage,
    select,
)

MOST_COLUMNS = 12
"""The most sessions that get a column each; for more, the table shows the number of sessions instead."""


@dataclass(frozen=True, slots=True)
class SeriesTable:
    """A published ranking of a series: the overall ranking of a stage, or a further one such as a handicap ranking."""

    stage: Stage
    title: str
    standings: tuple[SeriesStanding, ...]
    has_several_stages: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the sessions that have a column; empty if there are too many."""
        return self.stage.sessions if len(self.stage.sessions) <= MOST_COLUMNS else ()

    @property
    def heading(self) -> str:
        """Return the heading of the table."""
        stage = self.stage.name if self.has_several_stages or not self.title else ""
        return " · ".join(part for part in (stage, self.title) if part)


@dataclass(frozen=True, slots=True)
class SeriesReport:
    """A series with everything that is published about it."""

    ranking: SeriesRanking
    player_list: PlayerList
    further: FurtherRankings

    @property
    def title(self) -> str:
        """Return the name of the series."""
        return self.ranking.series.name

    def tables(self) -> list[SeriesTable]:
        """Return every table: the last stage first, because it decides, and each stage with its further rankings.

        Players who asked not to be named are left without a name.
        """
        has_several_stages = len(self.ranking.stages) > 1
        return [
            SeriesTable(stage.stage, title, tuple(map(self.ranking.published, standings)), has_several_stages)
            for stage in reversed(self.ranking.stages)
            for title, standings in (
                ("", stage.standings),
                *select(self.ranking, stage, self.player_list, self.further),
            )
        ]

    def figure(self, value: Fraction) -> str:
        """Return a figure with the decimals of the series."""
        return figure_text(value, self.ranking.series.decimals)


def write_series_json(report: SeriesReport) -> str:
    """Return the rankings as JSON; figures are strings, rounded to the decimals of the series."""
    document = {
        "title": report.title,
        "point": report.ranking.point,
        "rankings": [
            {
                "stage": table.stage.name,
                "title": table.title,
                "ranking": [_standing(report, table, standing) for standing in table.standings],
            }
            for table in report.tables()
        ],
        "remarks": list(report.ranking.remarks),
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _standing(report: SeriesReport, table: SeriesTable, standing: SeriesStanding) -> dict[str, Any]:
    return {
        "rank": standing.rank or None,
        "rank_max": standing.rank_max or None,
        "contestant": standing.label,
        "name": standing.name,
        "players": [{"name": player.name, "number": player.number} for player in standing.players],
        "result": report.figure(standing.value),
        "carry_over": report.figure(standing.carry_over),
        "boards": standing.boards,
        "sessions": {name: _score(report, standing.scores.get(name)) for name in table.stage.sessions},
        "qualifies_for": standing.qualifies_for or None,
    }


def _score(report: SeriesReport, score: SessionScore | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {"result": report.figure(score.value), "boards": score.boards, "is_counted": score.is_counted}


_CSV_COLUMNS = (
    "stage",
    "ranking",
    "rank",
    "rank_max",
    "contestant",
    "name",
    "result",
    "carry_over",
    "boards",
)


def write_series_csv(report: SeriesReport) -> str:
    """Return the rankings as CSV with a header and a column for each session."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    sessions = [session.name for session in report.ranking.series.sessions]
    writer.writerow([*_CSV_COLUMNS, *(safe_cell(name) for name in sessions)])
    for table in report.tables():
        for standing in table.standings:
            scores = (standing.scores.get(name) for name in sessions)
            cells = (
                *(
                    safe_cell(table.stage.name),
                    safe_cell(table.title),
                    standing.rank or "",
                    standing.rank_max or "",
                ),
                *(safe_cell(standing.label), safe_cell(standing.name)),
                *(report.figure(standing.value), report.figure(standing.carry_over), standing.boards),
                *("" if score is None else report.figure(score.value) for score in scores),
            )
            writer.writerow(cells)
    return text.getvalue()


def series_tables(report: SeriesReport, tables: Sequence[SeriesTable]) -> Markup:
    """Return tables of a series as HTML to embed in a page."""
    return Markup(template("series_tables.html").render(report=report, tables=tables))


def write_series_pages(report: SeriesReport) -> dict[str, str]:
    """Return index.html and style.css by file name."""
    return {
        "index.html": template("series.html").render(report=report, tables=report.tables()),
        "style.css": style_sheet(),
    }


def clubs(report: SeriesReport) -> list[str]:
    """Return the clubs in the list of players, sorted."""
    return sorted({player.club for player in report.player_list if player.club}, key=str.casefold)
