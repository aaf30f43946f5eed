"""Writers of a report as JSON and CSV. Return text; no file access."""

import csv
import io
import json
from typing import Any

from overtrick.bridge import Side, vulnerability
from overtrick.scoring.lines import Contestant
from overtrick.scoring.points import to_points
from overtrick.scoring.ranking import Standing
from overtrick.scoring.report import Report, ReportRuling
from overtrick.scoring.rules import describe
from overtrick.scoring.session import ScoredLine, SideScore
from overtrick.scoring.swiss_pairs import PairView
from overtrick.scoring.teams import TeamMatchView


def write_json(report: Report) -> str:
    """Return a report as JSON: rankings, travellers, matches, rulings and rejected lines, but no deals."""
    scored = report.scored
    document = {
        "title": report.title,
        "club": report.club,
        "date": report.played_on.isoformat() if report.played_on else None,
        "method": scored.method.value,
        "rules": describe(scored.rules),
        "provisional_until": report.provisional_until.isoformat() if report.provisional_until else None,
        "ranking": [_standing(report, name, standing) for name, standing in report.standings()],
        "further_rankings": [
            {
                "title": further.title,
                "field": further.ranking.field,
                "direction": further.ranking.side.value if further.ranking.side else None,
                "ranking": [
                    _standing(report, further.ranking.field, standing)
                    for standing in further.ranking.standings
                ],
            }
            for further in report.further
        ],
        "travellers": [
            {
                "board": traveller.board,
                "field": traveller.field,
                "lines": [_line(scored_line) for scored_line in traveller.lines],
            }
            for traveller in scored.travellers
        ],
        "matches": [
            {
                "round": match.round,
                "field": match.field,
                "home": _view(match.home),
                "away": _view(match.away),
            }
            for match in scored.matches
        ],
        "pair_matches": [
            {
                "round": match.round,
                "field": match.field,
                "home": _pair_view(match.home),
                "away": _pair_view(match.away),
            }
            for match in scored.pair_matches
        ],
        "rulings": [_ruling(report, ruling) for ruling in report.rulings],
        "rejected": [str(rejected) for rejected in scored.rejected],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _standing(report: Report, name: str, standing: Standing) -> dict[str, Any]:
    contestant = standing.contestant
    return {
        "rank": standing.rank or None,
        "rank_max": standing.rank_max or None,
        "pair": contestant.number,
        "direction": contestant.side.value if contestant.side else None,
        "section": contestant.section,
        "field": name,
        "points": _rounded(standing.points),
        "percentage": _rounded(standing.percentage),
        "boards": standing.boards,
        "carry_over": _rounded(standing.carry_over / standing.units_per_point),
        "adjustment": _rounded(standing.adjustment / standing.units_per_point),
        "handicap": standing.handicap,
        "name": report.name(contestant),
        "players": [player.name for player in report.players.get(contestant, ())],
    }


def _ruling(report: Report, ruling: ReportRuling) -> dict[str, Any]:
    line = ruling.line
    return {
        "kind": ruling.kind.value,
        "board": ruling.board,
        "contestants": [_contestant(contestant) for contestant in ruling.contestants],
        "section": line.section if line else None,
        "table": line.table if line else None,
        "round": line.round if line else ruling.round,
        "words": ruling.words,
        "at_table": ruling.at_table,
        "reason": ruling.reason,
        "appeal": ruling.appeal,
        "is_counted": ruling.is_counted,
        "text": report.ruling_words(ruling),
    }


def _line(scored: ScoredLine) -> dict[str, Any]:
    line = scored.line
    return {
        "ns": _contestant(line.ns),
        "ew": _contestant(line.ew),
        **(
            {"south": _contestant(line.south), "west": _contestant(line.west)}
            if line.south and line.west
            else {}
        ),
        "section": line.section,
        "table": line.table,
        "round": line.round,
        "outcome": str(line.outcome),
        "ew_outcome": None if line.ew_outcome is None else str(line.ew_outcome),
        "lead": line.lead,
        "version": line.version,
        "ns_score": line.outcome.ns_score(vulnerability(line.board)),
        "ns_points": _points(scored.ns),
        "ew_points": _points(scored.ew),
        "ns_percentage": _rounded(scored.ns.percentage) if scored.ns else None,
        "ew_percentage": _rounded(scored.ew.percentage) if scored.ew else None,
        "adjustments": [
            {**_contestant(contestant), "points": _rounded(units / scored.units_per_point)}
            for contestant, units in scored.adjustments
        ],
    }


def _view(view: TeamMatchView) -> dict[str, Any]:
    return {
        "team": _contestant(view.team),
        "imps": to_points(view.own_imps),
        "imps_against": to_points(view.their_imps),
        "imps_adjustment": to_points(view.adjustment),
        "points": to_points(view.units),
        "boards": len(view.boards),
    }


def _pair_view(view: PairView) -> dict[str, Any]:
    return {
        "pair": _contestant(view.pair),
        "result": _rounded(float(view.result)),
        "adjustment": _rounded(float(view.adjustment)),
        "vps": to_points(view.units),
        "boards": view.boards,
    }


def _contestant(contestant: Contestant) -> dict[str, Any]:
    side: Side | None = contestant.side
    return {
        "section": contestant.section,
        "pair": contestant.number,
        "direction": side.value if side else None,
    }


def _points(score: SideScore | None) -> float | None:
    return None if score is None else _rounded(score.points)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


_COLUMNS = (
    "rank",
    "rank_max",
    "field",
    "section",
    "pair",
    "direction",
    "name",
    "points",
    "percentage",
    "boards",
    "carry_over",
    "adjustment",
    "handicap",
    "ranking",
)


def write_csv(report: Report) -> str:
    """Return the rankings as CSV with a header, one row for each standing; further rankings follow, with titles."""
    text = io.StringIO()
    table = csv.DictWriter(text, _COLUMNS, extrasaction="ignore", lineterminator="\r\n")
    table.writeheader()
    further = (
        (named.title, named.ranking.field, standing)
        for named in report.further
        for standing in named.ranking.standings
    )
    for title, name, standing in (
        *(("", *standing_of_field) for standing_of_field in report.standings()),
        *further,
    ):
        row = {**_standing(report, name, standing), "ranking": title}
        table.writerow({column: safe_cell(row[column]) for column in _COLUMNS})
    return text.getvalue()


def safe_cell(value: object) -> object:
    """Return the value of a CSV cell; a text that a spreadsheet would read as a formula gets an apostrophe in front."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return "" if value is None else value
