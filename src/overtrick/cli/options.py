"""Options that several command groups have."""

from typing import Annotated

import typer

Journal = Annotated[
    str,
    typer.Option(
        "--journal",
        "-j",
        envvar="OVERTRICK_JOURNAL",
        help="A journal file, or an address that begins with postgresql:",
    ),
]
