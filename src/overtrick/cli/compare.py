"""`overtrick compare`: published results scored again, and what differs."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from overtrick.cli.tables import csv_text

if TYPE_CHECKING:
    from overtrick.scoring.compare import Comparison
    from overtrick.scoring.published import Published

Form = Literal["table", "csv", "json", "html", "text"]
"""The forms of a comparison; `text` is the name of `table` up to 0.1."""


def compare(
    file: Annotated[
        Path,
        typer.Argument(
            help="Results with points as another program published them: USEBIO, XML of New Zealand's Scorer, "
            "or a club's game of ACBL Live (JSON, or its saved page).",
            show_default=False,
        ),
    ],
    format_: Annotated[
        Form,
        typer.Option(
            "--format", "-f", help="Output format; csv has the differences, html is one printable page."
        ),
    ] = "table",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; by default the terminal.")
    ] = None,
) -> None:
    """Score published results again and show what agrees, what differs, and the rule that explains it.

    The exit status is 1 if a difference is unexplained or a part of the file was left out.
    """
    from overtrick.files import read_input, write_output
    from overtrick.scoring.compare import compare as compare_published
    from overtrick.scoring.reading import read_published

    published = read_published(read_input(file))
    comparison = compare_published(published)
    text = _text(published, comparison, format_)
    if output is None:
        typer.echo(text)
    else:
        write_output(output, f"{text}\n".encode())
    for unread in published.unread:
        typer.echo(f"Left out: {unread}", err=True)
    if not comparison.is_explained or published.unread:
        raise typer.Exit(1)


def _text(published: "Published", comparison: "Comparison", format_: Form) -> str:
    if format_ == "html":
        from overtrick.scoring.pages import comparison_page

        return comparison_page(published, comparison)
    differences = [
        {
            "what": difference.label,
            "published": str(difference.published),
            "ours": None if difference.ours is None else round(float(difference.ours), 4),
            "explanation": difference.explanation,
        }
        for difference in comparison.differences
    ]
    if format_ == "csv":
        return csv_text(differences).rstrip("\n")
    if format_ == "json":
        document = {
            "title": published.title,
            "program": published.program,
            "scored_by": str(comparison.variant),
            "rule_sets": list(comparison.variant.rule_sets),
            "lines": comparison.lines,
            "lines_agree": comparison.lines_agree,
            "totals": comparison.totals,
            "totals_agree": comparison.totals_agree,
            "differences": differences,
            "unread": list(published.unread),
        }
        return json.dumps(document, ensure_ascii=False, indent=1)
    lines = f"{comparison.lines_agree} of {comparison.lines}"
    totals = f"{comparison.totals_agree} of {comparison.totals}"
    return "\n".join(
        [
            f"{published.title} ({published.program or 'unknown program'})",
            f"Scored by: {comparison.variant}.",
            f"Rules: {comparison.variant.rules_text}.",
            f"{lines} board scores and {totals} totals agree.",
            *(f"- {difference}" for difference in comparison.differences),
        ]
    )
