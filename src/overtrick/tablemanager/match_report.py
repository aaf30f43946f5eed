"""Match results as files: JSON for programs, and a page for people. Has no dependency on tables or the network."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from overtrick.files import write_file
from overtrick.tablemanager.matches import MatchResult, standings

JSON_FILE = "results.json"
PAGE_FILE = "results.html"


def write_report(folder: Path, results: Sequence[MatchResult]) -> None:
    """Write both files, replacing existing ones."""
    write_file(folder / JSON_FILE, as_json(results).encode())
    write_file(folder / PAGE_FILE, as_page(results).encode())


def as_json(results: Sequence[MatchResult]) -> str:
    """Return the ranking and every match board by board as JSON.

    >>> as_json([])
    '{\\n  "ranking": [],\\n  "matches": []\\n}\\n'
    """
    document = {
        "ranking": [
            {"rank": rank, "team": team, "vps": round(sum(against.values()), 2)}
            for rank, (team, against) in enumerate(standings(results).items(), 1)
        ],
        "matches": [
            {
                "home": match.home,
                "away": match.away,
                "imps": [match.home_imps, match.away_imps],
                "vps": [round(vps, 2) for vps in match.vps],
                "stopped": match.reason,
                "boards": [
                    {
                        "board": board.board,
                        "open": board.open_room,
                        "closed": board.closed_room,
                        "imps": board.imps,
                        "remarks": list(board.remarks),
                    }
                    for board in match.boards
                ],
            }
            for match in results
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def as_page(results: Sequence[MatchResult]) -> str:
    """Return a page with the cross table and every match; it loads nothing from elsewhere."""
    return _template().render(against=standings(results), matches=results)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("overtrick.tablemanager"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("results.html")
