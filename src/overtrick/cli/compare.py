"""`overtrick compare`: published results scored again, and what differs."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

Form = Literal["text", "json"]
"""The forms of a comparison."""


def compare(
    file: Annotated[
        Path,
        typer.Argument(
            help="Results with points as another program published them: USEBIO, or XML of New Zealand's Scorer.",
            show_default=False,
        ),
    ],
    format_: Annotated[Form, typer.Option("--format", "-f", help="What to write.")] = "text",
) -> None:
    """Score published results again and show what agrees, what differs, and the rule that explains it.

    Ends with 1 where nothing explains a difference.
    """
    from overtrick.host.reports import read_file
    from overtrick.scoring.compare import compare as compare_published
    from overtrick.scoring.reading import read_published

    published = read_published(read_file(file))
    found = compare_published(published)
    if format_ == "json":
        document = {
            "title": published.title,
            "program": published.program,
            "scored_by": str(found.way),
            "lines": found.lines,
            "lines_agree": found.lines_agree,
            "totals": found.totals,
            "totals_agree": found.totals_agree,
            "differences": [
                {
                    "what": one.what,
                    "published": str(one.published),
                    "ours": None if one.ours is None else round(float(one.ours), 4),
                    "explanation": one.explanation,
                }
                for one in found.differences
            ],
            "unread": list(published.unread),
        }
        typer.echo(json.dumps(document, ensure_ascii=False, indent=1))
    else:
        typer.echo(f"{published.title} ({published.program or 'unknown program'})")
        typer.echo(f"Scored by: {found.way}.")
        lines, totals = f"{found.lines_agree} of {found.lines}", f"{found.totals_agree} of {found.totals}"
        typer.echo(f"{lines} figures of lines agree, and {totals} totals.")
        for one in found.differences:
            typer.echo(f"- {one}")
    for unread in published.unread:
        typer.echo(f"Left out: {unread}", err=True)
    if not found.is_explained or published.unread:
        raise typer.Exit(1)
