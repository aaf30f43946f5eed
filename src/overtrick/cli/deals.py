"""`overtrick deals`: deals in another format."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

DealFormat = Literal["pbn", "lin"]
"""The formats that are written."""


def deals(
    file: Annotated[
        Path,
        typer.Argument(
            help="A file of deals: PBN, LIN, or the DUP file of a dealing machine.", show_default=False
        ),
    ],
    format_: Annotated[DealFormat, typer.Option("--format", "-f", help="Output format.")] = "pbn",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; by default the terminal.")
    ] = None,
) -> None:
    """Read a file of deals (PBN, LIN or DUP) and write it as PBN or LIN."""
    from overtrick.bridge.deal_files import read_deal_file
    from overtrick.bridge.lin import write_lin
    from overtrick.bridge.pbn import write_pbn
    from overtrick.files import read_input, write_output
    from overtrick.words import counted

    games = read_deal_file(read_input(file), name=file.name)
    content = write_lin(games) if format_ == "lin" else write_pbn(games)
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    write_output(output, content)
    typer.echo(f"{counted(len(games), 'board')} in {output}.", err=True)
